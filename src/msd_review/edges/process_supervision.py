"""Watches one running process: which of its bounds is reached first, and whether its answer is complete."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from msd_review.edges.process_child import Cause, Child

_PROGRESS_EVERY_S = 0.25
_JUDGE_BOUND_S = 5.0
_JUDGE_SHARE = 10  # a judge that took a second is not asked again for ten
_JUDGE_LAST_S = 1.0  # at the deadline itself

Verdict = Literal["login_prompt", "complete"]
Progress = Callable[[int, int], None]  # bytes of stdout, bytes of stderr


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a process has written so far: files that may still grow, and how many bytes each holds."""

    stdout_path: Path
    stderr_path: Path
    stdout_bytes: int
    stderr_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """One process to run, and its bounds. Times are seconds, limits bytes.

    `argv[0]` is an absolute path and `env` the complete environment; `marker` is added to it (as
    MSD_PROCESS_MARK) and must be this process's alone. `stdin_path` is fed and then closed; without it stdin
    is empty. `on_quiet` is asked, in a thread of its own, whenever the output has been silent for `quiet_s`
    after something came: `login_prompt` ends the process at once, `complete` gives it `reply_grace_s` to end by
    itself. `term_grace_s` is the time between asking to end and killing.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    stdout_path: Path
    stderr_path: Path
    marker: str
    timeout_s: float
    stdin_path: Path | None = None
    stdout_limit: int = 16 * 1024 * 1024
    stderr_limit: int = 4 * 1024 * 1024
    idle_timeout_s: float | None = None
    on_quiet: Callable[[Output], Verdict | None] | None = None
    quiet_s: float = 1.0
    reply_grace_s: float = 5.0
    term_grace_s: float = 3.0


class Supervision:
    """One run from start to end: what it waits for, and why it is over."""

    def __init__(self, spec: ProcessSpec, child: Child, on_progress: Progress | None) -> None:
        self.spec = spec
        self.child = child
        self.loop = child.loop
        self.on_progress = on_progress
        self.deadline = self.loop.time() + spec.timeout_s
        self.reply_due: float | None = None
        self.asked_at = -1.0  # the output that `on_quiet` saw last ended then
        self.rests_until = 0.0
        self.told = (0, 0)
        self.is_complete = False

    async def cause(self) -> Cause:
        """Waits for the first thing that ends the run."""
        while True:
            due = min(self._dues())
            await asyncio.wait({self.child.cause}, timeout=max(0.0, due - self.loop.time()))
            if not self.child.cause.done():
                await self._look(self.loop.time())
            self._tell()
            if self.child.cause.done():
                return self.child.cause.result()

    def _dues(self) -> list[float]:
        dues = [self.deadline]
        if self.spec.idle_timeout_s is not None:
            dues.append(self.child.last_output + self.spec.idle_timeout_s)
        if self._is_unseen():
            dues.append(self._quiet_due())
        elif self.spec.on_quiet is not None:
            dues.append(
                self.loop.time() + self.spec.quiet_s
            )  # output does not wake us: there may be much of it
        if self.reply_due is not None:
            dues.append(self.reply_due)
        if self.on_progress is not None:
            dues.append(self.loop.time() + _PROGRESS_EVERY_S)
        return dues

    def _quiet_due(self) -> float:
        return max(self.child.last_output + self.spec.quiet_s, self.rests_until)

    def _is_unseen(self) -> bool:
        return (
            self.spec.on_quiet is not None
            and self.asked_at < self.child.last_output
            and any(self.child.sizes())
        )

    async def _look(self, now: float) -> None:
        spec, child = self.spec, self.child
        if now >= self.deadline:
            await self._ask()
            child.settle("timeout", f"not finished after {spec.timeout_s:g} s")
        elif self.reply_due is not None and now >= self.reply_due:
            child.settle("replied")
        elif spec.idle_timeout_s is not None and now >= child.last_output + spec.idle_timeout_s:
            await self._ask()
            child.settle("idle_timeout", f"no output for {spec.idle_timeout_s:g} s")
        elif self._is_unseen() and now >= self._quiet_due():
            await self._ask()

    async def _ask(self) -> None:
        """Has the output judged once; a judge that takes long is not waited for."""
        if self.spec.on_quiet is None or not self._is_unseen():
            return
        self.asked_at = self.child.last_output
        stdout_bytes, stderr_bytes = self.child.sizes()
        output = Output(
            stdout_path=self.spec.stdout_path,
            stderr_path=self.spec.stderr_path,
            stdout_bytes=stdout_bytes,
            stderr_bytes=stderr_bytes,
        )
        began = self.loop.time()
        judging = asyncio.ensure_future(asyncio.to_thread(self.spec.on_quiet, output))
        either: set[asyncio.Future[Any]] = {judging, self.child.cause}
        bound = min(_JUDGE_BOUND_S, max(_JUDGE_LAST_S, self.deadline - self.loop.time()))
        await asyncio.wait(either, timeout=bound, return_when=asyncio.FIRST_COMPLETED)
        self.rests_until = self.loop.time() + _JUDGE_SHARE * (self.loop.time() - began)
        verdict = judging.result() if judging.done() else None
        judging.cancel()
        self.is_complete = verdict == "complete"
        self.reply_due = self.loop.time() + self.spec.reply_grace_s if self.is_complete else None
        if verdict == "login_prompt":
            self.child.settle("login_prompt", "it asked a person to log in")

    def _tell(self) -> None:
        if self.on_progress is not None and self.told != self.child.sizes():
            self.told = self.child.sizes()
            self.on_progress(*self.told)
