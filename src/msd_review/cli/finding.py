"""`msd finding`: set concerns aside, and take that back."""

import click

from msd_review.app import dismissing
from msd_review.cli.lane_flags import world_of


@click.group()
def command() -> None:
    """Dismiss concerns of a review, and take that back."""


@command.command()
@click.argument("identity", metavar="ID")
@click.option(
    "--because", required=True, metavar="REASON", help="Why it is no concern; shown in every later review."
)
@click.pass_context
def dismiss(ctx: click.Context, identity: str, because: str) -> None:
    """Set a concern aside; it comes back when the code that it cites changes."""
    done = dismissing.dismiss(world_of(ctx), identity, because)
    click.echo(f"dismissed {done.id} ({done.title}); kept in {done.path}")


@command.command()
@click.argument("identity", metavar="ID")
@click.pass_context
def restore(ctx: click.Context, identity: str) -> None:
    """Take a dismissal back."""
    done = dismissing.restore(world_of(ctx), identity)
    click.echo(f"{done.id} ({done.title}) counts again; changed {done.path}")
