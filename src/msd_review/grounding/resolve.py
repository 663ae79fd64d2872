"""Checks the citations of a review against the tree: does each place exist, and does what is said stand there?

Invariants
- Nothing is opened but through `Tree.read`; a path that leads elsewhere is `unchecked` and is not even looked at.
- A citation that cannot be judged is `unchecked` with why, never `verified`.
"""

import re
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from msd_review.edges import clock
from msd_review.grounding.claims_front import artifacts, file_entries
from msd_review.grounding.claims_prose import prose_claims
from msd_review.grounding.index import Tree
from msd_review.grounding.locate import Location, locate
from msd_review.grounding.numbers import PlanNumber, number_of, read_number
from msd_review.grounding.paths import base_name, is_private, read_path
from msd_review.grounding.plan import Plan, read_plan
from msd_review.grounding.quotes import WITHIN, quote_line
from msd_review.grounding.reading import Refused, real_place
from msd_review.grounding.symbols import Symbols
from msd_review.lazy import regex
from msd_review.prompt.model import PlanFile
from msd_review.review.model import Citation, CitationVerdict

MAX_CITATIONS = 20_000
MAX_SECONDS = 60.0
_QUOTED_LINES = 24
_QUOTED_WIDTH = 200
_SLACK = 2  # lines by which a range may end beyond the end of a file
_PLAN_NAME = regex(r"(?:.*/)?(?P<number>\d[\w.]*-\d+[a-z]?)(?:-[\w-]*)?(?:-?PLAN(?:\.md)?)?", re.IGNORECASE)

VERIFIED, MOVED, MISSING = CitationVerdict.VERIFIED, CitationVerdict.MOVED, CitationVerdict.MISSING
AMBIGUOUS, UNCHECKED = CitationVerdict.AMBIGUOUS, CitationVerdict.UNCHECKED


@dataclass(frozen=True)
class _Source:
    """What citations are held against: the tree, its names, the reviewed plans, and the files that they make."""

    tree: Tree
    symbols: Symbols
    plans: tuple[Plan, ...]
    planned: frozenset[str]

    @cached_property
    def by_number(self) -> dict[PlanNumber, Plan]:
        return {number: plan for plan in self.plans if (number := number_of(plan))}

    @cached_property
    def by_name(self) -> dict[str, Plan]:
        return {plan.name.rsplit("/", 1)[-1].lower(): plan for plan in self.plans}

    @cached_property
    def by_lower(self) -> dict[str, list[str]]:
        """Paths as a file system that ignores case would know them."""
        found: dict[str, list[str]] = {}
        for path in self.tree.files:
            found.setdefault(path.lower(), []).append(path)
        return found

    @cached_property
    def words_of_plans(self) -> frozenset[str]:
        return frozenset(word for plan in self.plans for word in re.findall(r"[A-Za-z_]\w*", plan.text))


def check_citations(
    citations: Iterable[Citation],
    tree: Tree,
    *,
    plans: Sequence[PlanFile] = (),
    planned_files: Collection[str] = (),
) -> tuple[Citation, ...]:
    """The same citations in the same order, each with `verdict`, `resolved` and a `note` of one line.

    `plans` are the reviewed plans (their shorthand and their lines are resolved against their text), `planned_files`
    the paths that they create. Bounded: past 20,000 citations or 60 seconds the rest is `unchecked`.
    """
    read = tuple(read_plan(plan.name.rsplit("/", 1)[-1], plan.text, path=plan.name) for plan in plans)
    source = _Source(tree, Symbols(tree), read, frozenset(planned_files))
    end = clock.monotonic() + MAX_SECONDS
    checked: list[Citation] = []
    known: dict[tuple[object, ...], Citation] = {}
    for number, citation in enumerate(citations):
        linked = "://" in citation.raw
        key = (citation.path, citation.line, citation.end_line, citation.symbol, citation.quote, linked)
        if key not in known:
            late = number >= MAX_CITATIONS or clock.monotonic() > end
            known[key] = (
                _judged(citation, UNCHECKED, "too many citations to check them all")
                if late
                else _check(source, citation)
            )
        found = known[key]
        checked.append(replace(citation, verdict=found.verdict, resolved=found.resolved, note=found.note))
    return tuple(checked)


