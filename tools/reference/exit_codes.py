"""The exit codes of every command, said once for all pages."""

from msd_review.app import exits
from msd_review.cli import boundary
from reference.markdown import table

_MEANINGS = {
    exits.DONE: "done; nothing at or above `--fail-on`",
    exits.FINDINGS: "done; an open finding is at or above `--fail-on` (default: `never`)",
    exits.USAGE: "usage, configuration or input error; nothing was run",
    exits.NAMED_FAILED: "a reviewer that was named could not run, or delivered no counted review; what did run is kept",
    exits.NONE_RAN: "no reviewer could run, or every one that ran failed",
    exits.BLOCKED: "blocked by trust: consent is missing or refused, or a destination changed",
    exits.INTERRUPTED: "interrupted; every child is dead, what finished is kept, `--resume` goes on",
}
_OF_EVERY_PROGRAM = {
    boundary.EXIT_BUG: "a fault in msd; `MSD_DEBUG=1` shows where",
    boundary.EXIT_PIPE: "the reader of the output went away",
}


def short_table() -> str:
    """The codes that a script must know."""
    return _table(_MEANINGS)


def full_table() -> str:
    """Every code."""
    return _table(_MEANINGS | _OF_EVERY_PROGRAM)


def _table(meanings: dict[int, str]) -> str:
    return table(("exit", "meaning"), ((str(number), text) for number, text in meanings.items()))
