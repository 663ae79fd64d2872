"""Throw-away copies of real trees: whole, apart from the original, and gone afterwards, whatever was done in them."""

import errno
import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from msd_review.registry import first_party
from msd_review.run.removal import remove_tree
from msd_review.run.workspace import (
    Copy,
    CopyFailed,
    Limits,
    make_copy,
    map_back,
    remove_copy,
    throw_away_copy,
)
from tests.git_samples import commit, git, make_repository

FILES = {"src/app.py": b"print(1)\n", "README.md": b"# It\n", ".gitignore": b"ignored/\n.planning/\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "project", dict(FILES))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "state" / "copies" / "acme" / "project"
    yield folder
    assert remove_tree(folder)


def copied(root: Path, place: Path, **options: Any) -> Copy:
    made = make_copy(root, place, **options)
    assert isinstance(made, Copy), made
    return made


def names(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if not path.is_dir() and ".git" not in path.relative_to(folder).parts
    }


def test_a_copy_holds_the_tree_as_it_is(root: Path, place: Path) -> None:
    (root / "src/app.py").write_text("print(2)\n")
    (root / "new.py").write_text("new\n")
    (root / "README.md").unlink()
    (root / "ignored").mkdir()
    (root / "ignored/big.bin").write_text("x")
    (root / ".planning/phases").mkdir(parents=True)
    (root / ".planning/phases/PLAN.md").write_text("plan\n")
    made = copied(root, place)
    assert names(place) == {"src/app.py", "new.py", ".gitignore", ".planning/phases/PLAN.md"}
    assert (place / "src/app.py").read_text() == "print(2)\n"
    assert (made.method, made.files, made.bytes) == ("git", 4, 9 + 4 + 20 + 5)
    assert made.duration_ms >= 0


def test_a_copy_is_a_repository_of_its_own_with_the_same_history(root: Path, place: Path) -> None:
    head = commit(root, {"src/app.py": b"print(3)\n"})
    git(root, "branch", "other", "HEAD~1")
    git(root, "tag", "v1")
    (root / "src/app.py").write_text("print(4)\n")
    (root / "staged.py").write_text("s\n")
    git(root, "add", "staged.py")
    copied(root, place)
    assert git(place, "rev-parse", "HEAD") == head
    assert git(place, "rev-parse", "--abbrev-ref", "HEAD") == "main"
    assert git(place, "rev-parse", "other") == git(root, "rev-parse", "other")
    assert git(place, "rev-parse", "v1") == head
    assert git(place, "status", "--porcelain") == "M src/app.py\nA  staged.py"
    assert git(place, "log", "--format=%s") == git(root, "log", "--format=%s")
    assert not (place / ".git").is_file()


def test_what_is_done_in_a_copy_does_not_reach_the_original(root: Path, place: Path) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    copied(root, place)
    (place / "src/app.py").write_text("changed")
    git(place, "commit", "-q", "-am", "mine")
    git(place, "branch", "-f", "other")
    git(place, "config", "core.pager", "evil")
    (place / ".git/hooks").mkdir(exist_ok=True)
    (place / ".git/hooks/post-commit").write_text("#!/bin/sh\n")
    git(place, "gc", "-q", "--prune=now")
    after = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert after == before


def test_no_file_of_a_copy_is_a_hard_link(root: Path, place: Path) -> None:
    copied(root, place)
    for name in names(place):
        assert (place / name).stat().st_ino != (root / name).stat().st_ino
        assert (place / name).stat().st_nlink == 1


def test_hooks_filters_and_remotes_stay_behind(root: Path, place: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (root / ".git/hooks").mkdir(exist_ok=True)
    for name in ("post-checkout", "post-index-change", "pre-commit", "reference-transaction"):
        hook = root / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\necho {name} >> {ran}\n")
        hook.chmod(0o755)
    git(root, "config", "filter.evil.smudge", f"sh -c 'echo smudge >> {ran}; cat'")
    git(root, "config", "filter.evil.clean", f"sh -c 'echo clean >> {ran}; cat'")
    git(root, "config", "core.fsmonitor", f"sh -c 'echo fsmonitor >> {ran}'")
    git(root, "remote", "add", "origin", "https://user:password@example.invalid/x.git")
    (root / ".gitattributes").write_text("* filter=evil\n")
    ran.unlink(missing_ok=True)
    copied(root, place)
    assert not ran.exists()
    config = (place / ".git/config").read_text()
    assert "evil" not in config
    assert "password" not in config
    assert "hooksPath = /dev/null" in config


def test_agent_configuration_and_environments_are_left_out(root: Path, place: Path) -> None:
    for name in (
        ".acme/settings.json",
        "AGENTS.md",
        "sub/CLAUDE.md",
        ".env",
        "deep/.env.local",
        ".mcp.json",
        "ok.md",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    git(root, "add", "--all")
    git(root, "commit", "-q", "-m", "agents")
    copied(root, place, agent_config=[".acme"])
    assert names(place) == {"src/app.py", "README.md", ".gitignore", "ok.md"}
    assert git(place, "status", "--porcelain") == ""


def test_what_configures_any_shipped_reviewer_is_left_out(root: Path, place: Path) -> None:
    known = [
        ".claude/settings.json", ".mcp.json", ".opencode/plugin.js", "opencode.json", ".qwen/settings.json", ".gemini/.env",
        ".gemini/settings.json", ".codex/config.toml", ".cursor/mcp.json", ".kimi/x", ".kimi-code/x", "AGENTS.md", "CLAUDE.md",
        "GEMINI.md", "QWEN.md", "packages/a/AGENTS.md", "packages/a/.claude/hooks.json", "agents.md",
    ]  # fmt: skip
    for name in known:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    declared = [one for c in first_party() if c.manifest.reviewer for one in c.manifest.reviewer.agent_config]
    copied(root, place, agent_config=declared)
    assert names(place) == {"src/app.py", "README.md", ".gitignore"}


def test_agent_configuration_is_kept_when_asked_for_and_environments_never_are(
    root: Path, place: Path
) -> None:
    (root / "AGENTS.md").write_text("x")
    (root / ".env").write_text("KEY=1")
    copied(root, place, keep_agent_config=True)
    assert names(place) == {"src/app.py", "README.md", ".gitignore", "AGENTS.md"}


def test_a_link_that_leads_out_of_the_tree_is_not_copied(root: Path, place: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("s")
    (root / "out").symlink_to(secret)
    (root / "up").symlink_to("../secret")
    (root / "round").symlink_to("../project/src/app.py")
    (root / "in").symlink_to("src/app.py")
    (root / "absolute").symlink_to(root / "README.md")
    (root / "loop").symlink_to("loop")
    made = copied(root, place)
    assert set(made.skipped) == {"out", "up"}
    assert not {"out", "up"} & names(place)
    assert str((place / "in").readlink()) == "src/app.py"
    assert (place / "absolute").resolve() == place / "README.md"
    assert (place / "round").resolve() == place / "src/app.py"


def test_a_tracked_folder_that_became_a_link_is_not_followed(root: Path, place: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "app.py").write_text("secret")
    (root / "src/app.py").unlink()
    (root / "src").rmdir()
    (root / "src").symlink_to(elsewhere)
    (root / ".planning").symlink_to(elsewhere)
    copied(root, place)
    assert names(place) == {"README.md", ".gitignore"}


def test_pipes_and_unreadable_things_are_skipped(root: Path, place: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / ".planning").mkdir()
    os.mkfifo(root / ".planning" / "pipe")
    made = copied(root, place)
    assert made.skipped == (".planning/pipe",)
    assert "pipe" not in names(place)


def test_submodules_and_repositories_inside_bring_their_files(
    root: Path, place: Path, tmp_path: Path
) -> None:
    library = make_repository(tmp_path / "library", {"lib.py": b"lib\n"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor/lib")
    git(root, "commit", "-q", "-m", "module")
    make_repository(root / "inner", {"inner.py": b"i\n"})
    copied(root, place)
    assert {"vendor/lib/lib.py", "inner/inner.py", ".gitmodules"} <= names(place)


def test_a_part_of_a_repository_becomes_a_repository_of_that_part(root: Path, place: Path) -> None:
    commit(root, {"part/a.py": b"a\n", "part/b/c.py": b"c\n"})
    (root / "part/a.py").write_text("changed\n")
    copied(root / "part", place)
    assert names(place) == {"a.py", "b/c.py"}
    assert git(place, "status", "--porcelain") == "M a.py"
    assert git(place, "show", "HEAD:a.py") == "a"


def test_a_linked_work_tree_and_a_detached_head_can_be_copied(
    root: Path, place: Path, tmp_path: Path
) -> None:
    head = commit(root, {"more.py": b"m\n"})
    git(root, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"), head)
    copied(tmp_path / "linked", place)
    assert git(place, "rev-parse", "HEAD") == head
    assert git(place, "status", "--porcelain") == ""
    assert (place / ".git").is_dir()


def test_a_repository_without_a_commit_can_be_copied(tmp_path: Path, place: Path) -> None:
    root = tmp_path / "fresh"
    root.mkdir()
    git(root, "init", "-q", "--initial-branch=trunk")
    (root / "a.txt").write_text("a")
    assert copied(root, place).method == "git"
    assert names(place) == {"a.txt"}


def test_a_tree_without_git_is_copied_plainly(tmp_path: Path, place: Path) -> None:
    root = tmp_path / "plain"
    (root / "src").mkdir(parents=True)
    (root / "src/run.sh").write_text("#!/bin/sh\n")
    (root / "src/run.sh").chmod(0o755)
    (root / "node_modules/x").mkdir(parents=True)
    (root / "node_modules/x/i.js").write_text("x")
    (root / ".env").write_text("KEY=1")
    made = copied(root, place)
    assert (made.method, made.files) == ("plain", 1)
    assert stat.S_IMODE((place / "src/run.sh").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (Limits(2, 10**9), "the tree cannot be copied: it has more than 2 files"),
        (Limits(100, 5), "the tree cannot be copied: it has more than 0 GiB"),
    ],
)
def test_a_tree_beyond_the_bounds_is_not_copied_and_nothing_is_left(
    tmp_path: Path, place: Path, limits: Limits, why: str
) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    for number in range(3):
        (root / f"{number}.txt").write_text("four")
    assert make_copy(root, place, limits=limits) == CopyFailed(detail=why)
    assert not place.exists()


def test_a_full_disk_is_said_and_nothing_is_left(
    root: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, content: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    made = make_copy(root, place)
    assert made == CopyFailed(
        detail="the tree cannot be copied: there is no room for it: No space left on device"
    )
    assert not place.exists()


@pytest.mark.needs_root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_is_really_full_is_said_and_nothing_is_left(root: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("this machine lets nobody mount a small disk")
    try:
        (root / "large.bin").write_bytes(os.urandom(600_000))
        assert make_copy(root, small / "copy") == CopyFailed(
            detail="the tree cannot be copied: there is no room for it: No space left on device"
        )
        assert list(small.iterdir()) == []
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_place_that_is_taken_is_refused(root: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    made = make_copy(root, taken)
    assert made == CopyFailed(detail="the tree cannot be copied: File exists")


def test_copies_that_lie_in_the_tree_hold_no_copies(root: Path) -> None:
    first = root / "state/copies/a/project"
    second = root / "state/copies/b/project"
    copied(root, first)
    copied(root, second)
    assert names(second) == {"src/app.py", "README.md", ".gitignore"}


def test_names_of_any_bytes_are_copied(root: Path, place: Path) -> None:
    odd = [b"new\nline.txt", b"caf\xe9.txt", b"-n", "\u202eevil.txt".encode(), b"a b\t'\".txt"]
    for name in odd:
        (root / os.fsdecode(name)).write_text("x")
    copied(root, place)
    assert {os.fsencode(name) for name in names(place)} >= set(odd)


def test_a_copy_is_removed_whatever_was_done_in_it(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    with throw_away_copy(root, tmp_path / "c") as made:
        assert isinstance(made, Copy)
        locked = made.folder / "locked/inner"
        locked.mkdir(parents=True)
        (locked / "file").write_text("x")
        (made.folder / "link").symlink_to(outside)
        (made.folder / "dangling").symlink_to("nowhere")
        os.mkfifo(made.folder / "pipe")
        locked.chmod(0o000)
        locked.parent.chmod(0o500)
    assert not (tmp_path / "c").exists()
    assert (outside / "kept.txt").read_text() == "kept"


def test_a_copy_is_removed_when_the_work_in_it_fails(root: Path, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), throw_away_copy(root, tmp_path / "c"):
        raise KeyboardInterrupt
    assert not (tmp_path / "c").exists()


def test_folders_deeper_than_any_path_may_be_are_removed(tmp_path: Path) -> None:
    top = tmp_path / "deep"
    top.mkdir()
    at = os.open(top, os.O_RDONLY)
    for _ in range(400):
        os.mkdir("n" * 40, dir_fd=at)
        below = os.open("n" * 40, os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    assert remove_tree(top)
    assert not top.exists()


def test_removing_what_is_gone_already_is_no_trouble(root: Path, tmp_path: Path) -> None:
    made = copied(root, tmp_path / "c")
    assert remove_copy(made)
    assert remove_copy(made)


def test_paths_of_the_copy_are_told_as_paths_of_the_tree(tmp_path: Path) -> None:
    copy, root = tmp_path / "st ate/copies/x/project", tmp_path / "project"
    text = (
        f"See {copy}/src/app.py:12 and [it](file://{str(copy).replace(' ', '%20')}/README.md), in `{copy}`."
        f" Not {copy}-other/x, nor {copy}2."
    )
    assert map_back(text, copy=copy, root=root) == (
        f"See {root}/src/app.py:12 and [it](file://{root}/README.md), in `{root}`."
        f" Not {copy}-other/x, nor {copy}2."
    )
