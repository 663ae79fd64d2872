"""Checks of paths and lines: does what a plan names exist, and does what it creates not.

A path that is not there is a fault only with evidence that the plan counts on it: it is read first, included, cited
with a line, or named in a sentence that says it is there. Without evidence it is a file that the plan will make.
"""

import re

from msd_review.grounding.claims_front import FileEntry
from msd_review.grounding.ground import Ground, held, unsure, wrong
from msd_review.grounding.locate import Location, in_known_folder, locate
from msd_review.grounding.model import Claim, Fault, Judged
from msd_review.grounding.nearest import is_close
from msd_review.grounding.paths import base_name
from msd_review.grounding.plan import Plan
from msd_review.lazy import regex
from msd_review.review.model import Severity

_PLACEHOLDER = regex(r"(?:^|/)(?:path|to|foo|bar|baz|example|examples?\.\w+|your[-_]?\w*|my[-_]\w+|some[-_]?\w*|x+|n+)(?:/|$)|\bNN\b|\bXX+\b|[<>{}*$]|\.\.\.|^\w+:|%", re.IGNORECASE)  # fmt: skip
_BUILT = regex(r"(?:^|/)(?:node_modules|dist|build|out|target|coverage|htmlcov|tmp|temp|\.next|\.nuxt|\.cache|__pycache__|vendor|logs?|\.git|site-packages|venv|\.venv)(?:/|$)")  # fmt: skip
# Left out of a throw-away copy on purpose, so that their absence says nothing.
_AGENT_FILES = regex(r"(?:^|/)(?:\.claude|\.opencode|\.qwen|\.gemini|\.codex|\.cursor|\.kimi[\w-]*|\.agents?)(?:/|$)|(?:^|/)(?:CLAUDE|AGENTS?|GEMINI|QWEN)(?:\.local)?\.md$|(?:^|/)(?:\.mcp\.json|opencode\.jsonc?|\.cursorrules|\.windsurfrules)$")  # fmt: skip
_DATA = regex(
    r"\.(?:json|jsonl|csv|tsv|txt|log|db|sqlite3?|html?|xml|svg|png|jpe?g|gif|pdf|env|lock|out|diff|patch|tar|gz|zip|md|snap)$",
    re.I,
)
_MAKES = regex(
    r"\b(?:add|creat|writ|introduc|implement|new|scaffold|generat|build|extract|split|mov|renam|port|cop(?:y|ies)|tests?\b|migration|stub|set up|provide|expose|produce)",
    re.I,
)
_SUMMARY = regex(
    r"(?:^|/)(?P<plan>(?:[\w.]+-)*?\d[\w.]*(?:-\d[\w.]*)?)(?:-[\w-]+)?-(?:SUMMARY|VERIFICATION|UAT|VALIDATION)\.md$",
    re.IGNORECASE,
)


def check_path(ground: Ground, claim: Claim) -> Judged:
    """Judges one path that a plan names."""
    path = claim.path or ""
    place = locate(ground.tree, path)
    if place.kind in {"outside", "private", "unusable"}:
        return unsure(
            claim, "outside the tree" if place.kind == "outside" else "a file that may hold secrets"
        )
    if place.is_there:
        return _there(ground, claim, place)
    if _PLACEHOLDER.search(path) or _BUILT.search(path):
        return unsure(claim, "a placeholder, or made by a build")
    if _AGENT_FILES.search(path):
        return unsure(claim, "agent configuration, which may be left out here")
    return _absent(ground, claim, place.path)


def _there(ground: Ground, claim: Claim, place: Location) -> Judged:
    creates = claim.mode == "creates" and claim.strict and place.kind == "exact"
    if not creates or claim.plan in ground.carried_out or _made_here(ground, claim):
        return held(claim)
    return wrong(claim, _creates_existing(claim, place.path))


def _made_here(ground: Ground, claim: Claim) -> bool:
    """Whether the same plan also speaks of changing the file: then "create" is said of something in it."""
    entries = ground.survey.entries.get(claim.plan, ())
    return any(entry.path == claim.path and entry.note == "changed" for entry in entries)


def _creates_existing(claim: Claim, path: str) -> Fault:
    return Fault(
        key=("creates", claim.plan, path),
        kind="creates-existing",
        severity=Severity.MEDIUM,
        title=f"`{path}` is to be created, and exists",
        body="Carried out as written, the step overwrites or duplicates what stands there.",
        spots=((claim.plan, claim.line),),
        places=(f"{path}:1",),
        suggestion=f"say what changes in `{path}`, or name a new file",
        files=(path,),
    )


def _absent(ground: Ground, claim: Claim, path: str) -> Judged:
    if path in ground.survey.made or _is_summary_of_a_plan(ground, path):
        return held(claim, "a plan makes it")
    if ground.survey.listed_before(path, claim.plan, claim.task):
        return held(claim, "made before")
    if ground.survey.is_listed(path) and claim.mode != "exists":
        return _taken_as_new(ground, claim, path)
    near = ground.nearest.to(path)
    if _is_evidence(ground, claim, path, near):
        return wrong(claim, _missing(ground, claim, path, near))
    return unsure(claim, f"not there, and the plan does not say that it is{_did_you_mean(near)}")


def _taken_as_new(ground: Ground, claim: Claim, path: str) -> Judged:
    near = ground.nearest.to(path)
    return unsure(claim, f"taken as a new file{_did_you_mean(near)}")


