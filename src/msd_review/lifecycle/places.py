"""Where a scope's capabilities, its ledger and its work in progress are.

A project's folder is not the user's own: what lies in it may have come with a clone. So a `.msd`,
`capabilities` or `.staging` that is a link, or not this user's, is refused before anything is written there.
"""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from msd_review.errors import InputError, UsageError
from msd_review.trust.consent import GLOBAL, project_scope

ScopeName = Literal["global", "project"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One scope: its root (`$MSD_HOME`, or a project's `.msd`) and the name its consents bear."""

    name: ScopeName
    root: Path
    consent_scope: str

    @property
    def capabilities(self) -> Path:
        """The folder of folders, one a capability."""
        return self.root / "capabilities"

    @property
    def staging(self) -> Path:
        """Work in progress, on the same file system as the capabilities."""
        return self.root / ".staging"

    @property
    def ledger(self) -> Path:
        """What was installed here, and from where."""
        return self.root / "ledger.json"

    def folder(self, identity: str) -> Path:
        """Where a capability lies, or would lie."""
        return self.capabilities / identity

    def prepare(self) -> None:
        """Makes the folders. Raises InputError where one of them is a link or not this user's."""
        for folder in (self.root, self.capabilities, self.staging):
            folder.mkdir(mode=0o700 if self.name == "global" else 0o755, exist_ok=True, parents=True)
            _judge(folder)


def find_place(name: ScopeName, *, home: Path, user_home: Path, project: Path | None) -> Place:
    """The place of a scope. `home` is `$MSD_HOME`, `user_home` the home folder. Raises UsageError.

    A global folder that is also the project's counts as the project's.
    """
    here = None if project is None else _project(project, user_home)
    if here is not None and _are_same(here.root, home):
        return here
    if name == "global":
        return Place(name="global", root=home, consent_scope=GLOBAL)
    if here is None:
        raise UsageError("there is no project here", hint="go to a project's folder, or use --scope global")
    return here


def places(*, home: Path, user_home: Path, project: Path | None) -> tuple[Place, ...]:
    """Every place there is: the global one, and the project's where there is a project."""
    first = find_place("global", home=home, user_home=user_home, project=project)
    if project is None or first.name == "project":
        return (first,)
    return (first, find_place("project", home=home, user_home=user_home, project=project))


def _project(project: Path, user_home: Path) -> Place:
    scope = project_scope(project, home=user_home)
    return Place(name="project", root=Path(scope) / ".msd", consent_scope=scope)


def _are_same(one: Path, other: Path) -> bool:
    return one.resolve() == other.resolve()


def _judge(folder: Path) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise InputError(f"{folder} is a link or no folder; nothing is written through it")
    if os.name != "nt" and status.st_uid != os.geteuid():
        raise InputError(f"{folder} belongs to another user; nothing is written there")
