"""The fields of a reviewer body: the lane, its probe, its invocation and its output map."""

from msd_review.manifest import vocabulary as words
from msd_review.manifest.fields_output import OUTPUT_MAP
from msd_review.manifest.shapes import Choice, Codes, Field, ListOf, MapOf, ObjectOf, Text, Whole

LANE_CODES = Codes(
    missing="lane.missing",
    type="lane.type",
    value="lane.value",
    choice="lane.enum",
    unknown="lane.unknown_field",
)
PROBE_CODES = Codes(
    missing="lane.probe",
    type="lane.probe",
    value="lane.probe",
    choice="lane.probe",
    unknown="lane.unknown_field",
)
ENV_CODES = Codes(
    missing="lane.env", type="lane.env", value="lane.env", choice="lane.env", unknown="lane.unknown_field"
)

LINE = Text(rule="a non-empty string on one line", one_line=True)
STRING = Text(rule="a string", empty=True)
CONFIG_KEY = Text(rule="a configuration key", pattern=words.CONFIG_KEY_PATTERN)
ENV_NAME = Text(rule="the name of an environment variable", pattern=words.ENV_NAME_PATTERN)
SECTION = Text(
    rule="a non-empty heading on one line that does not start with `#`", pattern=r"\s*[^#\s].*", one_line=True
)
HTTP_PATH = Text(rule="a path that starts with `/`", pattern=r"/[^\s]*", one_line=True)
HTTP_URL = Text(
    rule="an http or https URL", pattern=r"[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#]+[^\s]*", one_line=True
)

_BINARY_DOC = "the command, a bare name or an absolute path"
_HOST_KEY_DOC = "the configuration key that holds the server's base URL"

PROBE_KIND = Field(
    name="kind",
    shape=Choice(words.PROBE_KINDS),
    required=True,
    doc="how to tell whether the lane can run",
    example="command-exists",
)
PROBE_BINARY = Field(name="binary", shape=LINE, required=True, doc=_BINARY_DOC, example="acme")
PROBE_NEEDLE = Field(
    name="needle",
    shape=Text(),
    required=True,
    doc="a text that `<binary> --help` of the right tool prints",
    example="--output-format",
)
PROBE_TIMEOUT = Field(
    name="timeoutMs",
    shape=Whole(),
    required=True,
    doc="how long the probe may take, in milliseconds",
    example=5000,
)
PROBE_HOST = Field(
    name="hostConfigKey", shape=CONFIG_KEY, required=True, doc=_HOST_KEY_DOC, example="review.acme_host"
)
PROBE_PATH = Field(
    name="path", shape=HTTP_PATH, required=True, doc="what the probe asks for", example="/v1/models"
)
PROBE_FIELDS = {
    "command-exists": (PROBE_BINARY,),
    "command-capability": (PROBE_BINARY, PROBE_NEEDLE, PROBE_TIMEOUT),
    "http-reachable": (PROBE_HOST, PROBE_PATH, PROBE_TIMEOUT),
}
ALL_PROBE_FIELDS = (PROBE_KIND, PROBE_BINARY, PROBE_NEEDLE, PROBE_HOST, PROBE_PATH, PROBE_TIMEOUT)


