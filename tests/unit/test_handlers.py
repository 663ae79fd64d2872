"""What handlers own: agents, arguments of this machine's tool, streams, and answers that were not printed."""

import json
from pathlib import Path

import pytest

from msd_review import handlers
from msd_review.handlers import antigravity, opencode
from msd_review.handlers.base import SELF_REPORT, Printed
from msd_review.outcomes import Mark
from msd_review.run.reading import read_output
from msd_review.run.result import ToolError, Usage
from tests.lane_samples import lane

AGY = lane(handler="antigravity")


def answer(content: str, **fields: str) -> str:
    entry = {"source": "MODEL", "status": "DONE", "type": "PLANNER_RESPONSE", "content": content}
    return json.dumps(entry | fields) + "\n"


class Home:
    """A user's home in which the tool keeps its conversations."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.base = folder / ".gemini/antigravity-cli"
        self.workspace = folder / "Project"

    def remember(self, conversation: object, key: str | None = None) -> None:
        cache = self.base / "cache/last_conversations.json"
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_text(json.dumps({key or str(self.workspace): conversation}))

    def write(self, conversation: str, text: str) -> None:
        path = self.base / "brain" / conversation / ".system_generated/logs/transcript.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as handle:
            handle.write(text)

    def note(self) -> object | None:
        return handlers.before_start("antigravity", home=self.folder, workspace=self.workspace)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def test_the_table_says_which_lanes_a_handler_fits() -> None:
    assert handlers.TRANSPORTS == {
        "antigravity": "spawn",
        "opencode": "spawn",
        "openai-compatible": "openai-http",
    }
    assert handlers.wants_help("antigravity")
    assert not handlers.wants_help("opencode")
    assert not handlers.wants_help(None)


@pytest.mark.parametrize(
    ("argv", "wanted"),
    [
        (("run", "--pure"), ("run", "--agent", "X", "--pure")),
        (("run", "--agent", "plan", "--x"), ("run", "--agent", "X", "--x")),
        (("run", "--agent=plan"), ("run", "--agent", "X")),
        (("--agent", "a", "run", "--agent", "b"), ("run", "--agent", "X")),
        (("tool", "run", "-p"), ("tool", "run", "--agent", "X", "-p")),
        ((), ("--agent", "X")),
        (("run", "--agent"), ("run", "--agent", "X")),
    ],
)
def test_an_agent_is_put_in_after_run(argv: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    assert handlers.plan_argv("opencode", argv, "X") == wanted


@pytest.mark.parametrize("handler", [None, "antigravity", "openai-compatible", "unheard-of"])
def test_a_tool_without_agents_gets_none(handler: str | None) -> None:
    assert handlers.plan_argv(handler, ("run",), "X") == ("run",)


def test_a_lane_without_a_handler_has_nothing_of_its_own(tmp_path: Path) -> None:
    assert handlers.before_start(None, home=tmp_path, workspace=tmp_path) is None
    assert handlers.start_argv(None, ("-p", "x"), repo=tmp_path, help_text="--add-dir") == ("-p", "x")
    assert handlers.read("unheard-of", Printed(stdout="x")) is None


def test_the_repository_is_opened_before_the_last_prompt_option() -> None:
    found = handlers.start_argv(
        "antigravity", ("agy", "-p", "old", "-p", "P"), repo=Path("/r"), help_text="--add-dir"
    )
    assert found[:5] == ("agy", "-p", "old", "--add-dir", "/r")
    assert found[5] == "-p"
    assert found[6].startswith("P ")
    assert SELF_REPORT in found[6]


def test_opencodes_failures_usage_and_end_are_read() -> None:
    events = [
        {"type": "error", "error": {"name": "APIError", "data": {"message": "slow down", "statusCode": 429}}},
        {
            "type": "step_finish",
            "part": {"reason": "tool-calls", "tokens": {"input": 1, "output": 2}, "cost": 0.1},
        },
    ]
    reading = opencode.read(Printed(stdout="\n".join(map(json.dumps, events))), None)
    assert reading.errors == (ToolError(message="slow down", status=429, kind="APIError"),)
    assert reading.usage == Usage(input_tokens=1, output_tokens=2, cost_usd=0.1)
    assert reading.diagnosis == ('{"stop_reason":"tool-calls","output_tokens":"2"}',)
    assert not reading.done


@pytest.mark.parametrize(
    "error", [None, 5, "text", {}, {"data": 5}, {"data": {"message": {"a": 1}}}, {"name": 5}]
)
def test_an_odd_opencode_failure_is_a_failure(error: object) -> None:
    reading = opencode.read(Printed(stdout=json.dumps({"type": "error", "error": error})), None)
    assert len(reading.errors) == 1
    assert reading.errors[0].message


def test_an_answer_that_was_not_printed_is_taken_from_the_transcript(home: Home) -> None:
    home.remember("c1")
    home.write("c1", answer("an old answer"))
    note = home.note()
    home.write(
        "c1", answer("thinking", status="RUNNING") + answer("## Review\nnew") + answer("x", source="USER")
    )
    reading = read_output(AGY, stdout=b"", stderr=b"", note=note)
    assert (reading.text, reading.done) == ("## Review\nnew", True)


def test_an_old_answer_is_never_taken_for_this_runs(home: Home) -> None:
    home.remember("c1")
    home.write("c1", answer("an old answer"))
    reading = read_output(AGY, stdout=b" \n", stderr=b"", note=home.note())
    assert reading.text.strip() == ""
    assert not reading.done


def test_what_was_printed_goes_before_the_transcript(home: Home) -> None:
    note = home.note()
    home.remember("c1")
    home.write("c1", answer("from the transcript"))
    assert read_output(AGY, stdout=b"printed", stderr=b"", note=note).text == "printed"


def test_what_a_failed_run_printed_is_discarded(home: Home) -> None:
    note = home.note()
    reading = read_output(AGY, stdout=b"half an answer", stderr=b"", exit_status=1, note=note)
    assert (reading.text, reading.noise) == ("", "half an answer")
    home.remember("c1")
    home.write("c1", answer("whole"))
    assert read_output(AGY, stdout=b"half", stderr=b"", exit_status=1, note=note).text == "whole"


def test_what_a_run_that_was_ended_by_us_printed_is_kept(home: Home) -> None:
    assert read_output(AGY, stdout=b"half", stderr=b"", exit_status=None, note=home.note()).text == "half"
    assert read_output(AGY, stdout=b"half", stderr=b"", exit_status=-15, note=home.note()).text == "half"


def test_a_workspace_is_found_in_another_case(home: Home) -> None:
    note = home.note()
    home.remember("c1", str(home.workspace).upper())
    home.write("c1", answer("found"))
    assert read_output(AGY, stdout=b"", stderr=b"", note=note).text == "found"


@pytest.mark.parametrize(
    "hostile", ["../../etc", "a/b", "..", ".", "", "a\\b", "c:x", "a\x00b", 5, None, ["c1"], "x" * 300]
)
def test_a_conversation_id_that_is_no_single_segment_is_refused(home: Home, hostile: object) -> None:
    home.remember(hostile)
    note = home.note()
    assert isinstance(note, antigravity.Watermark)
    assert (note.conversation, note.lines) == ("", 0)
    assert antigravity.recover(note) == ""


def test_a_transcript_that_cannot_be_read_gives_nothing_unless_the_conversation_is_new(home: Home) -> None:
    home.remember("c1")
    (home.base / "brain/c1/.system_generated/logs/transcript.jsonl").mkdir(parents=True)
    note = home.note()
    assert isinstance(note, antigravity.Watermark)
    assert note.unreadable
    assert antigravity.recover(note) == ""
    home.remember("c2")
    home.write("c2", answer("fresh"))
    assert antigravity.recover(note) == "fresh"


@pytest.mark.parametrize("content", ["", "{", "[]", '"x"', "[" * 100_000, '{"a":' * 50_000])
def test_a_broken_cache_is_no_trouble(home: Home, content: str) -> None:
    home.remember("c1")
    (home.base / "cache/last_conversations.json").write_text(content)
    note = home.note()
    assert isinstance(note, antigravity.Watermark)
    assert note.conversation == ""


def test_the_tools_own_log_tells_why_there_is_nothing(home: Home) -> None:
    log = home.base / "cli.log"
    log.parent.mkdir(parents=True)
    log.write_text("NOT_FOUND from an earlier run\n")
    note = home.note()
    with log.open("a") as handle:
        handle.write(
            "fine\nE1 agent executor error: a\nE2 NOT_FOUND b\nE3 Publisher model c\nE4 NOT_FOUND d\n"
        )
    reading = read_output(AGY, stdout=b"", stderr=b"", note=note)
    assert reading.diagnosis == ("E2 NOT_FOUND b", "E3 Publisher model c", "E4 NOT_FOUND d")
    assert read_output(AGY, stdout=b"said", stderr=b"", note=note).diagnosis == ()


@pytest.mark.parametrize(
    ("text", "blind"),
    [
        ("My working directory is /home/u/.gemini/antigravity-cli/scratch, which is empty.", True),
        ("- **Current working directory**: `C:\\Users\\u\\.gemini\\antigravity-cli\\scratch`", True),
        ("I am not working in the working directory antigravity-cli/scratch.", False),
        ("The code mentions antigravity-cli/scratch in src/a.py:3.", False),
    ],
)
def test_a_declared_scratch_folder_is_blindness(text: str, blind: bool) -> None:
    reading = read_output(AGY, stdout=f"# r\n\n\n\n\n\n{text}".encode(), stderr=b"")
    assert (Mark.WITHOUT_REPO_ACCESS in reading.marks) is blind
    assert reading.text.endswith(text)
