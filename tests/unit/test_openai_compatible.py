"""Bodies of model servers, read without a server: no bytes raise, and names, windows and counts are judged."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_review.handlers import openai_compatible as protocol
from msd_review.handlers.event_stream import events
from msd_review.outcomes import Mark
from msd_review.run.http_verdict import overflow
from msd_review.run.result import Usage
from tests.servers.misbehaving import completion

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "error", "detail", "usage", "model", "delta", "finish_reason", "data", "id",
                 "total_tokens", "prompt_tokens", "code", "type", "status", "args", "index", "text", "msg", "object", "meta"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=14,
)  # fmt: skip
TYPES = st.sampled_from(["", "application/json", "text/event-stream", "text/html; charset=x"])


@given(st.binary(max_size=200), TYPES)
def test_any_bytes_are_read_as_something(body: bytes, content_type: str) -> None:
    reading = protocol.read(body, content_type=content_type)
    assert isinstance(reading.text, str)
    assert protocol.choose_model(body) is None or protocol.choose_model(body)


@given(JSON, TYPES)
def test_any_json_is_read_as_something(value: Any, content_type: str) -> None:
    body = json.dumps(value).encode()
    for raw in (body, b"data: " + body + b"\n\n", b"data:" + body):
        reading = protocol.read(raw, content_type=content_type)
        assert not (reading.done and reading.errors)
        assert all(error.message for error in reading.errors)
    protocol.choose_model(body)
    protocol.context_tokens(body)


@given(JSON)
def test_an_error_in_a_body_always_is_one(value: Any) -> None:
    reading = protocol.read(json.dumps(completion("## Review") | {"error": value}).encode())
    assert bool(reading.errors) is bool(value)


@given(st.text(max_size=60))
def test_events_come_one_by_one_whatever_the_stream_holds(text: str) -> None:
    assert all(
        event is None or isinstance(event, dict) for event in events(f"data: {text}\n\ndata: [DONE]\n\n")
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "image_url", "image_url": {}}, {"type": "text", "text": "b"}], "b"),
        (["a", "b"], "a\nb"),
        ([None, 5, {"text": None}], ""),
        (5, ""),
        ({"text": "x"}, ""),
    ],
)
def test_the_text_is_the_text_parts_of_the_content(content: Any, text: str) -> None:
    assert protocol.read(json.dumps(completion(content)).encode()).text == text


def test_only_the_first_choice_is_read() -> None:
    choices = [{"index": 1, "message": {"content": "other"}}, {"index": 0, "message": {"content": "mine"}}]
    assert protocol.read(json.dumps(completion(None, choices=choices)).encode()).text == "mine"


def test_an_old_servers_error_field_in_a_stream_is_an_error() -> None:
    body = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\nerror: {"code":500,"message":"broken"}\n\n'
    assert [error.message for error in protocol.read(body).errors][0] == "broken"


@pytest.mark.parametrize(
    ("asked", "served", "same"),
    [
        ("llama3", "llama3:latest", True),
        ("llama3:8b", "llama3", False),
        ("a/b/model.gguf", "/srv/x/MODEL", True),
        ("c:\\models\\m.gguf", "m", True),
        ("gpt-x", "gpt-y", False),
    ],
)
def test_model_names_are_compared_without_path_and_latest(asked: str, served: str, same: bool) -> None:
    assert protocol.same_model(asked, served) is same


@pytest.mark.parametrize("total", [2048, 4096, 8192, 32768, 131072, 6144, 12288, 10240, 40960])
def test_a_round_total_is_a_full_window(total: int) -> None:
    body = json.dumps(completion("x", usage={"total_tokens": total})).encode()
    assert protocol.read(body).marks == (Mark.TRUNCATED_INPUT,)


@pytest.mark.parametrize("total", [None, 0, -4096, 1024, 2047, 4097, 7168, 3000, 4096.0, "4096", True])
def test_another_total_is_no_full_window(total: Any) -> None:
    body = json.dumps(completion("x", usage={"total_tokens": total})).encode()
    assert protocol.read(body).marks == ()


@pytest.mark.parametrize(
    ("prompt", "counted", "is_cut"),
    [
        ("word " * 1000, 1005, False),
        ("word " * 1000, 700, True),
        ("計画" * 1000, 1500, False),
        ("計画" * 1000, 400, True),
        ("=" * 9000, 800, False),
        ("x" * 30_000, 2048, True),
        ("word " * 1000, 0, False),
        ("word " * 1000, None, False),
        ("", 5, False),
    ],
)
def test_a_count_far_below_any_tokenizers_means_that_the_prompt_was_cut(
    prompt: str, counted: int | None, is_cut: bool
) -> None:
    assert protocol.is_input_cut(prompt, Usage(input_tokens=counted)) is is_cut


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ({"id": "m", "meta": {"n_ctx": 2048, "n_ctx_train": 4096}}, 2048),
        ({"id": "m", "max_model_len": 8192}, 8192),
        ({"id": "m", "loaded_context_length": 4096, "max_context_length": 131072}, 4096),
        ({"id": "m", "meta": None}, None),
        ({"id": "m", "meta": {"n_ctx": True}}, None),
    ],
)
def test_the_window_is_what_the_server_says_it_loaded(model: dict[str, Any], found: int | None) -> None:
    assert protocol.context_tokens(json.dumps({"data": [model]}).encode()) == found


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("request (4,390 tokens) exceeds the available context size (4,096 tokens)", (4390, 4096)),
        ("maximum context length is 4096 tokens, however you requested 5000", (5000, 4096)),
        (
            "keep the first 111490 tokens when context the overflows; context length of only 32768",
            (111490, 32768),
        ),
        ("context length exceeded", None),
        ("the context of 4096 is too small", None),
        ("9" * 5000, None),
        ("context " + "9" * 5000 + " 12", None),
    ],
)
def test_both_numbers_of_an_overflow_are_found_or_none(message: str, numbers: tuple[int, int] | None) -> None:
    assert overflow(message) == numbers


def test_a_request_holds_any_text_as_valid_json() -> None:
    body = protocol.request_body("m", "a\ud800b\x00\u2028", max_tokens=5)
    assert json.loads(body) == {
        "model": "m",
        "messages": [{"role": "user", "content": "a?b\x00\u2028"}],
        "max_tokens": 5,
        "stream": False,
    }
