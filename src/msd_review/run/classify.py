"""Makes one outcome and one reason of whatever a spawned lane did. Pure: facts and texts in, a verdict out.

Neither way wrong: a refusal is never a review, and a review that speaks of refusals is never one. Structure
(a declared failure, how the process ended) beats words; words count only in a text too short, and without the
shape, to be a review, or in the log of a run that delivered nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from msd_review.manifest.model import Lane
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.run.decoding import is_blank
from msd_review.run.echo import without_echo
from msd_review.run.patterns import HINTS
from msd_review.run.refusals import Refusal, refusal_in_errors, refusal_in_log, refusal_in_text
from msd_review.run.result import Ending, EndKind, Reading, Verdict
from msd_review.run.shape import ends_a_sentence, is_closed, looks_like_review, signs

_DETAIL_CHARS = 300
_CUT = ("truncated", "cut off", "cut short")
# What a run that never came to an end by itself is called.
_STOPPED: Mapping[EndKind, Reason] = {
    "timeout": Reason.TIMEOUT,
    "idle_timeout": Reason.IDLE_TIMEOUT,
    "output_limit": Reason.OUTPUT_LIMIT,
    "write_failed": Reason.RESOURCES,
    "cancelled": Reason.CANCELLED,
}
_SIGNALS = {6: "aborted", 9: "killed", 11: "crashed", 15: "terminated"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    lane: Lane
    ending: Ending
    reading: Reading
    log: str  # what was logged beside the answer, the prompt's echo removed

    @property
    def text(self) -> str:
        return "" if is_blank(self.reading.text) else self.reading.text


def classify(lane: Lane, ending: Ending, reading: Reading, *, stderr: str = "", prompt: str = "") -> Verdict:
    """What the run amounts to.

    `stderr` is the text of stderr (its tail is enough); `prompt` is what was sent: tools echo it, and what it
    says is no failure of theirs.
    """
    log = without_echo("\n".join((reading.noise, stderr, *reading.diagnosis)), prompt)
    case = _Case(lane=lane, ending=ending, reading=reading, log=log)
    verdict = _judge(case)
    marks = verdict.marks
    if verdict.outcome in {Outcome.REVIEW, Outcome.PARTIAL}:
        marks = tuple(dict.fromkeys((*reading.marks, *marks)))
    hint = verdict.hint
    if verdict.reason is not None:
        hint = lane.hints.get(verdict.reason.value) or hint or HINTS.get(verdict.reason)
    return Verdict(
        outcome=verdict.outcome,
        reason=verdict.reason,
        detail=one_line(verdict.detail),
        hint=hint,
        marks=marks,
    )


def one_line(text: str, limit: int = _DETAIL_CHARS) -> str:
    """Text of a tool's as one line for a person: no control characters, cut at `limit`."""
    plain = " ".join("".join(char if char.isprintable() else " " for char in text[: limit * 8]).split())
    return plain if len(plain) <= limit else plain[: limit - 1].rstrip() + "\u2026"


def _judge(case: _Case) -> Verdict:
    kind = case.ending.kind
    if kind == "spawn_failed":
        return _failed(Reason.SPAWN_FAILED, case.ending.problem or "it could not be started")
    if kind == "login_prompt":
        refusal = refusal_in_log(f"{case.text}\n{case.log}")
        asked = refusal.words if refusal is not None and refusal.reason is Reason.AUTH_REQUIRED else ""
        return _failed(Reason.AUTH_REQUIRED, asked or "it asked a person to log in")
    if kind == "exited":
        return _judge_exited(case)
    return _judge_stopped(case, _STOPPED[kind])


def _failed(reason: Reason, detail: str, *, hint: str | None = None) -> Verdict:
    outcome = Outcome.CANCELLED if reason is Reason.CANCELLED else Outcome.FAILED
    return Verdict(outcome=outcome, reason=reason, detail=detail, hint=hint)


def _partial(reason: Reason, detail: str) -> Verdict:
    return Verdict(outcome=Outcome.PARTIAL, reason=reason, detail=detail)


def _review(*marks: Mark, detail: str = "") -> Verdict:
    return Verdict(outcome=Outcome.REVIEW, reason=None, detail=detail, marks=marks)


def _judge_stopped(case: _Case, reason: Reason) -> Verdict:
    """Ended by us: a review only where the structure shows the answer complete."""
    if case.text and case.reading.done and not case.reading.errors:
        refusal = refusal_in_text(case.text)
        if refusal is not None:
            return _failed(refusal.reason, refusal.words)
        return _review(Mark.KILLED_AFTER_REPLY, detail="its answer was complete, and it did not exit")
    refusal = _last_words(case)
    if refusal is not None and refusal.is_over and reason in {Reason.TIMEOUT, Reason.IDLE_TIMEOUT}:
        return _failed(refusal.reason, refusal.words)
    detail = _stopped_detail(case, reason)
    if case.text and refusal_in_text(case.text) is None and reason is not Reason.CANCELLED:
        return _partial(reason, detail)
    if refusal is not None:
        detail = f"{detail}; the last it said: {refusal.words}"
    return _failed(reason, detail)


