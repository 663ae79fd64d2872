"""`msd install`: the commands of msd and its MCP server, put into the tool that someone works in."""

import json
import sys

import click

from msd_review.app.world import World
from msd_review.cli import host_output
from msd_review.cli.lane_flags import world_of
from msd_review.config.roots import home_folder
from msd_review.edges import environ
from msd_review.hosts import service
from msd_review.hosts.model import Around, Scope
from msd_review.hosts.program import server_program

SCOPES = click.Choice(["global", "project"])


def around_of(world: World) -> Around:
    """This machine and this project, as an install sees them."""
    program = server_program(
        called=sys.argv[0], python=sys.executable, path=environ.get("PATH"), project=world.root.path
    )
    return Around(
        home=home_folder().absolute(),
        msd_home=world.home,
        project=world.root.path,
        environment=environ.snapshot(),
        program=program,
    )


@click.command()
@click.argument("host", required=False)
@click.option(
    "--scope",
    type=SCOPES,
    default="global",
    show_default=True,
    help="For you everywhere, or for this project's team.",
)
@click.option("--dry-run", is_flag=True, help="Show as a diff what would be written; write nothing.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the msd.host-install/1 (or msd.hosts/1) document."
)
@click.pass_context
def command(ctx: click.Context, host: str | None, scope: Scope, *, dry_run: bool, as_json: bool) -> int:
    """Put msd's commands and its MCP server into HOST; without HOST list the hosts.

    What a person edited is left alone, and said: exit 1.
    """
    world = world_of(ctx)
    around = around_of(world)
    if host is None:
        rows = host_output.overview(world, around)
        click.echo(
            json.dumps(host_output.hosts_document(rows), ensure_ascii=False, indent=1)
            if as_json
            else rows.text()
        )
        return 0
    done = service.install(service.find_host(world.registry, host), scope, around, dry_run=dry_run)
    return host_output.show(done, action="install", as_json=as_json)
