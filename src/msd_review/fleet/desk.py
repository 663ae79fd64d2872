"""A worker's jobs: each done once by one of its helpers, and kept until somebody takes the answer.

Invariants
- Jobs are known by their key, which begins with the fleet run's id. Asked again for one that is running, a second caller waits for the first's answer;
  asked for a lane that ended, the answer that was kept is given. So a scheduler or a client that comes back pays
  for nothing twice.
- The table outlives every connection to a scheduler: what runs goes on while the scheduler is away.
- What is kept on the disk is private, and bounded in number.
- A helper that dies loses its own job alone; its answer is "lost", and whoever asked decides.
"""

import contextlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msd_review.edges import environ, files
from msd_review.edges.line_process import Gone, LineProcess, python_module
from msd_review.lazy import regex
from msd_review.run import store
from msd_review.run.removal import remove_tree

KEPT_ANSWERS, KEPT_RUNS, KEPT_TREES = 5_000, 500, 64
_TIDY_EVERY = 100
_MAX_ANSWER = 64 * 1024 * 1024
_KEY = regex(r"[0-9a-z-]{8,160}")
_ENDED = frozenset({"review", "partial", "failed"})
_LOST = {"v": 1, "state": "lost"}
_END_GRACE_S = 25.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskPlace:
    """Where a worker keeps things and whose consent it honours; `jobs` is how many run at once."""

    folder: Path  # this worker's own
    runs: Path  # shared by all workers of this user on this machine, so that no two runs have one id
    accepted: tuple[str, ...]
    jobs: int
    allow_file: bool = False


@dataclass(slots=True)
class _Running:
    fleet: str
    future: "Future[dict[str, Any]]"
    tree: str | None
    helper: LineProcess | None = None


