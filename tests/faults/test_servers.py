"""What model servers do wrong, each by a real server on loopback: always one outcome and one reason, in time."""

import asyncio
import contextlib
import gzip
import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from msd_review.edges.addresses import AddressBook
from msd_review.outcomes import Mark, Outcome, Reason
from tests.http_samples import PROMPT, REVIEW, http_lane, run
from tests.servers.misbehaving import Connection, Misbehaving, Received, Script, completion, misbehaving


@pytest.fixture
def server() -> Iterator[Misbehaving]:
    async def nothing(_request: Received, _connection: Connection) -> None:
        pass

    with misbehaving(nothing) as running:
        yield running


def says(value: Any, *, status: str = "200 OK", **headers: str) -> Script:
    """Answers every request with one body: JSON, or text and bytes as they are."""

    async def script(_request: Received, connection: Connection) -> None:
        body = value if isinstance(value, str | bytes) else json.dumps(value)
        await connection.answer(body, status=status, **headers)

    return script


def writes(*pieces: bytes, then: str = "close") -> Script:
    """Writes raw bytes, then closes, resets, or keeps the connection open for ever."""

    async def script(_request: Received, connection: Connection) -> None:
        for piece in pieces:
            await connection.write(piece)
        if then == "reset":
            connection.reset()
        if then == "silence":
            await connection.reader.read()

    return script


def failed(
    server: Misbehaving, folder: Path, script: Script, **options: Any
) -> tuple[Reason | None, str, str | None]:
    server.script = script
    result = run(server.url, folder, **options)
    assert result.outcome is Outcome.FAILED
    assert result.text_path is None
    return result.reason, result.detail, result.hint


def sse(*events: Any, done: bool = True) -> bytes:
    lines = [f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n" for event in events]
    return ("".join(lines) + ("data: [DONE]\n\n" if done else "")).encode()


def delta(text: str | None, *, finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "model": "tiny",
        "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}],
    } | fields


STREAM = {"Content_Type": "text/event-stream"}
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


# A good answer


def test_a_review_is_delivered_with_its_usage_and_model(server: Misbehaving, tmp_path: Path) -> None:
    server.script = says(completion(REVIEW))
    result = run(server.url, tmp_path)
    assert (result.outcome, result.reason, result.detail, result.marks) == (Outcome.REVIEW, None, "", ())
    assert result.text_path == tmp_path / "review.md"
    assert result.text_path.read_text() == REVIEW
    assert result.usage is not None
    assert (result.usage.input_tokens, result.usage.output_tokens) == (60, 20)
    assert (result.model, result.identity, result.slug, result.section) == ("tiny", "acme", "acme", "Acme")
    assert result.stdout_bytes == (tmp_path / "response").stat().st_size
    assert result.extra == {"http_status": "200"}


def test_only_what_every_server_knows_is_sent(server: Misbehaving, tmp_path: Path) -> None:
    server.script = says(completion(REVIEW))
    run(server.url, tmp_path)
    [request] = server.received
    assert (request.method, request.target) == ("POST", "/v1/chat/completions")
    assert request.json() == {
        "model": "tiny",
        "messages": [{"role": "user", "content": PROMPT}],
        "max_tokens": 8192,
        "stream": False,
    }
    assert "cookie" not in request.headers
    assert "authorization" not in request.headers
    assert request.headers["host"] == f"127.0.0.1:{server.port}"


def test_files_of_an_attempt_are_private(server: Misbehaving, tmp_path: Path) -> None:
    server.script = says(completion(REVIEW))
    run(server.url, tmp_path)
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in tmp_path.iterdir()} == {
        "response": "0o600",
        "review.md": "0o600",
    }


