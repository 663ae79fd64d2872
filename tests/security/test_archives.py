"""Attacks inside an archive: each is named, and an archive with one bad entry gives nothing."""

import gzip
import zlib
from pathlib import Path

import pytest

from msd_review.errors import SourceError
from msd_review.sources import fileset
from msd_review.sources import unpack as unpacking
from msd_review.sources.archive import open_archive
from msd_review.sources.unpack import unpack
from tests.archive_samples import BLOCK, entry, header, ordinary, packed, pax

GOOD = entry(b"capability.json", b"{}")


def refusal(*entries: bytes) -> str:
    with pytest.raises(SourceError) as raised:
        unpack(packed(*entries))
    return raised.value.message


def refused(name: str, why: str) -> str:
    return f'the entry "{name}" {why}; nothing was unpacked'


PLAIN_PATH = "is not a plain relative path"
BAD_NAME = "holds a character that is not allowed in a name"


@pytest.mark.parametrize(
    ("name", "shown", "why"),
    [
        (b"../evil", "../evil", PLAIN_PATH),
        (b"a/../../evil", "a/../../evil", PLAIN_PATH),
        (b"a/..", "a/..", PLAIN_PATH),
        (b"/etc/passwd", "/etc/passwd", PLAIN_PATH),
        (b"//etc/passwd", "//etc/passwd", PLAIN_PATH),
        (b"a//b", "a//b", PLAIN_PATH),
        (b"a/./b", "a/./b", PLAIN_PATH),
        (b"..\\evil", r"..\\evil", BAD_NAME),
        (b"C:/evil", "C:/evil", BAD_NAME),
        (b"a\nb", r"a\u{a}b", BAD_NAME),
        (b"a\x1b[2J", r"a\u{1b}[2J", BAD_NAME),
        (b"trailing.", "trailing.", BAD_NAME),
        (b"trailing ", "trailing ", BAD_NAME),
        (b"\xff", r"\\xff", "is not UTF-8"),
        (b"con", "con", "bears a name that Windows reserves"),
        (b"a/NUL.txt", "a/NUL.txt", "bears a name that Windows reserves"),
        (b".git/config", ".git/config", "would be git's own folder"),
        (b"a/.GIT/config", "a/.GIT/config", "would be git's own folder"),
    ],
)
def test_attack_a_name_that_leads_out_or_means_something_else(name: bytes, shown: str, why: str) -> None:
    assert refusal(GOOD, entry(name, b"x")) == refused(shown, why)


@pytest.mark.parametrize("name", [b"../evil/", b"/etc/", b"a/../../b/"])
def test_attack_a_folder_that_leads_out(name: bytes) -> None:
    assert PLAIN_PATH in refusal(GOOD, entry(name, kind=b"5"))


def test_attack_a_long_name_that_leads_out() -> None:
    assert PLAIN_PATH in refusal(entry(b"L", b"../evil\0", kind=b"L"), entry(b"fine", b"x"))
    assert PLAIN_PATH in refusal(pax({b"path": b"../evil"}), entry(b"fine", b"x"))
    prefixed = bytearray(header(b"evil", 0))
    prefixed[345:347] = b".."
    prefixed[148:156] = b" " * 8
    prefixed[148:156] = b"%06o\0 " % sum(prefixed)
    assert PLAIN_PATH in refusal(bytes(prefixed))


@pytest.mark.parametrize(
    ("kind", "what"),
    [
        (b"1", "is a hard link"),
        (b"2", "is a link"),
        (b"3", "is a device"),
        (b"4", "is a device"),
        (b"6", "is a FIFO"),
        (b"S", "is a sparse file"),
        (b"7", "is of an unknown type"),
        (b"Z", "is of an unknown type"),
    ],
)
def test_attack_a_link_a_device_or_anything_that_is_no_file(kind: bytes, what: str) -> None:
    assert refusal(GOOD, entry(b"evil", kind=kind, link=b"/etc/passwd")) == refused("evil", what)


def test_attack_a_link_and_then_a_file_through_it() -> None:
    assert refusal(entry(b"a", kind=b"2", link=b"/etc"), entry(b"a/passwd", b"x")) == refused(
        "a", "is a link"
    )


def test_attack_one_name_twice() -> None:
    assert refusal(GOOD, GOOD) == refused(
        "capability.json", "stands twice in it, or beside capability.json with no difference but case"
    )
    assert "stands twice" in refusal(GOOD, entry(b"./capability.json", b"x"))


@pytest.mark.parametrize(
    ("first", "second"),
    [(b"README", b"readme"), ("stra\u00dfe".encode(), b"STRASSE"), ("\u00e9".encode(), "e\u0301".encode())],
)
def test_attack_names_that_are_one_file_on_another_disk(first: bytes, second: bytes) -> None:
    assert "no difference but case" in refusal(GOOD, entry(first, b"1"), entry(second, b"2"))


def test_attack_folders_that_are_one_on_another_disk() -> None:
    assert "differs from Dir by case alone" in refusal(GOOD, entry(b"Dir/a", b"1"), entry(b"dir/b", b"2"))


def test_attack_a_name_that_is_a_file_and_a_folder() -> None:
    assert "is a file and a folder at once" in refusal(GOOD, entry(b"a", b"1"), entry(b"A/b", b"2"))
    assert "is a file and a folder at once" in refusal(GOOD, entry(b"a/b", b"1"), entry(b"A", b"2"))


