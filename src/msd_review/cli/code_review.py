"""`msd code-review`: translates the command line into a request, runs it, and says how it ended."""

import json
from pathlib import Path
from typing import Any

import click

from msd_review.app import code_review as use_case
from msd_review.app.code_review_ci import tell_github
from msd_review.app.code_review_request import CodeReviewRequest
from msd_review.app.request import CHANGE_FORMATS, parse_formats
from msd_review.change.model import DEPTHS
from msd_review.cli.lane_flags import LaneCommand, world_of
from msd_review.cli.progress import open_progress
from msd_review.cli.prompts import Terminal
from msd_review.cli.review_options import request_of, review_options

_PATH = click.Path(path_type=Path)


@click.command("code-review", cls=LaneCommand)
@click.argument("paths", nargs=-1, type=_PATH, metavar="[PATH …]")
@click.option(
    "--base", metavar="REV", help="Compare with where HEAD left REV; the default branch without it."
)
@click.option("--staged", is_flag=True, help="Review what is staged for the next commit.")
@click.option("--depth", type=click.Choice(DEPTHS), help="How far reviewers go.")
@click.option(
    "--internal", type=_PATH, metavar="FILE", help="The agent's own review; lanes confirm or contradict it."
)
@click.option(
    "--baseline", type=_PATH, metavar="FILE", help="An earlier REVIEW.json whose concerns fail no gate."
)
@review_options(
    phase="Review the change together with the plans of this phase.",
    formats=f"What is written: {', '.join(CHANGE_FORMATS)}.",
    output="Where it is written; REVIEW.* in the project by default.",
    resume="Go on with the last review of this change.",
)
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Review what changed since the default branch, or since REV, or what is staged."""
    request = _request(ctx, options)
    world = world_of(ctx)
    if request.review.dry_run:
        click.echo(use_case.rehearse_code_review(world, request, as_json=as_json))
        return 0
    terminal = Terminal(may_ask=not request.review.yes and not as_json)
    with open_progress(live=not as_json) as progress:
        ended = use_case.code_review(
            world,
            request,
            progress=progress,
            ask=terminal.ask_who_may_review,
            ask_host=terminal.ask_no_by_default,
        )
    click.echo(json.dumps(ended.document, ensure_ascii=False, indent=1) if as_json else ended.summary)
    for line in tell_github(ended.report):
        click.echo(line, err=as_json)
    return ended.exit_code


def _request(ctx: click.Context, options: dict[str, Any]) -> CodeReviewRequest:
    own = {name: options.pop(name) for name in ("paths", "base", "staged", "depth", "internal", "baseline")}
    review = request_of(
        ctx, {**options, "plans": ()}, formats=parse_formats(options["formats"], CHANGE_FORMATS)
    )
    return CodeReviewRequest(review=review, **own)
