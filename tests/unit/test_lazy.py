"""Patterns that are compiled late: every one of them compiles, and behaves as a compiled one."""

import importlib
import pkgutil
import re
from collections.abc import Iterator

import msd_review
from msd_review.lazy import LazyPattern, regex


def _patterns(value: object) -> Iterator[LazyPattern]:
    if isinstance(value, LazyPattern):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _patterns(inner)
    elif isinstance(value, tuple | list | set | frozenset):
        for inner in value:
            yield from _patterns(inner)


def test_every_pattern_of_every_module_compiles() -> None:
    names = [found.name for found in pkgutil.walk_packages(msd_review.__path__, "msd_review.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    found = [one for module in modules for value in vars(module).values() for one in _patterns(value)]
    assert len(found) > 200
    for one in found:
        re.compile(one.pattern, one.flags)


def test_a_late_pattern_answers_as_a_compiled_one() -> None:
    late, early = regex(r"(?P<word>\w+)", re.IGNORECASE), re.compile(r"(?P<word>\w+)", re.IGNORECASE)
    assert late.findall("a b") == early.findall("a b")
    assert (late.pattern, late.flags, late.groupindex) == (early.pattern, early.flags, early.groupindex)
    assert regex(rb"\d+").sub(b"n", b"a1") == b"an"
