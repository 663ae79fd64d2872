"""A batch: a file of JSON lines, each an item to review, read under bounds and twice.

Invariants
- Nothing is handed out before every line was found usable: a bad batch starts nothing, and every bad line of it is
  named in one pass, up to a bound.
- Lines are read one by one; what is kept of a line that was read is some hundred bytes, to know an id again.
- Ids are unique without regard to case: they name folders.
- What the second reading hands out is what the first one judged, or reading ends with an error.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from msd_review.errors import InputError
from msd_review.fleet.batch_fields import MAX_ITEMS, MAX_LINE_BYTES, NAMES
from msd_review.fleet.batch_line import Origin, decode_item
from msd_review.fleet.model import FleetItem
from msd_review.manifest.json_text import parse_bytes
from msd_review.manifest.problems import Problem

MAX_BAD_LINES = 1_000
"""After so many bad lines reading stops: the file is no batch."""
_SHOWN = 20
_MARK = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff", b"\x00")
_SKIPPED = 64 * 1024
_HINT = f"nothing was started; a line is one JSON object with the fields {', '.join(NAMES)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LineProblem:
    """What is wrong with one line, counted from 1; every sentence says the way out where there is one."""

    line: int
    problems: tuple[str, ...]


class BadBatch(InputError):
    """A batch that cannot be used. `problems` are its bad lines, at most MAX_BAD_LINES; the message names the first."""

    def __init__(self, path: Path, problems: tuple[LineProblem, ...]) -> None:
        told = [f"{path}:{bad.line}: {'; '.join(bad.problems)}" for bad in problems[:_SHOWN]]
        more = len(problems) - len(told)
        if len(problems) >= MAX_BAD_LINES:
            told.append(f"reading stopped after {MAX_BAD_LINES:,} bad lines")
        elif more:
            told.append(f"and {more:,} more bad {'line' if more == 1 else 'lines'}")
        super().__init__(" · ".join(told), hint=_HINT)
        self.problems = problems


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchFacts:
    """What a first reading finds: how many items, and the SHA-256 of the file's bytes (hexadecimal)."""

    items: int
    sha256: str


def read_batch(path: Path, *, allow_file: bool = False) -> Iterator[FleetItem]:
    """Every item of the batch, in the file's order. The whole file is judged before this returns.

    `allow_file` admits `file://` addresses, for tests. Raises BadBatch with every bad line, and InputError for a
    file that cannot be read, holds no item, or changes between the two readings.
    """
    facts = check_batch(path, allow_file=allow_file)
    return _handed_out(path, facts, allow_file=allow_file)


def check_batch(path: Path, *, allow_file: bool = False) -> BatchFacts:
    """Judges every line and hands out none. Raises as `read_batch` does."""
    checked = _Checked(origin=_origin(path, allow_file=allow_file))
    with _opened(path) as handle:
        lines = _Lines(handle)
        for number, raw in lines:
            checked.take(number, raw)
            if len(checked.bad) >= MAX_BAD_LINES:
                break
    if checked.bad:
        raise BadBatch(path, tuple(checked.bad))
    if not checked.first_lines:
        raise InputError(f"{path} holds no item", hint=_HINT)
    return BatchFacts(items=len(checked.first_lines), sha256=lines.digest())


def _handed_out(path: Path, facts: BatchFacts, *, allow_file: bool) -> Iterator[FleetItem]:
    origin = _origin(path, allow_file=allow_file)
    with _opened(path) as handle:
        lines = _Lines(handle)
        for number, raw in lines:
            item = _decoded(number, raw, origin)
            if not isinstance(item, FleetItem):
                raise _changed(path)
            yield item
        if lines.digest() != facts.sha256:
            raise _changed(path)


def _changed(path: Path) -> InputError:
    return InputError(f"{path} was changed while it was read", hint="start again when nobody writes to it")


def _origin(path: Path, *, allow_file: bool) -> Origin:
    return Origin(folder=path.absolute().parent, allow_file=allow_file)


def _opened(path: Path) -> BinaryIO:
    """The file, judged by its open descriptor: a FIFO or a device must not hang or flood the reader."""
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path, flags)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise InputError(f"{path} is not a regular file", hint="a batch is a file of JSON lines")
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise InputError(f"{path} cannot be read: {why}") from None
    return os.fdopen(descriptor, "rb")


class _Lines:
    """The numbered lines of an open batch that hold something; None stands for one that is too long."""

    def __init__(self, handle: BinaryIO) -> None:
        self._handle = handle
        self._hash = hashlib.sha256()

    def digest(self) -> str:
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[tuple[int, bytes | None]]:
        number = 0
        while raw := self._read(MAX_LINE_BYTES + 2):
            number += 1
            if not raw.endswith(b"\n") and len(raw) > MAX_LINE_BYTES:
                self._skip_rest()
                yield number, None
            elif content := (raw.removeprefix(_MARK) if number == 1 else raw).strip(b" \t\r\n"):
                yield number, content

    def _read(self, limit: int) -> bytes:
        raw = self._handle.readline(limit)
        self._hash.update(raw)
        return raw

    def _skip_rest(self) -> None:
        while (rest := self._read(_SKIPPED)) and not rest.endswith(b"\n"):
            pass


@dataclass(slots=True)
class _Checked:
    """What is known of the lines so far: where each id stands first, by a hash of it, and which lines are bad."""

    origin: Origin
    first_lines: dict[bytes, int] = field(default_factory=dict)
    bad: list[LineProblem] = field(default_factory=list)

    def take(self, number: int, raw: bytes | None) -> None:
        item = _decoded(number, raw, self.origin)
        problems = self._repeats(item) if isinstance(item, FleetItem) else item
        if problems:
            self.bad.append(LineProblem(line=number, problems=problems))

    def _repeats(self, item: FleetItem) -> tuple[str, ...]:
        key = hashlib.blake2b(item.id.lower().encode("ascii"), digest_size=8).digest()
        first = self.first_lines.setdefault(key, item.line)
        if first != item.line:
            return (f"the id {item.id} stands in line {first} already: give each item an id of its own",)
        return (f"a batch holds at most {MAX_ITEMS:,} items",) if len(self.first_lines) > MAX_ITEMS else ()


def _decoded(number: int, raw: bytes | None, origin: Origin) -> FleetItem | tuple[str, ...]:
    if raw is None or len(raw) > MAX_LINE_BYTES:
        return (f"longer than {MAX_LINE_BYTES:,} bytes: a line is one item",)
    if raw.startswith((b"#", b"//")):
        return ("a comment: JSON has none",)
    if raw.startswith(_WIDE) or raw.startswith(_MARK):
        return ("not UTF-8 text without marks: save the file as UTF-8",)
    value, problems = parse_bytes(raw)
    if problems:
        return tuple(_json_problem(problem) for problem in problems[:_SHOWN])
    return decode_item(value, line=number, origin=origin)


def _json_problem(problem: Problem) -> str:
    """The reader counts lines within its text; here the text is one line."""
    where = f"`{problem.path[1:]}`: " if problem.path else ""
    return where + problem.message.removeprefix("line 1, ")
