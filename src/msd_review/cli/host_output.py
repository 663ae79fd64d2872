"""What `msd install` and `msd uninstall` print."""

import importlib.util
import json
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import click

from msd_review.app.approving import find_program
from msd_review.app.world import World
from msd_review.cli.tables import safe, table
from msd_review.errors import MsdError
from msd_review.hosts import service
from msd_review.hosts.declared import read_host
from msd_review.hosts.diffs import unified
from msd_review.hosts.disk import mode_of
from msd_review.hosts.homes import config_home
from msd_review.hosts.model import Around, Host
from msd_review.hosts.service import Done
from msd_review.hosts.targets import target_of
from msd_review.registry import Capability

_DONE = {
    "create": "created",
    "change": "changed",
    "remove": "removed",
    "unchanged": "unchanged",
    "kept": "kept",
}
_KEPT = 1


class Row(NamedTuple):
    """One host: whether it is on this machine, and where msd is in it."""

    id: str
    title: str
    source: str
    present: bool
    config_home: str | None
    installed: tuple[str, ...]
    commands: dict[str, list[str]]
    problem: str | None


class Overview(NamedTuple):
    """Every host."""

    rows: tuple[Row, ...]

    def text(self) -> str:
        """A table for people."""
        lines = table(
            ("host", "", "on this machine", "msd is installed", "commands"),
            [
                [
                    row.id,
                    row.title,
                    "yes" if row.present else "not found",
                    ", ".join(row.installed) or "no",
                    row.problem or _commands(row),
                ]
                for row in self.rows
            ],
        )
        return "\n".join([*lines, "", "msd install HOST --dry-run shows what would be written."])


def overview(world: World, around: Around) -> Overview:
    """What there is to install into. Writes nothing. Raises StoreError."""
    return Overview(tuple(_row(world, around, one) for one in service.host_capabilities(world.registry)))


def hosts_document(found: Overview) -> dict[str, Any]:
    """The `msd.hosts/1` document."""
    return {"schema": "msd.hosts/1", "hosts": [row._asdict() for row in found.rows]}


def show(done: Done, *, action: Literal["install", "uninstall"], as_json: bool) -> int:
    """Prints what was done, or would be; returns the exit code."""
    warnings = _warnings(done) if action == "install" else []
    if as_json:
        click.echo(json.dumps(_document(done, action, warnings), ensure_ascii=False, indent=1))
    elif done.dry_run:
        click.echo("".join(_safe_line(line) for line in unified(done.changes).split("\n")[:-1]), nl=False)
    else:
        _show_changes(done)
    if not as_json:
        _show_end(done, action)
    for warning in (*(f"{change.path}: {change.note}" for change in done.kept), *warnings):
        click.echo(safe(f"warning: {warning}"), err=True)
    return _KEPT if done.kept else 0


def _show_changes(done: Done) -> None:
    for change in done.changes:
        if change.action != "unchanged" or change.note:
            note = f" ({change.note})" if change.note and change.action != "kept" else ""
            click.echo(safe(f"{_DONE[change.action]:<9} {change.path}{note}"))


def _show_end(done: Done, action: str) -> None:
    title = safe(done.title)
    if not done.is_change and not done.kept:
        click.echo(f"nothing to do: msd is {'in' if action == 'install' else 'out of'} {title} already")
    elif action == "install" and not done.dry_run and done.calls:
        click.echo(f"in {title}, after a new start: {safe(', '.join(done.calls))}")


def _safe_line(line: str) -> str:
    return "\t".join(map(safe, line.split("\t"))) + "\n"


def _warnings(done: Done) -> list[str]:
    if (
        any(change.path.suffix != ".md" for change in done.changes)
        and importlib.util.find_spec("mcp") is None
    ):
        return ["the MCP server needs an extra: pip install 'msd-review[mcp]'; the commands work without it"]
    return []


def _document(done: Done, action: str, warnings: Sequence[str]) -> dict[str, Any]:
    return {
        "schema": "msd.host-install/1",
        "action": action,
        "host": done.host,
        "scope": done.scope,
        "base": str(done.base),
        "dry_run": done.dry_run,
        "changes": [{"path": str(c.path), "action": c.action, "note": c.note} for c in done.changes],
        "commands": list(done.calls),
        "diff": unified(done.changes) if done.dry_run else None,
        "warnings": list(warnings),
    }


def _row(world: World, around: Around, capability: Capability) -> Row:
    row = Row(capability.id, capability.id, capability.source, False, None, (), {}, None)
    try:
        host = read_host(capability)
        home = config_home(host.home, home=around.home, environment=around.environment)
        return row._replace(
            title=host.title,
            present=_is_present(world, host, around),
            config_home=str(home),
            installed=service.installed_scopes(host.id, around),
            commands=_calls(host, around),
        )
    except MsdError as problem:
        return row._replace(problem=problem.message)


def _is_present(world: World, host: Host, around: Around) -> bool:
    home = config_home(host.home, home=around.home, environment=around.environment)
    proof = home if host.home.probe_exists is None else home / host.home.probe_exists
    return bool(mode_of(proof)) or (host.binary is not None and find_program(world, host.binary) is not None)


def _calls(host: Host, around: Around) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for scope in ("global", "project"):
        if scope == "project" and around.project is None:
            continue
        try:
            found[scope] = list(target_of(host, scope, around).calls)
        except MsdError:
            found[scope] = []
    return found


def _commands(row: Row) -> str:
    names = dict.fromkeys(name for calls in row.commands.values() for name in calls)
    return " ".join(names)