def _did_you_mean(near: str | None) -> str:
    return f" (nearest: `{near}`)" if near else ""


def _is_evidence(ground: Ground, claim: Claim, path: str, near: str | None) -> bool:
    close = near is not None and is_close(ground.tree, path, near)
    if claim.tag in {"include", "read_first"} or claim.kind == "lines" and claim.mode != "unsure":
        return True
    if "/" not in path or _DATA.search(path) and not path.startswith(".planning/"):
        return close and claim.mode in {"exists", "stated", "container"}
    if claim.mode in {"exists", "stated"}:
        return True
    return claim.mode in {"neutral", "container"} and close and in_known_folder(ground.tree, path)


def _is_summary_of_a_plan(ground: Ground, path: str) -> bool:
    """`NN-MM-SUMMARY.md` is written when its plan was carried out: it comes with any plan of that number."""
    match = _SUMMARY.search(path)
    if match is None:
        return False
    wanted = match["plan"].lower()
    names = [
        base_name(other).lower()
        for other in (*ground.tree.files, *(plan.name for plan in ground.survey.plans))
    ]
    return any(name.startswith(wanted + "-") and name.endswith("plan.md") for name in names)


def _missing(ground: Ground, claim: Claim, path: str, near: str | None) -> Fault:
    changed = claim.mode == "exists" and claim.tag in {"action", "", "objective"}
    renamed = ground.tree.current_name(path)
    truth = (
        f"it was renamed to `{renamed}`"
        if renamed
        else f"the nearest is `{near}`"
        if near
        else "nothing like it is there"
    )
    return Fault(
        key=("path", path),
        kind="missing-path",
        severity=Severity.HIGH if changed else Severity.MEDIUM,
        title=f"`{path}` does not exist",
        body="No plan of this review creates it, and the plan counts on it.",
        spots=((claim.plan, claim.line),),
        truth=truth,
        places=(f"{renamed or near}:1",) if renamed or near else (),
        suggestion=f"name `{renamed or near}`, or say that the file is new" if renamed or near else "",
        files=(path,),
    )


def check_lines(ground: Ground, claim: Claim) -> Judged:
    """Judges the lines that a plan cites: do the files that the path means have them?"""
    place = locate(ground.tree, claim.path or "")
    if not place.paths:
        if place.kind == "missing":
            return check_path(ground, claim)
        return unsure(claim, "not a file of the tree")
    counts = {path: count for path in place.paths if isinstance(count := ground.tree.line_count(path), int)}
    if not counts:
        return unsure(claim, "the file cannot be read")
    first, last = claim.first or 1, claim.last or claim.first or 1
    if any(first <= count and last <= count + 1 for count in counts.values()):
        return held(claim)
    path, count = max(counts.items(), key=lambda item: item[1])
    return wrong(claim, _beyond(claim, path, count))


def _beyond(claim: Claim, path: str, count: int) -> Fault:
    lines = f"{claim.first}-{claim.last}" if claim.last and claim.last != claim.first else f"{claim.first}"
    return Fault(
        key=("lines", path, lines),
        kind="line-beyond-end",
        severity=Severity.MEDIUM,
        title=f"`{claim.path}:{lines}` lies beyond the end of the file",
        body="Whoever follows the plan finds nothing there, so what it says about these lines is about something else.",
        spots=((claim.plan, claim.line),),
        truth=f"`{path}` has {count} line{'' if count == 1 else 's'}",
        places=(f"{path}:{max(1, count)}",),
        suggestion="cite the lines that are meant",
        files=(path,),
    )


def check_entries(ground: Ground, plan: Plan) -> list[Judged]:
    """Judges the plan's own file lists by what each entry's note says."""
    return [_entry(ground, plan, entry) for entry in ground.survey.entries.get(plan.name, ())]


def _makes_something(plan: Plan, task: int | None) -> bool:
    """Whether a task, or without one the whole plan, speaks of making anything."""
    said = [
        plan.said(segment)
        for segment in plan.segments
        if (task is None or segment.task == task) and segment.tag != "files"
    ]
    return any(_MAKES.search(text) for text in said) or not any(text.strip() for text in said)


def _entry(ground: Ground, plan: Plan, entry: FileEntry) -> Judged:
    mode = {"new": "creates", "changed": "exists"}.get(entry.note, "neutral")
    claim = Claim(kind="path", plan=plan.name, line=entry.line, text=entry.path, tag="files", task=entry.task, path=entry.path, strict=True,
                  mode="creates" if mode == "creates" else "exists" if mode == "exists" else "neutral")  # fmt: skip
    place = locate(ground.tree, entry.path)
    if claim.mode == "exists" or claim.mode == "creates" or place.is_there or place.kind != "missing":
        return check_path(ground, claim)
    if ground.survey.listed_before(place.path, plan.name, entry.task) or place.path in ground.survey.made:
        return held(claim, "a plan makes it")
    if _PLACEHOLDER.search(entry.path) or _BUILT.search(entry.path) or _AGENT_FILES.search(entry.path):
        return unsure(claim, "a placeholder, or made by a build")
    near = ground.nearest.to(place.path)
    if (
        near is not None
        and is_close(ground.tree, place.path, near)
        and not _makes_something(plan, entry.task)
    ):
        return wrong(claim, _missing(ground, claim, place.path, near))
    return _taken_as_new(ground, claim, place.path)
