"""Looks for keys and tokens in what would be sent, before it is sent.

The rules are detect-secrets' own, but those that guess by randomness or by a variable's name alone: plans are full
of hashes, ids and of talk about passwords. Where it has no rule (younger kinds of keys, an assignment of a random
value to a name that says "secret") there is one here. What is plainly an example or a placeholder does not count.

A finding never holds the secret: a keyed hash stands for it, whose key the caller keeps.
"""

import hashlib
import hmac
import importlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from msd_review.run.secret_rules import (
    ASSIGNED_WORDS,
    ASSIGNMENT,
    EASILY_MET,
    HARMLESS_HOSTS,
    KEY_BODY,
    LONG_RUN,
    NAMES_OF_NO_SECRET,
    OUR_RULES,
    PLACEHOLDER,
    PLUGINS,
    PRIVATE_KEY,
    SECRET_IN_GROUP,
)

_PIECE, _OVERLAP = 2000, 300  # characters of one line that are looked at together
_FINGERPRINT_DIGITS = 16
_LEAST_BITS = 3.2  # per character, of a value that is random rather than written
_MAX_FOUND = 1000


class Text(Protocol):
    """A part of what would be sent."""

    @property
    def name(self) -> str:
        """What it is called: a file's name, or what it holds."""
        ...

    @property
    def text(self) -> str:
        """All of it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSecret:
    """A secret's place: the part it stands in, and its line there (from 1). `fingerprint` is the same for the same secret."""

    section: str
    line: int
    kind: str
    fingerprint: str


def find_secrets(sections: Iterable[Text], *, key: bytes) -> tuple[FoundSecret, ...]:
    """Every key or token in the sections, in the order in which they stand, each once a line."""
    found: dict[tuple[str, int, str], FoundSecret] = {}
    for section in sections:
        for line, kind, secret in _in_text(section.text):
            one = FoundSecret(
                section=section.name, line=line, kind=kind, fingerprint=fingerprint(secret, key=key)
            )
            found.setdefault((one.section, one.line, one.fingerprint), one)
            if len(found) >= _MAX_FOUND:
                return tuple(found.values())
    return tuple(found.values())


def fingerprint(secret: str, *, key: bytes) -> str:
    """What names a secret without telling it: useless to whoever has not the key."""
    return hmac.new(key, secret.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[
        :_FINGERPRINT_DIGITS
    ]


def _in_text(text: str) -> Iterator[tuple[int, str, str]]:
    for match in PRIVATE_KEY.finditer(text):
        body = KEY_BODY.match(text, match.end())
        if body is not None and not _is_placeholder(body.group()):
            yield text.count("\n", 0, match.start()) + 1, "private key", body.group()
    for number, line in enumerate(text.split("\n"), 1):
        for piece in _pieces(line):
            for kind, secret in _in_line(piece):
                yield number, kind, secret


def _pieces(line: str) -> Iterator[str]:
    if len(line) <= _PIECE:
        yield line
        return
    for start in range(0, len(line), _PIECE - _OVERLAP):
        yield line[start : start + _PIECE]


def _in_line(line: str) -> Iterator[tuple[str, str]]:
    if "://" not in line and LONG_RUN.search(line) is None:
        return
    folded = line.lower()
    taken: set[str] = set()
    for kind, secret in (*_by_our_rules(line, folded), *_by_plugins(line, folded), *_assigned(line, folded)):
        if not any(secret in other or other in secret for other in taken):
            taken.add(secret)
            yield kind, secret


def _by_our_rules(line: str, folded: str) -> Iterator[tuple[str, str]]:
    for kind, needed, pattern in OUR_RULES:
        found = pattern.finditer(line) if needed in folded else ()
        yield from ((kind, match.group()) for match in found if not _is_placeholder(match.group()))


def _by_plugins(line: str, folded: str) -> Iterator[tuple[str, str]]:
    """By the plugins' own patterns: what their `analyze_string` gives is for some only a token's prefix."""
    for module, name, needed, gate in PLUGINS:
        if any(one in folded for one in needed) and re.search(gate, line):
            kind, patterns = _plugin(module, name)
            found = (match for pattern in patterns for match in pattern.finditer(line))
            yield from ((kind.lower(), secret) for match in found if (secret := _secret(kind, match, line)))


@cache
def _plugin(module: str, name: str) -> tuple[str, tuple[re.Pattern[str], ...]]:
    """What a plugin finds, and how. Loaded when a line first looks as if it might hold a key: a plugin brings an
    HTTP library that nothing here uses.
    """
    plugin: Any = getattr(importlib.import_module(f"detect_secrets.plugins.{module}"), name)
    return str(plugin.secret_type), tuple(plugin.denylist)


def _secret(kind: str, match: re.Match[str], line: str) -> str | None:
    """The secret of a plugin's match, None where it is none."""
    secret = (
        match.group(1) if kind in SECRET_IN_GROUP and match.re.groups else match.group().strip(" \t\"'=:")
    )
    return secret if _counts(kind, secret, line[match.end() :]) else None


def _counts(kind: str, secret: str, behind: str) -> bool:
    if _is_placeholder(secret):
        return False
    if kind == "Basic Auth Credentials":
        return HARMLESS_HOSTS.match(behind) is None and _is_random(secret, least=6)
    return kind not in EASILY_MET or _is_random(secret, least=16)


def _assigned(line: str, folded: str) -> Iterator[tuple[str, str]]:
    """A random value that is given to a name which says that it is a secret."""
    if not any(word in folded for word in ASSIGNED_WORDS):
        return
    for match in ASSIGNMENT.finditer(line):
        name, value = match["name"], match["value"]
        if NAMES_OF_NO_SECRET.search(name) or _is_placeholder(value):
            continue
        if _is_random(value, least=16):
            yield "assigned secret", value


def _is_placeholder(value: str) -> bool:
    return PLACEHOLDER.search(value) is not None or len(set(value)) < 5


def _is_random(value: str, *, least: int) -> bool:
    """Letters and digits without a word's or a path's regularity."""
    if len(value) < least or not re.search(r"\d", value) or not re.search(r"[A-Za-z]", value):
        return False
    counts = Counter(value)
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return bits >= min(_LEAST_BITS, math.log2(len(value)) - 1) and not _is_worded(value)


def _is_worded(value: str) -> bool:
    """Names, paths, versions: words between separators, or run together in camel case, rather than noise."""
    parts = [part for part in re.split(r"[-_./:+=]+|(?<=[a-z])(?=[A-Z][a-z])", value) if part]
    written = [part for part in parts if re.fullmatch(r"[A-Za-z]{2,}\d{0,4}|[A-Za-z]\d?|v?\d{1,4}", part)]
    return len(written) * 3 >= len(parts) * 2 and len(value) >= len(parts) * 3
