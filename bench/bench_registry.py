"""What installed overlays cost a start: import, discovery and merging with 0, 100 and 1,000 of them.

    python bench/bench_registry.py

Each row is a process of its own; CPU is user and system time of the whole process. "unchanged" starts with
the cache that "first" left; "active" is with every overlay consented to.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.registry_files import install, lane_manifest

ROUNDS = 5
PROGRAM = """
import sys
from pathlib import Path
from msd_review.registry import discover_overlays, first_party, load_registry
folder, cache, active = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3] == "active"
found = discover_overlays(folder, None, cache_file=cache)
registry = load_registry(first_party(), found, is_active=lambda one: None if active else "not_consented")
[(entry.slug, entry.flags, entry.section, entry.lane.transport) for entry in registry.lanes]
registry.config_keys, registry.flags
"""


def cpu_ms(*arguments: str) -> float:
    """User and system time of one child, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def row(folder: Path, count: int) -> tuple[float, float, float, float]:
    """Base interpreter, first start, unchanged and inactive, unchanged and active; medians."""
    caps, cache = folder / f"caps-{count}", folder / f"cache-{count}" / "manifests.json"
    install(caps, *(lane_manifest(f"lane{number}") for number in range(count)))
    time.sleep(0.2)
    arguments = ("-c", PROGRAM, str(caps), str(cache))
    first = cpu_ms(*arguments, "inactive")
    rounds = range(ROUNDS)
    return (
        statistics.median(cpu_ms("-c", "pass") for _ in rounds),
        first,
        statistics.median(cpu_ms(*arguments, "inactive") for _ in rounds),
        statistics.median(cpu_ms(*arguments, "active") for _ in rounds),
    )


def main() -> None:
    """Prints the table."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    print(f"{'overlays':>8}{'pass':>10}{'first':>10}{'unchanged':>12}{'active':>10}   CPU ms")
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("PYTHONPYCACHEPREFIX", f"{folder}/pyc")
        for count in (0, 100, 1000):
            base, first, unchanged, active = row(Path(folder), count)
            print(f"{count:>8}{base:>10.1f}{first:>10.1f}{unchanged:>12.1f}{active:>10.1f}")
        size = len(json.dumps(lane_manifest("lane")))
    print(f"a manifest is {size} bytes here")


if __name__ == "__main__":
    main()
