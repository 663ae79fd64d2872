"""`msd mcp`: serves an agent over stdin and stdout. The SDK is an extra, and loaded here alone."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import click

from msd_review.config.roots import find_root
from msd_review.errors import UsageError

_HINT = (
    "pip install 'msd-review[mcp]', or pipx inject msd-review mcp, into the environment that msd runs from"
)


@click.command()
@click.option("--run", "run_id", hidden=True, metavar="RUN", help="Do what was asked of a reserved run.")
@click.pass_obj
def command(folder: Path | None, run_id: str | None) -> int:
    """Serve agents as an MCP server on standard input and output."""
    if run_id is not None:
        code: int = _module("child").run_reserved(run_id)
        return code
    root = find_root(folder)
    server, places = _module("server"), _module("places")
    if sys.stdin.isatty():
        click.echo(
            "this speaks MCP on standard input; a host registers and starts it. Ctrl-D ends it.", err=True
        )
    ended: int = server.serve(places.Project(root=root.path, why_not=root.why_not))
    return ended


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"msd_review.mcp_server.{name}")
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] == "msd_review":
            raise
        raise UsageError(
            f"the MCP server needs the extra `mcp`, which is not installed (no module {missing.name})",
            hint=_HINT,
        ) from None
