"""`msd uninstall`: takes out of a tool what `msd install` put there, and nothing else."""

import click

from msd_review.cli import host_output
from msd_review.cli.install import SCOPES, around_of
from msd_review.cli.lane_flags import world_of
from msd_review.errors import MsdError
from msd_review.hosts import service
from msd_review.hosts.ledger import load_ledger
from msd_review.hosts.model import Host, Scope
from msd_review.registry import Registry


@click.command()
@click.argument("host")
@click.option("--scope", type=SCOPES, default="global", show_default=True, help="Where it was installed.")
@click.option("--dry-run", is_flag=True, help="Show as a diff what would be removed; remove nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.host-install/1 document.")
@click.pass_context
def command(ctx: click.Context, host: str, scope: Scope, *, dry_run: bool, as_json: bool) -> int:
    """Take msd's commands and its MCP server out of HOST; files that were there before are as they were.

    What a person edited is left alone, and said: exit 1.
    """
    world = world_of(ctx)
    around = around_of(world)
    known = _host(
        world.registry, host, is_installed=any(one.host == host for one in load_ledger(around.msd_home))
    )
    done = service.uninstall(host, scope, around, host=known, dry_run=dry_run)
    return host_output.show(done, action="uninstall", as_json=as_json)


def _host(registry: Registry, name: str, *, is_installed: bool) -> Host | None:
    """The host; None for one that was installed into and that no capability declares any more."""
    try:
        return service.find_host(registry, name)
    except MsdError:
        if is_installed:
            return None
        raise
