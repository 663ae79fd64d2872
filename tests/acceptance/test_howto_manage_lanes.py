"""A newcomer installs, inspects, uses, updates and removes a lane from a git address by following the page alone."""

import os
from pathlib import Path

from tests.docs_pages import HOW_TO, follow
from tests.git_samples import commit, make_repository, manifest_bytes

PAGE = HOW_TO / "manage-lanes.md"
ADDRESS = "git+https://git.example.org/acme/lane.git"
PUBLISHED = "<!-- the author publishes 1.1.0 -->"


def test_following_the_page_leaves_nothing_behind(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "lane.git")
    folder = tmp_path / "work"
    folder.mkdir()
    before, published, after = PAGE.read_text(encoding="utf-8").partition(PUBLISHED)
    assert published
    here = {ADDRESS: f"git+file://{repository}"}
    # What a git address over https would be, without a server: msd reads file:// only when a test says so.
    env = {"MSD_ALLOW_FILE_SOURCES": "1", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}

    follow(before, folder, instead=here, env=env)
    assert (tmp_path / "msd-home" / "capabilities" / "acme" / "capability.json").is_file()
    commit(repository, {"capability.json": manifest_bytes(version="1.1.0")})
    follow(after, folder, instead=here, env=env)

    assert list((tmp_path / "msd-home" / "capabilities").iterdir()) == []
