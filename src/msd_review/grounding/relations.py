"""How a sentence, or the paragraph around it, joins a name to a file.

Pure. `strong`: nothing but words that say "is in" stands between the two. `loose`: there is one file that the name can
belong to. `weak`: another name is already joined to that file, so this one may be what is put there. A name that is
used in a file, put through it or given to something in it is joined to nothing.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from msd_review.grounding.mentions import Mention
from msd_review.grounding.prose import MASK, Sentence
from msd_review.lazy import regex

Weight = Literal["", "strong", "loose", "weak"]
_NOUNS = frozenset(
    [
        "function",
        "functions",
        "method",
        "methods",
        "class",
        "classes",
        "helper",
        "helpers",
        "constant",
        "constants",
        "type",
        "types",
        "struct",
        "structs",
        "hook",
        "hooks",
        "component",
        "components",
        "module",
        "modules",
        "interface",
        "interfaces",
        "enum",
        "enums",
        "trait",
        "traits",
        "variable",
        "variables",
        "macro",
        "macros",
        "definition",
        "definitions",
        "implementation",
        "logic",
        "handler",
        "handlers",
        "service",
        "object",
        "objects",
        "routine",
        "routines",
        "procedure",
        "constructor",
        "decorator",
        "fixture",
        "property",
        "attribute",
        "alias",
        "subclass",
        "member",
        "members",
        "callback",
        "middleware",
        "loop",
        "block",
        "singleton",
        "factory",
        "protocol",
        "symbol",
        "name",
        "func",
        "fn",
        "def",
        "task",
        "command",
        "wrapper",
    ]
)
_IS_IN = frozenset(
    ["in", "of", "from", "at", "on", "inside", "within", "by", "is", "are", "which", "that", "defined", "declared", "located", "lives", "living", "found", "exported", "implemented", "provided", "exists", "exist", "present", "presently", "available", "there", "kept", "residing", "resides", "sits", "sitting", "already", "currently", "now", "today", "both", "all", "can", "be", "the", "existing", "current", "file", "module", "see", "cf", "also", "itself", "part", "being", "body", "call", "code", "path", "over", "as", "it", "its", "this", "and", "still", "here", "to", "line", "lines", "l", "home", "hosted", "starts", "begins", "start", "begin", "lies", "belongs", "out", "near", "top", "bottom", "end", "middle", "under", "around", "where", "unchanged", "untouched", "location", "source", "existing/currently", "our", "one", "as-is", "we", "have", "you", "find", "key", "setting", "option", "entry", "section", "status", "script", "target", "recipe", "rule", "job", "stage", "scripts", "targets"]
)  # fmt: skip
_HAS = frozenset(
    ["exports", "defines", "declares", "provides", "contains", "has", "holds", "implements", "exposes", "ships", "offers", "hosts", "houses", "owns", "includes", "keeps", "carries", "features", "there", "is", "a", "an", "the", "existing", "current", "which", "that", "already", "currently", "now", "today", "see", "including", "where", "line", "lines", "l", "sits", "lives", "find", "calls", "uses", "imports", "begins", "starts", "home", "still", "own", "our", "key", "setting", "option", "entry", "section", "and", "function's", "symbol", "patch", "takes", "documents", "public", "main", "we", "it", "of", "in", "definition", "parameter", "sets", "whose", "named", "called", "public"]
)  # fmt: skip
_TO_PATH, _TO_SYMBOL = _IS_IN | _NOUNS, _HAS | _NOUNS
_MAX_WORDS = 9
_WORD = regex(r"[A-Za-z][A-Za-z'-]*|" + MASK + r"|[^\s\w]")
_FINE = frozenset("()[]@:—–-→|*\"'’,=>/·{}")
_LIST = frozenset([",", "and", "or", "&", "/", "+", MASK, "the"])
_BRINGS = regex(
    r"\b(?:us(?:e|es|ing)|call(?:s|ing)?|invok(?:e|es|ing)|import(?:s|ing)?|pass(?:es|ing)?|appl(?:y|ies|ying)|inject(?:s|ing)?|rais(?:e|es|ing)|throw(?:s|ing)?|"
    r"return(?:s|ing)?|wir(?:e|es|ing)|hook|plug|thread|feed|adopt|prefer|register|mount|attach|handle|catch|consume|forward|propagate|render|honou?r|respect|accept|"
    r"bring|pull in|switch(?:es|ing)? to|fall(?:s|ing)? back (?:to|on)|go(?:es)? through)\s+(?:the\s+|a\s+|an\s+|its\s+|our\s+|shared\s+|library's\s+|built-?in\s+)*(?:[\w-]+\s+){0,1}[(\[\"'*]*$",
    re.IGNORECASE,
)
_INTO = regex(
    r"^[\s)\]*\"']*(?:[\w\x01-]+\s+){0,4}?(?:in|into|to|onto|inside|within|throughout|across|for|through)\s+(?:the\s+|file\s+|module\s+|our\s+)*[(\[\"'*]*$",
    re.IGNORECASE,
)
_THERE = regex(
    r"\b(?:existing|already|current|currently|today|defined|declared|located|lives|present|found)\b", re.I
)
_NO_CODE = regex(
    r"\b(?:flags?|columns?|events?|env(?:ironment)?(?: var(?:iable)?s?)?|labels?|metrics?|topics?|routes?|endpoints?|headers?|string|values?|literal|messages?|log lines?|"
    r"status|states?|tags?|branch|tables?|codes?|ids?|slug|prefix|suffix|words?|text|directive|packages?|librar(?:y|ies)|dependenc(?:y|ies)|crates?|gems?|extension|plugin|"
    r"features?|scope|permission|role|span|trace|query|cookies?|queue|channel|signal|arguments?|parameters?|params?|kwargs?|keywords?|markers?|counter|commit)\s*[:=]?\s*[(\[\"'*]*$",
    re.IGNORECASE,
)
_NO_CODE_AFTER = regex(
    r"^[\s)\]*\"']*(?:flags?|columns?|events?|env(?:ironment)? var\w*|labels?|metrics?|topics?|routes?|endpoints?|headers?|messages?|branch|tables?|codes?|packages?|librar(?:y|ies)|"
    r"dependenc(?:y|ies)|crates?|gems?|features?|permission|role|cookies?|queue|arguments?|parameters?|params?|kwargs?|keywords?|markers?)\b",
    re.IGNORECASE,
)


_MEMBER = r"(?:method|member|function|property|attribute|field|call|private)"
_CODE_LIKE = regex(r"\w_\w|[a-z][A-Z]")
_OF_OWNER = regex(
    rf"[\s)\"']*{_MEMBER}?\s?(?:of|on|from|in|for)\s(?:(?:the|class|our|a|an|existing|type|struct)\s)*[\s(\"'*]*",
    re.I,
)
_OWNER_HAS = regex(
    rf"(?:['’]s\s(?:own\s|existing\s)?|[\s,*)]*(?:class\s|type\s)?(?:\(?\s?(?:in|of|from|at)\s(?:the\sfile\s)?{MASK}\)?[\s,)]*|\({MASK}\)\s)?"
    rf"(?:(?:already|currently)\s)?(?:(?:has|have|exposes|offers|implements|defines|declares|provides|contains)\s(?:an?\s|the\s|its\s)?|call\sits\sown\s|(?:and\s)?(?:the|his|its)\s(?={_MEMBER})"
    rf"|\s?\|\s?|\s?(?:→|->|>)\s?|(?:and\s)?(?={_MEMBER}\s?:))(?:existing\s|own\s)?{_MEMBER}?\s?:?\s?[\s(\"'*]*)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Tie:
    """The file that a name is joined to, and how firmly; with `subject`, the path does something to the name
    ("`path` defines `name`"), and with `same`, both stand in one sentence."""

    mention: Mention
    weight: Weight
    subject: bool = False
    same: bool = True

    @property
    def near(self) -> bool:
        """Whether the wording itself joins the two."""
        return self.weight == "strong"


def strong_tie(sentence: Sentence, named: Sequence[Mention], at: int) -> Tie | None:
    """The file beside the name at `named[at]` with only glue between."""
    symbol = named[at]
    following = next((other for other in named[at + 1 :] if other.place is not None), None)
    preceding = next((other for other in reversed(named[:at]) if other.place is not None), None)
    if following is not None and _is_glue(sentence.masked[symbol.end : following.start], _TO_PATH):
        return Tie(following, "strong")
    if preceding is not None and _is_glue(sentence.masked[preceding.end : symbol.start], _TO_SYMBOL):
        return Tie(preceding, "strong", subject=True)
    if preceding is not None and _imported(sentence.masked, preceding, symbol):
        return Tie(preceding, "strong")
    return None


def _imported(masked: str, place: Mention, symbol: Mention) -> bool:
    """`from path import name`."""
    return masked[place.end : symbol.start].strip() == "import" and masked[
        : place.start
    ].rstrip().lower().endswith("from")


def _is_glue(gap: str, words: frozenset[str]) -> bool:
    if len(gap) > 400:
        return False
    tokens = _WORD.findall(
        re.sub(
            rf"{MASK}+",
            MASK,
            re.sub(r"\blines?\s+\d+(?:\s?(?:[-–]|to)\s?\d+)?", "line", gap.replace("home to", "home")),
        )
    )
    if sum(token[0].isalpha() for token in tokens) > _MAX_WORDS:
        return False
    if MASK in tokens and not _is_list(tokens):
        return False
    return all(
        token in _FINE or token in _LIST or token.lower() in words or token in {"’s", "'s", "s"}
        for token in tokens
    )


def owner_of(sentence: Sentence, named: Sequence[Mention], at: int) -> int | None:
    """The name that the sentence calls the owner of the one at `named[at]`: "the `m` method of `C`", "`C` has a `m`"."""
    symbol = named[at]
    if symbol.symbol is None or "." in symbol.symbol:
        return None
    for other in range(max(0, at - 2), min(len(named), at + 3)):
        owner = named[other]
        if (
            other == at
            or owner.symbol is None
            or owner.symbol == symbol.symbol
            or owner.called
            or owner.parameters is not None
        ):
            continue
        if owner.start > symbol.end and _OF_OWNER.fullmatch(sentence.masked[symbol.end : owner.start]):
            return other
        between = sentence.masked[min(owner.end, symbol.start) : max(owner.start, symbol.end)]
        if re.search(r"[|>→]", between) and not (
            owner.symbol[:1].isupper() and (symbol.code or _CODE_LIKE.search(symbol.symbol))
        ):
            continue
        if owner.end < symbol.start and _OWNER_HAS.fullmatch(
            re.sub(rf"{MASK}+", MASK, sentence.masked[owner.end : symbol.start])
        ):
            return other
    return None


def _is_list(tokens: list[str]) -> bool:
    """Whether other code in the gap is a list that this name is in: "`a`, `b` and `c` in `path`"."""
    last = len(tokens) - 1 - tokens[::-1].index(MASK)
    first = tokens.index(MASK)
    return all(token in _LIST for token in tokens[: last + 1]) or all(
        token in _LIST for token in tokens[first:]
    )


def is_brought(sentence: Sentence, symbol: Mention, place: Mention) -> bool:
    """Whether the name is brought to the file rather than found in it: "use `name` in `path`", "in `path`, call `name`"."""
    before = sentence.masked[: symbol.start]
    if _THERE.search(before[-60:]) or _THERE.search(sentence.masked[symbol.end : symbol.end + 40]):
        return False
    if place.end <= symbol.start and _imported(sentence.masked, place, symbol):
        return False
    brings = _BRINGS.search(before) is not None
    if symbol.end <= place.start:
        return brings and _INTO.search(sentence.masked[symbol.end : place.start]) is not None
    return brings


def is_no_code(sentence: Sentence, symbol: Mention) -> bool:
    """Whether a word beside the name says that it is a flag, a column, an event …: nothing that a file defines."""
    return bool(
        _NO_CODE.search(sentence.masked[max(0, symbol.start - 40) : symbol.start])
        or _NO_CODE_AFTER.match(sentence.masked[symbol.end : symbol.end + 30])
    )


def only_place(named: Iterator[Mention] | Sequence[Mention]) -> Mention | None:
    """The one file of some mentions; None where there is none, or more than one."""
    places = [mention for mention in named if mention.place is not None and mention.place.path]
    paths = {mention.place.path for mention in places if mention.place is not None}
    return places[0] if len(paths) == 1 else None
