"""The http lane against llama.cpp's own server: discovery, an answer, a full context, a key, a wrong path."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.run.probe import probe_lane
from tests.http_samples import PROMPT, approved_http, http_lane, run
from tests.servers.llama import Llama, llama_server, write_tiny_model

KEY = "the-key-of-this-server"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("model") / "tiny.gguf")


@pytest.fixture(scope="module")
def llama(model: Path) -> Iterator[Llama]:
    with llama_server(model, context=1024) as server:
        yield server


@pytest.fixture(scope="module")
def locked(model: Path) -> Iterator[Llama]:
    with llama_server(model, context=1024, api_key=KEY) as server:
        yield server


def test_the_loaded_model_is_found_and_answers(llama: Llama, tmp_path: Path) -> None:
    result = run(llama.url, tmp_path, model=None, max_tokens=40)
    # A random model writes noise, or nothing: what counts is that its answer is read and judged.
    assert result.outcome in {Outcome.REVIEW, Outcome.FAILED}
    assert result.reason in {None, Reason.EMPTY_OUTPUT, Reason.MALFORMED_RESPONSE}
    assert result.model == str(llama.model)
    assert result.usage is not None
    assert result.usage.input_tokens is not None
    assert result.usage.input_tokens > len(PROMPT.split())
    assert Mark.MODEL_MISMATCH not in result.marks
    assert Mark.TRUNCATED_INPUT not in result.marks


def test_a_wrong_model_name_is_answered_by_another_model_and_marked(llama: Llama, tmp_path: Path) -> None:
    result = run(llama.url, tmp_path, model="gpt-of-another-world", max_tokens=40)
    if result.outcome is Outcome.REVIEW:
        assert Mark.MODEL_MISMATCH in result.marks
        assert f"asked for gpt-of-another-world, {llama.model} answered" in result.detail
    assert result.model == str(llama.model)


def test_a_prompt_beyond_the_context_is_told_with_both_numbers(llama: Llama, tmp_path: Path) -> None:
    result = run(llama.url, tmp_path, prompt="word " * 2000)
    assert (result.outcome, result.reason) == (Outcome.FAILED, Reason.CONTEXT_OVERFLOW)
    assert result.detail.startswith("the prompt has 10,0")
    assert result.detail.endswith(" tokens, and the server's context holds 1,024")
    assert result.hint == "give it less: review.max_prompt_tokens_per_reviewer.acme"
    assert result.extra == {"http_status": "400"}


def test_a_wrong_base_url_is_an_http_error_that_names_the_key(llama: Llama, tmp_path: Path) -> None:
    base = f"{llama.url}/somewhere"
    result = run(base, tmp_path)
    assert (result.outcome, result.reason) == (Outcome.FAILED, Reason.HTTP_ERROR)
    assert result.detail == "status 404: File Not Found"
    assert result.hint == f"is review.acme_host right? It makes {base}/v1/chat/completions"


@pytest.mark.parametrize("tail", ["/v1", "/v1/", "/v1/chat/completions", "/api/v1", "/v1/models"])
def test_a_pasted_base_url_works(llama: Llama, tmp_path: Path, tail: str) -> None:
    result = run(f"{llama.url}{tail}", tmp_path, model=None, max_tokens=10)
    assert result.reason is not Reason.HTTP_ERROR
    assert result.model == str(llama.model)


@pytest.mark.parametrize("key", [None, "another-key"])
def test_without_the_right_key_the_lane_needs_one(locked: Llama, tmp_path: Path, key: str | None) -> None:
    for model in (None, "tiny"):
        result = run(locked.url, tmp_path, model=model, api_key=key, api_key_env="ACME_KEY")
        assert (result.outcome, result.reason) == (Outcome.FAILED, Reason.AUTH_REQUIRED)
        assert result.hint == (
            "ACME_KEY is not set" if key is None else "the key in ACME_KEY was not accepted"
        )


def test_the_key_opens_the_server_and_is_kept_nowhere(locked: Llama, tmp_path: Path) -> None:
    result = run(locked.url, tmp_path, model=None, api_key=f" {KEY}\n", max_tokens=20)
    assert result.reason is not Reason.AUTH_REQUIRED
    assert KEY not in repr(result)
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_probe_tells_the_size_of_the_context(llama: Llama, tmp_path: Path) -> None:
    found = asyncio.run(
        probe_lane(http_lane(llama.url), find=lambda _name: None, cwd=tmp_path, host=llama.url, env={})
    )
    assert (found.available, found.reason, found.context_tokens) == (True, None, 1024)


def test_a_probe_without_a_key_says_that_one_is_needed(locked: Llama, tmp_path: Path) -> None:
    lane = http_lane(locked.url)
    found = asyncio.run(probe_lane(lane, find=lambda _name: None, cwd=tmp_path, host=locked.url, env={}))
    assert (found.available, found.reason) == (False, Reason.AUTH_REQUIRED)
    assert found.detail == f"{locked.url}/v1/models answered 401"
    opened = asyncio.run(
        probe_lane(lane, find=lambda _name: None, cwd=tmp_path, host=locked.url, env={}, api_key=KEY)
    )
    assert opened.available


def test_what_is_approved_shows_no_key(locked: Llama) -> None:
    assert KEY not in repr(approved_http(locked.url, api_key_env="ACME_KEY"))
