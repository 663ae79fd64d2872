"""The frozen types of a capability manifest.

A value of these types was either checked by `manifest.decode`, or ships with msd and was checked in
the tests; nothing behind this module looks at a manifest's JSON again, except `trust.disclosure`,
which reads the raw value on purpose (it must show what validation would refuse).
Names follow capability.json in snake case; absent optional fields hold None, "" or ().
Named tuples, always made by keyword: every start defines these types and makes hundreds of values, which
frozen data classes do three times as slowly.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

Role = Literal["feature", "runtime", "reviewer"]
Tier = Literal["core", "standard", "full"]
Transport = Literal["spawn", "openai-http"]
PromptChannel = Literal["stdin", "argv", "argv-file-ref", "none"]
OutputChannel = Literal["stdout", "file-arg"]
OutputFormat = Literal["text", "json", "json-lines"]
EffortChannel = Literal["none", "argv", "env"]
Posture = Literal["read-only", "unrestricted"]
EmptyOutput = Literal["stub-with-stderr", "handler-owned"]
EvidenceClass = Literal["source-grounded", "diff-only"]
ModelDiscovery = Literal["none", "first-from-models-endpoint"]
ConfigType = Literal["boolean", "string", "number", "enum"]
JsonScalar = str | int | float | bool | None


class CommandExists(NamedTuple):
    """Probe: the binary can be found."""

    binary: str


class CommandCapability(NamedTuple):
    """Probe: `<binary> --help`, bounded, mentions the needle."""

    binary: str
    needle: str
    timeout_ms: int


class HttpReachable(NamedTuple):
    """Probe: a bounded GET of `<host><path>` is answered."""

    host_config_key: str
    path: str
    timeout_ms: int


Probe = CommandExists | CommandCapability | HttpReachable


class Where(NamedTuple):
    """A condition on one JSON value: every pointer holds exactly the given scalar (all must match)."""

    equals: Mapping[str, JsonScalar]


class TextSelector(NamedTuple):
    """Where the review's text is; `all` joins every match with a newline, `last` takes the last."""

    where: Where | None
    pointer: str
    take: Literal["all", "last"]


class ErrorSelector(NamedTuple):
    """Where a failure announces itself; `message` and `status` are pointers (status may be absent)."""

    where: Where | None
    message: str | None
    status: str | None


class UsageSelector(NamedTuple):
    """Where token counts and cost are; all pointers optional."""

    where: Where | None
    input_tokens: str | None
    output_tokens: str | None
    cost_usd: str | None


class ModelSelector(NamedTuple):
    """Where the tool says which model answered."""

    where: Where | None
    pointer: str


class OutputMap(NamedTuple):
    """How a tool's JSON output is read: pointers and equality, no code."""

    done: Where | None
    text: tuple[TextSelector, ...]
    error: tuple[ErrorSelector, ...]
    usage: UsageSelector | None
    model: ModelSelector | None


class SpawnInvoke(NamedTuple):
    """How an external command is called; `args` is a template (five placeholders)."""

    binary: str
    args: tuple[str, ...]
    prompt_channel: PromptChannel
    output_channel: OutputChannel
    output_arg: str | None = None
    output_format: OutputFormat = "text"
    output_map: OutputMap | None = None
    model_arg: str | None = None
    effort_channel: EffortChannel = "none"
    effort_args: tuple[str, ...] = ()
    env: Mapping[str, str] = MappingProxyType({})
    pin_env: tuple[str, ...] = ()
    posture: Posture = "unrestricted"


class HttpInvoke(NamedTuple):
    """How an OpenAI-compatible server is called."""

    host_config_key: str
    path: str
    model_discovery: ModelDiscovery
    default_host: str | None = None
    fallback_model: str | None = None


