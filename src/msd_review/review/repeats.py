"""Findings of one reviewer that state the same thing twice: a summary table, a recap, a list told again."""

from msd_review.lazy import regex
from msd_review.review.drafts import Draft, plain_text

_WORD = regex(r"[^\W_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STOP = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "not",
        "are",
        "but",
        "from",
        "has",
        "have",
        "its",
        "was",
        "were",
        "will",
        "can",
        "does",
        "into",
        "only",
        "when",
        "which",
        "than",
        "then",
        "also",
        "must",
        "should",
        "plan",
        "plans",
        "task",
    ]
)
_IDENTIFIER = regex(r"^\W{0,4}([A-Z]{1,3}-?\d{1,3})\b")
_SAME_AFTER_TABLE = 0.5
_SAME = 0.8
_FEW = 4


def words_of(text: str) -> frozenset[str]:
    """The distinct words of a text, without marks and little words; characters of scripts without spaces."""
    return frozenset(word for word in _WORD.findall(plain_text(text).lower()) if word not in _STOP)


def share(short: frozenset[str], long: frozenset[str]) -> float:
    """Which part of the smaller set stands in the larger one."""
    smaller, larger = sorted((short, long), key=len)
    return len(smaller & larger) / len(smaller) if smaller else 0.0


def without_repeats(drafts: list[Draft]) -> list[Draft]:
    """The drafts without those that repeat another one; the fuller telling stays, in its place."""
    return _without_equal(_without_repeated_tables(drafts))


def _whole(draft: Draft) -> frozenset[str]:
    return words_of(" ".join([draft.title or "", draft.text, *draft.more])[:4000])


def _head(draft: Draft) -> frozenset[str]:
    return words_of((draft.title or draft.text)[:400])


def _without_repeated_tables(drafts: list[Draft]) -> list[Draft]:
    """A table most of whose rows stand elsewhere as prose is a summary: all of it goes."""
    rows = [draft for draft in drafts if draft.from_table]
    told = [draft for draft in drafts if not draft.from_table]
    if not rows or not told or len(rows) * len(told) > 400_000:
        return drafts
    known = [(_head(draft), _whole(draft)) for draft in told]
    repeated = [row for row in rows if _is_told(row, known, told)]
    if len(repeated) * 2 >= len(rows):
        return told + [row for row in rows if row not in repeated and len(rows) - len(repeated) > len(told)]
    return [draft for draft in drafts if draft not in repeated]


def _is_told(row: Draft, known: list[tuple[frozenset[str], frozenset[str]]], told: list[Draft]) -> bool:
    head = _head(row)
    return any(
        share(head, other_head) >= _SAME_AFTER_TABLE
        or (len(head) >= _FEW and len(head & whole) / len(head) >= 0.7)
        for other_head, whole in known
    )


def _without_equal(drafts: list[Draft]) -> list[Draft]:
    kept: list[Draft] = []
    by_word: dict[str, list[int]] = {}
    for draft in drafts:
        head = _head(draft)
        near = {at for word in list(head)[:40] for at in by_word.get(word, ())[-60:]}
        if any(_says_the_same(draft, head, kept[at]) for at in near):
            continue
        for word in head:
            by_word.setdefault(word, []).append(len(kept))
        kept.append(draft)
    return kept


def _says_the_same(draft: Draft, head: frozenset[str], other: Draft) -> bool:
    """Whether a draft repeats another: word for word, or nearly so in another section.

    Within one section a reviewer who writes two items means two things, however alike they are.
    """
    other_head = _head(other)
    if draft.text == other.text and draft.severity == other.severity and draft.plan == other.plan:
        return draft.line != other.line
    if draft.section == other.section or min(len(head), len(other_head)) < _FEW:
        return False
    return share(head, other_head) >= _SAME and share(_whole(draft), _whole(other)) >= _SAME
