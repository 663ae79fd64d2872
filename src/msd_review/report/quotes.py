"""Which source lines the HTML page wants to quote, and how a quote is written.

Pure: whoever reads the files asks `wanted_quotes` what to read, reads only what its own rules allow, and hands the
lines back as `ReviewReport.sources`.
"""

from dataclasses import dataclass

from msd_review.report.counts import findings_of, place
from msd_review.report.model import ReviewReport
from msd_review.review.clean import clean_text
from msd_review.review.model import Citation, CitationVerdict

CONTEXT_LINES = 3
_MAX_QUOTED = 24
_MAX_WIDTH = 200
_MAX_QUOTES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedQuote:
    """Lines `first` to `last` (1-based, both included) of `path`, relative to the tree; `key` is its place in
    `ReviewReport.sources`."""

    key: str
    path: str
    first: int
    last: int


def wanted_quotes(report: ReviewReport) -> tuple[WantedQuote, ...]:
    """The distinct places with a line that were verified or found where they moved to; at most 1,000."""
    findings = [finding for reviewer in report.reviewers for finding in findings_of(reviewer)]
    quotes = [_wanted(citation) for finding in findings for citation in finding.citations]
    distinct = {quote.key: quote for quote in quotes if quote}
    return tuple(distinct.values())[:_MAX_QUOTES]


def quote_lines(text: str, quote: WantedQuote) -> str:
    """The wanted lines of a file's text with their numbers and a little context; the cited ones are marked.

    >>> quote_lines("a\\nb\\n", WantedQuote(key="x:2", path="x", first=2, last=2))
    '  1  a\\n> 2  b'
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    first = max(1, quote.first - CONTEXT_LINES)
    last = min(len(lines), quote.last + CONTEXT_LINES, first + _MAX_QUOTED - 1)
    width = len(str(last))
    return "\n".join(_numbered(number, lines[number - 1], quote, width) for number in range(first, last + 1))


def _numbered(number: int, line: str, quote: WantedQuote, width: int) -> str:
    mark = ">" if quote.first <= number <= quote.last else " "
    shown = line if len(line) <= _MAX_WIDTH else line[: _MAX_WIDTH - 1] + "…"
    return f"{mark} {number:>{width}}  {clean_text(' ' + shown)[1:] if shown.strip() else ''}".rstrip()


def _wanted(citation: Citation) -> WantedQuote | None:
    found = citation.verdict in {CitationVerdict.VERIFIED, CitationVerdict.MOVED}
    if not found or citation.resolved is None or citation.line is None or citation.line < 1:
        return None
    last = max(citation.line, citation.end_line or citation.line)
    return WantedQuote(key=place(citation), path=citation.resolved, first=citation.line, last=last)