def test_attack_a_million_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fileset, "MAX_ENTRIES", 1000)
    with pytest.raises(SourceError, match=r"^the capability holds more than 1,000 entries$"):
        unpack(packed(*(header(b"f%d" % number) for number in range(1001))))


def test_attack_a_hundred_thousand_folders_and_one() -> None:
    with pytest.raises(SourceError, match=r"^the capability holds more than 100,000 entries$"):
        unpack(gzip.compress(header(b"d/", kind=b"5") * 100_001, 1))


def test_attack_a_bomb_of_ten_gigabytes_is_stopped_at_the_bound() -> None:
    size = 10 * 1024**3
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = (
        squeeze.compress(header(b"bomb", size)) + squeeze.compress(b"\0" * 1024 * 1024 * 32) + squeeze.flush()
    )
    with pytest.raises(SourceError, match=r"^the capability is larger than 16,777,216 bytes$"):
        unpack(bomb)


def test_attack_a_bomb_behind_the_end_of_the_archive_is_never_unpacked() -> None:
    bomb = gzip.compress(GOOD + b"\0" * 2 * BLOCK + b"\0" * 1024 * 1024 * 64)
    assert set(unpack(bomb).files) == {b"capability.json"}


def test_attack_a_bomb_of_extended_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_UNPACKED", 100_000)
    many = pax({b"comment": b"x" * 1000}, b"g") * 200
    with pytest.raises(SourceError, match=r"^the archive unpacks to more than 100,000 bytes$"):
        unpack(packed(many, GOOD))
    assert refusal(header(b"h", 70_000, b"x"), GOOD) == (
        "the archive holds an extended header of more than 65,536 bytes"
    )


def test_attack_a_gzip_that_never_gets_anywhere() -> None:
    with pytest.raises(SourceError, match="it ends too early"):
        unpack(packed(GOOD)[:-20])


@pytest.mark.parametrize(
    "field", [b"\x80" + b"\xff" * 11, b"-0000000001\0", b"99999999999\0", b"", b"0x10\0", b"\xff" * 12]
)
def test_attack_a_size_that_is_negative_or_in_no_known_form(field: bytes) -> None:
    bad = header(b"evil", size_field=field.ljust(12, b"\0"))
    assert refusal(GOOD, bad) == "the archive is damaged: a number in an entry's header cannot be read"


@pytest.mark.parametrize(
    "records", [{b"size": b"1"}, {b"GNU.sparse.major": b"1"}, {b"GNU.sparse.name": b"x"}]
)
def test_attack_a_size_hidden_in_an_extended_header(records: dict[bytes, bytes]) -> None:
    assert refusal(pax(records), entry(b"a", b"x")) == (
        "the archive holds an entry whose size stands in an extended header"
    )


def test_attack_a_path_for_every_entry_or_two_for_one() -> None:
    assert refusal(pax({b"path": b"x"}, b"g"), GOOD) == "the archive gives every entry the same path"
    assert (
        refusal(entry(b"L", b"a\0", b"L"), pax({b"path": b"b"}), GOOD)
        == "the archive gives one entry two paths"
    )


def test_attack_a_header_that_does_not_add_up() -> None:
    bad = bytearray(header(b"evil"))
    bad[0] ^= 1
    assert refusal(GOOD, bytes(bad)) == "the archive is damaged: an entry's header does not add up"


def test_attack_an_archive_other_than_the_one_expected_is_not_unpacked() -> None:
    wanted = "sha512-" + "A" * 86 + "=="
    with pytest.raises(SourceError) as raised:
        open_archive(b"no archive at all", expected=(wanted,))
    assert raised.value.message.startswith(
        f"the archive is not the one that was expected: wanted {wanted}, got sha512-"
    )
    assert raised.value.message.endswith("; nothing was unpacked")


def test_attack_a_path_deeper_or_longer_than_any_disk_takes() -> None:
    assert "is too long or too deep" in refusal(pax({b"path": b"a/" * 40 + b"b"}), GOOD)
    assert "is too long or too deep" in refusal(pax({b"path": b"a" * 2000}), GOOD)


def test_the_bound_on_bytes_holds_while_unpacking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fileset, "MAX_BYTES", 10)
    assert refusal(GOOD, entry(b"a", b"x" * 9)) == "the capability is larger than 10 bytes"


def test_what_tar_and_npm_and_forges_make_is_read(tmp_path: Path) -> None:
    files = {"capability.json": b"{}", "skills/a.md": b"text", "long/" + "n" * 120: b"y"}
    expected = {name.encode(): content for name, content in files.items()}
    assert unpack(ordinary(files)).files == expected
    assert unpack(ordinary(files, top="package/")).files == expected
    assert unpack(ordinary(files, top="./")).files == expected
    forge = packed(
        pax({b"comment": b"0" * 40}, b"g"),
        entry(b"acme-1/", kind=b"5"),
        entry(b"acme-1/capability.json", b"{}"),
    )
    assert unpack(forge).files == {b"capability.json": b"{}"}


def test_several_gzip_members_are_one_archive() -> None:
    raw = GOOD + b"\0" * 2 * BLOCK
    assert set(unpack(gzip.compress(raw[:700]) + gzip.compress(raw[700:])).files) == {b"capability.json"}
