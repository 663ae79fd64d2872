"""How a person is kept informed while a capability is fetched: on stderr, a line a second at most."""

import click

from msd_review.app.installing import Telling
from msd_review.cli.tables import safe
from msd_review.edges import clock

_BETWEEN_S = 1.0


def say(text: str) -> None:
    """One line for a person."""
    click.echo(safe(text), err=True)


def telling() -> Telling:
    """What is being done, and from the second second of a slow fetch on how much of it came."""
    started = last = clock.monotonic()

    def on_bytes(count: int) -> None:
        nonlocal last
        now = clock.monotonic()
        if now - last >= _BETWEEN_S:
            last = now
            say(f"  {count / 1e6:.1f} MB after {now - started:.0f} s")

    return Telling(say=say, on_bytes=on_bytes)
