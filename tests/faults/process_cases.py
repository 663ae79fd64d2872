"""What the tests of processes share: a run of one fake reviewer, and the proof that nothing of it is left."""

import asyncio
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msd_review.edges import process_table
from msd_review.edges.process import ProcessEnd, ProcessSpec, run_process
from msd_review.edges.stopping import StopSignal
from tests.lanes.process_fakes import install


@dataclass(frozen=True)
class Ran:
    end: ProcessEnd
    stdout: bytes
    stderr: bytes


def spec(folder: Path, name: str, *arguments: str, **bounds: Any) -> ProcessSpec:
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    options: dict[str, Any] = {"timeout_s": 20.0, "term_grace_s": 0.3, "quiet_s": 0.2, "reply_grace_s": 0.2}
    options |= bounds
    return ProcessSpec(
        argv=(str(install(folder / "bin", name)), *arguments),
        env={"PATH": os.defpath, "LANG": "C"},
        cwd=work,
        stdout_path=folder / "stdout",
        stderr_path=folder / "stderr",
        marker=f"test/{uuid.uuid4().hex}",
        **options,
    )


async def run_one(what: ProcessSpec, stop: StopSignal | None = None) -> Ran:
    end = await run_process(what, stop=stop)
    return Ran(end, _content(what.stdout_path), _content(what.stderr_path))


def run(folder: Path, name: str, *arguments: str, **bounds: Any) -> Ran:
    what = spec(folder, name, *arguments, **bounds)
    with nothing_left(what.marker):
        return asyncio.run(asyncio.wait_for(run_one(what), timeout=60))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def descriptors() -> list[str]:
    return sorted(os.readlink(path) for path in Path("/proc/self/fd").iterdir() if path.is_symlink())  # noqa: PTH115


def children() -> set[int]:
    return set(process_table.descendants(os.getpid()))


@contextmanager
def nothing_left(*markers: str) -> Iterator[None]:
    """Fails when the block leaves a descriptor, a child (a zombie too) or a process with a mark behind."""
    open_before, children_before = descriptors(), children()
    yield
    assert len(descriptors()) <= len(open_before), (open_before, descriptors())
    assert children() <= children_before
    assert process_table.marked(lambda mark: mark in markers) == []
