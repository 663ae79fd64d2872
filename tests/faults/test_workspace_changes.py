"""What a reviewer changes in the real tree is found, whatever it is, and how to undo it is said."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from msd_review.run.tree_state import changes_between, tree_key, tree_state
from tests.git_samples import commit, git, make_repository

FILES = {"src/app.py": b"print(1)\n", "README.md": b"# It\n", ".gitignore": b".env\n.planning/\nbuild/\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "project", dict(FILES))


def changed(root: Path, act: Callable[[Path], object], keep: Path | None = None) -> tuple[str, ...]:
    before = tree_state(root, keep=keep)
    act(root)
    return changes_between(before, tree_state(root))


def test_a_tree_that_nobody_touched_has_no_changes(root: Path) -> None:
    def look(root: Path) -> None:
        os.utime(root / "README.md")
        git(root, "status")
        git(root, "log")
        git(root, "diff")

    assert changed(root, look) == ()


def test_an_edit_of_a_clean_file_is_undone_by_git(root: Path) -> None:
    found = changed(root, lambda root: (root / "src/app.py").write_text("evil"))
    assert found == ("src/app.py changed (git restore -- src/app.py)",)


def test_a_removed_file_is_found(root: Path) -> None:
    found = changed(root, lambda root: (root / "README.md").unlink())
    assert found == ("README.md removed (git restore -- README.md)",)


def test_an_edit_that_keeps_size_and_time_is_found(root: Path) -> None:
    def edit(root: Path) -> None:
        path = root / "src/app.py"
        times = path.stat()
        path.write_bytes(b"print(2)\n")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    assert changed(root, edit) == ("src/app.py changed (git restore -- src/app.py)",)


def test_a_new_file_is_found(root: Path) -> None:
    found = changed(root, lambda root: (root / "a b.txt").write_text("x"))
    assert found == ("a b.txt added (rm -- 'a b.txt')",)


def test_work_that_git_does_not_have_is_put_aside_and_can_be_brought_back(root: Path, tmp_path: Path) -> None:
    (root / "src/app.py").write_text("my work\n")
    (root / "notes.txt").write_text("mine\n")
    kept = tmp_path / "kept"

    def destroy(root: Path) -> None:
        git(root, "checkout", "--", "src/app.py")
        (root / "notes.txt").unlink()

    found = changed(root, destroy, keep=kept)
    assert found == (
        f"notes.txt removed (cp -- {kept}/notes.txt notes.txt)",
        f"src/app.py changed (cp -- {kept}/src/app.py src/app.py)",
    )
    for line in found:
        subprocess.run(["sh", "-c", line.split("(")[1].rstrip(")")], cwd=root, check=True)
    assert (root / "src/app.py").read_text() == "my work\n"
    assert (root / "notes.txt").read_text() == "mine\n"


def test_work_that_nobody_kept_is_said_to_be_lost(root: Path) -> None:
    (root / "notes.txt").write_text("mine\n")
    found = changed(root, lambda root: (root / "notes.txt").write_text("theirs\n"))
    assert found == ("notes.txt changed (its content before is not in git: restore it from a backup)",)


@pytest.mark.parametrize("name", [".planning/PLAN.md", ".env", ".mcp.json", "AGENTS.md", ".msd/ledger.json"])
def test_what_git_ignores_and_matters_is_watched_too(root: Path, name: str) -> None:
    with (root / ".gitignore").open("a") as ignored:
        ignored.write(f"{name}\n")

    def plant(root: Path) -> None:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x")

    assert changed(root, plant) == (f"{name} added (rm -- {name})",)


def test_what_is_built_and_ignored_is_no_change(root: Path) -> None:
    def build(root: Path) -> None:
        (root / "build").mkdir()
        (root / "build/out").write_text("x")

    assert changed(root, build) == ()


def test_changes_of_index_refs_hooks_and_configuration_are_found(root: Path) -> None:
    head = git(root, "rev-parse", "HEAD")

    def meddle(root: Path) -> None:
        (root / "src/app.py").write_text("x")
        git(root, "add", "src/app.py")
        git(root, "branch", "planted")
        git(root, "config", "core.pager", "evil")
        (root / ".git/hooks").mkdir(exist_ok=True)
        (root / ".git/hooks/pre-commit").write_text("#!/bin/sh\n")
        (root / ".git/info").mkdir(exist_ok=True)
        (root / ".git/info/attributes").write_text("* filter=evil\n")

    assert changed(root, meddle) == (
        "src/app.py changed (git restore -- src/app.py)",
        "index src/app.py changed (git restore --staged -- src/app.py)",
        "ref refs/heads/planted added (git update-ref -d refs/heads/planted)",
        "hook .git/hooks/pre-commit added (look at .git/hooks/pre-commit before you run git again)",
        "configuration .git/config changed (look at .git/config before you run git again)",
        "configuration .git/info/attributes added (look at .git/info/attributes before you run git again)",
    )
    assert git(root, "rev-parse", "HEAD") == head


def test_a_moved_branch_and_a_switched_head_are_found(root: Path) -> None:
    head = git(root, "rev-parse", "HEAD")
    git(root, "branch", "other")

    def move(root: Path) -> None:
        git(root, "checkout", "-q", "other")
        git(root, "commit", "-q", "--allow-empty", "-m", "x")

    assert changed(root, move) == (
        "ref HEAD changed (was refs/heads/main: git checkout main)",
        f"ref refs/heads/other changed (git update-ref refs/heads/other {head})",
    )


def test_files_of_ours_are_no_change(root: Path) -> None:
    before = tree_state(root)
    (root / ".msd/tmp/R1").mkdir(parents=True)
    (root / ".msd/tmp/R1/prompt.md").write_text("x")
    (root / "report.html").write_text("x")
    assert changes_between(before, tree_state(root), ours=["report.html"]) == ()


def test_a_file_that_became_a_link_is_a_change(root: Path, tmp_path: Path) -> None:
    def swap(root: Path) -> None:
        (root / "README.md").unlink()
        (root / "README.md").symlink_to(tmp_path)

    assert changed(root, swap) == ("README.md changed (git restore -- README.md)",)


def test_a_tree_without_git_is_compared_by_its_files(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    (root / "a.txt").write_text("a")
    found = changed(root, lambda root: (root / "a.txt").write_text("b"), keep=tmp_path / "kept")
    assert found == (f"a.txt changed (cp -- {tmp_path}/kept/a.txt a.txt)",)


def test_equal_trees_have_equal_keys_wherever_they_lie(tmp_path: Path) -> None:
    first = make_repository(tmp_path / "one", dict(FILES))
    second = make_repository(tmp_path / "two", dict(FILES))
    (second / "README.md").touch()
    assert tree_key(first) == tree_key(second)
    commit(second, {"src/app.py": b"print(9)\n"})
    assert tree_key(first) != tree_key(second)


def test_a_report_of_ours_does_not_change_the_key(root: Path) -> None:
    before = tree_key(root)
    (root / ".planning").mkdir()
    for name in ("03-REVIEWS.md", "PLAN.REVIEWS.json", "REVIEWS.html"):
        (root / ".planning" / name).write_text("x")
    assert tree_key(root) == before
    (root / ".planning/03-01-PLAN.md").write_text("x")
    assert tree_key(root) != before
