"""`kill -9` of an install or uninstall at every point: whoever comes next ends it, and nothing of msd's is lost sight of."""

import signal
from pathlib import Path

import pytest

from tests.host_samples import GLOBAL, HereDesk, put, tree
from tests.installed import Desk, new_desk

HOST = "opencode"  # writes the most: commands, skills, and settings with comments
INSTALL = [
    "host.planned",
    *(f"host.written:{number}" for number in range(1, 6)),
    *(f"files.temporary_written:{number}" for number in range(1, 8)),
    "host.recorded",
]
UNINSTALL = [
    *(f"host.written:{number}" for number in range(1, 6)),
    *(f"files.temporary_written:{number}" for number in range(1, 3)),
    "host.emptied",
    "host.tidied",
    "host.cleared",
]


def machine(base: Path) -> tuple[Desk, HereDesk, Path]:
    """The same machine twice: with an msd that can be killed, and with one that is quick."""
    desk = new_desk(base)
    put(base / "home", GLOBAL)
    return desk, HereDesk(base=desk.base, project=desk.project), base / "home"


def killed(desk: Desk, *arguments: str, at: str) -> None:
    ended = desk.run(*arguments, env={"MSD_FAULT": at, "MSD_FAULT_TOKEN": "kill-me"})
    assert ended.code == -signal.SIGKILL, (at, ended)


@pytest.mark.parametrize("point", INSTALL)
def test_an_install_killed_here_is_ended_by_the_next_one_or_undone_by_an_uninstall(
    tmp_path: Path, point: str
) -> None:
    desk, here, home = machine(tmp_path)
    before = tree(home)
    killed(desk, "install", HOST, at=point)
    if point != "files.temporary_written:1":  # the ledger's own first write: nothing was begun
        assert here.run("uninstall", HOST).code == 0
        assert tree(home) == before
        assert not (desk.msd_home / "hosts.json").exists()
        killed(desk, "install", HOST, at=point)
    assert here.run("install", HOST).code == 0
    installed = tree(home)
    assert here.run("install", HOST).out.startswith("nothing to do")
    assert here.run("uninstall", HOST).code == 0
    assert tree(home) == before
    assert here.run("install", HOST).code == 0
    assert tree(home) == installed


@pytest.mark.parametrize("point", UNINSTALL)
def test_an_uninstall_killed_here_is_ended_by_the_next_one_or_undone_by_an_install(
    tmp_path: Path, point: str
) -> None:
    desk, here, home = machine(tmp_path)
    before = tree(home)
    here.run("install", HOST)
    installed = tree(home)
    killed(desk, "uninstall", HOST, at=point)
    assert here.run("install", HOST).code == 0
    assert tree(home) == installed
    killed(desk, "uninstall", HOST, at=point)
    assert here.run("uninstall", HOST).code == (2 if point == "host.cleared" else 0)
    assert tree(home) == before


@pytest.mark.parametrize("point", ["host.planned", "host.written", "files.temporary_written:2"])
def test_a_renewal_killed_here_still_leads_back_to_what_was_before_both(tmp_path: Path, point: str) -> None:
    desk, here, home = machine(tmp_path)
    before = tree(home)
    here.run("install", HOST)
    ledger, settings = desk.msd_home / "hosts.json", home / ".config" / "opencode" / "opencode.jsonc"
    old = "/old/place/msd"
    for path in (ledger, settings):
        text = path.read_text(encoding="utf-8")
        start = text.index('"', text.index('"command"', text.index('"msd"')) + 10)
        path.write_text(text[: start + 1] + old + text[text.index('"', start + 1) :], encoding="utf-8")
    killed(desk, "install", HOST, at=point)
    assert here.run("install", HOST).code == 0
    assert old not in settings.read_text(encoding="utf-8")
    assert here.run("uninstall", HOST).code == 0
    assert tree(home) == before


def test_a_disk_that_fails_on_the_way_leaves_everything_as_it_was(tmp_path: Path) -> None:
    _, here, home = machine(tmp_path)
    (home / ".config" / "opencode" / "skills").mkdir()
    (home / ".config" / "opencode" / "skills" / "msd-review").mkdir()
    (home / ".config" / "opencode" / "skills" / "msd-review" / "SKILL.md").mkdir()
    before = tree(home)
    ended = here.run("install", HOST)
    assert ended.code == 2
    assert ended.err.endswith("SKILL.md is not a file; nothing was written\n")
    assert tree(home) == before
    assert not (here.msd_home / "hosts.json").exists()
