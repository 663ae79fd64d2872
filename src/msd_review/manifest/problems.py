"""What validation says: codes, messages and hints, each a template of one closed table.

A code is for programs and never changes its meaning; a message names what was found, a hint the way
out. Whatever a manifest says is shown by `shown`, so that no message can be forged by its subject.
"""

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_SHOWN_LENGTH = 60


class Problem(NamedTuple):
    """One violation: `path` is a JSON pointer into the manifest, "" being the whole of it."""

    code: str
    path: str
    message: str
    hint: str | None
    is_warning: bool


WARNING_CODES = frozenset({
    "envelope.unknown_field", "lane.unknown_field", "lane.unknown_handler", "lane.key_undeclared",
    "lane.handler_transport", "lane.placeholder", "runtime.unknown_field", "runtime.alias",
})  # fmt: skip

CODES = WARNING_CODES | frozenset({
    "json.invalid", "json.duplicate_key", "json.too_large", "json.not_object",
    "envelope.missing", "envelope.type", "envelope.value", "envelope.id_folder", "envelope.id_reserved",
    "engines.range", "engines.incompatible", "role.unknown", "role.forbidden", "role.body_missing",
    "requires.unknown", "requires.cycle", "requires.tier",
    "lane.type", "lane.missing", "lane.slug", "lane.flag", "lane.enum", "lane.value", "lane.transport",
    "lane.transport_mix", "lane.output_arg", "lane.probe", "lane.env", "lane.env_denied",
    "config.type", "config.default", "config.values", "config.description", "config.key", "config.owned",
    "merge.id", "merge.slug", "merge.flag", "merge.section", "merge.skill", "merge.agent", "merge.artifact",
    "feature.hook", "feature.command", "feature.activation", "feature.point", "feature.ref", "feature.list",
    "feature.on_error", "feature.when", "feature.fragment", "feature.trait", "feature.gate", "feature.into",
    "feature.cycle", "runtime.value",
})  # fmt: skip


def pointer(at: str, name: str | int) -> str:
    """The JSON pointer of member `name` of the value at `at`; half a surrogate pair is shown as U+FFFD."""
    if isinstance(name, int):
        return f"{at}/{name}"
    if not name.isascii():
        name = "".join("\ufffd" if "\ud800" <= one <= "\udfff" else one for one in name)
    return f"{at}/{name.replace('~', '~0').replace('/', '~1')}"


def _visible(character: str) -> str:
    return character if character.isprintable() else f"\\u{{{ord(character):x}}}"


def shown(value: object) -> str:
    """A value as a message may show it: short, on one line, with nothing invisible in it."""
    if isinstance(value, str):
        return f'"{plain(value)}"'
    if isinstance(value, Mapping):
        return "an object" if value else "an empty object"
    if isinstance(value, list | tuple):
        return "an array" if value else "an empty array"
    if isinstance(value, int) and abs(value) >= 10**_SHOWN_LENGTH:
        return "a very large number"
    return json.dumps(value) if value is None or isinstance(value, int | float) else "no JSON value"


def plain(text: str) -> str:
    """Text of a manifest without quotes around it, cut to a line and with nothing invisible in it."""
    cut = text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"
    return cut if cut.isprintable() else "".join(map(_visible, cut))


def quoted(names: Iterable[str]) -> str:
    """`a`, `b`, `c`: names as a message lists them."""
    return ", ".join(f"`{plain(name)}`" for name in names)
