"""One line of a batch, as the JSON value that it holds → the item that it asks for, or everything wrong with it."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from msd_review.fleet.batch_fields import (
    CHANGE_NAMES,
    KINDS,
    MAX_ENTRIES,
    MAX_LANES,
    MAX_TIMEOUT_SECONDS,
    NAMES,
)
from msd_review.fleet.batch_repository import BadField, clean_text, repository, revision
from msd_review.fleet.model import ITEM_ID, FleetItem, ItemKind
from msd_review.lazy import regex
from msd_review.manifest.problems import shown
from msd_review.manifest.shapes import nearest
from msd_review.manifest.vocabulary import WINDOWS_NAMES
from msd_review.planning import value_problem

_LANE = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_NOT_IN_NAMES = regex(r"[^A-Za-z0-9._-]+")
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))
_PHASE_LENGTH = 100
_NAME_LENGTH = 40
_DIGITS = 16
_Decoded = TypeVar("_Decoded")

# Fields that people expect here and that an item has not, and what to do instead.
_ELSEWHERE = {
    "exclude": "name in `lanes` who shall review, or set review.excluded_reviewers in the repository",
    "fail_on": "the summary counts findings by severity",
    "all": "leave `lanes` out: then every lane that can run reviews",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a batch lies: relative repositories start at `folder`; `allow_file` admits `file://`, for tests."""

    folder: Path
    allow_file: bool = False


@dataclass(slots=True)
class _Line:
    """The fields of a line, and what was found wrong with them so far. Null counts as left out."""

    fields: Mapping[str, Any]
    problems: list[str] = field(default_factory=list)

    def take(self, name: str, decode: Callable[[Any], _Decoded]) -> _Decoded | None:
        """The decoded field; None when it is left out, or cannot be used, which is noted."""
        value = self.fields.get(name)
        if value is None:
            return None
        try:
            return decode(value)
        except BadField as problem:
            self.problems.append(f"`{name}`: {problem}")
            return None


def decode_item(value: object, *, line: int, origin: Origin) -> FleetItem | tuple[str, ...]:
    """The item of line `line`, or a sentence for each thing that is wrong with it. Never raises."""
    if not isinstance(value, dict):
        return (f"a line must be one JSON object, not {_kind_of(value)}",)
    reader = _Line(value)
    reader.problems += _unknown(value, NAMES)
    item = _item(reader, line=line, origin=origin)
    return item if item is not None and not reader.problems else tuple(reader.problems)


def _item(reader: _Line, *, line: int, origin: Origin) -> FleetItem | None:
    where = reader.take(
        "repository", lambda value: repository(value, folder=origin.folder, allow_file=origin.allow_file)
    )
    if reader.fields.get("repository") is None:
        reader.problems.append("`repository` is missing: a folder, or a git address")
    kind = _kind(reader)
    phase, plans = reader.take("phase", _phase), reader.take("plans", _paths)
    base, paths = reader.take("change", _change) or (None, ())
    at = reader.take("revision", lambda value: revision(value, repository=where))
    lanes, models = reader.take("lanes", _lanes), reader.take("models", _models)
    timeout, given = reader.take("timeout", _timeout), reader.take("id", _item_id)
    if where is None or kind is None or reader.problems:
        return None
    return FleetItem(
        id=given or made_id(reader.fields),
        line=line,
        repository=where,
        kind=kind,
        revision=at,
        phase=phase,
        plans=plans or (),
        base=base,
        paths=paths,
        lanes=lanes or (),
        models=models or (),
        timeout_seconds=timeout,
    )


def _kind(reader: _Line) -> ItemKind | None:
    given = [name for name in KINDS if reader.fields.get(name) is not None]
    if len(given) == 1:
        return given[0]
    has = " and ".join(f"`{name}`" for name in given) or "none"
    reader.problems.append(
        f"say what to review by exactly one of `phase`, `plans` and `change`; this line has {has}"
    )
    return None


def made_id(fields: Mapping[str, Any]) -> str:
    """An id made of a line's own content: the repository's name, and a hash of every field that is set."""
    content = {name: value for name, value in fields.items() if value is not None and name != "id"}
    digest = hashlib.sha256(_CANONICAL.encode(content).encode("ascii")).hexdigest()[:_DIGITS]
    last = str(fields["repository"]).rstrip("/").replace("\\", "/").rpartition("/")[2].removesuffix(".git")
    name = _NOT_IN_NAMES.sub("-", last).strip("-._")[:_NAME_LENGTH]
    return f"{name or 'item'}-{digest}"


