"""What a conformance card is made of: checks, what was seen of each, and the way to mend it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Driver = Literal["stand-in", "binary", "tool", "shipped"]
"""Who plays the reviewer: the kit's own program or server, the program that was named, the user's own tool or server,
or the program that comes with msd, which nothing can stand in for."""


class State(StrEnum):
    """What a check came to. Only `does_not_hold` fails a card; `not_proven` does with `--strict`."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does_not_hold"
    NOT_APPLICABLE = "not_applicable"
    NOT_PROVEN = "not_proven"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One check's outcome. `pointer` is the place in the manifest (a JSON pointer), `mend` what to do about it."""

    state: State
    detail: str
    mend: str = ""
    pointer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the card."""

    id: str
    title: str
    seen: Seen
    duration_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Everything that was checked of one lane, in the order of the table of checks."""

    slug: str
    section: str
    transport: str
    source: str  # "manifest", "first-party", "installed"
    capability: str
    version: str
    driver: Driver
    driven: str  # what played the reviewer, for people
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    duration_ms: int = 0

    def count(self, state: State) -> int:
        """How many checks came to `state`."""
        return sum(row.seen.state is state for row in self.rows)


def holds(detail: str) -> Seen:
    """The check holds."""
    return Seen(state=State.HOLDS, detail=detail)


def fails(detail: str, *, mend: str = "", pointer: str = "") -> Seen:
    """The check does not hold."""
    return Seen(state=State.DOES_NOT_HOLD, detail=detail, mend=mend, pointer=pointer)


def not_applicable(why: str) -> Seen:
    """The lane declares nothing that this check could be about."""
    return Seen(state=State.NOT_APPLICABLE, detail=why)


def not_proven(why: str, *, mend: str = "") -> Seen:
    """Nothing was seen that proves it, nor that disproves it."""
    return Seen(state=State.NOT_PROVEN, detail=why, mend=mend)
