"""What is read out of a tool's bytes, whatever surrounds its answer."""

import json
from typing import Any

import pytest

from msd_review.manifest.model import (
    ErrorSelector,
    Lane,
    ModelSelector,
    OutputChannel,
    OutputFormat,
    OutputMap,
    SpawnInvoke,
    TextSelector,
    UsageSelector,
    Where,
)
from msd_review.outcomes import Mark
from msd_review.run.reading import is_complete, read_output
from msd_review.run.result import Reading, ToolError, Usage
from tests.lane_samples import lane


def where(**equals: Any) -> Where:
    return Where(equals={f"/{name}": value for name, value in equals.items()})


def selector(pointer: str, condition: Where | None = None, take: Any = "all") -> TextSelector:
    return TextSelector(where=condition, pointer=pointer, take=take)


RESULT = OutputMap(
    done=None,
    text=(selector("/result", where(type="result")), selector("/response")),
    error=(
        ErrorSelector(where=where(is_error=True), message="/result", status="/status"),
        ErrorSelector(where=None, message="/error/message", status="/error/code"),
    ),
    usage=UsageSelector(where=None, input_tokens="/usage/in", output_tokens="/usage/out", cost_usd="/cost"),
    model=ModelSelector(where=None, pointer="/model"),
)
EVENTS = OutputMap(
    done=where(type="done"),
    text=(selector("/text", where(type="text")),),
    error=(ErrorSelector(where=where(type="error"), message="/message", status=None),),
    usage=UsageSelector(where=where(type="done"), input_tokens="/in", output_tokens=None, cost_usd=None),
    model=None,
)


def speaking(
    form: OutputFormat = "text", output_map: OutputMap | None = None, channel: OutputChannel = "stdout"
) -> Lane:
    invoke = SpawnInvoke(
        binary="acme",
        args=(),
        prompt_channel="stdin",
        output_channel=channel,
        output_format=form,
        output_map=output_map,
    )
    return lane(invoke=invoke)


JSON, LINES = speaking("json", RESULT), speaking("json-lines", EVENTS)


def read(of: Lane, stdout: str | bytes, stderr: str = "", output_file: bytes | None = None) -> Reading:
    raw = stdout.encode() if isinstance(stdout, str) else stdout
    return read_output(of, stdout=raw, stderr=stderr.encode(), output_file=output_file)


ANSWER = json.dumps(
    {"type": "result", "result": "# Review\nok", "usage": {"in": 3, "out": 4}, "cost": 0.5, "model": "m"}
)


def test_one_value_is_read_whole() -> None:
    assert read(JSON, ANSWER) == Reading(
        text="# Review\nok",
        structured=True,
        done=True,
        usage=Usage(input_tokens=3, output_tokens=4, cost_usd=0.5),
        model="m",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Loaded cached credentials.\nRipgrep is not available. Falling back to GrepTool.\n", ""),
        ("\x1b[?2004h\x1b]0;title\x07", "\x1b[?2004l\r\n"),
        ("[STARTUP] Phase 'x' {was} never ended.\n{not json}\n", "\nflushing telemetry [1/2] {\n"),
        ("\ufeff", "\n"),
        ("warning: [deprecated] ", " bye"),
    ],
)
def test_json_is_found_in_noise(before: str, after: str) -> None:
    reading = read(JSON, before + ANSWER + after)
    assert (reading.text, reading.structured, reading.done) == ("# Review\nok", True, True)


def test_printed_over_many_lines_it_is_found_too() -> None:
    pretty = json.dumps({"items": [{"n": n} for n in range(2000)], "type": "result", "result": "x"}, indent=1)
    assert read(JSON, f"noise\n{pretty}\n").text == "x"


def test_of_an_array_the_last_element_that_matches_counts() -> None:
    array = [{"type": "result", "result": "first"}, {"type": "result", "result": "last"}, {"type": "other"}]
    assert read(JSON, json.dumps(array)).text == "last"


def test_selectors_are_tried_in_order_until_one_gives_text() -> None:
    assert read(JSON, '[{"type":"result","result":" "},{"response":"second"}]').text == "second"
    assert read(JSON, '{"response": 5}').text == ""


def test_lines_are_joined_or_the_last_is_taken() -> None:
    stdout = "".join(json.dumps({"type": "text", "text": text}) + "\n" for text in ("a", "", "b"))
    assert read(LINES, stdout).text == "a\n\nb"
    last = speaking("json-lines", EVENTS._replace(text=(selector("/text", where(type="text"), "last"),)))
    assert read(last, stdout).text == "b"


def test_lines_that_do_not_parse_are_skipped_and_kept_as_noise() -> None:
    reading = read(
        LINES, '\x1b[?2004h{"type":"text","text":"a"}\r\n{broken\nbanner\n\n{"type":"done","in":7}\n'
    )
    assert (reading.text, reading.done, reading.noise) == ("a", True, "{broken\nbanner")
    assert reading.usage == Usage(input_tokens=7)


def test_failures_before_the_last_done_are_history_and_after_it_are_not() -> None:
    error, done = '{"type":"error","message":"no"}\n', '{"type":"done"}\n'
    text = '{"type":"text","text":"a"}\n'
    assert read(LINES, error + text + done).errors == ()
    assert read(LINES, text + done + error).errors == (ToolError(message="no"),)


def test_a_failure_with_its_status_is_read() -> None:
    reading = read(JSON, '{"is_error":true,"result":"no","status":"429"}')
    assert reading.errors == (ToolError(message="no", status=429),)
    assert (reading.structured, reading.done) == (True, False)


