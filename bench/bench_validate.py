"""How many manifests a second are validated, decoded and built in one process.

python bench/bench_validate.py
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msd_review.manifest.decode import build, check, decode_bytes
from msd_review.registry import first_party

CASES = Path(__file__).parent.parent / "tests" / "data" / "cases" / "manifests.json"
ROUNDS = 20


def rate(work: Callable[[Any], object], inputs: list[Any]) -> float:
    """Inputs a second, by CPU time."""
    for one in inputs:
        work(one)
    start = time.process_time()
    for _ in range(ROUNDS):
        for one in inputs:
            work(one)
    return ROUNDS * len(inputs) / (time.process_time() - start)


def main() -> None:
    """Prints the table."""
    shipped = [dict(capability.raw) for capability in first_party()]
    handed = [case["input"]["manifest"] for case in json.loads(CASES.read_bytes())]
    raw = [json.dumps(value).encode() for value in shipped]
    rows = [
        ("check, shipped manifests", rate(check, shipped)),
        ("check, handed cases (most are faulty)", rate(check, handed)),
        ("decode from bytes, shipped manifests", rate(decode_bytes, raw)),
        ("build without a check, shipped manifests", rate(build, shipped)),
    ]
    print(f"{'what':<44}{'a second':>10}")
    for name, value in rows:
        print(f"{name:<44}{value:>10,.0f}")


if __name__ == "__main__":
    main()
