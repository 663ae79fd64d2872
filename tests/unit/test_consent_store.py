"""The store of consents: what it keeps, what it refuses, and who may write it."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from msd_review.errors import StoreError, UsageError
from msd_review.trust import store
from msd_review.trust.consent import (
    GLOBAL,
    Answer,
    Consents,
    HostConsent,
    OverlayConsent,
    project_scope,
)

TIME = {"time": "2026-12-01T00:00:00Z", "tool_version": "1"}
HOST = HostConsent(slug="ollama", capability="ollama", destination="http://h", **TIME)
ANSWER = Answer(slug="codex", allowed=True, **TIME)


def overlay(scope: str = GLOBAL, identity: str = "acme", content_hash: str = "sha512-a") -> OverlayConsent:
    return OverlayConsent(
        scope=scope,
        id=identity,
        integrity=None,
        signature="sha256-s",
        content_hash=content_hash,
        destination=None,
        **TIME,
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "msd"


def fill(home: Path) -> Consents:
    return store.change(home, lambda held: held.with_overlay(overlay()).with_host(HOST).with_answer(ANSWER))


def test_no_store_is_no_consent(home: Path) -> None:
    assert store.load(home) == Consents()
    assert not home.exists()


def test_what_was_stored_is_read_again(home: Path) -> None:
    assert fill(home) == store.load(home)
    assert store.load(home).overlay(GLOBAL, "acme") == overlay()
    assert store.load(home).destinations("ollama", "ollama") == ("http://h",)
    assert store.load(home).answer("codex") is True


def test_the_store_and_its_folder_are_private(home: Path) -> None:
    os.umask(0)
    try:
        fill(home)
    finally:
        os.umask(0o022)
    assert (home / store.NAME).stat().st_mode & 0o777 == 0o600
    assert home.stat().st_mode & 0o777 == 0o700


def test_a_second_consent_takes_the_place_of_the_first(home: Path) -> None:
    fill(home)
    changed = store.change(home, lambda held: held.with_overlay(overlay(content_hash="sha512-b")))
    assert [one.content_hash for one in changed.overlays] == ["sha512-b"]


def test_what_a_crashed_write_left_is_cleared_by_the_next(home: Path) -> None:
    fill(home)
    (home / ".consent.json.half.tmp").touch()
    fill(home)
    assert sorted(path.name for path in home.iterdir()) == [".consent.lock", "consent.json"]


def test_a_consent_in_one_scope_is_none_in_another(home: Path) -> None:
    fill(home)
    assert store.load(home).overlay("/project", "acme") is None


def test_a_destination_belongs_to_the_capability_that_it_was_given_to(home: Path) -> None:
    fill(home)
    assert store.load(home).destinations("ollama", "stranger") == ()


def test_revoking_an_overlay_takes_its_destinations_along_unless_another_scope_still_has_it() -> None:
    host = HostConsent(slug="acme", capability="acme", destination="http://h", **TIME)
    held = Consents().with_overlay(overlay()).with_overlay(overlay("/p")).with_host(host)
    once = held.without_overlay(GLOBAL, "acme")
    assert once.hosts == (host,)
    assert once.without_overlay("/p", "acme") == Consents()


def test_single_destinations_and_answers_can_be_taken_back() -> None:
    other = HostConsent(slug="ollama", capability="ollama", destination="http://i", **TIME)
    held = Consents().with_host(HOST).with_host(other).with_answer(ANSWER)
    assert held.destinations("ollama", "ollama") == ("http://i", "http://h")
    assert held.without_hosts("ollama", "http://h").hosts == (other,)
    assert held.without_hosts("ollama").hosts == ()
    assert held.without_answer("codex").answers == ()


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("overlays", {"content_hash": None}),
        ("overlays", {"scope": 5}),
        ("overlays", {"destination": []}),
        ("hosts", {"destination": None}),
        ("hosts", {"capability": {}}),
        ("answers", {"allowed": 1}),
        ("answers", {"allowed": "yes"}),
    ],
)
def test_a_damaged_record_is_no_consent_and_the_others_are_kept(
    home: Path, kind: str, damage: dict[str, Any]
) -> None:
    fill(home)
    document = json.loads((home / store.NAME).read_text())
    document[kind].append({**document[kind][0], **damage})
    document[kind].append("text")
    (home / store.NAME).write_text(json.dumps(document))
    held = store.load(home)
    assert (
        held.warnings == (f"a record among the {kind} of the consent store is damaged; it is no consent",) * 2
    )
    assert [len(records) for records in (held.overlays, held.hosts, held.answers)] == [1, 1, 1]


def _refusal(home: Path) -> str | None:
    held = store.load(home)
    assert (held.overlays, held.hosts, held.answers) == ((), (), ())
    before = (home / store.NAME).read_bytes() if (home / store.NAME).is_file() else None
    with pytest.raises(StoreError) as raised:
        fill(home)
    assert raised.value.message == f"the consent store is refused: {held.problem}"
    assert before is None or (home / store.NAME).read_bytes() == before
    return held.problem


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"9" * 5000])
def test_a_store_that_is_no_json_is_refused_and_kept(home: Path, content: bytes) -> None:
    fill(home)
    (home / store.NAME).write_bytes(content)
    assert _refusal(home) == f"{home / store.NAME} is not valid JSON"


@pytest.mark.parametrize("content", [b"[]", b"5", b"{}", b'{"schema": "msd.consent/2"}'])
def test_a_store_of_another_kind_or_version_is_refused_and_kept(home: Path, content: bytes) -> None:
    fill(home)
    (home / store.NAME).write_bytes(content)
    assert _refusal(home) == f"{home / store.NAME} is no consent store of this version (msd.consent/1)"


def test_a_store_over_its_bound_is_refused(home: Path) -> None:
    fill(home)
    with (home / store.NAME).open("r+b") as handle:
        handle.truncate(store.MAX_BYTES + 1)
    assert "larger than 8388608 bytes" in (_refusal(home) or "")


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_store_that_others_can_write_is_refused(home: Path, mode: int) -> None:
    fill(home)
    (home / store.NAME).chmod(mode)
    assert _refusal(home) == (
        f"{home / store.NAME} can be written by other users (chmod go-w {home / store.NAME})"
    )


def test_a_store_in_a_folder_that_others_can_write_is_refused(home: Path) -> None:
    fill(home)
    home.chmod(0o777)
    assert _refusal(home) == f"{home} can be written by other users (chmod go-w {home})"


def test_a_store_that_is_a_link_is_refused(home: Path, tmp_path: Path) -> None:
    fill(home)
    (home / store.NAME).rename(tmp_path / "elsewhere")
    (home / store.NAME).symlink_to(tmp_path / "elsewhere")
    assert _refusal(home) == f"{home / store.NAME} is a link or a special file"


def test_a_store_that_is_a_pipe_is_refused_without_hanging(home: Path) -> None:
    home.mkdir(mode=0o700)
    os.mkfifo(home / store.NAME)
    assert _refusal(home) == f"{home / store.NAME} is a link or a special file"


@pytest.mark.needs_root
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_store_of_another_user_is_refused(home: Path) -> None:
    fill(home)
    os.chown(home / store.NAME, 65534, 65534)
    assert _refusal(home) == f"{home / store.NAME} belongs to another user"


def test_the_store_inside_a_work_tree_is_warned_about(tmp_path: Path) -> None:
    assert store.work_tree_warning(tmp_path / "msd") is None
    (tmp_path / ".git").mkdir()
    assert store.work_tree_warning(tmp_path / "msd") == (
        f"the consent store {tmp_path / 'msd' / 'consent.json'} lies inside the git work tree {tmp_path}; "
        "keep it out of commits"
    )


def test_the_home_folder_and_the_root_are_no_projects(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "home")
    (tmp_path / "home").mkdir()
    for root in (tmp_path / "home", link, Path("/")):
        with pytest.raises(UsageError, match="the home folder and / are never one"):
            project_scope(root, home=tmp_path / "home")
    assert project_scope(tmp_path / "home" / ".." / "x", home=tmp_path / "home") == str(
        tmp_path.resolve() / "x"
    )


_ADD = textwrap.dedent("""
    import sys
    from pathlib import Path
    from msd_review.trust import store
    from msd_review.trust.consent import Answer
    for number in range(20):
        answer = Answer(slug=f"{sys.argv[2]}-{number}", allowed=True, time="t", tool_version="1")
        store.change(Path(sys.argv[1]), lambda held: held.with_answer(answer))
