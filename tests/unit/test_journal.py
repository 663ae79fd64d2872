"""The journal: what is read back is what was written, and nothing that went wrong with it stops a reader."""

import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from msd_review.errors import StoreError
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.run import result_json
from msd_review.run.journal import NAME, Journal, finished_lanes, read_journal, text_digest
from msd_review.run.result import LaneResult, Usage
from tests.lane_samples import result


def full_result(folder: Path) -> LaneResult:
    return LaneResult(
        identity="acme-one",
        slug="acme",
        section="Acme",
        outcome=Outcome.PARTIAL,
        reason=Reason.TIMEOUT,
        detail="ended \u202e at its deadline\n",
        hint="give it longer",
        marks=(Mark.NONZERO_EXIT, Mark.SELF_REVIEW),
        text_path=folder / "lanes" / "acme" / "review.md",
        model="m",
        effort="high",
        provider="p",
        evidence_class="diff-only",
        usage=Usage(input_tokens=5, output_tokens=None, cost_usd=0.25),
        started_at="2026-12-01T00:00:00Z",
        duration_ms=12,
        exit_status=-9,
        end_kind="timeout",
        stderr_tail=("one", "tw\udcffo"),
        diagnosis=("d",),
        attempts=2,
        stdout_bytes=7,
        workspace_changes=("a.py",),
        named=True,
        reused=True,
        extra={"http_status": "503"},
    )


def written(folder: Path, *results: LaneResult) -> None:
    journal = Journal(folder)
    for number, one in enumerate(results):
        journal.lane_finished(f"key{number}", one)
    journal.close()


def test_every_field_of_a_result_survives(tmp_path: Path) -> None:
    sample = full_result(tmp_path)
    different = [
        f.name for f in fields(LaneResult) if getattr(sample, f.name) == getattr(result("other"), f.name)
    ]
    assert different == []
    text = json.dumps(result_json.encode(sample, tmp_path))
    assert result_json.decode(json.loads(text), tmp_path) == sample


def test_a_plain_result_survives(tmp_path: Path) -> None:
    assert result_json.decode(result_json.encode(result(), tmp_path), tmp_path) == result()


def test_a_field_of_a_later_version_is_ignored(tmp_path: Path) -> None:
    record = result_json.encode(result(), tmp_path) | {"mood": "good"}
    assert result_json.decode(record, tmp_path) == result()


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("outcome", "splendid", "outcome is 'splendid', which is no Outcome"),
        ("outcome", 5, "outcome is a int"),
        ("reason", [], "reason is a list"),
        ("identity", None, "identity is a NoneType"),
        ("duration_ms", True, "duration_ms is a bool"),
        ("duration_ms", 1.5, "duration_ms is a float"),
        ("named", 1, "named is a int"),
        ("marks", "nonzero_exit", "marks is a str"),
        ("marks", ["shiny"], "marks is 'shiny', which is no Mark"),
        ("usage", 5, "Usage is not an object"),
        ("usage", {"cost_usd": "free"}, "cost_usd is a str"),
        ("extra", {"a": 1}, "extra is a int"),
        ("text_path", "/etc/passwd", "text_path leads out of the run's folder"),
        ("text_path", "../../other/review.md", "text_path leads out of the run's folder"),
        ("text_path", "", "text_path leads out of the run's folder"),
        ("text_path", "a\0b", "text_path leads out of the run's folder"),
    ],
)
def test_a_value_that_cannot_be_is_refused(tmp_path: Path, name: str, value: Any, told: str) -> None:
    record = result_json.encode(full_result(tmp_path), tmp_path) | {name: value}
    with pytest.raises(result_json.BadRecord) as caught:
        result_json.decode(record, tmp_path)
    assert str(caught.value) == told


@pytest.mark.parametrize("value", [None, 5, [], "x", {}])
def test_what_is_no_result_is_refused(tmp_path: Path, value: object) -> None:
    with pytest.raises(result_json.BadRecord):
        result_json.decode(value, tmp_path)


def test_events_are_read_back_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append("started", {"lane": "a"})
    journal.append("attempt", {"lane": "a", "text": "line\nbreak"}, sync=True)
    journal.close()
    read = read_journal(tmp_path)
    assert [(entry.event, entry.fields.get("text")) for entry in read.entries] == [
        ("started", None),
        ("attempt", "line\nbreak"),
    ]
    assert read.problems == ()
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def test_a_torn_last_line_is_passed_over_and_the_next_event_is_whole(tmp_path: Path) -> None:
    written(tmp_path, result("a"))
    with (tmp_path / NAME).open("ab") as handle:
        handle.write(b'{"v":1,"event":"lane_fin')
    assert [entry.event for entry in read_journal(tmp_path).entries] == ["lane_finished"]
    assert read_journal(tmp_path).problems == ()
    written(tmp_path, result("b"))
    read = read_journal(tmp_path)
    assert [lane.result.identity for lane in finished_lanes(read, tmp_path)[0]] == ["a", "b"]
    assert read.problems == (f"{NAME}:2: not JSON",)


