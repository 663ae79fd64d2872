"""A conformance card for people: coloured on a terminal, plain elsewhere; progress on stderr while it is made."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from msd_review.cli.tables import safe
from msd_review.conformance.card import WORDS, lines
from msd_review.conformance.model import Card, Row, State
from msd_review.conformance.table import HTTP, SPAWN
from msd_review.edges import environ

_STYLES = {
    State.HOLDS: "green",
    State.DOES_NOT_HOLD: "bold red",
    State.NOT_APPLICABLE: "dim",
    State.NOT_PROVEN: "yellow",
}


def listing() -> str:
    """Every check of both transports, with what it asks."""
    found = []
    for title, checks in (("commands", SPAWN), ("servers", HTTP)):
        found.append(f"for {title}:")
        found += [f"  {check.id:<18}{check.title}" for check in checks]
    return "\n".join(found)


def _is_drawable(stream: object) -> bool:
    is_terminal = bool(getattr(stream, "isatty", lambda: False)())
    return is_terminal and environ.get("TERM") not in {None, "dumb"} and environ.get("NO_COLOR") is None


def print_card(card: Card) -> None:
    """Prints the card; a line of a check that fails stands out on a terminal."""
    if not _is_drawable(sys.stdout):
        for line in lines(card):
            click.echo(safe(line.text))
        return
    # Drawn only here, so that no other command pays for the terminal library.
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    for line in lines(card):
        console.print(Text(safe(line.text), style=_STYLES[line.state] if line.state is not None else ""))


@contextmanager
def watching() -> Iterator[Callable[[Row, int, int], None]]:
    """Tells how far it is: a line that is written over on a terminal, one line a check elsewhere."""
    if not _is_drawable(sys.stderr) or environ.get("CI") is not None:
        yield _print_line
        return
    from rich.console import Console

    with Console(stderr=True).status("preparing the bench") as status:
        yield lambda row, done, total: status.update(f"{done} of {total} checks; last: {row.id}")


def _print_line(row: Row, done: int, total: int) -> None:
    click.echo(safe(f"[{done}/{total}] {row.id}: {WORDS[row.seen.state]}"), err=True)
