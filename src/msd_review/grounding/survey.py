"""What a set of plans makes: files and names that are not there yet, and who makes them when.

Pure. A plan is judged against the tree and against what plans and tasks before it make.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msd_review.grounding.claims_front import FileEntry, artifacts, file_entries
from msd_review.grounding.claims_interfaces import shows_what_is
from msd_review.grounding.model import Claim
from msd_review.grounding.plan import Plan
from msd_review.grounding.prose import fenced_blocks
from msd_review.lazy import regex

_IDENTIFIER = regex(r"[A-Za-z_$][\w$]{1,100}")
_MADE_IN_CODE = regex(
    r"\b(?:def|class|func|fn|function|const|let|var|type|interface|struct|enum|trait|impl|mod|module|macro_rules!|static|record|object|protocol|#define)\s+(?:\([^()\n]{0,80}\)\s*)?([A-Za-z_$][\w$]*)"
)

_CODE = regex(r"[(){}=;]|\b(?:def|class|func|fn|type|struct|const|let|var|interface|enum)\b")
_NO_CODE = regex(r"`|^\s*(?:[-*+]\s|\d{1,3}[.)]\s|\|)")


@dataclass(frozen=True, kw_only=True)
class Survey:
    """Everything that the plans of one review make.

    `made` holds paths that some plan clearly creates; `listed` says which (plan number, task) list a path as theirs;
    `names` are names that some plan makes; `coded` are words in the plans' own code samples.
    """

    plans: tuple[Plan, ...]
    made: frozenset[str] = frozenset()
    listed: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    names: frozenset[str] = frozenset()
    coded: frozenset[str] = frozenset()
    entries: Mapping[str, tuple[FileEntry, ...]] = field(default_factory=dict)

    def number(self, plan: str) -> int:
        """The place of a plan in the order of the review."""
        return next((at for at, other in enumerate(self.plans) if other.name == plan), 0)

    def listed_before(self, path: str, plan: str, task: int | None) -> bool:
        """Whether an earlier plan, or an earlier task of this plan, lists the path as its own."""
        here = self.number(plan)
        return any(
            number < here or number == here and task is not None and 0 <= other < task
            for number, other in self.listed.get(path, ())
        )

    def changed_by_earlier_plan(self, path: str, plan: str) -> bool:
        """Whether a plan before this one lists the path as its own."""
        return any(number < self.number(plan) for number, _ in self.listed.get(path, ()))

    def is_listed(self, path: str) -> bool:
        """Whether any plan lists the path as its own."""
        return path in self.listed


def survey(plans: Sequence[Plan], claims: Sequence[Claim]) -> Survey:
    """Collects what the plans make out of their file lists, artifacts, sentences and code samples."""
    entries = {plan.name: file_entries(plan) for plan in plans}
    listed: dict[str, list[tuple[int, int]]] = {}
    made = {claim.path for claim in claims if claim.kind == "path" and claim.path and claim.mode == "creates"}
    for number, plan in enumerate(plans):
        for entry in entries[plan.name]:
            listed.setdefault(entry.path, []).append((number, -1 if entry.task is None else entry.task))
            if entry.note == "new":
                made.add(entry.path)
        made.update(artifact.path for artifact in artifacts(plan))
    return Survey(
        plans=tuple(plans),
        made=frozenset(made),
        listed={path: tuple(spots) for path, spots in listed.items()},
        names=frozenset(_names(plans, claims)),
        coded=frozenset(word for plan in plans for word in _coded(plan)),
        entries=entries,
    )


def _names(plans: Sequence[Plan], claims: Sequence[Claim]) -> Iterator[str]:
    for claim in claims:
        if claim.symbol and claim.mode == "creates":
            yield claim.symbol.rsplit(".", 1)[-1]
    for plan in plans:
        for artifact in artifacts(plan):
            yield from _IDENTIFIER.findall(" ".join((artifact.contains, *artifact.exports)))
        for block in _code(plan):
            yield from _MADE_IN_CODE.findall(block)


def _code(plan: Plan) -> Iterator[str]:
    """Fenced and indented samples, except those that show what is there."""
    for segment in plan.segments:
        if segment.tag in {"interfaces", "context", "read_first"}:
            continue
        text = plan.said(segment)
        for start, end, _ in fenced_blocks(text):
            if not shows_what_is(text[:start], text[start:end]):
                yield text[start:end]
        margin = min((len(m[1]) for m in re.finditer(r"^([ \t]*)\S", text, re.M)), default=0)
        indented = re.findall(rf"^[ \t]{{{margin + 4},}}\S[^\n]*", text, re.M)
        yield "\n".join(line for line in indented if _CODE.search(line) and not _NO_CODE.search(line))


def _coded(plan: Plan) -> Iterator[str]:
    for block in _code(plan):
        yield from _IDENTIFIER.findall(block)
