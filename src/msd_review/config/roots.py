"""Where the project, the user's own files and the runs are.

The project root is `-C DIR`, else the nearest ancestor with `.planning/`, else with `.git`, else the
current folder; never `/` or the home folder. A `.planning/` that another user owns is passed over, with
a warning: its owner would decide what we run.
"""

import os
from dataclasses import dataclass
from pathlib import Path

from msd_review.edges import environ
from msd_review.errors import InputError, UsageError

PLANNING = ".planning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """The project root (a real path), or why there is none; `warnings` say what was passed over."""

    path: Path | None
    why_not: str = ""
    warnings: tuple[str, ...] = ()

    def required(self) -> Path:
        """The root; raises UsageError where there is none."""
        if self.path is None:
            raise UsageError(self.why_not, hint="go to a project's folder, or name one with -C DIR")
        return self.path


def home_folder() -> Path:
    """The person's home folder, as the environment says, else as the system says."""
    return Path(environ.get("HOME") or Path.home())


def user_folder() -> Path:
    """`$MSD_HOME`, else `~/.msd`: consent, user configuration, global capabilities, ledger."""
    configured = environ.get("MSD_HOME")
    return Path(configured) if configured else home_folder() / ".msd"


def user_config(folder: Path) -> Path:
    """The user's config file in `user_folder()`."""
    return folder / "config.json"


def project_config(root: Path) -> Path:
    """The project's config file."""
    return root / PLANNING / "config.json"


def _forbidden(folder: Path) -> bool:
    return folder == Path(folder.anchor) or folder == home_folder().resolve()


def _foreign(folder: Path) -> bool:
    if not hasattr(os, "getuid"):
        return False
    owner = folder.stat().st_uid
    return owner not in {os.getuid(), 0} if os.getuid() == 0 else owner != os.getuid()


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise InputError("the current folder no longer exists", hint="cd into a folder that does") from None


def find_root(chosen: Path | None) -> Root:
    """The project root for a command; `chosen` is `-C DIR`. Raises UsageError for an unusable DIR."""
    if chosen is not None:
        if not chosen.is_dir():
            raise UsageError(f"-C {chosen}: not a folder")
        folder = chosen.resolve()
        if _forbidden(folder):
            raise UsageError(f"-C {chosen}: the home folder and / cannot be a project")
        return Root(path=folder)
    return _search(_current_folder().resolve())


def _search(start: Path) -> Root:
    warnings: list[str] = []
    ancestors = [folder for folder in (start, *start.parents) if not _forbidden(folder)]
    for folder in ancestors:
        planning = folder / PLANNING
        if planning.is_dir():
            if not _foreign(planning):
                return Root(path=folder, warnings=tuple(warnings))
            warnings.append(f"{planning} belongs to another user and is ignored")
    for folder in ancestors:
        if (folder / ".git").exists():
            return Root(path=folder, warnings=tuple(warnings))
    if _forbidden(start):
        return Root(path=None, why_not="the home folder and / cannot be a project", warnings=tuple(warnings))
    return Root(path=start, warnings=tuple(warnings))
