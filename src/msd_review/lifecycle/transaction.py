"""One change of what is installed, so made that a crash at any point leaves the old or the new, whole.

The plan of a change is written first, into the user's own folder: a project can bring no plan along. Then
the new files are staged beside the old ones, the old ones set aside, the new ones put in place, and the
ledger written: that is the commit. `recover` finishes a change whose plan is there and whose ledger entry is
too, and undoes one whose ledger entry is not. Both can be cut short anywhere and begun again.
"""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from msd_review.edges import files, lock
from msd_review.edges.faults import fault_point
from msd_review.errors import StoreError
from msd_review.lazy import regex
from msd_review.lifecycle.ledger import (
    Entry,
    Ledger,
    decode_entry,
    encode_entry,
    load_ledger,
    save_ledger,
)
from msd_review.lifecycle.places import Place
from msd_review.lifecycle.staging import clear, remove_listed, write_bundle
from msd_review.manifest.vocabulary import ID_PATTERN
from msd_review.trust import store
from msd_review.trust.bundle import Bundle, BundleRefused, read_bundle
from msd_review.trust.consent import OverlayConsent

LOCK = ".lifecycle.lock"
LOCK_WAIT_S = 15.0
_MAX_PLAN = 64 * 1024 * 1024
_NAME = regex(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a change will do. `entry` is what the ledger will hold (install) or holds (remove)."""

    name: str  # 32 hexadecimal digits, the change's own
    kind: Literal["install", "remove"]
    place: Place
    entry: Entry
    consent: OverlayConsent | None

    @property
    def work(self) -> Path:
        """The folder of this change: `new/`, `old/` and what was dropped."""
        return self.place.staging / self.name

    @property
    def target(self) -> Path:
        """Where the capability lies."""
        return self.place.folder(self.entry.id)


@contextlib.contextmanager
def locked(home: Path) -> Iterator[None]:
    """Holds the lock of all changes; raises StoreError when another process keeps it."""
    try:
        files.make_private(home)
        with lock.exclusive(home / LOCK, wait_s=LOCK_WAIT_S):
            yield
    except lock.LockBusy as busy:
        raise StoreError(
            f"another change of capabilities is going on: {busy}", hint="try again when it is done"
        ) from None


def install(home: Path, plan: Plan, bundle: Bundle) -> None:
    """Puts `bundle` in place, or leaves what was there. Raises StoreError; the lock is held."""
    try:
        _write_plan(home, plan)
        fault_point("install.planned")
        _stage(plan, bundle)
        fault_point("install.staged")
        if plan.target.exists():
            plan.target.rename(plan.work / "old")
            fault_point("install.set_aside")
        (plan.work / "new").rename(plan.target)
        files.sync_folder(plan.place.capabilities)
        fault_point("install.swapped")
        save_ledger(plan.place.ledger, load_ledger(plan.place.ledger).with_entry(plan.entry))
        fault_point("install.recorded")
    except BaseException as problem:
        _settle(home, plan)
        raise _as_store_error(problem) from problem
    _settle(home, plan)


def remove(home: Path, plan: Plan) -> tuple[str, ...]:
    """Takes a capability away and returns the files that stay since the ledger does not list them."""
    try:
        _write_plan(home, plan)
        fault_point("remove.planned")
        plan.work.mkdir()
        if plan.target.is_symlink() or plan.target.exists():
            plan.target.rename(plan.work / "old")
        fault_point("remove.set_aside")
        save_ledger(plan.place.ledger, load_ledger(plan.place.ledger).without(plan.entry.id))
        fault_point("remove.recorded")
    except BaseException as problem:
        _settle(home, plan)
        raise _as_store_error(problem) from problem
    return _settle(home, plan)


def _as_store_error(problem: BaseException) -> BaseException:
    if isinstance(problem, OSError):
        return StoreError(f"the change was undone: {problem.strerror or problem}")
    return problem


def recover(home: Path) -> tuple[str, ...]:
    """Finishes or undoes what crashed changes left; returns what could not be cleared, for a warning.

    Costs nothing when there is nothing, and leaves a change alone that a living process is making.
    """
    folder = home / "transactions"
    if not folder.is_dir() or not any(folder.iterdir()):
        return ()
    try:
        with lock.exclusive(home / LOCK, wait_s=0):
            return recover_locked(home)
    except OSError:
        return ()


def recover_locked(home: Path) -> tuple[str, ...]:
    """The same for who holds the lock already."""
    problems = []
    folder = home / "transactions"
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        plan = _read_plan(path)
        if plan is None:
            path.unlink()
            continue
        try:
            _settle(home, plan)
        except (OSError, StoreError) as problem:
            problems.append(f"a change of {plan.entry.id} was cut short and cannot be cleared: {problem}")
    return tuple(problems)


def _stage(plan: Plan, bundle: Bundle) -> None:
    plan.work.mkdir()
    write_bundle(bundle, plan.work / "new")
    if read_bundle(plan.work / "new").content_hash != plan.entry.content_hash:
        raise StoreError("what was written is not what was fetched; nothing was installed")


def _settle(home: Path, plan: Plan) -> tuple[str, ...]:
    """Finishes a committed change, undoes another; then nothing of it is left but its result."""
    ledger = load_ledger(plan.place.ledger)
    left: tuple[str, ...] = ()
    if plan.kind == "install":
        if _has(ledger, plan):
            _consent(home, plan)
        else:
            _put_back(plan)
    elif _has(ledger, plan):
        _put_back(plan)
    else:
        store.change(home, lambda held: held.without_overlay(plan.place.consent_scope, plan.entry.id))
        fault_point("remove.revoked")
        left = _delete_listed(plan)
    clear(plan.work)
    _tidy(plan.place)
    _drop_plan(home, plan)
    fault_point(f"{plan.kind}.cleared")
    return left


def _tidy(place: Place) -> None:
    """Takes away what a crashed write of the ledger left, and the staging folder when it is empty."""
    for half_written in place.root.glob(f".{place.ledger.name}.*.tmp"):
        half_written.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        place.staging.rmdir()


def _has(ledger: Ledger, plan: Plan) -> bool:
    entry = ledger.entry(plan.entry.id)
    return entry is not None and entry.transaction == plan.entry.transaction


def _consent(home: Path, plan: Plan) -> None:
    consent = plan.consent
    if consent is not None and store.load(home).overlay(consent.scope, consent.id) != consent:
        store.change(home, lambda held: held.with_overlay(consent))
        fault_point("install.consented")


def _put_back(plan: Plan) -> None:
    old = plan.work / "old"
    if old.is_symlink() or old.exists():
        if plan.target.exists():
            if not _is_ours(plan):
                raise StoreError(f"{plan.target} is in the way of what was there before, which is in {old}")
            plan.target.rename(plan.work / "dropped")
        old.rename(plan.target)
    elif plan.kind == "install" and _is_ours(plan):
        plan.target.rename(plan.work / "dropped")


def _is_ours(plan: Plan) -> bool:
    """Whether what lies in place is what this change put there, and not there before it."""
    if (plan.work / "new").exists() or not plan.work.exists():
        return False
    try:
        return read_bundle(plan.target).content_hash == plan.entry.content_hash
    except BundleRefused:
        return False


def _delete_listed(plan: Plan) -> tuple[str, ...]:
    old = plan.work / "old"
    if old.is_symlink() or not old.is_dir():
        return ()
    left = remove_listed(old, plan.entry.files)
    if left and not plan.target.exists():
        old.rename(plan.target)
    return left


def _plan_path(home: Path, plan: Plan) -> Path:
    return home / "transactions" / f"{plan.name}.json"


def _write_plan(home: Path, plan: Plan) -> None:
    document = {
        "kind": plan.kind,
        "scope": plan.place.name,
        "root": str(plan.place.root),
        "consent_scope": plan.place.consent_scope,
        "entry": encode_entry(plan.entry),
        "consent": None if plan.consent is None else asdict(plan.consent),
    }
    path = _plan_path(home, plan)
    files.make_private(path.parent)
    files.write_atomic(path, json.dumps(document).encode(), mode=0o600)


def _drop_plan(home: Path, plan: Plan) -> None:
    _plan_path(home, plan).unlink(missing_ok=True)


def _read_plan(path: Path) -> Plan | None:
    """The plan in a file; None for the rest of one that was never written whole."""
    if path.suffix != ".json" or _NAME.fullmatch(path.stem) is None:
        return None
    try:
        value: Any = json.loads(files.read_bounded(path, _MAX_PLAN))
        entry = decode_entry(value["entry"])
        place = Place(name=value["scope"], root=Path(value["root"]), consent_scope=value["consent_scope"])
        consent = None if value["consent"] is None else OverlayConsent(**value["consent"])
        kind = value["kind"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    if entry is None or kind not in {"install", "remove"} or re.fullmatch(ID_PATTERN, entry.id) is None:
        return None
    return replace(Plan(name=path.stem, kind="install", place=place, entry=entry, consent=consent), kind=kind)
