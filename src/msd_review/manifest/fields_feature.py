"""The fields of a feature's steps, contributions and gates, and of a runtime body."""

from msd_review.manifest import vocabulary as words
from msd_review.manifest.fields_body import NAMES
from msd_review.manifest.fields_lane import CONFIG_KEY, ENV_NAME, LINE
from msd_review.manifest.shapes import Anything, Choice, Field, Flag, ListOf, MapOf, ObjectOf, Shape, Text

FRAGMENT_FIELDS = (
    Field(
        name="path",
        shape=Text(rule="a non-empty string", one_line=True),
        doc="a file inside the capability",
        example="prompts/review.md",
        code="feature.fragment",
    ),
    Field(
        name="inline",
        shape=Text(),
        doc="the text itself",
        example="Check the error paths first.",
        code="feature.fragment",
    ),
)


def _point() -> Field:
    return Field(
        name="point",
        shape=Choice(words.LOOP_POINTS),
        required=True,
        doc="where in the loop it stands",
        example="execute:post",
        code="feature.point",
    )


def _artifacts(name: str, doc: str) -> Field:
    return Field(name=name, shape=NAMES, required=True, doc=doc, example=["REVIEW.md"], code="feature.list")


def _on_error() -> Field:
    return Field(
        name="onError",
        shape=Choice(words.ON_ERROR),
        required=True,
        doc="whether the loop goes on when it fails",
        example="skip",
        code="feature.on_error",
    )


def _when() -> Field:
    return Field(
        name="when",
        shape=CONFIG_KEY,
        doc="the key that switches it on",
        example="workflow.code_review",
        code="feature.when",
    )


def _fragment(*, required: bool) -> Field:
    return Field(
        name="fragment",
        shape=ObjectOf(fields=FRAGMENT_FIELDS),
        required=required,
        doc="prose for the agent: a file of the capability, or inline",
        example={"inline": "Check the error paths first."},
        code="feature.fragment",
    )


PRODUCES = _artifacts("produces", "the files it writes")
CONSUMES = _artifacts("consumes", "the files it reads, and waits for")
STEP_FIELDS = (
    _point(),
    Field(
        name="ref",
        shape=ObjectOf(fields=(), open=True),
        required=True,
        doc="what is done: one skill, agent or command",
        example={"skill": "review"},
        code="feature.ref",
    ),
    PRODUCES,
    CONSUMES,
    _on_error(),
    _when(),
    _fragment(required=False),
    Field(
        name="supportsReviewerLanes",
        shape=Anything(rule="`true`"),
        doc="whether the step may call reviewer lanes",
        example=True,
        code="feature.trait",
    ),
)
CONTRIBUTION_FIELDS = (
    _point(),
    Field(
        name="into",
        shape=LINE,
        required=True,
        doc="whose instructions it joins",
        example="planner",
        code="feature.into",
    ),
    PRODUCES,
    CONSUMES,
    _fragment(required=True),
    _when(),
)
GATE_FIELDS = (
    _point(),
    Field(
        name="check",
        shape=ObjectOf(fields=(), open=True),
        required=True,
        doc="what is checked: one query, predicate or agentVerdict",
        example={"query": "open findings"},
        code="feature.gate",
    ),
    Field(
        name="blocking",
        shape=Flag(),
        required=True,
        doc="whether the loop stops at it",
        example=False,
        code="feature.gate",
    ),
    _on_error(),
    _when(),
)


def _axis(name: str, values: tuple[str | int, ...], doc: str) -> Field:
    return Field(name=name, shape=Choice(values), required=True, doc=doc, example=values[0])


def _option(name: str, shape: Shape, doc: str, example: object, *, nullable: bool = False) -> Field:
    return Field(name=name, shape=shape, doc=doc, example=example, nullable=nullable)


