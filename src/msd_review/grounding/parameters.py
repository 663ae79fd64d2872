"""Claims about single parameters in a plan's sentences: "the `limit` parameter of `load`", "`load` takes two arguments".

Pure. Only what the wording says of today counts: a parameter that a function "now" takes is to be added.
"""

import re
from collections.abc import Iterator

from msd_review.grounding.blocks import Block, Part
from msd_review.grounding.mentions import Mention
from msd_review.grounding.model import Claim
from msd_review.grounding.plan import Plan, Segment
from msd_review.grounding.prose import MASK, mode_of
from msd_review.grounding.relations import only_place
from msd_review.lazy import regex

_WORD = r"(?:parameter|argument|param|arg|kwarg|keyword(?: argument)?|option)s?"
_OF = regex(rf"\s*{_WORD}\s+(?:of|on|in|to|for|from)\s+(?:the\s+|function\s+|method\s+)*", re.I)
_TAKES = regex(
    rf"[^;:]{{0,120}}?\b(?:has|takes|accepts|supports|receives|have|take|accept)\s+(?:an?\s+|the\s+|one\s+)?(?:{_WORD}\s+)?(?:{MASK}+\s*(?:,|and|&)+\s*)*",
    re.I,
)
_COUNT = regex(
    rf"[^;:]{{0,120}}?\b(?:takes|accepts|has|expects|needs)\s+(?:exactly\s+|only\s+)?(?P<count>\d|no|one|two|three|four|five|six)\s+{_WORD}\b",
    re.I,
)
_TODAY = regex(
    r"\b(?:already|currently|today|existing|at present|right now|as of now|so far|as it is)\b", re.I
)
_NUMBERS = {"no": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def parameter_claims(plan: Plan, segment: Segment, block: Block, part: Part) -> Iterator[Claim]:
    """The claims of one sentence about parameters, or their number (`parameters` is then "#2")."""
    place = only_place(block.named) or block.scope
    if place is None or place.place is None:
        return
    for function, said, at in _said(part):
        yield Claim(
            kind="parameter",
            plan=plan.name,
            line=plan.line_at(segment.start + part.sentence.start + at),
            text=f"{said} of {function.symbol}" if said.startswith("#") else said,
            mode="exists",
            tag=segment.tag,
            task=segment.task,
            path=place.place.path,
            symbol=function.symbol,
            parameters=said,
            tied=True,
        )


def _said(part: Part) -> Iterator[tuple[Mention, str, int]]:
    masked, named = part.sentence.masked, part.named
    symbols = [mention for mention in named if mention.symbol is not None]
    today = bool(_TODAY.search(masked))
    for first, second in zip(symbols, symbols[1:], strict=False):
        if _OF.fullmatch(masked[first.end : second.start]) and _is_there(part, first, today=today):
            yield second, first.symbol or "", first.start
    if not symbols or not today:
        return
    function = symbols[0]
    for mention in symbols[1:]:
        if _TAKES.fullmatch(masked[function.end : mention.start]) and mention.parameters is None:
            yield function, mention.symbol or "", mention.start
    counted = _COUNT.match(masked, function.end)
    if counted is not None:
        yield function, f"#{_NUMBERS.get(counted['count'].lower(), counted['count'])}", function.start


def _is_there(part: Part, mention: Mention, *, today: bool) -> bool:
    mode = mode_of(part.sentence, mention.start, mention.end)
    before = part.sentence.masked[: mention.start]
    named = re.search(r"\b(?:the|existing|current|its)\s+[(\[\"'*]*$", before, re.I) is not None
    return (
        mode in {"exists", "stated", "neutral", "container"}
        or (named or today)
        and mode != "unsure"
        and not re.search(r"\b(?:add|new|introduce)\b", before, re.I)
    )
