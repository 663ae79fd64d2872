"""A real cluster on loopback: a scheduler and workers as processes, each worker with tools and state of its own."""

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.installed import MSD, PYTHON, REVIEW, Desk, Ended, example_desk

START_S = 90.0
ANSWERS = {
    "codex": """
with open(sys.argv[sys.argv.index("-o") + 1], "w") as handle:
    handle.write(REVIEW)
print(json.dumps({"type": "turn.completed", "usage": {"input_tokens": 7, "output_tokens": 3}}))
""",
    "claude": """
print(json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": REVIEW,
    "usage": {"input_tokens": 10, "output_tokens": 5}, "total_cost_usd": 0.01}))
""",
}


@dataclass
class Served:
    """A process of the cluster, and what it says."""

    process: "subprocess.Popen[str]"
    log: Path

    def wait_for(self, text: str, seconds: float = START_S) -> None:
        until(
            lambda: text in self.log.read_text(encoding="utf-8"),
            seconds,
            f"{text!r} in {self.log.read_text()}",
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass
class Cluster:
    """One submitter, one scheduler, some workers."""

    desk: Desk
    port: int
    stack: ExitStack
    workers: dict[str, Served] = field(default_factory=dict)
    scheduler: Served | None = None

    @property
    def base(self) -> Path:
        return self.desk.base

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    @property
    def out(self) -> Path:
        return self.base / "out"

    @property
    def calls(self) -> Path:
        """Where every tool notes its start and its end: tool, worker, start|end, time."""
        return self.base / "calls.txt"

    def start_scheduler(self) -> Served:
        self.scheduler = self._serve(
            "scheduler", ["fleet", "scheduler", "--listen", self.address], self.desk.env()
        )
        self.scheduler.wait_for(self.address)
        return self.scheduler

    def start_worker(self, name: str, *tools: str, body: str = "", options: Iterable[str] = ()) -> Served:
        """A worker that has `tools`; `body` runs in each before it answers."""
        folder = self.base / name
        (folder / "bin").mkdir(parents=True, exist_ok=True)
        for tool in tools:
            self._tool(folder / "bin" / tool, tool, name, body)
        env = {
            **self.desk.env(),
            "PATH": os.pathsep.join((str(folder / "bin"), "/usr/bin", "/bin")),
            "MSD_HOME": str(folder / "msd-home"),
            "MSD_STATE_DIR": str(folder / "state"),
        }
        arguments = ["fleet", "worker", "--scheduler", self.address, "--name", name, "--accept", self.key()]
        worker = self._serve(name, [*arguments, *options], env)
        self.workers[name] = worker
        return worker

    def wait_for_workers(self) -> None:
        for worker in self.workers.values():
            worker.wait_for("serving")

    def key(self) -> str:
        return self.desk.run("fleet", "key").out.strip()

    def _tool(self, path: Path, tool: str, worker: str, body: str) -> None:
        note = f"""
def note(what):
    with open({str(self.calls)!r}, "a") as handle:
        handle.write(f"{tool} {worker} {{what}} {{time.time()}}\\n")
REVIEW, TOOL = {REVIEW!r}, {tool!r}
if "--version" in sys.argv or "--help" in sys.argv:
    print("1.0.0"); sys.exit()
prompt = sys.stdin.read()
note("start")
{body}
{ANSWERS[tool]}
note("end")
"""
        path.write_text(f"#!{PYTHON}\nimport json, os, sys, time\n{note}", encoding="utf-8")
        path.chmod(0o755)

    def _serve(self, name: str, arguments: list[str], env: Mapping[str, str]) -> Served:
        log = self.base / f"{name}.log"
        log.touch()
        with log.open("a") as handle:
            process = subprocess.Popen(
                [*MSD, *arguments], cwd=self.base, env=dict(env), stdin=subprocess.DEVNULL, stdout=handle,
                stderr=handle, text=True, start_new_session=True,
            )  # fmt: skip
        self.stack.callback(_end, process)
        return Served(process, log)

    def batch(self, items: Iterable[Mapping[str, Any]]) -> Path:
        path = self.base / "batch.jsonl"
        lines = [{"repository": str(self.desk.project), "phase": "2", **item} for item in items]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        return path

    def arguments(self, *more: str) -> list[str]:
        return [
            "fleet", "run", str(self.base / "batch.jsonl"), "--scheduler", self.address, "--out", str(self.out),
            "--lane", "codex", "--lane", "claude", "--wait-for-workers", "3", *more,
        ]  # fmt: skip

    def run(self, *more: str) -> Ended:
        return self.desk.run(*self.arguments(*more))

    def start_run(self, *more: str) -> Served:
        return self._serve("client", self.arguments(*more), self.desk.env())

    def outcomes(self) -> dict[str, Any]:
        """The last outcome of every item, as the journal has it."""
        return {one["item"]: one["outcome"] for one in self.records("item_finished")}

    def records(self, event: str) -> list[Any]:
        if not (self.out / "journal.jsonl").exists():
            return []
        lines = (self.out / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        found = []
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if record["event"] == event:
                found.append(record)
        return found

    def noted(self, what: str = "start") -> list[tuple[str, str, float]]:
        """(tool, worker, time) of every start or end."""
        if not self.calls.exists():
            return []
        lines = [line.split() for line in self.calls.read_text(encoding="utf-8").splitlines()]
        return [(tool, worker, float(at)) for tool, worker, kind, at in lines if kind == what]


def new_cluster(base: Path, stack: ExitStack) -> Cluster:
    """A submitter with the example project, and a running scheduler."""
    cluster = Cluster(desk=example_desk(base), port=_free_port(), stack=stack)
    cluster.start_scheduler()
    return cluster


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _end(process: "subprocess.Popen[str]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def until(is_so: Callable[[], bool], seconds: float, what: str = "it") -> None:
    """Waits for something that another process does."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:g} s"
        time.sleep(0.05)
