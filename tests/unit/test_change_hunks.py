"""Which lines a change touched, and where a place stands to them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_review.change.hunks import by_name, parse_patch, placement, read_hunks
from msd_review.change.model import Hunk
from msd_review.change.repository import open_checkout
from tests.change_samples import change_of, project
from tests.git_samples import commit, git

LINES = b"".join(b"line %d\n" % number for number in range(1, 101))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = project(tmp_path / "r", {"a b.py": LINES, "old.py": LINES, "gone.py": b"x\n", "far.py": LINES})
    git(folder, "switch", "--quiet", "--create", "f")
    git(folder, "mv", "old.py", "new.py")
    git(folder, "rm", "--quiet", "gone.py")
    changed = LINES.replace(b"line 50\n", b"+++ b/far.py\n@@ -1,9 +1,9 @@\n").replace(b"line 80\n", b"")
    commit(folder, {"a b.py": changed, "new.py": LINES.replace(b"line 10\n", b"ten\n"), "made.py": b"1\n2\n"})
    return folder


def test_places_are_in_changed_lines_near_them_or_elsewhere(root: Path) -> None:
    change = change_of(root)
    hunks = read_hunks(open_checkout(root), change, {file.path for file in change.files})

    def at(path: str, first: int | None, last: int | None = None) -> str:
        return placement(path, first, last, files=by_name(change), hunks=hunks)

    assert hunks.by_path == {"a b.py": (Hunk(50, 51), Hunk(80, 81)), "new.py": (Hunk(10, 10),)}
    assert [at("a b.py", 50), at("a b.py", 40), at("a b.py", 39), at("a b.py", 20, 50)] == [
        "changed", "near", "elsewhere", "changed",
    ]  # fmt: skip
    assert [at("made.py", 2), at("gone.py", 1), at("far.py", 50), at("a b.py", None), at("old.py", 10)] == [
        "changed", "changed", "elsewhere", "near", "changed",
    ]  # fmt: skip


@given(st.binary(max_size=400))
@settings(max_examples=100)
def test_no_patch_is_too_odd_to_be_read(patch: bytes) -> None:
    for path, hunks in parse_patch(patch):
        assert isinstance(path, str)
        assert all(hunk.first <= hunk.last + 1 for hunk in hunks)
