"""An entry in a tree of objects: whether it is there, with it, without it. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from msd_review.hosts.edit import NotEditable


def lookup(document: Any, path: Sequence[str]) -> Any:
    """The value at `path`, None where there is none."""
    for key in path:
        if not isinstance(document, Mapping) or key not in document:
            return None
        document = document[key]
    return document


def holds(document: Any, path: Sequence[str]) -> bool:
    """Whether there is a value at `path`, null included."""
    parent = lookup(document, path[:-1]) if path else None
    return not path or (isinstance(parent, Mapping) and path[-1] in parent)


def missing_parents(document: Any, path: Sequence[str]) -> int:
    """How many of the objects on the way to `path` are not there."""
    return sum(not holds(document, path[:depth]) for depth in range(1, len(path)))


def with_entry(document: Any, path: Sequence[str], value: Any) -> dict[str, Any]:
    """The document with `value` at `path`; parents are made. Raises NotEditable where a parent is no object."""
    if not isinstance(document, Mapping):
        raise NotEditable(f"the value above {path[0]!r} is not an object")
    if len(path) == 1:
        return {**document, path[0]: value}
    return {**document, path[0]: with_entry(document.get(path[0], {}), path[1:], value)}


def without_entry(document: Mapping[str, Any], path: Sequence[str], *, parents: int) -> dict[str, Any]:
    """The document without the entry, and without those of its `parents` innermost parents that are then empty."""
    head, *rest = path
    others = {key: value for key, value in document.items() if key != head}
    if not rest or head not in document:
        return others if not rest else dict(document)
    inner = without_entry(document[head], rest, parents=parents)
    if not inner and len(rest) <= parents:
        return others
    return {key: inner if key == head else value for key, value in document.items()}
