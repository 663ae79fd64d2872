"""`msd runs`: list, show and clean earlier runs."""

import json

import click

from msd_review.app import runs as use_case
from msd_review.cli.tables import table


@click.group()
def command() -> None:
    """List, show and clean earlier runs."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.runs/1 document.")
def list_runs(as_json: bool) -> None:
    """List every run, the newest first."""
    document = use_case.runs_json()
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))
        return
    rows = [(r["run"], r["state"], r["command"], r["title"], r["root"]) for r in document["runs"]]
    for line in table(("run", "state", "command", "subject", "project"), rows):
        click.echo(line)


@command.command()
@click.argument("run", metavar="RUN")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.run/1 document.")
def show(run: str, as_json: bool) -> None:
    """Show what became of each reviewer of a run, and where its files are."""
    document = use_case.run_json(run)
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))
        return
    click.echo(f"{document['run']}: {document['state']}, {document['title']} in {document['root']}")
    rows = [
        (r["identity"], r["outcome"], r["reason"] or "", r["detail"], r["text"] or "")
        for r in document["reviewers"]
    ]
    for line in table(("reviewer", "outcome", "reason", "", "text"), rows):
        click.echo(line)
    click.echo(f"files: {document['folder']}")
    for problem in document["problems"]:
        click.echo(f"warning: {problem}", err=True)


@command.command()
@click.option(
    "--keep", type=click.IntRange(min=0), default=50, show_default=True, help="Keep the newest N runs."
)
@click.option(
    "--days", type=click.IntRange(min=0), default=90, show_default=True, help="Keep runs of the last N days."
)
def clean(keep: int, days: int) -> None:
    """Remove old runs; never the newest of a plan."""
    removed = use_case.clean(keep=keep, days=days)
    click.echo(f"removed {len(removed)} run{'' if len(removed) == 1 else 's'}")
