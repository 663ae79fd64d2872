"""Whatever bytes a batch holds, it is read or refused, and nothing unsafe comes out of it."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from msd_review.errors import InputError
from msd_review.fleet.batch import read_batch
from msd_review.fleet.batch_fields import NAMES
from msd_review.fleet.batch_line import Origin, decode_item
from msd_review.fleet.batch_repository import is_address
from msd_review.fleet.model import ITEM_ID, FleetItem, item_from_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
REPOSITORIES = st.text(max_size=30) | st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["https://", "ssh://", "git@", "git+", "ext::", "file://", "-", "", "/", "../"]),
    st.sampled_from(["u:p@", "git@", "h.test", "h:a", "a"]),
    st.sampled_from(["/", ":", "?", "#", "\\", "@", ""]),
    st.text(max_size=10),
)
PATHS = st.lists(st.text("ab./\\:-~\x00\u202e ", max_size=8) | JSON, max_size=3)
LINES = st.fixed_dictionaries(
    {"repository": REPOSITORIES},
    optional={
        "id": st.text("aB1._-/\\\n\u202e", max_size=6) | JSON,
        "revision": st.text("ab1~^:-./@{} \n", max_size=8) | JSON,
        "phase": st.integers() | st.text(max_size=8) | JSON,
        "plans": PATHS,
        "change": st.fixed_dictionaries({}, optional={"base": st.text(max_size=5), "paths": PATHS}) | JSON,
        "lanes": st.lists(st.text(max_size=6) | JSON, max_size=3),
        "models": st.dictionaries(st.text(max_size=4), st.text(max_size=4) | JSON, max_size=3),
        "timeout": st.floats() | st.integers() | JSON,
        "repositry": JSON,
    },
)
ORIGIN = Origin(folder=Path("/base"))


def inside(path: str) -> bool:
    return not Path(path).is_absolute() and not os.path.normpath(path).startswith("..")


def check(item: FleetItem) -> None:
    assert ITEM_ID.fullmatch(item.id) and not item.id.endswith(".")
    assert is_address(item.repository) or Path(item.repository).is_absolute()
    assert not item.repository.startswith("-") and "::" not in item.repository.partition("/")[0]
    assert all(inside(path) and not path.startswith(("-", ":")) for path in (*item.plans, *item.paths))
    for name in (item.revision, item.base, item.phase, *item.lanes, *(model for _, model in item.models)):
        assert name is None or (name and name[0] != "-" and name.isprintable())
    assert item.timeout_seconds is None or 0 < item.timeout_seconds < 10_000_000
    assert item_from_json(json.loads(json.dumps(item.to_json()))) == item


@given(LINES)
def test_a_line_becomes_a_safe_item_or_sentences(line: dict[str, Any]) -> None:
    item = decode_item(line, line=1, origin=ORIGIN)
    if isinstance(item, FleetItem):
        check(item)
    else:
        assert item
        assert all(sentence.isprintable() for sentence in item)


@given(JSON)
def test_whatever_json_a_line_holds_it_is_judged(value: Any) -> None:
    assert isinstance(decode_item(value, line=1, origin=ORIGIN), FleetItem | tuple)


@given(st.dictionaries(st.sampled_from(NAMES), JSON))
def test_whatever_the_fields_hold_they_are_judged(value: Any) -> None:
    assert isinstance(decode_item(value, line=1, origin=ORIGIN), FleetItem | tuple)


@given(LINES.filter(lambda line: line.get("id") is None), st.integers(1, 9))
def test_a_made_id_depends_on_the_content_alone(line: dict[str, Any], number: int) -> None:
    one = decode_item(line, line=1, origin=ORIGIN)
    other = decode_item(dict(reversed(line.items())), line=number, origin=Origin(folder=Path("/elsewhere")))
    if isinstance(one, FleetItem):
        assert isinstance(other, FleetItem)
        assert one.id == other.id


@given(st.lists(st.binary(max_size=60) | LINES.map(lambda line: json.dumps(line).encode()), max_size=6))
def test_whatever_bytes_a_file_holds_it_is_read_whole_or_refused(lines: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "batch.jsonl"
        path.write_bytes(b"\n".join(lines))
        try:
            items = list(read_batch(path))
        except InputError as problem:
            assert problem.message.replace(str(path), "").isprintable()
        else:
            assert len({item.id.lower() for item in items}) == len(items) > 0
