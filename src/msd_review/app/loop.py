"""Which hooks are active at a point of the loop, in the order in which they run.

Steps, contributions and gates of every active feature, first-party and installed, under one rule: whoever consumes
what another produces comes after it, and the capability's id breaks ties. `when` and a feature's `activationKey` are
looked up in the configuration; a hook without either is always active.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, Literal

from msd_review.app.world import World
from msd_review.config.layers import Config
from msd_review.errors import ConfigError, UsageError
from msd_review.manifest.loop_order import cycle_of
from msd_review.manifest.model import Contribution, FeatureBody, Fragment, Gate, Step
from msd_review.manifest.vocabulary import LOOP_POINTS
from msd_review.registry import Capability

_OFF_WORDS = frozenset({"", "off", "false", "none", "no", "never", "disabled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveHook:
    """One hook that runs. `more` holds what only its kind has; `supports_reviewer_lanes` is the trait of a step."""

    cap_id: str
    kind: Literal["step", "contribution", "gate"]
    point: str
    ref: Mapping[str, Any] | None
    when: str | None
    produces: tuple[str, ...]
    consumes: tuple[str, ...]
    on_error: str | None
    supports_reviewer_lanes: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)


def active_hooks(world: World, point: str) -> tuple[ActiveHook, ...]:
    """The hooks of a point in order. Raises UsageError for an unknown point, ConfigError for a circle."""
    if point not in LOOP_POINTS:
        raise UsageError(f"there is no loop point {point!r}", hint=f"the points are {', '.join(LOOP_POINTS)}")
    return _ordered(list(_hooks(world, point)), point)


def hooks_document(world: World, point: str) -> dict[str, Any]:
    """The `msd.loop-hooks/1` document."""
    return {
        "schema": "msd.loop-hooks/1",
        "point": point,
        "hooks": [_as_json(hook) for hook in active_hooks(world, point)],
    }


def is_on(config: Config, key: str | None) -> bool:
    """Whether a `when` holds: no key, or a declared one whose value is true, a number but 0, or no word for off."""
    if key is None:
        return True
    if config.schema.find(key) is None:
        return False
    value = config.get(key).value
    return value.strip().lower() not in _OFF_WORDS if isinstance(value, str) else bool(value)


def _hooks(world: World, point: str) -> Iterator[ActiveHook]:
    for capability in world.registry.active:
        body = capability.manifest.feature
        if body is not None and is_on(world.config, body.activation_key):
            yield from (
                hook for hook in _of_capability(capability, body, point) if is_on(world.config, hook.when)
            )


def _of_capability(capability: Capability, body: FeatureBody, point: str) -> Iterator[ActiveHook]:
    yield from (_step(capability, step) for step in body.steps if step.point == point)
    yield from (_contribution(capability, one) for one in body.contributions if one.point == point)
    yield from (_gate(capability, gate) for gate in body.gates if gate.point == point)


def _step(capability: Capability, step: Step) -> ActiveHook:
    return ActiveHook(
        cap_id=capability.id,
        kind="step",
        point=step.point,
        ref={step.ref_kind: step.ref},
        when=step.when,
        produces=step.produces,
        consumes=step.consumes,
        on_error=step.on_error,
        supports_reviewer_lanes=step.supports_reviewer_lanes,
        more=_fragment(capability.folder, step.fragment),
    )


def _contribution(capability: Capability, one: Contribution) -> ActiveHook:
    return ActiveHook(
        cap_id=capability.id,
        kind="contribution",
        point=one.point,
        ref=None,
        when=one.when,
        produces=one.produces,
        consumes=one.consumes,
        on_error=None,
        more={"into": one.into, **_fragment(capability.folder, one.fragment)},
    )


def _gate(capability: Capability, gate: Gate) -> ActiveHook:
    return ActiveHook(
        cap_id=capability.id,
        kind="gate",
        point=gate.point,
        ref=None,
        when=gate.when,
        produces=(),
        consumes=(),
        on_error=gate.on_error,
        more={"check": {gate.check_kind: gate.check}, "blocking": gate.blocking},
    )


def _fragment(folder: Path, fragment: Fragment | None) -> dict[str, Any]:
    if fragment is None:
        return {}
    if fragment.path is not None:
        return {"fragment": {"path": str(folder / fragment.path)}}
    return {"fragment": {"inline": fragment.inline}}


def _ordered(hooks: list[ActiveHook], point: str) -> tuple[ActiveHook, ...]:
    """Topological; among those that could come next the smallest id, then the order of declaration."""
    labels = {at: f"{hook.cap_id}#{at}" for at, hook in enumerate(hooks)}
    circle = cycle_of((labels[at], hook.produces, hook.consumes) for at, hook in enumerate(hooks))
    if circle:
        names = " → ".join(hooks[int(label.rpartition("#")[2])].cap_id for label in circle)
        raise ConfigError(
            f"the hooks at {point} wait for each other in a circle: {names}",
            hint="switch one of them off, or remove its capability",
        )
    makers = _makers(hooks)
    sorter: TopologicalSorter[int] = TopologicalSorter(
        {
            at: {maker for name in hook.consumes for maker in makers.get(name, ()) if maker != at}
            for at, hook in enumerate(hooks)
        }
    )
    sorter.prepare()
    return tuple(hooks[at] for at in _smallest_first(sorter, hooks))


def _smallest_first(sorter: "TopologicalSorter[int]", hooks: list[ActiveHook]) -> Iterator[int]:
    ready: list[int] = []
    while sorter.is_active():
        ready.extend(sorter.get_ready())
        ready.sort(key=lambda at: (hooks[at].cap_id, at))
        following = ready.pop(0)
        yield following
        sorter.done(following)


def _makers(hooks: Iterable[ActiveHook]) -> dict[str, list[int]]:
    makers: dict[str, list[int]] = {}
    for at, hook in enumerate(hooks):
        for name in hook.produces:
            makers.setdefault(name, []).append(at)
    return makers


def _as_json(hook: ActiveHook) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "capId": hook.cap_id,
        "kind": hook.kind,
        "point": hook.point,
        "ref": dict(hook.ref) if hook.ref is not None else None,
        "when": hook.when,
        "produces": list(hook.produces),
        "consumes": list(hook.consumes),
        "onError": hook.on_error,
        **hook.more,
    }
    return shown | ({"supportsReviewerLanes": True} if hook.supports_reviewer_lanes else {})
