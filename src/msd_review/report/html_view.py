"""What the HTML page shows, as plain values: the template decides nothing."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape

from msd_review.consensus.model import Cluster
from msd_review.outcomes import Outcome
from msd_review.report.caveats import caveats
from msd_review.report.counts import (
    OPEN_STATES,
    all_findings,
    by_weight,
    model_label,
    place,
    section_heading,
)
from msd_review.report.model import ReviewerReport, ReviewReport
from msd_review.report.text import duration, one_line, visible
from msd_review.review.model import Citation, CitationVerdict, Finding

# Bytes of escaped text that each kind of content may take, so that 500 findings stay below 2 MB.
_BODIES = 700_000
_QUOTES = 350_000
_TEXTS = 400_000
_LONGEST_BODY = 6_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A citation: what is shown, what the source says, and the quoted lines ("" where there are none)."""

    place: str
    verdict: str
    note: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What one reviewer said about a concern."""

    anchor: str
    reviewer: str
    severity: str
    status: str
    title: str
    body: str
    suggestion: str
    citations: tuple[Cited, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Concern:
    """One row of the matrix and one article; the JSON strings are what the filters read."""

    anchor: str
    id: str
    title: str
    severity: str
    status: str
    agreed: bool
    divergent: bool
    demoted: bool
    facts: tuple[str, ...]
    cells: tuple[str, ...]  # one for each column: a severity, or ""
    said: tuple[Said, ...]
    reviewers_json: str
    files_json: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One reviewer: its column in the matrix and its entry below."""

    identity: str
    heading: str
    outcome: str
    facts: str
    notes: tuple[str, ...]
    stderr: str
    text: str


