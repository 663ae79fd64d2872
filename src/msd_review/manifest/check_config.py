"""A capability's configuration slice, checked."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from msd_review.manifest import vocabulary as words
from msd_review.manifest.fields_body import CONFIG_FIELDS, CONFIG_TYPE
from msd_review.manifest.messages import say
from msd_review.manifest.problems import plain, pointer, shown
from msd_review.manifest.scalars import is_number, is_text
from msd_review.manifest.shapes import (
    Codes,
    ListOf,
    ObjectOf,
    Report,
    Spot,
    Text,
    expected,
    report_unknown,
    why,
)

_NAMES = tuple(item.name for item in CONFIG_FIELDS)
_CODES = Codes(
    missing="config.type",
    type="config.type",
    value="config.type",
    choice="config.type",
    unknown="envelope.unknown_field",
)
_INSIDE_CENTRAL = tuple(f"{key}." for key in words.CENTRAL_CONFIG_KEYS)
_EXAMPLE = 'for example {"review.models.acme": {"type": "string", "default": "", "description": "…"}}'
_DEFAULTS: Mapping[str, tuple[str, Callable[[object], bool]]] = {
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "string": ("a string", is_text),
    "number": ("a finite number", is_number),
}


def check_config(config: object, report: Report) -> None:
    """Every violation of the slice as a whole, then of each key, by name."""
    at = "/config"
    if not isinstance(config, dict):
        report(
            say("config entry", at, name="config", expected="an object", found=shown(config), why=_EXAMPLE)
        )
        return
    for key in sorted(config):
        check_key(key, config[key], report)
    _check_nesting(config, report)


def check_key(key: str, entry: object, report: Report) -> None:
    """Every violation of one key of a slice and of what is declared for it."""
    at = pointer("/config", key)
    _check_name(key, at, report)
    if not isinstance(entry, dict):
        name = plain(key)
        report(say("config entry", at, name=name, expected="an object", found=shown(entry), why=_EXAMPLE))
        return
    _check_type(key, entry, at, report=report)
    description = entry.get("description")
    if not is_text(description) or not str(description).strip():
        report(
            say("config description", f"{at}/description", key=plain(key), found=_found(entry, "description"))
        )
    spot = Spot(CONFIG_TYPE, key, at, _CODES, report)
    report_unknown(_NAMES, entry, spot)


def is_central(key: str) -> bool:
    """Whether a key is policy across lanes, which no capability may own."""
    return key in words.CENTRAL_CONFIG_KEYS or key.startswith(words.CENTRAL_CONFIG_FAMILIES)


def is_config_key(key: object) -> bool:
    """Whether `key` can be the name of a configuration key."""
    if not isinstance(key, str) or re.fullmatch(words.CONFIG_KEY_PATTERN, key) is None:
        return False
    return not set(key.split(".")) & set(words.RESERVED_JS_NAMES)


def _check_name(key: str, at: str, report: Report) -> None:
    if not is_config_key(key):
        report(say("config key", at, found=shown(key)))
    elif is_central(key) or key.startswith(_INSIDE_CENTRAL):
        report(say("config central", at, key=plain(key)))


def _inside(outer: str, key: str) -> bool:
    return key.startswith(outer + ".")


def _found(entry: Mapping[str, Any], name: str) -> str:
    return shown(entry[name]) if name in entry else "absent"


def _check_type(key: str, entry: Mapping[str, Any], at: str, *, report: Report) -> None:
    kind = entry.get("type")
    if not isinstance(kind, str) or kind not in words.CONFIG_TYPES:
        allowed, hint = expected(CONFIG_TYPE.shape), why(CONFIG_TYPE, kind)
        found = _found(entry, "type")
        report(say("config type", f"{at}/type", key=plain(key), expected=allowed, found=found, why=hint))
        return
    if kind == "enum":
        _check_enum(key, entry, at, report=report)
        return
    if "values" in entry:
        report(say("config values idle", f"{at}/values", key=plain(key)))
    words_for, accepts = _DEFAULTS[kind]
    if "default" not in entry or not accepts(entry["default"]):
        _report_default(key, entry, at, wanted=words_for, report=report)


def _check_enum(key: str, entry: Mapping[str, Any], at: str, *, report: Report) -> None:
    values = entry.get("values")
    if not isinstance(values, list) or not values or not all(map(is_text, values)):
        allowed = expected(ListOf(item=Text(), filled=True))
        found = (
            "an array with other members" if values and isinstance(values, list) else _found(entry, "values")
        )
        report(say("config values", f"{at}/values", key=plain(key), expected=allowed, found=found))
        return
    default = entry.get("default")
    if not isinstance(default, str) or default not in values:
        _report_default(key, entry, at, wanted="one of its `values`", report=report)


def _report_default(key: str, entry: Mapping[str, Any], at: str, *, wanted: str, report: Report) -> None:
    report(
        say(
            "config default",
            f"{at}/default",
            key=plain(key),
            expected=wanted,
            found=_found(entry, "default"),
            why="a key always has a value, so its default is part of it",
        )
    )


def _check_nesting(config: Mapping[str, Any], report: Report) -> None:
    for outer in sorted(config):
        inner = min((key for key in config if _inside(outer, key)), default=None)
        if inner is not None:
            report(say("config nested", pointer("/config", outer), key=plain(outer), inner=plain(inner)))


SLICE = ObjectOf(fields=CONFIG_FIELDS, open=True)