def _unknown(fields: Mapping[str, Any], known: tuple[str, ...]) -> list[str]:
    return [_unknown_field(name, known) for name in fields if name not in known]


def _unknown_field(name: str, known: tuple[str, ...]) -> str:
    near = nearest(name, known)
    way_out = f"did you mean `{near}`?" if near else f"known here: {', '.join(known)}"
    return f"unknown field {shown(name)}: {_ELSEWHERE.get(name, way_out)}"


def _kind_of(value: object) -> str:
    return {list: "an array", str: "a string", bool: str(value).lower(), type(None): "null"}.get(
        type(value), "a number"
    )


def _item_id(value: object) -> str:
    text = clean_text(value, "a string")
    if not ITEM_ID.fullmatch(text) or text.endswith("."):
        raise BadField(
            f"{shown(text)} can name no folder: write letters, digits, `.`, `_` and `-`, beginning with a letter or"
            " digit, at most 100, with no `.` at the end"
        )
    if text.partition(".")[0].lower() in WINDOWS_NAMES:
        raise BadField(f"{shown(text)} is a device on Windows, where no folder can bear that name")
    return text


def _phase(value: object) -> str:
    if isinstance(value, float):
        raise BadField(
            f"must be a string where it is no whole number, not {shown(value)}: 2.10 and 2.1 are one number"
        )
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    text = clean_text(value, "a string or a whole number")
    if len(text) > _PHASE_LENGTH or text.startswith(("-", "/")) or ".." in text or "\\" in text:
        raise BadField(f"{shown(text)} names no phase: write a number, or the name of its folder")
    return text


def _list(value: object, what: str, limit: int) -> list[Any]:
    if not isinstance(value, list):
        raise BadField(f"must be a list of {what}, not {shown(value)}")
    if not value:
        raise BadField(f"is an empty list: name {what}, or leave the field out")
    if len(value) > limit:
        raise BadField(f"is a list of {len(value):,} {what}; at most {limit:,} are taken")
    return value


def _paths(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_path(entry) for entry in _list(value, "paths", MAX_ENTRIES)))


def _path(value: object) -> str:
    text = clean_text(value, "a list of paths")
    path = PurePosixPath(text)
    if path.is_absolute() or text.startswith(("~", "\\")) or text[1:3] in {":\\", ":/"}:
        raise BadField(f"{shown(text)} is not relative to the repository")
    if ".." in text.replace("\\", "/").split("/"):
        raise BadField(f"{shown(text)} leads out of the repository")
    if text.startswith(("-", ":")):
        raise BadField(f"{shown(text)} could become an option or a pattern; write ./{text[:40]}")
    return path.as_posix()


def _change(value: object) -> tuple[str | None, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise BadField(
            f"must be an object, not {shown(value)}; {{}} is the change against the default branch"
        )
    inside = _Line(value)
    inside.problems += _unknown(value, CHANGE_NAMES)
    base = inside.take("base", lambda text: revision(text, repository=None))
    paths = inside.take("paths", _paths) or ()
    if inside.problems:
        raise BadField("; ".join(inside.problems))
    return base, paths


def _lanes(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_lane(entry) for entry in _list(value, "lanes", MAX_LANES)))


def _lane(value: object) -> str:
    text = clean_text(value, "a list of lanes")
    if text.startswith("-"):
        raise BadField(f"{shown(text)} is a flag; write the lane's slug, as `msd lane list` shows it")
    if not _LANE.fullmatch(text):
        raise BadField(f"{shown(text)} is no lane's slug")
    return text.lower()


def _models(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        raise BadField(f"must be an object of lane and model, not {shown(value)}")
    if len(value) > MAX_LANES:
        raise BadField(f"has {len(value):,} entries; at most {MAX_LANES} are taken")
    pairs = [(_lane(name), _model(name, model)) for name, model in value.items()]
    if len({name for name, _ in pairs}) != len(pairs):
        raise BadField("names one lane twice, in other letters")
    return tuple(sorted(pairs))


def _model(name: str, value: object) -> str:
    text = clean_text(value, f"an object of lane and model; the model of {shown(name)} is no text")
    problem = value_problem(text)
    if problem is not None:
        raise BadField(f"the model of {shown(name)} {problem}")
    return text


def _timeout(value: Any) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value < MAX_TIMEOUT_SECONDS or not isfinite(value):
        raise BadField(
            f"must be a number of seconds above 0 and below {MAX_TIMEOUT_SECONDS:,}, not {shown(value)}"
        )
    return float(value)