def test_the_map_is_tried_on_stderr_when_stdout_says_nothing() -> None:
    stderr = 'Error at x {"error":{"message":"quoted","code":1}}\n    at y (z:1:2) {\n  status: 401\n}\n'
    told = json.dumps({"session": 1, "error": {"message": "no key", "code": 401}}, indent=2)
    reading = read(JSON, "", stderr + told)
    assert reading.errors == (ToolError(message="no key", status=401),)
    assert reading.text == ""


def test_where_no_json_comes_the_text_is_text() -> None:
    reading = read(JSON, "## Concerns\n- none\n")
    assert (reading.text, reading.structured) == ("## Concerns\n- none\n", False)


def test_json_of_another_kind_is_no_text() -> None:
    reading = read(LINES, '{"type":"started"}\n{"type":"thinking"}\nerror: no luck\n')
    assert (reading.text, reading.structured, reading.noise) == ("", True, "error: no luck")


def test_a_review_in_text_that_quotes_json_is_text() -> None:
    review = '## Concerns\n- HIGH: src/a.py:3 answers\n```\n{"error": {"message": "x", "code": 500}}\n```\n'
    reading = read(JSON, review)
    assert (reading.text, reading.structured, reading.errors) == (review, False, ())


def test_the_file_goes_before_stdout_and_failures_come_from_stdout() -> None:
    of = speaking("json-lines", EVENTS, "file-arg")
    stdout = '{"type":"text","text":"from stdout"}\n{"type":"done","in":1}\n'
    assert read(of, stdout, output_file=b"from the file").text == "from the file"
    assert read(of, stdout, output_file=b"from the file").done
    assert read(of, stdout, output_file=b"").text == ""
    assert not read(of, stdout, output_file=b"").done
    assert read(of, stdout).text == "from stdout"
    assert read(of, '{"type":"error","message":"no"}\n', output_file=b"x").errors == (
        ToolError(message="no"),
    )


def test_a_log_on_stdout_is_no_review_where_the_review_goes_into_a_file() -> None:
    for of in (speaking("text", None, "file-arg"), speaking("json-lines", EVENTS, "file-arg")):
        reading = read(of, "working...\nshutdown noise\n")
        assert (reading.text, reading.noise) == ("", "working...\nshutdown noise\n")
        assert read(of, "working...\n", output_file="Größe".encode()).text == "Größe"


def test_bytes_of_any_encoding_are_read() -> None:
    text = "## Überblick – ok, 計画\n"
    plain = speaking()
    assert read(plain, text.encode("utf-16")).text == text
    assert read(plain, "plain enough text".encode("utf-16-be")).text == "plain enough text"
    assert read(plain, "plain enough text".encode("utf-16-le")).text == "plain enough text"
    assert read(plain, b"caf\xe9 ok").text == "caf\ufffd ok"
    assert read(plain, b"\xef\xbb\xbfbom").text == "bom"
    assert read(JSON, ANSWER.encode("utf-16")).text == "# Review\nok"


def test_lone_surrogates_in_json_can_be_stored() -> None:
    reading = read(JSON, '{"type":"result","result":"a \\ud83d\\ude00 \\ud800 b"}')
    assert reading.text == "a \U0001f600 \ufffd b"
    reading.text.encode("utf-8")


def test_numbers_that_no_counter_holds_are_no_usage() -> None:
    for number in ("1e999", "-Infinity", "NaN", "9" * 400, "true", '"5"', "[]"):
        reading = read(JSON, f'{{"type":"result","result":"x","usage":{{"in":{number}}},"cost":{number}}}')
        assert (reading.text, reading.usage) == ("x", None)


def test_equality_keeps_true_and_one_apart() -> None:
    assert read(JSON, '{"is_error":1,"type":"result","result":"x"}').errors == ()


@pytest.mark.parametrize(
    ("of", "stdout", "complete"),
    [
        (JSON, ANSWER, True),
        (JSON, ANSWER[:-5], False),
        (JSON, '{"is_error":true,"result":"no"}', False),
        (JSON, "# Review\nall of it\n", False),
        (speaking(), ANSWER, False),
        (LINES, '{"type":"text","text":"a"}\n', False),
        (LINES, '{"type":"text","text":"a"}\n{"type":"done"}\n', True),
        (LINES, '{"type":"done"}\n', False),
        (speaking("json-lines", EVENTS, "file-arg"), '{"type":"done"}\n', True),
        (speaking("json-lines", EVENTS._replace(done=None)), '{"type":"text","text":"I will read"}\n', False),
    ],
)
def test_only_structure_shows_that_an_answer_is_complete(of: Lane, stdout: str, complete: bool) -> None:
    assert is_complete(of, stdout.encode()) is complete


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("REVIEWED-WITHOUT-REPO-ACCESS\n# r", True),
        ("\n\n**REVIEWED-WITHOUT-REPO-ACCESS**\n# r", True),
        ("a\nb\nc\nd\ne\nREVIEWED-WITHOUT-REPO-ACCESS\n", False),
        ("The first line would be REVIEWED-WITHOUT-REPO-ACCESS otherwise.", False),
    ],
)
def test_the_admission_of_blindness_is_read_from_any_lane(text: str, marked: bool) -> None:
    assert (Mark.WITHOUT_REPO_ACCESS in read(speaking(), text).marks) is marked
