"""One outcome and one reason for whatever a tool did: every row seen in the field, and reviews that look like failures."""

import json
from pathlib import Path
from typing import Any

import pytest

from msd_review.manifest.model import (
    ErrorSelector,
    Lane,
    OutputFormat,
    OutputMap,
    SpawnInvoke,
    TextSelector,
    Where,
)
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.run.classify import classify
from msd_review.run.reading import read_output
from msd_review.run.result import Ending, EndKind, Verdict
from tests.lane_samples import lane

REVIEW = """## Summary
The plan is sound but the login path is not.

## Concerns
- **HIGH** `src/auth.py:12`: on 401 the client retries for ever and meets the rate limit (429 Too Many Requests).
- LOW README.md:3: "unauthorized" is misspelt; quota exceeded is never shown.

## Risk
MEDIUM
"""
CUT = """## Summary
The plan is sound but the login path is not.

## Concerns
- **HIGH** `src/auth.py:12`: on 401 the cli"""

RESULT_MAP = OutputMap(
    done=None,
    text=(
        TextSelector(where=Where(equals={"/type": "result"}), pointer="/result", take="last"),
        TextSelector(
            where=Where(equals={"/type": "assistant"}), pointer="/message/content/0/text", take="all"
        ),
    ),
    error=(
        ErrorSelector(where=Where(equals={"/is_error": True}), message="/result", status="/api_error_status"),
    ),
    usage=None,
    model=None,
)
EVENT_MAP = OutputMap(
    done=Where(equals={"/type": "turn.completed"}),
    text=(TextSelector(where=Where(equals={"/type": "message"}), pointer="/text", take="last"),),
    error=(
        ErrorSelector(where=Where(equals={"/type": "turn.failed"}), message="/error/message", status=None),
        ErrorSelector(where=Where(equals={"/type": "error"}), message="/message", status=None),
    ),
    usage=None,
    model=None,
)


def speaking(form: OutputFormat = "text", output_map: OutputMap | None = None, **fields: Any) -> Lane:
    invoke = SpawnInvoke(
        binary="acme",
        args=(),
        prompt_channel="stdin",
        output_channel="stdout",
        output_format=form,
        output_map=output_map,
    )
    return lane(invoke=invoke, **fields)


TEXT = speaking()
JSON = speaking("json", RESULT_MAP)
LINES = speaking("json-lines", EVENT_MAP)
OPENCODE = speaking(handler="opencode")
ANTIGRAVITY = speaking(handler="antigravity")


def judge(
    stdout: str = "",
    *,
    of: Lane = TEXT,
    stderr: str = "",
    status: int | None = 0,
    kind: EndKind = "exited",
    prompt: str = "",
    **ending: Any,
) -> Verdict:
    reading = read_output(
        of, stdout=stdout.encode(), stderr=stderr.encode(), exit_status=status if kind == "exited" else None
    )
    facts: dict[str, Any] = {
        "kind": kind,
        "exit_status": status,
        "stdout_path": Path("out"),
        "stderr_path": Path("err"),
        "output_path": None,
        "stdout_bytes": len(stdout),
        "stderr_bytes": len(stderr),
        "duration_ms": 2000,
    }
    return classify(of, Ending(**(facts | ending)), reading, stderr=stderr, prompt=prompt)


def as_pair(verdict: Verdict) -> tuple[Outcome, Reason | None]:
    return verdict.outcome, verdict.reason


def lines(*events: dict[str, Any]) -> str:
    return "".join(json.dumps(event) + "\n" for event in events)


def result(text: str, **fields: Any) -> str:
    return json.dumps({"type": "result", "subtype": "success", "result": text, **fields})


