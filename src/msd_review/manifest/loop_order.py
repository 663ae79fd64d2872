"""Who waits for whom at a loop point: a step that consumes what another produces comes after it.

A step that consumes what it produces itself rewrites a file, and waits for nobody.
"""

from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from msd_review.manifest.problems import plain
from msd_review.manifest.vocabulary import LOOP_POINTS


def find_cycle(steps: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """For each point whose steps wait for each other in a circle: the point, and the circle in words."""
    for point in LOOP_POINTS:
        here = [step for step in steps if isinstance(step, dict) and step.get("point") == point]
        circle = cycle_of(
            [(_label(step, here), _names(step, "produces"), _names(step, "consumes")) for step in here]
        )
        if circle:
            yield point, " → ".join(circle)


def cycle_of(entries: Iterable[tuple[str, Sequence[str], Sequence[str]]]) -> list[str]:
    """The labels of one circle among (label, produces, consumes), first and last the same; [] where there is none."""
    entries = list(entries)
    makers: dict[str, set[str]] = {}
    for label, produces, _ in entries:
        for name in produces:
            makers.setdefault(name, set()).add(label)
    graph = {
        label: {maker for name in consumes for maker in makers.get(name, ()) if maker != label}
        for label, _, consumes in entries
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return _from_smallest(list(error.args[1]))
    return []


def _from_smallest(circle: list[str]) -> list[str]:
    """The same circle, told from its smallest member on, so that it does not depend on the input's order."""
    ring = circle[:-1]
    start = ring.index(min(ring))
    return [*ring[start:], *ring[:start], ring[start]]


def _names(step: dict[str, Any], field: str) -> tuple[str, ...]:
    value = step.get(field)
    return tuple(name for name in value if isinstance(name, str)) if isinstance(value, list) else ()


def _label(step: dict[str, Any], here: list[Any]) -> str:
    ref = step.get("ref")
    target = next(iter(ref.values()), None) if isinstance(ref, dict) else None
    place = here.index(step) + 1
    return plain(target) if isinstance(target, str) else f"step {place}"
