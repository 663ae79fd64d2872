"""What the server and a run's own process leave for each other in the run's folder.

`start.json` is written by the server alone (what was asked, and which process was started for it), `outcome.json` by
that process alone, at its end. Everything else of a run is the run store's.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msd_review.edges import files
from msd_review.edges.process_table import Identity
from msd_review.errors import StoreError
from msd_review.mcp_server.texts import utf8

START, OUTCOME = "start.json", "outcome.json"
STDOUT, STDERR = "stdout.txt", "stderr.txt"
_START_SCHEMA, _OUTCOME_SCHEMA = "msd.mcp-start/1", "msd.mcp-outcome/1"
_START_LIMIT = 4 * 1024 * 1024
_OUTCOME_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What was asked of a run: the tool, its checked arguments, by whom; `process` once it was started."""

    tool: str
    root: str
    arguments: Mapping[str, Any]
    started_at: str
    client: str = ""
    left_out: tuple[Mapping[str, Any], ...] = ()
    process: Identity | None = None

    @property
    def command(self) -> str:
        """The command that does the same on a terminal."""
        return "review" if self.tool == "start_review" else "code-review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """How a run's process ended: the review document, or the error."""

    exit_code: int
    document: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None


def write_start(folder: Path, start: Start) -> None:
    """Raises StoreError."""
    process = start.process
    record = {
        "schema": _START_SCHEMA,
        "tool": start.tool,
        "root": start.root,
        "arguments": dict(start.arguments),
        "started_at": start.started_at,
        "client": start.client,
        "left_out": [dict(row) for row in start.left_out],
        "process": None
        if process is None
        else {"pid": process.pid, "started": process.started, "boot": process.boot},
    }
    _write(folder / START, record)


def read_start(folder: Path) -> Start | None:
    """What was asked of the run in `folder`; None where it was not started by a server, or cannot be read."""
    record = _read(folder / START, _START_SCHEMA, _START_LIMIT)
    texts = [record.get(name) for name in ("tool", "root", "started_at", "client")]
    arguments, rows = record.get("arguments"), record.get("left_out")
    if not all(isinstance(text, str) for text in texts) or not isinstance(arguments, dict):
        return None
    tool, root, started_at, client = (str(text) for text in texts)
    return Start(
        tool=tool,
        root=root,
        arguments=arguments,
        started_at=started_at,
        client=client,
        left_out=tuple(row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else (),
        process=_identity(record.get("process")),
    )


def _identity(value: Any) -> Identity | None:
    if not isinstance(value, dict) or not isinstance(value.get("pid"), int):
        return None
    return Identity(pid=value["pid"], started=str(value.get("started", "")), boot=str(value.get("boot", "")))


def write_outcome(folder: Path, kept: Kept) -> None:
    """Raises StoreError."""
    _write(
        folder / OUTCOME,
        {
            "schema": _OUTCOME_SCHEMA,
            "exit_code": kept.exit_code,
            "error": kept.error,
            "document": kept.document,
        },
    )


def read_outcome(folder: Path) -> Kept | None:
    """How the run's process ended; None while it has not, or where it cannot be read."""
    record = _read(folder / OUTCOME, _OUTCOME_SCHEMA, _OUTCOME_LIMIT)
    code, document, error = record.get("exit_code"), record.get("document"), record.get("error")
    if not isinstance(code, int):
        return None
    return Kept(
        exit_code=code,
        document=document if isinstance(document, dict) else None,
        error=error if isinstance(error, dict) else None,
    )


def last_words(folder: Path) -> str:
    """The last line that the run's process wrote for a person; "" where it wrote none."""
    try:
        said = files.read_bounded(folder / STDERR, _START_LIMIT).decode("utf-8", "replace")
    except OSError:
        return ""
    lines = [line for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("msd: error: ")]
    return (errors or lines or [""])[-1].removeprefix("msd: error: ")


def _write(path: Path, record: Mapping[str, Any]) -> None:
    try:
        files.write_atomic(path, utf8(json.dumps(record, ensure_ascii=False)) + b"\n", mode=0o600)
    except OSError as problem:
        raise StoreError(f"{path} cannot be written: {problem.strerror or problem}") from None


def _read(path: Path, schema: str, limit: int) -> dict[str, Any]:
    try:
        record = json.loads(files.read_bounded(path, limit))
    except (OSError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) and record.get("schema") == schema else {}
