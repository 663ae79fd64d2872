"""Claims in a plan's sentences: paths, lines, symbols and signatures, each with what its sentence says of it.

Pure. A symbol is tied to a path only where the sentence joins the two ("`name` in `path`", "`path` exports `name`").
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from msd_review.grounding.mentions import Mention, mentions, symbol_in
from msd_review.grounding.model import Claim
from msd_review.grounding.plan import Plan, Segment
from msd_review.grounding.prose import (
    MASK,
    Mode,
    Sentence,
    is_added_to,
    is_direct_object,
    is_item,
    leads_to_new,
    mode_of,
    sentences,
)
from msd_review.lazy import regex
from msd_review.review.places import place_of

# What these parts say is true after the plan was carried out, not before.
AFTERWARDS = frozenset(
    ["automated", "verify", "verification", "done", "acceptance_criteria", "success_criteria", "output", "behavior",
     "threat_model", "name", "must_haves", "human-check", "manual", "how-to-verify", "what-built", "feature", "resume-signal"]
)  # fmt: skip
MUST_EXIST = frozenset({"read_first", "execution_context"})
MAX_CLAIMS = 10_000
_NOUN = (
    r"(?:functions?|methods?|class(?:es)?|helpers?|constants?|types?|structs?|hooks?|components?|modules?|interfaces?|enums?|traits?|variables?|"
    r"fields?|macros?|definitions?|implementation|logic|handlers?|service|objects?|exports?|file|both|all|defined|declared|located|lives?|living|found|"
    r"exported|implemented|provided|exists?|present|available|there|kept|residing|sitting|is|are|which|that|already|currently|now|today|can|be|see|cf|constructor|decorator|fixture)"
)
_LIST = rf"(?:(?:,|and|or|&|/)+ (?:the )?{MASK} ?)*"
_SYMBOL_THEN_PATH = regex(
    rf" ?{_LIST}(?:call path |code path |body |{_NOUN}\b ?|, ?)*(?:in|of|from|at|on|inside|within|by|:|—|–|-|→|->|@|,)? ?"
    r"(?:(?:the|existing|current|file|module|see|at|in|of|lines? \d+(?: ?[-–] ?\d+)?|lines?|and) )*",
    re.IGNORECASE,
)
_PATH_THEN_SYMBOL = regex(
    rf" ?(?:,? ?lines? \d+(?: ?[-–] ?\d+)?)?(?: ?['’]s| ?(?:::?|—|–|-|→|->)|,? ?(?:which|that)? ?(?:already|currently)? ?"
    rf"\b(?:exports|defines|declares|provides|contains|has|holds|implements|exposes)\b| ?\() ?"
    rf"(?:(?:the|existing|current|see|including) )*(?:(?:a )?{_NOUN} ?)*(?:{MASK} ?(?:,|and|or|&|/)+ ?(?:the )?)*",
    re.IGNORECASE,
)
_INSIDE_PATH = regex(
    r"(?:^|[\s*])(?:in|inside|within|at|from)\s+(?:the\s+|file\s+|module\s+)*[(\[\"'*]*$", re.IGNORECASE
)
_OBJECT = regex(
    rf" ?[,:—–-]? ?(?:(?:the|existing|current|let|make|have|find|locate|modify|update|extend|change|edit|refactor|rewrite|fix|rename|remove|delete|replace|split|inline|simplify|harden|"
    rf"adjust|keep|wrap|{_NOUN}) )*",
    re.IGNORECASE,
)
_AND_OBJECT = regex(
    r",? ?(?:and|then|and then) (?:find|locate|look (?:for|at)|search for|inspect) (?:the )?",
    re.I,
)
_DEFINED_AT = regex(r"\b(?:defined|declared|starts|begins|definition|declaration)\b", re.IGNORECASE)
_CHANGED = regex(
    rf"\b(?:modify|update|extend|refactor|fix|rewrite|change|simplify|harden|inline|rename|remove|delete) (?:(?:the|existing|current|{_NOUN}) )*[(\[\"'*]*$",
    re.IGNORECASE,
)
_BARE_NAME = regex(
    r"(?<![\w./`@-])(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z]+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+(?=\(\)))(?:\(\))?(?![\w/`]|\.\w)"
)


_NAME_IN = regex(
    r"(?<![\w./`@-])(?P<name>(?:[A-Za-z_]\w*\.)*(?:[A-Za-z]+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)(?:\(\))?) (?:in|of|from) (?:the )?[(\[\"'*]*$"
)


@dataclass(frozen=True, slots=True)
class Tie:
    """The path that a symbol is joined to. Without `near`, only the sentence's opening joins them; with `subject`, the
    path does something to the symbol ("`path` defines `name`")."""

    mention: Mention
    near: bool
    subject: bool = False


def prose_claims(plan: Plan) -> Iterator[Claim]:
    """Every claim in the sentences of a plan, in order; at most 10,000."""
    count = 0
    for segment in plan.segments:
        if segment.tag == "files":
            continue
        for claim in _segment_claims(plan, segment):
            yield claim
            count += 1
            if count >= MAX_CLAIMS:
                return


def _segment_claims(plan: Plan, segment: Segment) -> Iterator[Claim]:
    announced = False
    for sentence in sentences(plan.said(segment)):
        announced = leads_to_new(sentence) or announced and is_item(sentence)
        if MASK not in sentence.masked and "/" not in sentence.text and ":" not in sentence.text:
            continue
        named = mentions(sentence)
        sentence = _blotted(sentence, named)
        for at, mention in enumerate(named):
            line = plan.line_at(segment.start + sentence.start + mention.start)
            mode = _mode(segment, sentence, mention)
            mode = "creates" if announced and mode in {"neutral", "stated"} else mode
            if mention.place is not None:
                yield from _path_claims(plan, segment, sentence, mention=mention, mode=mode, line=line)
            elif mention.symbol is not None:
                tie = tied_place(sentence, named, at)
                yield _symbol_claim(plan, segment, sentence, mention=mention, mode=mode, line=line, tie=tie)
        yield from _bare_names(plan, segment, sentence, named)
        if segment.tag in MUST_EXIST:
            yield from _noted_names(plan, segment, sentence, named)


def _blotted(sentence: Sentence, named: Sequence[Mention]) -> Sentence:
    """The sentence with paths outside code spans blotted out too: their folders' names are no words of it."""
    masked = sentence.masked
    for mention in named:
        if not mention.code:
            masked = masked[: mention.start] + MASK * (mention.end - mention.start) + masked[mention.end :]
    return Sentence(sentence.text, masked, sentence.start)


