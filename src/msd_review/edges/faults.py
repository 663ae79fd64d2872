"""Named places at which a test can have this process die as if by `kill -9`.

Does nothing unless both MSD_FAULT (`name` or `name:n`, the n-th time it is reached) and MSD_FAULT_TOKEN
(`kill-me`) are set. Harmless in production: all it can do is end this one process, which whoever sets our
environment can do anyway, and what follows is what every other crash leads to.
"""

import os
import signal
from collections import Counter

POINTS = (
    "run.folder_made", "run.recorded", "run.finishing", "run.finished",
    "journal.before_append", "journal.half_line", "journal.appended", "journal.synced",
    "lane.queued", "lane.starting", "lane.attempt_ended", "lane.text_written", "lane.ended", "lane.recorded",
    "process.starting", "process.started", "process.first_output", "process.ending", "process.ended",
    "files.temporary_written",
    "report.before_write", "report.markdown_written", "report.json_written", "report.done",
    "workspace.copying", "workspace.copied", "workspace.removing",
    "install.planned", "install.staged", "install.set_aside", "install.swapped", "install.recorded",
    "install.consented", "install.cleared",
    "remove.planned", "remove.set_aside", "remove.recorded", "remove.revoked", "remove.cleared",
    "host.planned", "host.written", "host.recorded", "host.emptied", "host.tidied", "host.cleared",
    "sweep.killing", "clean.removing", "resume.adopting",
)  # fmt: skip

_TOKEN = "kill-me"
_reached: Counter[str] = Counter()


def armed(name: str) -> bool:
    """True when a test asked this process to die here, now. Counts how often `name` was reached."""
    wanted = os.environ.get("MSD_FAULT")
    if not wanted or os.environ.get("MSD_FAULT_TOKEN") != _TOKEN:
        return False
    target, _, nth = wanted.partition(":")
    if target != name:
        return False
    _reached[name] += 1
    return _reached[name] == (int(nth) if nth.isdigit() else 1)


def fault_point(name: str) -> None:
    """Dies here when a test asked for it; otherwise nothing."""
    if armed(name):
        os.kill(os.getpid(), signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
