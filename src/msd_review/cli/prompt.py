"""`msd prompt`: the assembled prompt, and what was trimmed to fit."""

import json
from pathlib import Path

import click

from msd_review.app import prompting
from msd_review.cli.lane_flags import world_of


@click.command()
@click.argument("plans", nargs=-1, type=click.Path(path_type=Path), metavar="[PLAN.md …]")
@click.option("--phase", metavar="N", help="The plans of this phase of .planning/.")
@click.option(
    "--budget", type=click.IntRange(min=1), metavar="TOKENS", help="Trim to this many estimated tokens."
)
@click.option("--json", "as_json", is_flag=True, help="Print the msd.prompt/1 document.")
@click.pass_context
def command(
    ctx: click.Context, plans: tuple[Path, ...], phase: str | None, budget: int | None, *, as_json: bool
) -> None:
    """Show the assembled prompt, and what was trimmed to fit."""
    document = prompting.prompt_json(world_of(ctx), plans=plans, phase=phase, budget=budget)
    for warning in document.pop("warnings"):
        click.echo(f"warning: {warning}", err=True)
    click.echo(json.dumps(document, ensure_ascii=False, indent=1) if as_json else document["prompt"])
