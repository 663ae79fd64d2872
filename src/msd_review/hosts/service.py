"""Installs msd into a host, takes it out, and tells where it is: the whole of it, under one lock.

Plan, write the ledger, write the files, settle the ledger. A process that is killed in between leaves an installation
that says so: whoever comes next finds in it both what was and what was to be, and goes on from what lies on the disk.
"""

import contextlib
import difflib
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from msd_review.edges import files, lock
from msd_review.edges.faults import fault_point
from msd_review.errors import InputError, StoreError, UsageError
from msd_review.hosts import applying, planning
from msd_review.hosts.declared import read_host
from msd_review.hosts.disk import look
from msd_review.hosts.ledger import load_ledger, save_ledger, with_installation, without
from msd_review.hosts.model import Around, Change, Host, Installation, Scope, Target, records_of
from msd_review.hosts.targets import base_of, target_of
from msd_review.registry.model import Capability, Registry

_LOCK = ".hosts.lock"
_LOCK_WAIT_S = 15.0
_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What an install or uninstall did, or with `dry_run` would do. `calls` is how the commands are typed."""

    host: str
    title: str
    scope: Scope
    base: Path
    changes: tuple[Change, ...]
    calls: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def kept(self) -> tuple[Change, ...]:
        """What was left alone since a person wrote it."""
        return tuple(one for one in self.changes if one.action == "kept")

    @property
    def is_change(self) -> bool:
        """Whether anything was written or removed."""
        return bool(applying.effective(self.changes))


def host_capabilities(registry: Registry) -> tuple[Capability, ...]:
    """The active capabilities that are hosts, in the registry's order."""
    return tuple(one for one in registry.active if one.manifest.runtime is not None)


def find_host(registry: Registry, name: str) -> Host:
    """The host with this id, or with a lane of this slug or flag. Raises UsageError, InputError."""
    known = host_capabilities(registry)
    wanted = name.lower().removeprefix("--")
    found = next((one for one in known if one.id == wanted), None) or _by_lane(known, wanted)
    if found is not None:
        return read_host(found)
    other = registry.capability(wanted)
    if other is not None and not other.active:
        raise InputError(f"{other.label} is not active: {other.detail}", hint=other.hint)
    if other is not None:
        raise UsageError(f"{other.id} is a reviewer and no host", hint="`msd install` lists the hosts")
    near = difflib.get_close_matches(wanted, [one.id for one in known], n=1)
    hint = f"did you mean {near[0]}?" if near else "`msd install` lists the hosts"
    raise UsageError(f"no host is called {name!r}", hint=hint)


def install(host: Host, scope: Scope, around: Around, *, dry_run: bool = False) -> Done:
    """Brings a host to what this version would leave there. Raises MsdError; then nothing was changed."""
    target = target_of(host, scope, around)
    if dry_run:
        return _done(target, _plan_install(target, _of(load_ledger(around.msd_home), target)), dry_run=True)
    return _under_lock(around, lambda: _install(target, around))


def uninstall(name: str, scope: Scope, around: Around, *, host: Host | None, dry_run: bool = False) -> Done:
    """Takes out of a host what the ledger says is msd's there. Raises MsdError; then nothing was changed.

    `host` is None where no capability declares the host any more: the ledger is enough.
    """
    installed = _installed(name, scope, around, host)
    if dry_run:
        return _removed(installed, host, _plan_uninstall(installed), dry_run=True)
    return _under_lock(around, lambda: _uninstall(_installed(name, scope, around, host), host, around))


def installed_scopes(host: str, around: Around) -> tuple[Scope, ...]:
    """Where a host has msd: globally, in this project. Raises StoreError."""
    here = {
        one.scope
        for one in load_ledger(around.msd_home)
        if one.host == host and (one.scope == "global" or one.base == str(around.project))
    }
    return tuple(scope for scope in get_args(Scope) if scope in here)


@contextlib.contextmanager
def _locked(msd_home: Path) -> Iterator[None]:
    try:
        files.make_private(msd_home)
        with lock.exclusive(msd_home / _LOCK, wait_s=_LOCK_WAIT_S):
            yield
    except lock.LockBusy as busy:
        raise StoreError(f"another install is going on: {busy}", hint="try again when it is done") from None
    except OSError as problem:
        raise StoreError(f"{msd_home} cannot be used: {problem.strerror or problem}") from None


def _under_lock(around: Around, attempt: Callable[[], Done]) -> Done:
    with _locked(around.msd_home):
        for one in load_ledger(around.msd_home):
            applying.clear_temporaries(one)
        for _ in range(_TRIES):
            with contextlib.suppress(applying.ChangedMeanwhile):
                return attempt()
    raise StoreError(
        "another program keeps writing the same settings; nothing was changed",
        hint="close the host, and try again",
    )


def _install(target: Target, around: Around) -> Done:
    ledger = load_ledger(around.msd_home)
    old = _of(ledger, target)
    changes = _plan_install(target, old)
    todo = applying.effective(changes)
    settled = _settled(old, changes)
    if todo:
        pending = _pending(old, settled, applying.new_folders(todo))
        save_ledger(around.msd_home, with_installation(ledger, pending))
        fault_point("host.planned")
        try:
            applying.carry_out(todo, inside=target.inside, private=target.scope == "global")
        except BaseException:
            save_ledger(around.msd_home, ledger)
            raise
        settled = replace(settled, folders=tuple(one for one in pending.folders if Path(one).is_dir()))
    if todo or settled != old:
        _save(around, ledger, settled)
    fault_point("host.recorded")
    return _done(target, changes)


