"""The key with which a person signs what they consent to, and the keys that a worker accepts.

Invariants
- The private key never leaves `$MSD_HOME/fleet/key`, which is this user's alone; one that others can read is
  refused, not repaired.
- A public key is told as one line of text that names what it is, so that nothing else is taken for one.
"""

import base64
import binascii
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from msd_review.edges import files, lock
from msd_review.errors import InputError, StoreError

PREFIX = "msd-fleet-ed25519:"
_KEY_BYTES = 32
_MAX_FILE = 64 * 1024


def fleet_folder(home: Path) -> Path:
    """Where a user's key lies."""
    return home / "fleet"


def signing_key(home: Path) -> Ed25519PrivateKey:
    """This user's key, made when it is first needed. Raises StoreError."""
    path = fleet_folder(home) / "key"
    try:
        files.make_private(path.parent)
        with lock.exclusive(path.with_name("lock")):
            if not path.exists():
                made = base64.b64encode(Ed25519PrivateKey.generate().private_bytes_raw())
                files.write_atomic(path, made + b"\n", mode=0o600)
            return _read(path)
    except OSError as problem:
        raise StoreError(f"{path} cannot be used: {problem.strerror or problem}") from None


def _read(path: Path) -> Ed25519PrivateKey:
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise StoreError(f"{path} is no regular file; a signing key is refused otherwise")
    if os.name != "nt" and (status.st_uid != os.geteuid() or status.st_mode & 0o077):
        raise StoreError(
            f"{path} can be read by others, so what it signs proves nothing",
            hint=f"if nobody had it: chmod 600 {path}; else remove it, and a new one is made",
        )
    raw = _decoded(files.read_bounded(path, _MAX_FILE).decode("ascii", "replace").strip())
    if raw is None:
        raise StoreError(f"{path} holds no key", hint="remove it, and a new one is made")
    return Ed25519PrivateKey.from_private_bytes(raw)


def _decoded(text: str) -> bytes | None:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return raw if len(raw) == _KEY_BYTES else None


def public_text(key: Ed25519PrivateKey) -> str:
    """The public half, as one line to hand to workers."""
    return PREFIX + base64.b64encode(key.public_key().public_bytes_raw()).decode()


def public_key(text: str) -> Ed25519PublicKey | None:
    """The key that a line names; None for anything else."""
    raw = _decoded(text.removeprefix(PREFIX)) if text.startswith(PREFIX) else None
    return None if raw is None else Ed25519PublicKey.from_public_bytes(raw)


def accepted_keys(values: Iterable[str]) -> tuple[str, ...]:
    """The public keys that `--accept` names: each value is a key, or a file with one a line (`#` begins a comment).

    Raises InputError for what is neither.
    """
    found: dict[str, None] = {}
    for value in values:
        found |= dict.fromkeys([value] if public_key(value) is not None else _in_file(value))
    return tuple(found)


def _in_file(value: str) -> list[str]:
    try:
        text = files.read_bounded(Path(value), _MAX_FILE).decode("utf-8", "replace")
    except (OSError, ValueError) as problem:
        said = problem.strerror if isinstance(problem, OSError) and problem.strerror else str(problem)
        raise InputError(
            f"--accept {value}: neither a key nor a file of keys ({said})",
            hint="`msd fleet key` prints a key",
        ) from None
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    keys = [line for line in lines if line]
    wrong = next((line for line in keys if public_key(line) is None), None)
    if wrong is not None or not keys:
        raise InputError(
            f"--accept {value}: {wrong!r} is no key" if wrong else f"--accept {value}: no key in it"
        )
    return keys
