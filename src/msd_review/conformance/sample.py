"""From what a manifest declares about its tool's output, the output of a tool that keeps to it.

The documents are derived from the pointers and conditions of the `outputMap`, and every one is read back by msd's own
reader before it is used: what cannot be derived is None, never a guess.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from msd_review.manifest.model import ErrorSelector, Lane, OutputMap, SpawnInvoke, TextSelector, Where
from msd_review.run.reading import read_output

REVIEW = """## Summary
The plan can be carried out, and one reference of it is wrong. Ünïcödé, 中文, \U0001f469\u200d\U0001f4bb and {code}.

## Strengths
- Each task says how it is verified.

## Concerns
- **HIGH**: the parser is moved before its callers are (src/parser.py:3).

## Suggestions
- Move the callers first.

## Risk
Overall risk: MEDIUM
"""
ERROR_TEXT = "401 Unauthorized: invalid API key"
USAGE = (1234, 56)
MODEL = "conformance-model-that-answered"
_MAX_INDEX = 16
_ERROR_EVENT = {
    "type": "error",
    "error": {"name": "APIError", "data": {"message": ERROR_TEXT, "statusCode": 401}},
}


class Output(NamedTuple):
    """What a tool prints, and what it writes into the file that it was given, if any."""

    stdout: bytes
    file: bytes | None = None


class _Conflict(Exception):
    """Two pointers want different values at one place."""


def review_output(lane: Lane, text: str) -> Output | None:
    """The output of a tool that answers with `text`; None where no such output can be derived."""
    for output in _candidates(lane, text):
        if _reads_as(lane, output, text):
            return output
    return None


def empty_output(lane: Lane) -> Output:
    """The output of a tool that ends in peace and has nothing to say, in the shape that its reviews have."""
    probe = "## Summary\n"
    whole = list(_candidates(lane, probe))
    fitting = next((at for at, output in enumerate(whole) if _reads_as(lane, output, probe)), None)
    return Output(stdout=b"") if fitting is None else list(_candidates(lane, ""))[fitting]


def error_output(lane: Lane) -> tuple[Output, bool]:
    """A tool that tells its failure on stdout and exits 0, and whether the manifest declares how failures look."""
    if lane.handler is not None:
        event = Output(stdout=_lines([_ERROR_EVENT]))
        if read_output(lane, stdout=event.stdout, stderr=b"").errors:
            return event, True
    output_map = _spawn(lane).output_map
    if output_map is not None and lane.handler is None:
        for selector in output_map.error:
            output = _error_document(lane, selector)
            if output is not None:
                return output, True
    return Output(stdout=f"Error: {ERROR_TEXT}\n".encode()), False


def _error_document(lane: Lane, selector: ErrorSelector) -> Output | None:
    try:
        record = _record(selector.where, {selector.message: ERROR_TEXT, selector.status: 401})
    except _Conflict:
        return None
    output = Output(stdout=_lines([record]))
    reading = read_output(lane, stdout=output.stdout, stderr=b"")
    return output if reading.errors else None


def _spawn(lane: Lane) -> SpawnInvoke:
    if not isinstance(lane.invoke, SpawnInvoke):
        raise RuntimeError(f"{lane.slug} is no spawned lane")
    return lane.invoke


def _reads_as(lane: Lane, output: Output, text: str) -> bool:
    reading = read_output(lane, stdout=output.stdout, stderr=b"", output_file=output.file)
    return reading.text.strip() == text.strip() and not reading.errors


def _candidates(lane: Lane, text: str) -> Iterator[Output]:
    invoke = _spawn(lane)
    to_file = text.encode() if invoke.output_channel == "file-arg" else None
    if lane.handler is not None:
        yield Output(stdout=_lines(_events(text)))  # a handler reads events, or what is printed
        yield Output(stdout=text.encode())
    elif invoke.output_map is None or invoke.output_format == "text":
        yield Output(stdout=b"" if to_file is not None else text.encode(), file=to_file)
    else:
        for records in _documents(invoke.output_map, text, form=invoke.output_format):
            yield Output(stdout=_lines(records), file=to_file)


def _events(text: str) -> list[Any]:
    finish = {"reason": "stop", "tokens": {"input": USAGE[0], "output": USAGE[1]}, "cost": 0.01}
    return [{"type": "text", "part": {"type": "text", "text": text}}, {"type": "step_finish", "part": finish}]


def _lines(records: list[Any]) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def _documents(output_map: OutputMap, text: str, *, form: str) -> Iterator[list[Any]]:
    """For each declared place of the text, the values that a tool would print: with all the rest, then without."""
    for selector in output_map.text:
        answer = _text_record(selector, text)
        if answer is None:
            continue
        others = [record for record in _other_records(output_map) if record is not None]
        if form == "json":
            together = _merged([answer, *others])
            if together is not None:
                yield [together]
            yield [[*others, answer]]
        else:
            yield [*others[:-1], answer, *others[-1:]]
        yield [answer]


def _text_record(selector: TextSelector, text: str) -> Any:
    try:
        return _record(selector.where, {selector.pointer: text})
    except _Conflict:
        return None


def _other_records(output_map: OutputMap) -> Iterator[Any]:
    """The model that answered, the usage, and what says that it is done: that last."""
    usage, model = output_map.usage, output_map.model
    wanted: list[tuple[Where | None, Mapping[str | None, Any]]] = []
    if model is not None:
        wanted.append((model.where, {model.pointer: MODEL}))
    if usage is not None:
        counts = {usage.input_tokens: USAGE[0], usage.output_tokens: USAGE[1], usage.cost_usd: 0.01}
        wanted.append((usage.where, counts))
    if output_map.done is not None:
        wanted.append((output_map.done, {}))
    for where, values in wanted:
        try:
            yield _record(where, values)
        except _Conflict:
            yield None


def _record(where: Where | None, values: Mapping[str | None, Any]) -> Any:
    """One JSON value in which every pointer holds what it should. Raises _Conflict where none can."""
    pairs = [*(where.equals.items() if where is not None else ()), *values.items()]
    record: Any = None
    for pointer, value in pairs:
        if pointer is not None:
            record = _with(record, _tokens(pointer), value)
    return record


def _tokens(pointer: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def _with(record: Any, tokens: list[str], value: Any) -> Any:
    if not tokens:
        if record is not None and record != value:
            raise _Conflict
        return value
    name, rest = tokens[0], tokens[1:]
    if isinstance(record, list) or (record is None and name.isascii() and name.isdigit()):
        return _in_list(record or [], name, rest, value)
    if record is None:
        record = {}
    if not isinstance(record, dict):
        raise _Conflict
    return {**record, name: _with(record.get(name), rest, value)}


def _in_list(record: list[Any], name: str, rest: list[str], value: Any) -> list[Any]:
    if not (name.isascii() and name.isdigit()) or int(name) > _MAX_INDEX:
        raise _Conflict
    at = int(name)
    padded = [*record, *([None] * (at + 1 - len(record)))]
    padded[at] = _with(padded[at], rest, value)
    return padded


def _merged(records: list[Any]) -> Any:
    """All of them as one value, None where they contradict each other."""
    whole = records[0]
    for record in records[1:]:
        try:
            whole = _union(whole, record)
        except _Conflict:
            return None
    return whole


def _union(one: Any, other: Any) -> Any:
    if one is None or other is None or one == other:
        return other if one is None else one
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: _union(one.get(key), other.get(key)) for key in {**one, **other}}
    raise _Conflict
