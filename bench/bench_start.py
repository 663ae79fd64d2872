"""What starting costs, as ratios to `python -c pass`: `python bench/bench_start.py`.

CPU is user and system time of the process; each pair runs in turn, so that the machine's other work hits both.
"""

import statistics
import sys
import tempfile
from pathlib import Path

from commands import MSD, PASS, fake_lanes, plain_cost

ROUNDS = 9
CASES: dict[str, tuple[tuple[str, ...], str]] = {
    "--version": (("--version",), "at most 5"),
    "lane list": (("lane", "list"), "at most 8"),
    "config get": (("config", "get", "review.max_parallel"), ""),
    "review --help": (("review", "--help"), ""),
    "review --dry-run": (
        ("review", "--phase", "2", "--lane", "fake0", "--lane", "fake1", "--dry-run", "--yes"),
        "",
    ),
}


def main() -> None:
    """Prints a row a command."""
    with tempfile.TemporaryDirectory(prefix="msd-bench-") as folder:
        desk = fake_lanes(Path(folder), 2)
        print(f"{'command':20}{'CPU ms':>8}{'pass':>8}{'ratio':>8}   budget   ({sys.version.split()[0]})")
        for name, (arguments, budget) in CASES.items():
            plain_cost(desk, (*MSD, *arguments))
            pairs = [(plain_cost(desk, (*MSD, *arguments)), plain_cost(desk, PASS)) for _ in range(ROUNDS)]
            found, base = (1000 * statistics.median(column) for column in zip(*pairs, strict=True))
            ratio = statistics.median(one / other for one, other in pairs)
            print(f"{name:20}{found:8.0f}{base:8.1f}{ratio:8.1f}   {budget}")


if __name__ == "__main__":
    main()
