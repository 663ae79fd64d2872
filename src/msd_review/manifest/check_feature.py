"""The body of a feature, and the parts of it that any manifest may carry, checked."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msd_review.manifest import fields_body, fields_feature
from msd_review.manifest import vocabulary as words
from msd_review.manifest.fields_body import ENVELOPE_CODES
from msd_review.manifest.fields_lane import CONFIG_KEY, LINE
from msd_review.manifest.loop_order import find_cycle
from msd_review.manifest.messages import say
from msd_review.manifest.problems import plain, pointer, quoted, shown
from msd_review.manifest.scalars import is_text
from msd_review.manifest.shapes import (
    Choice,
    Field,
    ListOf,
    ObjectOf,
    Report,
    Shape,
    Spot,
    check_field,
    check_object,
    report_unknown,
)

IsDeclared = Callable[[str], bool]


def _list_field(name: str, item: Shape, code: str, *, example: object, required: bool = False) -> Field:
    return Field(
        name=name,
        shape=ListOf(item=item),
        required=required,
        doc=f"the {name} that it brings",
        example=[example],
        code=code,
    )


_ANY_OBJECT = ObjectOf(fields=(), open=True)
_HOOK_EXAMPLE, _COMMAND_EXAMPLE, _STEP_EXAMPLE, _CONTRIBUTION_EXAMPLE, _GATE_EXAMPLE = (
    {item.name: item.example for item in table if item.required}
    for table in (
        fields_body.HOOK_FIELDS,
        fields_body.COMMAND_FIELDS,
        fields_feature.STEP_FIELDS,
        fields_feature.CONTRIBUTION_FIELDS,
        fields_feature.GATE_FIELDS,
    )
)
SKILLS = _list_field("skills", fields_body.STEMS.item, "feature.list", example="review", required=True)
AGENTS = _list_field("agents", fields_body.STEMS.item, "feature.list", example="reviewer", required=True)
_HOOKS = _list_field("hooks", _ANY_OBJECT, "feature.hook", example=_HOOK_EXAMPLE)
_COMMANDS = _list_field("commands", _ANY_OBJECT, "feature.command", example=_COMMAND_EXAMPLE)
_STEPS = _list_field("steps", _ANY_OBJECT, "feature.list", example=_STEP_EXAMPLE)
_CONTRIBUTIONS = _list_field("contributions", _ANY_OBJECT, "feature.list", example=_CONTRIBUTION_EXAMPLE)
_GATES = _list_field("gates", _ANY_OBJECT, "feature.list", example=_GATE_EXAMPLE)
FEATURE_LISTS = (_STEPS, _CONTRIBUTIONS, _GATES, _HOOKS, _COMMANDS)
ACTIVATION = Field(
    name="activationKey",
    shape=CONFIG_KEY,
    doc="the key of its own that switches the whole feature on",
    example="workflow.code_review",
)
_MCP_SERVERS = Field(
    name="mcpServers",
    shape=_ANY_OBJECT,
    doc="name → server; disclosed, never run by this product",
    example={"acme": {"command": "acme-mcp"}},
)


def check_feature(manifest: Mapping[str, Any], is_declared: IsDeclared, report: Report) -> None:
    """Every violation of a feature's own fields; `is_declared` knows the configuration keys."""
    check_object((SKILLS, AGENTS), manifest, _spot(SKILLS, "", report))
    _check_reserved(manifest, report)
    context = (manifest, is_declared, report)
    for item, check in ((_STEPS, _check_step), (_CONTRIBUTIONS, _check_contribution), (_GATES, _check_gate)):
        for entry, at in _entries(item, manifest, report):
            check(entry, at, context)
    _check_activation(manifest, is_declared, report)
    _check_order(manifest, report)


def check_surfaces(manifest: Mapping[str, Any], report: Report) -> None:
    """Every violation of hooks, commands and MCP servers: what a host would run."""
    for hook, at in _entries(_HOOKS, manifest, report):
        check_object(fields_body.HOOK_FIELDS, hook, _spot(_HOOKS, at, report))
    for command, at in _entries(_COMMANDS, manifest, report):
        _check_command(command, at, report)
    _check_servers(manifest, report)


_Context = tuple[Mapping[str, Any], IsDeclared, Report]


