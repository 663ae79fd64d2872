"""The shapes that a field's value can have: checked here, described here, turned into JSON Schema elsewhere.

A table of `Field`s is the whole declaration of an object; `check_object` walks it, reports every
violation in the table's order and never raises, whatever JSON it is given. Rules that join two
fields are not here but beside the tables.
"""

import difflib
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from msd_review.manifest.messages import say
from msd_review.manifest.problems import Problem, plain, pointer, quoted, shown
from msd_review.manifest.scalars import is_number, is_text, is_whole
from msd_review.manifest.vocabulary import MAX_INTEGER

# Longer lists of names are not spelt out in a hint.
_LISTED = 8
Report = Callable[[Problem], None]


class Codes(NamedTuple):
    """The codes of one region of the manifest, by kind of violation."""

    missing: str
    type: str
    value: str
    choice: str
    unknown: str


class Text(NamedTuple):
    """A string; `rule` says in words what `pattern` demands."""

    rule: str = "a non-empty string"
    pattern: str | None = None
    empty: bool = False
    one_line: bool = False


class Choice(NamedTuple):
    """One member of a closed list."""

    values: tuple[str | int, ...]


class Whole(NamedTuple):
    """An integer (1.0 is one, true is not)."""

    minimum: int = 1


class Flag(NamedTuple):
    """true or false."""


class Scalar(NamedTuple):
    """A string, a number, true, false or null."""


class Anything(NamedTuple):
    """Any JSON value; accepted and not used."""

    rule: str = "any JSON value"


class ListOf(NamedTuple):
    """An array of one shape."""

    item: "Shape"
    filled: bool = False
    unique: bool = False


class MapOf(NamedTuple):
    """An object whose member names are the author's."""

    item: "Shape"
    key: Text = Text()


class ObjectOf(NamedTuple):
    """An object with a table of its own."""

    fields: tuple["Field", ...]
    rule: str = "an object"
    codes: Codes | None = None
    open: bool = False


Shape = Text | Choice | Whole | Flag | Scalar | Anything | ListOf | MapOf | ObjectOf


class Field(NamedTuple):
    """One field: what it may hold, what it is for, and the code of its own violations where it has one."""

    name: str
    shape: Shape
    doc: str
    example: Any
    required: bool = False
    nullable: bool = False
    code: str | None = None
    default: str = ""


_compiled = cache(re.compile)


@cache
def _as_set(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(names)


def expected(shape: Shape, *, nullable: bool = False) -> str:
    """What a shape accepts, in words that fit after "must be"."""
    words = _EXPECTED[type(shape)](shape)
    return f"{words}, or null" if nullable else words


def _list_words(shape: Any) -> str:
    kind = "a non-empty array" if shape.filled else "an array"
    return f"{kind} of strings" if isinstance(shape.item, Text | Choice) else f"{kind} of objects"


_EXPECTED: Mapping[type, Callable[[Any], str]] = {
    Text: lambda shape: shape.rule,
    Choice: lambda shape: (
        quoted(map(str, shape.values))
        if len(shape.values) == 1
        else f"one of {quoted(map(str, shape.values))}"
    ),
    Whole: lambda shape: (
        "a positive integer" if shape.minimum == 1 else f"an integer from {shape.minimum} on"
    ),
    Flag: lambda shape: "true or false",
    Scalar: lambda shape: "a string, a number, true, false or null",
    Anything: lambda shape: shape.rule,
    ListOf: _list_words,
    MapOf: lambda shape: "an object",
    ObjectOf: lambda shape: shape.rule,
}


def nearest(name: object, known: tuple[Any, ...]) -> str | None:
    """The known name that was probably meant, if any is near."""
    if not isinstance(name, str) or len(name) > 60:
        return None
    by_lower = {str(item).lower(): str(item) for item in known}
    found = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.7)
    return by_lower[found[0]] if found else None


def advice(name: object, known: tuple[Any, ...]) -> str:
    """The hint for a name that nobody knows."""
    meant = nearest(name, known)
    if meant is not None:
        return f"did you mean `{meant}`?"
    listed = f"; known here: {quoted(map(str, known))}" if len(known) <= _LISTED else ""
    return f"it is ignored{listed}"


def why(item: Field, value: object = None) -> str:
    """The hint of a field: the member that was meant, else what the field is for and an example."""
    if isinstance(item.shape, Choice):
        meant = nearest(value, item.shape.values)
        if meant is not None and meant != value:
            return f"did you mean `{meant}`?"
    return f"{item.doc}; for example {json.dumps(item.example, ensure_ascii=False)}"