def planned_files(plans: Sequence[PlanFile]) -> frozenset[str]:
    """The paths that plans list, promise or say that they create; of these, what is not there yet is not missing."""
    found: set[str] = set()
    for file in plans:
        plan = read_plan(file.name.rsplit("/", 1)[-1], file.text, path=file.name)
        found.update(entry.path for entry in file_entries(plan))
        found.update(artifact.path for artifact in artifacts(plan))
        found.update(
            claim.path
            for claim in prose_claims(plan)
            if claim.path and claim.kind == "path" and claim.mode == "creates"
        )
    return frozenset(found)


def quote_lines(tree: Tree, citation: Citation) -> str | None:
    """The cited lines of a checked citation, at most 24 of at most 200 characters; None where there is nothing to quote.

    Only `verified` and `moved` citations with a line are quoted, through the same rules as every reading.
    """
    if citation.verdict not in {VERIFIED, MOVED} or citation.resolved is None or citation.line is None:
        return None
    text = tree.read(citation.resolved)
    if isinstance(text, Refused):
        return None
    lines = text.split("\n")[citation.line - 1 : (citation.end_line or citation.line)][:_QUOTED_LINES]
    return "\n".join(line[:_QUOTED_WIDTH] for line in lines) if lines else None


def _judged(
    citation: Citation, verdict: CitationVerdict, note: str = "", resolved: str | None = None
) -> Citation:
    return replace(citation, verdict=verdict, note=note, resolved=resolved)


def _check(source: _Source, citation: Citation) -> Citation:
    if citation.path is None:
        return (
            _symbol_alone(source, citation)
            if citation.symbol
            else _judged(citation, UNCHECKED, "it names no place")
        )
    plan = _plan_named(source, citation.path)
    if plan is not None:
        return _in_plan(source, citation, plan)
    place = locate(source.tree, citation.path)
    found = _PLACES[place.kind](source, citation, place)
    if found.verdict is MISSING and _is_web_link(citation.raw):
        return _judged(citation, UNCHECKED, "the link may show another revision, or another repository")
    return found


def _is_web_link(raw: str) -> bool:
    return re.search(r"\bhttps?://", raw) is not None


def _plan_named(source: _Source, path: str) -> Plan | None:
    """The reviewed plan that a shorthand ("03-02"), a plan's file name or its path means."""
    name = base_name(path).lower()
    plan = source.by_name.get(name)
    if plan is not None:
        return plan if "/" not in path or _same_or_moved(plan.path, path) else None
    if (
        not _PLAN_NAME.fullmatch(path)
        or "." in name
        and not name.endswith("plan.md")
        and not re.fullmatch(r"[\d.a-z]+-\d+[a-z]?", name)
    ):
        return None
    number = read_number(name)
    return source.by_number.get(number) if number is not None else None


def _same_or_moved(own: str, cited: str) -> bool:
    return (
        own == cited
        or own.endswith("/" + cited)
        or cited.endswith("/" + own)
        or base_name(own) == base_name(cited)
    )


def _in_plan(source: _Source, citation: Citation, plan: Plan) -> Citation:
    resolved = plan.path or plan.name
    count = plan.text.count("\n") + (not plan.text.endswith("\n"))
    read = read_path(citation.path or "")
    moved = "/" in read.path and not (
        resolved == read.path or resolved.endswith("/" + read.path) or read.path.endswith("/" + resolved)
    )
    found = _judged(
        citation, MOVED if moved else VERIFIED, f"the plan is `{resolved}`" if moved else "", resolved
    )
    return _with_lines(found, plan.text, count)


def _outside(source: _Source, citation: Citation, place: Location) -> Citation:
    inner = re.sub(
        r"\A(?:\.{1,2}/)+", "", place.path
    )  # a link relative to where the reviewer's own text lies
    if inner != place.path and source.tree.is_file(inner) and not is_private(inner):
        return _in_file(source, _judged(citation, MOVED, f"it is `{inner}`", inner), inner)
    return _judged(citation, UNCHECKED, "it lies outside the tree under review; it was not opened")


