"""JSON in a tool's output, wherever it stands, and a declared map read over it: pointers and equality, no code."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from msd_review.lazy import regex
from msd_review.manifest.model import OutputFormat, OutputMap, TextSelector, Where
from msd_review.run.decoding import storable
from msd_review.run.result import ToolError, Usage

_ABSENT = object()
_LINE_START = regex(r"^[ \t]*(?=[{\[])", re.MULTILINE)
_ANYWHERE = regex(r"(?=\{)")
# How often a text may be scanned altogether while a value is looked for behind noise: hostile noise is full of
# places where one seems to begin.
_SCANS = 4
_ATTEMPT_COST = 256
_HUGE = 10**15
_NO_WORDS = "it reported an error without words"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The JSON values of a text, and the text around them."""

    values: tuple[Any, ...]
    rest: str


def find_values(text: str, form: OutputFormat, *, is_log: bool = False) -> Found:
    """One value a line, or one value (the elements of an array) behind whatever noise.

    In a log a value counts where it begins a line: logs quote other values inside their lines.
    """
    return _lines(text) if form == "json-lines" else _values(text, is_log=is_log)


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _ABSENT


def _lines(text: str) -> Found:
    values: list[Any] = []
    rest: list[str] = []
    for line in text.split("\n"):
        bare = line.strip()
        value = _loads(bare) if bare[:1] in {"{", "["} else _ABSENT
        if value is not _ABSENT:
            values.append(value)
        elif bare:
            rest.append(line)
    return Found(values=tuple(values), rest="\n".join(rest))


def _values(text: str, *, is_log: bool) -> Found:
    whole = _loads(text.strip())
    if isinstance(whole, dict | list):
        return Found(values=tuple(_elements(whole)), rest="")
    for starts in (_LINE_START,) if is_log else (_LINE_START, _ANYWHERE):
        spans = list(_spans(text, starts))
        if spans:
            values = [element for _, _, value in spans for element in _elements(value)]
            return Found(values=tuple(values), rest=_around(text, spans))
    return Found(values=(), rest=text)


def _elements(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _around(text: str, spans: Sequence[tuple[int, int, Any]]) -> str:
    pieces, at = [], 0
    for start, end, _ in spans:
        pieces.append(text[at:start])
        at = end
    return "".join((*pieces, text[at:])).strip()


def _spans(text: str, starts: re.Pattern[str]) -> Iterator[tuple[int, int, Any]]:
    decoder = json.JSONDecoder()
    budget, end = _SCANS * len(text) + 1_000_000, 0
    for match in starts.finditer(text):
        start = match.end()
        if start < end:
            continue
        if budget <= 0:
            return
        value, cost = _decode_at(decoder, text, start)
        # An error counts the lines up to its place: an attempt far into a text is dear even when it reads nothing.
        budget -= cost + _ATTEMPT_COST + (start >> 3)
        if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, dict) for v in value)):
            end = start + cost
            yield start, end, value


def _decode_at(decoder: json.JSONDecoder, text: str, start: int) -> tuple[Any, int]:
    """The value that begins at `start` (or _ABSENT), and how many characters were read for it."""
    try:
        value, end = decoder.raw_decode(text, start)
    except json.JSONDecodeError as problem:
        unended = problem.msg.startswith("Unterminated")
        return _ABSENT, len(text) - start if unended else max(0, problem.pos - start)
    except (ValueError, RecursionError):
        return _ABSENT, len(text) - start
    return value, end - start


def resolve(value: Any, pointer: str) -> Any:
    """The value at a JSON pointer, `_ABSENT` where there is none."""
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and _is_index(name) and int(name) < len(value):
            value = value[int(name)]
        else:
            return _ABSENT
    return value


def _is_index(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) < 9


def _equal(found: Any, wanted: Any) -> bool:
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    return isinstance(found, str | int | float | type(None)) and bool(found == wanted)


def matches(record: Any, where: Where | None) -> bool:
    """Whether every pointer of a condition holds exactly its value; no condition always holds."""
    return where is None or all(_equal(resolve(record, p), wanted) for p, wanted in where.equals.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """What a map found."""

    text: str
    found: bool  # anything of the map matched at all
    done: bool
    errors: tuple[ToolError, ...]
    usage: Usage | None
    model: str | None


def apply(output_map: OutputMap, values: Sequence[Any], *, form: OutputFormat) -> Mapped:
    """Reads a map over the values of one stream; failures before the last `done` are history.

    `done` without a declared condition: one JSON value is whole by itself once it holds a text and no failure;
    of a stream of lines nobody can tell.
    """
    done_at = max((at for at, record in enumerate(values) if _is_done(output_map, record)), default=-1)
    errors = tuple(e for record in values[max(done_at, 0) :] for e in _errors(output_map, record))
    text = _text(output_map.text, values, form)
    usage, model = _usage(output_map, values), _model(output_map, values)
    done = done_at >= 0 if output_map.done is not None else form == "json" and bool(text) and not errors
    found = bool(text or errors or usage or model or done_at >= 0)
    return Mapped(text=text, found=found, done=done, errors=errors, usage=usage, model=model)


def _is_done(output_map: OutputMap, record: Any) -> bool:
    return output_map.done is not None and matches(record, output_map.done)


def _text(selectors: Iterable[TextSelector], values: Sequence[Any], form: OutputFormat) -> str:
    for selector in selectors:
        found = [
            text
            for record in values
            if matches(record, selector.where) and isinstance(text := resolve(record, selector.pointer), str)
        ]
        joined = found[-1] if found and (selector.take == "last" or form == "json") else "\n".join(found)
        if joined.strip():
            return storable(joined)
    return ""


def _errors(output_map: OutputMap, record: Any) -> Iterator[ToolError]:
    for selector in output_map.error:
        if selector.where is not None and not matches(record, selector.where):
            continue
        message = resolve(record, selector.message) if selector.message else _ABSENT
        if selector.where is None and not _says_something(message):
            continue
        status = resolve(record, selector.status) if selector.status else _ABSENT
        yield ToolError(message=_message(message), status=_status(status))


def _says_something(message: Any) -> bool:
    return isinstance(message, str | dict | list) and bool(message)


def _message(value: Any) -> str:
    if isinstance(value, str) and value.strip():
        return storable(value)
    return storable(json.dumps(value)[:2000]) if isinstance(value, dict | list) and value else _NO_WORDS


def _status(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 6:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(record: Any, pointer: str | None) -> int | float | None:
    value = resolve(record, pointer) if pointer else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not -_HUGE < value < _HUGE:
        return None
    return value


def _usage(output_map: OutputMap, values: Sequence[Any]) -> Usage | None:
    selector = output_map.usage
    if selector is None:
        return None
    for record in reversed(values):
        if not matches(record, selector.where):
            continue
        tokens = [_number(record, pointer) for pointer in (selector.input_tokens, selector.output_tokens)]
        cost = _number(record, selector.cost_usd)
        if any(number is not None for number in (*tokens, cost)):
            counts = [None if number is None else int(number) for number in tokens]
            spent = None if cost is None else float(cost)
            return Usage(input_tokens=counts[0], output_tokens=counts[1], cost_usd=spent)
    return None


def _model(output_map: OutputMap, values: Sequence[Any]) -> str | None:
    selector = output_map.model
    if selector is None:
        return None
    found = (
        resolve(record, selector.pointer) for record in reversed(values) if matches(record, selector.where)
    )
    return next((storable(value) for value in found if isinstance(value, str) and value), None)
