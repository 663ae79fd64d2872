"""The bench's own `MSD_HOME`: the manifest installed there as a user would, and the destination agreed to there alone."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msd_review.config import edit
from msd_review.config.roots import user_config
from msd_review.conformance.bench import Bench, Ran
from msd_review.conformance.server import Server
from msd_review.errors import InputError
from msd_review.manifest.model import HttpInvoke
from msd_review.registry import MANIFEST_NAME
from msd_review.trust import grants


async def prepare_home(bench: Bench, *, host: str | None = None, settings: Mapping[str, Any]) -> None:
    """Makes the lane known, installed and agreed to in the bench's home. Raises InputError where that is refused."""
    bench.home.mkdir(mode=0o700)
    invoke = bench.subject.lane.invoke
    destination = bench.server.base if bench.server is not None else host
    for key, value in settings.items():
        edit.set_key(user_config(bench.home), key, value)
    if isinstance(invoke, HttpInvoke) and destination is not None:
        edit.set_key(user_config(bench.home), invoke.host_config_key, destination)
    if bench.subject.raw is not None:
        await _install(bench)
    elif isinstance(invoke, HttpInvoke) and destination is not None:
        grants.allow_host(bench.home, slug=bench.slug, capability=bench.subject.capability, url=destination)
    if bench.server is not None:
        await _stay_here(bench, bench.server)


async def _stay_here(bench: Bench, server: Server) -> None:
    """The one thing that must be so before anything is sent: it goes to the stand-in. Raises InputError."""
    ran = await bench.msd(bench.desk("destination"), "lane", "plan", "--lane", bench.slug, "--json")
    rows = ran.document.get("lanes")
    row = rows[0] if isinstance(rows, list) and rows else {}
    if row.get("ok") and row.get("host") != server.base:
        raise InputError(f"it would ask {row.get('host')} and not the stand-in: nothing was sent")


async def _install(bench: Bench) -> None:
    desk = bench.desk("install")
    folder = desk.folder / bench.subject.capability
    folder.mkdir()
    manifest = folder / MANIFEST_NAME
    manifest.write_text(json.dumps(_portable(bench)), encoding="utf-8")
    shown = await bench.msd(desk, "capability", "disclose", str(folder), "--json")
    token = shown.document.get("token")
    if not isinstance(token, str):
        raise _refused(shown)
    installed = await bench.msd(desk, "capability", "install", str(folder), "--accept-disclosure", token)
    if installed.code != 0:
        raise _refused(installed)


def _refused(ran: Ran) -> InputError:
    lines = [line for line in ran.stderr.splitlines() if line.startswith(("msd: error: ", "hint: "))]
    message = next((line.removeprefix("msd: error: ") for line in lines if line.startswith("msd")), ran.told)
    hint = next((line.removeprefix("hint: ") for line in lines if line.startswith("hint")), None)
    return InputError(f"it cannot be installed: {message}", hint=hint)


def _portable(bench: Bench) -> object:
    """The manifest with bare names for absolute programs and the stand-in's address for the declared one.

    What plays them is found in their place so; nowhere else can anything go, whatever the configuration says.
    """
    raw = json.loads(json.dumps(bench.subject.raw))
    if bench.driver == "tool":
        return raw
    body = raw["reviewer"]
    if bench.server is not None:
        body["invoke"]["defaultHost"] = bench.server.base
        return raw
    for place in (body["invoke"], body["probe"]):
        place["binary"] = Path(place["binary"]).name
    if "requiresBinaries" in body:
        body["requiresBinaries"] = [Path(name).name for name in body["requiresBinaries"]]
    return raw
