"""`msd capability trust`: who may receive plans, and how to take it back."""

import json

import click

from msd_review.app import installing, trusting
from msd_review.cli.lane_flags import world_of
from msd_review.cli.prompts import Terminal
from msd_review.cli.tables import table
from msd_review.errors import TrustError
from msd_review.trust.visible import plain


@click.group()
def trust() -> None:
    """See, give and take back consent."""


@trust.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.trust/1 document.")
@click.pass_context
def list_consents(ctx: click.Context, as_json: bool) -> None:
    """List everything that was agreed to, with destinations."""
    document = trusting.consents_json(world_of(ctx))
    warn_about_store(ctx)
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))
        return
    rows = [
        ("capability", one["id"], one["scope"], one["destination"] or "-", one["time"])
        for one in document["capabilities"]
    ]
    rows += [
        (
            "destination",
            one["slug"],
            one["capability"],
            one["destination"] + (" [local]" if one["local"] else ""),
            one["time"],
        )
        for one in document["destinations"]
    ]
    rows += [
        ("answer", one["slug"], "yes" if one["allowed"] else "no", "-", one["time"])
        for one in document["answers"]
    ]
    if not rows:
        click.echo("nothing was agreed to yet")
        return
    for line in table(
        ("kind", "name", "for", "destination", "since"), [[plain(cell) for cell in row] for row in rows]
    ):
        click.echo(line)


@trust.command("allow-host")
@click.argument("slug")
@click.argument("url")
@click.pass_context
def allow_host(ctx: click.Context, slug: str, url: str) -> None:
    """Agree that plans may go to exactly this URL for this reviewer."""
    allowed = trusting.allow_host(world_of(ctx), slug, url)
    for warning in allowed.warnings:
        click.echo(f"warning: {warning}", err=True)
    warn_about_store(ctx)
    local = " [local]" if allowed.is_local else ""
    click.echo(
        f"agreed: {allowed.slug} may send plans, requirements, research and context to {allowed.destination}{local}"
    )
    click.echo(f"to take it back: msd capability trust revoke {allowed.slug}", err=True)


@trust.command()
@click.argument("identity", metavar="ID")
@click.option("--scope", type=click.Choice(["global", "project"]), help="Which installation.")
@click.option(
    "--accept-disclosure", "token", metavar="TOKEN", help="Agree to exactly what `disclose` printed."
)
@click.pass_context
def allow(ctx: click.Context, identity: str, scope: str | None, token: str | None) -> None:
    """Agree to a capability that came with a clone, or that changed; or that a tool of yours may receive plans."""
    receiver = trusting.receiver_of(world_of(ctx), identity) if scope is None and token is None else None
    if receiver is not None:
        _allow_tool(ctx, identity, receiver)
        return
    answers = installing.Answers(ask=show_and_ask, token=token)
    disclosure, place = installing.allow(world_of(ctx), identity, scope=scope, answers=answers)
    warn_about_store(ctx)
    click.echo(
        f"agreed: {plain(disclosure.id)} {plain(disclosure.version)} ({place.name}) is active as it is now"
    )


def _allow_tool(ctx: click.Context, slug: str, receiver: str) -> None:
    """The answer that a first review asks for, given beforehand; a person's alone, so only on a terminal."""
    question = f"Send plans and changes to {plain(receiver)} whenever a review asks for it?"
    answer = Terminal(may_ask=True).ask_no_by_default(question)
    if answer is None:
        raise TrustError(
            f"whether {slug} may receive plans is a person's to say, and here is no terminal to ask on",
            hint=f"run it yourself in a terminal: msd capability trust allow {slug}",
        )
    trusting.answer_for(world_of(ctx), slug, allowed=answer)
    warn_about_store(ctx)
    if not answer:
        raise TrustError(f"refused: {slug} receives nothing")
    click.echo(f"agreed: {plain(receiver)} may receive plans and changes on this machine")
    click.echo(f"to take it back: msd capability trust revoke {slug}", err=True)


def warn_about_store(ctx: click.Context) -> None:
    """Says where the consents lie when that is a place from which they could be committed."""
    warning = trusting.store_warning(world_of(ctx))
    if warning:
        click.echo(f"warning: {warning}", err=True)


def show_and_ask(shown: str, question: str) -> bool | None:
    """Shows everything that would be agreed to, then asks with "no" as the default; None without a terminal."""
    click.echo(shown, err=True)
    return Terminal(may_ask=True).ask_no_by_default(question)


@trust.command()
@click.argument("name", metavar="ID|SLUG")
@click.argument("url", required=False)
@click.pass_context
def revoke(ctx: click.Context, name: str, url: str | None) -> None:
    """Take back what was agreed to for a capability or a reviewer; with URL, for that destination alone."""
    for line in trusting.revoke(world_of(ctx), name, url):
        click.echo(f"taken back: {line}")
