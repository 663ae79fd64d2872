"""Changes as a unified diff, as `patch` reads it.

Of a settings file only the lines that change are shown, without the lines around them: those may hold keys.
"""

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from msd_review.hosts.model import Change

_NOTHING = "/dev/null"
_NO_NEWLINE = "\n\\ No newline at end of file\n"


def unified(changes: Iterable[Change]) -> str:
    """The diff of all changes that write or remove something."""
    return "".join(
        piece for one in changes if one.action in {"create", "change", "remove"} for piece in _diff(one)
    )


def _diff(change: Change) -> Iterator[str]:
    before, after = _lines(change.seen.content), _lines(change.after)
    yield f"--- {_NOTHING if change.seen.content is None else change.path}\n"
    yield f"+++ {_NOTHING if change.after is None else change.path}\n"
    head = _common(before, after)
    tail = _common(before[head:][::-1], after[head:][::-1])
    # An edit is one piece of text: without what is the same around it, a file of any size is compared at once.
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    for kind, start, end, new_start, new_end in SequenceMatcher(None, *middle, autojunk=False).get_opcodes():
        if kind != "equal":
            yield _hunk(before, after, (head + start, head + end), (head + new_start, head + new_end))


def _hunk(before: Sequence[str], after: Sequence[str], old: tuple[int, int], new: tuple[int, int]) -> str:
    gone = "".join("-" + _ended(line) for line in before[slice(*old)])
    come = "".join("+" + _ended(line) for line in after[slice(*new)])
    return f"@@ -{_range(*old)} +{_range(*new)} @@\n{gone}{come}"


def _range(start: int, end: int) -> str:
    """Line and count, as a unified diff writes them: an empty range names the line before it."""
    count = end - start
    return f"{start + 1}" if count == 1 else f"{start + 1 if count else start},{count}"


def _ended(line: str) -> str:
    return line if line.endswith("\n") else line + _NO_NEWLINE


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (mine, theirs) in enumerate(pairs) if mine != theirs), min(len(one), len(other)))


def _lines(content: bytes | None) -> list[str]:
    text = (content or b"").decode(errors="replace")
    pieces = text.split("\n")
    return [f"{piece}\n" for piece in pieces[:-1]] + ([pieces[-1]] if pieces[-1] else [])