def test_a_whole_last_line_without_its_end_counts(tmp_path: Path) -> None:
    written(tmp_path, result("a"))
    path = tmp_path / NAME
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    assert len(read_journal(tmp_path).entries) == 1


BAD_LINES = [
    (b"\xff\xfe\x00", "not JSON"),
    (b"[" * 100_000, "not JSON"),
    (b"9" * 10_000, "not JSON"),
    (b"[]", "not an event"),
    (b"null", "not an event"),
    (b'{"v":1}', "not an event"),
    (b'{"v":1,"event":5}', "not an event"),
    (b'{"v":2,"event":"x"}', "written by another version (2)"),
    (b'{"event":"x"}', "written by another version (None)"),
    (b" " * (8 * 1024 * 1024 + 1), "longer than 8388608 bytes"),
]


@pytest.mark.parametrize(("line", "told"), BAD_LINES)
def test_a_bad_line_is_reported_and_the_rest_is_read(tmp_path: Path, line: bytes, told: str) -> None:
    written(tmp_path, result("a"))
    with (tmp_path / NAME).open("ab") as handle:
        handle.write(line + b"\n")
    written(tmp_path, result("b"))
    read = read_journal(tmp_path)
    assert len(read.entries) == 2
    assert read.problems == (f"{NAME}:2: {told}",)


def test_a_finished_lane_that_is_none_is_reported(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append("lane_finished", {"key": "k", "result": {"identity": 5}})
    journal.append("lane_finished", {"key": 5, "result": {}})
    journal.close()
    lanes, problems = finished_lanes(read_journal(tmp_path), tmp_path)
    assert lanes == ()
    assert problems == (
        f"{NAME}: a finished lane that cannot be read: identity is a int",
        f"{NAME}: a finished lane without a key",
    )


def test_no_journal_is_an_empty_one(tmp_path: Path) -> None:
    assert read_journal(tmp_path).entries == ()
    assert read_journal(tmp_path / "nowhere").problems == ()


def test_a_journal_that_is_no_file_is_a_problem_not_a_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / NAME)
    assert read_journal(tmp_path).problems == (f"{NAME}: {tmp_path / NAME} is not a regular file",)


def test_the_text_of_a_lane_is_recorded_with_its_hash(tmp_path: Path) -> None:
    text = tmp_path / "review.md"
    text.write_text("a review")
    written(
        tmp_path, result("a", text_path=text), result("b", text_path=tmp_path / "missing.md"), result("c")
    )
    lanes, _ = finished_lanes(read_journal(tmp_path), tmp_path)
    assert [lane.text_sha256 for lane in lanes] == [text_digest(text), None, None]
    assert [lane.key for lane in lanes] == ["key0", "key1", "key2"]


def test_a_text_outside_of_the_run_is_not_recorded_as_its_own(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    written(folder, result("a", text_path=tmp_path / "elsewhere.md"))
    lanes, _ = finished_lanes(read_journal(folder), folder)
    assert lanes[0].result.text_path is None


def test_a_run_whose_folder_is_deleted_can_still_be_written_to(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    journal = Journal(folder)
    (folder / NAME).unlink()
    folder.rmdir()
    journal.lane_finished("key", result("a"))
    journal.close()


def test_a_link_in_place_of_the_journal_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / NAME).symlink_to(tmp_path / "victim")
    with pytest.raises(StoreError):
        Journal(tmp_path)
    assert not (tmp_path / "victim").exists()


def test_a_full_disk_is_said_and_what_follows_is_whole_again(tmp_path: Path) -> None:
    """The size of files is limited in a process of its own: the platform then says what a full disk says."""
    script = f"""
import resource, signal
from pathlib import Path
from msd_review.errors import StoreError
from msd_review.run.journal import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
journal = Journal(Path({str(tmp_path)!r}))
journal.append("first", {{}})
resource.setrlimit(resource.RLIMIT_FSIZE, (200, resource.RLIM_INFINITY))
try:
    journal.append("second", {{"text": "x" * 300}})
except StoreError as problem:
    print(problem.message)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
journal.append("third", {{}})
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == f"the journal of run {tmp_path.name} cannot be written: File too large\n"
    read = read_journal(tmp_path)
    assert [entry.event for entry in read.entries] == ["first", "third"]
    assert read.problems == (f"{NAME}:2: not JSON",)
