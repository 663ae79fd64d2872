"""What a change costs before anybody is asked, as a table: `python bench/bench_change.py [FILES …]`.

The scope of a change is read from git; `ours` is the CPU of this process alone, `git` that of the commands it waits for.
The prompt is measured twice: with small and with large files, to show that it grows with their number alone.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from msd_review.change.hunks import read_hunks
from msd_review.change.prompt import change_prompt
from msd_review.change.repository import open_checkout
from msd_review.change.scope import read_change

_ENV = {**os.environ, "GIT_AUTHOR_NAME": "bench", "GIT_AUTHOR_EMAIL": "bench@localhost", "GIT_COMMITTER_NAME": "bench",
        "GIT_COMMITTER_EMAIL": "bench@localhost", "GIT_CONFIG_GLOBAL": os.devnull}  # fmt: skip


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, env=_ENV, check=True, capture_output=True)


def _write(root: Path, count: int, text: str) -> None:
    for number in range(count):
        folder = root / f"module_{number % 100:02d}"
        folder.mkdir(exist_ok=True)
        (folder / f"file_{number:05d}.py").write_text(text)


def _repository(root: Path, count: int, lines: int) -> None:
    _git(root, "init", "--quiet", "--initial-branch=main")
    _write(root, count, "value = 1\n" * lines)
    _git(root, "add", "--all")
    _git(root, "commit", "--quiet", "-m", "before")
    _git(root, "switch", "--quiet", "--create", "feature")
    _write(root, count, "value = 1\n" * (lines - 1) + "value = 2\n")
    _git(root, "add", "--all")
    _git(root, "commit", "--quiet", "-m", "after")


def _cpu() -> tuple[float, float]:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime


def _row(count: int, lines: int) -> str:
    with tempfile.TemporaryDirectory(prefix="msd-bench-") as folder:
        root = Path(folder)
        _repository(root, count, lines)
        started, before = time.perf_counter(), _cpu()
        checkout = open_checkout(root)
        change = read_change(checkout)
        after, wall = _cpu(), time.perf_counter() - started
        prompt = change_prompt(change, depth="standard", root=str(root))
        prompted = _cpu()
        read_hunks(checkout, change, {file.path for file in change.files[:200]})
        placed = _cpu()
        size = len(prompt.text.encode())
        return (
            f"{len(change.files):>7,} {lines:>6,} {wall:>8.2f} {after[0] - before[0]:>8.2f} {after[1] - before[1]:>8.2f}"
            f" {prompted[0] - after[0]:>8.2f} {size:>12,} {placed[0] - prompted[0]:>12.2f}"
        )


def main(arguments: Sequence[str]) -> None:
    """Prints the table."""
    counts = [int(text) for text in arguments] or [100, 1_000, 10_000]
    print(
        f"{'files':>7} {'lines':>6} {'wall s':>8} {'ours s':>8} {'git s':>8} {'prompt s':>8} {'prompt bytes':>12} {'200 hunks s':>12}"
    )
    for count in counts:
        for lines in (10, 400):
            print(_row(count, lines), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
