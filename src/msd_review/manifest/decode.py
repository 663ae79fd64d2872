"""A JSON value → `Manifest`, or every `Problem` in it; and back.

`check` tells everything that is wrong, `build` turns a value that nothing is wrong with into the frozen
types, `decode` does both, `encode` is the inverse of `build`. First-party manifests are built without a
check: the tests check them.
"""

from collections.abc import Collection
from typing import NamedTuple

from msd_review.manifest.build import build
from msd_review.manifest.check import check, reserved_prefix
from msd_review.manifest.encode import encode
from msd_review.manifest.json_text import parse_bytes
from msd_review.manifest.model import Manifest
from msd_review.manifest.problems import Problem


class Decoded(NamedTuple):
    """The manifest, or None where an error stands in the way; and everything there is to say about it."""

    manifest: Manifest | None
    problems: tuple[Problem, ...]

    @property
    def errors(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if not problem.is_warning)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.is_warning)


def decode(
    value: object,
    *,
    folder: str | None = None,
    third_party: bool = True,
    known_keys: Collection[str] = (),
) -> Decoded:
    """The manifest that a JSON value holds; the parameters are those of `check`."""
    problems = check(value, folder=folder, third_party=third_party, known_keys=known_keys)
    return _decoded(value, problems)


def decode_bytes(
    raw: bytes,
    *,
    folder: str | None = None,
    third_party: bool = True,
    known_keys: Collection[str] = (),
) -> Decoded:
    """The manifest that a file's bytes hold: what is wrong with the text first, then with its content."""
    value, problems = parse_bytes(raw)
    if value is None and problems:
        return Decoded(manifest=None, problems=problems)
    checked = check(value, folder=folder, third_party=third_party, known_keys=known_keys)
    return _decoded(value, problems + checked)


def _decoded(value: object, problems: tuple[Problem, ...]) -> Decoded:
    if isinstance(value, dict) and all(problem.is_warning for problem in problems):
        return Decoded(manifest=build(value), problems=problems)
    return Decoded(manifest=None, problems=problems)


__all__ = [
    "Decoded",
    "build",
    "check",
    "decode",
    "decode_bytes",
    "encode",
    "parse_bytes",
    "reserved_prefix",
]