def _private(source: _Source, citation: Citation, place: Location) -> Citation:
    return _judged(citation, UNCHECKED, "it may hold secrets; it was not opened")


def _unusable(source: _Source, citation: Citation, place: Location) -> Citation:
    return _judged(citation, UNCHECKED, "it is not a path")


def _unlisted(source: _Source, citation: Citation, place: Location) -> Citation:
    return _judged(citation, UNCHECKED, "it is ignored, or no regular file; it was not opened")


def _folder(source: _Source, citation: Citation, place: Location) -> Citation:
    if citation.line is not None:
        return _judged(citation, MISSING, f"`{place.path}` is a folder and has no lines")
    return _judged(citation, VERIFIED, "a folder", place.path)


def _one_file(source: _Source, citation: Citation, place: Location) -> Citation:
    moved = (
        place.kind == "suffix"
        or place.kind == "foreign"
        and not _is_absolute(citation.path or "")
        and not _has_prefix(source, citation)
    )
    note = f"it is `{place.path}`" if moved else ""
    return _in_file(source, _judged(citation, MOVED if moved else VERIFIED, note, place.path), place.path)


def _is_absolute(path: str) -> bool:
    return read_path(path).kind == "absolute"


def _has_prefix(source: _Source, citation: Citation) -> bool:
    first, _, rest = read_path(citation.path or "").path.partition("/")
    return first in {"a", "b", source.tree.root.name} and source.tree.is_file(rest)


def _ambiguous(source: _Source, citation: Citation, place: Location) -> Citation:
    judged = [
        _in_file(source, _judged(citation, MOVED, f"it is `{path}`", path), path) for path in place.paths[:50]
    ]
    fitting = [item for item in judged if item.verdict is MOVED]
    if not fitting and all(item.verdict is MISSING for item in judged):
        return _judged(
            citation, MISSING, f"{len(place.paths)} files bear that name, and it stands in none of them"
        )
    if len(fitting) == 1 and citation.quote:
        return fitting[0]
    shown = ", ".join(f"`{path}`" for path in place.paths[:3])
    return _judged(
        citation,
        AMBIGUOUS,
        f"{len(place.paths)} files bear that name: {shown}{' …' if len(place.paths) > 3 else ''}",
    )


def _missing(source: _Source, citation: Citation, place: Location) -> Citation:
    if place.path in source.planned or any(path.endswith("/" + place.path) for path in source.planned):
        return _judged(citation, UNCHECKED, "the plan creates it; it is not there yet")
    renamed = source.tree.current_name(place.path)
    if renamed is not None:
        return _in_file(source, _judged(citation, MOVED, f"it was renamed to `{renamed}`", renamed), renamed)
    moved = _moved_planning_file(source, place.path) or _in_other_case(source, place.path)
    if moved is not None:
        return _in_file(source, _judged(citation, MOVED, f"it is `{moved}`", moved), moved)
    side, _, rest = place.path.partition("/")
    if side in {"a", "b"} and rest and side not in source.tree.folders:  # a path out of a diff
        return replace(_check(source, replace(citation, path=rest)), path=citation.path)
    return _judged(citation, MISSING, f"there is no `{place.path}`")


def _in_other_case(source: _Source, path: str) -> str | None:
    """The one file whose path differs in case alone: what a reviewer on another file system may have written."""
    found = source.by_lower.get(path.lower(), ())
    return found[0] if len(found) == 1 else None


def _moved_planning_file(source: _Source, path: str) -> str | None:
    """A planning document whose folder was moved when its phase was closed: same name, same phase folder or alone."""
    if not path.startswith(".planning/") and not re.search(
        r"-(?:PLAN|SUMMARY|CONTEXT|RESEARCH|REVIEWS)\.md$", path
    ):
        return None
    found = [
        other for other in source.tree.by_name.get(base_name(path), ()) if other.startswith(".planning/")
    ]
    folder = path.rpartition("/")[0].rpartition("/")[2]
    same = [other for other in found if folder and f"/{folder}/" in other]
    chosen = same or found
    return chosen[0] if len(chosen) == 1 else None


