"""The file that a name is joined to: by its sentence, by the one file of its paragraph, or by what it stands under.

Pure. How firmly is kept with the tie (see `relations`), so that a loose one alone never makes a fault.
"""

import re
from collections.abc import Sequence

from msd_review.grounding.blocks import Block, Part
from msd_review.grounding.mentions import Mention
from msd_review.grounding.prose import MASK, Sentence
from msd_review.grounding.relations import Tie, only_place, strong_tie
from msd_review.lazy import regex

_MAX_AROUND = 3  # sentences, and names, of a paragraph that is about one file
_INSIDE_PATH = regex(
    r"(?:^|[\s*])(?:in|inside|within|at|from)\s+(?:the\s+|file\s+|module\s+)*[(\[\"'*]*$", re.IGNORECASE
)
_OBJECT = regex(
    r" ?[,:—–-]? ?(?:(?:the|existing|current|let|make|have|find|locate|modify|update|extend|change|edit|refactor|rewrite|fix|rename|remove|delete|replace|split|inline|simplify|harden|"
    r"adjust|keep|wrap|function|method|class|helper|constant|type|culprit|is|there|a|we|touch|bound|tighten|guard|teach|must|needs|deprecate|leave) )*",
    re.IGNORECASE,
)
_AND_OBJECT = regex(
    r",? ?(?:and|then|and then) (?:find|locate|look (?:for|at)|search for|inspect) (?:the )?",
    re.I,
)
_LEAD = regex(
    r"^[\W\d]*(?:(?:function|method|class|symbol|name|type|constant|struct|helper|interface|enum|trait|macro|def|func|fn|pub|static|async|teach|tighten|bound|change|update|modify|fix|the|extend)\b[\s:*]*)*",
    re.I,
)


def tie_of(block: Block, part: Part, at: int) -> Tie | None:
    """The file that the name at `part.named[at]` is joined to: beside it, the only one around, or the one it stands under."""
    sentence, named = part.sentence, part.named
    found = strong_tie(sentence, named, at) or _opening_tie(sentence, named, at)
    if found is not None:
        return found
    symbol = named[at]
    here = only_place(named)
    if here is not None:
        taken = any(
            strong_tie(sentence, named, other)
            for other in range(len(named))
            if other != at and named[other].symbol
        )
        return Tie(here, "weak" if taken else "loose")
    if any(mention.place is not None for mention in named):
        return None
    around = only_place(block.named)
    symbols = {mention.symbol for mention in block.named if mention.symbol is not None}
    if around is not None and (len(block.parts) > _MAX_AROUND or len(symbols) > _MAX_AROUND):
        return None
    if around is not None:
        return Tie(around, "loose", same=False)
    if block.scope is not None and not any(mention.place is not None for mention in block.named):
        opens = not re.search(
            r"[a-z]{2,}", _LEAD.sub("", block.parts[0].sentence.masked[: symbol.start]), re.I
        )
        firm = opens and block.firm and part is block.parts[0]
        return (
            Tie(block.scope, "strong" if firm else "loose", same=False)
            if firm or symbol.code or symbol.declared
            else None
        )
    return None


def _opening_tie(sentence: Sentence, named: Sequence[Mention], at: int) -> Tie | None:
    """A path that opens the sentence ("In `path`, change `name`"), or is looked at first ("Open `path` and find `name`")."""
    preceding = next((other for other in reversed(named[:at]) if other.place is not None), None)
    if preceding is None:
        return None
    gap = sentence.masked[preceding.end : named[at].start]
    opens = _INSIDE_PATH.search(sentence.masked[: preceding.start]) or re.match(r"[*)\]]*\s?[:—–-]\s", gap)
    if opens and _fits(_OBJECT, gap) or _fits(_AND_OBJECT, gap):
        return Tie(preceding, "strong")
    return None


def _fits(pattern: re.Pattern[str], gap: str) -> bool:
    plain = re.sub(r"[\s\[\]\"'*()]+", " ", re.sub(rf"{MASK}+", MASK, gap))
    return len(gap) < 400 and bool(pattern.fullmatch(plain))


def firmer(tie: Tie | None, owner: Tie | None) -> Tie | None:
    """A member belongs where its owner does."""
    return owner if owner is not None and owner.weight == "strong" else tie or owner
