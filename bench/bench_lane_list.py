"""What `msd lane list` costs with 0 and 1,000 installed capabilities that the user agreed to.

    python bench/bench_lane_list.py

CPU is user and system time of the whole command. "first" judges and hashes everything; "unchanged" starts with what
the first one remembered.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from tests.registry_files import install, lane_manifest

from msd_review.trust import store
from msd_review.trust.bundle import read_bundle
from msd_review.trust.consent import GLOBAL, OverlayConsent

ROUNDS = 7
COUNTS = (0, 100, 1000)


def agree(home: Path, count: int) -> None:
    """Installs `count` lanes below `home` and consents to them."""
    caps = install(home / "capabilities", *(lane_manifest(f"lane{number}") for number in range(count)))
    consents = tuple(
        OverlayConsent(
            scope=GLOBAL,
            id=folder.name,
            integrity=None,
            signature="sha256-0",
            content_hash=read_bundle(folder).content_hash,
            destination=None,
            time="2026-12-01T00:00:00Z",
            tool_version="0",
        )
        for folder in sorted(caps.glob("*"))
    )
    store.change(home, lambda held: replace(held, overlays=consents))


def cpu_ms(env: dict[str, str], project: Path) -> float:
    """User and system time of one `msd lane list`, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "msd_review", "lane", "list"]
    subprocess.run(command, check=True, env=env, cwd=project, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def main() -> None:
    """Prints the table."""
    print(f"{'agreed to':>10}{'first':>10}{'unchanged':>12}   CPU ms")
    with tempfile.TemporaryDirectory() as made:
        base = Path(made)
        (base / "project" / ".git").mkdir(parents=True)
        shared = {"PATH": os.environ["PATH"], "HOME": made, "MSD_STATE_DIR": f"{made}/state"}
        for count in COUNTS:
            home = base / f"home-{count}"
            home.mkdir(mode=0o700)
            agree(home, count)
            time.sleep(0.2)
            env = {**shared, "MSD_HOME": str(home)}
            first = cpu_ms(env, base / "project")
            unchanged = statistics.median(cpu_ms(env, base / "project") for _ in range(ROUNDS))
            print(f"{count:>10}{first:>10.0f}{unchanged:>12.0f}")


if __name__ == "__main__":
    main()
