"""What real tools printed, read and judged through their own manifests; and the handed OpenCode streams."""

import json
from pathlib import Path
from typing import Any

import pytest

from msd_review.manifest.model import Lane
from msd_review.outcomes import Outcome, Reason
from msd_review.registry import first_party
from msd_review.run.classify import classify
from msd_review.run.decoding import is_blank
from msd_review.run.reading import plain_text, read_output
from msd_review.run.result import Ending, Verdict

DATA = Path(__file__).parents[1] / "data"
OUTPUTS = DATA / "outputs"
INDEX = json.loads((OUTPUTS / "index.json").read_text(encoding="utf-8"))
STREAMS = json.loads((DATA / "cases" / "opencode.json").read_text(encoding="utf-8"))
LANES: dict[str, Lane] = {c.id: c.manifest.reviewer for c in first_party() if c.manifest.reviewer is not None}

# case → the reasons that its bytes allow
ALLOWED: dict[str, set[Reason]] = {
    "empty": {Reason.EMPTY_OUTPUT},
    "400": {Reason.CONTEXT_OVERFLOW},
    "401": {Reason.AUTH_REQUIRED},
    "403": {Reason.AUTH_REQUIRED},
    "429ra": {Reason.RATE_LIMITED},
    "500": {Reason.SERVER_ERROR},
    "html": {Reason.HTTP_ERROR, Reason.MALFORMED_RESPONSE},
}


def judged(entry: dict[str, Any]) -> tuple[Verdict, str]:
    tool, case = entry["tool"], entry["case"]
    stdout, stderr = ((OUTPUTS / tool / f"{case}.{name}").read_bytes() for name in ("stdout", "stderr"))
    written = b"" if b"wrote empty content" in stderr else None
    status = None if entry["killed_at_deadline"] else entry["exit"]
    reading = read_output(LANES[tool], stdout=stdout, stderr=stderr, output_file=written, exit_status=status)
    ending = Ending(
        kind="timeout" if entry["killed_at_deadline"] else "exited",
        exit_status=entry["exit"],
        stdout_path=OUTPUTS,
        stderr_path=OUTPUTS,
        output_path=None,
        stdout_bytes=len(stdout),
        stderr_bytes=len(stderr),
        duration_ms=1000,
    )
    return classify(LANES[tool], ending, reading, stderr=plain_text(stderr)), reading.text


@pytest.mark.parametrize("entry", INDEX, ids=lambda e: f"{e['tool']}-{e['case']}")
def test_recorded_output(entry: dict[str, Any]) -> None:
    verdict, text = judged(entry)
    if entry["killed_at_deadline"]:
        assert (verdict.outcome, verdict.reason) == (Outcome.FAILED, Reason.TIMEOUT)
    elif entry["case"] == "ok":
        assert (verdict.outcome, verdict.reason) == (Outcome.REVIEW, None)
        assert "HIGH: src/app.py:12" in text
        assert "LOW: README.md:3" in text
    elif entry["case"] == "drop":
        recovered = entry["exit"] == 0
        assert verdict.outcome is (Outcome.REVIEW if recovered else Outcome.FAILED)
    elif entry["tool"] == "codex" and entry["case"] == "html":
        assert verdict.outcome is Outcome.FAILED
    elif entry["exit"] == 55:
        assert (verdict.outcome, verdict.reason) == (Outcome.FAILED, Reason.TIMEOUT)
    else:
        assert verdict.outcome is Outcome.FAILED
        assert verdict.reason in ALLOWED[entry["case"]], verdict


@pytest.mark.parametrize("entry", [e for e in INDEX if e["case"] == "ok"], ids=lambda e: str(e["tool"]))
def test_tokens_are_read_where_the_tool_counts_them(entry: dict[str, Any]) -> None:
    stdout = (OUTPUTS / entry["tool"] / "ok.stdout").read_bytes()
    reading = read_output(LANES[entry["tool"]], stdout=stdout, stderr=b"")
    if entry["tool"] in {"claude", "codex", "qwen", "opencode"}:
        assert reading.usage is not None
        assert (reading.usage.input_tokens, reading.usage.output_tokens) == (1234, 56)


@pytest.mark.parametrize("case", STREAMS, ids=lambda c: c["id"])
def test_stream_case(case: dict[str, Any]) -> None:
    reading = read_output(LANES["opencode"], stdout=case["input"]["stdout"].encode(), stderr=b"")
    assert reading.text == case["expected"]["review"]
    assert reading.diagnosis == (case["expected"]["diagnostic"],)
    assert is_blank(reading.text) == case["expected"]["is_empty"]
