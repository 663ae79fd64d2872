"""Runs many `msd` commands without starting Python anew for each: one parent that has loaded the program, and forks.

Each command is still a process of its own, with its own environment and folder, and can be killed like any.
`python -m tests.faults.preloaded` reads one JSON object a line (`argv`, `env`, `cwd`, `out`, `err`), and answers with
the exit status of each, negative for a signal.
"""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

LOADED = ("msd_review.cli.main", "msd_review.app.review", "msd_review.cli.review", "msd_review.cli.runs")


class Preloaded:
    """The parent of commands. Use as a context manager; one command at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Preloaded":
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.preloaded"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process is not None
        self.process.communicate(timeout=30)

    def run(self, argv: list[str], *, env: dict[str, str], cwd: Path) -> tuple[int, str, str]:
        """Exit status, stdout and stderr of `msd argv`."""
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        out, err = self.folder / "out", self.folder / "err"
        request = {"argv": argv, "env": env, "cwd": str(cwd), "out": str(out), "err": str(err)}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        status = int(self.process.stdout.readline())
        return status, out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")


def _become(request: dict[str, Any]) -> None:
    """The child's part: never returns."""
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    places = (os.devnull, request["out"], request["err"])
    for number, path in enumerate(places):
        descriptor = os.open(
            path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600
        )
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin, sys.argv = open(0), ["msd", *request["argv"]]  # noqa: SIM115 - the process's own streams
    status = 0
    try:
        importlib.import_module("msd_review.cli.entry").main()
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main() -> None:
    for name in LOADED:
        importlib.import_module(name)
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
