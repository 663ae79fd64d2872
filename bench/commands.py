"""What the benches of whole commands share: a machine with fake reviewers, and a command's cost as the kernel counts it."""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.installed import REVIEW, Desk, example_desk
from tests.registry_files import install, lane_manifest

from msd_review.app import installing
from msd_review.app.world import load_world

MSD = (sys.executable, "-m", "msd_review")
PASS = (sys.executable, "-c", "pass")
_COUNTED = Path(__file__).parent / "counted.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """One command: seconds, and MiB at its peak. `cpu` is its own; `children` is what it waited for."""

    code: int
    wall: float
    cpu: float
    children: float
    peak: float


def cost(desk: Desk, command: Sequence[str]) -> Cost:
    """Runs a command of Python in the desk's project. Its own CPU time and its children's are told apart by `counted.py`."""
    counts = desk.base / "counts"
    started = time.perf_counter()
    done = _ended(desk, [sys.executable, str(_COUNTED), str(counts), *command[1:]])
    wall = time.perf_counter() - started
    cpu, children, peak = (float(part) for part in counts.read_text(encoding="ascii").split())
    return Cost(code=done.returncode, wall=wall, cpu=cpu, children=children, peak=peak)


def plain_cost(desk: Desk, command: Sequence[str]) -> float:
    """User and system seconds of one command with everything it waited for, and nothing of the bench's in it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _ended(desk, command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _ended(desk: Desk, command: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(
        command,
        cwd=desk.project,
        env=desk.env(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode not in {0, 1}:
        sys.exit(f"{' '.join(command)}: {done.returncode}\n{done.stdout.decode()}")
    return done


def fake_lanes(base: Path, count: int, *, before: str = "") -> Desk:
    """The example's machine with `count` installed spawn lanes; each reads its prompt and answers at once."""
    desk = example_desk(base)
    shell = f"#!/bin/sh\ncat >/dev/null\n{before}\ncat {base}/answer.md\necho $0 >> {base}/starts\n"
    (base / "answer.md").write_text(REVIEW, encoding="utf-8")
    (base / "starts").touch()
    for number in range(count):
        program = desk.bin / f"fake{number}"
        program.write_text(shell, encoding="utf-8")
        program.chmod(0o755)
    agree(desk, [spawn_lane(f"fake{number}") for number in range(count)])
    return desk


def spawn_lane(name: str) -> dict[str, Any]:
    """A lane that gives its prompt to the program `name`."""
    probe = {"kind": "command-exists", "binary": name}
    invoke = {"binary": name, "args": [], "promptChannel": "stdin", "outputChannel": "stdout"}
    return lane_manifest(name, probe=probe, invoke=invoke)


def agree(desk: Desk, manifests: Sequence[dict[str, Any]]) -> None:
    """Installs capabilities as `msd capability install` does, with every question answered yes."""
    install(desk.base / "sources", *manifests)
    here = Path.cwd()
    before = dict(os.environ)
    os.environ.update(desk.env())
    os.chdir(desk.project)
    try:
        for manifest in manifests:
            installing.install(
                load_world(None),
                str(desk.base / "sources" / manifest["id"]),
                scope="global",
                integrity=None,
                answers=installing.Answers(ask=lambda *_: True),
                telling=installing.Telling(say=lambda _: None, on_bytes=lambda _: None),
            )
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)


def starts(desk: Desk) -> int:
    """How often a fake lane was started so far."""
    return len((desk.base / "starts").read_text(encoding="utf-8").splitlines())