CONFIG_HOME_FIELDS = (
    _axis("kind", words.CONFIG_HOME_KINDS, "how the folder is found"),
    Field(name="name", shape=LINE, required=True, doc="the folder's name", example=".acme"),
    _option("parent", LINE, "the folder it lies in, when nested", ".acme", nullable=True),
    _option("env", ListOf(item=ENV_NAME), "variables that move it", ["ACME_HOME"]),
    _option("probe", ListOf(item=LINE), "names to look for", ["acme"], nullable=True),
    _option("probeExists", LINE, "a file that proves it is the right one", "config.toml", nullable=True),
    _option(
        "skillsHome",
        Anything(rule="a string or an object"),
        "where skills go instead",
        ".agents",
        nullable=True,
    ),
)
ARTIFACT_FIELDS = (
    _axis("kind", words.ARTIFACT_KINDS, "what is put there"),
    Field(name="destSubpath", shape=LINE, required=True, doc="the folder below the home", example="skills"),
    Field(
        name="prefix",
        shape=Text(rule="a string", empty=True),
        required=True,
        doc="what names start with",
        example="msd-",
    ),
    _axis("nesting", words.NESTINGS, "files side by side, or a folder each"),
    _option("recursive", Flag(), "whether folders below count", False),
    Field(
        name="converter",
        shape=Text(rule="the name of a first-party converter", pattern=r"[A-Za-z][A-Za-z0-9]*"),
        nullable=True,
        doc="what rewrites each file",
        example=None,
    ),
)
_LAYOUT = ListOf(item=ObjectOf(fields=ARTIFACT_FIELDS))
RUNTIME_FIELDS = (
    Field(
        name="configHome",
        shape=ObjectOf(fields=CONFIG_HOME_FIELDS),
        required=True,
        doc="where the host keeps its configuration",
        example={"kind": "dot-home", "name": ".acme", "env": ["ACME_HOME"]},
    ),
    Field(
        name="localConfigDir",
        shape=Text(
            rule="a folder name that starts with a dot", pattern=r"\.[^/\\]*[^/\\.][^/\\]*", one_line=True
        ),
        required=True,
        doc="its folder in a project",
        example=".acme",
    ),
    _axis("configFormat", words.CONFIG_FORMATS, "how its settings are written"),
    Field(
        name="artifactLayout",
        shape=ObjectOf(
            fields=(
                Field(name="global", shape=_LAYOUT, required=True, doc="in the user's home", example=[]),
                Field(name="local", shape=_LAYOUT, required=True, doc="in a project", example=[]),
            )
        ),
        required=True,
        doc="what is put where",
        example={"global": [], "local": []},
    ),
    _axis("commandStyle", words.COMMAND_STYLES, "how its commands are written"),
    _axis("hooksSurface", words.HOOKS_SURFACES, "where its hooks are declared"),
    _axis("sandboxTier", words.SANDBOX_TIERS, "what sandbox it brings"),
    _axis("supportTier", words.SUPPORT_TIERS, "how well it is supported"),
    _axis("installSurface", words.INSTALL_SURFACES, "what an install writes"),
    Field(
        name="writesSharedSettings",
        shape=Flag(),
        required=True,
        doc="whether an install writes a settings file that others write too",
        example=True,
    ),
    _option(
        "permissionWriter", Choice(words.PERMISSION_WRITERS), "who grants permissions", None, nullable=True
    ),
    _option(
        "extendedHookEvents",
        ListOf(item=Choice(words.EXTENDED_HOOK_EVENTS)),
        "hook events beyond the common ones",
        ["Stop"],
    ),
    _option("hostBehaviors", MapOf(item=Anything()), "an open bag of the host's own", {}),
    _option("hookEvents", Anything(), "accepted and not used", "acme", nullable=True),
    _option("extensionEvents", Anything(), "accepted and not used", [], nullable=True),
    _option("hostIntegration", Anything(), "accepted and not used", {}, nullable=True),
    _option("orchestratorExec", Anything(), "accepted and not used", {}, nullable=True),
    _option("harnessIsolationFlag", Anything(), "accepted and not used", "--bare", nullable=True),
)