# Streams, whatever was asked


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (sse(delta("## Summary\n\n"), delta("all good, no concerns"), delta(None, finish="stop")), STREAM),
        (sse(delta("## Summary\n\nall good, "), delta("no concerns", finish="stop"), done=False), STREAM),
        (sse(delta("## Summary\n\n"), delta("all good, no concerns")), {"Content_Type": "application/json"}),
        (
            b": hello\n\n" + sse(delta("## Summary\n\n"), {"choices": []}, delta("all good, no concerns")),
            STREAM,
        ),
        (sse(delta("## Summary\n\n"), delta("all good, no concerns")).replace(b"data: ", b"data:"), STREAM),
        (sse(delta("## Summary\n\n"), delta("all good, no concerns")).replace(b"\n", b"\r\n"), STREAM),
        (sse(delta("## Summary\n\n"), delta("all good, no concerns")).replace(b"\n\n", b"\n"), STREAM),
        (
            sse('{"choices": [{"delta":\ndata: {"content": "## Summary\\n\\nall good, no concerns"}}]}'),
            STREAM,
        ),
        (json.dumps(completion("## Summary\n\nall good, no concerns")).encode(), STREAM),
    ],
    ids=[
        "plain",
        "no-done",
        "json-type",
        "comments",
        "no-space",
        "crlf",
        "no-blank-lines",
        "split-event",
        "json-as-stream",
    ],
)
def test_a_stream_is_read_whatever_was_asked(
    server: Misbehaving, tmp_path: Path, body: bytes, headers: dict[str, str]
) -> None:
    server.script = says(body, **headers)
    result = run(server.url, tmp_path)
    assert (result.outcome, result.detail) == (Outcome.REVIEW, "")
    assert (tmp_path / "review.md").read_text() == "## Summary\n\nall good, no concerns"


def test_a_stream_that_ends_early_is_shown_and_not_counted(server: Misbehaving, tmp_path: Path) -> None:
    server.script = says(sse(delta(REVIEW[:90]), done=False), **STREAM)
    result = run(server.url, tmp_path)
    assert (result.outcome, result.reason) == (Outcome.PARTIAL, Reason.SERVER_ERROR)
    assert result.detail == "the stream ended before the answer did"
    assert result.text_path is not None
    assert result.text_path.read_text() == REVIEW[:90]


def test_an_error_in_a_stream_is_a_failure(server: Misbehaving, tmp_path: Path) -> None:
    script = says(sse(delta("half a "), {"error": {"message": "slot unavailable", "code": 500}}), **STREAM)
    assert failed(server, tmp_path, script) == (Reason.SERVER_ERROR, "slot unavailable", None)


def test_a_stream_without_events_is_no_review(server: Misbehaving, tmp_path: Path) -> None:
    reason, detail, _ = failed(server, tmp_path, says(": ping\n\n: ping\n\n", **STREAM))
    assert (reason, detail) == (Reason.MALFORMED_RESPONSE, "the event stream holds no event")


# Marks


def test_another_model_than_asked_is_recorded_and_marked(server: Misbehaving, tmp_path: Path) -> None:
    server.script = says(completion(REVIEW, model="other:7b"))
    result = run(server.url, tmp_path)
    assert (result.outcome, result.marks, result.model) == (
        Outcome.REVIEW,
        (Mark.MODEL_MISMATCH,),
        "other:7b",
    )
    assert result.detail == "asked for tiny, other:7b answered"


@pytest.mark.parametrize("served", ["tiny:latest", "/models/tiny", "C:\\models\\TINY.gguf", "org/tiny"])
def test_the_same_model_by_another_name_is_no_mismatch(
    server: Misbehaving, tmp_path: Path, served: str
) -> None:
    server.script = says(completion(REVIEW, model=served))
    assert run(server.url, tmp_path).marks == ()


def test_an_answer_cut_by_its_length_is_marked(server: Misbehaving, tmp_path: Path) -> None:
    choice = {"index": 0, "finish_reason": "length", "message": {"content": REVIEW}}
    server.script = says(completion(None, choices=[choice]))
    result = run(server.url, tmp_path)
    assert (result.outcome, result.marks) == (Outcome.REVIEW, (Mark.TRUNCATED_OUTPUT,))
    assert result.diagnosis == ("finish_reason: length",)


def test_a_prompt_that_a_server_cut_in_silence_is_marked(server: Misbehaving, tmp_path: Path) -> None:
    usage = {"prompt_tokens": 2049, "completion_tokens": 30, "total_tokens": 2079}
    server.script = says(completion(REVIEW, usage=usage))
    result = run(server.url, tmp_path, prompt="A plan of many ordinary words. " * 1000)
    assert (result.outcome, result.marks) == (Outcome.REVIEW, (Mark.TRUNCATED_INPUT,))
    assert result.detail == "the server read 2,049 tokens of the prompt, and it has more"


