"""The journal of a fleet run, and what a second start makes of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from msd_review.errors import InputError, StoreError
from msd_review.fleet import journal
from msd_review.fleet.continuing import (
    batch_digest,
    check_same_batch,
    finished_outcomes,
    kept_answer,
    read_earlier,
    read_submitted,
)
from msd_review.fleet.journal import FleetJournal, read_journal
from msd_review.fleet.model import BadValue, FleetFolder, FleetItem, ItemOutcome, LaneOutcome, item_from_json

SCHEMA = Path(__file__).parents[2] / "docs" / "schemas" / "msd.fleet-journal-1.schema.json"


def outcome(item: str, state: Any = "done", **more: Any) -> dict[str, Any]:
    lanes = (LaneOutcome(slug="codex", outcome="review", seconds=1.0),)
    whole = ItemOutcome(
        item_id=item, repository="/r", kind="phase", state=state, message="m", lanes=lanes, **more
    )
    return {"item": item, "outcome": whole.to_json()}


def lane(item: str, slug: str) -> dict[str, Any]:
    told = {"slug": slug, "outcome": "review", "seconds": 1.0}
    return {
        "item": item,
        "slug": slug,
        "file": f"items/{item}/lanes/{slug}.json",
        "sha256": "0",
        "lane": told,
    }


@pytest.fixture
def folder(tmp_path: Path) -> FleetFolder:
    return FleetFolder(tmp_path)


@pytest.fixture
def write(folder: FleetFolder) -> Callable[..., None]:
    def append(event: str, fields: dict[str, Any]) -> None:
        record = FleetJournal(folder.journal)
        record.append(event, fields)
        record.close()

    return append


def test_what_is_written_is_read_and_is_as_published(folder: FleetFolder, write: Callable[..., None]) -> None:
    write(journal.STARTED, {"fleet": "f"})
    write(journal.PLANNED, {"item": "a", "lanes": ["codex"], "commit": None})
    write(journal.LANE_FINISHED, lane("a", "codex"))
    write(journal.LANE_LOST, {"item": "a", "slug": "claude", "why": "gone"})
    write(journal.ITEM_FINISHED, outcome("a"))
    write(journal.STOPPED, {"interrupted": False})
    records = list(read_journal(folder.journal))
    assert [one.event for one in records] == [
        "fleet_started", "item_planned", "lane_finished", "lane_lost", "item_finished", "fleet_stopped",
    ]  # fmt: skip
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for one in records:
        jsonschema.validate(one.fields, schema)


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_last_line_that_was_cut_short_is_no_record_and_the_next_one_is_whole(
    folder: FleetFolder, write: Callable[..., None], cut: int
) -> None:
    write(journal.ITEM_FINISHED, outcome("a"))
    write(journal.ITEM_FINISHED, outcome("b"))
    content = folder.journal.read_bytes()
    folder.journal.write_bytes(content[: -1 - cut])
    write(journal.ITEM_FINISHED, outcome("c"))
    assert read_earlier(folder, retry_failed=False).finished == {"a", "c"}


def test_lines_that_are_no_records_are_passed_over(folder: FleetFolder, write: Callable[..., None]) -> None:
    write(journal.ITEM_FINISHED, outcome("a"))
    with folder.journal.open("ab") as handle:
        handle.write(b"[]\n\xff\xfe\n{}\n" + b"x" * (3 * journal.MAX_LINE) + b"\n" + b"[" * 5000 + b"\n")
        handle.write(b'{"schema":"msd.fleet-journal/1","event":"item_finished","outcome":{"item_id":3}}\n')
    write(journal.ITEM_FINISHED, outcome("b"))
    assert read_earlier(folder, retry_failed=False).finished == {"a", "b"}


def test_an_item_that_was_begun_keeps_its_lanes_and_its_losses(
    folder: FleetFolder, write: Callable[..., None]
) -> None:
    write(journal.PLANNED, {"item": "a", "lanes": ["codex", "claude"], "commit": "c" * 40})
    write(journal.LANE_FINISHED, lane("a", "codex"))
    write(journal.LANE_LOST, {"item": "a", "slug": "claude", "why": "gone"})
    begun = read_earlier(folder, retry_failed=False).begun["a"]
    assert (begun.planned, begun.commit) == (("codex", "claude"), "c" * 40)
    assert begun.lanes == {"codex": ("items/a/lanes/codex.json", "0")}
    assert begun.lost == {"claude": 1}


def test_what_is_not_done_is_tried_again_only_when_asked_and_its_reviews_are_kept(
    folder: FleetFolder, write: Callable[..., None]
) -> None:
    write(journal.PLANNED, {"item": "a", "lanes": ["codex", "claude"], "commit": None})
    for slug in ("codex", "claude"):
        write(journal.LANE_FINISHED, lane("a", slug))
    write(journal.ITEM_FINISHED, outcome("a", "failed", reason="lane_failed"))
    assert read_earlier(folder, retry_failed=False).finished == {"a"}
    again = read_earlier(folder, retry_failed=True)
    assert again.finished == frozenset()
    assert (list(again.begun["a"].lanes), again.begun["a"].rounds) == (["codex"], 1)
    write(journal.ITEM_FINISHED, outcome("a"))
    assert read_earlier(folder, retry_failed=True).finished == {"a"}
    states = [one.state for one in finished_outcomes(folder, frozenset({"a"}))]
    assert states == ["done"]


def test_an_answer_that_changed_or_lies_elsewhere_is_not_taken(folder: FleetFolder) -> None:
    path = folder.item("a") / "lanes" / "codex.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"state": "lane"}', encoding="utf-8")
    digest, _ = batch_digest(path)
    kept = ("items/a/lanes/codex.json", digest)
    assert kept_answer(folder, kept) == {"state": "lane"}
    path.write_text('{"state": "lame"}', encoding="utf-8")
    assert kept_answer(folder, kept) is None
    assert kept_answer(folder, ("../../etc/passwd", digest)) is None


def test_a_batch_may_grow_and_not_change(folder: FleetFolder) -> None:
    batch = folder.path / "b.jsonl"
    batch.write_text("one\n", encoding="utf-8")
    digest, count = batch_digest(batch)
    submitted = {"batch": {"sha256": digest, "bytes": count}}
    check_same_batch(folder, submitted, batch)
    batch.write_text("one\ntwo\n", encoding="utf-8")
    check_same_batch(folder, submitted, batch)
    for text in ("on", "0ne\ntwo\n", ""):
        batch.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="is not the batch that"):
            check_same_batch(folder, submitted, batch)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"schema": "msd.fleet/1"}', "[" * 100_000])
def test_a_folder_of_something_else_is_refused(folder: FleetFolder, content: str) -> None:
    assert read_submitted(folder) is None
    folder.submitted.write_text(content, encoding="utf-8")
    with pytest.raises(StoreError, match="is no record of a fleet run"):
        read_submitted(folder)


@pytest.mark.parametrize("item_id", ["", "..", ".a", "a/b", "a" * 101, "a\n", "a.", "-a", "ä"])
def test_what_is_no_id_names_no_folder(folder: FleetFolder, item_id: str) -> None:
    with pytest.raises(ValueError, match="is no id of an item"):
        folder.item(item_id)


def test_an_item_survives_the_way_there_and_back_and_anything_else_is_refused() -> None:
    item = FleetItem(
        id="a", line=3, repository="/r", kind="change", base="main", paths=("x",), models=(("codex", "m"),)
    )
    value = json.loads(json.dumps(item.to_json()))
    assert item_from_json(value) == item
    for name, wrong in [
        ("id", "../x"),
        ("kind", "other"),
        ("lanes", "codex"),
        ("models", [["a"]]),
        ("line", True),
    ]:
        with pytest.raises(BadValue):
            item_from_json({**value, name: wrong})
    with pytest.raises(BadValue):
        item_from_json([])
