"""Trust's word on one invocation, over this machine's programs and this user's consents. Starts nothing."""

import sys
from pathlib import Path

from msd_review.app.world import World
from msd_review.edges import environ, programs
from msd_review.invocation import HttpInvocation, Invocation, NotPlanned, SpawnInvocation
from msd_review.planning import Ask, Overrides, Places, plan
from msd_review.registry import RosterLane
from msd_review.run.standing import ProbeResult, missing_program
from msd_review.selection import Reviewer
from msd_review.trust import policy
from msd_review.trust.policy import Approved


def nowhere() -> Places:
    """Places for a plan that is only looked at: no prompt exists yet."""
    return Places(
        prompt_path=Path("prompt.md"), prompt_text=None, lane_folder=Path("lane"), working_folder=Path.cwd()
    )


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


def let_through(world: World, entry: RosterLane) -> Invocation | NotPlanned:
    """The lane's own invocation, when nothing stands against its shape and its destination."""
    reviewer = Reviewer(identity=entry.slug, kind="lane", slug=entry.slug)
    planned = plan(
        Ask(reviewer=reviewer, lane=entry.lane, config=world.config, overrides=Overrides(), places=nowhere())
    )
    if isinstance(planned, NotPlanned):
        return planned
    if isinstance(planned, HttpInvocation):
        judged = approve(world, entry, planned, answered=True)
        if isinstance(judged, NotPlanned):
            return judged
    return planned


def known_standing(world: World, entry: RosterLane) -> ProbeResult | NotPlanned | None:
    """What stands against a lane as far as it is known without starting or contacting anything."""
    judged = let_through(world, entry)
    if isinstance(judged, NotPlanned):
        return judged
    return missing_program(entry.lane, find=lambda name: find_program(world, name))
