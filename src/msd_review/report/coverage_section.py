"""The last part of REVIEWS.md: what was checked of what the reviewers cite, and what was found."""

from collections.abc import Iterator

from msd_review.outcomes import Outcome
from msd_review.report.consensus_section import links_of
from msd_review.report.counts import evidence_of, findings_of, place
from msd_review.report.model import ReviewerReport, ReviewReport
from msd_review.report.text import code, count, inline
from msd_review.review.model import Citation, CitationVerdict

_COLUMNS = tuple(CitationVerdict)
_LISTED = (CitationVerdict.MISSING, CitationVerdict.MOVED, CitationVerdict.AMBIGUOUS)
_MAX_LISTED = 50


def coverage_section(report: ReviewReport) -> str:
    """`## Verification Coverage`: a row for each reviewer with a text, then every citation that is not as written."""
    spoke = [reviewer for reviewer in report.reviewers if reviewer.review is not None]
    if not spoke:
        return "## Verification Coverage\n\nNo reviewer delivered a text, so there was nothing to check."
    blocks = ["## Verification Coverage", _against(spoke, report), _table(spoke, report)]
    blocks += [block for verdict in _LISTED if (block := _list(spoke, report, verdict))]
    return "\n\n".join(blocks)


def _against(spoke: list[ReviewerReport], report: ReviewReport) -> str:
    evidence = evidence_of(finding for reviewer in spoke for finding in findings_of(reviewer))
    if not evidence.cited:
        return "No reviewer cites a place in the code."
    if evidence.of(CitationVerdict.UNCHECKED) == evidence.cited:
        return "No citation was checked."
    at = f" at commit {code(report.commit)}" if report.commit else ""
    return f"Every place that a reviewer cites was looked up in the working tree{at}."


def _table(spoke: list[ReviewerReport], report: ReviewReport) -> str:
    links, facts = links_of(report), {row.identity: row for row in report.consensus.reviewers}
    titles = [
        "Reviewer",
        "Cited",
        *(verdict.value.capitalize() for verdict in _COLUMNS),
        "Counts in agreement",
    ]
    rows = [f"| {' | '.join(titles)} |", "|---|" + "---:|" * (len(_COLUMNS) + 1) + "---|"]
    for reviewer in spoke:
        identity = reviewer.result.identity
        evidence = evidence_of(findings_of(reviewer))
        fact = facts.get(identity)
        counts = "yes" if fact and fact.counted else _not_counted(fact.why_not if fact else "")
        if reviewer.result.outcome != Outcome.REVIEW:
            counts = f"no: {reviewer.result.outcome}"
        cells = [links[identity], evidence.cited, *(evidence.of(verdict) for verdict in _COLUMNS), counts]
        rows.append(f"| {' | '.join(str(cell) for cell in cells)} |")
    return "\n".join(rows)


def _not_counted(why: str) -> str:
    plain = why.replace("`", "'")
    return f"no: {inline(plain)}" if plain else "no"


def _list(spoke: list[ReviewerReport], report: ReviewReport, verdict: CitationVerdict) -> str:
    found = list(_citations(spoke, verdict))
    if not found:
        return ""
    links = links_of(report)
    lines = [f"- {links[identity]}: {_line(citation)}" for identity, citation in found[:_MAX_LISTED]]
    if len(found) > _MAX_LISTED:
        lines.append(f"- and {len(found) - _MAX_LISTED} more")
    return f"{count(len(found), 'citation').capitalize()} {verdict.value}:\n\n" + "\n".join(lines)


def _citations(spoke: list[ReviewerReport], verdict: CitationVerdict) -> Iterator[tuple[str, Citation]]:
    for reviewer in spoke:
        cited = (c for finding in findings_of(reviewer) for c in finding.citations if c.verdict == verdict)
        for citation in dict.fromkeys(cited):
            yield reviewer.result.identity, citation


def _line(citation: Citation) -> str:
    written = code(citation.raw or place(citation))
    moved = citation.resolved and citation.resolved != citation.path
    target = f" → {code(place(citation))}" if moved else ""
    return f"{written}{target}" + (f" — {inline(citation.note)}" if citation.note else "")
