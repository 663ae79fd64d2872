"""The words that carry a concern's meaning: stems, light synonym families, identifiers, kinds of fault.

No model and no network: suffixes are taken off, words of one family count as one word, words that every
review is full of count little, and identifiers count as themselves and by their parts.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from msd_review.consensus.thesaurus import FAMILIES, WIDE_FAMILIES
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

# Kinds of fault: what is wrong, as opposed to what it is wrong with. Each has parts of words, one of which is in
# every text that its pattern finds: looking for those first is twenty times cheaper.
FAULTS: tuple[tuple[str, str, str], ...] = (
    ("untested", "test cover exercis assert nothing mock テスト 测试 테스트",
     r"\b(?:un-?tested|no (?:\w+ ){0,4}tests?\b|not (?:\w+ ){0,3}tested|lacks? (?:\w+ ){0,4}tests?|without (?:\w+ ){0,3}tests?|missing (?:\w+ ){0,4}tests?|tests? (?:is |are |do |does )?(?:missing|absent|not|only|never)|(?:test )?coverage|nothing (?:tests|exercises|asserts)|(?:no|not|never) (?:\w+ ){0,2}(?:exercis|assert|cover)|regression test|mock(?:s|ed|ing)?|prov(?:e|es|en) nothing|テスト|测试|테스트)"),
    ("race", "rac toctou concurren simultaneous interleav two double lock mutex 競合 竞态 并发 동시",
     r"\b(?:race|races|racy|toctou|concurren\w+|simultaneous\w*|interleav\w+|two (?:workers|requests|processes|threads|writers|runs)|double[- ](?:submit|spend|charge)|lock(?:ed|ing)?|mutex|競合|竞态|并发|동시)"),
    ("unbounded", "bound limit cap maximum timeout deadline forever indefinite infinite grow exhaust never 上限 无限 무한",
     r"\b(?:unbounded|no (?:upper )?(?:limit|bound|cap|maximum|timeout|deadline)|without (?:an? )?(?:\w+ )?(?:limit|bound|cap|timeout)|forever|indefinite\w*|infinite|unlimited|grows?|exhaust\w*|never (?:expire|end|stop|time)\w*|上限|无限|무한)"),
    ("unsafe", "inject xss csrf traversal auth permission text leak secret exfiltrat vulnerab spoof forg security attacker 脆弱 注入 安全 보안",
     r"\b(?:inject\w*|xss|csrf|traversal|unauthenticat\w*|unauthoriz\w*|authoriz\w*|authenticat\w*|permission\w*|plain-?text|cleartext|leak\w* (?:the )?(?:token|secret|key|credential)|secret|exfiltrat\w*|vulnerab\w*|spoof\w*|forg(?:e|ed|ery)|security|attacker|脆弱|注入|安全|보안)"),
    ("irreversible", "roll revert irreversib undo migration back recover restore ロールバック 切り戻 回滚 롤백",
     r"\b(?:roll-?back|revert\w*|irreversib\w*|undo|down(?:grade)? migration|back ?out|no way back|recover\w*|restore|ロールバック|切り戻|回滚|롤백)"),
    ("swallowed", "swallow silent ignore handl error failure except fail",
     r"\b(?:swallow\w*|silent\w*|ignored? (?:the )?(?:error|exception|failure)|error[- ]handling|unhandled|not handled|no (?:\w+ )?(?:error|failure|exception) (?:handling|path)|except(?:ion)?s? (?:is|are) (?:caught|dropped)|fail(?:s|ure)? (?:quietly|mode|path))"),
    ("order", "order sequenc depend before after wave circular cycle prerequisite 依存 顺序 依赖 순서 의존",
     r"\b(?:order(?:ing|ed)?|sequenc\w+|depends?[_ ]on|before (?:it|they|the)|after (?:it|the)|wave|circular|cycle|prerequisite|依存|顺序|依赖|순서|의존)"),
    ("contradiction", "contradict inconsisten mismatch conflict disagree diverg different 矛盾 不一致 모순 불일치",
     r"\b(?:contradict\w*|inconsisten\w*|mismatch\w*|conflict\w*|disagree\w*|diverg\w*|two different|矛盾|不一致|모순|불일치)"),
    ("absent_target", "exist such not never wrong moved stale 存在しない 不存在 존재하지",
     r"\b(?:does(?:n't| not) exist|do not exist|no such|non-?existent|not (?:in|present in) the (?:repo|tree|repository)|is not there|never defined|wrong (?:path|file|line|name|symbol)|moved|stale (?:path|line|reference)|存在しない|不存在|존재하지)"),
    ("crash", "crash exception kill panic segfault take stop クラッシュ 崩溃 충돌",
     r"\b(?:crash\w*|exceptions? (?:in|stops|escapes|propagat\w*)|kills? (?:the|all)|panics?|segfault|takes? (?:down|everything)|stops all|クラッシュ|崩溃|충돌)"),
    ("vague", "vague ambig specif undefined not unclear wav tbd 曖昧 未定義 不明确 模糊 불명확 모호",
     r"\b(?:vague\w*|ambig\w*|under-?specif\w*|unspecif\w*|undefined|not (?:defined|specified|stated|described)|unclear|hand-?wav\w*|tbd|曖昧|未定義|不明确|模糊|불명확|모호)"),
    ("slow", "slow latenc n+1 quadratic performance expensive scan index 性能 パフォーマンス 성능",
     r"\b(?:slow\w*|latenc\w*|n\+1|quadratic|performance|expensive|full (?:table )?scan|without an? index|index(?:es)? (?:is|are) missing|性能|パフォーマンス|성능)"),
    ("compat", "backward compatib break deprecat 互換 兼容 호환",
     r"\b(?:backward\w*|compatib\w*|breaking|breaks? (?:existing|old|other|current)|deprecat\w*|互換|兼容|호환)"),
    ("docs", "doc readme changelog comment ドキュメント 文档 문서",
     r"\b(?:document\w*|docs?|readme|changelog|comment\w*|ドキュメント|文档|문서)"),
    ("naming", "nam typo spelling 命名 이름",
     r"\b(?:naming|renam\w*|misnam\w*|misleading name|typo\w*|spelling|命名|이름)"),
    ("duplicate_work", "idempot twice duplicate run deliver replay 冪等 幂等 멱등",
     r"\b(?:idempot\w*|twice|duplicate\w*|re-?run|re-?deliver\w*|replay\w*|冪等|幂等|멱등)"),
    ("stale", "stale invalidat date evict キャッシュ 缓存 캐시",
     r"\b(?:stale|invalidat\w*|out of date|outdated|evict\w*|キャッシュ|缓存|캐시)"),
    ("hardcoded", "hard magic literal ハードコード 硬编码 하드코딩",
     r"\b(?:hard-?cod\w*|magic (?:number|string|value)|literal value|ハードコード|硬编码|하드코딩)"),
    ("unmonitored", "monitor alert observab metric telemetry log 監視 监控 모니터링",
     r"\b(?:monitor\w*|alert\w*|observab\w*|metric\w*|telemetry|logg?(?:ing|ed)|監視|监控|모니터링)"),
    ("unverifiable", "verif way acceptance always exit grep",
     r"\b(?:unverifiable|cannot be verified|no way to (?:verify|check)|verif(?:y|ication) (?:command|step)s?|acceptance criteri\w+|always pass\w*|exits? 0|grep)"),
    ("scope", "scope engineer yagni much large big split blast overload",
     r"\b(?:scope|over-?engineer\w*|yagni|too (?:much|large|big)|split (?:the|this|into)|blast radius|overload\w*)"),
)  # fmt: skip
_FAULT_PATTERNS = tuple((name, parts.split(), regex(pattern)) for name, parts, pattern in FAULTS)
_FAULT_LIMIT = 600

_SUFFIXES = ("ization", "isation", "ations", "ation", "ements", "ement", "ments", "ment", "nesses", "ness", "ingly", "edly", "ibility", "ability",
             "ities", "ity", "ically", "ally", "ings", "ing", "iers", "ied", "ies", "ives", "ive", "able", "ible", "ions", "ion", "ers", "er",
             "ors", "or", "ed", "ly", "es", "al", "e", "s", "y")  # fmt: skip


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word without its ending; at least three letters stay."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    if not word.isascii() or len(word) < 5 or not word.isalpha():
        return word
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word


_PLAIN_WORD = regex(r"[^\W_]+(?:[-'’./+][^\W_]+)*|\.env")
_WIDE = tuple((name, regex(pattern)) for name, pattern in WIDE_FAMILIES)
GENERIC = frozenset(stem(word) for word in _GENERIC)


def _single_words() -> dict[str, frozenset[str]]:
    """Stem → families."""
    found: dict[str, set[str]] = {}
    for name, word in _family_words():
        if "_" not in word and not word.endswith("*"):
            found.setdefault(stem(word), set()).add(name)
    return {word: frozenset(names) for word, names in found.items()}


def _beginnings() -> dict[str, list[tuple[str, str]]]:
    """First three letters → (beginning of a word, family)."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, word in _family_words():
        if "_" not in word and word.endswith("*"):
            found.setdefault(word[:3], []).append((word[:-1], name))
    return found