def _bare_names(
    plan: Plan, segment: Segment, sentence: Sentence, named: Sequence[Mention]
) -> Iterator[Claim]:
    """Names written without backticks right before "in `path`"."""
    for place in named if segment.tag not in AFTERWARDS else ():
        joined = _NAME_IN.search(sentence.masked[: place.start]) if place.place is not None else None
        symbol = symbol_in(joined["name"]) if joined else None
        if joined is None or symbol is None or place.place is None or place_of(joined["name"]) is not None:
            continue
        mode = mode_of(sentence, joined.start("name"), joined.end("name"))
        if mode in {"exists", "stated", "container"}:
            yield Claim(
                kind="symbol",
                plan=plan.name,
                line=plan.line_at(segment.start + sentence.start + joined.start("name")),
                text=joined["name"],
                mode="exists",
                tag=segment.tag,
                task=segment.task,
                path=place.place.path,
                symbol=symbol[0],
                tied=True,
            )


def _mode(segment: Segment, sentence: Sentence, mention: Mention) -> Mode:
    if segment.tag in MUST_EXIST:
        return "exists"
    if segment.tag == "output":
        return "creates" if mention.place is not None else "unsure"
    if segment.tag in AFTERWARDS:
        return "unsure"
    before = sentence.text[: mention.start].rstrip(" `")
    if segment.tag == "context" and before.endswith("@") or mention.text.startswith("@") and mention.place:
        return "exists"
    mode = mode_of(sentence, mention.start, mention.end)
    return (
        "stated" if mode == "container" and mention.place and is_added_to(sentence, mention.start) else mode
    )


def _path_claims(
    plan: Plan, segment: Segment, sentence: Sentence, *, mention: Mention, mode: Mode, line: int
) -> Iterator[Claim]:
    place = mention.place
    if place is None:
        return
    claim = partial(
        Claim,
        plan=plan.name,
        line=line,
        text=mention.text,
        task=segment.task,
        tag=segment.tag,
        path=place.path,
    )
    included = sentence.text[: mention.start].rstrip(" `").endswith("@") or mention.text.startswith("@")
    if included and segment.tag in {"context", "execution_context"}:
        yield claim(kind="path", mode="exists", tag="include")
    else:
        yield claim(kind="path", mode=mode, strict=is_direct_object(sentence, mention.start))
    for first, last in ((place.line, place.end_line), *place.more):
        if first is not None:
            yield claim(kind="lines", mode=mode, first=first, last=last)
    if place.symbol:
        yield claim(
            kind="symbol",
            mode="exists" if mode in {"neutral", "stated"} else mode,
            symbol=place.symbol,
            tied=True,
        )


