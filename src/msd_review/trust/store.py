"""The file that holds the user's consents, `consent.json` in the user's own folder.

Invariants
- Read only when it is a regular file of this user's that nobody else can write, in a folder of which the
  same holds, and at most 8 MiB; anything else is refused whole, and a refused store consents to nothing.
- Written under a lock that ends with its holder, whole or not at all, for this user's eyes alone.
- A store that is refused is never overwritten: what a person agreed to is not thrown away by a mistake.
- Nothing in a project is ever read for a consent.
"""

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path

from msd_review.edges import files, lock
from msd_review.errors import StoreError
from msd_review.trust.consent import SCHEMA, Consents, decode, encode

NAME = "consent.json"
MAX_BYTES = 8 * 1024 * 1024
LOCK_WAIT_S = 10.0


class _Refused(Exception):
    pass


def load(home: Path) -> Consents:
    """The consents in the user's folder `home`; none, with `problem` set, where the store is refused."""
    try:
        return _read(home / NAME)
    except _Refused as refused:
        return Consents(problem=str(refused))


def change(home: Path, edit: Callable[[Consents], Consents]) -> Consents:
    """Applies `edit` to the store under its lock and returns what is stored now.

    Raises StoreError when the store is refused, or cannot be locked or written.
    """
    path = home / NAME
    try:
        files.make_private(home)
        with lock.exclusive(home / ".consent.lock", wait_s=LOCK_WAIT_S):
            for half_written in home.glob(f".{NAME}.*.tmp"):
                half_written.unlink(missing_ok=True)
            changed = edit(_read(path))
            content = json.dumps(encode(changed), indent=1, ensure_ascii=True) + "\n"
            if len(content) > MAX_BYTES:
                raise _Refused(f"{path} would grow over {MAX_BYTES:,} bytes")
            files.write_atomic(path, content.encode(), mode=0o600)
    except _Refused as refused:
        raise StoreError(f"the consent store is refused: {refused}", hint=_WAY_OUT) from None
    except OSError as problem:
        raise StoreError(f"the consent store cannot be written: {problem}") from None
    return changed


_WAY_OUT = "look at the file; move it away to start anew (every consent is then asked for again)"


def _read(path: Path) -> Consents:
    try:
        _judge(path.parent, path.parent.stat(), stat.S_ISDIR)
        _judge(path, path.lstat(), stat.S_ISREG)
        document = json.loads(files.read_bounded(path, MAX_BYTES))
    except FileNotFoundError:
        return Consents()
    except OSError as problem:
        raise _Refused(f"{path} cannot be read: {problem.strerror or problem}") from None
    except (ValueError, RecursionError):
        raise _Refused(f"{path} is not valid JSON") from None
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise _Refused(f"{path} is no consent store of this version ({SCHEMA})")
    return decode(document)


def _judge(path: Path, status: os.stat_result, is_kind: Callable[[int], bool]) -> None:
    if not is_kind(status.st_mode):
        raise _Refused(f"{path} is a link or a special file")
    if os.name == "nt":
        return  # who may write is not in these bits there
    if status.st_uid != os.geteuid():
        raise _Refused(f"{path} belongs to another user")
    if status.st_mode & 0o022:
        raise _Refused(f"{path} can be written by other users (chmod go-w {path})")


def work_tree_warning(home: Path) -> str | None:
    """What to say when the store lies inside a git work tree, where it could be committed."""
    for folder in (home.resolve(), *home.resolve().parents):
        if (folder / ".git").exists():
            return f"the consent store {home / NAME} lies inside the git work tree {folder}; keep it out of commits"
    return None
