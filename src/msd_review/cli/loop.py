"""`msd loop`: what is active at a point of the loop."""

import json

import click

from msd_review.app import loop
from msd_review.cli.lane_flags import world_of


@click.group()
def command() -> None:
    """Show which hooks are active at a point of the loop."""


@command.command()
@click.argument("point", metavar="POINT")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.loop-hooks/1 document.")
@click.pass_context
def hooks(ctx: click.Context, point: str, *, as_json: bool) -> None:
    """List the active hooks of POINT (execute:post, plan:pre, …) in the order in which they run."""
    world = world_of(ctx)
    for warning in (*world.warnings(), *(notice.message for notice in world.registry.notices)):
        click.echo(f"warning: {warning}", err=True)
    document = loop.hooks_document(world, point)
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))
        return
    for hook in document["hooks"]:
        what = " ".join(f"{kind} {name}" for kind, name in (hook["ref"] or {}).items()) or hook.get(
            "into", ""
        )
        lanes = ", may use reviewer lanes" if hook.get("supportsReviewerLanes") else ""
        when = f", when {hook['when']}" if hook["when"] else ""
        click.echo(f"{hook['capId']}: {hook['kind']} {what}{when}{lanes}".replace("  ", " "))
    if not document["hooks"]:
        click.echo(f"nothing is active at {point}")
