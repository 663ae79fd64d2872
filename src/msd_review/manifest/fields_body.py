"""The fields of the envelope, a configuration slice, a runtime body and a feature body."""

from msd_review.manifest import vocabulary as words
from msd_review.manifest.fields_lane import ENV_NAME, LINE
from msd_review.manifest.shapes import (
    Choice,
    Codes,
    Field,
    ListOf,
    MapOf,
    ObjectOf,
    Scalar,
    Text,
)

ENVELOPE_CODES = Codes(
    missing="envelope.missing",
    type="envelope.type",
    value="envelope.value",
    choice="envelope.value",
    unknown="envelope.unknown_field",
)
RUNTIME_CODES = Codes(
    missing="runtime.value",
    type="runtime.value",
    value="runtime.value",
    choice="runtime.value",
    unknown="runtime.unknown_field",
)

IDS = ListOf(item=Text(rule="an id", pattern=words.ID_PATTERN))
STEMS = ListOf(item=Text(rule="a name of letters, digits, `.`, `_` and `-`", pattern=words.STEM_PATTERN))
NAMES = ListOf(item=LINE)
LINES = MapOf(item=Text())

ID = Field(
    name="id",
    shape=Text(
        rule="a name of lower-case letters, digits and `-`, starting with a letter", pattern=words.ID_PATTERN
    ),
    required=True,
    doc="the capability's name; its folder bears the same",
    example="acme-reviewer",
)
ROLE = Field(
    name="role",
    shape=Choice(words.ROLES),
    required=True,
    doc="what the capability is",
    example="reviewer",
    code="role.unknown",
)
ENGINES = Field(
    name="engines",
    shape=MapOf(item=Text(rule="a string", empty=True)),
    doc="which versions of the manifest contract it needs, as an npm-style range under `msd`",
    example={"msd": ">=1.9.0"},
)
COMPAT_VERSIONS = Field(
    name="compatVersions",
    shape=MapOf(key=Text(rule="an exact version", pattern=words.SEMVER_PATTERN), item=Text()),
    doc="the range that each earlier version of this capability needed",
    example={"1.0.0": ">=1.6.0 <1.9.0"},
)
ENVELOPE_FIELDS = (
    ID,
    ROLE,
    Field(
        name="version",
        shape=Text(rule="a full semantic version", pattern=words.SEMVER_PATTERN),
        required=True,
        doc="the capability's own version",
        example="1.0.0",
    ),
    Field(name="title", shape=Text(), required=True, doc="its name for people", example="Acme Review"),
    Field(
        name="description",
        shape=Text(),
        required=True,
        doc="one sentence on what it adds",
        example="Reviews plans with the Acme command.",
    ),
    Field(
        name="tier",
        shape=Choice(words.TIERS),
        required=True,
        doc="which installs it is meant for",
        example="full",
    ),
    Field(
        name="requires",
        shape=IDS,
        required=True,
        doc="ids of the capabilities it needs",
        example=["code-review"],
    ),
    ENGINES,
    COMPAT_VERSIONS,
    Field(
        name="integrity",
        shape=Text(
            rule="a hash: `sha512-`, then 86 base64 characters and `==`", pattern=words.INTEGRITY_PATTERN
        ),
        doc="the hash of the published bundle",
        example="sha512-" + "A" * 86 + "==",
    ),
    Field(
        name="provenance",
        shape=ObjectOf(
            fields=(
                Field(
                    name="sourceRepo",
                    shape=Text(),
                    required=True,
                    doc="where the source is",
                    example="https://github.com/acme/reviewer",
                    code="envelope.value",
                ),
                Field(
                    name="commit",
                    shape=Text(),
                    required=True,
                    doc="the commit it was built from",
                    example="3f2a9c1d",
                    code="envelope.value",
                ),
            ),
            open=True,
        ),
        doc="where the bundle comes from",
        example={"sourceRepo": "https://github.com/acme/reviewer", "commit": "3f2a9c1d"},
    ),
)
RUNTIME_COMPAT = Field(
    name="runtimeCompat",
    shape=ObjectOf(
        fields=(
            Field(
                name="supported",
                shape=ListOf(item=Text(rule="an id or `*`", pattern=rf"\*|{words.ID_PATTERN}"), filled=True),
                required=True,
                doc='ids of the hosts it works in, or exactly ["*"]',
                example=["*"],
            ),
            Field(
                name="unsupported",
                shape=IDS,
                doc="ids of the hosts it does not work in",
                example=["acme-host"],
            ),
            Field(
                name="notes",
                shape=LINES,
                doc="host → what is different there",
                example={"acme-host": "no hooks"},
            ),
        )
    ),
    doc="which hosts a feature surfaces in",
    example={"supported": ["*"], "unsupported": []},
)
# Known in every manifest, and not used by this product beyond what the disclosure shows of them.
INFORMATION_FIELDS = (
    "$schema", "author", "authors", "bugs", "categories", "contributors", "displayName", "funding", "homepage",
    "icon", "keywords", "license", "links", "maintainers", "publisher", "readme", "repository", "tags", "url",
)  # fmt: skip
BODY_FIELDS = (
    "runtimeCompat", "config", "reviewer", "runtime", "skills", "agents", "steps", "contributions", "gates",
    "hooks", "commands", "activationKey", "mcpServers",
)  # fmt: skip

