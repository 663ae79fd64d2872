"""At the end of the session nothing that a test started may still be running."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from msd_review.edges import process_table


def _ours(pid: int, base: str) -> bool:
    """Whether a marked process works on the files of this session: another session's are none of our business."""
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        return base.encode() in environment or str(Path(f"/proc/{pid}/cwd").readlink()).startswith(base)
    except OSError:
        return False


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left_running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    base = str(tmp_path_factory.getbasetemp())
    yield
    if sys.platform == "linux":
        left = [
            pid for pid in process_table.marked(lambda _: True) if _ours(pid, base) and pid != os.getpid()
        ]
        assert left == [], f"still running: {left}"