SAYS_IT_WORKED = [
    (JSON, result("API Error: Rate limit reached", is_error=True, duration_api_ms=0), "", Reason.RATE_LIMITED),
    (TEXT, "API Error: Rate limit reached\n", "", Reason.RATE_LIMITED),
    (JSON, result("Request not allowed", is_error=True, api_error_status=403), "", Reason.AUTH_REQUIRED),
    (JSON, result("", usage={"output_tokens": 13}), "", Reason.EMPTY_OUTPUT),
    (LINES, lines({"type": "error", "message": "Internal server error"}, {"type": "turn.failed", "error": {"message": "Internal server error"}}), "", Reason.SERVER_ERROR),
    (LINES, lines({"type": "turn.started"}, {"type": "turn.completed", "usage": {"output_tokens": 0}}), "", Reason.EMPTY_OUTPUT),
    (LINES, lines({"type": "error", "message": "You've hit your usage limit. Upgrade to Pro or try again at 3:04 PM."}), "", Reason.QUOTA),
    (JSON, result("[API Error: 401 status code (no body)]", usage={"output_tokens": 0}), "", Reason.AUTH_REQUIRED),
    (TEXT, "[API Error: 401 status code (no body)]", "", Reason.AUTH_REQUIRED),
    (TEXT, '✕ [API Error: got status: 429 Too Many Requests. {"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}]', "", Reason.RATE_LIMITED),
    (TEXT, "⚠ Workspace Trust Required\n\nThis workspace has not been trusted. Pass --trust to go on.\n", "", Reason.WORKSPACE_UNTRUSTED),
    (TEXT, "", "ProviderModelNotFoundError: ProviderModelNotFoundError\n data: { providerID: 'x', modelID: 'y' }", Reason.MODEL_NOT_FOUND),
    (OPENCODE, "", "ProviderModelNotFoundError: model y", Reason.MODEL_NOT_FOUND),
    (OPENCODE, lines({"type": "error", "error": {"name": "UnknownError", "data": {"message": "Unexpected server error. Check the logs."}}}), "", Reason.SERVER_ERROR),
    (OPENCODE, lines({"type": "step_finish", "part": {"reason": "stop", "tokens": {"output": 0}}}), "", Reason.EMPTY_OUTPUT),
    (ANTIGRAVITY, "", 'jetski: no output produced - a tool required the "command" permission that headless mode cannot prompt for, so it was auto-denied', Reason.PERMISSION_DENIED),
    (ANTIGRAVITY, "", "", Reason.EMPTY_OUTPUT),
    (TEXT, '{"type":"rate_limit","message":"Rate limit exceeded, try again in 12 minutes"}\n{"findings":[]}\n', "", Reason.RATE_LIMITED),
    (TEXT, "Rate limit exceeded, please try after 12 minutes\nfindings: []\n", "", Reason.RATE_LIMITED),
    (TEXT, "findings: []\n", "Error: rate limit exceeded, try again in 12 minutes\n", Reason.RATE_LIMITED),
    (TEXT, " \n\u3000\ufeff\n", "", Reason.EMPTY_OUTPUT),
]  # fmt: skip


@pytest.mark.parametrize(("of", "stdout", "stderr", "reason"), SAYS_IT_WORKED, ids=range(len(SAYS_IT_WORKED)))
def test_what_exits_in_peace_and_refused_is_no_review(
    of: Lane, stdout: str, stderr: str, reason: Reason
) -> None:
    assert as_pair(judge(stdout, of=of, stderr=stderr)) == (Outcome.FAILED, reason)


REFUSES = [
    (TEXT, "", "Error: Claude Code cannot be launched inside another Claude Code session. Nested sessions share resources. Unset the CLAUDECODE environment variable.", 1, Reason.PERMISSION_DENIED),
    (TEXT, "", "error: unexpected argument '--x' found\n\nUsage: tool exec [OPTIONS]\n\nFor more information, try '--help'.\n", 2, Reason.BAD_ARGUMENTS),
    (TEXT, "Usage: tool [options]\n\n", "Unknown arguments: output-format, outputFormat\n", 1, Reason.BAD_ARGUMENTS),
    (TEXT, "", 'invalid argument "600" for "--print-timeout" flag: time: missing unit in duration "600"', 1, Reason.BAD_ARGUMENTS),
    (TEXT, "", "Gemini CLI is not running in a trusted directory. To proceed, either use `--skip-trust`, set the `GEMINI_CLI_TRUST_WORKSPACE=true` environment variable, or trust this directory.", 55, Reason.WORKSPACE_UNTRUSTED),
    (TEXT, "", "Not inside a trusted directory and --skip-git-repo-check was not specified.", 1, Reason.WORKSPACE_UNTRUSTED),
    (TEXT, "", "Invalid auth method selected.", 41, Reason.AUTH_REQUIRED),
    (TEXT, "Invalid API key · Please run /login\n", "", 1, Reason.AUTH_REQUIRED),
    (TEXT, "Credit balance is too low\n", "", 1, Reason.QUOTA),
    (TEXT, "Claude AI usage limit reached|1733700000\n", "", 1, Reason.QUOTA),
    (TEXT, "", "error: failed to run prompt: provider.rate_limit: 429 Rate limit reached", 1, Reason.RATE_LIMITED),
    (TEXT, "", "Error: model requires more system memory (5.3 GiB) than is available (2.1 GiB)", 1, Reason.RESOURCES),
    (TEXT, "", "write /tmp/x: no space left on device", 1, Reason.RESOURCES),
    (TEXT, "", "Trying to keep the first 111490 tokens when context the overflows. loaded with context length of only 32768", 1, Reason.CONTEXT_OVERFLOW),
    (TEXT, "", "dial tcp 127.0.0.1:11434: connect: connection refused", 1, Reason.SERVER_ERROR),
    (TEXT, "", "", 137, Reason.EXIT_STATUS),
    (TEXT, "", "", -9, Reason.EXIT_STATUS),
    (TEXT, "", "/usr/bin/env: 'node': No such file or directory", 127, Reason.EXIT_STATUS),
    (TEXT, "Segmentation fault", "", 139, Reason.EXIT_STATUS),
]  # fmt: skip


