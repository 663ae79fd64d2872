"""The consensus part of REVIEWS.md: every statement names who said it, with a link to where."""

from collections.abc import Iterable, Iterator, Mapping

from msd_review.consensus.model import Cluster, StrengthGroup
from msd_review.report.counts import (
    OPEN_STATES,
    all_findings,
    by_weight,
    citations_of,
    delivered,
    open_clusters,
    place,
    section_heading,
)
from msd_review.report.model import ReviewReport
from msd_review.report.text import code, count, inline, joined, one_line, slug
from msd_review.review.model import CitationVerdict, Finding, Severity

_LABELS = {Severity.HIGH: "HIGH", Severity.MEDIUM: "MEDIUM", Severity.LOW: "LOW", Severity.UNRATED: "UNRATED"}
_SHOWN_PLACES = 4


def consensus_section(report: ReviewReport) -> str:
    """`## Consensus Summary` with its sub-headings; "None." where there is nothing to say."""
    findings = all_findings(report)
    links = links_of(report)
    standing = open_clusters(report)
    agreed = [cluster for cluster in standing if cluster.agreed]
    single = [cluster for cluster in standing if not cluster.agreed]
    divergent = [cluster for cluster in standing if cluster.divergent]
    parts = [
        "## Consensus Summary",
        _overview(report, standing),
        _part("Agreed Concerns", (concern(c, findings, links) for c in agreed)),
        _part("Agreed Strengths", (_strength(s, links) for s in report.consensus.strengths if s.agreed)),
        _part("Divergent Views", (_divergence(c, links) for c in divergent)),
        _part("Single-Reviewer Concerns", (concern(c, findings, links) for c in single)),
        *_closed_parts(report, findings, links),
    ]
    return "\n\n".join(part for part in parts if part)


def links_of(report: ReviewReport) -> dict[str, str]:
    """Identity → a link to its section."""
    names = {r.result.identity: section_heading(r) for r in report.reviewers}
    return {identity: f"[{inline(identity, 100)}](#{slug(heading)})" for identity, heading in names.items()}


def concern(cluster: Cluster, findings: Mapping[str, Finding], links: Mapping[str, str]) -> str:
    """One concern as a list item: severity, title, who, where, and since when."""
    title = inline(cluster.title, 300) or "(untitled)"
    facts = [_who(cluster, links), _places(cluster, findings), _history(cluster), code(cluster.id)]
    lines = [f"- **{_LABELS[cluster.severity]}** {title}", "  " + " · ".join(fact for fact in facts if fact)]
    if cluster.demoted:
        lines.append("  *Demoted: none of the places that it cites was found.*")
    if cluster.note:
        lines.append(f"  {inline(cluster.note)}")
    return "\n".join(["  \n".join(lines), *_own_words(cluster, findings, links)])


def _own_words(cluster: Cluster, findings: Mapping[str, Finding], links: Mapping[str, str]) -> Iterator[str]:
    """What each of several reviewers says, so that a reader can judge whether it is one concern."""
    if len(cluster.reviewers) < 2:
        return
    for name in cluster.finding_ids:
        finding = findings.get(name)
        if finding and one_line(finding.title) != one_line(cluster.title):
            yield f"  - {_name(finding.identity, links)}: {inline(finding.title, 300)}"


def _overview(report: ReviewReport, standing: list[Cluster]) -> str:
    reviews = delivered(report)
    if not reviews:
        return "No reviewer delivered a review, so there is nothing to agree on."
    agreed = sum(cluster.agreed for cluster in standing)
    counted = sum(row.counted for row in report.consensus.reviewers)
    sentences = [
        f"{count(len(reviews), 'review')} with {count(len(standing), 'open concern')};"
        f" {agreed or 'none'} of them {'is' if agreed == 1 else 'are'} shared by reviewers that are independent of each other."
        if standing
        else f"{count(len(reviews), 'review')}, and no open concern."
    ]
    if counted < 2:
        sentences.append(
            "Agreement needs two independent reviewers; this run had " + count(counted, "such reviewer") + "."
        )
    return " ".join([*sentences, *(inline(note) for note in report.consensus.notes)])


def _part(heading: str, items: Iterable[str]) -> str:
    listed = list(items)
    return f"### {heading}\n\n" + ("\n".join(listed) if listed else "None.")


def _closed_parts(
    report: ReviewReport, findings: Mapping[str, Finding], links: Mapping[str, str]
) -> list[str]:
    closed = by_weight(c for c in report.consensus.clusters if c.status not in OPEN_STATES)
    resolved = [concern(c, findings, links) for c in closed if c.status == "resolved"]
    dismissed = [concern(c, findings, links) for c in closed if c.status == "dismissed"]
    return [
        _part("Resolved Concerns", resolved) if resolved else "",
        _part("Dismissed Concerns", dismissed) if dismissed else "",
    ]


def _who(cluster: Cluster, links: Mapping[str, str]) -> str:
    names = [_name(identity, links) for identity in cluster.reviewers]
    if len(set(cluster.severities.values())) > 1:
        rated = cluster.severities
        names = [
            f"{_name(identity, links)} ({_LABELS[rated[identity]]})"
            if identity in rated
            else _name(identity, links)
            for identity in cluster.reviewers
        ]
    said = joined(names) or "nobody in this cycle"
    if len(names) > 1 and not cluster.agreed and cluster.status in OPEN_STATES:
        return f"{said}, not independent of each other"
    return said


def _name(identity: str, links: Mapping[str, str]) -> str:
    return links.get(identity, inline(identity, 100))


def _places(cluster: Cluster, findings: Mapping[str, Finding]) -> str:
    cited = citations_of(cluster, findings)
    shown = [f"{code(place(c))}{_verdict(c.verdict)}" for c in cited[:_SHOWN_PLACES]]
    more = len(cited) - len(shown)
    return ", ".join([*shown, f"{more} more"] if more else shown)


def _verdict(verdict: CitationVerdict) -> str:
    return "" if verdict == CitationVerdict.VERIFIED else f" ({verdict.value})"


def _history(cluster: Cluster) -> str:
    if cluster.status == "resolved":
        return f"resolved in cycle {cluster.closed_in_cycle}" if cluster.closed_in_cycle else "resolved"
    if cluster.status == "dismissed":
        return f"dismissed: {inline(cluster.dismissed_because)}" if cluster.dismissed_because else "dismissed"
    if cluster.status == "new":
        return ""
    return f"{cluster.status} since cycle {cluster.first_seen_cycle}"


def _strength(strength: StrengthGroup, links: Mapping[str, str]) -> str:
    return (
        f"- {inline(strength.text)} — {joined([_name(identity, links) for identity in strength.reviewers])}"
    )


def _divergence(cluster: Cluster, links: Mapping[str, str]) -> str:
    said = f": {inline(cluster.divergence)}" if cluster.divergence else ""
    return f"- **{_LABELS[cluster.severity]}** {inline(cluster.title, 300)}{said} — {_who(cluster, links)} · {code(cluster.id)}"
