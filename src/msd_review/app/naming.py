"""What the names on the command line stand for: lanes, inactive lanes, imports; and what clashes."""

import difflib
from collections.abc import Iterable, Mapping

from msd_review.app.request import Import, ReviewRequest
from msd_review.app.world import World
from msd_review.config.layers import Config
from msd_review.errors import ConfigError, UsageError
from msd_review.manifest.model import Lane
from msd_review.outcomes import Outcome, Reason
from msd_review.planning import EFFORT_LEVELS, Overrides, takes_effort, takes_model, value_problem
from msd_review.registry import Registry
from msd_review.report.model import Skipped
from msd_review.selection import Instance, parse_default_reviewers, parse_instances

_BLOCKED_WORDS = frozenset({"not_consented", "content_changed"})


def known_names(world: World) -> frozenset[str]:
    """Every slug and instance name, in lower case."""
    instances, _ = parse_instances(world.config.raw("review.reviewer_instances").value, world.registry.slugs)
    return frozenset((*world.registry.slugs, *instances))


def split_named(registry: Registry, named: Iterable[str]) -> tuple[tuple[str, ...], tuple[Skipped, ...]]:
    """The named slugs that may be chosen, and a row for each that is known but inactive.

    Raises UsageError for a name that nobody declares.
    """
    chosen: list[str] = []
    inactive: list[Skipped] = []
    for name in dict.fromkeys(one.lower() for one in named):
        if registry.lane(name) is not None:
            chosen.append(name)
            continue
        lane = registry.inactive_lane(name)
        if lane is None:
            raise UsageError(f"no reviewer is called {name!r}", hint=_suggestion(name, registry.slugs))
        blocked = lane.capability.inactive_reason in _BLOCKED_WORDS
        inactive.append(
            Skipped(
                identity=name,
                outcome=(Outcome.BLOCKED if blocked else Outcome.UNAVAILABLE).value,
                reason=(Reason.NOT_CONSENTED if blocked else Reason.CAPABILITY_INACTIVE).value,
                detail=f"the capability {lane.capability.id} is inactive: {lane.detail}",
                hint=lane.hint,
                named=True,
            )
        )
    return tuple(chosen), tuple(inactive)


def _suggestion(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(names), n=1)
    return f"did you mean {near[0]}?" if near else "`msd lane list` shows every reviewer"


def check_configured(world: World) -> None:
    """Raises ConfigError for a malformed list of reviewers or instances, whatever else was asked for."""
    config = world.config
    instances, problems = parse_instances(config.raw("review.reviewer_instances").value, world.registry.slugs)
    entries, entry_problems = parse_default_reviewers(config.raw("review.default_reviewers").value)
    known = frozenset(
        (*world.registry.slugs, *instances, *(one.slug for one in world.registry.inactive_lanes))
    )
    unknown = [name for name in entries if name not in known] if instances else []
    found = [
        *problems,
        *entry_problems,
        *(f"review.default_reviewers: no reviewer is called {u!r}" for u in unknown),
    ]
    if found:
        raise ConfigError("; ".join(found), hint="`msd config list --origin` says which file it stands in")


def excluded_names(request: ReviewRequest, config: Config) -> frozenset[str]:
    """Everyone who is left out, in lower case. Raises UsageError where one of them is also named."""
    configured = config.get("review.excluded_reviewers").value or []
    names = [name.lower() for name in request.exclude]
    lasting = [name.lower() for name in configured if isinstance(name, str)]
    both = sorted({name.lower() for name in request.named} & {*names, *lasting})
    if both:
        way_out = "leave one of the two out"
        if both[0] in lasting:
            way_out = "it stands in review.excluded_reviewers; take it out there to run it"
        raise UsageError(f"{both[0]} is named and excluded at once", hint=way_out)
    return frozenset((*names, *lasting))


def check_names(world: World, request: ReviewRequest) -> None:
    """Raises UsageError for an option about a reviewer that does not exist."""
    known = known_names(world) | {one.slug for one in world.registry.inactive_lanes}
    overrides = request.overrides
    for option, names in (
        ("--exclude", request.exclude),
        ("--model", overrides.models),
        ("--effort", overrides.efforts),
        ("--timeout", overrides.timeouts),
    ):
        for name in names:
            if name.lower() not in known:
                raise UsageError(
                    f"{option}: no reviewer is called {name!r}", hint=_suggestion(name.lower(), known)
                )
    check_overrides(world, overrides)


def check_asked(world: World, request: ReviewRequest) -> None:
    """Raises UsageError for anything about reviewers that cannot be, before anything else is looked at."""
    check_names(world, request)
    split_named(world.registry, request.named)
    excluded_names(request, world.config)


def check_overrides(world: World, overrides: Overrides) -> None:
    """Raises UsageError for a model or effort that its reviewer cannot take, whoever is chosen in the end."""
    instances, _ = parse_instances(world.config.raw("review.reviewer_instances").value, world.registry.slugs)
    for name, model in overrides.models.items():
        lane = _lane_of(world, name, instances)
        problem = value_problem(model)
        if problem is not None:
            raise UsageError(f"--model {name}={model}: the value {problem}")
        if lane is not None and not takes_model(lane):
            raise UsageError(f"{name} cannot be asked for a model", hint="leave --model out for it")
    for name, level in overrides.efforts.items():
        lane = _lane_of(world, name, instances)
        if level not in EFFORT_LEVELS:
            raise UsageError(f"--effort {name}={level}: the levels are {', '.join(EFFORT_LEVELS)}")
        if lane is not None and not takes_effort(lane):
            raise UsageError(f"{name} cannot be asked for an effort", hint="leave --effort out for it")


def _lane_of(world: World, name: str, instances: Mapping[str, Instance]) -> Lane | None:
    entry = world.registry.lane(instances[name].cli if name in instances else name)
    return entry.lane if entry is not None else None


def check_imports(world: World, imports: Iterable[Import]) -> None:
    """Raises UsageError for an import whose name is a reviewer's: its text would pass for theirs."""
    sections = {entry.section.casefold() for entry in world.registry.lanes}
    taken = known_names(world) | sections | {one.slug for one in world.registry.inactive_lanes}
    for one in imports:
        if not _import_name_fits(one.name):
            raise UsageError(f"--import {one.name}=…: the name takes lower-case letters, digits and hyphens")
        if one.name.lower() in taken:
            raise UsageError(
                f"--import {one.name}=…: {one.name} is a reviewer's own name", hint="choose another name"
            )


def _import_name_fits(name: str) -> bool:
    return (
        bool(name)
        and name[0].isalnum()
        and all(c.isascii() and (c.islower() or c.isdigit() or c == "-") for c in name)
    )
