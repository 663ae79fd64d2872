"""From what the reviewers of a change delivered to what holds: every claim held against the tree and the diff.

Invariants
- Agreement and the gate see verified findings alone: a claim without one citation that holds cannot join a concern,
  raise its severity, or corroborate another reviewer.
- A place counts as inside the change only by what git says of the lines as they are now.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from msd_review.app.assessing import Delivered, check_reviews, counted_reviews, read_delivered
from msd_review.change.hunks import by_name, placement, read_hunks
from msd_review.change.model import Change, ChangedFile, Hunks
from msd_review.change.repository import Checkout
from msd_review.consensus.agreement import build_consensus
from msd_review.consensus.independence import reviewer_facts
from msd_review.consensus.model import Consensus, Dismissal
from msd_review.grounding.index import Tree
from msd_review.grounding.paths import is_private
from msd_review.prompt.model import ReviewSubject
from msd_review.prompt.render import quoted
from msd_review.report.change_findings import HOLDS, is_verified
from msd_review.report.history import History
from msd_review.report.model import ReviewerReport
from msd_review.review.checked import citations_of, with_checked
from msd_review.review.model import Citation, CitationVerdict, Finding, FindingStatus, Review

_MAX_BLOB = 8 * 1024 * 1024
_ODD = re.compile(r"[^\w./+@~\[\]()$%-]", re.ASCII)
_MAX_ODD = 500
_MAX_PLACES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is known beforehand: the last cycle, the baseline, and what people set aside."""

    history: History
    baseline: History | None = None
    dismissals: tuple[Dismissal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessedChange:
    """All that was computed. `unverified` are ids of findings, `known` ids of concerns that the baseline holds."""

    reviewers: tuple[ReviewerReport, ...]
    consensus: Consensus
    unverified: frozenset[str]
    known: frozenset[str]
    warnings: tuple[str, ...] = ()


def assess_change(
    delivered: Sequence[Delivered],
    subject: ReviewSubject,
    *,
    tree: Tree,
    checkout: Checkout,
    change: Change,
    known: Known,
) -> AssessedChange:
    """Reads, verifies, places and compares everything that was delivered."""
    checked = check_reviews([read_delivered(one) for one in delivered], tree, subject, check=True)
    ground = _Ground(tree, checkout, change)
    reports = _placed([_naming_odd_files(report, ground) for report in checked], ground)
    counted = counted_reviews(reports)
    holding = tuple(_holding(review) for review in counted)
    facts = reviewer_facts([report.result for report in reports], counted)
    consensus = build_consensus(holding, facts, previous=known.history.previous, dismissals=known.dismissals)
    before = known.baseline.previous if known.baseline is not None else None
    against = build_consensus(holding, facts, previous=before) if before is not None else None
    return AssessedChange(
        reviewers=reports,
        consensus=consensus,
        unverified=frozenset(
            finding.id
            for report in reports
            if report.review is not None
            for finding in report.review.findings
            if not is_verified(finding)
        ),
        known=_known(consensus, against, known.baseline),
        warnings=known.history.warnings,
    )


def _holding(review: Review) -> Review:
    """The review without open claims that do not hold; what it says of earlier concerns contradicts, and raises nothing."""
    kept = (one for one in review.findings if one.status is not FindingStatus.OPEN or is_verified(one))
    return replace(review, findings=tuple(kept))


def _known(consensus: Consensus, against: Consensus | None, baseline: History | None) -> frozenset[str]:
    """Concerns that the baseline holds, open, and at least as grave: one that became worse is new."""
    if against is None or baseline is None or baseline.previous is None:
        return frozenset()
    before = {old.id: old.severity.rank for old in baseline.previous.clusters}
    members = {
        cluster.finding_ids
        for cluster in against.clusters
        if cluster.status == "open"
        and cluster.finding_ids
        and cluster.severity.rank <= before.get(cluster.id, -1)
    }
    return frozenset(cluster.id for cluster in consensus.clusters if cluster.finding_ids in members)


@dataclass(frozen=True)
class _Ground:
    tree: Tree
    checkout: Checkout
    change: Change

    @cached_property
    def files(self) -> dict[str, ChangedFile]:
        return by_name(self.change)

    @cached_property
    def odd_names(self) -> dict[str, str]:
        return _odd_names(self.change)


def _placed(reports: Sequence[ReviewerReport], ground: _Ground) -> tuple[ReviewerReport, ...]:
    cited = [c for report in reports if report.review is not None for c in citations_of(report.review)]
    found = {citation: _gone_or_moved(citation, ground) for citation in dict.fromkeys(cited)}
    paths = {citation.resolved for citation in found.values() if citation.resolved}
    hunks = read_hunks(ground.checkout, ground.change, paths)
    placed = {written: _with_placement(c, ground, hunks) for written, c in found.items()}
    return tuple(_replaced(report, placed) for report in reports)


def _replaced(report: ReviewerReport, placed: Mapping[Citation, Citation]) -> ReviewerReport:
    return report if report.review is None else replace(report, review=with_checked(report.review, placed))


def _with_placement(citation: Citation, ground: _Ground, hunks: Hunks) -> Citation:
    if citation.verdict not in HOLDS or citation.resolved is None:
        return citation
    where = placement(citation.resolved, citation.line, citation.end_line, files=ground.files, hunks=hunks)
    return replace(citation, placement=where)


def _gone_or_moved(citation: Citation, ground: _Ground) -> Citation:
    """A citation of a file that the change itself removed or renamed: it is not in the tree, and yet no invention."""
    if (
        citation.verdict is not CitationVerdict.MISSING
        or citation.path is None
        or citation.resolved is not None
    ):
        return citation
    path = citation.path.removeprefix("./")
    file = ground.files.get(path)
    file = file if file is not None and path in _former_names(file) else None
    if file is None and path in ground.odd_names:
        return _under_another_name(citation, ground.odd_names[path], ground, said="it is")
    if file is None or is_private(path):
        return citation
    if file.kind == "deleted":
        return _in_deleted(citation, path, ground)
    return _under_another_name(citation, file.path, ground, said="the change renames it to")


def _former_names(file: ChangedFile) -> tuple[str, ...]:
    if file.kind == "deleted":
        return (file.path,)
    return (file.old_path,) if file.kind == "renamed" and file.old_path else ()


def _in_deleted(citation: Citation, path: str, ground: _Ground) -> Citation:
    content = ground.checkout.file_at(ground.change.base, path, limit=_MAX_BLOB)
    lines = content.count(b"\n") + (not content.endswith(b"\n")) if content else 0
    if citation.line is not None and content is not None and (citation.end_line or citation.line) > lines:
        return replace(citation, note=f"it is deleted by the change, and had {lines} lines")
    return replace(citation, verdict=CitationVerdict.VERIFIED, resolved=path, note="deleted by the change")


def _under_another_name(citation: Citation, path: str, ground: _Ground, *, said: str) -> Citation:
    count = ground.tree.line_count(path)
    if citation.line is not None and (not isinstance(count, int) or citation.line > count):
        return replace(citation, note=f"{said} `{path}`, which has no such line")
    return replace(citation, verdict=CitationVerdict.MOVED, resolved=path, note=f"{said} `{path}`")


def _odd_names(change: Change) -> dict[str, str]:
    """What is read of a citation of a name with white space or escapes in it → the one changed file that it means."""
    found: dict[str, set[str]] = {}
    for path in _odd_paths(change):
        for form in _forms(path):
            found.setdefault(form, set()).add(path)
    plain = {file.path for file in change.files}
    return {form: paths.pop() for form, paths in found.items() if len(paths) == 1 and form not in plain}


def _odd_paths(change: Change) -> list[str]:
    return [file.path for file in change.files if file.kind != "deleted" and _ODD.search(file.path)]


def _forms(path: str) -> frozenset[str]:
    written = (path, json.dumps(path)[1:-1], quoted(path)[1:-1])
    return frozenset(form.split()[-1] for text in written for form in (text, text.replace("\\", "/")))


def _naming_odd_files(report: ReviewerReport, ground: _Ground) -> ReviewerReport:
    """Adds the places in files whose names no citation is read of in prose: told from the change's own list."""
    names = _odd_paths(ground.change)[:_MAX_ODD]
    if report.review is None or not names:
        return report
    findings = tuple(_naming(finding, names, ground) for finding in report.review.findings)
    return replace(report, review=replace(report.review, findings=findings))


def _naming(finding: Finding, names: Sequence[str], ground: _Ground) -> Finding:
    text = f"{finding.title}\n{finding.body}"
    if finding.citations or text.isascii() and " " not in text:
        return finding
    found = [place for name in names if name in text for place in _places(text, name, ground)]
    return replace(finding, citations=tuple(found[:_MAX_PLACES])) if found else finding


def _places(text: str, name: str, ground: _Ground) -> Iterator[Citation]:
    for match in re.finditer(rf"(?<![\w/]){re.escape(name)}(?::(\d{{1,7}})(?:-(\d{{1,7}}))?)?(?!\w)", text):
        first, last = (int(part) if part else None for part in match.groups())
        written = Citation(raw=match.group(), path=name, line=first, end_line=last)
        yield _under_another_name(written, name, ground, said="it is")
