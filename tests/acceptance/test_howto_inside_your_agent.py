"""The how-to page on installing into an agent, typed as it stands; what it leaves behind is nothing."""

from pathlib import Path

from tests.docs_pages import HOW_TO, follow
from tests.host_samples import tree


def test_what_the_page_tells_to_type_prints_what_it_shows_and_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    (folder / ".git").mkdir(parents=True)
    follow(HOW_TO.joinpath("use-it-inside-your-agent.md").read_text(encoding="utf-8"), folder)
    assert set(tree(folder)) == {".git"}
    assert {path.name for path in tmp_path.iterdir()} <= {"work", "msd-home", "state"}
