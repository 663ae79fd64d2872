"""Options that manifests declare: one per lane, so that an overlay's flag works and shows in `--help`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from msd_review.app.world import World, load_world
from msd_review.cli.tables import safe

_WORLD = "msd.world"
_NAMED = "msd.named"
Command = TypeVar("Command", bound=Callable[..., Any])


def world_of(ctx: click.Context) -> World:
    """The installation and project of this command, loaded once."""
    root = ctx.find_root()
    if _WORLD not in root.meta:
        folder: Path | None = root.obj
        root.meta[_WORLD] = load_world(folder)
    world: World = root.meta[_WORLD]
    return world


def named_lanes(ctx: click.Context) -> tuple[str, ...]:
    """The slugs that lane flags named, in order."""
    return tuple(ctx.meta.get(_NAMED, ()))


def _collect(slug: str) -> Callable[[click.Context, click.Parameter, bool], None]:
    def callback(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value:
            ctx.meta.setdefault(_NAMED, []).append(slug)

    return callback


class LaneCommand(click.Command):
    """A command that also takes every lane's flags."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The declared parameters, then one flag option per lane."""
        return [*super().get_params(ctx), *_lane_options(ctx)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the lanes' flags in a section of their own."""
        ours = [p for p in self.get_params(ctx) if not isinstance(p, LaneOption)]
        lanes = [p for p in self.get_params(ctx) if isinstance(p, LaneOption)]
        for title, params in (("Options", ours), ("Reviewers", lanes)):
            records = [record for p in params if (record := p.get_help_record(ctx)) is not None]
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class LaneOption(click.Option):
    """The flags of one lane."""


def _lane_options(ctx: click.Context) -> list[click.Parameter]:
    cached = ctx.meta.get("msd.lane_options")
    if cached is None:
        cached = [
            LaneOption(
                list(flags),
                is_flag=True,
                expose_value=False,
                callback=_collect(slug),
                help=safe(help_text),
            )
            for flags, slug, help_text in world_of(ctx).lane_flags()
        ]
        ctx.meta["msd.lane_options"] = cached
    options: list[click.Parameter] = cached
    return options
