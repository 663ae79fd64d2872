"""The bench's own `MSD_HOME`: the manifest installed there as a user would, and the destination agreed to there alone."""

import json
from pathlib import Path

from msd_review.config import edit
from msd_review.config.roots import user_config
from msd_review.conformance.bench import Bench, Ran
from msd_review.errors import InputError
from msd_review.manifest.model import HttpInvoke, SpawnInvoke
from msd_review.registry import MANIFEST_NAME
from msd_review.trust import grants


async def prepare_home(bench: Bench, *, host: str | None = None) -> None:
    """Makes the lane known, installed and agreed to in the bench's home. Raises InputError where that is refused."""
    bench.home.mkdir(mode=0o700)
    invoke = bench.subject.lane.invoke
    destination = bench.server.base if bench.server is not None else host
    if isinstance(invoke, HttpInvoke) and destination is not None:
        edit.set_key(user_config(bench.home), invoke.host_config_key, destination)
    if bench.subject.raw is not None:
        await _install(bench)
    elif isinstance(invoke, HttpInvoke) and destination is not None:
        grants.allow_host(bench.home, slug=bench.slug, capability=bench.subject.capability, url=destination)


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
    """The manifest with bare names for absolute programs, so that what plays them can be found in their place."""
    raw = json.loads(json.dumps(bench.subject.raw))
    if not isinstance(bench.subject.lane.invoke, SpawnInvoke) or bench.driver == "tool":
        return raw
    body = raw["reviewer"]
    for place in (body["invoke"], body["probe"]):
        place["binary"] = Path(place["binary"]).name
    if "requiresBinaries" in body:
        body["requiresBinaries"] = [Path(name).name for name in body["requiresBinaries"]]
    return raw
