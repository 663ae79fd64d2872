"""Changes as a unified diff, as `patch` reads it.

Of a settings file only the lines that change are shown, without the lines around them: those may hold keys.
"""

import difflib
from collections.abc import Iterable

from msd_review.hosts.model import Change

_NOTHING = "/dev/null"
_NO_NEWLINE = "\n\\ No newline at end of file\n"


def unified(changes: Iterable[Change]) -> str:
    """The diff of all changes that write or remove something."""
    return "".join(_diff(one) for one in changes if one.action in {"create", "change", "remove"})


def _diff(change: Change) -> str:
    before, after = change.seen.content, change.after
    lines = difflib.unified_diff(
        _lines(before),
        _lines(after),
        _NOTHING if before is None else str(change.path),
        _NOTHING if after is None else str(change.path),
        n=0,
    )
    return "".join(line if line.endswith("\n") else line + _NO_NEWLINE for line in lines)


def _lines(content: bytes | None) -> list[str]:
    text = (content or b"").decode(errors="replace")
    pieces = text.split("\n")
    return [f"{piece}\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
