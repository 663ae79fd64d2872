"""The page "Ship a reviewer lane", typed word for word into a shell, ends in a working third-party lane."""

import json
from pathlib import Path

from tests.docs_pages import HOW_TO, follow


def test_following_the_page_ends_in_a_review_by_the_new_lane(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    follow(HOW_TO.joinpath("ship-a-reviewer-lane.md").read_text(encoding="utf-8"), folder)

    document = json.loads((folder / "project" / "PLAN.REVIEWS.json").read_text(encoding="utf-8"))
    assert [(one["identity"], one["outcome"]) for one in document["reviewers"]] == [("acme", "review")]
    citations = [cited for finding in document["findings"] for cited in finding["citations"]]
    assert [(one["path"], one["line"], one["verdict"]) for one in citations] == [("PLAN.md", 4, "verified")]
