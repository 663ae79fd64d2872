"""Antigravity: a tool that can exit in peace without printing its answer, and can review without the repository.

What it says is looked for in three places: stdout; the transcript that it keeps in the user's home; its own log,
for a diagnosis alone. Only what was written after the start counts: an older answer of the same conversation is
never taken for this run's.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msd_review.edges import files
from msd_review.handlers.base import SELF_REPORT, Printed, reports_no_access, without_agent
from msd_review.lazy import regex
from msd_review.manifest.model import Transport
from msd_review.outcomes import Mark
from msd_review.run.result import Reading

TRANSPORT: Transport = "spawn"
WANTS_HELP = True
plan_argv = without_agent

_BASE = Path(".gemini") / "antigravity-cli"
_CACHE_LIMIT = 8 * 1024 * 1024
_TRANSCRIPT_LIMIT = 64 * 1024 * 1024
_LOG_TAIL = 256 * 1024
_LOG_LINES = 3
_LOG_LINE_CHARS = 400
_LOG_WORDS = ("agent executor error", "NOT_FOUND", "Publisher model")
_SCRATCH = regex(
    r"(?im)^[^\n]{0,200}\b(?:(?:working|current) (?:directory|folder|dir)|cwd|pwd|workspace)\b"
    r"[^\n]{0,200}antigravity-cli[/\\]{1,2}scratch"
)
_DENIED = regex(r"(?i)\b(?:not|never|isn't|rather than|instead of)\b[^\n]{0,40}$")
_ADMISSION = (
    f" If you cannot read that repository, the first line of your answer must be exactly {SELF_REPORT},"
    " and nothing else may stand on that line."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watermark:
    """What of the workspace's conversation existed before the start.

    `conversation` is "" where there was none; `lines` counts the transcript's non-blank lines; `unreadable`
    says that a transcript was there and could not be read. `log_bytes` is the size of the tool's log.
    """

    home: Path
    workspace: Path
    conversation: str = ""
    lines: int = 0
    unreadable: bool = False
    log_bytes: int = 0


def before_start(home: Path, workspace: Path) -> Watermark:
    """The mark behind which an answer must stand to be this run's."""
    log_bytes = _size(home / _BASE / "cli.log")
    conversation = _conversation(home, workspace)
    if not conversation:
        return Watermark(home=home, workspace=workspace, log_bytes=log_bytes)
    lines = _transcript_lines(home, conversation)
    return Watermark(
        home=home,
        workspace=workspace,
        conversation=conversation,
        lines=len(lines or ()),
        unreadable=lines is None,
        log_bytes=log_bytes,
    )


def start_argv(argv: tuple[str, ...], repo: Path, help_text: str) -> tuple[str, ...]:
    """Opens the repository to the tool where it can be told to, and demands the admission of blindness."""
    at = _print_option(argv)
    head, tail = argv[:at], list(argv[at:])
    if len(tail) > 1:
        tail[1] += _ADMISSION
    added = ("--add-dir", str(repo)) if "--add-dir" in help_text else ()
    return (*head, *added, *tail)


def _print_option(argv: tuple[str, ...]) -> int:
    """Where the last `-p` stands that has a prompt after it, else the last `-p`, else the end."""
    found = [at for at, arg in enumerate(argv) if arg == "-p"]
    followed = [at for at in found if at + 1 < len(argv)]
    return (followed or found or [len(argv)])[-1]


def read(printed: Printed, note: object | None) -> Reading:
    """What was printed, else what the transcript holds behind the mark, else why there may be nothing."""
    failed = printed.exit_status is not None and printed.exit_status > 0
    text = "" if failed else printed.stdout
    from_transcript = ""
    if not text.strip() and isinstance(note, Watermark):
        from_transcript = recover(note)
        text = from_transcript
    return Reading(
        text=text,
        structured=bool(from_transcript),
        done=bool(from_transcript),
        marks=(Mark.WITHOUT_REPO_ACCESS,) if is_blind(text) else (),
        diagnosis=_log_lines(note) if isinstance(note, Watermark) and not text.strip() else (),
        noise=printed.stdout if failed else "",
    )


def is_blind(text: str) -> bool:
    """Whether the reviewer says that it worked without the repository."""
    if reports_no_access(text):
        return True
    found = _SCRATCH.search(text)
    return found is not None and not _DENIED.search(found.group().split("antigravity-cli")[0])


def recover(mark: Watermark) -> str:
    """The newest answer that the transcript holds behind the mark, "" where there is none."""
    conversation = _conversation(mark.home, mark.workspace)
    if not conversation:
        return ""
    is_new = conversation != mark.conversation
    if mark.unreadable and not is_new:
        return ""
    lines = _transcript_lines(mark.home, conversation) or []
    for line in reversed(lines if is_new else lines[mark.lines :]):
        answer = _answer(line)
        if answer.strip():
            return answer
    return ""


def _answer(line: str) -> str:
    entry = _loads(line)
    if not isinstance(entry, dict):
        return ""
    kind = (entry.get("source"), entry.get("status"), entry.get("type"))
    content = entry.get("content")
    return content if kind == ("MODEL", "DONE", "PLANNER_RESPONSE") and isinstance(content, str) else ""


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _conversation(home: Path, workspace: Path) -> str:
    """The id of the workspace's newest conversation: the exact key, else one that differs in case alone."""
    try:
        cache = _loads(_text(home / _BASE / "cache" / "last_conversations.json", _CACHE_LIMIT))
    except OSError:
        return ""
    if not isinstance(cache, dict):
        return ""
    wanted = str(workspace)
    alike = [value for key, value in cache.items() if key.casefold() == wanted.casefold()]
    candidates = [cache[wanted]] if wanted in cache else alike
    return next((value for value in candidates if _is_segment(value)), "")


def _is_segment(value: Any) -> bool:
    """Whether an id names one folder and nothing else: it comes from a file that anybody may have written."""
    if not isinstance(value, str) or not 0 < len(value) < 256 or value in {".", ".."}:
        return False
    return not re.search(r"[/\\:\x00-\x1f]", value)


def _transcript_lines(home: Path, conversation: str) -> list[str] | None:
    """The non-blank lines, [] where there is no transcript, None where it cannot be read."""
    path = home / _BASE / "brain" / conversation / ".system_generated" / "logs" / "transcript.jsonl"
    try:
        text = _text(path, _TRANSCRIPT_LIMIT)
    except FileNotFoundError:
        return []
    except OSError:
        return None
    return [line for line in text.split("\n") if line.strip()]


def _text(path: Path, limit: int) -> str:
    return files.read_bounded(path, limit).decode("utf-8", "replace").removeprefix("\ufeff")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _log_lines(mark: Watermark) -> tuple[str, ...]:
    """The last lines of the tool's own log that tell why, of those written since the start."""
    told = [line for line in _new_log(mark) if any(word in line for word in _LOG_WORDS)]
    return tuple(line.strip()[:_LOG_LINE_CHARS] for line in told[-_LOG_LINES:])


def _new_log(mark: Watermark) -> Iterator[str]:
    path = mark.home / _BASE / "cli.log"
    size = _size(path)
    since = mark.log_bytes if size >= mark.log_bytes else 0
    if not path.is_file():
        return
    try:
        with path.open("rb") as handle:
            handle.seek(max(since, size - _LOG_TAIL))
            content = handle.read(_LOG_TAIL)
    except OSError:
        return
    yield from content.decode("utf-8", "replace").split("\n")
