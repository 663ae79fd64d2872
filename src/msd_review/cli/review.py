"""`msd review`: translates the command line into a request, runs it, and says how it ended."""

import json
from pathlib import Path
from typing import Any

import click

from msd_review.app import review as use_case
from msd_review.app.rehearsal import dry_run
from msd_review.app.request import ReviewRequest, pairs, parse_formats, parse_imports, seconds
from msd_review.cli.lane_flags import LaneCommand, named_lanes, world_of
from msd_review.cli.progress import open_progress
from msd_review.cli.prompts import Terminal
from msd_review.planning import Overrides


@click.command(cls=LaneCommand)
@click.argument("plans", nargs=-1, type=click.Path(path_type=Path), metavar="[PLAN.md …]")
@click.option("--phase", metavar="N", help="Review the plans of this phase of .planning/.")
@click.option("--lane", "lanes", multiple=True, metavar="SLUG", help="Run this reviewer; repeatable.")
@click.option("--all", "run_all", is_flag=True, help="Run every reviewer that can run here.")
@click.option("--exclude", multiple=True, metavar="NAME", help="Leave this reviewer out; repeatable.")
@click.option(
    "--model", "models", multiple=True, metavar="NAME=MODEL", help="A reviewer's model, for this run."
)
@click.option(
    "--effort", "efforts", multiple=True, metavar="NAME=LEVEL", help="A reviewer's effort, for this run."
)
@click.option(
    "--timeout",
    "timeouts",
    multiple=True,
    metavar="NAME=SECONDS",
    help="A reviewer's deadline, for this run.",
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Reviewers at the same time.")
@click.option(
    "--fail-on",
    type=click.Choice(["high", "medium", "low", "never"]),
    help="Exit 1 on an open finding like this.",
)
@click.option(
    "--format",
    "formats",
    default="md,json",
    show_default=True,
    help="What is written: md, json, sarif, html.",
)
@click.option("--output", metavar="PATH", help="Where it is written; beside the plan by default.")
@click.option("--isolate", is_flag=True, help="Every reviewer works in a throw-away copy.")
@click.option("--in-place", is_flag=True, help="Every reviewer works in the tree itself.")
@click.option("--keep-agent-config", is_flag=True, help="A copy keeps agent configuration files.")
@click.option(
    "--import", "imports", multiple=True, metavar="NAME=FILE", help="A review obtained elsewhere takes part."
)
@click.option("--resume", is_flag=True, help="Go on with the last run of this plan.")
@click.option("--resume-run", metavar="RUN", help="Go on with this run.")
@click.option("--retry-failed", is_flag=True, help="Run only what failed in the run that is resumed.")
@click.option(
    "--allow-secret",
    "allow_secrets",
    multiple=True,
    metavar="FINGERPRINT",
    help="Send this finding of the secret scan.",
)
@click.option("--dry-run", is_flag=True, help="Say what would run and be sent where; start nothing.")
@click.option("--yes", is_flag=True, help="Never ask; what would need an answer counts as refused.")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.reviews/1 document.")
@click.pass_context
def command(ctx: click.Context, /, as_json: bool, **options: Any) -> int:
    """Review plan files, a planned phase, or the one plan that is obvious."""
    request = _request(ctx, options)
    world = world_of(ctx)
    terminal = Terminal(may_ask=not request.yes and not as_json)
    if request.dry_run:
        click.echo(dry_run(world, request, as_json=as_json))
        return 0
    with open_progress(live=not as_json) as progress:
        ended = use_case.review(world, request, progress=progress, ask=terminal.ask_who_may_receive)
    if as_json:
        click.echo(json.dumps(ended.document, ensure_ascii=False, indent=1))
    else:
        click.echo(ended.summary)
    return ended.exit_code


def _request(ctx: click.Context, options: dict[str, Any]) -> ReviewRequest:
    return ReviewRequest(
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
        jobs=options["jobs"],
        fail_on=options["fail_on"],
        formats=parse_formats(options["formats"]),
        output=options["output"],
        isolate=options["isolate"],
        in_place=options["in_place"],
        keep_agent_config=options["keep_agent_config"],
        imports=parse_imports(options["imports"]),
        resume=options["resume"],
        resume_run=options["resume_run"],
        retry_failed=options["retry_failed"],
        dry_run=options["dry_run"],
        yes=options["yes"],
        allow_secrets=options["allow_secrets"],
    )
