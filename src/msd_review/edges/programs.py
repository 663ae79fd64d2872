"""Finds the program that a name means, without ever letting the reviewed repository answer."""

import os
from collections.abc import Iterator
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
    barred = _barred(repo_root)
    if Path(name).is_absolute():
        return _first(Path(name), pathext, barred)
    if Path(name).name != name or name in {".", ".."}:
        return None
    if beside is not None and (found := _first(beside / name, pathext, ())):
        return found
    return next(
        filter(None, (_first(folder / name, pathext, barred) for folder in _folders(path, cwd))), None
    )


def _barred(repo_root: Path | None) -> tuple[Path, ...]:
    return () if repo_root is None else (_plain(repo_root), _real(repo_root))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))  # unlike Path.resolve it never raises on a loop of links


def _plain(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - `..` is folded without following links


def _folders(path: str | None, cwd: Path | None) -> Iterator[Path]:
    here = _real(cwd) if cwd is not None else None
    for entry in (path or "").split(os.pathsep):
        folder = Path(entry.strip('"') if os.name == "nt" else entry)
        if entry and folder.is_absolute() and _real(folder) != here:
            yield folder


def _spellings(candidate: Path, pathext: str | None) -> tuple[Path, ...]:
    if os.name != "nt":
        return (candidate,)
    endings = [ending for ending in (pathext or _DEFAULT_PATHEXT).split(";") if ending]
    if candidate.suffix.upper() in {ending.upper() for ending in endings}:
        return (candidate,)
    return tuple(candidate.with_name(candidate.name + ending) for ending in endings)


def _first(program: Path, pathext: str | None, barred: tuple[Path, ...]) -> Path | None:
    for candidate in _spellings(program, pathext):
        if _runnable(candidate) and not _inside(candidate, barred):
            return candidate
    return None


def _runnable(candidate: Path) -> bool:
    try:
        return candidate.is_file() and os.access(candidate, os.X_OK)
    except OSError:
        return False


def _inside(candidate: Path, barred: tuple[Path, ...]) -> bool:
    return any(place in path.parents for path in (_plain(candidate), _real(candidate)) for place in barred)
