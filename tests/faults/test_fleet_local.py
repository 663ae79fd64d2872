"""`--local`: workers of this machine, whole from a git address to the summary, and nothing left when all is cut short."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import psutil
import pytest

from tests.fleet_samples import until
from tests.installed import MSD, Desk, example_desk

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"
pytestmark = pytest.mark.timeout(240)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return example_desk(tmp_path)


def batch(desk: Desk, *items: Mapping[str, Any]) -> Path:
    path = desk.base / "batch.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in items), encoding="utf-8")
    return path


def arguments(desk: Desk, *more: str) -> list[str]:
    return ["fleet", "run", str(desk.base / "batch.jsonl"), "--out", str(desk.base / "out"), *more]


def outcomes(desk: Desk) -> dict[str, Any]:
    lines = (desk.base / "out" / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return {one["item"]: one["outcome"] for one in records if one["event"] == "item_finished"}


def test_phases_plans_and_changes_of_folders_and_git_addresses_are_reviewed_and_summed_up(desk: Desk) -> None:
    desk.codex()
    plan = ".planning/phases/02-import-export/02-01-PLAN.md"
    with (desk.project / "linkshelf" / "links.py").open("a", encoding="utf-8") as module:
        module.write("\n\ndef added() -> None:\n    return None\n")
    url = f"file://{desk.project}"
    untouched = desk.git("status", "--porcelain", "--ignored")
    batch(
        desk,
        {"id": "phase", "repository": url, "revision": "main", "phase": "2"},
        {"id": "plans", "repository": str(desk.project), "plans": [plan], "lanes": ["codex", "grounding"]},
        {"id": "change", "repository": str(desk.project), "change": {"base": "HEAD"}, "lanes": ["codex"]},
        {"id": "still", "repository": url, "change": {"base": "main"}, "lanes": ["codex"]},
        {"id": "missing", "repository": str(desk.base / "nowhere"), "phase": "2", "lanes": ["codex"]},
        {"id": "none", "repository": url, "revision": "no-such-branch", "phase": "2"},
    )
    ended = desk.run(*arguments(desk, "--local", "1", "--lane", "codex", "--allow-file-urls", "--json"))
    assert (desk.base / "out" / "journal.jsonl").exists(), ended.err
    found = outcomes(desk)
    states = {name: (one["state"], one["reason"]) for name, one in found.items()}
    assert states == {
        "phase": ("done", None),
        "plans": ("done", None),
        "change": ("done", None),
        "still": ("done", None),
        "missing": ("refused", "repository_missing"),
        "none": ("refused", "repository_missing"),
    }, found
    assert ended.code == 3
    assert ended.document["schema"] == "msd.fleet-summary/1"
    assert found["still"]["message"].startswith("nothing changed since")
    assert found["none"]["message"] == f"{url} has no revision no-such-branch"
    report = json.loads((desk.base / "out" / found["phase"]["document"]).read_text(encoding="utf-8"))
    assert report["schema"] == "msd.reviews/1"
    assert [one["identity"] for one in report["reviewers"]] == ["codex"]
    assert desk.git("status", "--porcelain", "--ignored") == untouched
    assert (desk.base / "out" / "summary.html").is_file()
    for name in ("fleet", "fleet-summary"):
        schema = json.loads((SCHEMAS / f"msd.{name}-1.schema.json").read_text(encoding="utf-8"))
        written = desk.base / "out" / ("fleet.json" if name == "fleet" else "summary.json")
        jsonschema.validate(json.loads(written.read_text(encoding="utf-8")), schema)
    again = desk.run(*arguments(desk, "--local", "1", "--allow-file-urls"))
    assert (again.code, "continuing: 6 of 6 items are finished" in again.err) == (3, True)


def test_nothing_is_left_of_a_run_that_was_killed_outright(desk: Desk) -> None:
    desk.codex(before=f"open({str(desk.base / 'called')!r}, 'w').close(); time.sleep(600)")
    batch(desk, {"id": "a", "repository": str(desk.project), "phase": "2", "lanes": ["codex"]})
    client = subprocess.Popen(
        [*MSD, *arguments(desk, "--local", "2", "--lane", "codex")],
        env=desk.env(), cwd=desk.base, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    until(lambda: (desk.base / "called").exists(), 90, "a lane in flight")
    assert len(ours(desk)) >= 5
    client.kill()
    client.wait()
    until(lambda: not ours(desk), 60, f"the end of {ours(desk)}")
    assert list((desk.state / "fleet" / "local").iterdir()) == []


def ours(desk: Desk) -> list[str]:
    """Every process of this desk that runs: each has its environment."""
    found = []
    for one in psutil.process_iter(["pid", "cmdline"]):
        try:
            if one.environ().get("MSD_STATE_DIR") == str(desk.state) and one.pid != os.getpid():
                found.append(" ".join(one.info["cmdline"] or ())[:100])
        except psutil.Error:
            continue
    return found


def test_without_the_extra_the_way_out_is_told(desk: Desk) -> None:
    blocked = desk.base / "blocked"
    blocked.mkdir()
    (blocked / "distributed.py").write_text(
        "raise ModuleNotFoundError('no', name='distributed')", encoding="utf-8"
    )
    batch(desk, {"repository": str(desk.project), "phase": "2"})
    ended = desk.run(*arguments(desk, "--local", "1"), env={"PYTHONPATH": str(blocked)})
    assert ended.code == 2
    assert ended.err.splitlines() == [
        "msd: error: fleets need the extra `fleet`, which is not installed (no module distributed)",
        "hint: pip install 'msd-review[fleet]', or pipx inject msd-review distributed cryptography, where msd runs from",
    ]
    assert not (desk.base / "out").exists()


def test_a_bad_batch_starts_nothing(desk: Desk) -> None:
    (desk.base / "batch.jsonl").write_text('{"phase": 2}\n', encoding="utf-8")
    ended = desk.run(*arguments(desk, "--local", "1"))
    assert ended.code == 2
    assert "batch.jsonl:1: " in ended.err
    assert not (desk.base / "out" / "journal.jsonl").exists()