@dataclass(slots=True)
class Desk:
    """The table of jobs, and the helpers that do them."""

    place: DeskPlace
    pool: ThreadPoolExecutor
    lock: threading.Lock = field(default_factory=threading.Lock)
    running: dict[str, _Running] = field(default_factory=dict)
    idle: list[LineProcess] = field(default_factory=list)
    done: int = 0
    is_closing: bool = False

    def submit(self, job: Mapping[str, Any], *, tree: str | None = None) -> "Future[dict[str, Any]]":
        """The answer to a job, now or later; a job that is known already is not done again."""
        key = job.get("key")
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ValueError("the job has no key")
        with self.lock:
            known = self.running.get(key)
            if known is not None:
                return known.future
            kept = self._kept(key)
            if kept is not None:
                return _settled(kept)
            future = self.pool.submit(self._do, key, dict(job))
            self.running[key] = _Running(fleet=str(job.get("fleet")), future=future, tree=tree)
        return future

    def held(self, fleet: str) -> list[str]:
        """The keys of a fleet run that are being done here, or were and are kept."""
        with self.lock:
            running = [key for key, one in self.running.items() if one.fleet == fleet]
        return running + [key for key in self._answers() if key.startswith(f"{fleet}-")]

    def cancel(self, fleet: str) -> int:
        """Tells every lane of a fleet run to stop; how many there were."""
        with self.lock:
            chosen = [one for one in self.running.values() if one.fleet == fleet]
            waiting = [key for key, one in self.running.items() if one.fleet == fleet and one.future.cancel()]
            for key in waiting:
                del self.running[key]
        for one in chosen:
            if one.helper is not None:
                with contextlib.suppress(Gone):
                    one.helper.say(b'{"cancel": true}')
        return len(chosen)

    def close(self) -> None:
        """Ends every helper, and with them what they run."""
        self.is_closing = True
        with self.lock:
            helpers = [*self.idle, *(one.helper for one in self.running.values() if one.helper is not None)]
        for helper in helpers:
            helper.hang_up()
        for helper in helpers:
            helper.end(grace_s=_END_GRACE_S)
        self.pool.shutdown(wait=False, cancel_futures=True)

    def _do(self, key: str, job: dict[str, Any]) -> dict[str, Any]:
        folder = self.place.folder / "jobs" / key
        try:
            answer = self._ask_helper(key, job, folder)
            if _is_worth_keeping(job, answer):
                self._keep(key, answer)
            return answer
        finally:
            remove_tree(folder)
            with self.lock:
                self.running.pop(key, None)
                self.done += 1
                is_time = self.done % _TIDY_EVERY == 0
            if is_time:
                self.tidy()

    def _ask_helper(self, key: str, job: dict[str, Any], folder: Path) -> dict[str, Any]:
        try:
            files.make_private(folder)
            helper = self._helper()
        except OSError as problem:
            return {**_LOST, "message": f"no helper can be started: {problem.strerror or problem}"}
        with self.lock:
            self.running[key].helper = helper
        try:
            helper.say(json.dumps({"job": job, "folder": str(folder)}).encode())
            answer = json.loads(helper.hear())
        except (OSError, ValueError) as problem:
            helper.end(grace_s=0.0)
            return {**_LOST, "message": f"the process that did it is gone: {problem}"}
        with self.lock:
            self.running[key].helper = None
            self.idle.append(helper)
        return answer if isinstance(answer, dict) else dict(_LOST)

    def _helper(self) -> LineProcess:
        while True:
            with self.lock:
                helper = self.idle.pop() if self.idle else None
            if helper is None:
                return self._new_helper()
            if helper.is_alive:
                return helper

    def _new_helper(self) -> LineProcess:
        argv = python_module("msd_review.fleet.helper")
        helper = LineProcess(argv, env=environ.snapshot(), cwd=files.make_private(self.place.folder))
        first = {
            "accepted": list(self.place.accepted),
            "repositories": str(self.place.folder / "repositories"),
            "runs": str(self.place.runs),
            "allow_file": self.place.allow_file,
        }
        helper.say(json.dumps(first).encode())
        return helper

    def _answers(self) -> list[str]:
        try:
            found = [entry.name for entry in os.scandir(self.place.folder / "answers")]
        except OSError:
            return []
        return [name.removesuffix(".json") for name in found if name.endswith(".json")]

    def _kept(self, key: str) -> dict[str, Any] | None:
        path = self.place.folder / "answers" / f"{key}.json"
        try:
            value = json.loads(files.read_bounded(path, _MAX_ANSWER))
        except (OSError, ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) else None

    def _keep(self, key: str, answer: dict[str, Any]) -> None:
        """An answer that cannot be kept is given all the same; only a crash right now would pay for it again."""
        folder = self.place.folder / "answers"
        with contextlib.suppress(OSError):
            files.make_private(folder)
            files.write_atomic(folder / f"{key}.json", json.dumps(answer).encode(), mode=0o600)

    def tidy(self) -> None:
        """Removes the oldest of what is kept beyond its bound; never what a running job uses."""
        with self.lock:
            used = {one.tree for one in self.running.values()}
        for old in _oldest(self.place.folder / "answers", keep=KEPT_ANSWERS):
            with contextlib.suppress(OSError):
                old.unlink()
        for old in _oldest(self.place.folder / "repositories" / "trees", keep=KEPT_TREES):
            if old.name not in used:
                remove_tree(old)
        for old in _oldest(self.place.runs, keep=KEPT_RUNS):
            if store.is_run_id(old.name) and store.read_run(old).state != "running":
                remove_tree(old)


def open_desk(place: DeskPlace) -> Desk:
    """A desk without jobs. What an earlier worker left in its place is kept, but for jobs that were cut short."""
    remove_tree(place.folder / "jobs")
    pool = ThreadPoolExecutor(max_workers=place.jobs, thread_name_prefix="job")
    return Desk(place=place, pool=pool)


def _settled(answer: dict[str, Any]) -> "Future[dict[str, Any]]":
    future: Future[dict[str, Any]] = Future()
    future.set_result(answer)
    return future


def _is_worth_keeping(job: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """A lane that ran to an end of its own: what would have to be paid for again."""
    result = answer.get("result")
    return job.get("kind") == "lane" and isinstance(result, dict) and result.get("outcome") in _ENDED


def _oldest(folder: Path, *, keep: int) -> Iterator[Path]:
    """All but the newest `keep` entries."""
    try:
        entries = [(entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in os.scandir(folder)]
    except OSError:
        return
    for _, path in sorted(entries, reverse=True)[keep:]:
        yield Path(path)