EFFORT_CHANNEL = Field(
    name="effortChannel",
    shape=Choice(words.EFFORT_CHANNELS),
    doc="how an effort level reaches the tool: as arguments, as `MSD_EFFORT`, or not at all",
    example="argv",
    default="`none`",
)
SPAWN_FIELDS = (
    Field(name="binary", shape=LINE, required=True, doc=_BINARY_DOC, example="acme"),
    Field(
        name="args",
        shape=ListOf(item=STRING),
        required=True,
        doc="the arguments, a template: an element that is exactly a placeholder is replaced",
        example=["review", "{{model}}", "-"],
    ),
    Field(
        name="promptChannel",
        shape=Choice(words.PROMPT_CHANNELS),
        required=True,
        doc="how the prompt reaches the tool",
        example="stdin",
    ),
    Field(
        name="outputChannel",
        shape=Choice(words.OUTPUT_CHANNELS),
        required=True,
        doc="where the review comes out",
        example="stdout",
    ),
    Field(
        name="outputArg",
        shape=LINE,
        doc="the argument that takes the output file; needed for `file-arg`, refused otherwise",
        example="-o",
        code="lane.output_arg",
    ),
    Field(
        name="outputFormat",
        shape=Choice(words.OUTPUT_FORMATS),
        doc="what the tool prints",
        example="json",
        default="`text`",
    ),
    Field(
        name="outputMap",
        shape=OUTPUT_MAP,
        nullable=True,
        doc="how the tool's JSON is read; needed unless `outputFormat` is `text`",
        example={"text": [{"pointer": "/result"}]},
    ),
    Field(
        name="modelArg",
        shape=LINE,
        nullable=True,
        doc="the argument that takes the model; it stands where `{{model}}` does",
        example="--model",
    ),
    EFFORT_CHANNEL,
    Field(
        name="effortArgs",
        shape=ListOf(item=STRING),
        doc="what stands where `{{effort}}` does; `{{level}}` inside is replaced",
        example=["--effort", "{{level}}"],
        default="`[]`",
    ),
    Field(
        name="posture",
        shape=Choice(words.POSTURES),
        doc="whether the tool can edit files or run commands; an unrestricted lane works in a throw-away copy",
        example="read-only",
        default="`unrestricted`",
    ),
    Field(
        name="env",
        shape=MapOf(key=ENV_NAME, item=STRING),
        doc="variables of the child, over the inherited environment",
        example={"ACME_NO_COLOR": "1"},
        code="lane.env",
        default="`{}`",
    ),
    Field(
        name="pinEnv",
        shape=ListOf(item=ENV_NAME),
        doc="names always set in the child, to the user's value or else empty, so that no `.env` decides them",
        example=["ACME_BASE_URL"],
        code="lane.env",
        default="`[]`",
    ),
)
HTTP_FIELDS = (
    Field(
        name="hostConfigKey", shape=CONFIG_KEY, required=True, doc=_HOST_KEY_DOC, example="review.acme_host"
    ),
    Field(
        name="path",
        shape=HTTP_PATH,
        required=True,
        doc="the path of the chat endpoint",
        example="/v1/chat/completions",
    ),
    Field(
        name="modelDiscovery",
        shape=Choice(words.MODEL_DISCOVERIES),
        required=True,
        doc="whether the server is asked for its models when none is configured",
        example="first-from-models-endpoint",
    ),
    Field(
        name="defaultHost",
        shape=HTTP_URL,
        nullable=True,
        doc="the base URL where the key is not set",
        example="http://localhost:8080",
    ),
    Field(
        name="fallbackModel",
        shape=LINE,
        nullable=True,
        doc="the model where none is configured and none is found",
        example="default",
    ),
    EFFORT_CHANNEL,
)
INVOKE_FIELDS = {"spawn": SPAWN_FIELDS, "openai-http": HTTP_FIELDS}
SPAWN_ONLY = tuple(item.name for item in SPAWN_FIELDS if item is not EFFORT_CHANNEL)
HTTP_ONLY = tuple(item.name for item in HTTP_FIELDS if item is not EFFORT_CHANNEL)


def _key(name: str, doc: str, example: str) -> Field:
    return Field(name=name, shape=CONFIG_KEY, nullable=True, doc=doc, example=example, default="`null`")


def _names(name: str, doc: str, example: list[str], *, shape: Text = LINE) -> Field:
    return Field(name=name, shape=ListOf(item=shape), doc=doc, example=example, default="`[]`")


