"""Progress of a fleet run: a live table on a terminal, a line now and then elsewhere. All of it on stderr."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import click

from msd_review.cli.tables import safe
from msd_review.edges import clock, environ

_LINE_EVERY_S = 5.0
_SHOWN_NOTES = 8

Watch = Callable[[Any], None]


@dataclass(slots=True)
class _Counts:
    """What was seen so far. Bounded: counters by provider and by closed reason."""

    began: float = field(default_factory=clock.monotonic)
    states: Counter[str] = field(default_factory=Counter)
    running: Counter[str] = field(default_factory=Counter)
    providers: dict[tuple[str, str], str] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def take(self, event: Any) -> None:
        match event.kind:
            case "lane_started":
                self._start(event)
            case "lane_finished":
                self._end(event.item, event.slug)
                self.outcomes[event.lane.outcome] += 1
                if event.lane.reason is not None:
                    self.reasons[event.lane.reason] += 1
            case "item_finished":
                for item, slug in [known for known in self.providers if known[0] == event.item]:
                    self._end(item, slug)
                self.states[event.outcome.state] += 1
                if event.outcome.reason is not None:
                    self.reasons[event.outcome.reason] += 1

    def _start(self, event: Any) -> None:
        self._end(event.item, event.slug)  # it may begin more than once
        name = event.provider or event.slug
        self.providers[event.item, event.slug] = name
        self.running[name] += 1

    def _end(self, item: str, slug: str) -> None:
        name = self.providers.pop((item, slug), None)
        if name is not None:
            self.running[name] -= 1

    @property
    def rate(self) -> str:
        """Items a minute."""
        took = max(0.001, clock.monotonic() - self.began)
        return f"{self.states.total() / took * 60:.1f}/min"

    def line(self) -> str:
        states = ", ".join(f"{count:,} {state}" for state, count in sorted(self.states.items())) or "none"
        running = ", ".join(f"{count} {name}" for name, count in sorted(self.running.items()) if count)
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.reasons.most_common(5))
        parts = (
            f"items: {states}",
            f"running: {running}" if running else "",
            f"not: {reasons}" if reasons else "",
        )
        return "; ".join((*(part for part in parts if part), self.rate))


@contextmanager
def open_fleet_progress(*, live: bool) -> Iterator[Watch]:
    """A watcher for the length of a run; the terminal is as it was when this ends."""
    drawable = sys.stderr.isatty() and environ.get("TERM") not in {None, "dumb"} and environ.get("CI") is None
    opened = _live() if live and drawable else _lines()
    with opened as watch:
        yield watch


@contextmanager
def _lines() -> Iterator[Watch]:
    counts, told = _Counts(), [clock.monotonic()]

    def watch(event: Any) -> None:
        counts.take(event)
        if event.kind in {"note", "workers"}:
            click.echo(safe(event.text), err=True)
        elif event.kind == "item_finished" and clock.monotonic() - told[0] >= _LINE_EVERY_S:
            told[0] = clock.monotonic()
            click.echo(safe(counts.line()), err=True)

    try:
        yield watch
    finally:
        if counts.states:
            click.echo(safe(counts.line()), err=True)


@contextmanager
def _live() -> Iterator[Watch]:
    # Drawn only here, so that no other command pays for the terminal library.
    from rich.console import Console
    from rich.live import Live
    from rich.table import Table
    from rich.text import Text

    counts = _Counts()

    def draw() -> Table:
        table = Table(box=None, pad_edge=False, show_header=False)
        for name, counter in (
            ("items", counts.states),
            ("running", +counts.running),
            ("reviewers", counts.outcomes),
            ("why not", counts.reasons),
        ):
            cells = "  ".join(f"{key} {count:,}" for key, count in counter.most_common(6))
            table.add_row(Text(name), Text(safe(cells) or "–"))
        table.add_row(Text("rate"), Text(counts.rate))
        return table

    console = Console(stderr=True)
    display = Live(get_renderable=draw, console=console, refresh_per_second=4, transient=False)

    def watch(event: Any) -> None:
        counts.take(event)
        if event.kind in {"note", "workers"}:
            console.print(Text(safe(event.text)))
            display.start()  # not before the run begins: what a person is asked before stays as it was written

    try:
        yield watch
    finally:
        display.stop()
