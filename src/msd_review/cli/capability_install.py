"""`msd capability disclose|install|update|outdated|remove`."""

import json

import click

from msd_review.app import installing
from msd_review.cli.capability_progress import say, telling
from msd_review.cli.capability_trust import show_and_ask, warn_about_store
from msd_review.cli.lane_flags import world_of
from msd_review.cli.tables import table
from msd_review.trust.disclosure import to_json
from msd_review.trust.disclosure_text import to_text
from msd_review.trust.visible import plain


@click.command()
@click.argument("what", metavar="PATH|ID|SPEC")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.disclosure/1 document.")
@click.pass_context
def disclose(ctx: click.Context, what: str, as_json: bool) -> None:
    """Show what a capability would run and whom it would send plans to; change nothing."""
    found = installing.disclosures_of(world_of(ctx), what, telling())
    if as_json:
        # One capability is one document; an id that lies in two scopes is the one that is active there.
        click.echo(json.dumps(to_json(found[-1].disclosure), ensure_ascii=False, indent=1))
        return
    for shown in found:
        if len(found) > 1:
            click.echo(f"{plain(shown.where)}:")
        click.echo(to_text(shown.disclosure))
        if shown.problem:
            say(f"warning: {shown.problem}")


@click.command()
@click.argument("spec")
@click.option("--scope", type=click.Choice(["global", "project"]), default="global", show_default=True)
@click.option("--integrity", metavar="SHA512", help="Refuse an archive with another hash (sha512-…).")
@click.option("--yes", is_flag=True, help="Never ask; no consent to anything that runs or receives plans.")
@click.option(
    "--accept-disclosure", "token", metavar="TOKEN", help="Agree to exactly what `disclose` printed."
)
@click.pass_context
def install(
    ctx: click.Context, spec: str, scope: str, integrity: str | None, *, yes: bool, token: str | None
) -> None:
    """Install a capability from git, npm, an archive or a folder, after showing what it does."""
    answers = installing.Answers(ask=(lambda *_: None) if yes else show_and_ask, token=token, yes=yes)
    installed, prepared = installing.install(
        world_of(ctx), spec, scope=scope, integrity=integrity, answers=answers, telling=telling()
    )
    for problem in prepared.warnings:
        say(f"warning: {problem.message}")
    warn_about_store(ctx)
    instead = f" in the place of {plain(installed.replaced)}" if installed.replaced else ""
    click.echo(
        f"installed {plain(installed.entry.id)} {plain(installed.entry.version)} ({installed.scope}){instead}"
    )


@click.command()
@click.argument("identity", metavar="[ID]", required=False)
@click.option(
    "--accept-disclosure", "token", metavar="TOKEN", help="Agree to exactly what `disclose` printed."
)
@click.pass_context
def update(ctx: click.Context, identity: str | None, token: str | None) -> None:
    """Fetch again what was installed, show what changed, and ask before changing anything."""
    answers = installing.Answers(ask=show_and_ask, token=token)
    done = installing.update(world_of(ctx), identity, answers=answers, telling=telling())
    if not done:
        click.echo("nothing is installed")
    elif any(installed for _, installed in done):
        warn_about_store(ctx)
    for found, installed in done:
        name = plain(found.entry.id)
        if installed is None:
            click.echo(f"{name} {plain(found.entry.version)} is up to date")
        else:
            click.echo(f"updated {name} to {plain(installed.entry.version)}")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the msd.outdated/1 document.")
@click.pass_context
def outdated(ctx: click.Context, as_json: bool) -> None:
    """Say for each installed capability whether its source has something newer."""
    found = installing.outdated(world_of(ctx), telling())
    if as_json:
        rows = [
            {
                "id": one.id,
                "scope": one.scope,
                "version": one.version,
                "state": one.state,
                "resolved": one.resolved,
                "latest": one.latest,
                "detail": one.detail,
            }
            for one in found
        ]
        click.echo(
            json.dumps({"schema": "msd.outdated/1", "capabilities": rows}, ensure_ascii=False, indent=1)
        )
        return
    cells = [[one.id, one.scope, one.version, one.state, one.latest or "-", one.detail] for one in found]
    for line in table(
        ("id", "scope", "version", "state", "latest", ""), [[plain(c) for c in row] for row in cells]
    ):
        click.echo(line)


@click.command()
@click.argument("identity", metavar="ID")
@click.option("--scope", type=click.Choice(["global", "project"]), help="Which installation.")
@click.pass_context
def remove(ctx: click.Context, identity: str, scope: str | None) -> None:
    """Remove an installed capability and the consent to it."""
    removed = installing.remove_capability(world_of(ctx), identity, scope)
    click.echo(f"removed {plain(removed.entry.id)} {plain(removed.entry.version)} ({removed.scope})")
    for left in removed.left:
        say(f"warning: {plain(left)} was not installed by msd and stays")


COMMANDS = (disclose, install, update, outdated, remove)