def _spot(item: Field, at: str, report: Report) -> Spot:
    return Spot(item, item.name, at, ENVELOPE_CODES, report)


def _entries(
    item: Field, manifest: Mapping[str, Any], report: Report
) -> Iterator[tuple[dict[str, Any], str]]:
    """The objects of an array that a manifest has, with their pointers; what is no object is reported."""
    if item.name not in manifest:
        return
    entries = manifest[item.name]
    check_field(item, entries, _spot(item, f"/{item.name}", report))
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict):
            yield entry, f"/{item.name}/{index}"


def _check_reserved(manifest: Mapping[str, Any], report: Report) -> None:
    for name in ("skills", "agents"):
        entries = manifest.get(name)
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, str) and entry in words.RESERVED_JS_NAMES:
                report(say("reserved name", f"/{name}/{index}", code="feature.list", name=entry))


def _table(fields: tuple[Field, ...], entry: dict[str, Any], at: str, report: Report) -> None:
    spot = _spot(fields[0], at, report)
    check_object(fields, entry, spot)
    report_unknown(tuple(item.name for item in fields), entry, spot)


def _check_step(step: dict[str, Any], at: str, context: _Context) -> None:
    manifest, is_declared, report = context
    _table(fields_feature.STEP_FIELDS, step, at, report)
    _check_ref(step.get("ref"), f"{at}/ref", manifest, report=report)
    _check_when(step, at, is_declared, report=report)
    _check_fragment(step.get("fragment"), f"{at}/fragment", report)
    trait = step.get("supportsReviewerLanes", True)
    if not isinstance(trait, bool):
        report(say("trait", f"{at}/supportsReviewerLanes", found=shown(trait)))


def _check_contribution(contribution: dict[str, Any], at: str, context: _Context) -> None:
    _, is_declared, report = context
    _table(fields_feature.CONTRIBUTION_FIELDS, contribution, at, report)
    _check_into(contribution, at, report)
    _check_when(contribution, at, is_declared, report=report)
    _check_fragment(contribution.get("fragment"), f"{at}/fragment", report)


def _check_gate(gate: dict[str, Any], at: str, context: _Context) -> None:
    _, is_declared, report = context
    _table(fields_feature.GATE_FIELDS, gate, at, report)
    _check_when(gate, at, is_declared, report=report)
    check = gate.get("check")
    if not isinstance(check, dict):
        return
    named = [name for name in words.GATE_CHECKS if name in check]
    if len(named) != 1 or len(check) != 1 or check[named[0]] in (None, ""):
        report(say("check count", f"{at}/check", found=_count_hint(check)))
    if "agentVerdict" in check and gate.get("blocking") is True:
        report(say("verdict blocks", f"{at}/blocking"))


def _count_hint(entry: Mapping[str, Any]) -> str:
    return f"here: {quoted(sorted(entry))}" if entry else "here: none"


def _check_ref(ref: object, at: str, manifest: Mapping[str, Any], *, report: Report) -> None:
    if not isinstance(ref, dict):
        return
    named = [name for name in words.STEP_REFS if name in ref]
    if len(named) != 1 or len(ref) != 1:
        report(say("ref count", at, found=_count_hint(ref)))
        return
    kind, target = named[0], ref[named[0]]
    if not is_text(target) or not target.strip():
        item = Field(name=kind, shape=LINE, doc=f"the {kind}'s name", example="review", code="feature.ref")
        _spot(item, f"{at}/{kind}", report).wrong(item.shape, target, "value")
    elif kind == "skill" and target.startswith("msd-"):
        report(say("ref foreign", f"{at}/{kind}", found=shown(target)))
    elif kind != "command" and not _declares(manifest.get(f"{kind}s"), target):
        report(say("ref undeclared", f"{at}/{kind}", kind=kind, found=shown(target)))


def _declares(names: object, target: str) -> bool:
    return isinstance(names, list) and target in names


def _check_when(entry: Mapping[str, Any], at: str, is_declared: IsDeclared, *, report: Report) -> None:
    when = entry.get("when")
    if is_text(when) and isinstance(when, str) and when.strip() and not is_declared(when):
        report(say("when undeclared", f"{at}/when", found=shown(when)))