@pytest.mark.parametrize(("of", "stdout", "stderr", "status", "reason"), REFUSES, ids=range(len(REFUSES)))
def test_a_tool_that_will_not_work_like_this_says_why(
    of: Lane, stdout: str, stderr: str, status: int, reason: Reason
) -> None:
    assert as_pair(judge(stdout, of=of, stderr=stderr, status=status)) == (Outcome.FAILED, reason)


NO_REVIEWS = [
    ("502 Bad Gateway", Reason.SERVER_ERROR),
    ("Error: 502 Bad Gateway\n", Reason.SERVER_ERROR),
    ("upstream connect error or disconnect/reset before headers. reset reason: overflow", Reason.SERVER_ERROR),
    ("<!DOCTYPE html><html><head><title>Sign in</title></head><body>x</body></html>", Reason.MALFORMED_RESPONSE),
    ('{"error": {"message": "The model is overloaded", "type": "server_error", "code": 503}}', Reason.SERVER_ERROR),
    ('{"error": "Unexpected endpoint or method. (POST /chat/completions)"}', Reason.HTTP_ERROR),
    ('{"detail": "Not Found"}', Reason.SERVER_ERROR),
    ("Traceback (most recent call last):\n  File \"/x/tool.py\", line 3, in <module>\n    main()\nValueError: bad\n", Reason.MALFORMED_RESPONSE),
    ("TypeError: Cannot read properties of undefined (reading 'x')\n    at main (/x/cli.js:10:5)\n    at node:internal/main:30:3\n", Reason.MALFORMED_RESPONSE),
    ("Opening authentication page in your browser. Do you want to continue? [Y/n]:", Reason.AUTH_REQUIRED),
    ("The tool wants to run `npm test`. Allow? [y/N] ", Reason.PERMISSION_DENIED),
    ("Usage: tool [OPTIONS] COMMAND [ARGS]...\n\nOptions:\n  --help  Show this message and exit.\n", Reason.BAD_ARGUMENTS),
    ("I'll start by reading the plan files and then check the source.", Reason.MALFORMED_RESPONSE),
    ("I'll start by reading the plan. Let me look at the repository structure.\nNow I will check the tests.\n", Reason.MALFORMED_RESPONSE),
    ("Starting review in plain text mode...\nConnecting to review service\nSetting up\nAnalyzing\nReviewing\n", Reason.MALFORMED_RESPONSE),
    ("I've written the full review to /home/someone/review.md", Reason.MALFORMED_RESPONSE),
    ("The review is available at [review.md](file:///tmp/review.md).", Reason.MALFORMED_RESPONSE),
    ("... output was truncated after this point", Reason.MALFORMED_RESPONSE),
    ("I'm sorry, but I can't assist with that request.", Reason.MALFORMED_RESPONSE),
    ("Prompt is too long", Reason.CONTEXT_OVERFLOW),
    ("Failed to authenticate. API Error: 401 Incorrect API key provided", Reason.AUTH_REQUIRED),
    ("Unable to connect to API (ECONNREFUSED)", Reason.SERVER_ERROR),
    ("Request timed out.", Reason.TIMEOUT),
]  # fmt: skip


