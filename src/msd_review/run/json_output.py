"""JSON in a tool's output, wherever it stands, and a declared map read over it: pointers and equality, no code."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from msd_review.manifest.model import OutputFormat, OutputMap, TextSelector, Where
from msd_review.run.result import ToolError, Usage

_MAX_STARTS = 400  # places at which a JSON value may be looked for behind noise
_ABSENT = object()


def records(text: str, form: OutputFormat) -> list[Any]:
    """The values of an output: one a line, or one value (the elements of an array) behind whatever noise."""
    if form == "json-lines":
        return list(_lines(text))
    return [record for value in _values(text) for record in (value if isinstance(value, list) else [value])]


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _ABSENT


def _lines(text: str) -> Iterator[Any]:
    for line in text.split("\n"):
        start = min((at for at in (line.find("{"), line.find("[")) if at >= 0), default=-1)
        if start >= 0 and (value := _loads(line[start:].strip())) is not _ABSENT:
            yield value


def _values(text: str) -> Iterator[Any]:
    whole = _loads(text.strip())
    if whole is not _ABSENT:
        yield whole
        return
    decoder = json.JSONDecoder()
    end = 0
    for start in _starts(text):
        if start < end:
            continue
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            yield value


def _starts(text: str) -> Sequence[int]:
    found = []
    at = 0
    for line in text.split("\n"):
        stripped = line.lstrip()
        if stripped[:1] in {"{", "["}:
            found.append(at + len(line) - len(stripped))
        at += len(line) + 1
    return found[-_MAX_STARTS:]


def resolve(value: Any, pointer: str) -> Any:
    """The value at a JSON pointer, `_ABSENT` where there is none."""
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and len(name) < 9 and int(name) < len(value):
            value = value[int(name)]
        else:
            return _ABSENT
    return value


def _equal(found: Any, wanted: Any) -> bool:
    if isinstance(found, bool) or isinstance(wanted, bool):
        return found is wanted
    return bool(found == wanted) and isinstance(found, str | int | float | type(None))


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
    """Reads a map over the records of one stream."""
    done_at = max((at for at, record in enumerate(values) if _is_done(output_map, record)), default=-1)
    errors = [e for at, record in enumerate(values) if at >= done_at for e in _errors(output_map, record)]
    text = _text(output_map.text, values, form)
    usage, model = _usage(output_map, values), _model(output_map, values)
    found = bool(text or errors or usage or model or done_at >= 0)
    return Mapped(text=text, found=found, done=done_at >= 0, errors=tuple(errors), usage=usage, model=model)


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
            return joined
    return ""


def _errors(output_map: OutputMap, record: Any) -> Iterator[ToolError]:
    for selector in output_map.error:
        if selector.where is not None and not matches(record, selector.where):
            continue
        message = resolve(record, selector.message) if selector.message else _ABSENT
        if selector.where is None and not isinstance(message, str):
            continue
        status = resolve(record, selector.status) if selector.status else _ABSENT
        yield ToolError(message=_message(message), status=_status(status))


def _message(value: Any) -> str:
    if isinstance(value, str) and value.strip():
        return value
    return (
        json.dumps(value)[:2000] if isinstance(value, dict | list) else "it reported an error without words"
    )


def _status(value: Any) -> int | None:
    if isinstance(value, str) and value.isdigit() and len(value) < 6:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(record: Any, pointer: str | None) -> int | float | None:
    value = resolve(record, pointer) if pointer else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


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
            return Usage(
                input_tokens=counts[0],
                output_tokens=counts[1],
                cost_usd=None if cost is None else float(cost),
            )
    return None


def _model(output_map: OutputMap, values: Sequence[Any]) -> str | None:
    selector = output_map.model
    if selector is None:
        return None
    found = (
        resolve(record, selector.pointer) for record in reversed(values) if matches(record, selector.where)
    )
    return next((value for value in found if isinstance(value, str) and value), None)
