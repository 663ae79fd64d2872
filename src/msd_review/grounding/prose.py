"""Sentences of a plan, and what each says of a thing that it names: that it is there, or that it is to be made.

Pure. Only clear wording gives `exists` or `creates`; `container` is what something new is put into; `stated` is
plain mention in a sentence in which nothing is made; `neutral` is any other wording that says neither. A negation, a condition or an example gives `unsure`, because a false alarm costs more than
a missed fault.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from msd_review.lazy import regex

Mode = Literal["exists", "creates", "container", "stated", "neutral", "unsure"]
MASK = "\x01"
_CODE = regex(
    r"(?P<ticks>`{1,2})(?!`)(?P<code>[^`\n]{1,400}?(?:\n[ \t]{0,12}[^`\n]{1,200}?)?)(?P=ticks)(?!`)"
)
_FENCE = regex(r"^[ \t]*(?P<marks>`{3,}|~{3,})(?P<info>[^`\n]{0,80})$", re.M)
_BREAK = regex(r"(?<!\b[eE]\.g)(?<!\b[iI]\.e)(?<!\bvs)(?<!\betc)(?<!\b[cC]f)(?<!\bll)(?<!\bl)(?<!\s\d)(?<!\s\d\d)[.;!?](?=\s|$)|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+][ \t]|\d{1,3}[.)][ \t]|\||#{1,6}[ \t]|>|\*\*[^*\n]{1,200}\*\*[ \t]*\n))")  # fmt: skip
_SHELL_MOVE = regex(rf"\b(?:mv|cp)\s+(?:-\w+\s+)*{MASK}+\s+[\"']?$")
_CLAUSE = regex(r"[,:]\s|\s(?:--|–|—)\s|\(")
_JOINING = regex(rf"\b(?:and|or|nor|the|a|an|also|in|of|from|at|to)\b|{MASK}")
_AS_NOUN = regex(
    r"\b(?:the|an?|this|that|its|our|one|bug|only|any|each|every|of|in)\s$(?<!\bnew\s)", re.IGNORECASE
)
_KEPT = regex(  # what is not to be changed is there
    r"\b(?:don't|do not|never|not|must not|mustn't|without|no need to|nothing to|cannot)\s(?:to\s)?(?:alter|chang|touch|modif|break|renam|remov|mov|reformat|rewrit|edit|restructur|"
    r"duplicat|replac|delet|drop)\w*",
    re.IGNORECASE,
)
_MAX_SENTENCE = 3_000

_CREATE = (
    r"add(?:s|ed|ing)?|creat(?:e|es|ed|ing)|introduc(?:e|es|ed|ing)|implement(?:s|ed|ing)?(?! (?:by|in)\b)|ends? (?:up|with)|writ(?:e|es|ing|ten)|defin(?:e|es|ing)|"
    r"scaffold(?:s|ed|ing)?|generat(?:e|es|ed|ing)|produc(?:e|es|ed|ing)|build(?:s|ing)?(?! (?:up)?on\b)|declar(?:e|es|ing)|"
    r"insert(?:s|ed|ing)?|append(?:s|ed|ing)?|extract(?:s|ed|ing)?|split(?:s|ting)?|expos(?:e|es|ing)|new|named?|naming|emit(?:s|ted|ting)?|"
    r"becomes?|install(?:s|ing)?|output(?:s|ting)?|save[sd]?|saving|stor(?:e|es|ed|ing)|develop|set up|sketch|into a|renamed|instead|"
    r"register(?:s|ing)?|put|puts|place|places|mount|attach|re-?export|export|include|support|provide|enable|configure|set|host|stub|model|ship|"
    r"land|lands|go|goes|gains?|hold|allow|log|print|show|display|track|record|persist|count|send|report|returns?|raises?|throws?|yields?|pass|"
    r"gives?|accepts?|takes|receives?|render|toggles?|compute|dump|draft|author|compose|design|assemble|derive|publish|spin up|bootstrap|prototype|spawn|choose|pick"
)
_EXIST = (
    r"modif(?:y|ies|ied|ying)|updat(?:e|es|ed|ing)|extend(?:s|ed|ing)?|edit(?:s|ed|ing)?|chang(?:e|es|ed|ing)|refactor(?:s|ed|ing)?|"
    r"rewrit(?:e|es|ing)|rewritten|fix(?:es|ed|ing)?|replac(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|delet(?:e|es|ed|ing)|renam(?:e|es|ing)|"
    r"mov(?:e|es|ing)|patch(?:es|ed|ing)?|adjust(?:s|ed|ing)?|harden(?:s|ed|ing)?|migrat(?:e|es|ed|ing)|convert(?:s|ed|ing)?|"
    r"simplif(?:y|ies|ying)|wrap(?:s|ped|ping)?|keep(?:s|ing)?|reus(?:e|es|ed|ing)|preserv(?:e|es|ed|ing)|call(?:s|ed|ing)?|"
    r"invok(?:e|es|ed|ing)|us(?:e|es|ed|ing)|read(?:s|ing)?|see|follow(?:s|ed|ing)?|mirror(?:s|ed|ing)?|match(?:es|ed|ing)?|cop(?:y|ies|ied|ying)|"
    r"import(?:s|ed|ing)?|inherit(?:s|ed|ing)?|subclass(?:es|ed|ing)?|overrid(?:e|es|den|ing)|inspect(?:s|ed|ing)?|look(?:s|ed|ing)?|"
    r"exist(?:s|ed|ing)?|already|current(?:ly)?|defined|lives?|located|found|declared|today|still|delegat(?:e|es|ed|ing)|rel(?:y|ies|ying)|"
    r"depend(?:s|ed|ing)?|consum(?:e|es|ed|ing)|leverag(?:e|es|ing)|stays?|remains?|handled by|provided by|implemented by|implemented in|exported|"
    r"build(?:s|ing)? (?:up)?on|derived|based|consult|review|study|check|open|understand|load(?:s|ed)?|touch(?:es|ed)?|tweak|drop|deprecate|inline|route|wire|hook|plug|"
    r"of|from|beside|besides|next to|alongside|after|before|below|above|like|through|via|per|within|inside|behind|between|as in|same as|caller|callers"
)
_WORDS = regex(rf"\b(?:(?P<create>{_CREATE})|(?P<exist>{_EXIST}))\b", re.IGNORECASE)
_UNTOLD = regex(
    r"\b(?:no|not|never|without|missing|lacks?|absent|nonexistent|nor|neither|cannot|don't|doesn't|isn't|aren't|didn't|won't|rather than|nothing|nowhere|none|"
    r"instead of|no longer|if|unless|should (?:someone|anyone|it|we|you|this)|or equivalent|or similar|such as|along the lines of|for example|for instance|optional(?:ly)?|"
    r"maybe|perhaps|something like|could|might|upcoming|future|later|placeholder|so that|such that|after (?:this|the|that|each)|once|when done|"
    r"when finished|afterwards|eventually|from now on|(?<!you )(?<!we )(?<!readers )will|shall|would|must (?:export|provide|define|have|contain|expose|declare|offer)|"
    r"needs? to (?:export|provide|define|have|contain|expose)|should (?:export|provide|define|have|contain|expose|end up)|formerly|previously|used to|"
    r"was|were|former|deleted|removed)\b|\be\.g\.|^\W*should\b",
    re.IGNORECASE,
)
_HYPOTHETICAL = regex(
    r"\b(?:suppose|imagine|hypothetical(?:ly)?|rejected|out of scope|upstream|their repo|isn't (?:there|in)|aren't (?:there|in)|not to be found|could(?:n't| not) find|not in scope|for instance|for example|follow-up|provisional(?:ly)?|"
    r"(?:must|has|have|needs?|remains?|still) (?:still )?(?:to )?be (?:written|created|added|implemented|built|introduced)|(?:is|are) not (?:there|present|in the (?:tree|repo\w*))(?: (?:yet|today|now))?|"
    r"(?:does|do) not (?:yet )?exist|(?:does|do)n't (?:yet )?exist|no existing|not this (?:one|phase|plan)|tests? to (?:write|be written)|to be (?:written|created|added|introduced)|negative test|"
    r"commit message|branch name|alternatives? considered|target state|strawman|unlike \w+|(?:from|by|of) (?:plan|task|step|wave|phase) \d[\d.-]*|git-?ignored|some ?day|nobody needs|no one needs|from now on|in the end)\b|^[\W\d]*had (?:we|it|they|this)\b|^\W*e\.g\.|^[\W\d]*(?:after (?:this|the|that|each)|once|from now on|eventually|(?:by|in) the end|when done|afterwards)\b",
    re.IGNORECASE,
)
_UNTOLD_AFTER = regex(
    r"^\W*(?:(?:does|do|did|is|are|was|will|has|have)(?: not|n't)(?: yet| been)* (?:exist|there|present|defined|implemented|written|created)|"
    r"(?:is|are) (?:missing|absent|optional)|if\b|or (?:similar|equivalent|whatever|wherever)|yet\b|e\.g\.|optional|(?:will|shall|would|should then)\b|"
    r"must (?:export|provide|define|contain|expose|declare|offer)|was\b|were\b|used to\b)",
    re.IGNORECASE,
)
_ARTICLE = regex(rf"(?:\b(?:an?|new|another|one|two|three|four|following|additional|further|dedicated)\b)(?:\s+(?!(?:of|in|to|from|for|by|at|on)\b)[\w-]+){{0,4}}\s*[(\[\"'*]*(?:{MASK}+\s*(?:,|and|or|&|\+|/)\s*)*$", re.IGNORECASE)  # fmt: skip
_DEFINITE = regex(
    r"\b(?:the|this|that|its|their|our|existing|current|each|every)(?:\s+[\w-]+){0,3}\s*[(\[\"'*]*$",
    re.IGNORECASE,
)
_LISTED = regex(
    rf"{MASK}+(?:\(\))?\s*(?:,|and|or|&|\+|/|, and|as well as)\s*(?:the\s)?[(\[\"'*]*$", re.IGNORECASE
)
_CONTAINER = regex(
    r"\b(?:to|in|into|onto|inside|within|of|(?:tests?|coverage|docs?|documentation|docstrings?|hints?|annotations?|benchmarks?|comments?|cases?|callers?|calls?) (?:for|around|against|on))\s+(?:the\s+|file\s+|existing\s+|current\s+|our\s+)*[(\[\"'*]*$",
    re.I,
)
_LABELLED = regex(
    r"^[\W\d]*(?:tests?|test files?|outputs?|deliverables?|artifacts?|results?|produces|creates?|created|new(?: \w+)?|files? to (?:create|add)|adds?)\W{0,4}:\W*$",
    re.I,
)
_INTO_NEW = r"\b[^;:]{0,160}\b(?:to|into|as|out as)\s+(?:the\s+|a\s+|an\s+|new\s+)*[(\[\"'*]*$"
_INTO = r"\b[^;:]{0,160}\b(?:to|into|with|by|for|as|out as)\s+(?:the\s+|a\s+|an\s+|new\s+)*[(\[\"'*]*$"
_TURNED_INTO = regex(
    r"\b(?:replac\w+|swap\w*|substitut\w+|chang(?:e|es|ing)|convert\w*|turn\w*|migrat(?:e|es|ed|ing)|merge\w*|fold\w*|rewrit\w+|updat\w+|extend\w*|modif\w+|adapt\w*|renam\w+)"
    + _INTO,
    re.I,
)
_MOVED_TO = regex(
    r"\b(?:renam\w+|mov(?:e|ed|es|ing)|extract\w*|split\w*|port\w*|cop(?:y|ied|ies)|factor\w*|pull\w*|lift(?:s|ed)?|hoist\w*)"
    + _INTO_NEW,
    re.I,
)
_ADDED_TO = regex(
    r"\b(?:add|append|insert|wire|hook|plug|thread|feed|integrate)(?:s|d|ed|ing)?\b[^;:]{0,160}\b(?:to|into|in)\s+(?:the\s+|file\s+|module\s+)*[(\[\"'*]*$",
    re.I,
)
_INSIDE = regex(r"(?:^|[\s*])(?:in|inside|within|at)\s+(?:the\s+|file\s+)*[(\[\"'*]*$", re.I)
_STANDING = regex(r"\b(?:existing|already|current|currently|today|still|stays?|remains?|keeps?)\b", re.I)
_AFTER_EXISTS = regex(
    r"^['’]s\b|^\s*\(?(?:already|currently|today|still|exists|lives|is defined|is declared|at present|as it is|now)\b",
    re.I,
)
_AFTER_CREATES = regex(
    r"^\s*\(?(?:new\b|create\b|created\b|to be created|to create|does not exist|doesn't exist|not yet|will be|must be added|is added|is new|—\s?new\b|- new\b)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: `text` as written, `masked` of the same length with code spans and line ends blotted out.

    Sentences of one paragraph, list item, heading or table row share their `block`.
    """

    text: str
    masked: str
    start: int
    block: int = 0


