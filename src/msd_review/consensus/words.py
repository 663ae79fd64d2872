"""The words that carry a concern's meaning: stems, light synonym families, identifiers, kinds of fault.

No model and no network: suffixes are taken off, words of one family count as one word, words that every
review is full of count little, and identifiers count as themselves and by their parts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from msd_review.consensus.stems import stem
from msd_review.consensus.thesaurus import Phrase, thesaurus
from msd_review.lazy import regex


def _words(listed: str) -> list[str]:
    return listed.split()


_CODE = regex(r"`{1,3}([^`\n]{1,200})`{1,3}")
_WORD = regex(r"[A-Za-zÀ-ɏЀ-ӿẠ-ỹ][\wÀ-ɏЀ-ӿẠ-ỹ'’]{1,60}|\d{2,6}(?:ms|s|kb|mb|gb)?")
_WIDE_RUN = regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,60}")
_PARTS = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IDENTIFIER = regex(
    r"(?<![\w.])(?:[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+|[a-z]+[A-Z][\w$]*|[A-Z][a-z]+[A-Z][\w$]*|[A-Za-z]+_[\w$]+|--[a-z][\w-]+)(?:\(\))?"
)
_ID = regex(
    r"\b(?!(?:UTF|SHA|ISO|RFC|HTTP|TLS|AES|RSA|MD|PR|GPT|ES|CVE|ADR|P|H|M|L|C|S)-?\d)[A-Z][A-Z0-9]{0,9}-\d{1,4}\b|\bD-\d{1,3}\b|\bADR-\d{1,5}\b|\bCVE-\d{4}-\d+\b"
)

_STOP = frozenset(
    _words("""a about above after again against all also although always am an and any anything are aren't as at be because been before being
    below between both but by can cannot can't could couldn't did didn't do does doesn't doing don't done down during each either else
    enough especially etc even ever every everything few for from further get gets getting given gives go goes going had hadn't has hasn't
    have haven't having he hence here how however i if in instead into is isn't it it's its itself just keep keeps let like likely made
    make makes many may maybe me might more most much must my need needs neither never no nor not nothing now of off often on once one
    only onto or other others otherwise our out over own per perhaps quite rather really same say says see seems several shall she should
    shouldn't since so some something still such take takes than that that's the their them themselves then there there's therefore these
    they this those though through thus to today too toward two under until unless up upon us use used uses using very via want was wasn't
    way we well were weren't what when where whether which while who whole why will with within without won't would wouldn't yet you your
    e.g i.e eg ie vs thing things lot bit currently actually simply clearly explicitly also already first second third next last new old
    there'll it'll current exact exactly whenever wherever anywhere somewhere nowhere""")
)  # fmt: skip

# Words that stand in most concerns whatever they are about: they count, but little.
_GENERIC = frozenset(
    _words("""plan task step phase wave concern issue risk problem finding gap implementation implement approach design change update add create
    define specify describe mention say state note document require requirement need expect ensure verify check test code file line
    section current existing new function method value case path way behavior result work run call high medium low critical clear unclear
    missing lack absent undefined unspecified explicit possible potential likely should consider recommend suggest fix make leave cause
    lead mean happen set list item example detail point part place goal scope whole multiple single correct wrong right actual real
    executor reviewer author developer team user acceptance criterion must""")
)  # fmt: skip

_NAME = regex(r"[\w.$:/@-]{2,80}(?:\(\))?")
_PLAIN_NUMBER = regex(r"[\d.:,-]+")
_CALL_OR_LINE = regex(r"(?:\(\)|:\d+(?:-\d+)?)$")
_INNER_WORD = regex(r"(?<=[a-z])(?=[A-Z])|_")
_PLAIN_WORD = regex(r"[^\W_]+(?:[-'’./+][^\W_]+)*|\.env")
GENERIC = frozenset(stem(word) for word in _GENERIC)


@dataclass(frozen=True, slots=True)
class Word:
    """One meaning-bearing word of a text; `stem` is empty where only its families carry meaning."""

    stem: str
    families: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Known:
    stems: tuple[str, ...]  # none for a word that every text is full of
    families: frozenset[str]
    phrases: Mapping[str, tuple[Phrase, ...]]  # that begin with it, by their second stem
    own: str


def meanings(text: str) -> list[Word]:
    """The meaning-bearing words of a text in order, with the families that they or their phrases belong to."""
    told = [_known(word) for word in _PLAIN_WORD.findall(_split_identifiers(_WIDE_RUN.sub(" ", text)))]
    families = [known.families for known in told]
    for place, family in _in_phrases(told):
        families[place] |= {family}
    words = [Word(part, names) for known, names in zip(told, families, strict=True) for part in known.stems or ("",) if part or names]  # fmt: skip
    return [*words, *_wide_words(text)]


def _in_phrases(told: Sequence[_Known]) -> Iterator[tuple[int, str]]:
    """Every word's place in a phrase, and the phrase's family."""
    stems = [known.own for known in told]
    for at, (known, following) in enumerate(zip(told, stems[1:], strict=False)):
        for phrase, family in known.phrases.get(following, ()):
            if tuple(stems[at : at + len(phrase)]) == phrase:
                yield from ((place, family) for place in range(at, at + len(phrase)))


_NO_PHRASES: Mapping[str, tuple[Phrase, ...]] = {}


@lru_cache(maxsize=50_000)
def _known(word: str) -> _Known:
    lowered, own = word.lower(), stem(word)
    listed = thesaurus()
    begun = {
        family
        for beginning, family in listed.beginnings.get(lowered[:3], ())
        if lowered.startswith(beginning)
    }
    families = listed.words.get(own, frozenset()) | begun
    phrases = listed.phrases.get(own, _NO_PHRASES)
    if lowered in _STOP or (len(lowered) < 3 and not families):
        return _Known((), families, phrases, own)
    parts = [part for part in re.split(r"[-./+]", lowered) if len(part) > 2 and part not in _STOP]
    return _Known(tuple(map(stem, parts)) if len(parts) > 1 else (own,), families, phrases, own)


def _wide_words(text: str) -> Iterator[Word]:
    """Pairs of signs of scripts without spaces, each with the families of what it stands in."""
    for found in _WIDE_RUN.finditer(text):
        run = found.group()
        named = [
            (match.span(), family) for family, pattern in thesaurus().wide for match in pattern.finditer(run)
        ]
        for at in range(len(run) - 1):
            yield Word(
                run[at : at + 2],
                frozenset(family for (start, end), family in named if start < at + 2 and at < end),
            )


def _split_identifiers(text: str) -> str:
    """`record_usage` and `ChangePassword` as words."""
    return _INNER_WORD.sub(" ", text)


def concepts(text: str) -> Iterator[str]:
    """The meaning-bearing words of a text in order, identifiers in parts, wide scripts in pairs."""
    for word in _WORD.findall(text):
        yield from _concepts_of_word(word)
    for found in _WIDE_RUN.finditer(text):
        run = found.group()
        yield from (run[at : at + 2] for at in range(len(run) - 1))


@lru_cache(maxsize=50_000)
def _concepts_of_word(word: str) -> tuple[str, ...]:
    if word.lower() in _STOP:
        return ()
    parts = _PARTS.findall(word) if "_" in word or (word != word.lower() and not word.istitle()) else ()
    if len(parts) > 1:
        return tuple(stem(part) for part in parts if len(part) > 2 and part.lower() not in _STOP)
    return (stem(word),)


def identifiers(text: str) -> frozenset[str]:
    """Names of code in a text: what looks like one, and short code spans; lower case, last part alone too."""
    names = {found.group() for found in _IDENTIFIER.finditer(text)}
    for found in _CODE.finditer(text):
        span = found.group(1).strip()
        if _NAME.fullmatch(span) and not _PLAIN_NUMBER.fullmatch(span):
            names.add(span)
    cleaned = {_CALL_OR_LINE.sub("", name).lower() for name in names}
    return frozenset(name for name in cleaned if len(name) > 2)


def record_ids(text: str) -> frozenset[str]:
    """Identifiers of requirements and decisions: SCAN-06, D-07."""
    return frozenset(_ID.findall(text))
