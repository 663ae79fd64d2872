"""The parts of the MCP server that need no server: names, commands, pages, schemas, the wire."""

import json
import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from msd_review.edges import clock
from msd_review.edges.process_table import Identity
from msd_review.mcp_server import consents, guide, kept, reading, status
from msd_review.mcp_server.kept import Start
from msd_review.mcp_server.places import Project, inside
from msd_review.mcp_server.refusal import Refused
from msd_review.mcp_server.shapes_in import INPUTS
from msd_review.mcp_server.shapes_out import OUTPUTS
from msd_review.mcp_server.texts import passage
from msd_review.mcp_server.tool_names import TOOLS
from msd_review.mcp_server.wire import Lines, Pen
from msd_review.run import store

SLUGS = frozenset({"claude", "codex", "gemini", "kimi-code", "opencode", "qwen"})


@pytest.mark.parametrize(
    ("client", "slug"),
    [
        ("claude-code", "claude"),
        ("Claude Desktop", "claude"),
        ("codex-mcp-client", "codex"),
        ("gemini-cli-mcp-client", "gemini"),
        ("qwen-cli-mcp-client-msd", "qwen"),
        ("kimi-code", "kimi-code"),
        ("Kimi Code CLI", "kimi-code"),
        ("opencode", "opencode"),
        ("claudette", None),
        ("my claude", None),
        ("", None),
    ],
)
def test_a_client_is_known_by_the_first_words_of_its_name(client: str, slug: str | None) -> None:
    assert consents.own_slug(client, SLUGS) == slug


def test_the_command_in_a_hint_is_made_to_work_from_every_folder() -> None:
    hint = "if that is right: msd capability trust allow-host ollama 'https://a b/'"
    command = consents.for_a_person(hint, Path("/tmp/my project"))
    assert command == "msd -C '/tmp/my project' capability trust allow-host ollama 'https://a b/'"
    assert consents.for_a_person("name it to agree for one run: --claude", Path("/tmp")) is None
    assert consents.for_a_person(None, Path("/tmp")) is None


def test_every_tool_has_its_shapes_and_the_instructions_name_it() -> None:
    assert TOOLS.keys() == INPUTS.keys() == OUTPUTS.keys()
    taught = guide.INSTRUCTIONS
    assert [name for name in TOOLS if name not in taught] == ["cancel_review"]


def test_no_tool_takes_anything_that_could_be_a_consent() -> None:
    names = {name for shape in INPUTS.values() for name in shape["properties"]}
    assert (
        names
        & {"yes", "consent", "allow", "allow_secrets", "accept_disclosure", "token", "in_place", "output"}
        == set()
    )


def test_the_root_itself_is_inside_and_a_sibling_with_its_name_in_front_is_not(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "project-secrets").mkdir()
    assert inside(root, ".") == root
    with pytest.raises(Refused, match="outside of the project"):
        inside(root, "../project-secrets")


def test_a_long_passage_is_cut_and_says_so() -> None:
    assert passage("abc", 10) == ("abc", False)
    text, is_cut = passage("x" * 100, 10)
    assert (text, is_cut) == ("x" * 10 + " …", True)
    assert passage(None, 10) == ("", False)


def test_a_page_holds_at_least_one_finding_and_no_more_than_its_bytes() -> None:
    rows: list[dict[str, Any]] = [{"id": f"a-{n}", "body": "ü" * 50_000, "severity": "low"} for n in range(9)]
    page = reading._page(rows, {}, 9)
    assert 1 <= len(page) < 9
    assert len(json.dumps(page, ensure_ascii=False).encode()) < reading.PAGE_BYTES + 8_000
    assert all(row["is_cut"] for row in page)


def test_the_wire_hands_over_whole_lines_and_ends_with_its_client() -> None:
    async def read() -> list[str]:
        ours, theirs = os.pipe()
        os.write(theirs, b'{"a":1}\n\n  \n{"b":\xff}\n{"c"')
        os.write(theirs, b":3}")
        os.close(theirs)
        found = [line async for line in Lines(ours)]
        os.close(ours)
        return found

    assert anyio.run(read) == ['{"a":1}', '{"b":\ufffd}', '{"c":3}']


def test_a_pen_whose_reader_went_away_writes_on_into_nothing() -> None:
    async def write() -> None:
        ours, theirs = os.pipe()
        os.close(ours)
        await Pen(theirs).write("x" * 100_000)
        os.close(theirs)

    anyio.run(write)


def test_a_pen_waits_for_a_slow_reader_and_can_be_given_up() -> None:
    async def write() -> tuple[bool, bytes]:
        ours, theirs = os.pipe()
        with anyio.move_on_after(0.2) as scope:
            await Pen(theirs).write("x" * 1_000_000)
        first = os.read(ours, 10)
        os.close(ours)
        os.close(theirs)
        return scope.cancelled_caught, first

    assert anyio.run(write) == (True, b"x" * 10)


def _reserved(root: Path, *, process: Identity | None, started_at: str) -> Path:
    folder = store.reserve_run(store.runs_folder())
    start = Start(tool="start_review", root=str(root), arguments={}, started_at=started_at, process=process)
    kept.write_start(folder, start)
    return folder


def test_a_run_whose_process_never_began_is_told_as_failed_with_its_last_words(tmp_path: Path) -> None:
    dead = Identity(pid=2**22 - 1, started="1", boot="elsewhen")
    folder = _reserved(tmp_path, process=dead, started_at=clock.iso(clock.now()))
    (folder / kept.STDERR).write_text("noise\nmsd: error: no room\nhint: make some\n", encoding="utf-8")
    told = status.status(Project(root=tmp_path), folder.name)
    assert (told["state"], told["is_over"], told["exit_code"]) == ("failed", True, None)
    assert told["error"]["message"] == "no room"


def test_a_run_that_was_reserved_and_forgotten_does_not_start_for_ever(tmp_path: Path) -> None:
    fresh = _reserved(tmp_path, process=None, started_at=clock.iso(clock.now()))
    old = _reserved(tmp_path, process=None, started_at="2026-01-01T00:00:00Z")
    project = Project(root=tmp_path)
    assert status.status(project, fresh.name)["state"] == "starting"
    assert status.status(project, old.name)["state"] == "failed"
