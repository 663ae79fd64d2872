"""What a review was asked to do: the command line, decoded once."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from msd_review.errors import UsageError
from msd_review.planning import Overrides

FORMATS = ("md", "json", "sarif", "html")
CHANGE_FORMATS = (*FORMATS, "codequality", "rdjson", "annotations")
FailOn = Literal["high", "medium", "low", "never"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """A review obtained elsewhere, which takes part like a lane's."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest:
    """Everything `msd review` was told; what was not told is empty or None."""

    folder: Path | None = None
    plans: tuple[Path, ...] = ()
    phase: str | None = None
    named: tuple[str, ...] = ()
    all: bool = False
    exclude: tuple[str, ...] = ()
    overrides: Overrides = field(default_factory=Overrides)
    jobs: int | None = None
    fail_on: FailOn | None = None
    formats: tuple[str, ...] = ("md", "json")
    output: str | None = None
    isolate: bool = False
    in_place: bool = False
    keep_agent_config: bool = False
    imports: tuple[Import, ...] = ()
    resume: bool = False
    resume_run: str | None = None
    retry_failed: bool = False
    dry_run: bool = False
    yes: bool = False
    allow_secrets: tuple[str, ...] = ()
    run_id: str | None = None  # a folder that was reserved for this run
    by_agent: bool = False  # an agent asks: naming a reviewer chooses it, and agrees to nothing


def pairs(option: str, values: Iterable[str]) -> dict[str, str]:
    """`NAME=VALUE` arguments of an option, by name in lower case. Raises UsageError for a malformed one."""
    result: dict[str, str] = {}
    for value in values:
        name, equals, rest = value.partition("=")
        if not equals or not name.strip() or not rest:
            raise UsageError(f"{option} takes NAME=VALUE, not {value!r}")
        key = name.strip().lower()
        if key in result and result[key] != rest:
            raise UsageError(f"{option} names {name.strip()} twice, with different values")
        result[key] = rest
    return result


def seconds(option: str, values: Iterable[str]) -> dict[str, float]:
    """`NAME=SECONDS` arguments: positive finite numbers."""
    result: dict[str, float] = {}
    for name, text in pairs(option, values).items():
        try:
            number = float(text)
        except ValueError:
            raise UsageError(f"{option} {name}={text}: not a number of seconds") from None
        if not 0 < number < 10_000_000:
            raise UsageError(f"{option} {name}={text}: must be above 0 and below 10,000,000 seconds")
        result[name] = number
    return result


def parse_formats(text: str, known: tuple[str, ...] = FORMATS) -> tuple[str, ...]:
    """A comma-separated list of formats, in the given order, once each."""
    names = [part.strip().lower() for part in text.split(",") if part.strip()]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise UsageError(f"--format takes a list of {', '.join(known)}, not {text!r}")
    return tuple(dict.fromkeys(names))


def parse_imports(values: Iterable[str]) -> tuple[Import, ...]:
    """`NAME=FILE` arguments of `--import`; whether NAME may be used is judged against the registry."""
    result = []
    for value in values:
        name, equals, rest = value.partition("=")
        if not equals or not name or not rest:
            raise UsageError(f"--import takes NAME=FILE, not {value!r}")
        result.append(Import(name=name, path=Path(rest)))
    names = [one.name.lower() for one in result]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"--import names {twice[0]} twice")
    return tuple(result)
