"""What `disclose` shows of a path, an id and a source."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from msd_review.errors import InputError, SourceError
from msd_review.lifecycle.inspect import disclose_named
from msd_review.lifecycle.install import commit_install, prepare_install
from msd_review.trust.agreement import agree
from tests.git_samples import make_repository, manifest_bytes
from tests.lifecycle_samples import capability, install, machine, states
from tests.servers.loopback import Server, https_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with https_server(tmp_path) as running:
        running.serve_git(tmp_path / "served")
        yield running


def test_the_token_of_a_folder_buys_its_installation(tmp_path: Path) -> None:
    around = machine(tmp_path)
    capability(tmp_path / "acme", {"capability.json": manifest_bytes()})
    (shown,) = disclose_named("acme", around)
    prepared = prepare_install("./acme", around)
    commit_install(prepared, around, agree(prepared.disclosure, token=shown.disclosure.token))
    assert states(around) == {"acme": "active"}
    assert not around.home.joinpath("staging").exists()


def test_the_token_of_a_source_buys_what_was_shown(tmp_path: Path, server: Server) -> None:
    make_repository(tmp_path / "served" / "acme.git")
    around = machine(tmp_path, server=server)
    text = f"git+{server.url('/git/acme.git')}"
    (shown,) = disclose_named(text, around)
    server.routes.clear()
    prepared = prepare_install(text, around, token=shown.disclosure.token)
    commit_install(prepared, around, agree(prepared.disclosure, token=shown.disclosure.token))
    assert states(around) == {"acme": "active"}


def test_installed_and_shipped_capabilities_are_disclosed_by_their_id(tmp_path: Path) -> None:
    around = machine(tmp_path)
    capability(tmp_path / "source", {"capability.json": manifest_bytes()})
    install("./source", around)
    (acme,) = disclose_named("acme", around)
    (codex,) = disclose_named("codex", around)
    assert (acme.where, acme.disclosure.id) == ("global acme", "acme")
    assert codex.disclosure.surfaces.lanes[0].binary == "codex"


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"[]", b"5", b'{"reviewer": {"invoke": {"binary": "evil"}}}']
)
def test_what_no_validation_would_take_is_disclosed_all_the_same(tmp_path: Path, content: bytes) -> None:
    around = machine(tmp_path)
    (tmp_path / "some.json").write_bytes(content)
    capability(tmp_path / "folder", {"capability.json": content})
    for name in ("some.json", "folder"):
        (shown,) = disclose_named(name, around)
        assert shown.disclosure.has_executable is (b"evil" in content)


def test_a_folder_that_cannot_be_installed_is_disclosed_and_says_so(tmp_path: Path) -> None:
    around = machine(tmp_path)
    (capability(tmp_path / "folder", {"capability.json": manifest_bytes()}) / "link").symlink_to("/etc")
    (shown,) = disclose_named("folder", around)
    assert shown.problem == "link is a link; a capability holds none"
    assert shown.disclosure.content_hash is None


def test_what_is_neither_path_nor_id_nor_source_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match='^"nothing" names no source$'):
        disclose_named("nothing", machine(tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty holds no capability.json$"):
        disclose_named("empty", machine(tmp_path))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "capability.json").symlink_to("/nowhere")
    with pytest.raises(InputError, match="capability.json cannot be read: No such file or directory"):
        disclose_named("folder", machine(tmp_path))
