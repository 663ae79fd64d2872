"""What a program's name may mean: never something that the reviewed repository put there."""

import os
from pathlib import Path

import pytest

from msd_review.edges.programs import find_binary


def program(folder: Path, name: str = "tool", mode: int = 0o755) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(mode)
    return path


def find(name: str, *folders: Path | str, repo: Path | None = None, cwd: Path | None = None) -> Path | None:
    return find_binary(name, path=os.pathsep.join(map(str, folders)), repo_root=repo, cwd=cwd)


def test_the_first_folder_of_path_that_has_it_wins(tmp_path: Path) -> None:
    first, second = program(tmp_path / "a"), program(tmp_path / "b")
    assert find("tool", tmp_path / "empty", tmp_path / "a", tmp_path / "b") == first
    assert find("tool", tmp_path / "b", tmp_path / "a") == second


def test_what_is_not_there_is_none(tmp_path: Path) -> None:
    assert find("tool", tmp_path) is None
    assert find_binary("tool", path=None, repo_root=None) is None
    assert find_binary("", path=str(tmp_path), repo_root=None) is None


def test_the_execute_bit_counts(tmp_path: Path) -> None:
    program(tmp_path / "a", mode=0o644)
    runnable = program(tmp_path / "b")
    assert find("tool", tmp_path / "a", tmp_path / "b") == runnable


def test_a_folder_of_that_name_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "tool").mkdir()
    assert find("tool", tmp_path) is None


@pytest.mark.parametrize("name", ["./tool", "bin/tool", "../bin/tool", ".", "..", "tool/", "to\0ol"])
def test_a_relative_path_is_never_a_program(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "bin")
    program(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert find(name, tmp_path) is None


@pytest.mark.parametrize("entry", ["", ".", "bin", "./bin", "../x"])
def test_relative_and_empty_entries_of_path_never_count(
    tmp_path: Path, entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path)
    program(tmp_path / "bin")
    monkeypatch.chdir(tmp_path)
    assert find("tool", entry) is None


def test_the_current_folder_never_counts_however_it_is_spelled(tmp_path: Path) -> None:
    program(tmp_path / "here")
    (tmp_path / "link").symlink_to(tmp_path / "here")
    assert find("tool", tmp_path / "here", cwd=tmp_path / "here") is None
    assert find("tool", tmp_path / "link", cwd=tmp_path / "here") is None


def test_nothing_inside_the_repository_counts(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    inside = program(repo / "node_modules" / ".bin")
    outside = program(tmp_path / "bin")
    assert find("tool", inside.parent, tmp_path / "bin", repo=repo) == outside
    assert find(str(inside), repo=repo) is None
    assert find(str(outside), repo=repo) == outside


def test_links_into_the_repository_and_out_of_it_do_not_count(tmp_path: Path) -> None:
    repo, inside = tmp_path / "repo", program(tmp_path / "repo" / "bin")
    outside = program(tmp_path / "real")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tool").symlink_to(inside)
    (repo / "out").mkdir()
    (repo / "out" / "tool").symlink_to(outside)
    (tmp_path / "linked-repo").symlink_to(repo)
    assert find("tool", tmp_path / "bin", repo=repo) is None
    assert find("tool", repo / "out", repo=repo) is None
    assert find("tool", tmp_path / "linked-repo" / "bin", repo=repo) is None
    assert find("tool", repo / "bin", repo=tmp_path / "linked-repo") is None
    assert find("tool", f"{tmp_path}/bin/../repo/bin", repo=repo) is None


def test_a_folder_whose_name_only_begins_like_the_repository_counts(tmp_path: Path) -> None:
    outside = program(tmp_path / "repo-tools")
    assert find("tool", tmp_path / "repo-tools", repo=tmp_path / "repo") == outside


def test_a_link_outside_keeps_the_name_it_was_found_by(tmp_path: Path) -> None:
    program(tmp_path / "real", "busybox")
    (tmp_path / "bin").mkdir()
    link = tmp_path / "bin" / "tool"
    link.symlink_to(tmp_path / "real" / "busybox")
    assert find("tool", tmp_path / "bin", repo=tmp_path / "repo") == link


def test_a_loop_of_links_is_no_program_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "tool").symlink_to(tmp_path / "tool")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert find("tool", tmp_path, tmp_path / "loop", repo=tmp_path / "loop", cwd=tmp_path / "loop") is None


def test_a_program_that_ships_with_us_is_found_beside_the_interpreter_first(tmp_path: Path) -> None:
    ours, other = program(tmp_path / "repo" / "venv"), program(tmp_path / "bin")
    found = find_binary(
        "tool", path=str(other.parent), repo_root=tmp_path / "repo", beside=tmp_path / "repo" / "venv"
    )
    assert found == ours
    assert find_binary("tool", path=str(other.parent), repo_root=None, beside=tmp_path / "no") == other
