"""Checks of keys in settings files: YAML, TOML, JSON and INI, read as data.

A key is wrong where its last part stands nowhere in the file, or where the file has it under other sections alone.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any

from rapidfuzz import fuzz

from msd_review.grounding.ground import Ground, held, unsure, wrong
from msd_review.grounding.model import Claim, Fault, Judged
from msd_review.grounding.nearest import nearest_name
from msd_review.lazy import regex
from msd_review.review.model import Severity

_SETTINGS = regex(r"\.(?:ya?ml|toml|jsonc?|json5|ini|cfg|conf|properties|editorconfig)$", re.IGNORECASE)
_YAML_KEY = regex(r"^(?P<indent>[ ]*)(?:- )?[\"']?(?P<key>[\w./-]+)[\"']?[ ]*:(?:\s|$)", re.MULTILINE)
_INI = regex(r"^[ \t]*(?:\[(?P<section>[^\]\n]+)\]|(?P<key>[\w.-]+)[ \t]*[=:])", re.MULTILINE)
_MAX_KEYS = 20_000


def is_settings(path: str) -> bool:
    """Whether a file is one of settings."""
    return _SETTINGS.search(path) is not None


def check_setting(ground: Ground, claim: Claim, *, parts: list[str], paths: Sequence[str]) -> Judged:
    """Judges a key that the plan says a settings file has."""
    found = [key for path in paths for key in keys_of(path, str(ground.tree.read(path)))]
    texts = "\n".join(str(ground.tree.read(path)) for path in paths)
    known = {part for key in found for part in key}
    if any(_ends_in(key, parts) for key in found):
        return held(claim)
    if claim.mode not in {"exists", "stated"} and not (claim.mode == "neutral" and claim.weight):
        return unsure(claim, "not there, and the plan does not say that it is")
    if parts[-1] in ground.survey.names or parts[-1] in ground.survey.coded:
        return held(claim, "a plan makes it")
    if len(parts) > 1 and parts[-1] in known and not (claim.tied and parts[0] in known):
        return unsure(claim, "it stands under another section")
    if len(parts) == 1 and re.search(rf"(?<![\w-]){re.escape(parts[0])}(?![\w-])", texts):
        return held(claim, "it stands there, though not as a key")
    near = nearest_name(parts[-1], sorted(known))
    slip = near is not None and (near in parts[-1] or fuzz.ratio(near, parts[-1]) >= 85)
    if (
        not found
        or claim.weight == "weak"
        or claim.bare
        and not (slip or claim.tied and re.search(r"[._-]", claim.symbol or ""))
    ):
        return unsure(claim, "not found in the settings")
    return wrong(claim, _missing(claim, paths[0], near))


def _ends_in(key: tuple[str, ...], parts: Sequence[str]) -> bool:
    """Whether the parts stand in the key in their order, the last at its end or anywhere before."""
    left = iter(key)
    return all(part in left for part in parts)


def keys_of(path: str, text: str) -> list[tuple[str, ...]]:
    """Every key of a settings file with the sections around it, at most 20,000; [] where it cannot be read."""
    return [key for _, key in zip(range(_MAX_KEYS), _keys(path.lower(), text), strict=False)]


def _keys(path: str, text: str) -> Iterator[tuple[str, ...]]:
    if path.endswith((".json", ".jsonc", ".json5")):
        yield from _nested(_json(text))
    elif path.endswith(".toml"):
        yield from _nested(_toml(text))
    elif path.endswith((".yml", ".yaml")):
        yield from _yaml(text)
    else:
        section = ""
        for match in _INI.finditer(text):
            section = match["section"] or section
            names = [name for name in re.split(r"[.:]", section) if name]
            yield (*names, *(match["key"].split(".") if match["key"] else ()))


def _nested(value: Any, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict) and len(above) < 12:
        for name, inner in value.items():
            key = (*above, *str(name).split("."))
            yield key
            yield from _nested(inner, key)
    elif isinstance(value, list) and len(above) < 12:
        for item in value[:200]:
            yield from _nested(item, above)


def _json(text: str) -> Any:
    try:
        return json.loads(re.sub(r"^\s*//[^\n]*", "", text, flags=re.M))
    except (ValueError, RecursionError):
        return None


def _toml(text: str) -> Any:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _yaml(text: str) -> Iterator[tuple[str, ...]]:
    """Keys by indentation: enough to say what stands under what, without loading anything."""
    around: list[tuple[int, str]] = []
    for match in _YAML_KEY.finditer(text):
        indent = len(match["indent"])
        while around and around[-1][0] >= indent:
            around.pop()
        around.append((indent, match["key"]))
        yield tuple(name for _, name in around)


def _missing(claim: Claim, path: str, near: str | None) -> Fault:
    return Fault(
        key=("setting", claim.symbol or "", path),
        kind="missing-setting",
        severity=Severity.MEDIUM,
        title=f"`{path}` has no key `{claim.symbol}`",
        body="The plan counts on it, and does not say that it adds it.",
        spots=((claim.plan, claim.line),),
        truth=f"the nearest key there is `{near}`" if near else "no key there is like it",
        places=(f"{path}:1",),
        suggestion=f"name `{near}`, or say that the key is new" if near else "say that the key is new",
        files=(path,),
    )
