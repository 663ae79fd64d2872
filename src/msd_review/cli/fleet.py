"""`msd fleet`: many reviews, on this machine or on a cluster. The libraries are an extra, and loaded here alone."""

import importlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import click

from msd_review.cli.fleet_progress import open_fleet_progress
from msd_review.cli.prompts import Terminal
from msd_review.errors import UsageError

_HINT = (
    "pip install 'msd-review[fleet]', or pipx inject msd-review distributed cryptography, where msd runs from"
)
Command = TypeVar("Command", bound=Callable[..., Any])
_FILE = click.Path(path_type=Path)


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"msd_review.fleet.{name}")
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] == "msd_review":
            raise
        raise UsageError(
            f"fleets need the extra `fleet`, which is not installed (no module {missing.name})", hint=_HINT
        ) from None


def _tls_options(command: Command) -> Command:
    for flag, text in (
        ("--tls-key", "This side's private key (PEM)."),
        ("--tls-cert", "This side's certificate (PEM)."),
        ("--tls-ca", "The authority that both sides' certificates are signed by (PEM)."),
    ):
        command = click.option(flag, type=_FILE, metavar="FILE", help=text)(command)
    return command


def _counts(option: str, values: Iterable[str]) -> dict[str, int]:
    """`NAME=N` arguments. Raises UsageError for a malformed one."""
    found: dict[str, int] = {}
    for value in values:
        name, equals, number = value.partition("=")
        if not equals or not name.strip() or not number.isascii() or not number.isdigit() or int(number) < 1:
            raise UsageError(f"{option} takes NAME=N with N from 1, not {value!r}")
        found[name.strip().lower()] = int(number)
    return found


def _capacity(jobs: int, limits: Iterable[str]) -> Any:
    return _module("offers").Capacity(lanes=jobs, limits=_counts("--limit", limits))


@click.group()
def command() -> None:
    """Review many items: on workers of this machine, or on a cluster."""


@command.command()
@click.argument("batch", type=_FILE, metavar="BATCH.jsonl")
@click.option(
    "--out",
    type=_FILE,
    required=True,
    metavar="DIR",
    help="Where everything is kept; a second start continues.",
)
@click.option("--scheduler", metavar="ADDRESS", help="The scheduler of the cluster, like tls://host:8786.")
@click.option(
    "--local", type=click.IntRange(1, 64), metavar="N", help="Use N workers on this machine instead."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=4,
    show_default=True,
    metavar="N",
    help="Reviewers at once on each worker of --local.",
)
@click.option(
    "--lane",
    "lanes",
    multiple=True,
    metavar="SLUG",
    help="For items that name none: run this reviewer, and agree to it for this run; repeatable.",
)
@click.option(
    "--per-provider",
    type=click.IntRange(min=1),
    metavar="N",
    help="Reviewers of one provider at once, in the whole cluster; review.parallel_per_provider by default.",
)
@click.option(
    "--provider-limit",
    "provider_limits",
    multiple=True,
    metavar="NAME=N",
    help="The same for one provider; repeatable.",
)
@click.option(
    "--window",
    type=click.IntRange(1, 100_000),
    default=256,
    show_default=True,
    metavar="N",
    help="Items in work at once.",
)
@click.option(
    "--wait-for-workers",
    type=click.FloatRange(0, 86_400),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a reviewer that no worker offers is waited for.",
)
@click.option(
    "--reconnect",
    type=click.FloatRange(0, 86_400),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a lost scheduler is waited for.",
)
@click.option("--retry-failed", is_flag=True, help="Try again what an earlier start did not get done.")
@click.option(
    "--fail-on",
    type=click.Choice(["high", "medium", "low", "never"]),
    help="Exit 1 when an item has an open finding like this.",
)
@click.option(
    "--allow-secret",
    "allow_secrets",
    multiple=True,
    metavar="FINGERPRINT",
    help="Send this finding of the secret scan.",
)
@click.option(
    "--allow-file-urls",
    "allow_file",
    is_flag=True,
    help="Take file:// addresses; workers must allow them too.",
)
@_tls_options
@click.option("--yes", is_flag=True, help="Never ask; who was never agreed to receives nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the msd.fleet-summary/1 document.")
def run(batch: Path, *, as_json: bool, yes: bool, **options: Any) -> int:
    """Review every item of a batch, one JSON object a line."""
    if (options["scheduler"] is None) == (options["local"] is None):
        raise UsageError("name the cluster: --scheduler ADDRESS, or --local N for workers on this machine")
    request = _request(batch, options)
    terminal = Terminal(may_ask=not yes and not as_json)
    with open_fleet_progress(live=not as_json) as watch:
        ended = _module("runner").run_fleet(request, watch=watch, ask=terminal.ask_who_may_receive)
    if as_json:
        click.echo(json.dumps(ended.document, ensure_ascii=False, indent=1))
    else:
        click.echo(f"{ended.folder.summary_html}")
    code: int = ended.exit_code
    return code


