"""What a table of the summary page is made of, and how numbers that may not be known are written in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from msd_review.fleet.summary import SEVERITY_COLUMNS
from msd_review.report.text import duration

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table: its text, what it is sorted by, and its class for the style ("" for none)."""

    text: str
    value: float | str
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row: what it is about, where its own report is (None where there is none), the state, the cells."""

    name: str
    link: str | None = None
    text_link: str | None = None
    state: str = ""
    cells: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table; `note` says what was left out ("" for nothing)."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    note: str = ""
    says: str = ""


def link(path: object) -> str | None:
    """A path below the page's own folder as a relative address; None for one that leads, or could lead, elsewhere."""
    if not isinstance(path, str) or not path.isprintable() or "\\" in path:
        return None
    parts = PurePosixPath(path).parts
    if not parts or parts[0] in {"/", "//"} or ".." in parts:
        return None
    return "./" + quote("/".join(parts))


def text_beside(document: object) -> str | None:
    """Where the same report is as Markdown: it is written beside its JSON, under the same name."""
    where = link(document)
    return where.removesuffix(".json") + ".md" if where is not None and where.endswith(".json") else None


def number(amount: int, kind: str = "") -> Cell:
    """A count, with `kind` where it is not 0."""
    return Cell(text=f"{amount:,}" if amount else "0", value=amount, kind=kind if amount else "none")


def text(text: str | None, kind: str = "") -> Cell:
    """A text, sorted by itself."""
    return Cell(text=text or "", value=text or "", kind=kind)


def time(seconds: float) -> Cell:
    """Seconds as people read them."""
    return Cell(text=duration(round(seconds * 1000)), value=seconds)


def rate(rate: float | None) -> Cell:
    """A share; unknown is no number."""
    return Cell(
        text=UNKNOWN if rate is None else f"{rate:.0%}",
        value=-1 if rate is None else rate,
        kind="" if rate is not None else "none",
    )


def severities(counts: Mapping[str, int] | None) -> tuple[Cell, ...]:
    """One cell for each severity; dashes where there is no report."""
    if counts is None:
        return tuple(Cell(text="–", value=-1, kind="none") for _ in SEVERITY_COLUMNS)
    return tuple(number(counts[name], name) for name in SEVERITY_COLUMNS)


def amounts(usage: Mapping[str, Any]) -> tuple[Cell, ...]:
    """Lanes that ran, tokens in and out, cost: each unknown where nobody stated it."""
    ran = usage["lanes_that_ran"]
    return (
        number(ran),
        _amount(usage["input_tokens"], ran, "{:,}"),
        _amount(usage["output_tokens"], ran, "{:,}"),
        _amount(usage["cost_usd"], ran, "${:,.4f}"),
    )


def _amount(amount: Mapping[str, Any], ran: int, shape: str) -> Cell:
    if amount["amount"] is None:
        return Cell(text=UNKNOWN if ran else "–", value=-1, kind="none")
    known = amount["known_of"]
    partly = f" (known of {known:,} of {ran:,})" if amount["unknown_of"] else ""
    return Cell(text=shape.format(amount["amount"]) + partly, value=amount["amount"])
