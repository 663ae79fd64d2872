"""Every violation of one manifest, in one pass and in a stable order; never raises on any JSON value.

What other capabilities declare is not known here: the rules that join several manifests are in
`manifest.merged`.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from msd_review.manifest import fields_body
from msd_review.manifest import vocabulary as words
from msd_review.manifest.check_config import check_config, is_central
from msd_review.manifest.check_feature import check_feature, check_runtime, check_surfaces
from msd_review.manifest.check_lane import check_lane
from msd_review.manifest.engines import is_range
from msd_review.manifest.fields_body import ENVELOPE_CODES
from msd_review.manifest.messages import say
from msd_review.manifest.problems import Problem, plain, pointer, shown
from msd_review.manifest.shapes import ObjectOf, Report, Spot, check_field, check_object, report_unknown

_BODY_OF_ROLE = {
    "runtime": ("runtime", "what kind of host it is"),
    "reviewer": ("reviewer", "how its lane is called"),
}
_WHY_FORBIDDEN = {
    "feature": "a feature surfaces in other hosts; a lane of its own makes it another role",
    "runtime": "a runtime contributes no steps; put them into a feature of their own",
    "reviewer": "a reviewer contributes nothing but its lane and its configuration",
}
_KNOWN = (
    *(item.name for item in fields_body.ENVELOPE_FIELDS),
    *fields_body.BODY_FIELDS,
    *fields_body.INFORMATION_FIELDS,
)
_KEY_FIELDS = ("promptBudgetKey", "modelConfigKey", "timeoutConfigKey", "effortConfigKey")


def check(
    value: object,
    *,
    folder: str | None = None,
    third_party: bool = True,
    known_keys: Collection[str] = (),
) -> tuple[Problem, ...]:
    """Every violation of a manifest, errors and warnings, in the order of the contract's tables.

    `folder` is the name of the folder it lies in, where it lies in one. `third_party` refuses the ids
    that are kept for msd's own capabilities. `known_keys` are configuration keys that others declare.
    """
    if not isinstance(value, dict):
        return (say("not object", "", found=shown(value)),)
    problems: list[Problem] = []
    report = problems.append
    _check_envelope(value, folder, report)
    if third_party:
        _check_reserved_id(value.get("id"), report)
    _check_role(value, report)
    if "config" in value:
        check_config(value["config"], report)
    _check_bodies(value, _declared(value, known_keys), report)
    _check_lane_keys(value, known_keys, report)
    check_surfaces(value, report)
    report_unknown(_KNOWN, value, _spot(report))
    return tuple(problems)


def _spot(report: Report) -> Spot:
    return Spot(fields_body.ID, "", "", ENVELOPE_CODES, report)


def _declared(value: Mapping[str, Any], known_keys: Collection[str]) -> Callable[[str], bool]:
    config = value.get("config")
    own = config if isinstance(config, dict) else {}
    return lambda key: key in own or key in known_keys or is_central(key)


def _check_envelope(value: dict[str, Any], folder: str | None, report: Report) -> None:
    check_object(fields_body.ENVELOPE_FIELDS, value, _spot(report))
    identity = value.get("id")
    if folder is not None and isinstance(identity, str) and identity != folder:
        report(say("id folder", "/id", id=shown(identity), folder=shown(folder)))
    if isinstance(identity, str) and identity in words.WINDOWS_NAMES:
        report(say("id windows", "/id", name=identity))
    if isinstance(identity, str) and identity in words.RESERVED_JS_NAMES:
        report(say("reserved name", "/id", code="envelope.id_reserved", name=identity))
    _check_ranges(value, report)


def _check_ranges(value: Mapping[str, Any], report: Report) -> None:
    engines, earlier = value.get("engines"), value.get("compatVersions")
    for name in ("msd", "gsd"):
        wanted = engines.get(name) if isinstance(engines, dict) else None
        if isinstance(wanted, str) and not is_range(wanted):
            report(say("engines range", f"/engines/{name}", name=f"engines.{name}", found=shown(wanted)))
    for version in sorted(earlier) if isinstance(earlier, dict) else ():
        wanted = earlier[version] if isinstance(earlier, dict) else None
        if isinstance(wanted, str) and wanted.strip() and not is_range(wanted):
            name = f"compatVersions.{plain(version)}"
            report(say("engines range", pointer("/compatVersions", version), name=name, found=shown(wanted)))


def reserved_prefix(identity: str) -> str | None:
    """The reserved beginning that an id has, compared without case, or None."""
    lower = identity.lower()
    return next((prefix for prefix in words.RESERVED_ID_PREFIXES if lower.startswith(prefix)), None)


def _check_reserved_id(identity: object, report: Report) -> None:
    prefix = reserved_prefix(identity) if isinstance(identity, str) else None
    if prefix is not None:
        report(say("id prefix", "/id", prefix=prefix))


def _check_role(value: Mapping[str, Any], report: Report) -> None:
    role = value.get("role")
    if not isinstance(role, str) or role not in words.ROLES:
        return
    for name in _forbidden(role):
        if name in value:
            report(say("role forbidden", f"/{name}", name=name, role=role, why=_WHY_FORBIDDEN[role]))
    needed = _BODY_OF_ROLE.get(role)
    if needed is not None and needed[0] not in value:
        report(say("role body", f"/{needed[0]}", role=role, name=needed[0], why=f"it says {needed[1]}"))


def _forbidden(role: str) -> tuple[str, ...]:
    if role == "feature":
        return ("reviewer", "runtime")
    return words.FEATURE_ONLY_FIELDS if role == "runtime" else ("runtime", *words.FEATURE_ONLY_FIELDS)


def _check_bodies(value: dict[str, Any], is_declared: Callable[[str], bool], report: Report) -> None:
    role = value.get("role")
    if "runtimeCompat" in value or role == "feature":
        _check_compat(value, report)
    if "reviewer" in value and role != "feature":
        check_lane(value["reviewer"], report)
    if "runtime" in value and role in ("runtime", None):
        check_runtime(value["runtime"], report)
    if role == "feature":
        check_feature(value, is_declared, report)


def _check_compat(value: Mapping[str, Any], report: Report) -> None:
    item = fields_body.RUNTIME_COMPAT
    if "runtimeCompat" not in value:
        why = 'it names the hosts a feature surfaces in; ["*"] is all of them'
        report(say("missing", "/runtimeCompat", code="envelope.missing", name=item.name, why=why))
        return
    compat = value["runtimeCompat"]
    spot = Spot(item, item.name, "/runtimeCompat", ENVELOPE_CODES, report)
    check_field(item, compat, spot)
    supported = compat.get("supported") if isinstance(compat, dict) else None
    if isinstance(supported, list) and "*" in supported and supported != ["*"]:
        below = spot.below("supported", "/runtimeCompat/supported")
        below.wrong(ObjectOf(fields=(), rule='ids, or exactly ["*"]'), supported, "value")


def _check_lane_keys(value: Mapping[str, Any], known_keys: Collection[str], report: Report) -> None:
    """A key that a lane names and nobody declares cannot be set; every lane has a budget key."""
    lane = value.get("reviewer")
    if not isinstance(lane, dict) or value.get("role") == "feature":
        return
    invoke = lane.get("invoke")
    named = [(name, f"/reviewer/{name}", lane.get(name)) for name in _KEY_FIELDS]
    if isinstance(invoke, dict):
        named.append(("hostConfigKey", "/reviewer/invoke/hostConfigKey", invoke.get("hostConfigKey")))
    is_declared = _declared(value, known_keys)
    for name, at, key in named:
        if not isinstance(key, str) or not key.strip() or is_declared(key):
            continue
        if name != "promptBudgetKey" or not key.startswith(words.BUDGET_KEY_PREFIX):
            report(say("key undeclared", at, name=name, key=plain(key)))
