"""Attack: kill -9 at every step of install, update and remove; and two installations at once.

Each time the next command finds the old capability or the new one, whole and active, and nothing else.
"""

import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings
from pathlib import Path

import psutil
import pytest

from msd_review.lifecycle import transaction
from msd_review.lifecycle.install import commit_install
from msd_review.lifecycle.ledger import load_ledger
from msd_review.lifecycle.places import ScopeName
from msd_review.lifecycle.remove import remove
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.lifecycle.update import find_entries, prepare_update
from msd_review.trust import store
from msd_review.trust.agreement import agree
from tests.git_samples import manifest_bytes
from tests.lifecycle_samples import capability, everything_below, install, machine, states
from tests.servers.loopback import Answer, https_server

ROOT = Path(__file__).parents[2]
SOURCE = (ROOT / "src" / "msd_review" / "lifecycle" / "transaction.py").read_text()
INSTALL_POINTS = (
    "install.planned", "install.staged", "install.set_aside", "install.swapped", "install.recorded",
    "install.consented", "install.cleared",
)  # fmt: skip
REMOVE_POINTS = ("remove.planned", "remove.set_aside", "remove.recorded", "remove.revoked", "remove.cleared")


def act(what: str, around: Surroundings, scope: ScopeName) -> None:
    match what:
        case "install":
            install("./source", around, scope=scope)
        case "update":
            ((place, entry),) = find_entries(around)
            prepared = prepare_update(place, entry, around).prepared
            assert prepared is not None
            commit_install(prepared, around, agree(prepared.disclosure, answer=True))
        case "remove":
            remove(around.place(scope), "acme", around)


def killed(what: str, around: Surroundings, scope: ScopeName, fault: str) -> None:
    """Does it in a child that is killed at the fault point."""
    with warnings.catch_warnings():
        # The test runner's own threads are no matter to a child that ends without returning.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            os.environ.update(MSD_FAULT=fault, MSD_FAULT_TOKEN="kill-me")
            act(what, around, scope)
        finally:
            os._exit(7)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), f"{what} came past {fault}: {os.WEXITSTATUS(status)}"
    assert os.WTERMSIG(status) == signal.SIGKILL


def listed(around: Surroundings) -> dict[str, str]:
    """What the next command shows, after it cleared what was left."""
    assert transaction.recover(around.home) == ()
    return states(around)


def assert_clean(around: Surroundings, scope: ScopeName) -> None:
    """Nothing lies about: no work in progress, no half-written file, and the ledger says what is there."""
    place = around.place(scope)
    below = {**everything_below(around.home), **everything_below(place.root)}
    assert not [name for name in below if ".staging" in name or name.endswith(".tmp")]
    assert list((around.home / "transactions").iterdir()) == []
    folders = {path.name for path in place.capabilities.iterdir()} if place.capabilities.is_dir() else set()
    assert folders == set(load_ledger(place.ledger).entries)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return capability(tmp_path / "source", {"capability.json": manifest_bytes(), "a/b": b"1"})


def test_every_step_has_its_fault_point_and_every_fault_point_its_test() -> None:
    found = set(re.findall(r'fault_point\(f?"([^"]+)"\)', SOURCE)) - {"{plan.kind}.cleared"}
    found |= {"install.cleared", "remove.cleared"}
    assert found == {*INSTALL_POINTS, *REMOVE_POINTS}


@pytest.mark.parametrize("scope", ["global", "project"])
@pytest.mark.parametrize("fault", [point for point in INSTALL_POINTS if point != "install.set_aside"])
def test_attack_kill_9_at_every_step_of_install(
    tmp_path: Path, source: Path, fault: str, scope: ScopeName
) -> None:
    around = machine(tmp_path)
    killed("install", around, scope, fault)
    committed = fault in {"install.recorded", "install.consented", "install.cleared"}
    assert listed(around) == ({"acme": "active"} if committed else {})
    assert_clean(around, scope)
    if not committed:
        assert store.load(around.home).overlays == ()
        act("install", around, scope)
        assert listed(around) == {"acme": "active"}


@pytest.mark.parametrize("fault", INSTALL_POINTS)
def test_attack_kill_9_at_every_step_of_update(tmp_path: Path, source: Path, fault: str) -> None:
    around = machine(tmp_path)
    install("./source", around)
    (source / "capability.json").write_bytes(manifest_bytes(version="2.0.0"))
    (source / "a" / "b").unlink()
    (source / "a" / "c").write_bytes(b"2")
    killed("update", around, "global", fault)
    assert listed(around) == {"acme": "active"}
    assert_clean(around, "global")
    committed = fault in {"install.recorded", "install.consented", "install.cleared"}
    folder = around.home / "capabilities" / "acme"
    expected = {"a/c", "capability.json"} if committed else {"a/b", "capability.json"}
    assert {name for name, content in everything_below(folder).items() if content is not None} == expected
    if not committed:
        act("update", around, "global")
        assert listed(around) == {"acme": "active"}