_PLACES = {
    "exact": _one_file, "suffix": _one_file, "foreign": _one_file, "folder": _folder, "ambiguous": _ambiguous,
    "unlisted": _unlisted, "private": _private, "outside": _outside, "missing": _missing, "unusable": _unusable,
}  # fmt: skip


def _in_file(source: _Source, found: Citation, path: str) -> Citation:
    """Judges lines, quote and symbol of a citation whose file was found."""
    if found.line is None and found.quote is None and found.symbol is None:
        return found
    text = source.tree.read(path)
    if isinstance(text, Refused):
        return _judged(found, UNCHECKED, f"`{path}` was not opened: {text.why}")
    count = source.tree.line_count(path)
    judged = _with_lines(found, text, count if isinstance(count, int) else 0)
    return _with_symbol(source, judged, path) if judged.symbol and judged.verdict is not MISSING else judged


def _with_lines(found: Citation, text: str, count: int) -> Citation:
    if found.line is not None:
        last = found.end_line or found.line
        if found.line > count or last > count + _SLACK:
            return _judged(found, MISSING, f"`{found.resolved}` has {count} line{'' if count == 1 else 's'}")
    return _with_quote(found, text) if found.quote else found


def _with_quote(found: Citation, text: str) -> Citation:
    first, last = found.line or 1, found.end_line or found.line or 1
    at = quote_line(text, found.quote or "", near=first)
    if at is None:
        if re.fullmatch(r"[\w.$:]+(?:\([^()]*\))?", (found.quote or "").strip()):
            return replace(found, note=found.note or "the name beside it does not stand in the file")
        return _judged(found, MISSING, "the quoted text does not stand in the file")
    if found.line is None or first - WITHIN <= at <= last + WITHIN:
        return found
    return _judged(found, MOVED, f"the quoted text stands at line {at}", found.resolved)


def _with_symbol(source: _Source, found: Citation, path: str) -> Citation:
    name = (found.symbol or "").split(".")[-1].rstrip("!?")
    if source.symbols.occurs(path, name):
        return found
    elsewhere = source.symbols.defined(name)
    if len({other for other, _ in elsewhere}) == 1:
        other, item = elsewhere[0]
        return _judged(found, MOVED, f"`{name}` is defined at `{other}:{item.line}`", other)
    if name in source.words_of_plans and path in source.planned:
        return _judged(found, UNCHECKED, "the plan makes it; it is not there yet", path)
    return _judged(found, MISSING, f"`{name}` does not stand in `{path}`")


def _symbol_alone(source: _Source, citation: Citation) -> Citation:
    parts = [part.rstrip("!?") for part in re.split(r"\.|::|#|->", citation.symbol or "") if part]
    if not parts:
        return _judged(citation, UNCHECKED, "it is not a name")
    found = source.symbols.defined(parts[-1])
    if len(parts) > 1 and parts[-2][:1].isupper():
        owned = [(path, item) for path, item in found if parts[-2] in item.owner.split(".")]
        found = tuple(owned) or found
    places = {
        str(real_place(source.tree.root, path)): path for path, _ in found
    }  # a link defines nothing anew
    if len(places) == 1:
        path, item = next((one for one in found if one[0] in places), found[0])
        return _judged(citation, VERIFIED, f"defined at `{path}:{item.line}`", path)
    if places:
        return _judged(citation, AMBIGUOUS, f"{len(found)} definitions, in {len(places)} files")
    return _undefined(source, citation, parts)


def _undefined(source: _Source, citation: Citation, parts: list[str]) -> Citation:
    used = source.symbols.files_with(parts[-1])
    if used:
        return _judged(citation, UNCHECKED, f"used in `{used[0]}`, and defined nowhere in the tree")
    if parts[-1] in source.words_of_plans:
        return _judged(citation, UNCHECKED, "the plan names it; it is not there yet")
    if len(parts) > 1 and (
        parts[0] in sys.stdlib_module_names or parts[0][:1].islower() and source.symbols.files_with(parts[0])
    ):
        return _judged(citation, UNCHECKED, f"`{parts[0]}` may be a library")
    if not source.symbols.complete:
        return _judged(citation, UNCHECKED, "the tree is too large to be searched whole")
    return _judged(citation, MISSING, f"`{parts[-1]}` stands nowhere in the tree")