def _check_into(contribution: Mapping[str, Any], at: str, report: Report) -> None:
    point, into = contribution.get("point"), contribution.get("into")
    if not isinstance(point, str) or point not in words.LOOP_POINTS or not is_text(into):
        return
    allowed = words.CONTRIBUTION_TARGETS[point.split(":")[0]]
    if into not in allowed:
        spot = f"{at}/into"
        found = Choice(allowed)
        report(say("into", spot, expected=_one_of(found), point=point, found=shown(into)))


def _one_of(choice: Choice) -> str:
    names = quoted(map(str, choice.values))
    return names if len(choice.values) == 1 else f"one of {names}"


def is_inside(path: str) -> bool:
    """Whether a fragment's path is relative and stays below its folder, on every platform."""
    if not path.isprintable() or "\\" in path or ":" in path:
        return False
    return all(part not in {"", ".", ".."} for part in path.split("/"))


def _check_fragment(fragment: object, at: str, report: Report) -> None:
    if not isinstance(fragment, dict):
        return
    named = [name for name in ("path", "inline") if name in fragment]
    if len(named) != 1:
        report(say("fragment count", at, found=_count_hint(fragment)))
    path = fragment.get("path")
    if is_text(path) and isinstance(path, str) and path.strip() and not is_inside(path):
        report(say("fragment path", f"{at}/path", found=shown(path)))


def _check_command(command: dict[str, Any], at: str, report: Report) -> None:
    check_object(fields_body.COMMAND_FIELDS, command, _spot(_COMMANDS, at, report))
    for name in ("family", "router"):
        value = command.get(name)
        if isinstance(value, str) and value in words.RESERVED_JS_NAMES:
            report(say("reserved name", f"{at}/{name}", code="feature.command", name=plain(value)))


def _check_servers(manifest: Mapping[str, Any], report: Report) -> None:
    if "mcpServers" not in manifest:
        return
    servers = manifest["mcpServers"]
    spot = _spot(_MCP_SERVERS, "/mcpServers", report)
    if not isinstance(servers, dict):
        spot.wrong(_MCP_SERVERS.shape, servers, "type")
        return
    for name in sorted(servers):
        _check_server(
            name, servers[name], spot.below(f"mcpServers.{plain(name)}", pointer("/mcpServers", name))
        )


def _check_server(name: str, server: object, spot: Spot) -> None:
    shape = ObjectOf(fields=(), rule="an object with either `command` or `url`")
    if name in words.RESERVED_JS_NAMES:
        spot.report(say("reserved name", spot.at, code="envelope.value", name=name))
    if not isinstance(server, dict):
        spot.wrong(shape, server, "type")
        return
    if ("command" in server) == ("url" in server):
        spot.wrong(shape, server, "value")
    check_object(fields_body.MCP_FIELDS, server, spot)


def _check_activation(manifest: Mapping[str, Any], is_declared: IsDeclared, report: Report) -> None:
    if "activationKey" not in manifest:
        return
    key = manifest["activationKey"]
    config = manifest.get("config")
    if not isinstance(key, str) or not isinstance(config, dict) or key not in config:
        report(say("activation", "/activationKey", found=shown(key)))


def _check_order(manifest: Mapping[str, Any], report: Report) -> None:
    steps = manifest.get("steps")
    for point, circle in find_cycle(steps if isinstance(steps, list) else []):
        report(say("feature cycle", "/steps", point=point, circle=circle))


RUNTIME = Field(
    name="runtime",
    shape=ObjectOf(fields=fields_feature.RUNTIME_FIELDS, codes=fields_body.RUNTIME_CODES),
    doc="the host that msd's commands can be installed into",
    example={},
    code=None,
)


def check_runtime(body: object, report: Report) -> None:
    """Every violation of a runtime body, a closed vocabulary."""
    spot = Spot(RUNTIME, "runtime", "/runtime", fields_body.RUNTIME_CODES, report)
    if not isinstance(body, dict):
        spot.wrong(RUNTIME.shape, body, "type")
        return
    check_field(RUNTIME, body, spot)
    behaviors = body.get("hostBehaviors")
    if isinstance(behaviors, dict) and behaviors.get("reviewerCli") is True:
        report(say("runtime alias", "/runtime/hostBehaviors/reviewerCli"))
