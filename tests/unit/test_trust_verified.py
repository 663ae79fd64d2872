"""What is remembered of verified capabilities, and everything that must make it worthless."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from msd_review.trust import verified
from msd_review.trust.verified import Memory, fingerprint, open_memory

HASH = "sha512-one"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "acme"
    (made / "inner").mkdir(parents=True)
    (made / "capability.json").write_text('{"id": "acme"}')
    (made / "inner" / "fragment.md").write_text("one")
    return made


@pytest.fixture(autouse=True)
def long_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything counts as settled, as if it had been written long before it was verified."""
    monkeypatch.setattr(verified, "_TICK_NS", -10_000_000_000)


def remembered(folder: Path, cache: Path) -> Memory:
    memory = open_memory(cache)
    memory.keep(folder, HASH, fingerprint(folder))
    memory.save()
    return open_memory(cache)


def test_what_did_not_change_is_known_again(folder: Path, tmp_path: Path) -> None:
    assert remembered(folder, tmp_path / "cache" / "bundles.json").holds(folder, HASH, fingerprint(folder))


def test_it_is_known_for_the_hash_that_was_consented_to_alone(folder: Path, tmp_path: Path) -> None:
    memory = remembered(folder, tmp_path / "cache" / "bundles.json")
    assert not memory.holds(folder, "sha512-two", fingerprint(folder))
    assert not memory.holds(folder, HASH, None)


def _same_size_and_time(folder: Path) -> None:
    path = folder / "inner" / "fragment.md"
    status = path.stat()
    path.write_text("two")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _another_in_its_place(folder: Path) -> None:
    path = folder / "capability.json"
    other = folder.parent / "other"
    other.write_bytes(path.read_bytes())
    other.rename(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "content with the size and the time of the old": _same_size_and_time,
    "another file in its place": _another_in_its_place,
    "one more": lambda folder: (folder / "inner" / "more").write_text(""),
    "one less": lambda folder: (folder / "inner" / "fragment.md").unlink(),
    "another name": lambda folder: (folder / "inner").rename(folder / "outer"),
    "a link": lambda folder: (folder / "link").symlink_to("capability.json"),
    "a hard link to a file of it": lambda folder: os.link(folder / "capability.json", folder.parent / "hard"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_whatever_changes_makes_it_unknown(
    folder: Path, tmp_path: Path, change: Callable[[Path], object]
) -> None:
    memory = remembered(folder, tmp_path / "cache" / "bundles.json")
    change(folder)
    assert not memory.holds(folder, HASH, fingerprint(folder))


def test_what_changed_just_now_is_not_remembered(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verified, "_TICK_NS", 3_600_000_000_000)
    assert remembered(folder, tmp_path / "cache" / "bundles.json").known == {}


def test_what_changed_while_it_was_hashed_is_not_remembered(folder: Path, tmp_path: Path) -> None:
    before = fingerprint(folder)
    (folder / "capability.json").write_text("another one")
    memory = Memory()
    memory.keep(folder, HASH, before)
    assert memory.kept == {}


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b'{"key": 1}', b'{"key": 1, "bundles": {"a": 1}}', b'{"key": 0, "bundles": {}}'],
)
def test_a_damaged_memory_knows_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bundles.json").write_bytes(content)
    assert open_memory(tmp_path / "bundles.json").known == {}


def test_a_memory_that_others_can_write_knows_nothing_and_is_not_written(
    folder: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "bundles.json"
    cache.write_text(json.dumps({"key": 1, "bundles": {str(folder): [HASH, "x"]}}))
    cache.chmod(0o666)
    assert open_memory(cache) == Memory()


def test_links_special_files_and_files_without_end_have_no_fingerprint(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(folder / "pipe")
    assert fingerprint(folder) is None
    (folder / "pipe").unlink()
    monkeypatch.setattr(verified, "_MAX_ENTRIES", 2)
    assert fingerprint(folder) is None
    assert fingerprint(folder / "capability.json") is None
