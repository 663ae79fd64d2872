"""Writes an examination down as a review in Markdown, with the same findings as data at its end.

Bounded and inert: what comes from plans and paths is cut and stripped of what could open a heading, a fence, an HTML
comment or a mention; at most `MAX_CONCERNS` concerns are written out, and the rest is counted.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msd_review.grounding.examine import Examination
from msd_review.grounding.inert import plain as _plain
from msd_review.grounding.left_out import unsure_lines
from msd_review.grounding.model import Fault
from msd_review.review.model import Severity

MAX_CONCERNS = 200
_MAX_SPOTS = 6
_KINDS = {
    "path": "paths", "lines": "cited lines", "symbol": "names in code", "signature": "signatures", "command": "commands",
    "artifact": "promised artifacts", "link": "promised links", "dependency": "dependencies",
}  # fmt: skip


def review_text(found: Examination) -> str:
    """The whole review."""
    shown = found.faults[:MAX_CONCERNS]
    parts = [
        "## Summary\n" + _summary(found),
        "## Strengths\n" + _strengths(found),
        "## Concerns\n" + _concerns(found, shown),
        "## Suggestions\n" + _suggestions(shown),
        f"## Risk\nOverall risk: {_risk(found.faults).value.upper()}. This judges the plan's claims alone, not its ideas.",
        "## What was checked\n" + _bullets(_checked(found)),
        "## What could not be checked, and why\n"
        + (_bullets(_unchecked(found)) or "- Nothing was left out."),
        "```json\n" + _data(found, shown) + "\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _summary(found: Examination) -> str:
    names = ", ".join(f"`{_plain(plan.name)}`" for plan in found.plans if not plan.sibling) or "the text"
    total = len(found.judged)
    counts = Counter(fault.severity for fault in found.faults)
    rated = ", ".join(
        f"{counts[level]} {level.value}"
        for level in (Severity.HIGH, Severity.MEDIUM, Severity.LOW)
        if counts[level]
    )
    verdict = f"{_count(len(found.faults), 'concern')} ({rated})" if found.faults else "no concern"
    return (
        f"{_count(total, 'claim')} of {names} about the repository {'was' if total == 1 else 'were'} looked at mechanically, without a model: {verdict}. "
        "Only what can be decided by looking is judged here; whether the plan is a good idea is not."
    )


def _strengths(found: Examination) -> str:
    kept = Counter(item.claim.kind for item in found.judged if item.outcome == "held" and not item.why)
    lines = [
        f"{_count(number, 'mention')} of {_KINDS.get(kind, kind)} agree{'s' if number == 1 else ''} with the source."
        for kind, number in sorted(kept.items())
        if number
    ]
    return _bullets(lines) or "None that a mechanical check can see."


def _concerns(found: Examination, shown: Sequence[Fault]) -> str:
    if not shown:
        return "None."
    lines = [_concern(fault) for fault in shown]
    if len(found.faults) > len(shown):
        lines.append(f"\n{len(found.faults) - len(shown)} more concerns of these kinds are not written out.")
    return "\n".join(lines)


def _concern(fault: Fault) -> str:
    where = _where(fault)
    parts = [f"- **{fault.severity.value.upper()}**: {_plain(fault.title)}.", _plain(fault.body)]
    if where:
        parts.append(f"Stated in {where}.")
    if fault.truth:
        parts.append(f"In the source: {_plain(fault.truth)}.")
    if fault.places:
        parts.append("See " + ", ".join(f"`{_plain(place)}`" for place in fault.places[:3]) + ".")
    return " ".join(part for part in parts if part)


def _where(fault: Fault) -> str:
    spots = [f"`{_plain(plan)}:{line}`" for plan, line in fault.spots[:_MAX_SPOTS]]
    more = len(fault.spots) - len(spots)
    return ", ".join(spots) + (f" and {more} more" if more > 0 else "")


def _suggestions(shown: Sequence[Fault]) -> str:
    lines = [f"{_spot(fault)}{_plain(fault.suggestion)}." for fault in shown if fault.suggestion]
    return _bullets(dict.fromkeys(lines)) or "None."


def _spot(fault: Fault) -> str:
    return f"`{_plain(fault.spots[0][0])}:{fault.spots[0][1]}`: " if fault.spots else ""


def _risk(faults: Sequence[Fault]) -> Severity:
    return max((fault.severity for fault in faults), key=lambda level: level.rank, default=Severity.LOW)


def _checked(found: Examination) -> Iterator[str]:
    total, fine, wrong = Counter[str](), Counter[str](), Counter[str]()
    for item in found.judged:
        total[item.claim.kind] += 1
        fine[item.claim.kind] += item.outcome == "held"
        wrong[item.claim.kind] += item.outcome == "fault"
    for kind, number in total.items():
        left = number - fine[kind] - wrong[kind]
        yield f"{_KINDS.get(kind, kind)}: {number} looked at, {fine[kind]} hold, {wrong[kind]} do not, {left} could not be told"
    yield from found.structure


def _unchecked(found: Examination) -> Iterator[str]:
    yield from (_plain(why) for why in found.unchecked)
    cut = [plan.name for plan in found.plans if plan.cut]
    if cut:
        yield f"what is not in the text of {', '.join(f'`{_plain(name)}`' for name in cut)}: it was cut"
    yield from unsure_lines(
        [item for item in found.judged if item.outcome == "unsure" and not item.claim.bare]
    )
    yield "what the code does when it runs, and whether the steps reach the goal: nothing was run"


def _data(found: Examination, shown: Sequence[Fault]) -> str:
    findings = [
        {
            "severity": fault.severity.value,
            "title": _plain(fault.title),
            "body": " ".join(
                part
                for part in (
                    _plain(fault.body),
                    f"In the source: {_plain(fault.truth)}." if fault.truth else "",
                )
                if part
            ),
            "citations": [_plain(place) for place in fault.places[:3]]
            + [f"{_plain(plan)}:{line}" for plan, line in fault.spots[:3]],
            "suggestion": _plain(fault.suggestion) or None,
            "plan": _plain(fault.spots[0][0]) if fault.spots else None,
        }
        for fault in shown
    ]
    value = {
        "schema": "msd.findings/1",
        "overall_risk": _risk(found.faults).value,
        "strengths": [],
        "findings": findings,
    }
    return json.dumps(value, ensure_ascii=False).replace("`" * 3, "'" * 3)


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines if line)
