"""What changed, told from real repositories."""

import os
import time
from pathlib import Path

import pytest

from msd_review.change.hunks import read_hunks
from msd_review.change.model import ChangedFile, Hunk
from msd_review.change.repository import open_checkout
from msd_review.errors import InputError, UsageError
from tests.change_samples import change_of, feature, project
from tests.git_samples import commit, git


def by_path(root: Path, **asked: object) -> dict[str, ChangedFile]:
    return {file.path: file for file in change_of(root, **asked).files}


def test_a_branch_is_compared_with_where_it_left_the_default_branch(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    git(root, "switch", "--quiet", "main")
    commit(root, {"lib.py": b"X = 2\n"}, "meanwhile")
    git(root, "switch", "--quiet", "feature")
    change = change_of(root)
    assert [(file.path, file.kind, file.added, file.removed) for file in change.files] == [
        ("app.py", "modified", 1, 1)
    ]
    assert change.base_name == "main"
    assert change.base == git(root, "merge-base", "main", "feature")
    assert change.policy_commit == git(root, "rev-parse", "main")


def test_uncommitted_and_untracked_files_belong_to_the_change_and_ignored_ones_do_not(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    (root / "lib.py").write_bytes(b"X = 3\n")
    (root / "new.py").write_bytes(b"y\n")
    (root / "junk.log").write_bytes(b"y\n")
    (root / ".git" / "info" / "exclude").write_text("*.log\n")
    kinds = {path: file.kind for path, file in by_path(root).items()}
    assert kinds == {"app.py": "modified", "lib.py": "modified", "new.py": "untracked"}


def test_what_is_staged_is_compared_with_head_and_nothing_else_is(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    (root / "lib.py").write_bytes(b"X = 3\n")
    git(root, "add", "lib.py")
    (root / "app.py").write_bytes(b"not staged\n")
    (root / "new.py").write_bytes(b"untracked\n")
    change = change_of(root, staged=True)
    assert ([file.path for file in change.files], change.base_name, change.until) == (
        ["lib.py"],
        "HEAD",
        "the index",
    )


def test_where_the_working_tree_is_not_what_is_staged_that_is_told(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    (root / "lib.py").write_bytes(b"X = 3\n")
    git(root, "add", "lib.py")
    assert change_of(root, staged=True).warnings == ()
    (root / "lib.py").write_bytes(b"X = 4\n")
    assert change_of(root, staged=True).warnings == (
        "the working tree, which reviewers read, is not what is staged: lib.py",
    )


def test_staged_files_before_the_first_commit_are_all_added(tmp_path: Path) -> None:
    root = tmp_path / "r"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / "a.py").write_bytes(b"a\n")
    git(root, "add", "a.py")
    change = change_of(root, staged=True)
    assert [(file.path, file.kind) for file in change.files] == [("a.py", "added")]
    assert (change.policy_commit, change.head) == (None, None)


def test_renames_deletions_binaries_links_and_lock_files_are_told_as_what_they_are(tmp_path: Path) -> None:
    root = project(
        tmp_path / "r",
        {
            "old.py": b"line\n" * 30,
            "gone.py": b"x\n",
            "made.gen.js": b"1\n",
            ".gitattributes": b"*.gen.js linguist-generated\n",
            "plain.txt": b"x\n",
        },
    )
    git(root, "switch", "--quiet", "--create", "f")
    git(root, "mv", "old.py", "new.py")
    git(root, "rm", "--quiet", "gone.py")
    (root / "plain.txt").unlink()
    (root / "plain.txt").symlink_to("new.py")
    commit(root, {"blob.bin": b"\0\1\2", "made.gen.js": b"2\n", "web/package-lock.json": b"{}\n"})
    files = by_path(root)
    assert (files["new.py"].kind, files["new.py"].old_path) == ("renamed", "old.py")
    assert files["gone.py"].kind == "deleted"
    assert (files["blob.bin"].is_binary, files["blob.bin"].note) == (True, "binary")
    assert (files["plain.txt"].kind, files["plain.txt"].note) == ("type changed", "symbolic link")
    assert files["made.gen.js"].note == "linguist-generated in .gitattributes"
    assert files["web/package-lock.json"].note == "lock file"


def test_a_change_cannot_declare_its_own_files_generated(tmp_path: Path) -> None:
    root = feature(
        tmp_path / "r", {"evil.py": b"import os\n", ".gitattributes": b"*.py linguist-generated\n"}
    )
    assert by_path(root)["evil.py"].note == ""


def test_a_change_cannot_declare_its_own_files_binary(tmp_path: Path) -> None:
    root = feature(tmp_path / "r", {"app.py": b"import os\n", ".gitattributes": b"*.py -diff\n*.md binary\n"})
    assert (by_path(root)["app.py"].note, by_path(root)["app.py"].is_binary) == ("", False)
    checkout = open_checkout(root)
    hunks = read_hunks(checkout, change_of(root), {"app.py"})
    assert hunks.by_path == {"app.py": (Hunk(1, 1),)}


def test_no_configuration_of_the_repository_changes_what_a_change_is(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    plain = change_of(root)
    plain_hunks = read_hunks(open_checkout(root), plain, {"app.py"})
    for setting in (
        "diff.interHunkContext=20", "diff.noprefix=true", "diff.mnemonicPrefix=true", "diff.submodule=log", "diff.context=9",
        "diff.renames=false", "color.diff=always", "core.quotePath=false", "diff.ignoreSubmodules=all", "diff.relative=false",
    ):  # fmt: skip
        git(root, "config", *setting.split("="))
    assert change_of(root) == plain
    assert read_hunks(open_checkout(root), plain, {"app.py"}) == plain_hunks


def test_a_submodule_that_moved_is_one_entry_and_its_files_are_none(tmp_path: Path) -> None:
    inner = project(tmp_path / "inner")
    root = project(tmp_path / "r")
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "vendored")
    commit(root, {}, "with a submodule")
    git(root, "switch", "--quiet", "--create", "f")
    commit(root / "vendored", {"app.py": b"changed\n"})
    commit(root, {}, "move it")
    files = by_path(root)
    assert list(files) == ["vendored"]
    assert (files["vendored"].note, files["vendored"].is_binary) == ("submodule", False)


def test_merges_count_as_what_they_brought_in_beyond_the_base(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    git(root, "switch", "--quiet", "main")
    commit(root, {"lib.py": b"X = 2\n"})
    git(root, "switch", "--quiet", "feature")
    git(root, "merge", "--quiet", "--no-edit", "main")
    assert list(by_path(root)) == ["app.py"]


@pytest.mark.parametrize(
    "name",
    [
        b"a b.py",
        b"new\nline.py",
        b"tab\t.py",
        b'quo"te.py',
        b"\xff\xfe.py",
        "ümlaut.py".encode(),
        b"-n.py",
        b":(top)x.py",
    ],
)
def test_any_name_that_git_can_hold_is_told_byte_for_byte(tmp_path: Path, name: bytes) -> None:
    root = project(tmp_path / "r")
    git(root, "switch", "--quiet", "--create", "f")
    (root / os.fsdecode(name)).write_bytes(b"one\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "odd")
    assert [os.fsencode(path) for path in by_path(root)] == [name]


def test_a_detached_head_and_a_linked_worktree_are_like_any_other_checkout(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    git(root, "worktree", "add", "--quiet", "--detach", str(tmp_path / "w"), "feature")
    change = change_of(tmp_path / "w")
    assert [file.path for file in change.files] == ["app.py"]
    assert change.head == git(root, "rev-parse", "feature")


def test_a_shallow_clone_without_the_base_says_what_to_fetch(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    git(root, "switch", "--quiet", "main")
    git(tmp_path, "clone", "--quiet", "--depth=1", "--branch=feature", f"file://{root}", "s")
    with pytest.raises(InputError) as told:
        change_of(tmp_path / "s")
    assert told.value.message == (
        "the default branch is not in this clone, which is shallow: its history was cut"
    )
    assert told.value.hint == (
        "fetch it: `git fetch --unshallow`, or let CI check out the whole history (fetch-depth: 0, GIT_DEPTH: 0)"
    )


def test_a_shallow_clone_that_lacks_the_common_history_says_so(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    git(root, "switch", "--quiet", "main")
    commit(root, {"lib.py": b"X = 2\n"})
    git(
        tmp_path,
        "clone",
        "--quiet",
        "--depth=1",
        "--no-single-branch",
        "--branch=feature",
        f"file://{root}",
        "s",
    )
    with pytest.raises(InputError) as told:
        change_of(tmp_path / "s")
    assert told.value.message == (
        "the history that this change shares with origin/main is not in this clone, which is shallow"
    )


def test_the_base_of_a_pull_request_is_what_ci_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = feature(tmp_path / "r")
    git(root, "branch", "release", "main")
    monkeypatch.setenv("GITHUB_BASE_REF", "release")
    assert change_of(root).base_name == "release"
    monkeypatch.setenv("GITHUB_BASE_REF", "nowhere")
    with pytest.raises(InputError) as told:
        change_of(root)
    assert told.value.message == "the branch that this change goes into, nowhere, is not in this clone"


def test_a_folder_without_git_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError) as told:
        change_of(tmp_path)
    assert told.value.message == f"{tmp_path} is not in a git repository, so there is no change to review"


def test_a_machine_without_git_is_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError) as told:
        change_of(tmp_path)
    assert told.value.message == "git was not found"


@pytest.mark.parametrize("revision", ["nowhere", "--output=x", "a\nb", "", "HEAD:app.py"])
def test_a_base_that_is_no_commit_is_a_usage_error(tmp_path: Path, revision: str) -> None:
    root = feature(tmp_path / "r")
    with pytest.raises(UsageError) as told:
        change_of(root, base=revision)
    assert told.value.message == f"--base {revision}: there is no such revision"


def test_paths_narrow_the_change_and_are_never_patterns(tmp_path: Path) -> None:
    root = feature(tmp_path / "r", {"app.py": b"1\n", "src/a.py": b"1\n", "src/[a].py": b"1\n"})
    assert list(by_path(root, paths=[root / "src"])) == ["src/[a].py", "src/a.py"]
    assert list(by_path(root, paths=[root / "src" / "[a].py"])) == ["src/[a].py"]


def test_a_path_outside_the_project_or_nowhere_is_a_usage_error(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    for path, message in (
        (tmp_path / "x", f"{tmp_path / 'x'} lies outside the project {root}"),
        (root / "nope.py", "nope.py: there is no such file, and none of that name was changed"),
    ):
        with pytest.raises(UsageError) as told:
            change_of(root, paths=[path])
        assert told.value.message == message


def test_a_link_that_leads_out_of_the_project_narrows_to_nothing_outside(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    (tmp_path / "outside").mkdir()
    (root / "way").symlink_to(tmp_path / "outside")
    with pytest.raises(UsageError) as told:
        change_of(root, paths=[root / "way" / "secret"])
    assert "lies outside the project" in told.value.message


def test_a_project_below_the_top_of_its_repository_has_paths_of_its_own(tmp_path: Path) -> None:
    top = project(tmp_path / "r", {"part/a.py": b"1\n", "other/b.py": b"1\n"})
    git(top, "switch", "--quiet", "--create", "f")
    commit(top, {"part/a.py": b"2\n", "other/b.py": b"2\n"})
    assert list(by_path(top / "part")) == ["a.py"]


def test_no_program_that_the_repository_names_is_started(tmp_path: Path) -> None:
    root = feature(tmp_path / "r")
    mark = tmp_path / "ran"
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    for key in (
        "diff.external",
        "core.fsmonitor",
        "filter.x.clean",
        "filter.x.process",
        "diff.x.textconv",
        "diff.x.command",
    ):
        git(root, "config", key, str(program))
    (root / ".gitattributes").write_text("*.py filter=x diff=x\n")
    time.sleep(0.01)
    (root / "app.py").write_bytes(b"touched\n")
    assert "app.py" in by_path(root)
    assert not mark.exists()


def test_a_tag_or_branch_with_a_remotes_name_is_not_the_default_branch(tmp_path: Path) -> None:
    source = feature(tmp_path / "r")
    git(source, "switch", "--quiet", "main")
    git(tmp_path, "clone", "--quiet", "--no-single-branch", f"file://{source}", "c")
    root = tmp_path / "c"
    git(root, "switch", "--quiet", "feature")
    git(root, "tag", "origin/main", "HEAD")
    git(root, "branch", "origin/main", "HEAD")
    change = change_of(root)
    assert ([file.path for file in change.files], change.base_name) == (["app.py"], "origin/main")
