"""Where runs are kept: one private folder each, made whole, listed whatever became of it, cleaned by age and count.

A run's folder holds `run.json` (written once, at its start), `journal.jsonl` (as it goes) and `ended.json` (when
it ended by itself). A run without `ended.json` is running when its process is, else it crashed.
"""

import contextlib
import json
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from msd_review.edges import clock, environ, files, process_table
from msd_review.edges.faults import fault_point
from msd_review.errors import StoreError, UsageError
from msd_review.lazy import regex

RunState = Literal["running", "finished", "interrupted", "failed", "crashed", "broken"]
_ID = regex(r"\d{8}T\d{6}Z-[0-9a-f]{4}")
_SCHEMA = "msd.run/1"
_META, _ENDED = "run.json", "ended.json"
RECORDS = (_META, "plans.json")  # what tells of a run that is going on, beside its journal
_LIMIT = 1024 * 1024
_TRIES = 100
_GOING = ".removing-"
_ENDS: Mapping[str, RunState] = {
    "finished": "finished",
    "interrupted": "interrupted",
    "failed": "failed",
    "crashed": "crashed",
}
_ELSEWHERE_AGE = timedelta(days=1)  # a run in another container that has not ended by then is taken for dead
_BROKEN_AGE = timedelta(hours=1)  # a folder without run.json may be one that is just being made


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """One run as its folder tells it. `subject` identifies what was reviewed; equal subjects are cycles of one plan."""

    id: str
    folder: Path
    state: RunState
    subject: str = ""
    title: str = ""
    command: str = ""
    root: str = ""
    plans: tuple[str, ...] = ()
    started_at: str = ""
    ended_at: str = ""
    exit_code: int | None = None
    owner: process_table.Identity | None = None


def _platforms_folder() -> Path:
    import platformdirs  # only where the variable does not say

    return platformdirs.user_state_path("msd", appauthor=False)


def runs_folder() -> Path:
    """`$MSD_STATE_DIR/runs`, else `msd/runs` in the platform's state folder; made private when it is missing.

    Raises StoreError when it cannot be made, is a link, or belongs to another user.
    """
    given = environ.get("MSD_STATE_DIR")
    base = Path(given).expanduser() if given else _platforms_folder()
    folder = Path(os.path.abspath(base)) / "runs"  # noqa: PTH100 - links in it are kept
    try:
        files.make_private(folder)
        _check_private(folder)
    except OSError as problem:
        raise StoreError(
            f"the folder for runs cannot be used: {folder}: {problem.strerror or problem}",
            hint="set MSD_STATE_DIR to a folder of yours",
        ) from None
    return folder


def _check_private(folder: Path) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise OSError("not a folder")
    if os.name == "nt":
        return
    if status.st_uid != os.geteuid():
        raise OSError("it belongs to another user")
    if status.st_mode & 0o077:
        folder.chmod(0o700)


def is_run_id(text: str) -> bool:
    """True for the grammar of a run's id; never true for a path."""
    return _ID.fullmatch(text) is not None


def reserve_run(runs: Path) -> Path:
    """Makes a run's folder, unique even within one second, before the run itself begins. Raises StoreError."""
    try:
        return _new_folder(runs)
    except OSError as problem:
        raise _not_recorded(runs, problem) from None


def new_run(
    runs: Path,
    *,
    subject: str,
    title: str,
    command: str,
    root: Path | None,
    plans: Sequence[str] = (),
    reserved: str | None = None,
) -> RunInfo:
    """Makes a run's folder, or takes the reserved one, and records its start. Raises StoreError when it cannot."""
    try:
        folder = _new_folder(runs) if reserved is None else find_run(runs, reserved).folder
        fault_point("run.folder_made")
        owner = process_table.identify(os.getpid())
        record = {
            "schema": _SCHEMA,
            "id": folder.name,
            "subject": subject,
            "title": title,
            "command": command,
            "root": str(root) if root is not None else "",
            "plans": list(plans),
            "started_at": clock.iso(clock.now()),
            "owner": None if owner is None else asdict(owner),
        }
        files.write_atomic(folder / _META, _json(record), mode=0o600)
    except OSError as problem:
        raise _not_recorded(runs, problem) from None
    fault_point("run.recorded")
    return read_run(folder)