def code_spans(text: str) -> Iterator[re.Match[str]]:
    """The code spans of a text."""
    return _CODE.finditer(text)


def fenced_blocks(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, info word) of each fenced block's content; one that is never closed ends with the text."""
    opening: re.Match[str] | None = None
    for mark in _FENCE.finditer(text):
        if opening is None:
            opening = mark
        elif mark["marks"].startswith(opening["marks"]) and not mark["info"].strip():
            yield opening.end() + 1, mark.start(), opening["info"].strip()
            opening = None
    if opening is not None:
        yield min(len(text), opening.end() + 1), len(text), opening["info"].strip()


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text, fenced blocks left out. Offsets are the text's own."""
    blotted = _without_fences(text)
    masked = _CODE.sub(lambda match: MASK * len(match.group()), blotted)
    at = block = 0
    for stop in _BREAK.finditer(masked):
        yield from _sentence(blotted, masked, (at, stop.end()), block)
        block += stop.group()[0] == "\n"
        at = stop.end()
    yield from _sentence(blotted, masked, (at, len(masked)), block)


def _without_fences(text: str) -> str:
    if "```" not in text and "~~~" not in text:
        return text
    pieces, at = [], 0
    for start, end, _ in fenced_blocks(text):
        pieces += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
        at = end
    return "".join([*pieces, text[at:]])


