"""What a spawned lane said: its text, its failures, its usage, read as its manifest declares. Judges nothing."""

from msd_review import handlers
from msd_review.manifest.model import Lane, OutputMap, SpawnInvoke
from msd_review.run.decoding import decode, is_blank, without_terminal_sequences
from msd_review.run.json_output import Mapped, apply, records
from msd_review.run.result import Reading


def read_output(lane: Lane, *, stdout: bytes, stderr: bytes, output_file: bytes | None = None) -> Reading:
    """The reading of one run; `output_file` is None when the tool wrote none. Never raises on any bytes."""
    reader = handlers.READERS.get(lane.handler or "")
    if reader is not None:
        return reader(stdout, stderr)
    invoke = lane.invoke
    if not isinstance(invoke, SpawnInvoke):
        raise RuntimeError(f"{lane.slug} is no spawned lane")
    own = None if output_file is None else without_terminal_sequences(decode(output_file))
    if invoke.output_map is None or invoke.output_format == "text":
        text = own if own is not None else _plain(stdout)
        return Reading(text=text, structured=own is not None and not is_blank(own))
    mapped = _mapped(invoke, invoke.output_map, stdout, stderr)
    if mapped is None:
        return Reading(text=own if own is not None else _plain(stdout), structured=False)
    text = own if own is not None else mapped.text
    complete = mapped.done if invoke.output_map.done is not None else not mapped.errors
    return Reading(
        text=text,
        structured=True,
        done=complete and not is_blank(text),
        errors=mapped.errors,
        usage=mapped.usage,
        model=mapped.model,
    )


def _plain(raw: bytes) -> str:
    return without_terminal_sequences(decode(raw))


def _mapped(invoke: SpawnInvoke, output_map: OutputMap, stdout: bytes, stderr: bytes) -> Mapped | None:
    """The map over stdout, then, where that says nothing, over stderr; None where neither holds any JSON."""
    form = invoke.output_format
    values = records(_plain(stdout), form)
    first = apply(output_map, values, form=form)
    if first.text or first.errors:
        return first
    others = records(_plain(stderr), form)
    second = apply(output_map, others, form=form)
    if second.errors or (second.found and not first.found):
        return second
    return first if values else None


def is_complete(lane: Lane, stdout: bytes) -> bool:
    """Whether the structure of what came so far shows a whole answer (never true of plain text)."""
    if not isinstance(lane.invoke, SpawnInvoke):
        return False
    if lane.handler not in handlers.READERS and lane.invoke.output_map is None:
        return False
    reading = read_output(lane, stdout=stdout, stderr=b"")
    return reading.structured and reading.done and not reading.errors
