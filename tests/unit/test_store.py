"""Where runs are kept: unique, private, listed whatever became of them, cleaned without losing what matters."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from msd_review.edges import process_table
from msd_review.errors import StoreError, UsageError
from msd_review.outcomes import Outcome, Reason
from msd_review.run.journal import Journal
from msd_review.run.resume import adopt, load_finished, reusable
from msd_review.run.store import (
    RunInfo,
    clean,
    end_run,
    find_run,
    is_run_id,
    last_run,
    list_runs,
    new_run,
    read_run,
    runs_folder,
)
from tests.lane_samples import result

NOW = datetime(2026, 12, 1, tzinfo=UTC)


def make(runs: Path, subject: str = "phase 1") -> RunInfo:
    return new_run(runs, subject=subject, title="Phase 1", command="review", root=Path("/p"), plans=("a.md",))


def old_run(runs: Path, name: str, subject: str = "s", state: str | None = "finished") -> Path:
    folder = runs / name
    folder.mkdir(parents=True)
    record: dict[str, Any] = {"schema": "msd.run/1", "id": name, "subject": subject, "owner": None}
    (folder / "run.json").write_text(json.dumps(record))
    if state is not None:
        (folder / "ended.json").write_text(json.dumps({"state": state}))
    return folder


def test_a_run_is_private_and_tells_what_it_is() -> None:
    runs = runs_folder()
    run = make(runs)
    assert (run.state, run.subject, run.title, run.command) == ("running", "phase 1", "Phase 1", "review")
    assert (run.root, run.plans) == ("/p", ("a.md",))
    assert run.owner == process_table.identify(os.getpid())
    assert is_run_id(run.id)
    assert runs.stat().st_mode & 0o777 == 0o700
    assert run.folder.stat().st_mode & 0o777 == 0o700
    assert (run.folder / "run.json").stat().st_mode & 0o777 == 0o600


def test_runs_of_one_second_are_told_apart_and_listed_newest_first(tmp_path: Path) -> None:
    made = [make(tmp_path).id for _ in range(30)]
    assert len(set(made)) == 30
    assert [run.id for run in list_runs(tmp_path)] == made[::-1]


def test_the_state_folder_of_the_environment_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MSD_STATE_DIR", str(tmp_path / "state"))
    assert runs_folder() == tmp_path / "state" / "runs"
    monkeypatch.delenv("MSD_STATE_DIR")
    assert runs_folder() == Path(os.environ["XDG_STATE_HOME"]) / "msd" / "runs"


def test_a_folder_that_others_may_read_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MSD_STATE_DIR", str(tmp_path))
    (tmp_path / "runs").mkdir(mode=0o755)
    assert runs_folder().stat().st_mode & 0o777 == 0o700


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MSD_STATE_DIR", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "runs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError) as caught:
        runs_folder()
    assert caught.value.message == f"the folder for runs cannot be used: {tmp_path / 'runs'}: not a folder"
    assert caught.value.hint == "set MSD_STATE_DIR to a folder of yours"


def test_a_folder_that_cannot_be_made_is_an_error_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MSD_STATE_DIR", str(tmp_path / "file"))
    with pytest.raises(StoreError):
        runs_folder()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "..",
        "../x",
        "/etc",
        "20261201T000000Z-abcd/..",
        "20261201T000000Z-ABCD",
        "20261201T000000Z-abcd\n",
    ],
)
def test_an_id_is_never_a_path(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_run(tmp_path, text)
    assert caught.value.message == f"{text!r} is not a run id"


def test_an_id_that_no_run_has_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        find_run(tmp_path, "20261201T000000Z-abcd")
    assert caught.value.message == "there is no run 20261201T000000Z-abcd"
    assert caught.value.hint == "`msd runs list` shows them" or caught.value.hint is not None


def test_a_link_to_a_run_is_no_run(tmp_path: Path) -> None:
    old_run(tmp_path, "20261201T000000Z-abcd").rename(tmp_path / "real")
    (tmp_path / "20261201T000000Z-abcd").symlink_to(tmp_path / "real")
    assert list_runs(tmp_path) == ()
    with pytest.raises(UsageError):
        find_run(tmp_path, "20261201T000000Z-abcd")


@pytest.mark.parametrize("state", ["finished", "interrupted", "failed"])
def test_how_a_run_ended_is_kept(tmp_path: Path, state: Any) -> None:
    run = make(tmp_path)
    end_run(run, state=state, exit_code=3)
    again = find_run(tmp_path, run.id)
    assert (again.state, again.exit_code, again.ended_at != "") == (state, 3, True)


def test_a_run_whose_process_is_gone_crashed(tmp_path: Path) -> None:
    old_run(tmp_path, "20261201T000000Z-abcd", state=None)
    assert list_runs(tmp_path)[0].state == "crashed"


def test_a_later_process_with_the_same_number_is_not_that_run(tmp_path: Path) -> None:
    run = make(tmp_path)
    record = json.loads((run.folder / "run.json").read_text())
    record["owner"]["started"] = "1"
    (run.folder / "run.json").write_text(json.dumps(record))
    assert read_run(run.folder).state == "crashed"


def test_a_young_run_of_another_container_is_taken_for_alive(tmp_path: Path) -> None:
    run = make(tmp_path)
    record = json.loads((run.folder / "run.json").read_text())
    record["owner"] |= {"pid": 4_000_000, "boot": record["owner"]["boot"].partition("/")[0] + "/1"}
    (run.folder / "run.json").write_text(json.dumps(record))
    assert read_run(run.folder).state == "running"
    old = run.folder.rename(tmp_path / "20200101T000000Z-abcd")
    (old / "run.json").write_text(json.dumps(record | {"id": old.name}))
    assert read_run(old).state == "crashed"


@pytest.mark.parametrize(
    "content",
    [b"", b"null", b"[]", b"{", b"\xff", b'{"schema":"msd.run/9"}', b"[" * 100_000, b"x" * 2_000_000],
)
def test_whatever_a_runs_folder_holds_it_is_listed(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "20261201T000000Z-abcd"
    folder.mkdir()
    (folder / "run.json").write_bytes(content)
    (folder / "ended.json").write_bytes(content)
    assert [run.state for run in list_runs(tmp_path)] == ["broken"]


def test_values_of_the_wrong_type_are_left_out(tmp_path: Path) -> None:
    folder = old_run(tmp_path, "20261201T000000Z-abcd")
    record = {"schema": "msd.run/1", "subject": 5, "plans": "x", "owner": {"pid": "1"}, "started_at": None}
    (folder / "run.json").write_text(json.dumps(record))
    run = read_run(folder)
    assert (run.subject, run.plans, run.owner, run.started_at) == ("", (), None, "")


def test_other_things_in_the_folder_are_not_runs(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "20261201T000000Z-abcd").write_text("a file")
    assert list_runs(tmp_path) == ()
    assert list_runs(tmp_path / "nowhere") == ()


def test_the_last_run_of_a_subject_is_the_newest_that_is_not_going_on(tmp_path: Path) -> None:
    first, second = make(tmp_path), make(tmp_path)
    make(tmp_path, "phase 2")
    end_run(first, state="finished", exit_code=0)
    found = last_run(tmp_path, "phase 1")
    assert found is not None
    assert found.id == first.id
    end_run(second, state="interrupted", exit_code=130)
    found = last_run(tmp_path, "phase 1")
    assert found is not None
    assert found.id == second.id
    assert last_run(tmp_path, "phase 3") is None


def cleaned(runs: Path, *, keep: int = 100, days: int = 30) -> tuple[str, ...]:
    return clean(runs, keep=keep, max_age=timedelta(days=days), now=NOW)


def test_old_runs_are_removed_and_the_newest_of_each_plan_stays(tmp_path: Path) -> None:
    for name, subject in {
        "20260101T000000Z-000a": "s",
        "20260102T000000Z-000b": "s",
        "20260103T000000Z-000c": "s",
        "20260101T000000Z-000d": "other",
        "20261130T000000Z-000e": "third",
    }.items():
        old_run(tmp_path, name, subject)
    assert cleaned(tmp_path) == ("20260102T000000Z-000b", "20260101T000000Z-000a")
    assert {path.name for path in tmp_path.iterdir()} == {
        "20260103T000000Z-000c",
        "20260101T000000Z-000d",
        "20261130T000000Z-000e",
    }


def test_beyond_the_count_runs_are_removed_however_young(tmp_path: Path) -> None:
    for number in range(6):
        old_run(tmp_path, f"20261130T00000{number}Z-abcd")
    assert cleaned(tmp_path, keep=3) == tuple(f"20261130T00000{n}Z-abcd" for n in (2, 1, 0))


def test_a_newest_run_that_crashed_does_not_cost_the_newest_that_finished(tmp_path: Path) -> None:
    old_run(tmp_path, "20260101T000000Z-000a")
    old_run(tmp_path, "20260102T000000Z-000b")
    old_run(tmp_path, "20260103T000000Z-000c", state="crashed")
    assert cleaned(tmp_path) == ("20260101T000000Z-000a",)


def test_a_running_run_and_a_folder_that_is_just_being_made_stay(tmp_path: Path) -> None:
    run = make(tmp_path)
    make(tmp_path)
    (tmp_path / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-0000").mkdir()
    (tmp_path / "20260101T000000Z-0000").mkdir()
    assert clean(tmp_path, keep=0, max_age=timedelta(0), now=datetime.now(UTC)) == ("20260101T000000Z-0000",)
    assert run.folder.is_dir()


def test_a_removal_that_was_cut_short_is_finished_and_never_listed(tmp_path: Path) -> None:
    going = old_run(tmp_path, "20260101T000000Z-000a").rename(tmp_path / ".removing-20260101T000000Z-000a")
    assert list_runs(tmp_path) == ()
    assert cleaned(tmp_path) == ()
    assert not going.exists()


def test_a_run_with_folders_that_cannot_be_written_is_removed_all_the_same(tmp_path: Path) -> None:
    folder = old_run(tmp_path, "20260101T000000Z-000a")
    old_run(tmp_path, "20260102T000000Z-000b")
    locked = folder / "lanes"
    locked.mkdir()
    (locked / "stdout").write_text("")
    locked.chmod(0o500)
    assert cleaned(tmp_path) == ("20260101T000000Z-000a",)
    assert not folder.exists()


def finished(tmp_path: Path, **results: Any) -> RunInfo:
    run = make(tmp_path)
    journal = Journal(run.folder)
    for key, fields in results.items():
        text = run.folder / "lanes" / key / "review.md"
        if fields.get("outcome", Outcome.REVIEW) is Outcome.REVIEW:
            text.parent.mkdir(parents=True)
            text.write_text(f"review {key}")
            fields = fields | {"text_path": text}
        journal.lane_finished(key, result(key, **fields))
    journal.close()
    end_run(run, state="interrupted", exit_code=130)
    return find_run(tmp_path, run.id)


FAILED = {"outcome": Outcome.FAILED, "reason": Reason.TIMEOUT}


def test_what_ended_by_itself_is_reused_and_the_rest_is_not(tmp_path: Path) -> None:
    cancelled = {"outcome": Outcome.CANCELLED, "reason": Reason.CANCELLED}
    earlier = load_finished(finished(tmp_path, good={}, bad=FAILED, cut=cancelled))
    assert earlier.problems == ()
    kept = [key for key in ("good", "bad", "cut", "new") if reusable(earlier, key, retry_failed=False)]
    assert kept == ["good", "bad"]
    kept = [key for key in ("good", "bad", "cut", "new") if reusable(earlier, key, retry_failed=True)]
    assert kept == ["good"]


def test_a_text_that_is_not_what_was_recorded_is_not_reused(tmp_path: Path) -> None:
    run = finished(tmp_path, a={}, b={}, c={})
    (run.folder / "lanes" / "a" / "review.md").write_text("another text")
    (run.folder / "lanes" / "b" / "review.md").unlink()
    earlier = load_finished(run)
    assert [key for key in "abc" if reusable(earlier, key, retry_failed=False)] == ["c"]


def test_a_review_is_not_shadowed_by_a_later_failure_under_the_same_key(tmp_path: Path) -> None:
    run = finished(tmp_path, a={})
    journal = Journal(run.folder)
    journal.lane_finished("a", result("a", **FAILED))
    journal.close()
    assert load_finished(run).lanes["a"].result.outcome is Outcome.REVIEW


def test_what_the_runs_before_an_unfinished_one_finished_counts_too(tmp_path: Path) -> None:
    old, end, first, second = (finished(tmp_path, **{key: {}}) for key in ("old", "end", "a", "b"))
    end_run(end, state="finished", exit_code=0)
    other = new_run(tmp_path, subject="phase 2", title="", command="review", root=None)
    end_run(other, state="interrupted", exit_code=130)
    assert set(load_finished(find_run(tmp_path, second.id)).lanes) == {"end", "a", "b"}
    assert set(load_finished(find_run(tmp_path, first.id)).lanes) == {"end", "a"}
    assert set(load_finished(find_run(tmp_path, end.id)).lanes) == {"end"}
    assert set(load_finished(find_run(tmp_path, old.id)).lanes) == {"old"}
    assert set(load_finished(find_run(tmp_path, other.id)).lanes) == set()


def test_a_reused_result_brings_its_text_along_and_says_where_from(tmp_path: Path) -> None:
    first, second, third = finished(tmp_path, a={}), make(tmp_path), make(tmp_path)
    lane = load_finished(first).lanes["a"]
    taken = adopt(lane, earlier=first, folder=second.folder)
    assert taken.text_path == second.folder / "lanes" / "a" / "review.md"
    assert taken.text_path.read_text() == "review a"
    assert (taken.reused, taken.extra["reused_from"]) == (True, first.id)
    journal = Journal(second.folder)
    journal.lane_finished("a", taken)
    journal.close()
    again = adopt(load_finished(second).lanes["a"], earlier=second, folder=third.folder)
    assert again.extra["reused_from"] == first.id
