"""Antigravity: a tool that can lose its answer, remember an old one, and review without having seen the repository.

When it prints nothing, its own transcript of this workspace may hold the answer. A mark taken before the start
(which conversation, how many lines) keeps an answer of an earlier run from passing for this one's. Files are
read through `Read`, which gives None for a file that is not there and raises OSError for one that cannot be read.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from msd_review.outcomes import Mark

TRANSPORT = "spawn"
HELP_TIMEOUT_S = 5.0
SELF_REPORT = "REVIEWED-WITHOUT-REPO-ACCESS"
_SELF_REPORT_LINES = 5
_BASE = ".gemini/antigravity-cli"
_CACHE = f"{_BASE}/cache/last_conversations.json"
_LOG = f"{_BASE}/cli.log"
_LOG_SIGNS = ("agent executor error", "NOT_FOUND", "Publisher model")
_SCRATCH = re.compile(
    r"^\W{0,6}(?:working|current)\s+(?:directory|folder)\b[^\n]{0,200}antigravity-cli/scratch\b", re.I | re.M
)
_ONE_SEGMENT = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}")

Read = Callable[[str], str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark:
    """Where this workspace's conversation stood before the start; `lines` counts non-blank transcript lines.

    `unreadable`: the transcript was there and could not be read, so nothing can be told apart by lines.
    """

    conversation: str = ""
    lines: int = 0
    unreadable: bool = False


def _conversation(read: Read, home: str, workspace: str) -> str:
    try:
        known = json.loads(read(f"{home}/{_CACHE}") or "null")
    except (ValueError, RecursionError, OSError):
        return ""
    if not isinstance(known, dict):
        return ""
    folded = {str(key).casefold(): value for key, value in known.items()}
    found = known.get(workspace, folded.get(workspace.casefold()))
    return found if isinstance(found, str) and _ONE_SEGMENT.fullmatch(found) else ""


def _transcript_path(home: str, conversation: str) -> str:
    return f"{home}/{_BASE}/brain/{conversation}/.system_generated/logs/transcript.jsonl"


def _lines(text: str | None) -> list[str]:
    return [line for line in (text or "").split("\n") if line.strip()]


def before_start(read: Read, *, home: str, workspace: str) -> Watermark:
    """The mark to take before the tool starts."""
    conversation = _conversation(read, home, workspace)
    if not conversation:
        return Watermark()
    try:
        return Watermark(
            conversation=conversation, lines=len(_lines(read(_transcript_path(home, conversation))))
        )
    except OSError:
        return Watermark(conversation=conversation, unreadable=True)


def _answer(line: str) -> str | None:
    try:
        event: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict):
        return None
    kind = (event.get("source"), event.get("status"), event.get("type"))
    content = event.get("content")
    if kind == ("MODEL", "DONE", "PLANNER_RESPONSE") and isinstance(content, str) and content.strip():
        return content
    return None


def recover(read: Read, *, home: str, workspace: str, mark: Watermark) -> str:
    """The newest finished answer after the mark, "" where there is none that is surely of this run."""
    conversation = _conversation(read, home, workspace)
    is_new = conversation != mark.conversation
    if not conversation or (mark.unreadable and not is_new):
        return ""
    try:
        lines = _lines(read(_transcript_path(home, conversation)))
    except OSError:
        return ""
    fresh = lines if is_new else lines[mark.lines :]
    return next((answer for line in reversed(fresh) if (answer := _answer(line)) is not None), "")


def log_lines(read: Read, *, home: str) -> tuple[str, ...]:
    """The last three lines of the tool's own log that tell of a failure."""
    try:
        lines = _lines(read(f"{home}/{_LOG}"))
    except OSError:
        return ()
    return tuple(line.strip() for line in lines if any(sign in line for sign in _LOG_SIGNS))[-3:]


def self_report_request(prompt: str) -> str:
    """The prompt with the demand to say so when the repository cannot be read."""
    if SELF_REPORT in prompt:
        return prompt
    return (
        f"{prompt}\n\nIf you cannot read the files of this repository, the first line of your answer must be exactly "
        f"{SELF_REPORT}."
    )


def start_args(args: tuple[str, ...], *, repo: str, help_text: str) -> tuple[str, ...]:
    """The arguments with `--add-dir REPO` before the last `-p`, where the tool knows it, and the demand above."""
    last = max((at for at, arg in enumerate(args) if arg == "-p"), default=None)
    added = ("--add-dir", repo) if "--add-dir" in help_text else ()
    if last is None:
        return (*args, *added)
    tail = list(args[last:])
    if len(tail) > 1:
        tail[1] = self_report_request(tail[1])
    return (*args[:last], *added, *tail)


def blind_marks(text: str) -> tuple[Mark, ...]:
    """`without_repo_access` for a review that says in its first lines, or by its working folder, that it saw nothing."""
    first = [line.strip().strip("*_`#> ") for line in text.split("\n")[:_SELF_REPORT_LINES]]
    if SELF_REPORT in first or _SCRATCH.search(text):
        return (Mark.WITHOUT_REPO_ACCESS,)
    return ()


def workspace_key(path: str) -> str:
    """How the tool writes a workspace down: the path as it is, without a slash at its end."""
    return str(PurePosixPath(path))
