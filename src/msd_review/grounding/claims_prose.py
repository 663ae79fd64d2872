"""Claims in a plan's sentences: paths, lines, symbols and signatures, each with what its sentence says of it.

Pure. A symbol is tied to a path by its sentence, by the one file of its paragraph, or by the heading or list item that
it stands under; how firmly is kept with the claim, so that a loose tie alone never makes a fault.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from msd_review.grounding.blocks import Block, Part, blocks_of, said_lines
from msd_review.grounding.mentions import Mention
from msd_review.grounding.model import Claim
from msd_review.grounding.parameters import parameter_claims
from msd_review.grounding.plan import Plan, Segment
from msd_review.grounding.prose import (
    Mode,
    Sentence,
    is_added_to,
    is_direct_object,
    is_item,
    leads_to_new,
    mode_of,
)
from msd_review.grounding.relations import Tie, is_brought, is_no_code, only_place, owner_of
from msd_review.grounding.signatures import split_parameters
from msd_review.grounding.ties import firmer, tie_of
from msd_review.lazy import regex

# What these parts say is true after the plan was carried out, not before.
AFTERWARDS = frozenset(
    ["automated", "verify", "verification", "done", "acceptance_criteria", "success_criteria", "output", "behavior",
     "threat_model", "name", "must_haves", "human-check", "manual", "how-to-verify", "what-built", "feature", "resume-signal"]
)  # fmt: skip
MUST_EXIST = frozenset({"read_first", "execution_context"})
MAX_CLAIMS = 10_000
_SETTINGS = regex(
    r"(?:^|/)(?:[Mm]akefile|justfile|Gemfile|go\.mod|pom\.xml|[\w-]*requirements[\w-]*\.txt)$|\.(?:ya?ml|toml|jsonc?|json5|ini|cfg|conf|config|properties|editorconfig|hcl|tfvars|xml)$",
    re.I,
)
_DEFINED_AT = regex(
    r"\b(?:defined|declared|starts|begins|definition|declaration|is where|beginning|starting)\b",
    re.IGNORECASE,
)
_CHANGED = regex(
    r"\b(?:modify|update|extend|refactor|fix|rewrite|change|simplify|harden|inline|rename|remove|delete) (?:(?:the|existing|current|function|method|class|helper|constant|type) )*[(\[\"'*]*$",
    re.IGNORECASE,
)
_SIGNATURE = regex(
    r"\b(?:signatures?|declar(?:es|ed)|defin(?:es|ed|ition)|parameter list|takes|accepts|exposes|existing (?:api|helper|function)|interface|contract|current|as is|as it is|unchanged|existing)\b",
    re.I,
)
_TYPED = regex(
    r"^\s*(?:self|cls|&(?:mut )?self|this)\b|\w\s*:\s*[\w\[\"'&*<{(]|\w\s*=\s*|^\s*(?:const |final |struct |unsigned )?[\w<>\[\].:]+[\s*&]+\w+\s*(?:,|$)"
)
_TODAY = regex(
    r"\b(?:already|currently|today|existing|right now|at present|as it is|keeps?|present|current|before)\b",
    re.I,
)
_RAISED = regex(
    r"\b(?:raise|lower|increase|decrease|bump|flip|toggle|tune|reduce|double|halve)\s+(?:the\s|existing\s)*[(\[\"'*]*$",
    re.I,
)
_INDEFINITE = regex(
    r"(?<!there is )(?<!has )\ban?\s+(?:(?!(?:of|in|on|to|for|from|by|at|with)\s)[\w-]+\s+){0,2}[(\[\"'*]*$",
    re.I,
)
_FIELD_PATH = regex(r"(?:^|\s)-?\s*path:\s*[\"']?$")
_STATED_THERE = regex(r"\bstatus:\s*[\"']?(?:exists|existing|present|unchanged|current)\b", re.I)
_AS_NEW = regex(
    r"\b(?:subclass|export|alias|expose|register|store|save|reuse|publish|copy|clone|wrap|refactor|extract|introduce|type)\w*\b[^;:.]{0,120}\bas\s+(?:an?\s)?[(\[\"'*]*$",
    re.I,
)
_IS_SAID_TO = regex(
    r"\b(?:exposes|offers|implements|defines|declares|provides|contains|holds|has|takes)\b", re.I
)
_ROW_NEW = regex(r"\|\s*(?:new|create|created|add|added|to create|to add|planned|no|n)\s*\|", re.I)


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
    announced = under_new = False
    for block in blocks_of(plan.said(segment)):
        for part in block.parts:
            heads = re.match(r"\s*#{1,6}\s", part.sentence.text) is not None
            under_new = leads_to_new(part.sentence) if heads else under_new
            announced = leads_to_new(part.sentence) or announced and is_item(part.sentence) or under_new
            yield from _part_claims(plan, segment, block, part=part, announced=announced or block.new)
            yield from _lines_apart(plan, segment, block, part)
            if segment.tag not in AFTERWARDS:
                yield from parameter_claims(plan, segment, block, part)


def _part_claims(
    plan: Plan, segment: Segment, block: Block, *, part: Part, announced: bool
) -> Iterator[Claim]:
    sentence = part.sentence
    for at, mention in enumerate(part.named):
        line = plan.line_at(segment.start + sentence.start + mention.start)
        mode = _mode(segment, sentence, mention)
        mode = "creates" if announced and mode in {"neutral", "stated"} else mode
        if mention.place is not None:
            yield from _path_claims(plan, segment, sentence, mention=mention, mode=mode, line=line)
            continue
        tie = tie_of(block, part, at)
        owner = owner_of(sentence, part.named, at)
        if owner is not None:
            tie = firmer(tie, tie_of(block, part, owner))
            mention = replace(mention, symbol=f"{part.named[owner].symbol}.{mention.symbol}")
            if mode == "creates" and _IS_SAID_TO.search(
                sentence.masked[part.named[owner].end : mention.start]
            ):
                mode = mode_of(sentence, part.named[owner].start, part.named[owner].start)
        read = _as_symbol(mention, tie, block)
        if mention.arguments is not None and not re.search(r"(?<!right )\bnow\b", sentence.masked, re.I):
            mode = (
                "exists"
                if mode == "creates" and _TODAY.search(sentence.masked)
                else "neutral"
                if mode == "creates" and re.search(r"\btakes\b", sentence.masked)
                else mode
            )
        if read is not None:
            yield _symbol_claim(plan, segment, sentence, mention=read, mode=mode, line=line, tie=tie)


def _lines_apart(plan: Plan, segment: Segment, block: Block, part: Part) -> Iterator[Claim]:
    """Lines of the file that a paragraph or a list item is about, in a sentence that does not name it again."""
    if any(mention.place is not None for mention in part.named):
        return
    host = only_place(block.named) or block.scope
    if host is None or host.place is None or block.new:
        return
    for first, last, at in said_lines(part.sentence.masked):
        mode = mode_of(part.sentence, at, at)
        line = plan.line_at(segment.start + part.sentence.start + at)
        yield Claim(kind="lines", plan=plan.name, line=line, text=host.text, mode="unsure" if segment.tag in AFTERWARDS else mode, tag=segment.tag,
                    task=segment.task, path=host.place.path, first=first, last=last, apart=True)  # fmt: skip


def _as_symbol(mention: Mention, tie: Tie | None, block: Block) -> Mention | None:
    """The mention as a symbol: a key of a settings file is one, and parameters alone are those of the name before."""
    if mention.symbol is not None:
        return mention if mention.code or tie is not None else None
    if (
        mention.key is not None
        and tie is not None
        and tie.mention.place
        and _SETTINGS.search(tie.mention.place.path)
    ):
        return replace(mention, symbol=mention.key)
    if mention.arguments is not None:
        named = [other for other in block.named if other.symbol is not None]
        if len({other.symbol for other in named}) == 1 and tie is not None:
            return replace(mention, symbol=named[0].symbol, parameters=mention.arguments, declared=True)
    return None


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
    if (
        _FIELD_PATH.search(sentence.masked[: mention.start])
        and mention.place
        and not _STATED_THERE.search(sentence.masked)
    ):
        return "unsure"
    if _STATED_THERE.search(sentence.masked[mention.end :]):
        return "exists"
    if _AS_NEW.search(sentence.masked[: mention.start]) and not re.match(
        r"\W*(?:in|does|do|shows|is|defined|of|from)\b", sentence.masked[mention.end : mention.end + 20]
    ):
        return "creates"
    if sentence.text.lstrip().startswith("|") and _ROW_NEW.search(sentence.text):
        return "creates"
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
    lines = target if target is not None and tie is not None and tie.same and tie.weight != "weak" else None
    mode = _symbol_mode(sentence, mode, mention, tie=tie)
    return Claim(
        kind="signature" if mention.parameters is not None and mention.parameters.strip() else "symbol",
        plan=plan.name,
        line=line,
        text=mention.text,
        mode=mode,
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
        as_call=not _is_signature(mention, sentence),
        weight=tie.weight if tie is not None else "",
        bare=not mention.code,
        apart=tie is not None and not tie.same,
    )


def _is_to_be_changed(sentence: Sentence, mention: Mention) -> bool:
    """Whether a name that looks like code is the very thing to be changed: "Refactor `load_all()`"."""
    is_code = mention.called or bool(re.search(r"_|\.|[a-z][A-Z]", mention.symbol or ""))
    return is_code and bool(_CHANGED.search(sentence.masked[: mention.start]))


def _symbol_mode(sentence: Sentence, mode: Mode, mention: Mention, *, tie: Tie | None) -> Mode:
    if tie is None:
        return "exists" if mode == "container" else mode
    given = re.search(r"\bgive\w*\s[(\[\"'*]*$", sentence.masked[: tie.mention.start], re.I)
    if mode == "creates" and tie.subject and not given:
        said_before = mode_of(sentence, tie.mention.start, tie.mention.start)
        mode = "exists" if said_before in {"exists", "neutral", "stated"} else mode
    settings = tie.mention.place is not None and _SETTINGS.search(tie.mention.place.path)
    if settings and _RAISED.search(sentence.masked[: mention.start]):
        mode = "exists"
    if mode != "exists" and not settings and is_no_code(sentence, mention):
        return "unsure"
    if mode != "creates" and not tie.subject and _INDEFINITE.search(sentence.masked[: mention.start]):
        return "unsure"
    if not settings and tie.same and is_brought(sentence, mention, tie.mention):
        return "unsure"
    if mode == "container" or mode in {"neutral", "stated"} and tie.near:
        return "exists"
    return mode


def _is_signature(mention: Mention, sentence: Sentence) -> bool:
    """Whether parameters are written as a declaration writes them, and not as a call."""
    if mention.parameters is None or not mention.parameters.strip():
        return False
    if any(re.match(r"[\"'\d\[{]|\w+[.(]", part) for part in split_parameters(mention.parameters)):
        return False
    if re.search(
        r"\b(?:call(?:s|ing|ed)?|invok\w+|pass\w*|us(?:e|es|ing))\s+[(\[\"'*]*$",
        sentence.masked[: mention.start],
        re.I,
    ):
        return mention.declared or bool(_TYPED.search(mention.parameters))
    return (
        mention.declared
        or bool(_SIGNATURE.search(sentence.masked))
        or bool(_TYPED.search(mention.parameters))
    )
