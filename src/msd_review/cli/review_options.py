"""The options that every review has, and what they decode to."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from msd_review.app.request import ReviewRequest, pairs, parse_imports, seconds
from msd_review.cli.lane_flags import named_lanes
from msd_review.planning import Overrides

Command = TypeVar("Command", bound=Callable[..., Any])


def review_options(*, phase: str, formats: str, output: str, resume: str) -> Callable[[Command], Command]:
    """Adds the options to a command; the texts are those that differ between commands."""
    options = (
        click.option("--phase", metavar="N", help=phase),
        click.option("--lane", "lanes", multiple=True, metavar="SLUG", help="Run this reviewer; repeatable."),
        click.option("--all", "run_all", is_flag=True, help="Run every reviewer that can run here."),
        click.option("--exclude", multiple=True, metavar="NAME", help="Leave this reviewer out; repeatable."),
        _named("--model", "models", "NAME=MODEL", "A reviewer's model, for this run."),
        _named("--effort", "efforts", "NAME=LEVEL", "A reviewer's effort, for this run."),
        _named("--timeout", "timeouts", "NAME=SECONDS", "A reviewer's deadline, for this run."),
        click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Reviewers at the same time."),
        click.option(
            "--fail-on",
            type=click.Choice(["high", "medium", "low", "never"]),
            help="Exit 1 on an open finding like this.",
        ),
        click.option("--format", "formats", default="md,json", show_default=True, help=formats),
        click.option("--output", metavar="PATH", help=output),
        click.option("--isolate", is_flag=True, help="Every reviewer works in a throw-away copy."),
        click.option("--in-place", is_flag=True, help="Every reviewer works in the tree itself."),
        click.option("--keep-agent-config", is_flag=True, help="A copy keeps agent configuration files."),
        _named("--import", "imports", "NAME=FILE", "A review obtained elsewhere takes part."),
        click.option("--resume", is_flag=True, help=resume),
        click.option("--resume-run", metavar="RUN", help="Go on with this run."),
        click.option("--retry-failed", is_flag=True, help="Run only what failed in the run that is resumed."),
        _named("--allow-secret", "allow_secrets", "FINGERPRINT", "Send this finding of the secret scan."),
        click.option("--dry-run", is_flag=True, help="Say what would run and be sent where; start nothing."),
        click.option("--yes", is_flag=True, help="Never ask; what would need an answer counts as refused."),
        click.option("--json", "as_json", is_flag=True, help="Print the msd.reviews/1 document."),
    )

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def _named(flag: str, name: str, metavar: str, text: str) -> Callable[[Command], Command]:
    return click.option(flag, name, multiple=True, metavar=metavar, help=text)


def request_of(ctx: click.Context, options: dict[str, Any], *, formats: tuple[str, ...]) -> ReviewRequest:
    """What the options ask for. Raises UsageError for a malformed value."""
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
        formats=formats,
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
