"""The kit on a stranger's manifest: nothing of it runs, nothing is sent, nothing of the user's is touched or left."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.test_conformance import QUOTES, manifest, only, states, tool, write
from tests.installed import MSD, Desk, new_desk

TELLS = """
Path(os.environ["HOME"], "started").write_text("yes")
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = new_desk(tmp_path)
    (desk.base / "tmp").mkdir()
    desk.extra_env["TMPDIR"] = str(desk.base / "tmp")
    return desk


def left(desk: Desk) -> list[str]:
    return sorted(path.name for path in (desk.base / "tmp").iterdir())


@pytest.fixture
def stranger() -> Iterator[tuple[str, list[str]]]:
    """A server that nobody agreed to, and the requests that reached it."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.path)
            self.send_error(404)

        do_POST = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", seen
    server.shutdown()
    server.server_close()


def test_by_default_nothing_that_a_manifest_names_is_started(desk: Desk) -> None:
    folder = write(desk, manifest())
    tool(desk, TELLS + QUOTES + "print(text)", name="bin/acme-review")
    ended = desk.run("lane", "conformance", str(folder), "--json", *only("probe", "answer"))
    assert states(ended) == {"probe": "holds", "answer": "holds"}
    assert list((desk.base / "home").iterdir()) == []
    assert not desk.msd_home.exists() and not desk.state.exists()
    assert (list(desk.project.iterdir()), left(desk)) == ([], [])


def test_a_declared_server_is_never_asked_even_where_no_key_names_another(
    desk: Desk, stranger: tuple[str, list[str]]
) -> None:
    value = manifest()
    key = "review.acme_host"
    value["reviewer"] |= {
        "transport": "openai-http",
        "probe": {"kind": "http-reachable", "hostConfigKey": key, "path": "/v1/models", "timeoutMs": 2000},
        "invoke": {
            "hostConfigKey": key,
            "defaultHost": stranger[0],
            "path": "/v1/chat/completions",
            "modelDiscovery": "first-from-models-endpoint",
            "effortChannel": "none",
        },
        "handler": "openai-compatible",
    }
    del value["reviewer"]["agentConfig"]
    folder = write(desk, value)
    ended = desk.run("lane", "conformance", str(folder), "--json", *only("probe", "answer"))
    assert states(ended) == {"probe": "holds", "answer": "holds"}, ended.err
    assert stranger[1] == []


def test_a_real_tool_takes_a_yes(desk: Desk) -> None:
    tool(desk, TELLS, name="bin/codex")
    ended = desk.run("lane", "conformance", "codex", "--real", *only("answer"))
    assert (ended.code, ended.err) == (
        5,
        "msd: error: nobody agreed that Codex (openai) receives the kit's prompts; nothing was sent\n"
        "hint: run it in a terminal, which asks, or add --yes\n",
    )
    assert not (desk.base / "home" / "started").exists()


def test_a_manifest_that_is_not_installed_takes_the_token_of_its_disclosure(desk: Desk) -> None:
    folder = write(desk, manifest())
    tool(desk, TELLS + QUOTES + "print(text)", name="bin/acme-review")
    refused = desk.run("lane", "conformance", str(folder), "--real", "--yes", *only("answer"))
    assert (refused.code, (desk.base / "home" / "started").exists()) == (5, False)
    wrong = desk.run(
        "lane", "conformance", str(folder), "--real", "--accept-disclosure", "x", *only("answer")
    )
    assert (wrong.code, (desk.base / "home" / "started").exists()) == (5, False)

    token = desk.run("capability", "disclose", str(folder), "--json").document["token"]
    asked = ("--real", "--accept-disclosure", token, "--json", *only("answer", "prompt-10kb"))
    ended = desk.run("lane", "conformance", str(folder), *asked)
    assert states(ended) == {"answer": "holds", "prompt-10kb": "holds"}
    assert (desk.base / "home" / "started").exists()
    assert desk.run("capability", "trust", "list").out == "nothing was agreed to yet\n"


def test_a_real_server_must_be_one_that_was_agreed_to(desk: Desk, stranger: tuple[str, list[str]]) -> None:
    desk.run("config", "set", "review.ollama_host", stranger[0], "--user")
    ended = desk.run("lane", "conformance", "ollama", "--real", "--yes", *only("answer"))
    assert ended.code == 5
    assert ended.err.startswith(
        f"msd: error: ollama: plans would go to {stranger[0]} (review.ollama_host, user)"
    )
    assert stranger[1] == []


def test_paths_of_a_manifest_lead_nowhere_else(desk: Desk) -> None:
    value = manifest()
    value["reviewer"]["agentConfig"] = [
        ".git/config",
        ".git",
        "../outside",
        "/etc/acme",
        "x" * 5000,
        "PLAN.md/x",
        ".acme",
    ]
    folder = write(desk, value)
    binary = tool(desk, f"{QUOTES}\nprint(text)\n")
    before = sorted(path.name for path in desk.base.iterdir())
    ended = desk.run(
        "lane", "conformance", str(folder), "--json", "--binary", str(binary), *only("repository-hooks")
    )
    assert states(ended) == {"repository-hooks": "holds"}
    assert (sorted(path.name for path in desk.base.iterdir()), left(desk)) == (before, [])


@pytest.mark.parametrize("name", ["git", "a'b $(touch x)"])
def test_odd_names_of_commands_break_nothing(desk: Desk, name: str) -> None:
    value = manifest(binary=name)
    value["reviewer"]["probe"]["binary"] = name
    ended = desk.run("lane", "conformance", str(write(desk, value)), *only("answer"))
    assert ended.code in {0, 1, 2}
    assert "a fault in msd" not in ended.err
    assert (list(desk.project.iterdir()), left(desk)) == ([], [])


def test_stopped_in_the_middle_it_leaves_no_file_and_no_process(desk: Desk) -> None:
    command = [*MSD, "lane", "conformance", "codex", *only("hang", "interrupt")]
    kit = subprocess.Popen(command, cwd=desk.project, env=desk.env(), stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not list((desk.base / "tmp").glob("*/*/record/call-*.json")) and time.monotonic() < until:
        time.sleep(0.02)
    kit.send_signal(signal.SIGTERM)
    _, err = kit.communicate(timeout=60)
    assert (kit.returncode, err.splitlines()[-1]) == (130, "msd: error: stopped; nothing of it is left")
    assert left(desk) == []
    while (running := _running(desk)) and time.monotonic() < until:
        time.sleep(0.05)
    assert running == []


def _running(desk: Desk) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes().decode("utf-8", "replace")
            except OSError:
                continue
            if str(desk.base) in words:
                found.append(words)
    return found


def test_what_is_printed_of_a_tool_cannot_drive_the_terminal(desk: Desk) -> None:
    folder = write(desk, manifest())
    binary = tool(
        desk,
        'sys.stdin.read(); sys.stderr.buffer.write(b"\\x1b]0;owned\\x07\\xff\\xed\\xa0\\x80 failed"); sys.exit(2)',
    )
    ended = desk.run("lane", "conformance", str(folder), "--binary", str(binary), *only("answer"))
    assert ended.code == 1
    assert all(char.isprintable() for char in ended.out.replace("\n", ""))