def _sentence(text: str, masked: str, span: tuple[int, int], block: int) -> Iterator[Sentence]:
    start, end = span
    for at in range(start, end, _MAX_SENTENCE):
        last = min(end, at + _MAX_SENTENCE)
        if text[at:last].strip():
            yield Sentence(text[at:last].replace("\n", " "), masked[at:last].replace("\n", " "), at, block)


def mode_of(sentence: Sentence, start: int, end: int) -> Mode:
    """What a sentence says of the thing at `start`…`end` (offsets inside the sentence)."""
    before, after = sentence.masked[:start], sentence.masked[end : end + 100]
    if _AFTER_CREATES.match(after) or _LABELLED.match(before):
        return "creates"
    if (
        _UNTOLD.search(_KEPT.sub("keep", _clause(before)[-120:]))
        or _UNTOLD_AFTER.search(after)
        or _HYPOTHETICAL.search(sentence.masked)
    ):
        return "unsure"
    if _AFTER_EXISTS.match(after) or re.search(
        r"\bsplit(?:s|ting)?\s(?:the\s|up\s)*[(\[\"'*]*$", before, re.I
    ):
        return "exists"
    if re.search(r"\bgive\s(?:the\s)?[(\[\"'*]*$", before, re.I) and re.match(
        r"\W*(?:\([^()]*\))?\W*(?:an?|the|one|more|two)\b", after, re.I
    ):
        return "exists"
    mode = _governed(before)
    return _by_what_follows(before, after) if mode == "neutral" else mode


