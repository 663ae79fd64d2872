"""The hash of a bundle, and what may be in one."""

import hashlib
import os
from base64 import b64encode
from pathlib import Path

import pytest

from msd_review.trust import bundle
from msd_review.trust.bundle import BundleRefused, content_hash, read_bundle


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "acme"
    (made / "b").mkdir(parents=True)
    (made / "capability.json").write_bytes(b"{}")
    (made / "b" / "x").write_bytes(b"1")
    (made / "b!").write_bytes(b"2")
    return made


def test_the_hash_is_over_the_number_of_files_then_each_path_and_content_by_path_bytes(folder: Path) -> None:
    expected = hashlib.sha512()
    expected.update((3).to_bytes(8, "big"))
    for path, content in ((b"b!", b"2"), (b"b/x", b"1"), (b"capability.json", b"{}")):
        expected.update(len(path).to_bytes(8, "big") + path + len(content).to_bytes(8, "big") + content)
    assert read_bundle(folder).content_hash == "sha512-" + b64encode(expected.digest()).decode()


def test_moving_a_byte_from_a_name_to_a_content_changes_the_hash() -> None:
    assert content_hash({b"ab": b"c"}) != content_hash({b"a": b"bc"})
    assert content_hash({b"a": b"", b"b": b""}) != content_hash({b"a": b"b"})


def test_the_manifest_is_read_from_the_very_bytes_that_were_hashed(folder: Path) -> None:
    read = read_bundle(folder)
    (folder / "capability.json").write_bytes(b'{"id": "swapped"}')
    assert read.manifest == b"{}"


def test_a_name_that_is_no_text_is_a_name(folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff")).write_bytes(b"")
    assert b"\xff" in read_bundle(folder).files


@pytest.mark.parametrize("target", ["capability.json", "/etc/passwd", "nowhere", "b"])
def test_a_link_is_refused_wherever_it_points(folder: Path, target: str) -> None:
    (folder / "b" / "link").symlink_to(target)
    with pytest.raises(BundleRefused, match=r"^b/link is a link; a capability holds none$"):
        read_bundle(folder)


def test_a_bundle_that_is_itself_a_link_is_refused(folder: Path) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder)
    with pytest.raises(BundleRefused, match="cannot be read"):
        read_bundle(link)


def test_a_fifo_is_refused_and_does_not_hang(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with pytest.raises(BundleRefused, match="^pipe is not a regular file; a capability holds nothing else$"):
        read_bundle(folder)


def test_more_bytes_than_the_bound_are_refused_while_reading(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "MAX_BYTES", 1000)
    (folder / "large").write_bytes(b"x" * 999)
    with pytest.raises(BundleRefused, match="^the capability is larger than 1,000 bytes$"):
        read_bundle(folder)


def test_more_entries_than_the_bound_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "MAX_ENTRIES", 10)
    for number in range(10):
        (folder / str(number)).mkdir()
    with pytest.raises(BundleRefused, match="^the capability holds more than 10 entries$"):
        read_bundle(folder)


def test_folders_without_end_are_refused(folder: Path) -> None:
    (folder / "/".join(["d"] * 40)).mkdir(parents=True)
    with pytest.raises(BundleRefused, match="nested more than 32 levels deep"):
        read_bundle(folder)


def test_what_is_left_out_is_not_even_looked_into(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "link").symlink_to("/")
    assert b".git" not in {path[:4] for path in read_bundle(folder, leave_out=frozenset({b".git"})).files}