""")


def test_writers_at_the_same_time_lose_nothing(home: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", _ADD, str(home), str(number)]) for number in range(4)]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    assert len(store.load(home).answers) == 80


_HOLD = textwrap.dedent("""
    import sys, time
    from pathlib import Path
    from msd_review.edges import lock
    with lock.exclusive(Path(sys.argv[1])):
        print("held", flush=True)
        time.sleep(60)
""")


def _holder(home: Path) -> "subprocess.Popen[str]":
    home.mkdir(mode=0o700, exist_ok=True)
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(home / ".consent.lock")], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    with holder.stdout as said:
        assert said.readline() == "held\n"
    return holder


def test_a_holder_that_was_killed_holds_nothing(home: Path) -> None:
    holder = _holder(home)
    holder.kill()
    holder.wait()
    assert fill(home).answer("codex") is True


def test_a_living_holder_is_waited_for_and_then_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "LOCK_WAIT_S", 0.1)
    holder = _holder(home)
    try:
        with pytest.raises(StoreError) as raised:
            fill(home)
    finally:
        holder.kill()
        holder.wait()
    assert raised.value.message == (
        f"the consent store cannot be written: {home / '.consent.lock'} is held by process {holder.pid}"
    )


def test_the_lock_is_never_a_link_to_somewhere_else(home: Path, tmp_path: Path) -> None:
    home.mkdir(mode=0o700)
    (home / ".consent.lock").symlink_to(tmp_path / "victim")
    with pytest.raises(StoreError, match="the consent store cannot be written"):
        fill(home)
    assert not (tmp_path / "victim").exists()
