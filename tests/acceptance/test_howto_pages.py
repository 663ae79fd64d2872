"""The short how-to pages, typed as they stand in a small project."""

from pathlib import Path

import pytest

from tests.docs_pages import HOW_TO, follow
from tests.git_samples import commit, git, make_repository


@pytest.mark.parametrize("name", ["use-it-in-ci.md", "when-something-does-not-work.md"])
def test_what_a_page_tells_to_type_works(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "work"
    (folder / ".planning").mkdir(parents=True)
    (folder / "links.py").write_text("def expand(code: str) -> str:\n    return code\n", encoding="utf-8")
    (folder / "PLAN.md").write_text(
        "# Plan\n\n- Change `expand` in `links.py:1`; verify with `python -m pytest`\n", encoding="utf-8"
    )
    follow(HOW_TO.joinpath(name).read_text(encoding="utf-8"), folder)


def test_a_change_is_reviewed_as_the_page_says(tmp_path: Path) -> None:
    folder = make_repository(
        tmp_path / "work", {"links.py": b"def expand(code: str) -> str:\n    return code\n"}
    )
    git(folder, "checkout", "--quiet", "-b", "work")
    commit(folder, {"links.py": b"def expand(code: str) -> str:\n    return code.strip()\n"})
    follow(HOW_TO.joinpath("review-a-change.md").read_text(encoding="utf-8"), folder)
