"""The answer that a person gives beforehand, so that an agent may then ask a reviewer: on a terminal alone."""

from pathlib import Path
from typing import Any

import pytest

from msd_review.mcp_server import tools
from msd_review.mcp_server.places import Project
from tests.installed import Desk, example_desk
from tests.terminals import on_a_terminal

ALLOW = ("capability", "trust", "allow", "claude")
QUESTION = "Send plans and changes to Claude (anthropic) whenever a review asks for it? [y/N]"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    desk = example_desk(tmp_path)
    desk.claude()
    for name, value in desk.env().items():
        monkeypatch.setenv(name, value)
    return desk


def _claude(desk: Desk) -> dict[str, Any]:
    listed = tools.call(Project(root=desk.project.resolve()), "list_reviewers", {}, client="")
    row: dict[str, Any] = next(row for row in listed["reviewers"] if row["slug"] == "claude")
    return row


def test_a_yes_on_a_terminal_makes_the_reviewer_ready_and_can_be_taken_back(desk: Desk) -> None:
    assert _claude(desk)["state"] == "blocked"
    shown = on_a_terminal(desk, *ALLOW, replies=[(QUESTION, "y\n")])
    assert shown.code == 0
    assert "agreed: Claude (anthropic) may receive plans and changes on this machine" in shown.text
    assert _claude(desk)["state"] == "ready"
    assert desk.run("capability", "trust", "revoke", "claude").out == "taken back: the answer for claude\n"
    assert _claude(desk)["state"] == "blocked"


def test_a_no_is_kept_and_told(desk: Desk) -> None:
    shown = on_a_terminal(desk, *ALLOW, replies=[(QUESTION, "n\n")])
    assert shown.code == 5
    row = _claude(desk)
    assert row["detail"] == "the person said that Claude (anthropic) may not receive plans on this machine"


def test_without_a_terminal_nothing_is_agreed_to(desk: Desk) -> None:
    ended = desk.run(*ALLOW, stdin="y\n")
    assert (ended.code, ended.err.splitlines()) == (
        5,
        [
            "msd: error: whether claude may receive plans is a person's to say, and here is no terminal to ask on",
            "hint: run it yourself in a terminal: msd capability trust allow claude",
        ],
    )
    assert _claude(desk)["state"] == "blocked"


def test_the_users_own_list_of_reviewers_is_a_standing_answer_and_a_projects_is_none(desk: Desk) -> None:
    desk.run("config", "set", "review.default_reviewers", '["claude"]')
    assert _claude(desk)["state"] == "blocked"
    desk.run("config", "unset", "review.default_reviewers")
    desk.run("config", "set", "--user", "review.default_reviewers", '["claude"]')
    assert _claude(desk)["state"] == "ready"


def test_what_is_no_tool_of_the_users_is_still_asked_about_as_a_capability(desk: Desk) -> None:
    ended = desk.run("capability", "trust", "allow", "ollama")
    assert (ended.code, "claude" in ended.err) == (2, False)
