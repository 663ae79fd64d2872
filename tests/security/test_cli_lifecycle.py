"""Getting a stranger's lane in and out by the commands that a person types; whatever happens in between."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from tests.git_samples import commit, make_repository, manifest_bytes
from tests.installed import MSD, REVIEW, Desk, new_desk
from tests.servers.loopback import Answer, Server, https_server


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = new_desk(tmp_path, {"PLAN.md": "# Plan\n\nAdd a cart with a total.\n"})
    (made.project / ".git").mkdir()
    made.program("acme", f"sys.stdin.read()\nprint({REVIEW!r})\n")
    return made


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with https_server(tmp_path) as running:
        yield running


@pytest.fixture
def url(desk: Desk, server: Server, tmp_path: Path) -> str:
    """A repository of acme, served over smart HTTPS; git trusts the test's authority."""
    repositories = tmp_path / "repositories"
    make_repository(repositories / "acme.git")
    server.serve_git(repositories)
    desk.extra_env["GIT_SSL_CAINFO"] = str(server.authority)
    return server.url("/git/acme.git")


def agreed(desk: Desk, spec: str, *options: str) -> tuple[str, ...]:
    token = desk.run("capability", "disclose", spec, "--json").document["token"]
    return ("capability", "install", spec, "--accept-disclosure", token, *options)


def standing(desk: Desk) -> list[tuple[str, str]]:
    rows = desk.run("capability", "list", "--json").document["capabilities"]
    return [(row["version"], row["state"]) for row in rows if row["id"] == "acme"]


def leftovers(desk: Desk) -> list[str]:
    """What a change leaves behind that it should not: staging, plans of changes, half-written files."""
    names = {".staging", "transactions"}
    found = [path for path in desk.msd_home.rglob("*") if path.name in names or path.name.endswith(".tmp")]
    return [str(path) for path in found if path.is_file() or any(path.iterdir())]


def test_a_lane_from_a_git_url_is_installed_inspected_used_updated_and_removed(
    desk: Desk, url: str, tmp_path: Path
) -> None:
    installed = desk.run(*agreed(desk, url))
    assert (installed.code, installed.out) == (0, "installed acme 1.0.0 (global)\n"), installed.err
    assert '"acme" "review"' in desk.run("capability", "disclose", "acme").out
    assert desk.run("review", "PLAN.md", "--acme").code == 0
    commit(tmp_path / "repositories" / "acme.git", {"capability.json": manifest_bytes(version="1.1.0")})
    assert "outdated" in desk.run("capability", "outdated").out
    unasked = desk.run("capability", "update", "acme")
    assert unasked.code == 5
    assert standing(desk) == [("1.0.0", "active")]
    token = desk.run("capability", "disclose", url, "--json").document["token"]
    updated = desk.run("capability", "update", "acme", "--accept-disclosure", token)
    assert updated.out == "updated acme to 1.1.0\n", updated.err
    assert desk.run("capability", "remove", "acme").out == "removed acme 1.1.0 (global)\n"
    assert standing(desk) == []
    assert desk.run("review", "PLAN.md", "--acme").code == 2
    assert desk.run("capability", "trust", "list").out == "nothing was agreed to yet\n"


FAULTS = (
    "install.planned", "install.staged", "install.swapped", "install.recorded", "install.consented", "install.cleared",
)  # fmt: skip
KILLED = {"MSD_FAULT_TOKEN": "kill-me"}


@pytest.mark.parametrize("fault", FAULTS)
def test_attack_kill_9_while_installing_then_a_clean_list(desk: Desk, tmp_path: Path, fault: str) -> None:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "capability.json").write_bytes(manifest_bytes())
    command = agreed(desk, str(folder))
    killed = desk.run(*command, env={**KILLED, "MSD_FAULT": fault})
    assert killed.code == -signal.SIGKILL
    listed = desk.run("capability", "list")
    assert (listed.code, listed.err) == (0, "")
    assert standing(desk) in ([], [("1.0.0", "active")])
    assert leftovers(desk) == []


@pytest.mark.parametrize("fault", ["remove.planned", "remove.set_aside", "remove.recorded", "remove.revoked"])
def test_attack_kill_9_while_removing_then_a_clean_list(desk: Desk, tmp_path: Path, fault: str) -> None:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "capability.json").write_bytes(manifest_bytes())
    desk.run(*agreed(desk, str(folder)))
    killed = desk.run("capability", "remove", "acme", env={**KILLED, "MSD_FAULT": fault})
    assert killed.code == -signal.SIGKILL
    listed = desk.run("lane", "list")
    assert (listed.code, listed.err) == (0, "")
    assert standing(desk) in ([], [("1.0.0", "active")])
    assert leftovers(desk) == []


def test_attack_two_installs_at_once(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "capability.json").write_bytes(manifest_bytes())
    command = [*MSD, *agreed(desk, str(folder))]
    both = [
        subprocess.Popen(
            command, cwd=desk.project, env=desk.env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=60) for process in both]
    assert 0 in [process.returncode for process in both], said
    assert all(b"Traceback" not in err and b"a fault in msd" not in err for _, err in said)
    assert standing(desk) == [("1.0.0", "active")]
    assert leftovers(desk) == []


def test_a_slow_fetch_shows_its_progress_and_ctrl_c_leaves_nothing_behind(
    desk: Desk, server: Server, tmp_path: Path
) -> None:
    def drip(handler: BaseHTTPRequestHandler, _body: bytes) -> Answer:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        for _ in range(100):
            handler.wfile.write(b"x" * 1000)
            handler.wfile.flush()
            time.sleep(0.2)
        return Answer()

    server.routes["/acme.tgz"] = drip
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    process = subprocess.Popen(
        [*MSD, "capability", "install", server.url("/acme.tgz")],
        cwd=desk.project,
        env={**desk.env(), "SSL_CERT_FILE": str(server.authority), "TMPDIR": str(temporary)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    lines = [process.stderr.readline(), process.stderr.readline()]
    os.killpg(process.pid, signal.SIGINT)
    _, rest = process.communicate(timeout=30)
    assert " MB after " in lines[1], (lines, rest)
    assert (process.returncode, rest.splitlines()[-1]) == (130, "msd: error: interrupted")
    assert list(temporary.iterdir()) == []
    assert leftovers(desk) == []
    assert not (desk.msd_home / "capabilities").exists()


def test_attack_a_server_whose_certificate_nobody_vouches_for(desk: Desk, server: Server) -> None:
    server.serve("/acme.tgz", b"nothing")
    ended = desk.run("capability", "install", server.url("/acme.tgz"))
    assert ended.code == 2
    assert server.seen == []


@pytest.mark.parametrize(
    "spec",
    [
        "http://localhost/acme.git", "ext::sh -c touch% x", "file:///etc", "git://localhost/acme.git",
        "--upload-pack=touch x", "https://localhost/acme.git#--upload-pack=x", "git+http://localhost/acme.git",
    ],
)  # fmt: skip
def test_attack_a_source_that_is_no_source(desk: Desk, spec: str) -> None:
    before = sorted(path for path in desk.project.rglob("*"))
    ended = desk.run("capability", "install", "--yes", "--", spec)
    assert ended.code == 2
    assert ended.err.startswith("msd: error: ")
    assert sorted(path for path in desk.project.rglob("*")) == before
    assert standing(desk) == []