def _phrases() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """First stem → (all stems of a phrase, family)."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for name, word in _family_words():
        if "_" in word:
            stems = tuple(stem(part) for part in word.rstrip("*").split("_"))
            told = found.setdefault(stems[0], [])
            if (stems, name) not in told:
                told.append((stems, name))
    return found


def _family_words() -> Iterator[tuple[str, str]]:
    for line in FAMILIES.strip().splitlines():
        name, _, words = line.partition(":")
        yield from ((name, word) for word in words.split())


_SINGLE, _BEGINNINGS, _PHRASES = _single_words(), _beginnings(), _phrases()


@lru_cache(maxsize=50_000)
def families_of_word(word: str) -> frozenset[str]:
    """The families that one word belongs to."""
    lowered = word.lower()
    begun = {name for beginning, name in _BEGINNINGS.get(lowered[:3], ()) if lowered.startswith(beginning)}
    return _SINGLE.get(stem(lowered), frozenset()) | begun


@lru_cache(maxsize=50_000)
def _families_begun_by(word: str) -> tuple[frozenset[str], list[tuple[tuple[str, ...], str]]]:
    """The families of a word, and the phrases that begin with it."""
    return families_of_word(word), _PHRASES.get(stem(word), [])


def families(text: str) -> Iterator[str]:
    """The families of a text's words and phrases, in order."""
    words = _PLAIN_WORD.findall(_split_identifiers(text))
    for at, word in enumerate(words):
        names, phrases = _families_begun_by(word)
        yield from names
        for phrase, name in phrases:
            if tuple(map(stem, words[at : at + len(phrase)])) == phrase:
                yield name
    if _WIDE_RUN.search(text):
        yield from (name for name, pattern in _WIDE if pattern.search(text))


def _split_identifiers(text: str) -> str:
    """`record_usage` and `ChangePassword` as words."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", text)


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
        if re.fullmatch(r"[\w.$:/@-]{2,80}(?:\(\))?", span) and not re.fullmatch(r"[\d.:,-]+", span):
            names.add(span)
    cleaned = {re.sub(r"(?:\(\)|:\d+(?:-\d+)?)$", "", name).lower() for name in names}
    return frozenset(name for name in cleaned if len(name) > 2)


def record_ids(text: str) -> frozenset[str]:
    """Identifiers of requirements and decisions: SCAN-06, D-07."""
    return frozenset(_ID.findall(text))


def faults(text: str) -> frozenset[str]:
    """The kinds of fault that a text speaks of."""
    lowered = text[:_FAULT_LIMIT].lower()
    return frozenset(
        name
        for name, parts, pattern in _FAULT_PATTERNS
        if any(part in lowered for part in parts) and pattern.search(lowered)
    )
