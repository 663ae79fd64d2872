"""Finds the program that a name means, without ever letting the reviewed repository answer."""

import os
import stat
from functools import lru_cache
from pathlib import Path

_DEFAULT_PATHEXT = ".COM;.EXE;.BAT;.CMD"


def find_binary(
    name: str,
    *,
    path: str | None,
    repo_root: Path | None,
    cwd: Path | None = None,
    beside: Path | None = None,
    pathext: str | None = None,
) -> Path | None:
    """The absolute path of the executable that `name` means, or None.

    `name` is a bare name or an absolute path; anything else (`./tool`, `bin/tool`) is None. `path` is the value
    of PATH: its relative and empty entries never count, neither does `cwd`, nor anything that lies in
    `repo_root`, reached through links or not. `beside` is a folder that is looked into first. The execute
    bit counts; on Windows the endings of `pathext` are tried. What is returned is not resolved: tools that
    act on the name they were called by keep it.
    """
    if not name or "\0" in name:
        return None
    barred = _barred(None if repo_root is None else str(repo_root))
    if Path(name).is_absolute():
        return _first(name, pathext, barred)
    if Path(name).name != name or name in {".", ".."}:
        return None
    if beside is not None and (found := _first(str(beside / name), pathext, ())):
        return found
    places = (folder + os.sep + name for folder in _folders(path, cwd))
    return next((found for place in places if (found := _first(place, pathext, barred))), None)


@lru_cache(maxsize=8)
def _barred(repo_root: str | None) -> tuple[Path, ...]:
    return () if repo_root is None else (_plain(Path(repo_root)), _real(Path(repo_root)))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # unlike Path.resolve it never raises on a loop of links


def _plain(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - `..` is folded without following links


# A listing asks for a thousand programs on one PATH. What is found is held against the repository each time anew.
@lru_cache(maxsize=8)
def _folders(path: str | None, cwd: Path | None) -> tuple[str, ...]:
    here = _real(cwd) if cwd is not None else None
    entries = (entry.strip('"') if os.name == "nt" else entry for entry in (path or "").split(os.pathsep))
    folders = (Path(entry) for entry in entries if entry)
    return tuple(str(folder) for folder in folders if folder.is_absolute() and _real(folder) != here)


def _spellings(candidate: str, pathext: str | None) -> tuple[str, ...]:
    if os.name != "nt":
        return (candidate,)
    endings = [ending for ending in (pathext or _DEFAULT_PATHEXT).split(";") if ending]
    if Path(candidate).suffix.upper() in {ending.upper() for ending in endings}:
        return (candidate,)
    return tuple(candidate + ending for ending in endings)


def _first(program: str, pathext: str | None, barred: tuple[Path, ...]) -> Path | None:
    for candidate in _spellings(program, pathext):
        if _runnable(candidate) and not _inside(Path(candidate), barred):
            return Path(candidate)
    return None


def _runnable(candidate: str) -> bool:
    try:
        # Asked of the operating system directly: most places that are looked at hold nothing.
        return stat.S_ISREG(os.stat(candidate).st_mode) and os.access(candidate, os.X_OK)  # noqa: PTH116
    except (OSError, ValueError):
        return False


def _inside(candidate: Path, barred: tuple[Path, ...]) -> bool:
    return any(place in path.parents for path in (_plain(candidate), _real(candidate)) for place in barred)