def _last_words(case: _Case) -> Refusal | None:
    """A refusal that a run which was ended by us had already spoken."""
    if case.reading.errors:
        return refusal_in_errors(case.reading.errors[-1:])
    if case.text:
        return refusal_in_text(case.text)
    return _waiting(case.log)


def _waiting(log: str) -> Refusal | None:
    """What stands at the very end of a log: a failure announced there is what the tool hangs on."""
    lines = [line for line in log[-4096:].split("\n") if line.strip()]
    return refusal_in_log("\n".join(lines[-6:]))


def _stopped_detail(case: _Case, reason: Reason) -> str:
    seconds = case.ending.duration_ms / 1000
    match reason:
        case Reason.TIMEOUT:
            return f"ended at its deadline after {seconds:.0f} s"
        case Reason.IDLE_TIMEOUT:
            return f"ended after {seconds:.0f} s: it had printed nothing for too long"
        case Reason.OUTPUT_LIMIT:
            return f"ended because it printed too much ({case.ending.stdout_bytes:,} bytes)"
        case Reason.RESOURCES:
            return f"its output could not be kept: {case.ending.problem or 'the disk is full'}"
        case _:
            return "stopped"


def _judge_exited(case: _Case) -> Verdict:
    if not case.text:
        return _judge_empty(case)
    if case.reading.errors and not _is_stderr_only(case):
        return _judge_announced(case)
    refusal = refusal_in_text(case.text)
    if refusal is not None:
        return _failed(refusal.reason, refusal.words)
    if case.ending.exit_status == 0:
        return _judge_clean_exit(case)
    return _judge_bad_exit(case)


def _is_stderr_only(case: _Case) -> bool:
    """A failure on stderr beside plain text that was delivered in peace: the text is what counts."""
    return not case.reading.structured and case.ending.exit_status == 0 and signs(case.text) > 0


def _judge_empty(case: _Case) -> Verdict:
    refusal = refusal_in_errors(case.reading.errors) or refusal_in_log(case.log)
    if refusal is not None:
        return _failed(refusal.reason, refusal.words)
    if case.ending.exit_status == 0:
        beside = "; ".join(case.reading.diagnosis) or _last_line(case.log)
        return _failed(Reason.EMPTY_OUTPUT, f"it printed no review{': ' + beside if beside else ''}")
    return _failed(Reason.EXIT_STATUS, _exit_detail(case))


def _judge_announced(case: _Case) -> Verdict:
    """The tool itself says that it failed: never a review, at best a part of one."""
    refusal = refusal_in_errors(case.reading.errors)
    if refusal is None:
        raise RuntimeError("a failure was announced and nothing was read of it")
    same = {error.message.strip() for error in case.reading.errors}
    if looks_like_review(case.text) and case.text.strip() not in same:
        return _partial(refusal.reason, refusal.words)
    return _failed(refusal.reason, refusal.words)


def _judge_clean_exit(case: _Case) -> Verdict:
    text = case.text.rstrip()
    if signs(text) == 0 and len(text) <= _DETAIL_CHARS:
        refusal = refusal_in_log(case.log)
        if refusal is not None and refusal.reason in {
            Reason.RATE_LIMITED,
            Reason.QUOTA,
            Reason.AUTH_REQUIRED,
        }:
            return _failed(refusal.reason, refusal.words)
    if any(word in text[-200:].lower() for word in _CUT) and "output" in text[-200:].lower():
        return _review(Mark.TRUNCATED_OUTPUT)
    return _review()


def _judge_bad_exit(case: _Case) -> Verdict:
    status = case.ending.exit_status
    if case.reading.structured and case.reading.done:
        return _review(Mark.NONZERO_EXIT, detail=_exit_detail(case))
    refusal = refusal_in_log(case.log)
    if refusal is None and _is_whole(case.text) and not _was_killed(status):
        return _review(Mark.NONZERO_EXIT, detail=_exit_detail(case))
    if refusal is not None:
        return _partial(refusal.reason, refusal.words)
    if looks_like_review(case.text):
        return _partial(Reason.EXIT_STATUS, _exit_detail(case))
    return _failed(Reason.EXIT_STATUS, _exit_detail(case))


def _is_whole(text: str) -> bool:
    return looks_like_review(text) and (is_closed(text) or ends_a_sentence(text))


def _was_killed(status: int | None) -> bool:
    return status is None or status < 0 or status in {137, 143}


def _exit_detail(case: _Case) -> str:
    last = _last_line(case.log) or (_last_line(case.text) if not looks_like_review(case.text) else "")
    return f"{_exit_words(case.ending.exit_status)}{': ' + last if last else ''}"


def _exit_words(status: int | None) -> str:
    if status is None:
        return "its exit status is unknown"
    number = -status if status < 0 else status - 128
    if number in _SIGNALS and (status < 0 or status > 128):
        return f"exit status {status} ({_SIGNALS[number]})"
    named = {126: " (it cannot be executed)", 127: " (something it needs was not found)"}
    return f"exit status {status}{named.get(status, '')}"


def _last_line(text: str) -> str:
    for line in reversed(text[-8192:].split("\n")):
        if any(char.isalnum() for char in line):
            return line.strip()
    return ""
