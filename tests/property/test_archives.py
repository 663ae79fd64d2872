"""Whatever an archive holds: files of a capability, or one named refusal, within the bounds."""

import gzip

from hypothesis import given
from hypothesis import strategies as st

from msd_review.errors import SourceError
from msd_review.sources.fileset import checked_parts
from msd_review.sources.unpack import unpack
from msd_review.trust.bundle import MAX_BYTES
from tests.archive_samples import entry, ordinary, packed, pax

NAMES = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=12)
PATHS = st.lists(
    st.sampled_from(["a", "b", "A", "..", ".", "", "con", "c d", "é", "\\"]), min_size=1, max_size=5
)
KINDS = st.sampled_from([b"0", b"\0", b"1", b"2", b"5", b"x", b"g", b"L", b"K", b"S", b"9"])


def _holds_only_safe_names(archive: bytes) -> None:
    try:
        bundle = unpack(archive)
    except SourceError:
        return
    assert sum(map(len, bundle.files.values())) <= MAX_BYTES
    for path in bundle.files:
        assert ".." not in checked_parts(path)
    folded = [path.decode().casefold() for path in bundle.files]
    assert len(set(folded)) == len(folded)


@given(st.binary(max_size=4096))
def test_bytes_that_are_no_archive_are_refused(content: bytes) -> None:
    _holds_only_safe_names(content)


@given(st.binary(max_size=4096))
def test_bytes_that_are_no_tar_are_refused(content: bytes) -> None:
    _holds_only_safe_names(gzip.compress(content))


@given(st.lists(st.tuples(PATHS, KINDS, st.binary(max_size=600)), max_size=6))
def test_entries_of_every_kind_and_name_give_safe_names_or_nothing(
    entries: list[tuple[list[str], bytes, bytes]],
) -> None:
    _holds_only_safe_names(
        packed(*(entry("/".join(path).encode(), body, kind) for path, kind, body in entries))
    )


@given(st.dictionaries(NAMES.map(str.encode), NAMES.map(str.encode), max_size=4))
def test_extended_headers_of_every_kind_give_safe_names_or_nothing(records: dict[bytes, bytes]) -> None:
    _holds_only_safe_names(packed(pax(records), entry(b"a", b"x")))


@given(st.data())
def test_an_archive_with_a_damaged_byte_never_gives_more_than_it_held(data: st.DataObject) -> None:
    archive = bytearray(ordinary({"capability.json": b"{}", "a/b": b"text"}))
    at = data.draw(st.integers(0, len(archive) - 1))
    archive[at] = data.draw(st.integers(0, 255))
    _holds_only_safe_names(bytes(archive))


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8}){0,3}", fullmatch=True), st.binary(max_size=700), max_size=8
    )
)
def test_what_was_packed_comes_out_again(files: dict[str, bytes]) -> None:
    folders = {"/".join(name.split("/")[:depth]) for name in files for depth in range(1, name.count("/") + 1)}
    files = {
        "capability.json": b"{}",
        **{name: content for name, content in files.items() if name not in folders},
    }
    assert unpack(ordinary(files)).files == {name.encode(): content for name, content in files.items()}
