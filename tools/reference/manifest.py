"""docs/reference/manifest.md, from the tables that validation walks."""

import json
from collections.abc import Iterator

from msd_review.manifest import check_feature, fields_body, fields_feature, fields_lane, fields_output
from msd_review.manifest import vocabulary as words
from msd_review.manifest.messages import TEMPLATES
from msd_review.manifest.problems import CODES, WARNING_CODES, quoted
from msd_review.manifest.shapes import Field, ListOf, ObjectOf, Shape, expected
from reference.markdown import cell as _cell

_HEAD = """\
# The capability manifest

`capability.json` declares one capability: a reviewer lane, a host (`runtime`) or a `feature` of the loop.
`msd capability new ID` writes one to start from, `msd capability validate PATH` checks it. Let an editor help you:
`msd capability schema > capability.schema.json` writes the JSON Schema that the manifest names as
`"$schema": "./capability.schema.json"`; `new` does both. How to go on: [Ship a reviewer lane](../how-to/ship-a-reviewer-lane.md).

This page is generated from the tables that validation walks. A field that is not listed here is ignored,
with a warning.
"""

_SECTIONS: tuple[tuple[str, str, tuple[Field, ...]], ...] = (
    ("Envelope", "Fields of every manifest.", (*fields_body.ENVELOPE_FIELDS, fields_body.RUNTIME_COMPAT)),
    ("`reviewer`", "A lane: roles `reviewer` and `runtime`.", fields_lane.LANE_FIELDS),
    (
        "`reviewer.probe`",
        "`command-exists` has `binary`; `command-capability` has `binary`, `needle`, `timeoutMs`; `http-reachable`"
        " has `hostConfigKey` (the lane's own), `path`, `timeoutMs`.",
        fields_lane.ALL_PROBE_FIELDS,
    ),
    ("`reviewer.invoke`, transport `spawn`", "A command that is started.", fields_lane.SPAWN_FIELDS),
    ("`reviewer.invoke.outputMap`", "How a tool's JSON is read.", fields_output.OUTPUT_MAP.fields),
    ("`reviewer.invoke`, transport `openai-http`", "A server that is asked.", fields_lane.HTTP_FIELDS),
    ("`config`", "Key → what may be set; any role. A key has one owner.", fields_body.CONFIG_FIELDS),
    (
        "Features",
        "Fields of role `feature`, beside `runtimeCompat`.",
        (check_feature.SKILLS, check_feature.AGENTS, *check_feature.FEATURE_LISTS, check_feature.ACTIVATION),
    ),
    ("`steps[]`", "An action at a loop point.", fields_feature.STEP_FIELDS),
    ("`contributions[]`", "Prose for one agent at a loop point.", fields_feature.CONTRIBUTION_FIELDS),
    ("`gates[]`", "A check at a loop point.", fields_feature.GATE_FIELDS),
    ("`fragment`", "Exactly one of the two.", fields_feature.FRAGMENT_FIELDS),
    ("`hooks[]`", "Disclosed; run by the host, never by msd.", fields_body.HOOK_FIELDS),
    ("`commands[]`", "Disclosed; never run by msd.", fields_body.COMMAND_FIELDS),
    (
        "`mcpServers`",
        "Name → server, with either `command` or `url`; disclosed, never run.",
        fields_body.MCP_FIELDS,
    ),
    ("`runtime`", "A host; role `runtime`.", fields_feature.RUNTIME_FIELDS),
    ("`runtime.configHome`", "Where the host keeps its configuration.", fields_feature.CONFIG_HOME_FIELDS),
    (
        "`runtime.artifactLayout.global[]` and `.local[]`",
        "What is put where.",
        fields_feature.ARTIFACT_FIELDS,
    ),
)


def _type(shape: Shape) -> str:
    if isinstance(shape, ListOf) and not isinstance(shape.item, ObjectOf):
        return f"array, each {expected(shape.item)}"
    return expected(shape)


def _row(item: Field) -> str:
    need = "yes" if item.required else item.default or "no"
    kind = _type(item.shape) + (", or null" if item.nullable else "")
    example = json.dumps(item.example, ensure_ascii=False)
    return f"| `{item.name}` | {_cell(kind)} | {need} | {_cell(item.doc)} | `{_cell(example)}` |"


def _section(title: str, intro: str, fields: tuple[Field, ...]) -> Iterator[str]:
    yield f"\n## {title}\n"
    yield intro + "\n"
    yield "| field | value | required, or default | what it is for | example |"
    yield "|---|---|---|---|---|"
    yield from map(_row, fields)


def _lists() -> Iterator[str]:
    yield "\n## Closed lists\n"
    yield f"- placeholders of `args`: {quoted(words.PLACEHOLDERS)}; inside `effortArgs`: `{words.LEVEL_PLACEHOLDER}`"
    yield f"- loop points: {quoted(words.LOOP_POINTS)}"
    for stage, targets in words.CONTRIBUTION_TARGETS.items():
        yield f"- who a contribution at `{stage}` speaks to: {quoted(targets)}"
    for handler, transports in words.HANDLER_TRANSPORTS.items():
        yield f"- handler `{handler}`: {quoted(transports)} lanes"
    yield f"- variables that a lane may not set, compared without case: {quoted(words.DENIED_ENV)},"
    prefixes = [f"{prefix}*" for prefix in words.DENIED_ENV_PREFIXES]
    suffixes = [f"*{suffix}" for suffix in words.DENIED_ENV_SUFFIXES]
    yield f"  {quoted((*prefixes, *suffixes))}"
    yield f"- flags that no lane may claim: {quoted(words.RESERVED_FLAGS)}"
    yield f"- beginnings of ids that are kept for msd: {quoted(words.RESERVED_ID_PREFIXES)}"
    yield f"- configuration keys that no capability may own: {quoted(words.CENTRAL_CONFIG_KEYS)},"
    yield f"  {quoted(f'{family}*' for family in words.CENTRAL_CONFIG_FAMILIES)}"


def _codes() -> Iterator[str]:
    yield "\n## Codes\n"
    yield "What `validate --json`, an install and a load name a violation by; (w) is a warning.\n"
    yield "| code | what is said |"
    yield "|---|---|"
    for code in sorted(CODES):
        said = [
            template.message.format_map(_Blank()) for template in TEMPLATES.values() if template.code == code
        ]
        mark = " (w)" if code in WARNING_CODES else ""
        yield f"| `{code}`{mark} | {_cell('; '.join(said)) or 'a field is missing or has a wrong value'} |"


class _Blank(dict[str, str]):
    """Leaves every `{name}` of a template as `…`."""

    def __missing__(self, name: str) -> str:
        return "…"


def page() -> str:
    """The whole page."""
    sections = [line for section in _SECTIONS for line in _section(*section)]
    return "\n".join([_HEAD.rstrip(), *sections, *_lists(), *_codes()]) + "\n"
