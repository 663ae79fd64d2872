"""What a spawned lane's run amounts to: one outcome and, unless it is a review, one reason.

Structure beats words: a kill, an announced failure, an exit status and the shape of the text decide first.
Words decide only in what is too short, and not built, to be a review; so a review that speaks of "401" is no
refusal, and a refusal is no review.
"""

import re
import signal

from msd_review.manifest.model import Lane
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.run.decoding import is_blank
from msd_review.run.patterns import reason_in, reason_of_error
from msd_review.run.result import Ending, Reading, ToolError, Verdict
from msd_review.run.shape import SHORT, has_review_shape, is_whole

_STDERR_TAIL = 8_000
_KILLED: dict[str, tuple[Reason, str]] = {
    "timeout": (Reason.TIMEOUT, "it was ended at its deadline"),
    "idle_timeout": (Reason.IDLE_TIMEOUT, "it printed nothing for too long and was ended"),
    "output_limit": (Reason.OUTPUT_LIMIT, "it printed more than the limit and was ended"),
}
_NO_REVIEW = re.compile(
    r"\A\s*(?:usage:|error:|fatal:|traceback \(most recent call last\)|\{\s*\"error\"|<!doctype|<html"
    r"|output was truncated after this point)",
    re.IGNORECASE,
)


def without_prompt(stderr: str, prompt: str) -> str:
    """stderr without the lines that only echo the prompt."""
    if not prompt:
        return stderr
    echoed = {line.strip() for line in prompt.splitlines() if line.strip()}
    return "\n".join(line for line in stderr.splitlines() if line.strip() not in echoed)


def classify(lane: Lane, ending: Ending, reading: Reading, *, stderr: str = "", prompt: str = "") -> Verdict:
    """The verdict on one run; `stderr` is its decoded tail, `prompt` what was sent (its echo is no failure)."""
    tail = without_prompt(stderr, prompt)[-_STDERR_TAIL:]
    verdict = (
        _not_ended_by_itself(ending, reading)
        or _announced(ending, reading)
        or _by_text(ending, reading, tail)
    )
    if verdict.hint is None and verdict.reason is not None:
        return Verdict(
            outcome=verdict.outcome,
            reason=verdict.reason,
            detail=verdict.detail,
            hint=_hint(lane, verdict.reason),
            marks=verdict.marks,
        )
    return verdict


def _hint(lane: Lane, reason: Reason) -> str | None:
    declared = lane.hints.get(reason.value)
    if declared is not None:
        return declared
    if reason is Reason.TIMEOUT and lane.timeout_config_key is not None:
        return f"give it longer: --timeout {lane.slug}=SECONDS, or {lane.timeout_config_key}"
    return None


def _failed(reason: Reason, detail: str) -> Verdict:
    return Verdict(outcome=Outcome.FAILED, reason=reason, detail=detail)


def _not_ended_by_itself(ending: Ending, reading: Reading) -> Verdict | None:
    if ending.kind == "spawn_failed":
        return _failed(
            Reason.SPAWN_FAILED, f"it could not be started: {ending.problem or 'no reason was given'}"
        )
    if ending.kind == "login_prompt":
        return _failed(Reason.AUTH_REQUIRED, "it asked a person to log in, and was ended")
    if ending.kind == "cancelled":
        return Verdict(outcome=Outcome.CANCELLED, reason=Reason.CANCELLED, detail="it was stopped on request")
    killed = _KILLED.get(ending.kind)
    if killed is None:
        return None
    if ending.kind != "output_limit" and _is_complete(ending, reading):
        return Verdict(
            outcome=Outcome.REVIEW, reason=None, detail="", marks=(Mark.KILLED_AFTER_REPLY, *reading.marks)
        )
    reason, detail = killed
    worth_showing = not is_blank(reading.text) and not reading.errors and _refusal(reading.text) is None
    outcome = Outcome.PARTIAL if worth_showing else Outcome.FAILED
    return Verdict(outcome=outcome, reason=reason, detail=ending.problem or detail, marks=reading.marks)


def _is_complete(ending: Ending, reading: Reading) -> bool:
    return ending.killed_after_reply or (reading.structured and reading.done and not reading.errors)


def _announced(ending: Ending, reading: Reading) -> Verdict | None:
    """A failure that the tool announced in its structure, whatever its exit status."""
    if not reading.errors:
        return None
    error = _telling(reading.errors)
    return _failed(
        reason_of_error(f"{error.kind or ''} {error.message}", error.status), _one_line(error.message)
    )


def _telling(errors: tuple[ToolError, ...]) -> ToolError:
    """The last failure that says more than that there was one."""
    return next(
        (e for e in reversed(errors) if e.status is not None or reason_in(f"{e.kind} {e.message}")),
        errors[-1],
    )


def _by_text(ending: Ending, reading: Reading, stderr: str) -> Verdict:
    text, status = reading.text, ending.exit_status
    if is_blank(text):
        return _empty(ending, reading, stderr)
    refusal = _refusal(text)
    if refusal is not None:
        return _failed(refusal, _one_line(text))
    if status == 0:
        return Verdict(outcome=Outcome.REVIEW, reason=None, detail="", marks=reading.marks)
    if (reading.structured and reading.done) or is_whole(text):
        return Verdict(
            outcome=Outcome.REVIEW, reason=None, detail="", marks=(Mark.NONZERO_EXIT, *reading.marks)
        )
    reason = reason_in(stderr) or Reason.EXIT_STATUS
    outcome = Outcome.PARTIAL if has_review_shape(text) else Outcome.FAILED
    return Verdict(outcome=outcome, reason=reason, detail=_status_text(status), marks=reading.marks)


def _empty(ending: Ending, reading: Reading, stderr: str) -> Verdict:
    told = ", ".join(reading.diagnosis)
    said = reason_in(stderr, loud_only=ending.exit_status == 0)
    if said is not None and said is not Reason.EMPTY_OUTPUT:
        return _failed(said, _telling_line(stderr, said))
    if ending.exit_status not in {0, None}:
        return _failed(Reason.EXIT_STATUS, _status_text(ending.exit_status))
    return _failed(Reason.EMPTY_OUTPUT, f"it ended well and delivered no text{': ' + told if told else ''}")


def _refusal(text: str) -> Reason | None:
    """The reason in a text that is a refusal, or no review at all; None for anything built like a review."""
    if has_review_shape(text) or len(text) > SHORT:
        return None
    said = reason_in(text)
    if said is not None:
        return said
    return Reason.MALFORMED_RESPONSE if _NO_REVIEW.match(text) else None


def _status_text(status: int | None) -> str:
    if status is None:
        return "how it ended is not known"
    if status < 0:
        return f"it was ended by {_signal_name(-status)}"
    if status > 128:
        return f"it ended with status {status} ({_signal_name(status - 128)})"
    return f"it ended with status {status}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _telling_line(stderr: str, reason: Reason) -> str:
    lines = [line for line in stderr.splitlines() if reason_in(line) is reason]
    return _one_line(lines[-1] if lines else stderr)


def _one_line(text: str) -> str:
    flat = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return flat if len(flat) <= 300 else flat[:299] + "…"
