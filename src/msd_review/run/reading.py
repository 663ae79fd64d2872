"""What a spawned lane said: its text, its failures, its usage, read as its manifest declares. Judges nothing."""

from dataclasses import replace

from msd_review import handlers
from msd_review.handlers.base import Printed, reports_no_access
from msd_review.manifest.model import Lane, OutputMap, SpawnInvoke
from msd_review.outcomes import Mark
from msd_review.run.decoding import decode, is_blank, storable, without_terminal_sequences
from msd_review.run.json_output import Mapped, apply, find_values
from msd_review.run.result import Reading
from msd_review.run.shape import looks_like_review

_NOISE_CHARS = 64 * 1024


def read_output(
    lane: Lane,
    *,
    stdout: bytes,
    stderr: bytes,
    output_file: bytes | None = None,
    exit_status: int | None = 0,
    note: object | None = None,
) -> Reading:
    """The reading of one run. Never raises on any bytes.

    `output_file` is None when the tool wrote none. `exit_status` is None when the tool did not end by itself;
    `note` is what `handlers.before_start` returned.
    """
    printed = Printed(stdout=plain_text(stdout), stderr=plain_text(stderr), exit_status=exit_status)
    reading = handlers.read(lane.handler, printed, note)
    if reading is None:
        reading = _declared(_spawn(lane), printed, output_file)
    if Mark.WITHOUT_REPO_ACCESS not in reading.marks and reports_no_access(reading.text):
        reading = replace(reading, marks=(*reading.marks, Mark.WITHOUT_REPO_ACCESS))
    done = reading.done and not is_blank(reading.text)
    return replace(reading, done=done, noise=reading.noise[-_NOISE_CHARS:])


def is_complete(lane: Lane, stdout: bytes) -> bool:
    """Whether the structure of what came so far shows a whole answer (never true of plain text).

    A lane that writes its answer to a file is complete when its stdout says so; whether the file is there is
    seen when it is read.
    """
    if not isinstance(lane.invoke, SpawnInvoke):
        return False
    if lane.handler is None and lane.invoke.output_map is None:
        return False
    if lane.invoke.output_channel == "file-arg":
        return _says_done(lane.invoke, plain_text(stdout))
    reading = read_output(lane, stdout=stdout, stderr=b"", exit_status=None)
    return reading.structured and reading.done and not reading.errors


def plain_text(raw: bytes) -> str:
    """A stream's bytes as text that reads as it would on paper and can be stored as UTF-8."""
    return without_terminal_sequences(decode(raw))


def _spawn(lane: Lane) -> SpawnInvoke:
    if not isinstance(lane.invoke, SpawnInvoke):
        raise RuntimeError(f"{lane.slug} is no spawned lane")
    return lane.invoke


def _says_done(invoke: SpawnInvoke, stdout: str) -> bool:
    if invoke.output_map is None or invoke.output_map.done is None:
        return False
    form = invoke.output_format
    mapped = apply(invoke.output_map, find_values(stdout, form).values, form=form)
    return mapped.done and not mapped.errors


def _declared(invoke: SpawnInvoke, printed: Printed, output_file: bytes | None) -> Reading:
    own = None if output_file is None else storable(plain_text(output_file))
    if invoke.output_map is None or invoke.output_format == "text":
        return _as_text(invoke, printed, own)
    reading = _structured(invoke, invoke.output_map, printed)
    if invoke.output_channel != "file-arg":
        return reading
    if own is None:
        # Plain text on stdout is a log where the review was to go into a file.
        return reading if reading.structured else replace(reading, text="", noise=reading.text)
    noise = reading.noise if reading.structured else reading.text
    return replace(reading, text=own, structured=True, done=reading.done and reading.structured, noise=noise)


def _as_text(invoke: SpawnInvoke, printed: Printed, own: str | None) -> Reading:
    if invoke.output_channel != "file-arg":
        return Reading(text=printed.stdout)
    return Reading(text=own or "", structured=own is not None and not is_blank(own), noise=printed.stdout)


def _structured(invoke: SpawnInvoke, output_map: OutputMap, printed: Printed) -> Reading:
    """The map over stdout, then, where that holds neither text nor failure, over stderr."""
    form = invoke.output_format
    found = find_values(printed.stdout, form)
    mapped = apply(output_map, found.values, form=form)
    is_text = not mapped.text and looks_like_review(found.rest)
    if not is_text and (mapped.text or mapped.errors):
        return _reading(mapped, noise=found.rest)
    from_stderr = apply(output_map, find_values(printed.stderr, form, is_log=True).values, form=form)
    if is_text or not any(isinstance(value, dict) for value in found.values):
        # No structure came: the text is taken as text; a failure may still be announced on stderr.
        return Reading(text=printed.stdout, errors=from_stderr.errors, usage=mapped.usage, model=mapped.model)
    if from_stderr.errors:
        mapped = replace(mapped, errors=from_stderr.errors, done=False)
    return _reading(mapped, noise=found.rest)


def _reading(mapped: Mapped, *, noise: str) -> Reading:
    return Reading(
        text=mapped.text,
        structured=True,
        done=mapped.done,
        errors=mapped.errors,
        usage=mapped.usage,
        model=mapped.model,
        noise=noise,
    )
