"""Progress of a review: a live table on a terminal, one line an event elsewhere. All of it on stderr."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import click

from msd_review.app.events import RunEvent, Watcher
from msd_review.edges import clock, environ

_ICONS = {"review": "✓", "partial": "◐", "failed": "✗", "unavailable": "–", "blocked": "⛔", "cancelled": "■"}


def duration_text(milliseconds: int) -> str:
    """`850 ms`, `12 s`, `3 min 05 s`."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds = milliseconds // 1000
    return f"{seconds} s" if seconds < 60 else f"{seconds // 60} min {seconds % 60:02d} s"


def size_text(count: int) -> str:
    """`640 B`, `12 KB`, `3.4 MB`."""
    if count < 1000:
        return f"{count} B"
    return f"{count // 1000} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"


def event_line(event: RunEvent) -> str | None:
    """One line for a log, or None for an event that only a live table shows."""
    name = event.identity
    match event.kind:
        case "note":
            return event.text
        case "started":
            return f"{name}: started" + (f" ({event.model})" if event.model else "")
        case "queued":
            return f"{name}: {event.text or 'waits for its turn'}"
        case "attempt":
            return f"{name}: {event.text}"
        case "finished":
            took = f" after {duration_text(event.duration_ms)}" if event.duration_ms is not None else ""
            return f"{name}: {event.outcome}{took}" + (f", {event.text}" if event.text else "")
        case _:
            return None


def _print_line(event: RunEvent) -> None:
    line = event_line(event)
    if line is not None:
        click.echo(line, err=True)


@dataclass(slots=True)
class _Row:
    model: str = ""
    state: str = "waits"
    note: str = ""
    started: float | None = None
    ended_ms: int | None = None
    size: int = 0

    def take(self, event: RunEvent) -> None:
        self.model = event.model or self.model
        self.size = event.output_bytes if event.output_bytes is not None else self.size
        if event.kind == "started":
            self.state, self.started, self.note = "runs", clock.monotonic(), ""
        elif event.kind in {"queued", "attempt"}:
            self.note = event.text
        elif event.kind == "finished":
            outcome = event.outcome or ""
            self.state = f"{_ICONS.get(outcome, '')} {outcome}".strip()
            self.note, self.ended_ms = event.text, event.duration_ms

    def elapsed(self) -> str:
        if self.ended_ms is not None:
            return duration_text(self.ended_ms)
        return (
            duration_text(int((clock.monotonic() - self.started) * 1000)) if self.started is not None else ""
        )


@contextmanager
def _live_table() -> Iterator[Watcher]:
    # Drawn only here, so that no other command pays for the terminal library.
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table
    from rich.text import Text

    rows: dict[str, _Row] = {}

    def draw() -> Table:
        table = Table(box=None, pad_edge=False)
        for heading in ("reviewer", "model", "state", "time", "output", ""):
            table.add_column(heading, no_wrap=heading != "")
        for name, row in rows.items():
            size = size_text(row.size) if row.size else ""
            table.add_row(
                *(Text(cell) for cell in (name, row.model, row.state, row.elapsed(), size, row.note))
            )
        return table

    console = Console(stderr=True)
    live = Live(get_renderable=draw, console=console, refresh_per_second=4, transient=False)

    def watch(event: RunEvent) -> None:
        if event.kind == "note":
            console.print(Text(event.text))
        elif event.identity:
            rows.setdefault(event.identity, _Row()).take(event)
            live.start()  # not before a lane is there: what a person is asked before stays as it was written

    try:
        yield watch
    finally:
        live.stop()


@contextmanager
def open_progress(*, live: bool) -> Iterator[Watcher]:
    """A watcher for the length of a run; the terminal is as it was when this ends, whatever happens."""
    drawable = sys.stderr.isatty() and environ.get("TERM") not in {None, "dumb"} and environ.get("CI") is None
    if live and drawable:
        with _live_table() as watch:
            yield watch
    else:
        yield _print_line