def test_a_window_that_is_full_to_the_last_token_is_marked(server: Misbehaving, tmp_path: Path) -> None:
    usage = {"prompt_tokens": 4000, "completion_tokens": 96, "total_tokens": 4096}
    server.script = says(completion(REVIEW, usage=usage))
    assert run(server.url, tmp_path).marks == (Mark.TRUNCATED_INPUT,)


# No review in it


@pytest.mark.parametrize(
    ("message", "detail"),
    [
        ({"content": ""}, "the server answered without a review: finish_reason: stop"),
        ({"content": None}, "the server answered without a review: finish_reason: stop"),
        ({"content": " \n\u00a0\ufeff"}, "the server answered without a review: finish_reason: stop"),
        ({"content": []}, "the server answered without a review: finish_reason: stop"),
        ({}, "the server answered without a review: finish_reason: stop"),
        (
            {"content": "", "reasoning": "The user is asking…"},
            "the server answered without a review: finish_reason: stop; only reasoning came, which is not a review",
        ),
        (
            {"content": "", "reasoning_content": "Let me see"},
            "the server answered without a review: finish_reason: stop; only reasoning came, which is not a review",
        ),
        (
            {"content": "<think>HIGH: src/a.py:1 is wrong</think>\n"},
            "the server answered without a review: finish_reason: stop; only reasoning came, which is not a review",
        ),
        (
            {"content": "<think>HIGH: never closed"},
            "the server answered without a review: finish_reason: stop; only reasoning came, which is not a review",
        ),
        (
            {"content": None, "tool_calls": [{"id": "1"}]},
            "the server answered without a review: finish_reason: stop; the model asked for tools",
        ),
        (
            {"content": None, "refusal": "I can't\nhelp"},
            "the server answered without a review: finish_reason: stop; refused: I can't help",
        ),
    ],
)
def test_an_answer_without_text_is_empty(
    server: Misbehaving, tmp_path: Path, message: dict[str, Any], detail: str
) -> None:
    answer = completion(None, choices=[{"index": 0, "finish_reason": "stop", "message": message}])
    assert failed(server, tmp_path, says(answer)) == (Reason.EMPTY_OUTPUT, detail, None)


def test_a_200_with_an_empty_body_is_empty(server: Misbehaving, tmp_path: Path) -> None:
    assert failed(server, tmp_path, says(""))[:2] == (
        Reason.EMPTY_OUTPUT,
        "the server answered without a review",
    )


@pytest.mark.parametrize(
    "body", ["{", "null", "[]", "5", '"text"', "{}", '{"choices": []}', '{"choices": null}', "hello"]
)
def test_what_is_no_chat_completion_is_malformed(server: Misbehaving, tmp_path: Path, body: str) -> None:
    assert failed(server, tmp_path, says(body))[0] is Reason.MALFORMED_RESPONSE


def test_json_nested_too_deep_or_too_wide_is_malformed(server: Misbehaving, tmp_path: Path) -> None:
    for body in ("[" * 100_000, '{"a":' * 100_000, "[" + "[]," * 300_000 + "0]"):
        assert failed(server, tmp_path, says(body))[0] is Reason.MALFORMED_RESPONSE


def test_an_error_beside_choices_is_never_a_review(server: Misbehaving, tmp_path: Path) -> None:
    script = says(completion(REVIEW) | {"error": "disk on fire"})
    assert failed(server, tmp_path, script) == (Reason.SERVER_ERROR, "disk on fire", None)


def test_a_status_outside_2xx_is_never_a_review(server: Misbehaving, tmp_path: Path) -> None:
    assert failed(server, tmp_path, says(completion(REVIEW), status="500 Oops"))[:2] == (
        Reason.SERVER_ERROR,
        "status 500",
    )


