"""What a lane's run leaves behind: how it ended, what was read from it, what that amounts to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from msd_review.outcomes import Mark, Outcome, Reason

EndKind = Literal[
    "exited",  # by itself; exit_status is set (negative: the signal that ended it)
    "timeout",
    "idle_timeout",
    "output_limit",
    "write_failed",  # its output could not be kept (a full disk); `problem` says what the platform said
    "login_prompt",  # killed because it asked a person to log in
    "cancelled",
    "spawn_failed",  # never started; `problem` says why
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a spawned lane ended: facts alone, no judgement.

    Paths are files in the run's folder, capped while they were written; `problem` is the platform's
    message when the start failed. `killed_after_reply` is True when the structure already showed the
    answer complete and the tool was ended because it would not exit.
    """

    kind: EndKind
    exit_status: int | None
    stdout_path: Path
    stderr_path: Path
    output_path: Path | None  # the `file-arg` file, only when the tool wrote one
    stdout_bytes: int
    stderr_bytes: int
    duration_ms: int
    problem: str | None = None
    killed_after_reply: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens and money, as the tool or server reports them."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolError:
    """A failure that a tool or server announced in its structured output."""

    message: str
    status: int | None = None
    kind: str | None = None  # e.g. "exceed_context_size_error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read out of a lane's output, before anyone judges it.

    `structured` is True when the declared format was really found (JSON, an event stream, an output
    file); then `done` says whether the structure shows the answer complete. `diagnosis` are lines that
    help a person (stop reason, token counts, log lines). `noise` is what a tool printed to stdout beside its
    structure, or instead of the file that it was asked for: never a review, but it may say why there is none.
    """

    text: str
    structured: bool = False
    done: bool = False
    errors: tuple[ToolError, ...] = ()
    usage: Usage | None = None
    model: str | None = None
    marks: tuple[Mark, ...] = ()
    diagnosis: tuple[str, ...] = ()
    noise: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a lane's run amounts to."""

    outcome: Outcome
    reason: Reason | None
    detail: str  # one line for a person; "" for a plain review
    hint: str | None = None
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneResult:
    """One lane in one run, whatever happened: what the journal keeps and every report shows.

    `text_path` is the delivered text (UTF-8) in the run's folder, None when there is none;
    `stderr_tail` are the last lines of stderr, cleaned of control characters.
    """

    identity: str
    slug: str
    section: str
    outcome: Outcome
    reason: Reason | None
    detail: str
    hint: str | None = None
    marks: tuple[Mark, ...] = ()
    text_path: Path | None = None
    model: str | None = None
    effort: str | None = None
    provider: str | None = None
    evidence_class: str = "source-grounded"
    usage: Usage | None = None
    started_at: str | None = None
    duration_ms: int = 0
    exit_status: int | None = None
    end_kind: str | None = None
    stderr_tail: tuple[str, ...] = ()
    diagnosis: tuple[str, ...] = ()
    attempts: int = 1
    stdout_bytes: int = 0
    workspace_changes: tuple[str, ...] = ()
    named: bool = False
    reused: bool = False  # taken over from an earlier run by --resume
    extra: Mapping[str, str] = field(default_factory=dict)