@pytest.mark.parametrize("scope", ["global", "project"])
@pytest.mark.parametrize("fault", REMOVE_POINTS)
def test_attack_kill_9_at_every_step_of_remove(
    tmp_path: Path, source: Path, fault: str, scope: ScopeName
) -> None:
    around = machine(tmp_path)
    install("./source", around, scope=scope)
    killed("remove", around, scope, fault)
    committed = fault in {"remove.recorded", "remove.revoked", "remove.cleared"}
    assert listed(around) == ({} if committed else {"acme": "active"})
    assert_clean(around, scope)
    assert (store.load(around.home).overlays == ()) is committed
    if not committed:
        act("remove", around, scope)
        assert listed(around) == {}


@pytest.mark.parametrize("fault", ["remove.recorded", "remove.revoked"])
def test_attack_kill_9_while_removing_beside_a_file_of_the_users(
    tmp_path: Path, source: Path, fault: str
) -> None:
    around = machine(tmp_path)
    install("./source", around)
    mine = around.home / "capabilities" / "acme" / "mine"
    mine.write_bytes(b"mine")
    killed("remove", around, "global", fault)
    transaction.recover(around.home)
    assert {path.name for path in mine.parent.iterdir()} == {"mine"}


def test_attack_a_kill_while_clearing_what_a_kill_left(tmp_path: Path, source: Path) -> None:
    around = machine(tmp_path)
    install("./source", around)
    (source / "a" / "b").write_bytes(b"2")
    killed("update", around, "global", "install.swapped")
    (around.home / ".ledger.json.half.tmp").touch()
    killed("install", around, "global", "install.cleared")
    assert listed(around) == {"acme": "active"}
    assert_clean(around, "global")


INSTALL = textwrap.dedent("""
    import sys
    from pathlib import Path
    from tests.lifecycle_samples import install, machine
    install("./source", machine(Path(sys.argv[1])))
    print("done")
""")


def test_attack_two_installations_at_once(tmp_path: Path, source: Path) -> None:
    around = machine(tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", INSTALL, str(tmp_path)]
    both = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    ends = [one.communicate(timeout=60) for one in both]
    assert "done\n" in [out for out, _ in ends]
    assert all(
        out == "done\n" or "was changed by another command in the meantime" in err for out, err in ends
    )
    assert listed(around) == {"acme": "active"}
    assert_clean(around, "global")


FETCH = textwrap.dedent("""
    import os, shutil, sys
    from pathlib import Path
    from msd_review.sources.git import Git, fetch_git
    from msd_review.sources.spec import parse_spec
    git = Git(binary=Path(shutil.which("git")), environ=os.environ)
    fetch_git(parse_spec(sys.argv[1]), git=git, say=lambda line: print(line, flush=True))
""")


def test_ctrl_c_during_a_slow_fetch_leaves_no_process_and_no_file(tmp_path: Path) -> None:
    released = threading.Event()
    (tmp_path / "tmp").mkdir()
    with https_server(tmp_path) as server:
        server.routes["/slow.git/"] = lambda _handler, _body: Answer() if released.wait(30) else Answer()
        environment = {**os.environ, "GIT_SSL_CAINFO": str(server.authority), "TMPDIR": str(tmp_path / "tmp")}
        command = [sys.executable, "-c", FETCH, server.url("/slow.git")]
        with subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as fetching:
            while not server.seen:
                time.sleep(0.01)
            family = psutil.Process(fetching.pid).children(recursive=True)
            fetching.send_signal(signal.SIGINT)
            fetching.communicate(timeout=20)
        released.set()
    assert family
    assert not [child for child in family if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_change_that_a_living_process_makes_is_left_alone(tmp_path: Path, source: Path) -> None:
    around = machine(tmp_path)
    killed("install", around, "global", "install.swapped")
    with transaction.locked(around.home):
        assert transaction.recover(around.home) == ()
        assert len(list((around.home / "transactions").iterdir())) == 1
    assert listed(around) == {}


def test_ctrl_c_during_the_swap_leaves_nothing_behind(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    around = machine(tmp_path)

    def interrupted(name: str) -> None:
        if name == "install.swapped":
            raise KeyboardInterrupt

    monkeypatch.setattr(transaction, "fault_point", interrupted)
    with pytest.raises(KeyboardInterrupt):
        install("./source", around)
    assert states(around) == {}
    assert_clean(around, "global")


def test_a_plan_of_another_machine_or_by_hand_is_no_plan(tmp_path: Path, source: Path) -> None:
    around = machine(tmp_path)
    install("./source", around)
    folder = around.home / "transactions"
    for name, content in (("x.json", b"{}"), ("0" * 32 + ".json", b'{"kind": "remove"}'), ("y.tmp", b"")):
        (folder / name).write_bytes(content)
    assert listed(around) == {"acme": "active"}
    assert list(folder.iterdir()) == []
    assert remove(around.place("global"), "acme", around).left == ()
