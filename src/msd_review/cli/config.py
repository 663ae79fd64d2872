"""`msd config`: read and change configuration."""

import json
from pathlib import Path
from typing import Any

import click

from msd_review.app import settings


@click.group()
def command() -> None:
    """Read and change configuration."""


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@command.command()
@click.argument("key")
@click.option("--origin", is_flag=True, help="Say which layer the value comes from.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def get(folder: Path | None, key: str, origin: bool, as_json: bool) -> None:
    """Print the value that holds for KEY."""
    value = settings.get_value(folder, key)
    if as_json:
        click.echo(
            json.dumps(
                {
                    "schema": "msd.config-value/1",
                    "key": value.key,
                    "value": value.value,
                    "origin": value.origin,
                },
                ensure_ascii=False,
            )
        )
    else:
        click.echo(_shown(value.value) + (f"\t({settings.origin_text(value)})" if origin else ""))


@command.command("set")
@click.argument("key")
@click.argument("value")
@click.option("--user", is_flag=True, help="Write the user's config file instead of the project's.")
@click.pass_obj
def set_value(folder: Path | None, key: str, value: str, user: bool) -> None:
    """Set KEY to VALUE after checking it against the key's schema."""
    path = settings.set_value(folder, key, value, user=user)
    click.echo(f"{key} is set in {path}", err=True)


@command.command()
@click.argument("key")
@click.option("--user", is_flag=True, help="Change the user's config file instead of the project's.")
@click.pass_obj
def unset(folder: Path | None, key: str, user: bool) -> None:
    """Remove KEY, so that a lower layer or the default holds."""
    path, was_set = settings.unset_value(folder, key, user=user)
    click.echo(f"{key} is removed from {path}" if was_set else f"{key} was not set in {path}", err=True)


@command.command("list")
@click.option("--origin", is_flag=True, help="Say which layer each value comes from.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_obj
def list_values(folder: Path | None, origin: bool, as_json: bool) -> None:
    """List every key and the value that holds."""
    values, warnings = settings.list_values(folder)
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)
    if as_json:
        entries = [{"key": v.key, "value": v.value, "origin": v.origin} for v in values]
        click.echo(json.dumps({"schema": "msd.config/1", "values": entries}, ensure_ascii=False, indent=1))
        return
    for value in values:
        click.echo(
            f"{value.key} = {_shown(value.value)}" + (f"\t({settings.origin_text(value)})" if origin else "")
        )


@command.command()
@click.option("--user", is_flag=True, help="The user's config file alone.")
@click.pass_obj
def path(folder: Path | None, user: bool) -> None:
    """Print where the config files are."""
    for file in settings.config_paths(folder, user=user):
        click.echo(str(file))
