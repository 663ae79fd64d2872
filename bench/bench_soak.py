"""Many reviews in a row with reviewers that break: `python bench/bench_soak.py [N]` (20; 200 for a real soak).

The reviews run inside this one process, so that what the command itself would leak shows: memory, descriptors,
threads. Beside it stands what is left on the machine: processes, copies, temporary files, and the size of the
state folder, which stops growing at the number of runs that are kept. Exits 1 when something is left or grows.
"""

import os
import resource
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.faults.cli_cases import leftovers, marked
from tests.installed import REVIEW, Desk, example_desk

from msd_review.app.request import ReviewRequest
from msd_review.app.review import review
from msd_review.app.world import load_world
from msd_review.outcomes import Outcome
from msd_review.planning import Overrides

DEFAULT, ROWS = 20, 10
GROWTH_KB = 40  # of resident memory for each review, once the first few have loaded everything
FAULTS = {
    "gemini": "sys.exit(55)",
    "qwen": f"print(json.dumps([{{'type': 'result', 'result': {REVIEW!r}}}]), flush=True)\ntime.sleep(600)",
    "opencode": "import subprocess\nsubprocess.Popen(['sleep', '600'], start_new_session=True)\nos.kill(os.getpid(), 9)",
    "cursor-agent": "sys.stdout.write('y' * 1_000_000)\nsys.exit(1)",
}
NAMED = ("claude", "gemini", "qwen", "opencode", "cursor")


def _desk(base: Path) -> Desk:
    git = {
        f"GIT_{who}_{what}": "bench@example.invalid"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    os.environ.update(git | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"})
    desk = example_desk(base)
    desk.claude()
    for name, body in FAULTS.items():
        desk.program(name, f"sys.stdin.read()\n{body}")
    return desk


def _measured(desk: Desk) -> dict[str, Any]:
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024
    files = [path for path in desk.state.rglob("*") if path.is_file()]
    return {
        "memory KB": resident,
        "fds": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        "threads": threading.active_count(),
        "processes left": len(marked(desk)),
        "files left": len(leftovers(desk)),
        "runs": len(list((desk.state / "runs").iterdir())),
        "state KB": sum(path.lstat().st_size for path in files) // 1024,
    }


def _review(desk: Desk) -> None:
    world = load_world(desk.project)
    request = ReviewRequest(phase="2", named=NAMED, overrides=Overrides())
    ended = review(world, request, progress=lambda event: None, ask=lambda lines: None)
    results = {row.result.identity: row.result for row in ended.report.reviewers}
    if results["claude"].outcome is not Outcome.REVIEW or set(results) != set(NAMED):
        told = {name: f"{one.outcome} {one.reason} {one.detail}" for name, one in results.items()}
        raise SystemExit(f"a review was lost: {told}")


def main(count: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        desk = _desk(Path(folder))
        os.environ.clear()
        os.environ.update(desk.env())
        os.chdir(desk.project)
        rows: list[dict[str, Any]] = []
        for number in range(1, count + 1):
            started = time.monotonic()
            _review(desk)
            took = time.monotonic() - started
            rows.append({"review": number, "seconds": round(took, 1), **_measured(desk)})
            if number == 1:
                print("  ".join(f"{name:>14}" for name in rows[0]))
            if number == count or number % max(1, count // ROWS) == 0 or number == 1:
                print("  ".join(f"{value:>14}" for value in rows[-1].values()), flush=True)
        os.chdir("/")
    return _judged(rows)


def _judged(rows: list[dict[str, Any]]) -> int:
    first, last = rows[min(4, len(rows) - 1)], rows[-1]
    growth = (last["memory KB"] - first["memory KB"]) / max(1, last["review"] - first["review"])
    print(f"memory grew by {growth:.1f} KB for each review after review {first['review']}")
    wrong = [name for name in ("fds", "threads") if last[name] > first[name]]
    wrong += [name for name in ("processes left", "files left") if any(row[name] for row in rows)]
    wrong += ["memory KB"] if growth > GROWTH_KB and len(rows) >= DEFAULT else []
    print(f"grows or is left: {', '.join(wrong)}" if wrong else "nothing grows, nothing is left")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT))
