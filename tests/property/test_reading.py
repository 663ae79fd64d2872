"""Reading and judging answer any bytes: no exception, no blow-up, and no refusal for what is built like a review."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_review import handlers
from msd_review.handlers.antigravity import is_blind
from msd_review.manifest.model import Lane
from msd_review.outcomes import NOT_RUN_REASONS, Mark, Outcome, Reason
from msd_review.registry import first_party
from msd_review.run.classify import classify, one_line
from msd_review.run.decoding import is_blank, storable
from msd_review.run.echo import without_echo
from msd_review.run.patterns import PATTERNS
from msd_review.run.reading import is_complete, plain_text, read_output
from msd_review.run.result import Ending, EndKind
from msd_review.run.workspace import map_back

LANES: list[Lane] = [c.manifest.reviewer for c in first_party() if c.manifest.reviewer is not None]
SPAWNED = [one for one in LANES if one.transport == "spawn"]
KINDS: list[EndKind] = [
    "exited", "timeout", "idle_timeout", "output_limit", "write_failed", "login_prompt", "cancelled", "spawn_failed",
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.sampled_from(["type", "result", "error", "message", "part", "text", "is_error", "usage", "content", "role", "item"]) | st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
OUTPUT = (
    st.binary(max_size=300)
    | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass"))
    | st.lists(JSON, max_size=4).map(lambda values: "\n".join(map(json.dumps, values)).encode())
    | st.lists(st.sampled_from(["Error: 401", "rate limit reached", "HIGH: a.py:3", "## Risk", "{", "[", "y/n", "at x (y:1:2)"]), max_size=6).map(lambda parts: "\n".join(parts).encode())
)  # fmt: skip


def ended(kind: EndKind, status: int | None, size: int) -> Ending:
    return Ending(
        kind=kind,
        exit_status=status,
        stdout_path=Path("o"),
        stderr_path=Path("e"),
        output_path=None,
        stdout_bytes=size,
        stderr_bytes=0,
        duration_ms=1000,
    )


@given(
    of=st.sampled_from(SPAWNED),
    stdout=OUTPUT,
    stderr=OUTPUT,
    written=st.none() | OUTPUT,
    kind=st.sampled_from(KINDS),
    status=st.none() | st.integers(-20, 300),
)
def test_any_output_has_one_outcome_and_a_reason_unless_it_is_a_review(
    of: Lane, stdout: bytes, stderr: bytes, written: bytes | None, kind: EndKind, status: int | None
) -> None:
    reading = read_output(of, stdout=stdout, stderr=stderr, output_file=written, exit_status=status)
    verdict = classify(of, ended(kind, status, len(stdout)), reading, stderr=plain_text(stderr))
    assert (verdict.reason is None) == (verdict.outcome is Outcome.REVIEW)
    assert verdict.reason is None or verdict.reason not in NOT_RUN_REASONS
    assert "\n" not in verdict.detail
    assert len(verdict.detail) <= 300
    verdict.detail.encode("utf-8")
    reading.text.encode("utf-8")
    if verdict.outcome in {Outcome.REVIEW, Outcome.PARTIAL}:
        assert not is_blank(reading.text)
    if kind != "exited":
        assert verdict.outcome is not Outcome.REVIEW or Mark.KILLED_AFTER_REPLY in verdict.marks
    elif status != 0:
        assert verdict.outcome is not Outcome.REVIEW or Mark.NONZERO_EXIT in verdict.marks
    if reading.errors and reading.structured:
        assert verdict.outcome is not Outcome.REVIEW


WORDS = ["401 Unauthorized", "Rate limit reached", "usage limit", "prompt is too long", "API Error: 500", "[Y/n]", "not logged in", "terminated", "unexpected argument", "model not found", "Error: x"]  # fmt: skip


@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), at=st.integers(0, 3))
def test_no_words_make_a_refusal_of_what_is_built_like_a_review(words: list[str], at: int) -> None:
    told = "; ".join(words)
    parts = ["## Summary\nSound.", "## Concerns\n- HIGH: src/a.py:3 breaks", "## Risk\nLOW"]
    parts.insert(at, told)
    text = "\n\n".join(parts)
    reading = read_output(SPAWNED[-1], stdout=text.encode(), stderr=b"")
    verdict = classify(SPAWNED[-1], ended("exited", 0, len(text)), reading, stderr=told)
    assert (verdict.outcome, verdict.reason) == (Outcome.REVIEW, None)


@given(of=st.sampled_from(LANES), stdout=OUTPUT)
def test_completeness_is_answered_for_any_bytes(of: Lane, stdout: bytes) -> None:
    assert is_complete(of, stdout) in {True, False}


@given(of=st.sampled_from(SPAWNED), stdout=OUTPUT, cut=st.integers(0, 300))
def test_what_is_complete_holds_no_failure(of: Lane, stdout: bytes, cut: int) -> None:
    if is_complete(of, stdout[:cut]):
        reading = read_output(of, stdout=stdout[:cut], stderr=b"", output_file=b"x")
        assert reading.done
        assert not reading.errors


@given(raw=st.binary(max_size=400))
def test_plain_text_can_always_be_stored(raw: bytes) -> None:
    storable(plain_text(raw)).encode("utf-8")


@given(text=st.text(), limit=st.integers(2, 60))
def test_one_line_is_one_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert line == " ".join(line.split())


@given(prompt=st.text(max_size=200), before=st.text(max_size=40), after=st.text(max_size=40))
def test_an_echo_never_adds_to_a_log(prompt: str, before: str, after: str) -> None:
    left = without_echo(before + prompt + after, prompt)
    assert len(left) <= len(before + prompt + after)


@given(text=st.text(max_size=200))
def test_any_text_may_be_blind_or_not(text: str) -> None:
    assert is_blind(text) in {True, False}


@given(
    argv=st.lists(st.sampled_from(["-p", "run", "--agent", "x", "--agent=y", ""]), max_size=6).map(tuple),
    handler=st.sampled_from([None, "antigravity", "opencode"]),
)
def test_handlers_change_any_arguments_without_losing_the_prompt(
    argv: tuple[str, ...], handler: str | None
) -> None:
    planned = handlers.plan_argv(handler, argv, "AGENT")
    started = handlers.start_argv(handler, (*planned, "-p", "PROMPT"), repo=Path("/r"), help_text="--add-dir")
    assert sum(arg.startswith("PROMPT") for arg in started) == 1
    assert planned.count("--agent") <= 1 or handler != "opencode"


@given(text=st.text(max_size=100), name=st.sampled_from(["c", "a b", "x%y"]))
def test_mapping_back_leaves_no_path_of_the_copy(text: str, name: str) -> None:
    copy, root = Path("/state") / name / "p", Path("/home/u/p")
    told = map_back(f"{text}\n{copy}/a.py:3\n{text}", copy=copy, root=root)
    assert f"{root}/a.py:3" in told


HOSTILE: list[tuple[str, Any]] = [
    ("open brackets", b"[" * 2_000_000),
    ("open objects", b'{"a":' * 300_000),
    ("lines of open brackets", b"[\n" * 2_000_000),
    ("unended strings", b'{"a\n' * 200_000),
    ("objects in prose", b"x {} " * 300_000),
    ("escape sequences", b"\x1b]" * 2_000_000),
    ("one long line", b"a" * 8_000_000),
    ("many short lines", b"Error: x\n" * 600_000),
    ("many frames", b"    at x (y:1:2)\n" * 300_000),
    ("arrays that never end", b'["x",\n' + b'"x",\n' * 200_000),
    ("json lines", b'{"type":"x"}\n' * 200_000),
    ("questions", b"Continue? [y/n]\n" * 300_000),
    ("dashes", b"-" * 2_000_000),
    ("words", b"error error " * 200_000),
]


@pytest.mark.parametrize("raw", [raw for _, raw in HOSTILE], ids=[name for name, _ in HOSTILE])
def test_a_large_hostile_output_is_read_and_judged(raw: bytes) -> None:
    for of in SPAWNED[:2]:
        reading = read_output(of, stdout=raw, stderr=raw[-65536:])
        verdict = classify(
            of, ended("exited", 1, len(raw)), reading, stderr=plain_text(raw[-65536:]), prompt="x" * 20
        )
        assert verdict.outcome in set(Outcome)


@pytest.mark.parametrize("pattern", PATTERNS, ids=[f"{n}-{p.reason}" for n, p in enumerate(PATTERNS)])
def test_no_pattern_takes_long_over_hostile_words(pattern: Any) -> None:
    for text in (
        "model " * 10_000,
        "a" * 60_000,
        "no response " * 5_000,
        "invalid api " * 5_000,
        "context " * 8_000,
    ):
        assert pattern.words.search(text) is None or pattern.reason in set(Reason)