LANE_FIELDS = (
    Field(
        name="slug",
        shape=Text(rule="a name of lower-case letters, digits, `_` and `-`", pattern=words.SLUG_PATTERN),
        required=True,
        doc="the lane's name in configuration, JSON and reports",
        example="acme",
        code="lane.slug",
    ),
    Field(
        name="flags",
        shape=ListOf(
            item=Text(
                rule="a flag: `--`, then lower-case letters, digits and `-`", pattern=words.FLAG_PATTERN
            ),
            filled=True,
        ),
        required=True,
        doc="options of `msd review` that choose this lane; the first is the canonical one",
        example=["--acme"],
        code="lane.flag",
    ),
    Field(
        name="transport",
        shape=Choice(words.TRANSPORTS),
        required=True,
        doc="a command that is started, or a server that is asked",
        example="spawn",
        code="lane.transport",
    ),
    Field(
        name="probe",
        shape=ObjectOf(fields=ALL_PROBE_FIELDS),
        required=True,
        doc="how to tell whether the lane can run here",
        example={"kind": "command-exists", "binary": "acme"},
        code="lane.probe",
    ),
    Field(
        name="invoke",
        shape=ObjectOf(fields=SPAWN_FIELDS),
        required=True,
        doc="how the reviewer is called; which fields it has follows from `transport`",
        example={"binary": "acme", "args": ["-"], "promptChannel": "stdin", "outputChannel": "stdout"},
    ),
    Field(
        name="timeoutFloorMs",
        shape=Whole(),
        required=True,
        doc="how long the lane may run, in milliseconds, unless its timeout key says more",
        example=900000,
    ),
    Field(
        name="emptyOutput",
        shape=Choice(words.EMPTY_OUTPUTS),
        required=True,
        doc="who explains an empty answer: a stub with stderr, or the handler",
        example="stub-with-stderr",
    ),
    Field(
        name="reviewsSection",
        shape=SECTION,
        required=True,
        doc="the heading of this reviewer's section; a trailing word Review is dropped",
        example="Acme",
    ),
    Field(
        name="evidenceClass",
        shape=Choice(words.EVIDENCE_CLASSES),
        required=True,
        doc="whether the reviewer reads the source tree or only a diff",
        example="source-grounded",
    ),
    _names("requiresBinaries", "other commands that the lane needs", ["node"]),
    _key("promptBudgetKey", "the key of its prompt budget", "review.max_prompt_tokens_per_reviewer.acme"),
    _key("modelConfigKey", "the key of its model", "review.models.acme"),
    _key("timeoutConfigKey", "the key of its timeout, in seconds", "review.timeouts.acme"),
    _key("effortConfigKey", "the key of its effort level", "review.effort.acme"),
    Field(
        name="defaultEffort",
        shape=Choice(words.EFFORT_LEVELS),
        nullable=True,
        doc="the level where none, or an unknown one, is configured",
        example="high",
        default="`null`",
    ),
    Field(
        name="idleTimeoutMs",
        shape=Whole(),
        nullable=True,
        doc="how long the tool may print nothing, in milliseconds",
        example=300000,
        default="`null`",
    ),
    Field(
        name="handler",
        shape=Text(rule="a name of lower-case letters, digits and `-`", pattern=words.HANDLER_PATTERN),
        nullable=True,
        doc="a first-party reader of output that data cannot describe",
        example=next(iter(words.HANDLER_TRANSPORTS)),
        default="`null`",
    ),
    Field(
        name="provider",
        shape=LINE,
        nullable=True,
        doc="whose service it uses: lanes of one provider run one after the other",
        example="acme",
        default="`null`",
    ),
    Field(
        name="installHint",
        shape=LINE,
        nullable=True,
        doc="one line on how to get the tool",
        example="npm install -g acme-review",
        default="`null`",
    ),
    Field(
        name="hints",
        shape=MapOf(item=LINE),
        doc="reason → one line on the way out",
        example={"auth_required": "run: acme login"},
        default="`{}`",
    ),
    _names(
        "selfEnv", "variables that are set when we run inside this very tool", ["ACME_AGENT"], shape=ENV_NAME
    ),
    _names(
        "envPassthrough", "variables it needs under `env_policy: minimal`", ["ACME_API_KEY"], shape=ENV_NAME
    ),
    _names(
        "agentConfig", "repository paths that configure this tool: left out of a copy", [".acme", "ACME.md"]
    ),
)
LANE_NAMES = tuple(item.name for item in LANE_FIELDS)
