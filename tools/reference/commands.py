"""docs/reference/commands.md, from the command tree; no user's or project's files are read."""

from collections.abc import Iterator

import click

from msd_review.cli.lane_flags import LaneCommand
from msd_review.cli.main import cli
from reference import exit_codes, shipped
from reference.markdown import cell, code, codes, table

_HEAD = """\
# Commands

Every command and every option; `--help` after any of them says the same. With `--json` a document goes to standard output alone, and everything for
people to standard error; the documents are described in [schemas](../schemas/README.md). An error is one line,
`msd: error: …`, and, where there is a way out, one line `hint: …`.

This page is generated from the command line itself.
"""


def walk(command: click.Command, ctx: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """Every command below `command`, itself first."""
    yield command, ctx
    if isinstance(command, click.Group):
        for name in command.list_commands(ctx):
            below = command.get_command(ctx, name)
            if below is not None and not below.hidden:
                yield from walk(below, click.Context(below, info_name=name, parent=ctx))


def _own(command: click.Command, ctx: click.Context) -> list[click.Parameter]:
    # Not `command.get_params`: it would add the flags of whatever lanes this machine has.
    return [param for param in click.Command.get_params(command, ctx) if "--help" not in param.opts]


def _usage(command: click.Command, ctx: click.Context) -> str:
    arguments = [p.make_metavar(ctx) for p in _own(command, ctx) if isinstance(p, click.Argument)]
    below = ["COMMAND …"] if isinstance(command, click.Group) else []
    return " ".join([ctx.command_path, "[OPTIONS]", *arguments, *below])


def _options(command: click.Command, ctx: click.Context) -> Iterator[tuple[str, str]]:
    for param in _own(command, ctx):
        record = param.get_help_record(ctx)
        if isinstance(param, click.Option) and record is not None:
            yield code(record[0]), cell(record[1])


def _section(command: click.Command, ctx: click.Context) -> Iterator[str]:
    yield f"## `{ctx.command_path}`\n"
    yield f"{command.help or ''}\n"
    yield f"```text\n{_usage(command, ctx)}\n```\n"
    options = list(_options(command, ctx))
    if options:
        yield table(("option", "what it does"), options) + "\n"
    if isinstance(command, LaneCommand):
        flags = [codes(lane.flags) for lane in shipped.lanes()]
        yield f"And a flag for every lane, installed ones included; shipped are: {', '.join(flags)}.\n"


def page() -> str:
    """The whole page."""
    root = click.Context(cli, info_name="msd")
    parts = [_HEAD, "## Exit codes\n", exit_codes.full_table() + "\n"]
    parts.append("Of several, the largest of 3, 4 and 5 wins over 1.\n")
    for command, ctx in walk(cli, root):
        parts.extend(_section(command, ctx))
    return "\n".join(parts).rstrip() + "\n"
