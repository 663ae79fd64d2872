"""Reading a capability from real repositories, served over HTTPS by git's own backend."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from msd_review.errors import SourceError
from msd_review.sources import git as git_source
from msd_review.sources.fetched import Fetched
from msd_review.sources.git import Git, environment, fetch_git, resolve_ref
from msd_review.sources.spec import parse_spec
from tests.git_samples import commit, git, make_repository, manifest_bytes
from tests.servers.loopback import Server, https_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with https_server(tmp_path) as running:
        running.serve_git(tmp_path / "served")
        yield running


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "served" / "acme.git")


@pytest.fixture
def tool(server: Server) -> Git:
    binary = shutil.which("git")
    assert binary is not None
    return Git(binary=Path(binary), environ={**os.environ, "GIT_SSL_CAINFO": str(server.authority)})


def fetch(server: Server, tool: Git, ref: str = "") -> Fetched:
    spec = parse_spec(f"git+{server.url('/git/acme.git')}{ref}")
    return fetch_git(spec, git=tool, say=lambda _line: None)


def test_without_a_ref_the_default_branch_is_read_and_its_commit_recorded(
    server: Server, tool: Git, repository: Path
) -> None:
    fetched = fetch(server, tool)
    assert fetched.resolved == git(repository, "rev-parse", "main")
    assert dict(fetched.bundle.files) == {b"capability.json": manifest_bytes()}


@pytest.mark.parametrize("ref", ["#tag:v1", "#v1", "#tag:light", "#old/branch", "#sha:{first}", "#{first}"])
def test_every_way_to_name_an_earlier_commit_leads_to_it(
    server: Server, tool: Git, repository: Path, ref: str
) -> None:
    first = git(repository, "rev-parse", "main")
    git(repository, "tag", "-a", "-m", "one", "v1")
    git(repository, "tag", "light")
    git(repository, "branch", "old/branch")
    commit(repository, {"capability.json": manifest_bytes(version="2.0.0")})
    assert fetch(server, tool, ref.format(first=first)).resolved == first


def test_a_commit_that_the_remote_gives_by_no_id_is_found_among_its_refs(
    server: Server, tool: Git, repository: Path, tmp_path: Path
) -> None:
    first = git(repository, "rev-parse", "main")
    commit(repository, {"more": b"1"})
    server.serve_git(tmp_path / "served", old=True)
    assert fetch(server, tool, f"#sha:{first}").resolved == first
    assert server.seen.count("/git/acme.git/info/refs?service=git-upload-pack") == 2


def test_a_commit_that_the_remote_has_not_is_an_error_that_says_which(
    server: Server, tool: Git, repository: Path
) -> None:
    with pytest.raises(SourceError) as raised:
        fetch(server, tool, "#sha:" + "ab" * 20)
    assert raised.value.message == (
        f"{server.url('/git/acme.git')} does not give commit {'ab' * 20}, by its id or on any branch or tag"
    )


@pytest.mark.parametrize("ref", ["#nowhere", "#tag:main"])
def test_a_ref_that_is_not_there_is_an_error_that_says_which(
    server: Server, tool: Git, repository: Path, ref: str
) -> None:
    with pytest.raises(SourceError) as raised:
        fetch(server, tool, ref)
    assert raised.value.message.startswith(
        f"{server.url('/git/acme.git')} has no {ref[1:]}, or cannot be read: couldn't find remote ref"
    )


def test_a_repository_that_is_not_there_is_an_error(server: Server, tool: Git) -> None:
    with pytest.raises(SourceError, match="has no HEAD, or cannot be read: repository 'https://localhost:"):
        fetch(server, tool)


def test_a_certificate_that_nobody_vouches_for_is_refused(
    server: Server, tool: Git, repository: Path
) -> None:
    bare = {name: value for name, value in os.environ.items() if name != "GIT_SSL_CAINFO"}
    distrusting = Git(binary=tool.binary, environ={**bare, "GIT_SSL_NO_VERIFY": "1"})
    with pytest.raises(SourceError, match="certificate"):
        fetch(server, distrusting)


def test_the_remote_is_asked_for_its_commit_without_fetching(
    server: Server, tool: Git, repository: Path
) -> None:
    head = git(repository, "rev-parse", "main")
    git(repository, "tag", "-a", "-m", "one", "v1")
    for ref in ("", "#main", "#v1", "#tag:v1"):
        spec = parse_spec(f"git+{server.url('/git/acme.git')}{ref}")
        assert resolve_ref(spec, git=tool, timeout_s=20) == head
    gone = parse_spec(f"git+{server.url('/git/acme.git')}#gone")
    assert resolve_ref(gone, git=tool, timeout_s=20) is None


def test_a_repository_that_sends_too_much_is_stopped(
    server: Server, tool: Git, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, {"large": os.urandom(200_000)})
    monkeypatch.setattr(git_source, "MAX_FETCHED_BYTES", 1000)
    monkeypatch.setattr(git_source, "_WATCH_S", 0.001)
    with pytest.raises(SourceError, match="the repository sends more than 1,000 bytes; it was stopped"):
        fetch(server, tool)


def test_a_tree_larger_than_a_capability_is_refused_before_it_is_read(
    server: Server, tool: Git, repository: Path
) -> None:
    commit(repository, {"large": b"\0" * (17 * 1024 * 1024)})
    with pytest.raises(SourceError, match="^the capability is larger than 16,777,216 bytes$"):
        fetch(server, tool)


def test_a_fetch_that_takes_too_long_is_ended(server: Server, tool: Git, repository: Path) -> None:
    spec = parse_spec(f"git+{server.url('/git/acme.git')}")
    with pytest.raises(
        SourceError, match="cannot be used: it took too long|cannot be read: it took too long"
    ):
        fetch_git(spec, git=tool, say=lambda _line: None, timeout_s=0.02)


def test_what_git_is_given_of_the_environment() -> None:
    given = environment(
        Git(
            binary=Path("/usr/bin/git"),
            environ={
                "PATH": "/bin",
                "GIT_DIR": "/evil",
                "GIT_CONFIG_COUNT": "1",
                "GIT_EXTERNAL_DIFF": "evil",
                "GIT_SSL_CAINFO": "/ca.pem",
                "git_trace": "1",
            },
        )
    )
    assert given == {
        "PATH": "/bin",
        "GIT_SSL_CAINFO": "/ca.pem",
        "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
        "GIT_ALLOW_PROTOCOL": "https:ssh",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
    }


def test_a_repository_is_read_over_ssh_without_a_prompt(tmp_path: Path, repository: Path) -> None:
    script = tmp_path / "ssh"
    script.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nfor last; do :; done\nexec sh -c "$last"\n')
    script.chmod(0o755)
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    tool = Git(binary=Path(shutil.which("git") or "/usr/bin/git"), environ=environ)
    for text in (f"git@box.test:{repository}", f"git+ssh://git@box.test{repository}#main"):
        fetched = fetch_git(parse_spec(text), git=tool, say=lambda _line: None)
        assert fetched.resolved == git(repository, "rev-parse", "main")
    for asked in (tmp_path / "asked").read_text().splitlines():
        assert asked.startswith("-o BatchMode=yes ")
        assert f"git@box.test git-upload-pack '{repository}'" in asked


def test_what_came_so_far_is_told(server: Server, tool: Git, repository: Path) -> None:
    commit(repository, {"large": os.urandom(3_000_000)})
    told: list[int] = []
    fetch(server, replace(tool, on_bytes=told.append))
    assert told
