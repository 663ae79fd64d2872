"""The same attacks through the command itself: what a review sends, to whom, and what stays on this machine."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.http_samples import REVIEW
from tests.installed import Desk, new_desk
from tests.servers.misbehaving import Connection, Misbehaving, Received, completion, misbehaving

SECRET = "sk-local-0123456789abcdef"


async def _reviews(request: Received, connection: Connection) -> None:
    if request.method == "GET":
        await connection.answer_json({"data": [{"id": "tiny"}]})
    else:
        await connection.answer_json(completion(REVIEW))


@pytest.fixture(scope="module")
def running() -> Iterator[Misbehaving]:
    with misbehaving(_reviews) as server:
        yield server


@pytest.fixture
def server(running: Misbehaving) -> Misbehaving:
    """The server that the user agreed to, as good as new."""
    running.script = _reviews
    running.received.clear()
    running.connections = 0
    return running


@pytest.fixture
def stranger() -> Iterator[Misbehaving]:
    with misbehaving(_reviews) as running:
        yield running


@pytest.fixture(scope="module")
def agreed_home(running: Misbehaving, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's own configuration and consent for the server, given once by the commands that a person types."""
    desk = new_desk(tmp_path_factory.mktemp("agreed"))
    assert desk.run("config", "set", "--user", "review.ollama_host", running.url).code == 0
    assert desk.run("config", "set", "--user", "review.models.ollama", "tiny").code == 0
    assert desk.run("capability", "trust", "allow-host", "ollama", running.url).code == 0
    return desk.msd_home


@pytest.fixture
def desk(tmp_path: Path, agreed_home: Path) -> Desk:
    made = new_desk(tmp_path, {"PLAN.md": "# Plan\n\nAdd a cart with a total.\n"})
    shutil.copytree(agreed_home, made.msd_home)
    return made


def configure(desk: Desk, **review: object) -> None:
    """What a commit to the project's configuration says."""
    config = desk.project / ".planning" / "config.json"
    config.parent.mkdir()
    config.write_text(json.dumps({"review": review}))


def configure_user(desk: Desk, **review: object) -> None:
    config = desk.msd_home / "config.json"
    known = json.loads(config.read_text())
    config.write_text(json.dumps(known | {"review": known["review"] | review}))


def test_a_consented_server_reviews_and_the_model_is_recorded(desk: Desk, server: Misbehaving) -> None:
    ended = desk.run("review", "PLAN.md", "--ollama", "--json")
    assert ended.code == 0, ended.err
    [row] = ended.document["reviewers"]
    assert (row["identity"], row["outcome"], row["model"]) == ("ollama", "review", "tiny")
    assert len(server.posts()) == 1


def test_config_edited_by_a_commit_to_another_host_is_blocked_and_nothing_is_sent(
    desk: Desk, server: Misbehaving, stranger: Misbehaving
) -> None:
    configure(desk, ollama_host=stranger.url)
    ended = desk.run("review", "PLAN.md", "--ollama")
    assert ended.code == 5
    assert f"plans would go to {stranger.url}" in ended.out + ended.err
    assert f"you agreed to {server.url}" in ended.out + ended.err
    assert f"msd capability trust allow-host ollama {stranger.url}" in ended.out + ended.err
    assert (server.connections, stranger.connections) == (0, 0)


def test_a_redirect_in_the_middle_of_a_review_is_blocked(
    desk: Desk, server: Misbehaving, stranger: Misbehaving
) -> None:

    async def redirect(request: Received, connection: Connection) -> None:
        if request.method == "GET":
            await connection.answer_json({"data": [{"id": "tiny"}]})
        else:
            await connection.answer("", status="307 T", Location=f"{stranger.url}/v1/chat/completions")

    server.script = redirect
    ended = desk.run("review", "PLAN.md", "--ollama", "--json")
    assert ended.code == 5, ended.err
    assert stranger.connections == 0


def test_proxies_in_the_environment_never_see_a_plan_for_this_machine(
    desk: Desk, server: Misbehaving, stranger: Misbehaving
) -> None:
    desk.extra_env |= dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"), stranger.url)
    assert desk.run("review", "PLAN.md", "--ollama").code == 0
    assert (len(server.posts()), stranger.connections) == (1, 0)


def test_the_key_is_sent_to_the_server_and_found_in_no_file_of_ours(desk: Desk, server: Misbehaving) -> None:
    desk.extra_env["LOCAL_KEY"] = SECRET
    configure_user(desk, api_key_env={"ollama": "LOCAL_KEY"})
    ended = desk.run("review", "PLAN.md", "--ollama")
    assert ended.code == 0, ended.err
    assert server.posts()[0].headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in ended.out + ended.err
    written = [path for path in desk.base.rglob("*") if path.is_file()]
    assert [path for path in written if SECRET.encode() in path.read_bytes()] == []


def test_a_project_that_names_the_variable_of_the_key_is_not_obeyed(desk: Desk, server: Misbehaving) -> None:
    desk.extra_env["LOCAL_KEY"] = SECRET
    configure(desk, api_key_env={"ollama": "LOCAL_KEY"})
    desk.run("review", "PLAN.md", "--ollama")
    assert all("authorization" not in request.headers for request in server.received)
