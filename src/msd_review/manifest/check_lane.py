"""A reviewer body, checked: its tables, and the rules that join two of its fields."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from msd_review.manifest import fields_lane as tables
from msd_review.manifest import vocabulary as words
from msd_review.manifest.build import section_title
from msd_review.manifest.fields_output import OUTPUT_MAP
from msd_review.manifest.messages import say
from msd_review.manifest.problems import plain, pointer, quoted, shown
from msd_review.manifest.scalars import is_text
from msd_review.manifest.shapes import (
    Choice,
    Field,
    ObjectOf,
    Report,
    Spot,
    advice,
    check_field,
    check_object,
    report_unknown,
    why,
)

_AT = "/reviewer"
_INVOKE = "/reviewer/invoke"
_PROBE = "/reviewer/probe"
_FIELDS = {item.name: item for item in tables.LANE_FIELDS}
_PLAIN_FIELDS = tuple(item for item in tables.LANE_FIELDS if item.name not in {"probe", "invoke"})


def check_lane(body: object, report: Report) -> None:
    """Every violation of a reviewer body; `{}` reports each required field."""
    item = Field(
        name="reviewer", shape=ObjectOf(fields=()), doc="the lane, an object", example={"slug": "acme"}
    )
    if not isinstance(body, dict):
        _spot(item, _AT, report).wrong(item.shape, body, "type")
        return
    check_object(_PLAIN_FIELDS, body, _spot(item, _AT, report))
    _check_slug(body.get("slug"), report)
    _check_flags(body, report)
    _check_section(body.get("reviewsSection"), report)
    _check_binaries(body, report)
    _check_probe(body, report)
    _check_invoke(body, report)
    _check_handler(body, report)
    report_unknown(tables.LANE_NAMES, body, _spot(item, _AT, report))


def _spot(item: Field, at: str, report: Report) -> Spot:
    return Spot(item, item.name, at, tables.LANE_CODES, report)


def _check_slug(slug: object, report: Report) -> None:
    if not isinstance(slug, str):
        return
    reason = None
    if slug in words.RESERVED_JS_NAMES:
        reason = "manifests are shared with JavaScript"
    elif slug in words.WINDOWS_NAMES:
        reason = "it is a device on Windows"
    if reason:
        report(say("slug reserved", f"{_AT}/slug", found=shown(slug), reason=reason))


def _check_flags(body: Mapping[str, Any], report: Report) -> None:
    flags = body.get("flags")
    if not isinstance(flags, list):
        return
    seen: set[str] = set()
    for index, flag in enumerate(flags):
        if not isinstance(flag, str):
            continue
        at = f"{_AT}/flags/{index}"
        if flag in seen:
            report(say("flag repeated", at, flag=plain(flag)))
        seen.add(flag)
        if flag in words.RESERVED_FLAGS:
            slug = body.get("slug")
            report(say("flag taken", at, flag=flag, slug=plain(slug) if isinstance(slug, str) else "acme"))


def _check_section(section: object, report: Report) -> None:
    if isinstance(section, str) and section.strip() and not section_title(section):
        spot = _spot(_FIELDS["reviewsSection"], f"{_AT}/reviewsSection", report)
        spot.wrong(spot.item.shape, section, "value")


def _is_lookup_name(binary: str) -> bool:
    if "/" not in binary and "\\" not in binary:
        return binary not in {".", ".."}
    return PurePosixPath(binary).is_absolute() or PureWindowsPath(binary).is_absolute()


def _check_binary(name: str, binary: object, at: str, *, report: Report, code: str = "") -> None:
    if is_text(binary) and isinstance(binary, str) and binary.strip() and not _is_lookup_name(binary):
        report(say("binary path", at, code=code, name=name, found=shown(binary)))


def _check_binaries(body: Mapping[str, Any], report: Report) -> None:
    needed = body.get("requiresBinaries")
    for index, binary in enumerate(needed if isinstance(needed, list) else ()):
        _check_binary(f"requiresBinaries[{index}]", binary, f"{_AT}/requiresBinaries/{index}", report=report)


def _object(body: Mapping[str, Any], name: str, report: Report) -> dict[str, Any] | None:
    item = _FIELDS[name]
    spot = _spot(item, f"{_AT}/{name}", report)
    if name not in body:
        report(say("missing", spot.at, code="lane.missing", name=name, why=why(item)))
        return None
    value = body[name]
    if not isinstance(value, dict):
        spot.wrong(item.shape, value, "type")
        return None
    return value


def _check_probe(body: Mapping[str, Any], report: Report) -> None:
    probe = _object(body, "probe", report)
    if probe is None:
        return
    spot = Spot(_FIELDS["probe"], "probe", _PROBE, tables.PROBE_CODES, report)
    kind = probe.get("kind")
    own = tables.PROBE_FIELDS.get(kind) if isinstance(kind, str) else None
    check_object((tables.PROBE_KIND, *(own or ())), probe, spot)
    if own is not None:
        _check_foreign_probe_fields(probe, str(kind), report)
    _check_binary("binary", probe.get("binary"), f"{_PROBE}/binary", report=report)
    _check_probe_host(body, probe, report)
    report_unknown(tuple(item.name for item in tables.ALL_PROBE_FIELDS), probe, spot)


def _check_foreign_probe_fields(probe: Mapping[str, Any], kind: str, report: Report) -> None:
    own = {item.name for item in tables.PROBE_FIELDS[kind]}
    for item in tables.ALL_PROBE_FIELDS[1:]:
        if item.name in probe and item.name not in own:
            others = quoted(name for name, fields in tables.PROBE_FIELDS.items() if item in fields)
            report(say("probe foreign", f"{_PROBE}/{item.name}", name=item.name, kind=kind, others=others))


def _check_probe_host(body: Mapping[str, Any], probe: Mapping[str, Any], report: Report) -> None:
    invoke = body.get("invoke")
    if probe.get("kind") != "http-reachable" or not isinstance(invoke, dict):
        return
    asked, own = probe.get("hostConfigKey"), invoke.get("hostConfigKey")
    if isinstance(asked, str) and asked != own:
        expected = shown(own) if isinstance(own, str) else "not given"
        report(say("probe host", f"{_PROBE}/hostConfigKey", found=shown(asked), expected=expected))


def _check_invoke(body: Mapping[str, Any], report: Report) -> None:
    invoke = _object(body, "invoke", report)
    if invoke is None:
        return
    transport = body.get("transport")
    spot = Spot(_FIELDS["invoke"], "invoke", _INVOKE, tables.LANE_CODES, report)
    if isinstance(transport, str) and transport in words.TRANSPORTS:
        check_object(tables.INVOKE_FIELDS[transport], invoke, spot)
        _check_mix(invoke, transport, report)
    else:
        _check_present(invoke, report)
    if transport == "openai-http":
        _check_http_effort(invoke, report)
    else:
        _check_spawn(invoke, report)
    report_unknown((*tables.SPAWN_ONLY, "effortChannel", *tables.HTTP_ONLY), invoke, spot)


def _check_mix(invoke: Mapping[str, Any], transport: str, report: Report) -> None:
    other = "openai-http" if transport == "spawn" else "spawn"
    for name in tables.HTTP_ONLY if transport == "spawn" else tables.SPAWN_ONLY:
        if name in invoke:
            at = f"{_INVOKE}/{name}"
            report(say("transport mix", at, name=name, other=other, transport=transport))


def _check_present(invoke: Mapping[str, Any], report: Report) -> None:
    """Without a transport no field is required, and those of both sides are told apart by name."""
    for item in (*tables.SPAWN_FIELDS, *tables.HTTP_FIELDS[:-1]):
        if item.name in invoke:
            check_field(item, invoke[item.name], _spot(item, f"{_INVOKE}/{item.name}", report))
    spawn = [name for name in tables.SPAWN_ONLY if name in invoke]
    http = [name for name in tables.HTTP_ONLY if name in invoke]
    if spawn and http:
        report(say("transport unclear", _INVOKE, spawn=quoted(spawn), http=quoted(http)))


def _check_http_effort(invoke: Mapping[str, Any], report: Report) -> None:
    effort = invoke.get("effortChannel")
    if effort in words.EFFORT_CHANNELS and effort != "none":
        spot = _spot(tables.EFFORT_CHANNEL, f"{_INVOKE}/effortChannel", report)
        spot.wrong(Choice(("none",)), effort, "choice")


def _check_spawn(invoke: Mapping[str, Any], report: Report) -> None:
    _check_binary("binary", invoke.get("binary"), f"{_INVOKE}/binary", report=report, code="lane.value")
    _check_output_arg(invoke, report)
    _check_output_map(invoke, report)
    _check_env(invoke, report)
    _check_placeholders(invoke, report)


def _check_output_arg(invoke: Mapping[str, Any], report: Report) -> None:
    channel = invoke.get("outputChannel")
    if channel == "file-arg" and "outputArg" not in invoke:
        report(say("output arg needed", f"{_INVOKE}/outputArg"))
    elif channel == "stdout" and "outputArg" in invoke:
        report(say("output arg idle", f"{_INVOKE}/outputArg"))


def _check_output_map(invoke: Mapping[str, Any], report: Report) -> None:
    form, mapping = invoke.get("outputFormat", "text"), invoke.get("outputMap")
    if form in ("json", "json-lines") and mapping is None:
        report(say("output map needed", f"{_INVOKE}/outputMap", format=form))
    elif form == "text" and mapping is not None:
        report(say("output map idle", f"{_INVOKE}/outputMap"))
    if isinstance(mapping, dict):
        _check_error_selectors(mapping.get("error"), report)


def _check_error_selectors(selectors: object, report: Report) -> None:
    """A selector with neither condition nor message would call every answer a failure."""
    for index, selector in enumerate(selectors if isinstance(selectors, list) else ()):
        if isinstance(selector, dict) and not selector.get("where") and selector.get("message") is None:
            name, at = f"error[{index}]", f"{_INVOKE}/outputMap/error/{index}"
            item = OUTPUT_MAP.fields[2]
            spot = Spot(item, name, at, tables.LANE_CODES, report)
            spot.wrong(ObjectOf(fields=(), rule="an object with `where` or `message`"), selector, "value")


def is_denied(name: str) -> bool:
    """Whether a variable may not be set by a lane: compared upper-cased, as Windows does."""
    upper = name.upper()
    return (
        upper in words.DENIED_ENV
        or upper.startswith(words.DENIED_ENV_PREFIXES)
        or upper.endswith(words.DENIED_ENV_SUFFIXES)
    )


def _check_env(invoke: Mapping[str, Any], report: Report) -> None:
    env, pinned = invoke.get("env"), invoke.get("pinEnv")
    for name in sorted(env) if isinstance(env, dict) else ():
        at = pointer(f"{_INVOKE}/env", name)
        if name in words.RESERVED_JS_NAMES[:1]:
            report(say("env name", at, found=shown(name)))
        elif is_denied(name):
            report(say("env denied", at, name=plain(name)))
    for index, name in enumerate(pinned if isinstance(pinned, list) else ()):
        if isinstance(name, str) and is_denied(name):
            report(say("env denied", f"{_INVOKE}/pinEnv/{index}", name=plain(name)))


def _check_placeholders(invoke: Mapping[str, Any], report: Report) -> None:
    args = invoke.get("args")
    if not isinstance(args, list):
        return
    at = f"{_INVOKE}/args"
    channel = invoke.get("promptChannel")
    if channel in ("argv", "argv-file-ref") and "{{prompt}}" not in args:
        reason = f"`promptChannel` is `{channel}`"
        report(say("placeholder needed", at, placeholder="{{prompt}}", reason=reason))
    if invoke.get("outputChannel") == "file-arg" and "{{output}}" not in args:
        report(
            say("placeholder needed", at, placeholder="{{output}}", reason="`outputChannel` is `file-arg`")
        )
    if isinstance(invoke.get("modelArg"), str) and "{{model}}" not in args:
        report(say("placeholder model", at))


def _check_handler(body: Mapping[str, Any], report: Report) -> None:
    handler, transport = body.get("handler"), body.get("transport")
    if not isinstance(handler, str):
        return
    allowed = words.HANDLER_TRANSPORTS.get(handler)
    at = f"{_AT}/handler"
    if allowed is None and re.fullmatch(words.HANDLER_PATTERN, handler):
        known = tuple(words.HANDLER_TRANSPORTS)
        report(say("handler unknown", at, name=plain(handler), advice=advice(handler, known)))
    elif allowed and transport in words.TRANSPORTS and transport not in allowed:
        report(say("handler transport", at, name=handler, transport=transport, transports=quoted(allowed)))