def _uninstall(installed: Installation, host: Host | None, around: Around) -> Done:
    ledger = load_ledger(around.msd_home)
    changes = _plan_uninstall(installed)
    inside = Path(installed.base) if installed.scope == "project" else None
    leaving = replace(installed, writer=os.getpid())
    save_ledger(around.msd_home, with_installation(ledger, leaving))
    applying.carry_out(applying.effective(changes), inside=inside, private=False)
    fault_point("host.emptied")
    applying.remove_folders(installed.folders)
    fault_point("host.tidied")
    save_ledger(around.msd_home, without(ledger, installed.key))
    fault_point("host.cleared")
    return _removed(installed, host, changes)


def _save(around: Around, ledger: Sequence[Installation], settled: Installation) -> None:
    is_empty = not (settled.files or settled.entries)
    save_ledger(
        around.msd_home, without(ledger, settled.key) if is_empty else with_installation(ledger, settled)
    )


def _of(ledger: Sequence[Installation], target: Target) -> Installation:
    new = Installation(
        host=target.host.id, scope=target.scope, base=str(target.base), files=(), entries=(), folders=()
    )
    return next((one for one in ledger if one.key == new.key), new)


def _plan_install(target: Target, old: Installation) -> tuple[Change, ...]:
    changes: list[Change | None] = []
    for file in target.files:
        records = [one for one in old.files if one.path == str(file.path)]
        changes.append(planning.plan_file(file, look(file.path, inside=target.inside), records))
    for entry in target.entries:
        mine = [one for one in old.entries if one.path == str(entry.path)]
        changes.append(planning.plan_entry(entry, look(entry.path, inside=target.inside), mine))
    wanted = {*(str(one.path) for one in target.files), *(str(one.path) for one in target.entries)}
    changes.extend(_removals(old, target.inside, leave=wanted))
    return tuple(one for one in changes if one is not None)


def _plan_uninstall(installed: Installation) -> tuple[Change, ...]:
    inside = Path(installed.base) if installed.scope == "project" else None
    return tuple(one for one in _removals(installed, inside, leave=set()) if one is not None)


def _removals(old: Installation, inside: Path | None, *, leave: set[str]) -> Iterator[Change | None]:
    for path in dict.fromkeys(one.path for one in old.files if one.path not in leave):
        records = [one for one in old.files if one.path == path]
        yield planning.plan_file_removal(look(Path(path), inside=inside), records)
    for path in dict.fromkeys(one.path for one in old.entries if one.path not in leave):
        mine = [one for one in old.entries if one.path == path]
        yield planning.plan_entry_removal(look(Path(path), inside=inside), mine)


def _settled(old: Installation, changes: Sequence[Change]) -> Installation:
    """The installation once the changes are made. What a person has edited stays known, so that it can be told apart."""
    edited = {str(one.path) for one in changes if one.action == "kept"}
    known = [one for one in old.records if one.path in edited]
    records = [*known, *(one.record for one in changes if one.record is not None)]
    made, entries = records_of(records)
    return replace(old, files=made, entries=entries, writer=None)


def _pending(old: Installation, new: Installation, folders: Sequence[str]) -> Installation:
    """Both at once, with the process that is changing one into the other."""
    return replace(
        new,
        files=tuple(dict.fromkeys((*new.files, *old.files))),
        entries=(*new.entries, *(one for one in old.entries if one not in new.entries)),
        folders=tuple(dict.fromkeys((*old.folders, *folders))),
        writer=os.getpid(),
    )


def _installed(name: str, scope: Scope, around: Around, host: Host | None) -> Installation:
    identity = name if host is None else host.id
    here = [one for one in load_ledger(around.msd_home) if one.host == identity]
    found = [
        one for one in here if one.scope == scope and (scope == "global" or one.base == str(around.project))
    ]
    if len(found) > 1 and host is not None:
        base = str(base_of(host, scope, around))
        found = [one for one in found if one.base == base] or found
    if len(found) == 1:
        return found[0]
    places = ", ".join(f"--scope {one.scope} in {one.base}" for one in (found or here))
    if found:
        raise UsageError(
            f"msd is in {identity} more than once", hint=f"set its variable to the one you mean: {places}"
        )
    raise InputError(
        f"msd did not install anything into {identity} with --scope {scope} here",
        hint=f"it is there with {places}" if here else "`msd install` shows where it is",
    )


def _by_lane(known: Sequence[Capability], name: str) -> Capability | None:
    for one in known:
        lane = one.manifest.reviewer
        if lane is not None and (lane.slug == name or f"--{name}" in lane.flags):
            return one
    return None


def _done(target: Target, changes: tuple[Change, ...], *, dry_run: bool = False) -> Done:
    return Done(
        host=target.host.id,
        title=target.host.title,
        scope=target.scope,
        base=target.base,
        changes=changes,
        calls=target.calls,
        dry_run=dry_run,
    )


def _removed(
    installed: Installation, host: Host | None, changes: tuple[Change, ...], *, dry_run: bool = False
) -> Done:
    return Done(
        host=installed.host,
        title=installed.host if host is None else host.title,
        scope=installed.scope,
        base=Path(installed.base),
        changes=changes,
        dry_run=dry_run,
    )