@pytest.mark.parametrize(("stdout", "reason"), NO_REVIEWS, ids=range(len(NO_REVIEWS)))
def test_text_that_came_and_is_no_review(stdout: str, reason: Reason) -> None:
    assert as_pair(judge(stdout)) == (Outcome.FAILED, reason)


REVIEWS = [
    REVIEW,
    "LGTM",
    "0",
    "-n",
    "No issues found.",
    "No concerns. I checked the rate limit handling and the 401 path.",
    "The plan handles 401 wrongly: unauthorized callers get a 500. Fix auth.py before anything is built.",
    "The rate limit exceeded path is untested; the plan should add a task for 429 Too Many Requests.",
    "- HIGH: `api/client.py:40` retries on 429 (rate limit reached) without a bound.\n- LOW: typo.",
    "HIGH: authentication failed responses are cached. src/cache.py:7",
    "## Concerns\n\n- [MEDIUM] src/x.py:3 the error `API Error: 500 Internal server error` is swallowed.\n",
    "計画は妥当です。懸念はありません。",
    "Die Aufgabe 3 nennt keine Tests; sonst keine Einwände.",
    "I'll be direct: the migration drops a column before the readers are gone.\n\n- HIGH: db/0042.sql:3\n",
    "Let me start with the strengths. The waves are well ordered. Task 2 lacks a rollback, and quota exceeded is not handled.",
    "Error handling is missing in task 3; the rest looks good.",
    "Cannot be built as written: task 2 depends on task 5.",
    "Failed to mention a rollback in task 3. The connection refused path is untested.",
    "Cannot approve: network error handling is missing in wave 2.",
    "Review completed: no findings",
    '{"findings": [{"severity": "high", "title": "x", "path": "a.py", "line": 3}]}',
    "Usage of the cache in task 4 is wrong: entries never expire. Usage: see cache.py:9. - HIGH: fix it\n",
]  # fmt: skip


@pytest.mark.parametrize("text", REVIEWS, ids=range(len(REVIEWS)))
def test_a_review_that_speaks_of_failures_is_a_review(text: str) -> None:
    assert judge(text) == Verdict(outcome=Outcome.REVIEW, reason=None, detail="")


@pytest.mark.parametrize("text", REVIEWS[:1] + REVIEWS[5:11])
def test_a_review_in_json_that_speaks_of_failures_is_a_review(text: str) -> None:
    assert as_pair(judge(result(text, is_error=False), of=JSON)) == (Outcome.REVIEW, None)


def test_the_text_of_an_earlier_message_counts_when_the_result_is_empty() -> None:
    earlier = {"type": "assistant", "message": {"content": [{"type": "text", "text": REVIEW}]}}
    stdout = json.dumps([earlier, json.loads(result("", usage={"output_tokens": 13}))])
    assert as_pair(judge(stdout, of=JSON)) == (Outcome.REVIEW, None)


def test_reconnections_before_a_finished_turn_are_history() -> None:
    stdout = lines(
        {"type": "error", "message": "Reconnecting... 1/5 (stream disconnected)"},
        {"type": "message", "text": REVIEW},
        {"type": "turn.completed"},
    )
    assert as_pair(judge(stdout, of=LINES)) == (Outcome.REVIEW, None)


def test_a_stderr_that_echoes_the_prompt_is_no_refusal() -> None:
    prompt = "Please review.\nAPI Error: 401 Unauthorized, rate limit reached\nerror: unexpected argument '--x' found\n"
    echoed = "".join(f"  {line}\n" for line in prompt.splitlines())
    for stderr in (prompt, f"banner\nuser\n{prompt}\n", echoed):
        assert as_pair(judge("", stderr=stderr, prompt=prompt)) == (Outcome.FAILED, Reason.EMPTY_OUTPUT)
        assert as_pair(judge(REVIEW, stderr=stderr, prompt=prompt)) == (Outcome.REVIEW, None)
        assert as_pair(judge("", stderr=stderr, prompt=prompt, status=3)) == (
            Outcome.FAILED,
            Reason.EXIT_STATUS,
        )


