"""Many items of an instant reviewer on workers of this machine: `python bench/bench_fleet.py [ITEMS]` (2000).

Every item is the example's planned phase, reviewed by one fake tool that answers at once, so that what is measured is
msd: items a second, and the resident memory of the submitting process, the scheduler and a worker with its helper,
sampled as the run goes on. Memory is bounded when the last column is not far above the first.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
import psutil
from tests.installed import MSD, Desk, example_desk

ITEMS, WORKERS, JOBS, PERIOD_S, ROWS = 2_000, 2, 2, 2.0, 10
PARTS = {
    "client": "",
    "scheduler or worker": "fleet.local_process",
    "helper": "fleet.helper",
}  # and what tells them


def _desk(base: Path, items: int) -> Desk:
    desk = example_desk(base)
    desk.codex()
    lines = (
        json.dumps({"id": f"item-{number}", "repository": str(desk.project), "phase": "2"})
        for number in range(items)
    )
    (base / "batch.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return desk


def _part(process: psutil.Process, root: int) -> str | None:
    if process.pid == root:
        return "client"
    words = " ".join(process.cmdline())
    return next((name for name, told in PARTS.items() if told and told in words), None)


def _memory(root: int) -> dict[str, float]:
    """MiB of resident memory of the largest process of each part."""
    found: dict[str, float] = {}
    for process in (psutil.Process(root), *psutil.Process(root).children(recursive=True)):
        try:
            name, size = _part(process, root), process.memory_info().rss / 2**20
        except psutil.Error:
            continue
        if name is not None:
            found[name] = max(size, found.get(name, 0.0))
    return found


def _finished(journal: Path) -> int:
    if not journal.exists():
        return 0
    with journal.open(encoding="utf-8") as lines:
        return sum('"item_finished"' in line for line in lines)


def _print_row(seconds: float, done: int, memory: dict[str, float]) -> None:
    sizes = "".join(f"{memory.get(name, 0.0):>24.0f}" for name in PARTS)
    print(f"{seconds:>9.0f}{done:>8}{done / max(seconds, 1.0):>9.1f}{sizes}", flush=True)


def _follow(run: "subprocess.Popen[str]", journal: Path, rows: Iterator[int], began: float) -> None:
    """A row whenever a tenth of the items is done, and one at the end."""
    wanted, memory = next(rows), dict[str, float]()
    while run.poll() is None:
        memory = _memory(run.pid) or memory
        done = _finished(journal)
        if done >= wanted:
            _print_row(time.monotonic() - began, done, memory)
            wanted = next(rows, sys.maxsize)
        time.sleep(PERIOD_S)
    _print_row(time.monotonic() - began, _finished(journal), memory)


def main(items: int) -> int:
    """Runs the batch once and prints a table; the exit status is that of `msd fleet run`."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        desk = _desk(base, items)
        words = [
            *MSD,
            "fleet",
            "run",
            str(base / "batch.jsonl"),
            "--out",
            str(base / "out"),
            "--local",
            str(WORKERS),
        ]
        words += ["--jobs", str(JOBS), "--per-provider", str(WORKERS * JOBS), "--lane", "codex"]
        began = time.monotonic()
        print(
            f"{'seconds':>9}{'items':>8}{'a second':>9}" + "".join(f"{name + ' MiB':>24}" for name in PARTS)
        )
        with (base / "told").open("w") as told:
            run = subprocess.Popen(words, cwd=desk.project, env=desk.env(), stdin=subprocess.DEVNULL, stdout=told, stderr=told, text=True)  # fmt: skip
            rows = iter(range(items // ROWS, items + 1, max(1, items // ROWS)))
            _follow(run, base / "out" / "journal.jsonl", rows, began)
        if run.returncode:
            print((base / "told").read_text(encoding="utf-8")[-2_000:], file=sys.stderr)
        return run.returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ITEMS))