class Lane(NamedTuple):
    """A reviewer lane: one external reviewer, declared as data."""

    slug: str
    flags: tuple[str, ...]  # the first is canonical
    transport: Transport
    probe: Probe
    invoke: SpawnInvoke | HttpInvoke
    timeout_floor_ms: int
    empty_output: EmptyOutput
    reviews_section: str  # without a trailing word "Review"
    evidence_class: EvidenceClass
    requires_binaries: tuple[str, ...] = ()
    prompt_budget_key: str | None = None
    model_config_key: str | None = None
    timeout_config_key: str | None = None
    effort_config_key: str | None = None
    default_effort: str | None = None
    idle_timeout_ms: int | None = None
    provider: str | None = None
    install_hint: str | None = None
    hints: Mapping[str, str] = MappingProxyType({})  # reason → one line
    self_env: tuple[str, ...] = ()
    env_passthrough: tuple[str, ...] = ()
    agent_config: tuple[str, ...] = ()
    handler: str | None = None


class ConfigKey(NamedTuple):
    """One key of a capability's federated config slice."""

    key: str
    type: ConfigType
    default: str | int | float | bool
    description: str
    values: tuple[str, ...] = ()


class Artifact(NamedTuple):
    """One place a host reads skills, commands or agents from."""

    kind: Literal["skills", "commands", "agents"]
    dest_subpath: str
    prefix: str
    nesting: Literal["flat", "nested"]
    recursive: bool
    converter: str | None


class ConfigHome(NamedTuple):
    """Where a host keeps its configuration."""

    kind: Literal["dot-home", "dot-home-nested", "xdg", "generic-agents-root"]
    name: str
    parent: str | None = None
    env: tuple[str, ...] = ()
    probe: tuple[str, ...] = ()
    probe_exists: str | None = None
    skills_home: str | None = None


class RuntimeBody(NamedTuple):
    """A host that msd's commands can be installed into; a closed vocabulary."""

    config_home: ConfigHome
    local_config_dir: str
    config_format: str
    artifacts_global: tuple[Artifact, ...]
    artifacts_local: tuple[Artifact, ...]
    command_style: str
    hooks_surface: str
    sandbox_tier: str
    support_tier: int
    install_surface: str
    writes_shared_settings: bool
    permission_writer: str | None
    extended_hook_events: tuple[str, ...]
    host_behaviors: Mapping[str, Any]


class Fragment(NamedTuple):
    """Prose that a step or contribution carries: a file of the capability, or inline."""

    path: str | None
    inline: str | None


class Step(NamedTuple):
    """An action at a loop point."""

    point: str
    ref_kind: Literal["skill", "agent", "command"]
    ref: str
    produces: tuple[str, ...]
    consumes: tuple[str, ...]
    on_error: Literal["skip", "halt"]
    when: str | None = None
    fragment: Fragment | None = None
    supports_reviewer_lanes: bool = False


class Contribution(NamedTuple):
    """Prose that goes into one agent's instructions at a loop point."""

    point: str
    into: str
    produces: tuple[str, ...]
    consumes: tuple[str, ...]
    fragment: Fragment
    when: str | None = None


class Gate(NamedTuple):
    """A check at a loop point."""

    point: str
    check_kind: Literal["query", "predicate", "agentVerdict"]
    check: Any
    blocking: bool
    on_error: Literal["skip", "halt"]
    when: str | None = None


class FeatureBody(NamedTuple):
    """What a `feature` capability contributes to the loop."""

    skills: tuple[str, ...]
    agents: tuple[str, ...]
    steps: tuple[Step, ...]
    contributions: tuple[Contribution, ...]
    gates: tuple[Gate, ...]
    supported_runtimes: tuple[str, ...]
    unsupported_runtimes: tuple[str, ...]
    activation_key: str | None


class Manifest(NamedTuple):
    """One capability, whole."""

    id: str
    role: Role
    version: str
    title: str
    description: str
    tier: Tier
    requires: tuple[str, ...]
    engines_range: str | None = None
    compat_versions: Mapping[str, str] = MappingProxyType({})
    config: tuple[ConfigKey, ...] = ()
    reviewer: Lane | None = None
    runtime: RuntimeBody | None = None
    feature: FeatureBody | None = None