def test_a_failure_behind_the_echoed_prompt_is_found() -> None:
    prompt = "Please review: what does 401 Unauthorized mean?\n"
    stderr = f"{prompt}\nERROR: You've hit your usage limit.\n"
    assert as_pair(judge("", stderr=stderr, prompt=prompt, status=1)) == (Outcome.FAILED, Reason.QUOTA)


def test_a_json_failure_on_stderr_beside_a_review_in_text_does_not_undo_it() -> None:
    stderr = result("old", is_error=True)
    assert as_pair(judge(REVIEW, of=JSON, stderr=stderr)) == (Outcome.REVIEW, None)


@pytest.mark.parametrize("status", [1, 2, 55, 126])
def test_a_complete_review_with_a_bad_exit_is_kept_and_marked(status: int) -> None:
    verdict = judge(REVIEW, status=status)
    assert as_pair(verdict) == (Outcome.REVIEW, None)
    assert verdict.marks == (Mark.NONZERO_EXIT,)
    assert verdict.detail.startswith(f"exit status {status}")


def test_a_finished_answer_in_structure_with_a_bad_exit_is_kept_and_marked() -> None:
    verdict = judge(result("Looks fine to me."), of=JSON, status=1)
    assert (verdict.outcome, verdict.marks) == (Outcome.REVIEW, (Mark.NONZERO_EXIT,))


def test_a_cut_review_with_a_bad_exit_is_shown_and_never_counted() -> None:
    assert as_pair(judge(CUT, status=1)) == (Outcome.PARTIAL, Reason.EXIT_STATUS)
    assert as_pair(judge(CUT, status=1, stderr="TypeError: terminated")) == (
        Outcome.PARTIAL,
        Reason.SERVER_ERROR,
    )
    assert as_pair(judge(REVIEW, status=-9)) == (Outcome.PARTIAL, Reason.EXIT_STATUS)
    assert as_pair(judge(REVIEW, status=137)) == (Outcome.PARTIAL, Reason.EXIT_STATUS)


def test_a_review_that_reports_findings_through_its_exit_status_but_met_a_refusal_is_partial() -> None:
    stderr = "Error: 429 Too Many Requests\n"
    assert as_pair(judge(REVIEW, status=1, stderr=stderr)) == (Outcome.PARTIAL, Reason.RATE_LIMITED)


def test_text_beside_an_announced_failure_is_partial() -> None:
    stdout = lines(
        {"type": "message", "text": REVIEW},
        {"type": "turn.failed", "error": {"message": "stream disconnected"}},
    )
    assert as_pair(judge(stdout, of=LINES, status=1)) == (Outcome.PARTIAL, Reason.SERVER_ERROR)


@pytest.mark.parametrize(("kind", "reason"), [("timeout", Reason.TIMEOUT), ("idle_timeout", Reason.IDLE_TIMEOUT), ("output_limit", Reason.OUTPUT_LIMIT)])  # fmt: skip
def test_ended_by_us_with_text_is_partial_and_without_failed(kind: EndKind, reason: Reason) -> None:
    assert as_pair(judge(REVIEW, kind=kind, status=-15)) == (Outcome.PARTIAL, reason)
    assert as_pair(judge("", kind=kind, status=-15)) == (Outcome.FAILED, reason)


@pytest.mark.parametrize("kind", ["timeout", "idle_timeout"])
def test_a_complete_structure_from_a_tool_that_does_not_exit_is_a_review(kind: EndKind) -> None:
    for of, stdout in (
        (JSON, result(REVIEW)),
        (LINES, lines({"type": "message", "text": REVIEW}, {"type": "turn.completed"})),
        (
            OPENCODE,
            lines(
                {"type": "text", "part": {"text": REVIEW}},
                {"type": "step_finish", "part": {"reason": "stop"}},
            ),
        ),
    ):
        verdict = judge(stdout, of=of, kind=kind, status=-15, killed_after_reply=True)
        assert (verdict.outcome, verdict.marks) == (Outcome.REVIEW, (Mark.KILLED_AFTER_REPLY,))


def test_an_incomplete_structure_is_partial() -> None:
    stdout = lines({"type": "message", "text": REVIEW})
    assert as_pair(judge(stdout, of=LINES, kind="timeout", status=-9)) == (Outcome.PARTIAL, Reason.TIMEOUT)


