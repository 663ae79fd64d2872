"""A card, told: as text for people, as the `msd.conformance/1` document for programs."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from msd_review.conformance.model import Card, Row, State

SYMBOLS = {
    State.HOLDS: "✓",
    State.DOES_NOT_HOLD: "✗",
    State.NOT_APPLICABLE: "–",
    State.NOT_PROVEN: "?",
}
WORDS = {
    State.HOLDS: "holds",
    State.DOES_NOT_HOLD: "does not hold",
    State.NOT_APPLICABLE: "not applicable",
    State.NOT_PROVEN: "not proven",
}


def exit_code(card: Card, *, strict: bool) -> int:
    """0 where nothing fails; 1 where something does, or, when strict, where something is not proven."""
    failed = card.count(State.DOES_NOT_HOLD) or (strict and card.count(State.NOT_PROVEN))
    return 1 if failed else 0


def to_json(card: Card, *, strict: bool) -> dict[str, Any]:
    """The `msd.conformance/1` document."""
    return {
        "schema": "msd.conformance/1",
        "lane": card.slug,
        "section": card.section,
        "transport": card.transport,
        "capability": card.capability,
        "version": card.version,
        "source": card.source,
        "driver": card.driver,
        "driven": card.driven,
        "ok": exit_code(card, strict=strict) == 0,
        "strict": strict,
        "counts": {state.value: card.count(state) for state in State},
        "duration_ms": card.duration_ms,
        "checks": [_row_json(row) for row in card.rows],
        "notes": list(card.notes),
    }


def _row_json(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "title": row.title,
        "state": row.seen.state.value,
        "seen": row.seen.detail,
        "mend": row.seen.mend or None,
        "pointer": row.seen.pointer or None,
        "duration_ms": row.duration_ms,
    }


def heading(card: Card) -> str:
    """What was checked, and what played the reviewer."""
    return f"{card.slug} ({card.capability} {card.version}, {card.source}, {card.transport}), driven: {card.driven}"


def summary(card: Card) -> str:
    """The counts, in one line."""
    parts = [f"{card.count(state)} {WORDS[state]}" for state in State if card.count(state)]
    return f"{', '.join(parts)} ({card.duration_ms / 1000:.0f} s)"


class Line(NamedTuple):
    """One line of the text, and the state of the check that it begins, if it does."""

    text: str
    state: State | None = None


def lines(card: Card) -> Iterator[Line]:
    """The card as text; nothing in it is safe for a terminal yet."""
    yield Line(heading(card))
    yield Line("")
    wide = max((len(row.id) for row in card.rows), default=0)
    for row in card.rows:
        state = row.seen.state
        yield Line(f"{SYMBOLS[state]} {row.id:<{wide}}  {WORDS[state]:<14}  {row.title}", state)
        for text in _details(row):
            yield Line(f"  {'':<{wide}}  {text}")
    yield Line("")
    for note in card.notes:
        yield Line(note)
    yield Line(summary(card))


def _details(row: Row) -> Iterator[str]:
    yield row.seen.detail
    if row.seen.pointer or row.seen.mend:
        yield "→ " + ": ".join(part for part in (row.seen.pointer, row.seen.mend) if part)
