"""`msd lane`: look at reviewer lanes, and run one by hand."""

import importlib
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from msd_review.app import lane_list, lanes, single
from msd_review.app.request import ReviewRequest, pairs, seconds
from msd_review.cli.lane_flags import LaneCommand, named_lanes, world_of
from msd_review.cli.lane_table import lanes_json, lanes_text
from msd_review.cli.progress import open_progress
from msd_review.cli.tables import safe
from msd_review.errors import InputError
from msd_review.planning import Overrides

MAX_PROMPT_BYTES = 64 * 1024 * 1024


class _LaneGroup(click.Group):
    """The subcommands, of which one is loaded only when it is asked for: it brings a bench with it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every subcommand's name."""
        return sorted([*super().list_commands(ctx), "conformance"])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand of this name."""
        if cmd_name != "conformance":
            return super().get_command(ctx, cmd_name)
        found: click.Command = importlib.import_module("msd_review.cli.conformance").conformance
        return found


@click.group(cls=_LaneGroup)
def command() -> None:
    """List, detect, plan, select, run and check reviewer lanes."""


def _warn(ctx: click.Context) -> None:
    world = world_of(ctx)
    for warning in (*world.warnings(), *(notice.message for notice in world.registry.notices)):
        click.echo(safe(f"warning: {warning}"), err=True)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.lane-list/1 document.")
@click.pass_context
def list_lanes(ctx: click.Context, as_json: bool) -> None:
    """List every lane and what is known against it; start nothing."""
    _warn(ctx)
    rows = lane_list.list_lanes(world_of(ctx))
    click.echo(lanes_json(rows) if as_json else lanes_text(rows))


@command.command()
@click.option("--json", "as_json", is_flag=True, help="Print the msd.lane-list/1 document.")
@click.pass_context
def detect(ctx: click.Context, as_json: bool) -> None:
    """List every lane after probing all of them at the same time."""
    _warn(ctx)
    rows = lanes.detect_lanes(world_of(ctx))
    click.echo(lanes_json(rows) if as_json else lanes_text(rows))


@command.command()
@click.option(
    "--lane", "slugs", multiple=True, metavar="SLUG", help="Plan this lane; repeatable; all by default."
)
@click.option("--model", "models", multiple=True, metavar="NAME=MODEL", help="Plan with this model.")
@click.option("--effort", "efforts", multiple=True, metavar="NAME=LEVEL", help="Plan with this effort.")
@click.option("--timeout", "timeouts", multiple=True, metavar="NAME=SECONDS", help="Plan with this deadline.")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.lane-plan/1 document.")
@click.pass_context
def plan(ctx: click.Context, /, slugs: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Show the exact invocation of each lane without running it."""
    overrides = Overrides(
        models=pairs("--model", options["models"]),
        efforts=pairs("--effort", options["efforts"]),
        timeouts=seconds("--timeout", options["timeouts"]),
    )
    document = lanes.plan_lanes(world_of(ctx), slugs, overrides)
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))
        return
    for entry in document["lanes"]:
        click.echo(_plan_text(entry))


def _plan_text(entry: dict[str, Any]) -> str:
    if not entry["ok"]:
        return f"{entry['slug']}: cannot be planned ({entry['reason']}): {entry['detail']}"
    lines = [f"{entry['slug']}: {entry['transport']}, {entry['timeout_ms'] // 1000} s at most"]
    if entry["transport"] == "spawn":
        pairs_text = [f"{name}={shlex.quote(value)}" for name, value in entry["env"].items()]
        lines.append("  " + " ".join([*pairs_text, shlex.join(entry["argv"])]))
        lines.append(
            f"  prompt on {'stdin' if entry['stdin'] else 'the command line'}" if entry["stdin"] else ""
        )
    else:
        lines.append(f"  POST {entry['url']} ({entry['host_config_key']}, {entry['host_origin']})")
        lines.append(f"  model: {_model_text(entry)}")
    lines.extend(f"  note: {notice}" for notice in entry["notices"])
    return "\n".join(line for line in lines if line)


def _model_text(entry: dict[str, Any]) -> str:
    if entry["model"]:
        return str(entry["model"])
    last = entry["fallback_model"]
    if entry["models_url"] is None:
        return str(last or "none")
    return "the first that the server lists" + (f", else {last}" if last else "")


@command.command(cls=LaneCommand)
@click.option("--lane", "names", multiple=True, metavar="SLUG", help="Name this reviewer; repeatable.")
@click.option("--all", "run_all", is_flag=True, help="Every reviewer that can run here.")
@click.option("--exclude", multiple=True, metavar="NAME", help="Leave this reviewer out; repeatable.")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.lane-selection/1 document.")
@click.pass_context
def select(
    ctx: click.Context, names: tuple[str, ...], run_all: bool, exclude: tuple[str, ...], *, as_json: bool
) -> int:
    """Show which reviewers a review would choose, and why."""
    _warn(ctx)
    request = ReviewRequest(
        folder=ctx.find_root().obj, named=(*named_lanes(ctx), *names), all=run_all, exclude=exclude
    )
    document, choice = lanes.select_lanes(world_of(ctx), request)
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))
    else:
        click.echo(f"chosen by {document['source']}: " + (", ".join(document["selected"]) or "nobody"))
        for left_out in document["skipped"]:
            click.echo(f"  not {left_out['identity']}: {left_out['reason']}, {left_out['detail']}")
    for kind in ("errors", "warnings", "infos"):
        for message in document[kind]:
            click.echo(f"{kind.removesuffix('s')}: {message}", err=True)
    return lanes.selection_code(document, choice)


@command.command()
@click.argument("slug")
@click.option(
    "--prompt", "source", metavar="FILE|-", default="-", help="The prompt; standard input by default."
)
@click.option("--model", "models", multiple=True, metavar="NAME=MODEL", help="Run with this model.")
@click.option("--effort", "efforts", multiple=True, metavar="NAME=LEVEL", help="Run with this effort.")
@click.option("--timeout", "timeouts", multiple=True, metavar="NAME=SECONDS", help="Run with this deadline.")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.lane-result/1 document.")
@click.pass_context
def run(ctx: click.Context, /, slug: str, source: str, *, as_json: bool, **options: Any) -> int:
    """Run one lane on one prompt and print its review."""
    _warn(ctx)
    overrides = Overrides(
        models=pairs("--model", options["models"]),
        efforts=pairs("--effort", options["efforts"]),
        timeouts=seconds("--timeout", options["timeouts"]),
    )
    with open_progress(live=False) as progress:
        ended = single.run_one(world_of(ctx), slug, _prompt(source), overrides=overrides, progress=progress)
    if as_json:
        click.echo(json.dumps(ended.document, ensure_ascii=False, indent=1))
    elif ended.text:
        click.echo(ended.text)
    if ended.problem:
        click.echo(f"msd: error: {ended.problem}", err=True)
    return ended.exit_code


def _prompt(source: str) -> str:
    if source == "-":
        raw = sys.stdin.buffer.read(MAX_PROMPT_BYTES + 1)
    else:
        try:
            with Path(source).open("rb") as handle:
                raw = handle.read(MAX_PROMPT_BYTES + 1)
        except OSError as problem:
            raise InputError(f"{source}: cannot be read: {problem.strerror or problem}") from None
    if len(raw) > MAX_PROMPT_BYTES:
        raise InputError(f"the prompt is larger than {MAX_PROMPT_BYTES:,} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InputError(f"the prompt is not UTF-8 at byte {problem.start}") from None
    if not text.strip():
        raise InputError("the prompt is empty", hint="name a file with --prompt FILE, or pipe one in")
    return text