def _clause(before: str) -> str:
    """What stands before a thing in its own clause: a list of things is one clause with what leads to it."""
    parts = _CLAUSE.split(before)
    said = parts[-1]
    for part in reversed(parts[:-1]):
        if re.search(r"[A-Za-z]{2,}", _JOINING.sub("", said)):
            break
        said = part + " " + said
    return said


def _governed(before: str) -> Mode:
    near = before[-240:]
    words = list(_WORDS.finditer(near))
    if _MOVED_TO.search(near) or _SHELL_MOVE.search(near):
        return "creates"
    if _TURNED_INTO.search(near):
        return "unsure"
    if not words:
        return "neutral"
    words = [
        word for word in words if not (word["create"] and _AS_NOUN.search(near[: word.start()]))
    ] or words
    creating = any(word["create"] for word in words)
    if creating and _ARTICLE.search(near):
        return "creates"
    if creating and _CONTAINER.search(near):
        return "container"
    if _LISTED.search(near) and creating and not words[-1]["create"]:
        return "unsure"
    return "creates" if words[-1]["create"] else "exists"


def _by_what_follows(before: str, after: str) -> Mode:
    """What is said behind a thing that nothing was said of before: "In `x`, replace …", "`x` already holds …"."""
    word = _WORDS.search(after)
    if _INSIDE.search(before):
        return "stated" if word is None else "container" if word["create"] else "exists"
    if _STANDING.search(after):
        return "exists"
    return "neutral" if word is not None and word["create"] else "stated"


def is_added_to(sentence: Sentence, start: int) -> bool:
    """Whether something is added to the thing at `start`, which then has to be there: "Add … to `x`"."""
    return bool(_ADDED_TO.search(sentence.masked[:start]))


def is_direct_object(sentence: Sentence, start: int) -> bool:
    """Whether "create" (or "new file") stands right before the thing, so that the thing itself is to be made."""
    before = sentence.masked[:start]
    return bool(
        re.search(
            r"(?:\bcreat(?:e|es|ing)(?:\s+(?:a|an|the|new|file|module|empty|test|component|script|class|package|tests?\s+in))*|\bnew\s+(?:test\s+)?(?:file|module|script|component))\s*[:(\[\"'*]*$",
            before,
            re.I,
        )
    ) and not re.search(r"\bor\b", before[-40:], re.I)


def leads_to_new(sentence: Sentence) -> bool:
    """Whether a sentence announces a list of things to be made: "Add these helpers:"."""
    heading = re.match(r"\s*#{1,6}\s", sentence.text)
    if heading:
        return bool(
            re.search(
                r"\b(?:new|added|planned)\b|\bto (?:create|add|write)\b|\bcreate[ds]?\b",
                sentence.masked,
                re.I,
            )
        )
    words = list(_WORDS.finditer(sentence.masked)) if sentence.text.rstrip().endswith(":") else []
    return bool(words) and any(word["create"] for word in words)


def is_item(sentence: Sentence) -> bool:
    """Whether a sentence is an item of a list."""
    return bool(re.match(r"\s*(?:[-*+]|\d{1,3}[.)])\s", sentence.text))