def _request(batch: Path, options: dict[str, Any]) -> Any:
    security = _module("security")
    tls = security.tls_of(options["tls_ca"], options["tls_cert"], options["tls_key"])
    address = options["scheduler"]
    if address is None and tls is not None:
        raise UsageError("--local makes its own certificates", hint="leave the --tls options out")
    return _module("request").FleetRequest(
        batch=batch,
        out=options["out"],
        scheduler=None if address is None else security.checked_address(address, tls),
        local=options["local"],
        tls=tls,
        capacity=_capacity(options["jobs"], ()),
        lanes=tuple(dict.fromkeys(slug.lower() for slug in options["lanes"])),
        fail_on=options["fail_on"],
        per_provider=options["per_provider"],
        provider_limits=_counts("--provider-limit", options["provider_limits"]),
        window=options["window"],
        wait_for_workers_s=options["wait_for_workers"],
        reconnect_s=options["reconnect"],
        retry_failed=options["retry_failed"],
        allow_file=options["allow_file"],
        allow_secrets=options["allow_secrets"],
    )


@command.command()
@click.option(
    "--scheduler", required=True, metavar="ADDRESS", help="The scheduler to serve, like tls://host:8786."
)
@click.option(
    "--accept",
    multiple=True,
    metavar="KEY",
    help="Whose consent counts: a key of `msd fleet key`, or a file of them; your own by default.",
)
@click.option("--name", metavar="NAME", help="How the worker is called; the machine's name by default.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 256),
    default=4,
    show_default=True,
    metavar="N",
    help="Reviewers at once.",
)
@click.option(
    "--limit", "limits", multiple=True, metavar="SLUG=N", help="Of this reviewer at once; repeatable."
)
@click.option(
    "--memory-limit",
    type=click.IntRange(min=64),
    default=2048,
    show_default=True,
    metavar="MIB",
    help="Memory for what is held for the cluster; reviewers are not counted.",
)
@click.option(
    "--reconnect",
    type=click.FloatRange(0, 604_800),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="How long a lost scheduler is waited for.",
)
@click.option("--allow-file-urls", "allow_file", is_flag=True, help="Fetch file:// addresses.")
@_tls_options
def worker(**options: Any) -> int:
    """Do reviews for a cluster, with the reviewers that work on this machine."""
    security, operating = _module("security"), _module("operating")
    tls = security.tls_of(options["tls_ca"], options["tls_cert"], options["tls_key"])
    operating.run_worker(
        operating.WorkerOptions(
            scheduler=security.checked_address(options["scheduler"], tls),
            tls=tls,
            accept=options["accept"],
            name=options["name"],
            capacity=_capacity(options["jobs"], options["limits"]),
            reconnect_s=options["reconnect"],
            memory_bytes=options["memory_limit"] * 1024**2,
            allow_file=options["allow_file"],
        ),
        tell=_tell,
    )
    return 0


@command.command()
@click.option(
    "--listen",
    default="tcp://127.0.0.1:8786",
    show_default=True,
    metavar="ADDRESS",
    help="Where to listen; tls:// off this machine.",
)
@_tls_options
def scheduler(**options: Any) -> int:
    """Serve a cluster's scheduler."""
    security, operating = _module("security"), _module("operating")
    tls = security.tls_of(options["tls_ca"], options["tls_cert"], options["tls_key"])
    operating.run_scheduler(security.checked_address(options["listen"], tls), tls, tell=_tell)
    return 0


@command.command()
def key() -> int:
    """Print the public key that workers accept your consent by (`msd fleet worker --accept`)."""
    click.echo(_module("operating").own_key()[0])
    return 0


def _tell(text: str) -> None:
    click.echo(text, err=True)
