"""`msd doctor`: one screen for when something does not work."""

import json

import click

from msd_review.app import doctor as use_case
from msd_review.cli.lane_flags import world_of
from msd_review.cli.lane_table import lanes_text
from msd_review.cli.tables import safe


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the msd.doctor/1 document.")
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> None:
    """Say what a person needs when something does not work."""
    found = use_case.diagnose(world_of(ctx))
    if as_json:
        click.echo(json.dumps(found.as_json(), ensure_ascii=False, indent=1))
        return
    width = max(len(name) for name, _ in found.facts)
    for name, text in found.facts:
        click.echo(safe(f"{name:<{width}}  {text}"))
    click.echo("")
    click.echo(lanes_text(found.lanes))
    consents = found.consents or {"destinations": [], "answers": [], "capabilities": []}
    click.echo("")
    click.echo(
        f"agreed to: {len(consents['capabilities'])} capabilities, {len(consents['destinations'])} destinations"
    )
    for one in consents["destinations"]:
        click.echo(f"  {one['slug']} → {one['destination']}" + (" [local]" if one["local"] else ""))
    for one in consents["answers"]:
        click.echo(f"  {one['slug']}: {'may receive plans' if one['allowed'] else 'may not receive plans'}")
    click.echo("")
    click.echo("problems: none" if not found.problems else "problems:")
    for problem in found.problems:
        click.echo(safe(f"  {problem}"))
