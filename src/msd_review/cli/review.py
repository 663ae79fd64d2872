"""`msd review`: translates the command line into a request, runs it, and says how it ended."""

import json
from pathlib import Path
from typing import Any

import click

from msd_review.app import review as use_case
from msd_review.app.rehearsal import dry_run
from msd_review.app.request import parse_formats
from msd_review.cli.lane_flags import LaneCommand, world_of
from msd_review.cli.progress import open_progress
from msd_review.cli.prompts import Terminal
from msd_review.cli.review_options import request_of, review_options


@click.command(cls=LaneCommand)
@click.argument("plans", nargs=-1, type=click.Path(path_type=Path), metavar="[PLAN.md …]")
@review_options(
    phase="Review the plans of this phase of .planning/.",
    formats="What is written: md, json, sarif, html.",
    output="Where it is written; beside the plan by default.",
    resume="Go on with the last run of this plan.",
)
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Review plan files, a planned phase, or the one plan that is obvious."""
    request = request_of(ctx, options, formats=parse_formats(options["formats"]))
    world = world_of(ctx)
    terminal = Terminal(may_ask=not request.yes and not as_json)
    if request.dry_run:
        click.echo(dry_run(world, request, as_json=as_json))
        return 0
    with open_progress(live=not as_json) as progress:
        ended = use_case.review(
            world,
            request,
            progress=progress,
            ask=terminal.ask_who_may_receive,
            ask_host=terminal.ask_no_by_default,
        )
    if as_json:
        click.echo(json.dumps(ended.document, ensure_ascii=False, indent=1))
    else:
        click.echo(ended.summary)
    return ended.exit_code