def _not_recorded(runs: Path, problem: OSError) -> StoreError:
    return StoreError(f"a run cannot be recorded in {runs}: {problem.strerror or problem}")


def _new_folder(runs: Path) -> Path:
    for _ in range(_TRIES):
        name = f"{clock.now().astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"
        with contextlib.suppress(FileExistsError):
            (runs / name).mkdir(mode=0o700)
            return runs / name
    raise OSError(f"no free run id after {_TRIES} tries")


def _json(record: Mapping[str, object]) -> bytes:
    return json.dumps(record, indent=2, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"


def end_run(
    run: RunInfo, *, state: Literal["finished", "interrupted", "failed"], exit_code: int | None
) -> None:
    """Records that the run ended, and how. Raises StoreError when it cannot."""
    fault_point("run.finishing")
    _record_end(run.folder, state, exit_code)
    fault_point("run.finished")


def record_crash(run: RunInfo) -> None:
    """Records that the run's process is gone without having said so; whatever goes wrong here is tried again later."""
    with contextlib.suppress(StoreError):
        _record_end(run.folder, "crashed", None)


def _record_end(folder: Path, state: RunState, exit_code: int | None) -> None:
    record = {"state": state, "ended_at": clock.iso(clock.now()), "exit_code": exit_code}
    try:
        files.write_atomic(folder / _ENDED, _json(record), mode=0o600)
    except OSError as problem:
        raise StoreError(
            f"the end of run {folder.name} cannot be recorded: {problem.strerror or problem}"
        ) from None


def _read_object(path: Path) -> dict[str, Any]:
    """A JSON object, or an empty one for anything else."""
    try:
        value = json.loads(files.read_bounded(path, _LIMIT))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


def _owner(record: Mapping[str, Any]) -> process_table.Identity | None:
    owner = record.get("owner")
    if not isinstance(owner, dict) or not isinstance(owner.get("pid"), int):
        return None
    return process_table.Identity(
        pid=owner["pid"], started=_text(owner, "started"), boot=_text(owner, "boot")
    )


def _state(
    record: Mapping[str, Any], ended: Mapping[str, Any], owner: process_table.Identity | None
) -> RunState:
    if record.get("schema") != _SCHEMA:
        return "broken"
    state = _ENDS.get(_text(ended, "state"))
    if state is not None:
        return state
    return "running" if owner is not None and _is_running(owner, _text(record, "id")) else "crashed"


def _is_running(owner: process_table.Identity, run_id: str) -> bool:
    if process_table.is_elsewhere(owner):
        return clock.now() - _made_at(run_id) < _ELSEWHERE_AGE
    return process_table.is_alive(owner)


def read_run(folder: Path) -> RunInfo:
    """What a run's folder tells; `broken` when it tells nothing. Never raises."""
    record = _read_object(folder / _META)
    ended = _read_object(folder / _ENDED)
    owner = _owner(record)
    plans = record.get("plans")
    code = ended.get("exit_code")
    return RunInfo(
        id=folder.name,
        folder=folder,
        state=_state(record, ended, owner),
        subject=_text(record, "subject"),
        title=_text(record, "title"),
        command=_text(record, "command"),
        root=_text(record, "root"),
        plans=tuple(plan for plan in plans if isinstance(plan, str)) if isinstance(plans, list) else (),
        started_at=_text(record, "started_at"),
        ended_at=_text(ended, "ended_at"),
        exit_code=code if isinstance(code, int) else None,
        owner=owner,
    )


def _folders(runs: Path) -> Iterator[Path]:
    try:
        found = [Path(entry.path) for entry in os.scandir(runs) if is_run_id(entry.name)]
    except OSError:
        return
    for folder in sorted(found, key=age_order, reverse=True):
        if folder.is_dir() and not folder.is_symlink():
            yield folder


def age_order(folder: Path) -> tuple[str, int, str]:
    """Sorts runs by age. Ids of one second say nothing; `run.json` is written once, at the start."""
    try:
        made = (folder / _META).stat().st_mtime_ns
    except OSError:
        made = 0
    return folder.name[:16], made, folder.name


def list_runs(runs: Path) -> tuple[RunInfo, ...]:
    """Every run, newest first, broken ones included. Never raises."""
    return tuple(read_run(folder) for folder in _folders(runs))


def unended_runs(runs: Path) -> tuple[RunInfo, ...]:
    """The runs that have not said that they ended, newest first; reads no others. Never raises."""
    return tuple(read_run(folder) for folder in _folders(runs) if not (folder / _ENDED).exists())


def find_run(runs: Path, run_id: str) -> RunInfo:
    """The run with this id. Raises UsageError for what is no id, and for an id that no run has."""
    if not is_run_id(run_id):
        raise UsageError(f"{run_id!r} is not a run id", hint="`msd runs list` shows them")
    folder = runs / run_id
    if folder.is_symlink() or not folder.is_dir():
        raise UsageError(f"there is no run {run_id}", hint="`msd runs list` shows those that there are")
    return read_run(folder)


def last_run(runs: Path, subject: str) -> RunInfo | None:
    """The newest run of `subject` that is not running now, or None."""
    runs_of_it = (run for run in list_runs(runs) if run.subject == subject)
    return next((run for run in runs_of_it if run.state not in {"running", "broken"}), None)


def clean(runs: Path, *, keep: int, max_age: timedelta, now: datetime) -> tuple[str, ...]:
    """Removes runs that are older than `max_age` or beyond the newest `keep`; the ids of those removed.

    Never a running one, never the newest of a subject, and never the newest of a subject that finished.
    """
    _finish_removals(runs)
    found = list_runs(runs)
    kept = _newest_of_each(found)
    removed = []
    for index, run in enumerate(found):
        age = now - _made_at(run.id)
        is_old = age > (_BROKEN_AGE if run.state == "broken" else max_age) or index >= keep
        if run.state == "broken" and age <= _BROKEN_AGE:
            continue
        if is_old and run.state != "running" and run.id not in kept and _remove(run.folder):
            removed.append(run.id)
    return tuple(removed)


def _newest_of_each(found: Sequence[RunInfo]) -> set[str]:
    whole = [run for run in found if run.state != "broken"]
    newest = {run.subject: run.id for run in reversed(whole)}
    newest_finished = {run.subject: run.id for run in reversed(whole) if run.state == "finished"}
    return {*newest.values(), *newest_finished.values()}


def _made_at(run_id: str) -> datetime:
    try:
        return datetime.strptime(run_id[:16], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:  # 99 o'clock passes the grammar
        return datetime.fromtimestamp(0, UTC)


def _remove(folder: Path) -> bool:
    """Renamed first, so that a removal that is cut short leaves no half run behind in the list."""
    going = folder.with_name(_GOING + folder.name)
    try:
        folder.rename(going)
    except OSError:
        return False
    fault_point("clean.removing")
    _remove_tree(going)
    return True


def _finish_removals(runs: Path) -> None:
    with contextlib.suppress(OSError):
        for entry in os.scandir(runs):
            if entry.name.startswith(_GOING):
                _remove_tree(Path(entry.path))


def _remove_tree(folder: Path) -> None:
    def open_up(function: Any, path: str, _: object) -> None:
        with contextlib.suppress(OSError):
            Path(path).parent.chmod(0o700)
            function(path)

    shutil.rmtree(folder, onerror=open_up)
