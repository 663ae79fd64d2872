"""Real processes that speak as the recorded tools did, run, read and judged as a review does it."""

import asyncio
import json
import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from msd_review.edges import files
from msd_review.manifest.model import Lane, SpawnInvoke
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.registry import first_party
from msd_review.run.classify import classify
from msd_review.run.reading import is_complete, plain_text, read_output
from msd_review.run.result import Ending, Reading, Verdict
from msd_review.run.spawn_lane import SpawnPlace, run_spawn
from tests.lane_samples import approved, invocation
from tests.lanes import recorded_tools

LANES: dict[str, Lane] = {c.id: c.manifest.reviewer for c in first_party() if c.manifest.reviewer is not None}
INDEX: list[dict[str, Any]] = json.loads((recorded_tools.OUTPUTS / "index.json").read_text(encoding="utf-8"))
SHOWN = {"ok", "empty", "429ra", "drop"}
REVIEW = "# Review\n\nHIGH: src/app.py:12 SQL\n\nLOW: README.md:3 typo\n\nVERDICT: changes requested\n"


def run(folder: Path, lane: Lane, program: Path, *, timeout_ms: int) -> tuple[Verdict, Reading, Ending]:
    invoke = lane.invoke
    assert isinstance(invoke, SpawnInvoke)
    output = folder / "review.out" if invoke.output_channel == "file-arg" else None
    told = ("-o", str(output)) if output is not None else ()
    what = invocation(
        folder,
        lane.slug,
        lane=lane,
        invoke=invoke,
        argv=(program.name, *told),
        output_path=output,
        timeout_ms=timeout_ms,
    )
    place = SpawnPlace(
        folder=folder, cwd=folder, env={"PATH": os.environ["PATH"]}, marker=f"R1/{lane.slug}/1"
    )
    ending = asyncio.run(run_spawn(approved(program, what), place, is_done=partial(is_complete, lane)))
    stderr = files.read_bounded(ending.stderr_path, 4 << 20)
    written = None if ending.output_path is None else files.read_bounded(ending.output_path, 1 << 24)
    reading = read_output(
        lane,
        stdout=files.read_bounded(ending.stdout_path, 1 << 24),
        stderr=stderr,
        output_file=written,
        exit_status=ending.exit_status if ending.kind == "exited" else None,
    )
    prompt = what.prompt_path.read_text()
    return classify(lane, ending, reading, stderr=plain_text(stderr), prompt=prompt), reading, ending


def written_by(tool: str, case: str) -> str | None:
    if tool != "codex" or case not in {"ok", "empty"}:
        return None
    return REVIEW if case == "ok" else ""


@pytest.mark.parametrize(
    "entry", [e for e in INDEX if e["case"] in SHOWN], ids=lambda e: f"{e['tool']}-{e['case']}"
)
def test_a_tool_that_speaks_as_recorded(entry: dict[str, Any], tmp_path: Path) -> None:
    tool, case, hangs = entry["tool"], entry["case"], entry["killed_at_deadline"]
    program = recorded_tools.install(
        tmp_path / "bin",
        tool,
        case,
        exit_status=max(0, entry["exit"]),
        hangs=hangs,
        writes=written_by(tool, case),
    )
    verdict, reading, _ = run(tmp_path, LANES[tool], program, timeout_ms=1500 if hangs else 30_000)
    if case == "ok" or (case == "drop" and entry["exit"] == 0):
        assert (verdict.outcome, verdict.reason, verdict.marks) == (Outcome.REVIEW, None, ())
        assert "HIGH: src/app.py:12" in reading.text
    elif hangs or entry["exit"] == 55:
        assert (verdict.outcome, verdict.reason) == (Outcome.FAILED, Reason.TIMEOUT)
    elif case == "drop":
        assert verdict.outcome is Outcome.FAILED
    else:
        wanted = {"empty": Reason.EMPTY_OUTPUT, "429ra": Reason.RATE_LIMITED}[case]
        assert (verdict.outcome, verdict.reason) == (Outcome.FAILED, wanted)


@pytest.mark.parametrize("tool", ["claude", "codex"])
def test_a_tool_that_said_everything_and_does_not_exit_is_a_review(tool: str, tmp_path: Path) -> None:
    program = recorded_tools.install(
        tmp_path / "bin", tool, "ok", exit_status=0, hangs=True, writes=written_by(tool, "ok")
    )
    verdict, reading, ending = run(tmp_path, LANES[tool], program, timeout_ms=60_000)
    assert (verdict.outcome, verdict.marks) == (Outcome.REVIEW, (Mark.KILLED_AFTER_REPLY,))
    assert "HIGH: src/app.py:12" in reading.text
    assert ending.killed_after_reply
    assert ending.duration_ms < 50_000
