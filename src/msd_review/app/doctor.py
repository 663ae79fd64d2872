"""Everything a person needs in one screen when something does not work. Contacts nothing that was not agreed to."""

import os
import platform
import sys
from dataclasses import dataclass
from typing import Any

import psutil

from msd_review import CONTRACT_VERSION, __version__
from msd_review.app import lanes, trusting
from msd_review.app.approving import find_program
from msd_review.app.lane_list import LaneRow
from msd_review.app.world import World
from msd_review.config.roots import project_config, user_config
from msd_review.edges import environ
from msd_review.errors import MsdError
from msd_review.run import store

# Measured over a whole turn of each tool against an instant model: up to 1.2 GB for one, 0.4 GB on average.
_MEMORY_PER_LANE = 400 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What doctor found; `problems` is empty when all is well."""

    facts: tuple[tuple[str, str], ...]
    lanes: tuple[LaneRow, ...]
    problems: tuple[str, ...]
    consents: dict[str, Any] | None

    def as_json(self) -> dict[str, Any]:
        """The `msd.doctor/1` document."""
        return {
            "schema": "msd.doctor/1",
            "facts": dict(self.facts),
            "lanes": [row.as_json() for row in self.lanes],
            "problems": list(self.problems),
            "consents": self.consents,
        }


def _runs() -> str:
    try:
        folder = store.runs_folder()
    except MsdError as problem:
        return f"cannot be used: {problem.message}"
    return f"{folder} ({len(store.list_runs(folder))})"


def _facts(world: World, ready: int) -> tuple[tuple[str, str], ...]:
    root = world.root.path
    git = find_program(world, "git")
    memory = psutil.virtual_memory().available
    fits = max(1, memory // _MEMORY_PER_LANE)
    room = f"{memory / 1e9:.1f} GB free, room for about {fits} agentic reviewers at once"
    return (
        ("msd", f"{__version__} (manifest contract {CONTRACT_VERSION})"),
        ("python", f"{platform.python_version()} at {sys.executable}"),
        ("system", f"{platform.system()} {platform.release()}, {os.cpu_count()} processors"),
        ("memory", room),
        ("project", str(root) if root is not None else f"none: {world.root.why_not}"),
        ("project config", str(project_config(root)) if root is not None else "none"),
        ("user config", str(user_config(world.home))),
        ("consents", str(world.home / "consent.json")),
        ("runs", _runs()),
        (
            "git",
            str(git)
            if git is not None
            else "not found: copies and history checks work without it, less well",
        ),
        ("environment policy", str(world.config.get("review.env_policy").value)),
        ("reviewers", f"{ready} ready"),
    )


def _problems(world: World) -> tuple[str, ...]:
    notices = (f"{n.message}" + (f" ({n.hint})" if n.hint else "") for n in world.registry.notices)
    found = [*world.warnings(), *notices]
    in_work_tree = trusting.store_warning(world)
    if in_work_tree is not None:
        found.append(in_work_tree)
    if environ.get("PATH") is None:
        found.append("PATH is not set: no reviewer can be found")
    return tuple(found)


def diagnose(world: World) -> Diagnosis:
    """Looks at everything, probing all lanes at the same time."""
    rows = lanes.detect_lanes(world)
    try:
        consents = trusting.consents_json(world)
    except MsdError:
        consents = None
    return Diagnosis(
        facts=_facts(world, sum(row.state == "ready" for row in rows)),
        lanes=rows,
        problems=_problems(world),
        consents=consents,
    )
