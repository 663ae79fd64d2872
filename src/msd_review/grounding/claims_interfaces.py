"""Claims in code samples that a plan shows as what is there: "From `src/a.py`:" before a fenced block of declarations.

Pure. Each declaration is read by the parser of the named file's language; what does not parse claims nothing.
"""

import re
from collections.abc import Iterator

from msd_review.grounding.definitions import definitions_in
from msd_review.grounding.model import Claim
from msd_review.grounding.plan import Plan, Segment
from msd_review.grounding.prose import fenced_blocks
from msd_review.lazy import regex
from msd_review.review.places import place_of

_FROM = regex(r"(?:^|\n)[ \t]*(?:[-*>#/]+[ \t]*)?(?:\*\*)?(?:From|In|Existing(?: code)?(?: in)?|Extracted from|Defined in|File)\b:?[ \t]*`?(?P<path>[\w./@-]{3,300})`?[^\n]{0,80}\n\s*$", re.I)  # fmt: skip
_HEADER = regex(r"\s*(?://|#|/\*|--)[ \t]*(?:From[: ]+|File[: ]+|in[: ]+)?`?(?P<path>[\w./@-]{3,300})`?[ \t]*(?:\([^)\n]*\))?:?(?:[ \t]*\*/)?[ \t]*(?:\n|$)", re.I)  # fmt: skip
_UNTOLD = regex(r"\b(?:new|create|will|after|should|to be|planned|proposed|from plan|add)\b", re.IGNORECASE)
_MAX_CLAIMS = 500


def interface_claims(plan: Plan) -> Iterator[Claim]:
    """The declarations that `<interfaces>` and `<context>` show as those of existing files; at most 500."""
    found = (claim for segment in plan.within("interfaces", "context") for claim in _shown(plan, segment))
    for count, claim in enumerate(found):
        if count >= _MAX_CLAIMS:
            return
        yield claim


def _shown(plan: Plan, segment: Segment) -> Iterator[Claim]:
    text = plan.said(segment)
    for start, end, _ in fenced_blocks(text):
        code = text[start:end]
        path = _source(text[:start], code)
        if path is not None:
            yield from _declared(plan, segment, path, code, first=plan.line_at(segment.start + start))


def _source(before: str, code: str) -> str | None:
    """The file that a block is taken from: named in the line above it, or in its own first comment."""
    above = before.rstrip("\n").rpartition("\n")[0] + "\n"  # without the line that opens the fence
    named = _FROM.search(above[-600:])
    header = _HEADER.match(code)
    match = named or header
    if match is None or named is not None and _UNTOLD.search(named.group()):
        return None
    place = place_of(match["path"].rstrip(":."))
    return place.path if place is not None and "/" in place.path else None


def _declared(plan: Plan, segment: Segment, path: str, code: str, *, first: int) -> Iterator[Claim]:
    for item in definitions_in(path, code):
        if item.kind not in {"function", "type"} or len(item.name) < 3:
            continue
        yield Claim(
            kind="signature" if item.parameters else "symbol",
            plan=plan.name,
            line=first + item.line - 1,
            text=f"{item.qualified}({' '.join(item.parameters.split())})"
            if item.parameters
            else item.qualified,
            mode="exists",
            tag="interfaces",
            path=path,
            symbol=item.qualified,
            parameters=item.parameters or None,
            tied=True,
        )