@pytest.mark.parametrize(
    ("status", "body", "reason", "detail"),
    [
        (
            "400 Bad Request",
            {"error": {"code": 400, "message": "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 4390, "n_ctx": 4096}},
            Reason.CONTEXT_OVERFLOW,
            "the prompt has 4,390 tokens, and the server's context holds 4,096",
        ),
        (
            "400 Bad Request",
            {"error": {"message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion).", "type": "invalid_request_error", "code": "context_length_exceeded"}},
            Reason.CONTEXT_OVERFLOW,
            "the prompt has 5,000 tokens, and the server's context holds 4,096",
        ),
        (
            "200 OK",
            {"error": "Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough."},
            Reason.CONTEXT_OVERFLOW,
            "the prompt has 111,490 tokens, and the server's context holds 32,768",
        ),
        (
            "400 Bad Request",
            {"error": {"message": "Requested tokens (5000) exceed context window of 512", "type": "invalid_request_error", "code": None}},
            Reason.CONTEXT_OVERFLOW,
            "the prompt has 5,000 tokens, and the server's context holds 512",
        ),
        (
            "500 Internal Server Error",
            {"error": {"message": "the request exceeds the available context size", "type": "server_error", "code": 500}},
            Reason.CONTEXT_OVERFLOW,
            "status 500: the request exceeds the available context size",
        ),
        (
            "500 Internal Server Error",
            {"error": {"message": "model requires more system memory (5.3 GiB) than is available (3.1 GiB)", "type": "api_error", "param": None, "code": None}},
            Reason.RESOURCES,
            "status 500: model requires more system memory (5.3 GiB) than is available (3.1 GiB)",
        ),
        (
            "400 Bad Request",
            {"error": "Model loading was stopped due to insufficient system resources."},
            Reason.RESOURCES,
            "status 400: Model loading was stopped due to insufficient system resources.",
        ),
        (
            "404 Not Found",
            {"error": {"message": 'model "llama3" not found, try pulling it first', "type": "api_error", "param": None, "code": None}},
            Reason.MODEL_NOT_FOUND,
            'status 404: model "llama3" not found, try pulling it first',
        ),
        (
            "400 Bad Request",
            {"error": {"message": "No models loaded. Please load a model in the developer page or use the 'lms load' command.", "code": "model_not_found"}},
            Reason.MODEL_NOT_FOUND,
            "status 400: No models loaded. Please load a model in the developer page or use the 'lms load' command.",
        ),
        ("401 Unauthorized", {"error": {"message": "Invalid API Key", "type": "authentication_error", "code": 401}}, Reason.AUTH_REQUIRED, "status 401: Invalid API Key"),
        ("403 Forbidden", "", Reason.AUTH_REQUIRED, "status 403"),
        ("402 Payment Required", {"error": "add credits"}, Reason.QUOTA, "status 402: add credits"),
        ("429 Too Many Requests", {"error": {"message": "You exceeded your current quota", "type": "insufficient_quota"}}, Reason.QUOTA, "status 429: You exceeded your current quota"),
        ("429 Too Many Requests", {"error": {"message": "slow down"}}, Reason.RATE_LIMITED, "status 429: slow down"),
        ("404 Not Found", {"error": {"message": "File Not Found", "type": "not_found_error", "code": 404}}, Reason.HTTP_ERROR, "status 404: File Not Found"),
        ("404 Not Found", {"detail": "Not Found"}, Reason.HTTP_ERROR, "status 404: Not Found"),
        ("404 Not Found", "404 page not found", Reason.HTTP_ERROR, "status 404: 404 page not found"),
        ("405 Method Not Allowed", "", Reason.HTTP_ERROR, "status 405"),
        ("200 OK", {"error": "Unexpected endpoint or method. (POST /chat/completions)"}, Reason.HTTP_ERROR, "Unexpected endpoint or method. (POST /chat/completions)"),
        ("200 OK", "<!DOCTYPE html><html><body>Sign in</body></html>", Reason.HTTP_ERROR, "a web page came instead of an answer"),
        ("502 Bad Gateway", "<html><body><h1>502 Bad Gateway</h1></body></html>", Reason.SERVER_ERROR, "status 502: a web page came instead of an answer"),
        (
            "422 Unprocessable Entity",
            {"detail": [{"loc": ["body", "foo"], "msg": "Extra inputs are not permitted", "type": "extra_forbidden"}]},
            Reason.HTTP_ERROR,
            "status 422: Extra inputs are not permitted",
        ),
        ("400 Bad Request", {"error": {"message": "bad json", "type": "invalid_request_error", "code": 400}}, Reason.HTTP_ERROR, "status 400: bad json"),
        ("500 Internal Server Error", "error: the model crashed", Reason.SERVER_ERROR, "status 500: error: the model crashed"),
        ("403 Forbidden", "<html><title>Attention Required</title></html>", Reason.AUTH_REQUIRED, "status 403: a web page came instead of an answer"),
        ("500 Internal Server Error", "Internal Server Error", Reason.SERVER_ERROR, "status 500: Internal Server Error"),
        ("503 Service Unavailable", {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}}, Reason.SERVER_ERROR, "status 503: Loading model"),
        ("200 OK", {"object": "error", "message": "engine is dead", "type": "InternalServerError", "code": 500}, Reason.SERVER_ERROR, "engine is dead"),
        ("200 OK", {"error": {"code": None, "message": None, "type": None}}, Reason.SERVER_ERROR, "an error without words"),
        ("200 OK", {"error": ["odd", 5]}, Reason.SERVER_ERROR, '["odd", 5]'),
    ],
)  # fmt: skip
def test_every_shape_of_failure_has_its_reason(
    server: Misbehaving, tmp_path: Path, status: str, body: Any, reason: Reason, detail: str
) -> None:
    assert failed(server, tmp_path, says(body, status=status))[:2] == (reason, detail)


def test_a_review_that_speaks_of_errors_is_a_review(server: Misbehaving, tmp_path: Path) -> None:
    text = (
        REVIEW
        + "\nThe client must retry on 429 (rate limit exceeded) and show 401 unauthorized as a login page.\n"
    )
    server.script = says(completion(text))
    assert run(server.url, tmp_path).outcome is Outcome.REVIEW


def test_a_gateway_that_puts_its_error_into_the_content_delivers_no_review(
    server: Misbehaving, tmp_path: Path
) -> None:
    script = says(completion("[API Error: 429 Too Many Requests: rate limit exceeded]"))
    assert failed(server, tmp_path, script)[0] is Reason.RATE_LIMITED


# Hints


def test_ways_out_are_named(server: Misbehaving, tmp_path: Path) -> None:
    hints = {
        reason: failed(server, tmp_path, says({"error": "x"}, status=status), **options)[2]
        for reason, status, options in (
            ("no key", "401 U", {}),
            ("unset", "401 U", {"api_key_env": "ACME_KEY"}),
            ("wrong", "401 U", {"api_key_env": "ACME_KEY", "api_key": "not-the-key"}),
            ("url", "404 N", {}),
        )
    }
    assert hints == {
        "no key": "name the variable that holds its key: msd config set --user review.api_key_env.acme NAME",
        "unset": "ACME_KEY is not set",
        "wrong": "the key in ACME_KEY was not accepted",
        "url": f"is review.acme_host right? It makes {server.url}/v1/chat/completions",
    }


def test_a_lanes_own_hint_comes_first(server: Misbehaving, tmp_path: Path) -> None:
    lane = http_lane(server.url, hints={"model_not_found": "pull it first: acme pull NAME"})
    script = says({"error": "model 'x' not found"}, status="404 N")
    assert failed(server, tmp_path, script, lane=lane)[2] == "pull it first: acme pull NAME"


# The wire


def test_a_server_that_never_answers_is_ended_at_the_deadline(server: Misbehaving, tmp_path: Path) -> None:
    reason, detail, hint = failed(server, tmp_path, writes(then="silence"), timeout_ms=400)
    assert (reason, hint) == (
        Reason.TIMEOUT,
        "give it longer: --timeout acme=SECONDS, or review.timeouts.acme",
    )
    assert detail.startswith("no whole answer within 0.")


def test_a_byte_now_and_then_does_not_hold_off_the_deadline(server: Misbehaving, tmp_path: Path) -> None:
    async def drip(_request: Received, connection: Connection) -> None:
        await connection.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            await connection.write(b" ")
            await asyncio.sleep(0.05)

    assert failed(server, tmp_path, drip, timeout_ms=500)[0] is Reason.TIMEOUT


def test_endless_early_hints_do_not_hold_off_the_deadline(server: Misbehaving, tmp_path: Path) -> None:
    async def hints(_request: Received, connection: Connection) -> None:
        while True:
            await connection.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
            await asyncio.sleep(0.01)

    assert failed(server, tmp_path, hints, timeout_ms=500)[0] is Reason.TIMEOUT


def test_a_stream_that_stops_at_the_deadline_is_partial(server: Misbehaving, tmp_path: Path) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    server.script = writes(head, sse(delta(REVIEW[:80]), done=False), then="silence")
    result = run(server.url, tmp_path, timeout_ms=1500)
    assert (result.outcome, result.reason) == (Outcome.PARTIAL, Reason.TIMEOUT)
    assert result.text_path is not None
    assert result.text_path.read_text() == REVIEW[:80]


@pytest.mark.parametrize("body", [sse(delta(REVIEW, finish="stop")), json.dumps(completion(REVIEW)).encode()])
def test_a_whole_answer_on_a_connection_that_never_ends_is_kept(
    server: Misbehaving, tmp_path: Path, body: bytes
) -> None:
    server.script = writes(b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n", body, then="silence")
    result = run(server.url, tmp_path, timeout_ms=1500)
    assert (result.outcome, result.marks) == (Outcome.REVIEW, (Mark.KILLED_AFTER_REPLY,))


def test_a_reset_in_the_middle_of_the_body_is_no_review(server: Misbehaving, tmp_path: Path) -> None:
    body = json.dumps(completion(REVIEW)).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    reason, _, _ = failed(server, tmp_path, writes(head, body[:200], then="reset"))
    assert reason is Reason.SERVER_ERROR


def test_a_body_shorter_than_its_content_length_is_no_review(server: Misbehaving, tmp_path: Path) -> None:
    script = writes(
        b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", json.dumps(completion(REVIEW)).encode()[:-30]
    )
    reason, detail, _ = failed(server, tmp_path, script)
    assert (reason, detail) == (Reason.SERVER_ERROR, "the connection was closed in the middle of the answer")


def test_a_body_longer_than_its_content_length_is_cut_there(server: Misbehaving, tmp_path: Path) -> None:
    server.script = writes(
        b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n", json.dumps(completion(REVIEW)).encode()
    )
    result = run(server.url, tmp_path)
    assert (result.outcome, result.reason) == (Outcome.FAILED, Reason.MALFORMED_RESPONSE)


@pytest.mark.parametrize(
    "junk",
    [
        b"I am no web server\r\n\r\n",
        b"<html>HTTP/0.9</html>\n\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}",
        b"HTTP/1.1 20 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nbad header\x00: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
        b"\x16\x03\x01\x00\x05hello",
    ],
)
def test_junk_instead_of_http_is_malformed(server: Misbehaving, tmp_path: Path, junk: bytes) -> None:
    reason, detail, _ = failed(server, tmp_path, writes(junk))
    assert reason is Reason.MALFORMED_RESPONSE
    assert detail


def test_a_connection_closed_without_a_word_is_a_server_error(server: Misbehaving, tmp_path: Path) -> None:
    assert failed(server, tmp_path, writes())[:2] == (
        Reason.SERVER_ERROR,
        "the connection was closed in the middle of the answer",
    )


def test_endless_headers_are_bounded(server: Misbehaving, tmp_path: Path) -> None:
    async def headers(_request: Received, connection: Connection) -> None:
        await connection.write(b"HTTP/1.1 200 OK\r\n")
        for number in range(1_000_000):
            await connection.write(b"X-%d: %s\r\n" % (number, b"a" * 500))

    assert failed(server, tmp_path, headers)[0] is Reason.MALFORMED_RESPONSE


def test_endless_chunks_are_bounded(server: Misbehaving, tmp_path: Path) -> None:
    async def chunks(_request: Received, connection: Connection) -> None:
        await connection.write(CHUNKED)
        piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
        for _ in range(10_000):
            await connection.write(piece)

    reason, detail, _ = failed(server, tmp_path, chunks)
    assert (reason, detail) == (Reason.OUTPUT_LIMIT, "the answer is larger than 16,777,216 bytes")
    assert (tmp_path / "response").stat().st_size == 16 * 1024 * 1024


def test_a_gzip_bomb_is_bounded_after_unpacking(server: Misbehaving, tmp_path: Path) -> None:
    bomb = gzip.compress(b" " * (64 * 1024 * 1024))
    script = says(bomb, Content_Encoding="gzip")
    assert len(bomb) < 100_000
    assert failed(server, tmp_path, script)[0] is Reason.OUTPUT_LIMIT
    assert (tmp_path / "response").stat().st_size == 16 * 1024 * 1024


def test_a_packed_answer_that_nobody_asked_for_is_read_all_the_same(
    server: Misbehaving, tmp_path: Path
) -> None:
    server.script = says(gzip.compress(json.dumps(completion(REVIEW)).encode()), Content_Encoding="gzip")
    assert run(server.url, tmp_path).outcome is Outcome.REVIEW


@pytest.mark.parametrize(
    ("encoding", "body", "detail"),
    [
        ("br", b"x", "the answer is packed as 'br', and it was asked for plain"),
        ("gzip, gzip", b"x", "the answer is packed as 'gzip, gzip', and it was asked for plain"),
        ("gzip", gzip.compress(b"{}" * 500, mtime=0)[:-12], "the compressed answer ended early"),
    ],
    ids=["unknown", "twice", "cut"],
)
def test_a_packing_that_cannot_be_undone_is_malformed(
    server: Misbehaving, tmp_path: Path, encoding: str, body: bytes, detail: str
) -> None:
    script = says(body, Content_Encoding=encoding)
    assert failed(server, tmp_path, script)[:2] == (Reason.MALFORMED_RESPONSE, detail)


def test_tls_to_a_plain_port_is_unreachable_and_said(server: Misbehaving, tmp_path: Path) -> None:
    result = run(server.url.replace("http:", "https:"), tmp_path)
    assert (result.outcome, result.reason) == (Outcome.UNAVAILABLE, Reason.HOST_UNREACHABLE)
    assert result.detail.startswith("no TLS connection: ")
    assert server.received == []


def test_nobody_listening_is_unreachable_and_worth_another_attempt(tmp_path: Path) -> None:
    with misbehaving(writes()) as gone:
        url = gone.url
    result = run(url, tmp_path)
    assert (result.outcome, result.reason) == (Outcome.UNAVAILABLE, Reason.HOST_UNREACHABLE)
    assert result.detail == (
        f"cannot connect to {url.removeprefix('http://')} (tried 127.0.0.1): Connection refused"
    )
    assert result.hint == "start it: acme serve"
    assert result.extra == {"refused": "yes"}


def test_localhost_is_tried_at_both_its_addresses_and_that_is_said(
    server: Misbehaving, tmp_path: Path
) -> None:
    server.script = says(completion(REVIEW))
    result = run(f"http://localhost:{server.port}", tmp_path)
    assert result.outcome is Outcome.REVIEW
    assert result.diagnosis == ("finish_reason: stop", "nobody listens at ::1; 127.0.0.1 answered")
    assert server.received[0].headers["host"] == f"localhost:{server.port}"


@pytest.mark.skipif(sys.platform != "linux", reason="only there is all of 127/8 this machine")
def test_an_address_that_drops_packets_does_not_hide_the_next(server: Misbehaving, tmp_path: Path) -> None:
    async def both(_host: str, _port: int) -> tuple[str, ...]:
        return ("127.0.0.2", "127.0.0.1")

    server.script = says(completion(REVIEW))
    with contextlib.ExitStack() as held:
        full = held.enter_context(socket.socket())
        full.bind(("127.0.0.2", server.port))
        full.listen(0)
        for _ in range(3):  # a full queue makes the system drop what comes next
            waiting = held.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(("127.0.0.2", server.port))
        result = run(f"http://models.lan:{server.port}", tmp_path, book=AddressBook(both), timeout_ms=4000)
    assert result.outcome is Outcome.REVIEW
    assert result.diagnosis[-1] == "nobody listens at 127.0.0.2; 127.0.0.1 answered"


# What the scheduler needs to try again


@pytest.mark.parametrize(
    ("status", "headers", "extra"),
    [
        ("429 T", {"Retry_After": "7"}, {"http_status": "429", "retry_after_s": "7"}),
        ("429 T", {"Retry_After": "1.5"}, {"http_status": "429", "retry_after_s": "1.5"}),
        (
            "503 S",
            {"Retry_After": "Wed, 21 Oct 2015 07:28:00 GMT"},
            {"http_status": "503", "retry_after_s": "0"},
        ),
        ("502 B", {"Retry_After": "soon"}, {"http_status": "502"}),
        ("429 T", {"Retry_After": "9" * 400}, {"http_status": "429"}),
        ("429 T", {"Retry_After": "-5"}, {"http_status": "429"}),
        ("400 B", {}, {"http_status": "400"}),
    ],
)
def test_status_and_retry_after_are_handed_on(
    server: Misbehaving, tmp_path: Path, status: str, headers: dict[str, str], extra: dict[str, str]
) -> None:
    server.script = says({"error": "x"}, status=status, **headers)
    assert run(server.url, tmp_path).extra == extra


def test_a_server_that_is_loading_is_told_from_one_that_is_full(server: Misbehaving, tmp_path: Path) -> None:
    server.script = says({"error": {"message": "Loading model", "code": 503}}, status="503 S")
    assert run(server.url, tmp_path).extra == {"http_status": "503", "loading": "yes"}
    server.script = says({"error": "server busy, please try again"}, status="503 S")
    assert run(server.url, tmp_path).extra == {"http_status": "503"}


# The model


def _models_then(models: Any, *, status: str = "200 OK") -> Script:
    async def script(request: Received, connection: Connection) -> None:
        if request.method == "GET":
            await connection.answer_json(models, status=status)
        else:
            await connection.answer_json(completion(REVIEW, model=request.json()["model"]))

    return script


@pytest.mark.parametrize(
    ("models", "asked"),
    [
        ({"data": [{"id": "text-embedding-nomic-embed-text-v1.5"}, {"id": "qwen3"}]}, "qwen3"),
        ({"data": [{"id": "bge-m3:latest"}, {"id": "llama3:8b"}, {"id": "other"}]}, "llama3:8b"),
        ({"data": [{"id": "a", "status": {"value": "unloaded", "args": ["llama-server", "--embeddings"]}}, {"id": "b"}]}, "b"),
        ({"data": [{"id": "x", "type": "embeddings"}, {"id": "y", "type": "llm"}]}, "y"),
        ({"data": [{"id": "/models/tiny.gguf"}]}, "/models/tiny.gguf"),
        ({"data": None}, "fallback"),
        ({"data": []}, "fallback"),
        ({"data": [{"id": "nomic-embed-text"}]}, "fallback"),
        ({"data": [5, {"id": None}, {}]}, "fallback"),
        ([{"id": "bare-list"}], "bare-list"),
        ({"data": [{"id": "x" * 5000}, {"id": "short"}]}, "short"),
        ("nothing", "fallback"),
    ],
)  # fmt: skip
def test_the_first_model_that_can_review_is_asked_for(
    server: Misbehaving, tmp_path: Path, models: Any, asked: str
) -> None:
    server.script = _models_then(models)
    result = run(server.url, tmp_path, model=None)
    assert (result.outcome, result.model) == (Outcome.REVIEW, asked)
    assert server.posts()[0].json()["model"] == asked


def test_a_configured_model_is_not_looked_up(server: Misbehaving, tmp_path: Path) -> None:
    server.script = _models_then({"data": [{"id": "other"}]})
    run(server.url, tmp_path, model="mine")
    assert [(one.method, one.target) for one in server.received] == [("POST", "/v1/chat/completions")]


def test_a_list_of_models_that_fails_leaves_the_fallback(server: Misbehaving, tmp_path: Path) -> None:
    server.script = _models_then({"error": "no such thing"}, status="404 N")
    assert run(server.url, tmp_path, model=None).model == "fallback"


def test_without_any_model_the_lane_says_so_and_sends_nothing(server: Misbehaving, tmp_path: Path) -> None:
    server.script = _models_then({"data": []})
    result = run(server.url, tmp_path, model=None, fallback_model=None)
    assert (result.outcome, result.reason) == (Outcome.FAILED, Reason.MODEL_NOT_FOUND)
    assert result.detail == f"{server.url} names no model to review with, and none is configured"
    assert server.posts() == []


def test_a_key_that_is_refused_for_the_models_ends_the_lane_before_the_plan_is_sent(
    server: Misbehaving, tmp_path: Path
) -> None:
    server.script = says({"error": {"message": "Invalid API Key"}}, status="401 U")
    result = run(server.url, tmp_path, model=None)
    assert (result.outcome, result.reason) == (Outcome.FAILED, Reason.AUTH_REQUIRED)
    assert server.posts() == []
