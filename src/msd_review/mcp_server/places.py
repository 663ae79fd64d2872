"""The one project that a server serves, and which paths lie inside it.

The root is found once, when the server starts, and never moves: what a client says about its folders is not asked,
so that no message can widen what may be read.
"""

from dataclasses import dataclass
from pathlib import Path

from msd_review.app.world import World, load_world
from msd_review.mcp_server.refusal import Refused

_LONGEST = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The folder that the server was started for (a real path), or why there is none."""

    root: Path | None
    why_not: str = ""

    def required(self) -> Path:
        """The root. Raises Refused where there is none, or where it is gone."""
        if self.root is None:
            raise Refused(
                "no_project",
                f"this server was started outside of any project: {self.why_not}",
                hint="register it as `msd -C DIR mcp`, or let the host start it in the project's folder",
            )
        if not self.root.is_dir():
            raise Refused("no_project", f"the project {self.root} is gone")
        return self.root

    def world(self) -> World:
        """The project as it is configured now, with the consents of now. Raises MsdError."""
        return load_world(self.required())


def inside(root: Path, given: str) -> Path:
    """The real path of something in the project, links followed, whether it exists or not.

    Relative paths are taken from the root. Raises Refused for what lies elsewhere, and for what is no path.
    """
    if not given.strip() or len(given) > _LONGEST or not given.isprintable():
        raise Refused("bad_path", f"not a usable path: {given[:80]!r}")
    if given.startswith("-"):
        raise Refused(
            "bad_path", f"a path does not begin with a hyphen: {given[:80]!r}", hint="write ./ first"
        )
    try:
        real = (root / given).resolve()
    except (OSError, RuntimeError, ValueError):
        raise Refused("bad_path", f"{given!r} cannot be followed") from None
    if not real.is_relative_to(root):
        raise Refused(
            "outside_project",
            f"{given!r} lies outside of the project {root}",
            hint="name a file of this project; the server reads nothing else",
        )
    return real


def file_inside(root: Path, given: str) -> Path:
    """The same for a file that is there."""
    real = inside(root, given)
    if not real.is_file():
        raise Refused("bad_path", f"{given!r} is no file of this project")
    return real
