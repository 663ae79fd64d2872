"""What could not be told, by reason: one line for each reason, with what it is about, however often it is said.

Bounded: at most `MAX_REASONS` lines of at most `MAX_NAMED` things each; the rest is counted.
"""

from collections.abc import Iterator, Sequence

from msd_review.grounding.inert import plain
from msd_review.grounding.model import Judged

MAX_REASONS = 30
MAX_NAMED = 8
_NOUNS = {
    "path": "path", "lines": "cited place", "symbol": "name", "signature": "signature", "parameter": "parameter", "command": "command",
    "artifact": "promised artifact", "link": "promised link", "dependency": "dependency",
}  # fmt: skip


def unsure_lines(judged: Sequence[Judged]) -> Iterator[str]:
    """One line for each reason, the most frequent first."""
    reasons: dict[tuple[str, str], dict[str, list[str]]] = {}
    for item in judged:
        things = reasons.setdefault((_NOUNS.get(item.claim.kind, item.claim.kind), item.why), {})
        things.setdefault(plain(item.claim.text)[:120], []).append(
            f"{plain(item.claim.plan)}:{item.claim.line}"
        )
    ordered = sorted(reasons.items(), key=lambda entry: -len(entry[1]))
    for (noun, why), things in ordered[:MAX_REASONS]:
        yield _line(noun, why, things)
    if len(ordered) > MAX_REASONS:
        rest = sum(len(things) for _, things in ordered[MAX_REASONS:])
        yield f"and {rest} more that could not be told"


def _line(noun: str, why: str, things: dict[str, list[str]]) -> str:
    named = [f"`{thing}` ({_places(places)})" for thing, places in list(things.items())[:MAX_NAMED]]
    more = len(things) - len(named)
    count = f"{len(things)} {noun}s: " if len(things) > 1 else ""
    return f"{count}{', '.join(named)}{f' and {more} more' if more else ''}: {plain(why)}"


def _places(places: list[str]) -> str:
    distinct = list(dict.fromkeys(places))
    return f"`{distinct[0]}`" + (f" and {len(distinct) - 1} more" if len(distinct) > 1 else "")