class Spot(NamedTuple):
    """Where a check stands: the field, its name in messages, its pointer, the region's codes, and who listens."""

    item: Field
    name: str
    at: str
    codes: Codes
    report: Report

    def below(self, name: str, at: str) -> "Spot":
        """The same field, one member deeper."""
        return Spot(self.item, name, at, self.codes, self.report)

    def wrong(self, shape: Shape, value: object, kind: str) -> None:
        """Reports a value that the shape does not accept; `kind` is one of `type`, `value`, `choice`."""
        self.report(
            say(
                "wrong",
                self.at,
                code=self.item.code or getattr(self.codes, kind),
                name=self.name,
                expected=expected(shape, nullable=self.item.nullable and shape is self.item.shape),
                found=shown(value),
                why=why(self.item, value),
            )
        )


def check_object(fields: tuple[Field, ...], value: Mapping[str, Any], spot: Spot) -> None:
    """Every violation of an object's own fields, then its unknown fields by name."""
    for item in fields:
        name = item.name
        if name in value:
            if not _fits(item, value[name]):
                check_field(item, value[name], Spot(item, name, f"{spot.at}/{name}", spot.codes, spot.report))
        elif item.required:
            code = item.code or spot.codes.missing
            spot.report(say("missing", f"{spot.at}/{name}", code=code, name=name, why=why(item)))


def _fits(item: Field, value: object) -> bool:
    """Whether a plain value is right, told without building what a report would need."""
    if value is None and item.nullable:
        return True
    scalar = _SCALARS.get(type(item.shape))
    return scalar is not None and scalar(item.shape, value) is None


def report_unknown(known: tuple[str, ...], value: Mapping[str, Any], spot: Spot) -> None:
    """A warning for each field that `known` does not hold."""
    names = _as_set(known)
    if value.keys() <= names:
        return
    for name in sorted(value.keys() - names):
        hint = advice(name, known)
        at = pointer(spot.at, name)
        spot.report(say("unknown", at, code=spot.codes.unknown, name=plain(name), advice=hint))


def check_field(item: Field, value: object, spot: Spot) -> None:
    """Every violation of one field that is present."""
    if value is None and item.nullable:
        return
    check_shape(item.shape, value, spot)


def check_shape(shape: Shape, value: object, spot: Spot) -> None:
    """Every violation of one value, its members included."""
    scalar = _SCALARS.get(type(shape))
    if scalar is None:
        _CONTAINERS[type(shape)](shape, value, spot)
        return
    kind = scalar(shape, value)
    if kind is not None:
        spot.wrong(shape, value, kind)


def _text(shape: Any, value: object) -> str | None:
    if not isinstance(value, str):
        return "type"
    if not is_text(value) or (not shape.empty and not value.strip()):
        return "value"
    if shape.one_line and not value.isprintable():
        return "value"
    if shape.pattern is not None and _compiled(shape.pattern).fullmatch(value) is None:
        return "value"
    return None


def _choice(shape: Any, value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return "type"
    return None if value in shape.values else "choice"


def _whole(shape: Any, value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "type"
    return None if is_whole(value) and shape.minimum <= value <= MAX_INTEGER else "value"


def _flag(_shape: Any, value: object) -> str | None:
    return None if isinstance(value, bool) else "type"


def _scalar(_shape: Any, value: object) -> str | None:
    return None if value is None or isinstance(value, bool) or is_text(value) or is_number(value) else "type"


def _anything(_shape: Any, _value: object) -> str | None:
    return None


def _check_list(shape: Any, value: object, spot: Spot) -> None:
    if not isinstance(value, list):
        spot.wrong(shape, value, "type")
        return
    if shape.filled and not value:
        spot.wrong(shape, value, "value")
    scalar = _SCALARS.get(type(shape.item))
    for index, member in enumerate(value):
        if scalar is not None and scalar(shape.item, member) is None:
            continue
        check_shape(shape.item, member, spot.below(f"{spot.name}[{index}]", f"{spot.at}/{index}"))


def _check_map(shape: Any, value: object, spot: Spot) -> None:
    if not isinstance(value, dict):
        spot.wrong(shape, value, "type")
        return
    for name in sorted(value):
        below = spot.below(f"{spot.name}.{plain(name)}", pointer(spot.at, name))
        if _text(shape.key, name) is not None:
            below.wrong(shape.key, name, "value")
        check_shape(shape.item, value[name], below)


def _check_member_object(shape: Any, value: object, spot: Spot) -> None:
    if not isinstance(value, dict):
        spot.wrong(shape, value, "type")
        return
    inner = spot if shape.codes is None else Spot(spot.item, spot.name, spot.at, shape.codes, spot.report)
    check_object(shape.fields, value, inner)
    if not shape.open:
        report_unknown(tuple(item.name for item in shape.fields), value, inner)


_SCALARS: Mapping[type, Callable[[Any, object], str | None]] = {
    Text: _text,
    Choice: _choice,
    Whole: _whole,
    Flag: _flag,
    Scalar: _scalar,
    Anything: _anything,
}
_CONTAINERS: Mapping[type, Callable[[Any, object, Spot], None]] = {
    ListOf: _check_list,
    MapOf: _check_map,
    ObjectOf: _check_member_object,
}