class _Allowance:
    """Bytes that are left for one kind of content."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, text: str, limit: int) -> str:
        """As much of `text` as `limit` and what is left allow."""
        room = max(0, min(limit, self.left))
        size = len(escape(text).encode("utf-8", "replace"))
        if size > room:
            text = text[: int(len(text) * room / size)] + ("…" if room else "")
        self.left -= min(size, room)
        return text


def concerns(report: ReviewReport) -> tuple[Concern, ...]:
    """Every cluster, worst first, open ones before closed ones; then findings that belong to none."""
    findings = all_findings(report)
    names = [reviewer.result.identity for reviewer in report.reviewers]
    ordered = by_weight(report.consensus.clusters)
    ordered.sort(key=lambda cluster: cluster.status not in OPEN_STATES)
    clustered = {name for cluster in ordered for name in cluster.finding_ids}
    loose = [_lone(finding) for finding in findings.values() if finding.id not in clustered]
    bodies, quotes = _Allowance(_BODIES), _Allowance(_QUOTES)
    share = min(_LONGEST_BODY, _BODIES // max(1, len(findings)))
    build = _Builder(findings, names, report.sources, bodies, quotes, share)
    return tuple(build.concern(number, cluster) for number, cluster in enumerate([*ordered, *loose], start=1))


def columns(report: ReviewReport) -> tuple[Column, ...]:
    """Every reviewer, in roster order."""
    texts = _Allowance(_TEXTS)
    share = _TEXTS // max(1, len(report.reviewers))
    facts = {row.identity: row for row in report.consensus.reviewers}
    result = []
    for reviewer in report.reviewers:
        row = facts.get(reviewer.result.identity)
        why_not = row.why_not if row and not row.counted else ""
        result.append(_column(reviewer, why_not, texts.take(visible(reviewer.shown_text or ""), share)))
    return tuple(result)


def files_of(shown: Iterable[Concern]) -> tuple[str, ...]:
    """Every file that some concern cites, sorted."""
    return tuple(sorted({name for concern in shown for name in json.loads(concern.files_json)}))


def _column(reviewer: ReviewerReport, why_not: str, text: str) -> Column:
    result = reviewer.result
    facts = [model_label(reviewer) or "", duration(result.duration_ms) if result.duration_ms else ""]
    if result.outcome != Outcome.REVIEW:
        facts += [str(result.reason or ""), result.detail, result.hint or ""]
    return Column(
        identity=result.identity,
        heading=_plain(section_heading(reviewer)),
        outcome=str(result.outcome),
        facts=" · ".join(one_line(fact) for fact in facts if fact),
        notes=tuple(_plain(note) for note in caveats(reviewer, why_not_counted=why_not)),
        stderr="\n".join(visible(line) for line in result.stderr_tail[-20:]),
        text=text,
    )


@dataclass(frozen=True, slots=True)
class _Builder:
    findings: Mapping[str, Finding]
    names: list[str]
    sources: Mapping[str, str]
    bodies: _Allowance
    quotes: _Allowance
    share: int

    def concern(self, number: int, cluster: Cluster) -> Concern:
        members = [self.findings[name] for name in cluster.finding_ids if name in self.findings]
        rated = {finding.identity: finding.severity.value for finding in members}
        rated |= {identity: severity.value for identity, severity in cluster.severities.items()}
        files = {c.resolved or c.path for finding in members for c in finding.citations}
        said = tuple(self._said(f"c{number}-{at}", finding) for at, finding in enumerate(members, start=1))
        return Concern(
            anchor=f"c{number}",
            id=cluster.id,
            title=one_line(cluster.title, 300) or "(untitled)",
            severity=cluster.severity.value,
            status=cluster.status,
            agreed=cluster.agreed,
            divergent=cluster.divergent,
            demoted=cluster.demoted,
            facts=tuple(_facts(cluster)),
            cells=tuple(rated.get(name, "") for name in self.names),
            said=said,
            reviewers_json=json.dumps(sorted({*cluster.reviewers, *rated})),
            files_json=json.dumps(sorted(one_line(name) for name in files if name)),
        )

    def _said(self, anchor: str, finding: Finding) -> Said:
        body = _without_place(finding) if finding.body.strip() != finding.title.strip() else ""
        return Said(
            anchor=anchor,
            reviewer=finding.identity,
            severity=finding.severity.value,
            status=finding.status.value,
            title=one_line(finding.title, 300),
            body=self.bodies.take(visible(body), self.share),
            suggestion=self.bodies.take(visible(finding.suggestion or ""), self.share),
            citations=tuple(self._cited(citation) for citation in finding.citations[:20]),
        )

    def _cited(self, citation: Citation) -> Cited:
        found = citation.verdict in {CitationVerdict.VERIFIED, CitationVerdict.MOVED}
        quote = self.sources.get(place(citation), "") if found else ""
        return Cited(
            place=one_line(place(citation), 300),
            verdict=citation.verdict.value,
            note=one_line(citation.note, 300),
            quote=self.quotes.take(quote, 6_000),
        )


def _without_place(finding: Finding) -> str:
    """A body without a first line that is only a place: the citations below show it, with its verdict."""
    first, _, rest = finding.body.partition("\n")
    written = {citation.raw.strip(" `") for citation in finding.citations}
    return rest if first.strip(" `*()[]") in written else finding.body


def _facts(cluster: Cluster) -> Iterable[str]:
    if cluster.status != "new" and cluster.first_seen_cycle:
        yield f"first seen in cycle {cluster.first_seen_cycle}"
    if cluster.closed_in_cycle:
        yield f"closed in cycle {cluster.closed_in_cycle}"
    if cluster.dismissed_because:
        yield f"dismissed: {one_line(cluster.dismissed_because)}"
    for text in (cluster.divergence, cluster.note):
        if text:
            yield one_line(text)


def _lone(finding: Finding) -> Cluster:
    """A finding that belongs to no concern (about an earlier one, or of a reviewer that did not finish)."""
    return Cluster(
        id="",
        severity=finding.severity,
        title=finding.title,
        finding_ids=(finding.id,),
        reviewers=(finding.identity,),
        independent_reviewers=0,
        agreed=False,
        severities={finding.identity: finding.severity},
        status="resolved" if finding.status == "resolved" else "open",
        note="not counted",
        demoted=finding.demoted,
    )


def _plain(markdown: str) -> str:
    """Markdown of ours without its backslashes: the page escapes by itself."""
    return "".join(part.replace("\0", "\\") for part in markdown.replace("\\\\", "\0").replace("\\", ""))
