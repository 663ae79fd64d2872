"""`msd converge`: review, replan, review again."""

import json
from pathlib import Path
from typing import Any

import click

from msd_review.app import converging
from msd_review.app.request import ReviewRequest, pairs, seconds
from msd_review.cli.lane_flags import LaneCommand, named_lanes, world_of
from msd_review.cli.progress import open_progress
from msd_review.cli.prompts import Terminal
from msd_review.planning import Overrides


@click.command(cls=LaneCommand)
@click.argument("plans", nargs=-1, type=click.Path(path_type=Path), metavar="[PLAN.md …]")
@click.option("--phase", metavar="N", help="Converge the plans of this phase.")
@click.option(
    "--replan",
    required=True,
    metavar="CMD",
    help="What changes the plan; gets the REVIEWS file, also as {reviews}.",
)
@click.option(
    "--max-cycles", type=click.IntRange(min=1), default=3, show_default=True, help="Reviews at the most."
)
@click.option(
    "--replan-timeout", type=click.FloatRange(min=1), default=3600.0, show_default=True, metavar="SECONDS"
)
@click.option("--lane", "lanes", multiple=True, metavar="SLUG", help="Run this reviewer; repeatable.")
@click.option("--all", "run_all", is_flag=True, help="Run every reviewer that can run here.")
@click.option("--exclude", multiple=True, metavar="NAME", help="Leave this reviewer out; repeatable.")
@click.option("--model", "models", multiple=True, metavar="NAME=MODEL", help="A reviewer's model.")
@click.option("--effort", "efforts", multiple=True, metavar="NAME=LEVEL", help="A reviewer's effort.")
@click.option("--timeout", "timeouts", multiple=True, metavar="NAME=SECONDS", help="A reviewer's deadline.")
@click.option("--isolate", is_flag=True, help="Every reviewer works in a throw-away copy.")
@click.option("--in-place", is_flag=True, help="Every reviewer works in the tree itself.")
@click.option("--yes", is_flag=True, help="Never ask.")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.convergence/1 document.")
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Review, hand the REVIEWS file to the replan command, review again, until nothing is left to do."""
    request = ReviewRequest(
        folder=ctx.obj,
        plans=options["plans"],
        phase=options["phase"],
        named=(*named_lanes(ctx), *options["lanes"]),
        all=options["run_all"],
        exclude=options["exclude"],
        overrides=Overrides(
            models=pairs("--model", options["models"]),
            efforts=pairs("--effort", options["efforts"]),
            timeouts=seconds("--timeout", options["timeouts"]),
        ),
        isolate=options["isolate"],
        in_place=options["in_place"],
        yes=options["yes"],
    )
    terminal = Terminal(may_ask=not request.yes and not as_json)
    with open_progress(live=not as_json) as progress:
        done = converging.converge(
            world_of(ctx),
            request,
            replan=options["replan"],
            max_cycles=options["max_cycles"],
            replan_timeout_s=options["replan_timeout"],
            progress=progress,
            ask=terminal.ask_who_may_receive,
            ask_host=terminal.ask_no_by_default,
        )
    if as_json:
        document = {
            "schema": "msd.convergence/1",
            "why": done.why,
            "cycles": done.cycles,
            "exit_code": done.exit_code,
            "review": done.last.document,
        }
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))
    else:
        click.echo(f"{done.why} after {done.cycles} cycle{'' if done.cycles == 1 else 's'}")
        click.echo(done.last.summary)
    return done.exit_code
