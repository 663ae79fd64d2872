"""`msd capability`: check, start, list, install and trust capabilities."""

import json
from pathlib import Path
from typing import Any

import click

from msd_review.app import capability as use_case
from msd_review.cli.capability_install import COMMANDS
from msd_review.cli.capability_trust import trust
from msd_review.cli.lane_flags import world_of
from msd_review.cli.tables import safe, table
from msd_review.manifest.json_schema import manifest_schema


@click.group()
def command() -> None:
    """Validate, install and trust capabilities."""


command.add_command(trust)
for _added in COMMANDS:
    command.add_command(_added)


@command.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the msd.validation/1 document.")
def validate(path: Path, as_json: bool) -> int:
    """Check a manifest, a capability's folder, or a folder of capabilities."""
    return print_validation(path, use_case.validate(path), as_json=as_json)


def print_validation(path: Path, result: use_case.Validation, *, as_json: bool) -> int:
    """Prints what is wrong with a manifest; the exit code."""
    if as_json:
        click.echo(json.dumps(result.as_json(), ensure_ascii=False, indent=1))
        return 0 if result.ok else 2
    for place, problem in result.problems:
        kind = "warning" if problem.is_warning else "error"
        click.echo(safe(f"{kind}: {place}: {problem.path or '/'}: {problem.message} [{problem.code}]"))
        if problem.hint:
            click.echo(safe(f"  hint: {problem.hint}"))
    count = sum(not problem.is_warning for _, problem in result.problems)
    click.echo(f"{path}: valid" if result.ok else f"{path}: {count} error{'' if count == 1 else 's'}")
    return 0 if result.ok else 2


@command.command()
def schema() -> None:
    """Print the JSON Schema of capability.json."""
    click.echo(json.dumps(manifest_schema(), ensure_ascii=False, indent=1))


@command.command()
@click.argument("identity", metavar="ID")
@click.option("--http", is_flag=True, help="Start an OpenAI-compatible server's lane instead of a command's.")
def new(identity: str, http: bool) -> None:
    """Write a valid starting manifest to ID/capability.json, and the schema that editors read beside it."""
    for path in use_case.create(identity, http=http, parent=Path.cwd()):
        click.echo(f"wrote {path}")
    click.echo("fill in:", err=True)
    what = (
        (
            "reviewer.invoke.defaultHost",
            "where the server listens",
            "reviewer.probe.path",
            "what answers quickly",
        )
        if http
        else ("reviewer.invoke.binary", "the command", "reviewer.invoke.args", "its arguments")
    )
    for name, text in zip(what[::2], what[1::2], strict=True):
        click.echo(f"  {name}: {text}", err=True)
    click.echo(
        "  title, description, reviewer.reviewsSection, reviewer.installHint: what people read", err=True
    )
    click.echo(f"then: msd capability validate {identity}", err=True)
    click.echo(f"and, with stand-ins for your tool: msd lane conformance ./{identity}", err=True)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.capability-list/1 document.")
@click.pass_context
def list_capabilities(ctx: click.Context, as_json: bool) -> None:
    """List every capability, and why one is not active."""
    document = use_case.list_json(world_of(ctx))
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))
        return
    rows = [_cells(entry) for entry in document["capabilities"]]
    for line in table(("id", "role", "version", "source", "scope", "state", ""), rows):
        click.echo(line)
    for notice in document["notices"]:
        click.echo(safe(f"warning: {notice['message']}"), err=True)
        if notice["hint"]:
            click.echo(safe(f"hint: {notice['hint']}"), err=True)


def _cells(entry: dict[str, Any]) -> list[str]:
    why = f"{entry['reason']}: {entry['detail']}" if entry["reason"] else ""
    named = [entry[key] or "–" for key in ("id", "role", "version", "source", "scope", "state")]
    return [*named, why]


@command.command()
def matrix() -> None:
    """Print a Markdown table of every shipped capability."""
    click.echo(use_case.matrix(), nl=False)
