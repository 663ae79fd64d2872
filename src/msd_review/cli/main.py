"""The command line's front door: commands found by name, loaded when called, one error boundary.

`msd --version` and the table of commands load nothing but click; every command module is imported
only when it is the one that runs.
"""

import importlib
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from msd_review import CONTRACT_VERSION, __version__
from msd_review.cli.boundary import guarded, report
from msd_review.errors import Interrupted

# command → (module, one line of help); the help lives here so that `msd --help` loads no command.
COMMANDS: dict[str, tuple[str, str]] = {
    "review": ("review", "Review a plan with every reviewer that can run here."),
    "code-review": ("code_review", "Review what changed, with every claim held against the diff."),
    "converge": ("converge", "Review, replan and review again until nothing is left to do."),
    "finding": ("finding", "Dismiss concerns, and take that back."),
    "lane": ("lane", "List, detect, plan, select and run reviewer lanes."),
    "prompt": ("prompt", "Show the assembled prompt and what was trimmed."),
    "loop": ("loop", "Show which hooks are active at a point of the loop."),
    "config": ("config", "Read and change configuration."),
    "capability": ("capability", "Validate, install and trust capabilities."),
    "install": ("install", "Put msd into the tool that you work in."),
    "uninstall": ("uninstall", "Take msd out of it again."),
    "runs": ("runs", "List, show and clean earlier runs."),
    "mcp": ("mcp", "Serve agents as an MCP server on standard input and output."),
    "fleet": ("fleet", "Review many items: on workers of this machine, or on a cluster."),
    "doctor": ("doctor", "Say what a person needs when something does not work."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command's name, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports `cli/<module>.py` and returns its `command`."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"msd_review.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the table of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Names the nearest command where the given one does not exist."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no command is called {args[0]!r}. {_nearest(args[0])}".strip(), ctx)
        return super().resolve_command(ctx, args)


def _nearest(name: str) -> str:
    import difflib  # only a mistyped command pays for it

    near = difflib.get_close_matches(name, COMMANDS, n=1)
    return f"Did you mean {near[0]!r}?" if near else ""


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(f"{__version__} (manifest contract {CONTRACT_VERSION})", prog_name="msd")
@click.option(
    "-C",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Work in the project at DIR.",
)
@click.pass_context
def cli(ctx: click.Context, folder: Path | None) -> None:
    """One review you can trust, from many reviewers."""
    ctx.obj = folder


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = cli.main(args=arguments, prog_name="msd", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as problem:
        report(problem.format_message(), f"see `{problem.ctx.command_path} --help`" if problem.ctx else None)
        return 2
    except click.ClickException as problem:
        report(problem.format_message(), None)
        return 2
    except click.Abort:
        report("interrupted", None)
        return Interrupted.exit_code


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs `msd`; never returns."""
    sys.exit(guarded(lambda: _run(arguments)))
