"""What a reviewer's process sees of the user's environment."""

from pathlib import Path
from typing import Any

import pytest

from msd_review.manifest.model import Lane
from msd_review.registry import first_party
from msd_review.run.environment import child_environment
from tests.lane_samples import invocation, lane

LANES = tuple(c.manifest.reviewer for c in first_party() if c.manifest.reviewer is not None)


def made(
    tmp_path: Path, inherited: dict[str, str], *, minimal: bool = False, **fields: Any
) -> dict[str, str]:
    what = invocation(tmp_path, **fields)
    return child_environment(what, inherited, lanes=LANES, run_id="R1", minimal=minimal)


@pytest.mark.parametrize("name", sorted({name for one in LANES for name in one.self_env}))
def test_no_child_inherits_a_session_variable_of_any_lane(tmp_path: Path, name: str) -> None:
    assert name not in made(tmp_path, {name: "1", "PATH": "/bin"})


def test_a_session_variable_of_an_installed_capability_is_dropped_too(tmp_path: Path) -> None:
    other: Lane = lane("other", self_env=("OTHER_SESSION",))
    env = child_environment(invocation(tmp_path), {"OTHER_SESSION": "x"}, lanes=(other,), run_id="R1")
    assert "OTHER_SESSION" not in env


def test_everything_else_is_inherited_by_default(tmp_path: Path) -> None:
    env = made(tmp_path, {"PATH": "/bin", "MY_KEY": "k", "HTTP_PROXY": "http://p:1"})
    assert (env["PATH"], env["MY_KEY"], env["HTTP_PROXY"]) == ("/bin", "k", "http://p:1")


def test_nothing_asks_pages_edits_or_paints(tmp_path: Path) -> None:
    user = {
        "TERM": "xterm-256color",
        "PAGER": "less",
        "EDITOR": "vim",
        "FORCE_COLOR": "3",
        "BROWSER": "firefox",
    }
    env = made(tmp_path, user)
    assert (env["TERM"], env["PAGER"], env["GIT_PAGER"], env["CI"], env["NO_COLOR"]) == (
        "dumb", "cat", "cat", "1", "1",
    )  # fmt: skip
    assert "FORCE_COLOR" not in env
    assert {env[name] for name in ("EDITOR", "VISUAL", "GIT_EDITOR", "BROWSER")} == {"false"}


def test_a_lane_that_declares_more_gets_more(tmp_path: Path) -> None:
    env = made(tmp_path, {"TERM": "xterm"}, env={"TERM": "xterm", "MSD_EFFORT": "high"})
    assert (env["TERM"], env["MSD_EFFORT"], env["MSD_RUN_ID"]) == ("xterm", "high", "R1")


def test_git_and_tools_that_trust_pwd_are_not_led_back_to_the_real_tree(tmp_path: Path) -> None:
    user = {
        "GIT_DIR": "/real/.git",
        "GIT_WORK_TREE": "/real",
        "GIT_INDEX_FILE": "/real/.git/index",
        "PWD": "/real",
    }
    env = made(tmp_path, user | {"OLDPWD": "/real", "INIT_CWD": "/real"})
    assert "/real" not in " ".join(env.values())
    assert env["PWD"] == str(tmp_path)


def test_a_pinned_name_is_set_to_the_users_value_or_to_nothing(tmp_path: Path) -> None:
    env = made(tmp_path, {"A_KEY": "mine"}, pin_env=("A_KEY", "A_URL"))
    assert (env["A_KEY"], env["A_URL"]) == ("mine", "")


def test_a_pinned_name_survives_a_minimal_environment(tmp_path: Path) -> None:
    env = made(tmp_path, {"A_KEY": "mine"}, minimal=True, pin_env=("A_KEY", "A_URL"))
    assert (env["A_KEY"], env["A_URL"]) == ("mine", "")


def test_a_lane_that_pins_finds_no_proxy_in_a_dotenv_of_the_tree(tmp_path: Path) -> None:
    env = made(tmp_path, {"https_proxy": "http://mine:1", "NO_PROXY": "local"}, pin_env=("A_KEY",))
    assert (env["HTTPS_PROXY"], env["https_proxy"]) == ("http://mine:1", "http://mine:1")
    assert (env["HTTP_PROXY"], env["http_proxy"], env["ALL_PROXY"]) == ("", "", "")
    assert (env["NO_PROXY"], env["no_proxy"]) == ("local", "local")


def test_a_lane_that_pins_nothing_has_the_users_proxies_alone(tmp_path: Path) -> None:
    env = made(tmp_path, {"https_proxy": "http://mine:1"})
    assert {name for name in env if name.upper().endswith("_PROXY")} == {"https_proxy"}


def test_with_a_minimal_environment_one_reviewer_cannot_read_anothers_key(tmp_path: Path) -> None:
    own = lane(env_passthrough=("ACME_KEY",))
    user = {
        "PATH": "/bin",
        "HOME": "/h",
        "LC_ALL": "C",
        "ACME_KEY": "a",
        "OTHER_KEY": "o",
        "https_proxy": "p",
    }
    env = made(tmp_path, user, minimal=True, lane=own)
    assert {name: env[name] for name in ("PATH", "HOME", "LC_ALL", "ACME_KEY", "https_proxy")} == {
        "PATH": "/bin", "HOME": "/h", "LC_ALL": "C", "ACME_KEY": "a", "https_proxy": "p",
    }  # fmt: skip
    assert "OTHER_KEY" not in env


def test_the_users_environment_is_not_changed(tmp_path: Path) -> None:
    user = {"CLAUDECODE": "1", "TERM": "x"}
    made(tmp_path, user)
    assert user == {"CLAUDECODE": "1", "TERM": "x"}
