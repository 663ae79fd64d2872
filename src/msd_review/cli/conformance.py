"""`msd lane conformance`: hold a lane against what every lane must keep to, and print a card."""

import json
from pathlib import Path
from typing import Any

import click

from msd_review.cli.capability import print_validation
from msd_review.cli.capability_trust import show_and_ask
from msd_review.cli.conformance_card import listing, print_card, watching
from msd_review.cli.lane_flags import world_of
from msd_review.cli.prompts import Terminal
from msd_review.conformance import card as cards
from msd_review.conformance.drivers import Wish, request_of
from msd_review.conformance.kit import run_kit
from msd_review.conformance.subject import Invalid, find_subject
from msd_review.conformance.table import chosen_checks
from msd_review.errors import UsageError


@click.command("conformance")
@click.argument("what", metavar="PATH|SLUG", required=False)
@click.option(
    "--binary",
    metavar="FAKE",
    type=click.Path(path_type=Path),
    help="Drive this program as the lane's command.",
)
@click.option(
    "--real", is_flag=True, help="Drive your own installed tool or server; asks who may receive what."
)
@click.option("--yes", is_flag=True, help="With --real: never ask; agree to what would be asked.")
@click.option(
    "--accept-disclosure",
    "token",
    metavar="TOKEN",
    help="With --real and a manifest: agree to what it discloses.",
)
@click.option("--only", multiple=True, metavar="CHECK", help="Run this check alone; repeatable.")
@click.option("--list", "show_list", is_flag=True, help="List the checks and run none.")
@click.option("--strict", is_flag=True, help="Exit 1 also for what is not proven.")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.conformance/1 document.")
@click.pass_context
def conformance(
    ctx: click.Context, /, what: str | None, *, as_json: bool, strict: bool, **options: Any
) -> int:
    """Check a lane and its tool in a sealed place, and print a card of what holds."""
    if options["show_list"]:
        click.echo(listing())
        return 0
    if what is None:
        hint = "msd lane conformance ./acme, or the slug of a lane"
        raise UsageError("name a manifest or a lane", hint=hint)
    world = world_of(ctx)
    subject = find_subject(world, what)
    if isinstance(subject, Invalid):
        return print_validation(Path(what), subject.validation, as_json=as_json)
    chosen_checks(subject.lane.transport, options["only"])
    request = request_of(world, subject, _wish(what, options))
    with watching() as told:
        card = run_kit(request, told=told)
    if as_json:
        click.echo(json.dumps(cards.to_json(card, strict=strict), ensure_ascii=False, indent=1))
    else:
        print_card(card)
    return cards.exit_code(card, strict=strict)


def _wish(what: str, options: dict[str, Any]) -> Wish:
    return Wish(
        what=what,
        binary=options["binary"],
        real=options["real"],
        yes=options["yes"],
        token=options["token"],
        only=options["only"],
        ask=Terminal(may_ask=True).ask_no_by_default,
        show=show_and_ask,
    )
