"""Trust's word on one invocation, over this machine's programs and this user's consents. Starts nothing."""

import sys
from pathlib import Path

from msd_review.app.world import World
from msd_review.edges import environ, programs
from msd_review.invocation import HttpInvocation, Invocation, NotPlanned, SpawnInvocation
from msd_review.lane_shape import http_target, refused, shape_problem
from msd_review.manifest.model import SpawnInvoke
from msd_review.registry import RosterLane
from msd_review.run.standing import ProbeResult, missing_program
from msd_review.trust import policy
from msd_review.trust.policy import Approved


def find_program(world: World, name: str) -> Path | None:
    """The absolute path of the program that a lane would start; what ships with us is found beside us first."""
    beside = Path(sys.executable).parent if name in policy.SHIPPED_BINARIES else None
    return programs.find_binary(
        name,
        path=environ.get("PATH"),
        repo_root=world.root.path,
        cwd=world.root.path,
        beside=beside,
        pathext=environ.get("PATHEXT"),
    )


def approve(
    world: World, entry: RosterLane, invocation: Invocation, *, answered: bool
) -> Approved | NotPlanned:
    """Trust's word on one invocation, over this machine's programs and this user's consents."""
    first_party = entry.capability.source == "first-party"
    if isinstance(invocation, SpawnInvocation):
        return policy.approve_spawn(
            invocation,
            binary=find_program(world, invocation.argv[0]),
            first_party=first_party,
            consents=world.consents,
            answered=answered,
        )
    return policy.approve_http(
        invocation,
        capability=entry.capability.id,
        first_party=first_party,
        consents=world.consents,
        scope=_installed_scope(world, entry),
    )


def _installed_scope(world: World, entry: RosterLane) -> str | None:
    match entry.capability.source:
        case "first-party":
            return None
        case "global":
            return "global"
        case "project":
            return world.scope()


def let_through(world: World, entry: RosterLane) -> HttpInvocation | NotPlanned | None:
    """What stands against a lane's shape and destination; None for a command, where it goes for a server."""
    lane = entry.lane
    problem = shape_problem(lane)
    if problem is not None:
        return refused(lane, *problem)
    if isinstance(lane.invoke, SpawnInvoke):
        return None
    target = http_target(lane, lane.invoke, world.config)
    if isinstance(target, NotPlanned):
        return target
    judged = approve(world, entry, target, answered=True)
    return judged if isinstance(judged, NotPlanned) else target


def known_standing(world: World, entry: RosterLane) -> ProbeResult | NotPlanned | None:
    """What stands against a lane as far as it is known without starting or contacting anything."""
    judged = let_through(world, entry)
    if isinstance(judged, NotPlanned):
        return judged
    return missing_program(entry.lane, find=lambda name: find_program(world, name))