CONFIG_TYPE = Field(
    name="type", shape=Choice(words.CONFIG_TYPES), required=True, doc="what values it takes", example="string"
)
CONFIG_FIELDS = (
    CONFIG_TYPE,
    Field(
        name="default",
        shape=Scalar(),
        required=True,
        doc="the value where nobody sets one; of the key's type",
        example="",
    ),
    Field(
        name="description",
        shape=Text(),
        required=True,
        doc="one sentence that `msd config list` shows",
        example="Model of the Acme lane.",
    ),
    Field(
        name="values",
        shape=ListOf(item=Text(rule="a string", empty=True), filled=True),
        doc="the members of an enum",
        example=["fast", "thorough"],
    ),
)


def _hook(name: str, shape: Text, doc: str, example: str, *, required: bool = True) -> Field:
    return Field(name=name, shape=shape, required=required, doc=doc, example=example, code="feature.hook")


def _command(name: str, shape: Text, doc: str, example: str) -> Field:
    return Field(name=name, shape=shape, required=True, doc=doc, example=example, code="feature.command")


HOOK_FIELDS = (
    _hook("event", LINE, "the host's event", "Stop"),
    _hook(
        "script",
        Text(
            rule="a relative path of letters, digits, `.`, `_`, `/` and `-`, without `..`",
            pattern=rf"(?!/)(?!.*//)(?!(.*/)?\.\.(/|$))(?!(.*/)?-){words.HOOK_SCRIPT_PATTERN}",
        ),
        "the script, inside the capability",
        "hooks/stop.sh",
    ),
    _hook(
        "matcher",
        Text(rule="a string on one line", empty=True, one_line=True),
        "what it applies to",
        "Write",
        required=False,
    ),
)
COMMAND_FIELDS = (
    _command("family", LINE, "the command family it joins", "acme"),
    _command(
        "module",
        Text(rule="a file name that ends in `.cjs`", pattern=words.COMMAND_MODULE_PATTERN),
        "the module, disclosed and never run here",
        "acme.cjs",
    ),
    _command("router", LINE, "the function that it exports", "route"),
)
MCP_FIELDS = (
    Field(name="command", shape=LINE, doc="the server's command", example="acme-mcp"),
    Field(
        name="args",
        shape=ListOf(item=Text(rule="a string", empty=True)),
        doc="its arguments",
        example=["--stdio"],
    ),
    Field(
        name="env",
        shape=MapOf(key=ENV_NAME, item=Text(rule="a string", empty=True)),
        doc="its variables",
        example={},
    ),
    Field(name="cwd", shape=LINE, doc="its working folder", example="."),
    Field(name="url", shape=LINE, doc="the server's address", example="https://mcp.example.com"),
    Field(
        name="headers",
        shape=MapOf(item=Text(rule="a string", empty=True)),
        doc="its request headers",
        example={},
    ),
)