def test_a_tool_that_announced_its_refusal_and_hung_is_named_by_the_refusal() -> None:
    said = '✕ [API Error: got status: 429 Too Many Requests. {"error":{"status":"RESOURCE_EXHAUSTED"}}]\n'
    for stdout, stderr in ((said, ""), ("", said)):
        verdict = judge(stdout, stderr=stderr, kind="timeout", status=-15)
        assert as_pair(verdict) == (Outcome.FAILED, Reason.RATE_LIMITED)


def test_a_tool_that_still_tries_at_its_deadline_timed_out_and_the_trouble_is_told() -> None:
    stderr = "Attempt 3 failed with status 429. Retrying with backoff...\n"
    verdict = judge("", stderr=stderr, kind="timeout", status=-15)
    assert as_pair(verdict) == (Outcome.FAILED, Reason.TIMEOUT)
    events = lines({"type": "error", "message": "Reconnecting... 2/5 (429 Too Many Requests)"})
    verdict = judge(events, of=LINES, kind="timeout", status=-15)
    assert as_pair(verdict) == (Outcome.FAILED, Reason.TIMEOUT)
    assert verdict.detail == (
        "ended at its deadline after 2 s; the last it said: Reconnecting... 2/5 (429 Too Many Requests)"
    )


def test_a_tool_that_waits_for_a_permission_is_named_by_it() -> None:
    verdict = judge("", stderr="! permission requested: bash; waiting for approval\n", kind="idle_timeout")
    assert as_pair(verdict) == (Outcome.FAILED, Reason.PERMISSION_DENIED)


def test_what_else_can_end_a_lane() -> None:
    assert judge(kind="spawn_failed", status=None, problem="Exec format error") == Verdict(
        outcome=Outcome.FAILED, reason=Reason.SPAWN_FAILED, detail="Exec format error"
    )
    assert as_pair(judge(kind="cancelled", status=-15)) == (Outcome.CANCELLED, Reason.CANCELLED)
    assert as_pair(judge(REVIEW, kind="cancelled", status=-15)) == (Outcome.CANCELLED, Reason.CANCELLED)
    assert as_pair(judge(kind="write_failed", problem="No space left on device")) == (
        Outcome.FAILED,
        Reason.RESOURCES,
    )
    asked = judge("Please log in first: https://x [Y/n]:", kind="login_prompt", status=-15)
    assert as_pair(asked) == (Outcome.FAILED, Reason.AUTH_REQUIRED)


def test_what_was_complete_when_a_person_stopped_the_run_is_kept() -> None:
    verdict = judge(result(REVIEW), of=JSON, kind="cancelled", status=-15)
    assert (verdict.outcome, verdict.marks) == (Outcome.REVIEW, (Mark.KILLED_AFTER_REPLY,))


def test_a_lanes_own_hint_goes_before_ours() -> None:
    own = speaking(hints={"auth_required": "run: acme login"})
    assert judge("", of=own, stderr="Error: not logged in", status=1).hint == "run: acme login"
    assert judge("", stderr="Error: not logged in", status=1).hint == (
        "log in with the tool itself, then run again with --retry-failed"
    )
    assert judge("", status=1).hint is None


def test_the_detail_is_one_line_without_control_characters() -> None:
    verdict = judge("", stderr="Error: invalid API key\x07\t\u202e " + "x" * 1000, status=1)
    assert verdict.detail.startswith("Error: ")
    assert len(verdict.detail) <= 300
    assert verdict.detail.isprintable()


def test_how_a_process_ended_is_told_in_words() -> None:
    assert judge(status=137).detail == "exit status 137 (killed)"
    assert judge(status=-11).detail == "exit status -11 (crashed)"
    assert judge(status=127, stderr="env: node: not here\n").detail == (
        "exit status 127 (something it needs was not found): env: node: not here"
    )


def test_a_review_that_says_it_was_cut_is_marked() -> None:
    verdict = judge(REVIEW + "\n[output was truncated after this point]\n")
    assert (verdict.outcome, verdict.marks) == (Outcome.REVIEW, (Mark.TRUNCATED_OUTPUT,))


def test_a_review_without_access_to_the_repository_is_marked_whoever_wrote_it() -> None:
    verdict = judge(f"REVIEWED-WITHOUT-REPO-ACCESS\n\n{REVIEW}")
    assert (verdict.outcome, verdict.marks) == (Outcome.REVIEW, (Mark.WITHOUT_REPO_ACCESS,))