def _symbol_claim(
    plan: Plan,
    segment: Segment,
    sentence: Sentence,
    *,
    mention: Mention,
    mode: Mode,
    line: int,
    tie: Tie | None,
) -> Claim:
    target = tie.mention.place if tie is not None else None
    lines = target if target is not None and tie is not None and tie.near else None
    return Claim(
        kind="symbol" if not _is_signature(mention, sentence) else "signature",
        plan=plan.name,
        line=line,
        text=mention.text,
        mode=_symbol_mode(sentence, mode, tie),
        tag=segment.tag,
        task=segment.task,
        path=target.path if target else None,
        first=lines.line if lines else None,
        last=lines.end_line if lines else None,
        symbol=mention.symbol,
        parameters=mention.parameters,
        tied=tie is not None and tie.near,
        strict=bool(_DEFINED_AT.search(sentence.masked)) if target else _is_to_be_changed(sentence, mention),
        called=mention.called,
    )


def _is_to_be_changed(sentence: Sentence, mention: Mention) -> bool:
    """Whether a name that looks like code is the very thing to be changed: "Refactor `load_all()`"."""
    is_code = mention.called or bool(re.search(r"_|\.|[a-z][A-Z]", mention.symbol or ""))
    return is_code and bool(_CHANGED.search(sentence.masked[: mention.start]))


def _symbol_mode(sentence: Sentence, mode: Mode, tie: Tie | None) -> Mode:
    if mode == "creates" and tie is not None and tie.subject:
        said_before = mode_of(sentence, tie.mention.start, tie.mention.start)
        return "exists" if said_before in {"exists", "neutral", "stated"} else mode
    return "exists" if mode == "container" or mode in {"neutral", "stated"} and tie is not None else mode


def _is_signature(mention: Mention, sentence: Sentence) -> bool:
    """Whether parameters are written as a declaration writes them, and not as a call."""
    if mention.parameters is None or not mention.parameters.strip():
        return False
    before = sentence.masked[max(0, mention.start - 60) : mention.start]
    return mention.declared or bool(re.search(r"\bsignature\b", before, re.IGNORECASE))


def tied_place(sentence: Sentence, named: Sequence[Mention], at: int) -> Tie | None:
    """The path that the sentence joins the symbol at `named[at]` to: behind it, right before it, or opening the sentence."""
    symbol = named[at]
    following = next((other for other in named[at + 1 :] if other.place is not None), None)
    if following is not None and _joins(_SYMBOL_THEN_PATH, sentence.masked[symbol.end : following.start]):
        return Tie(following, near=True)
    preceding = next((other for other in reversed(named[:at]) if other.place is not None), None)
    if preceding is None:
        return None
    if _joins(_PATH_THEN_SYMBOL, sentence.masked[preceding.end : symbol.start]):
        return Tie(preceding, near=True, subject=True)
    if following is not None:
        return None
    gap = sentence.masked[preceding.end : symbol.start]
    if _INSIDE_PATH.search(sentence.masked[: preceding.start]) or re.match(r"[*)\]]*\s?[:—–-]\s", gap):
        return Tie(preceding, near=_joins(_OBJECT, gap))
    return Tie(preceding, near=True) if _joins(_AND_OBJECT, gap) else None


def _joins(pattern: re.Pattern[str], gap: str) -> bool:
    """Whether the words between two mentions join them; quotes and emphasis are looked through, and brackets
    too, except that one opened behind a path joins what stands in it."""
    opened = " (" if pattern is _PATH_THEN_SYMBOL else " "
    plain = re.sub(r"\s*\(\s*", opened, re.sub(rf"{MASK}+", MASK, gap))
    return len(gap) < 400 and bool(pattern.fullmatch(re.sub(r"[\s\[\]\"'*)]+", " ", plain)))


def _noted_names(
    plan: Plan, segment: Segment, sentence: Sentence, named: Sequence[Mention]
) -> Iterator[Claim]:
    """Names written without backticks in the note behind a path that is to be read first."""
    places = [mention for mention in named if mention.place is not None]
    if len(places) != 1 or places[0].place is None:
        return
    place = places[0]
    for match in _BARE_NAME.finditer(sentence.masked, place.end):
        symbol = symbol_in(match.group())
        if symbol is None or place_of(match.group()) is not None:
            continue
        yield Claim(
            kind="symbol",
            plan=plan.name,
            line=plan.line_at(segment.start + sentence.start + match.start()),
            text=match.group(),
            mode="exists",
            tag=segment.tag,
            task=segment.task,
            path=place.place.path if place.place else None,
            first=place.place.line if place.place else None,
            last=place.place.end_line if place.place else None,
            symbol=symbol[0],
            tied=True,
        )
