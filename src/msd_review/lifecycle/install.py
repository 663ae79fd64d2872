"""Puts a prepared capability in place, once it was agreed to.

Nothing that a bundle brings is run by any of this: files are written, hashed and renamed.
"""

import os
import secrets
from dataclasses import dataclass

from msd_review import __version__
from msd_review.edges import clock
from msd_review.errors import InputError
from msd_review.lifecycle import kept, transaction
from msd_review.lifecycle.ledger import Entry, load_ledger
from msd_review.lifecycle.places import ScopeName
from msd_review.lifecycle.prepare import Prepared, check_in_set, prepare
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.sources.spec import parse_spec
from msd_review.trust.agreement import Agreement
from msd_review.trust.grants import overlay_consent


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """What was put in place."""

    entry: Entry
    scope: ScopeName
    replaced: str | None  # the version that was there before


def prepare_install(
    text: str,
    around: Surroundings,
    *,
    scope: ScopeName = "global",
    integrity: str | None = None,
    token: str | None = None,
) -> Prepared:
    """Everything about installing the spec `text` but the change itself.

    Raises SourceError, InvalidCapability, InputError, UsageError.
    """
    allow_file = around.git is not None and around.git.allow_file
    spec = parse_spec(text, allow_file=allow_file)
    return prepare(spec, around, place=around.place(scope), integrity=integrity, token=token)


def commit_install(prepared: Prepared, around: Surroundings, agreement: Agreement) -> Installed:
    """Installs what was prepared and agreed to, or changes nothing.

    Raises TrustError when the agreement is to something else, InputError when what is installed changed in
    the meantime, InvalidCapability when it no longer fits beside what is active, StoreError.
    """
    consent = overlay_consent(
        prepared.disclosure,
        agreement,
        scope=prepared.place.consent_scope,
        integrity=prepared.fetched.integrity,
    )
    entry = _entry(prepared)
    with transaction.locked(around.home):
        transaction.recover_locked(around.home)
        _check_unchanged(prepared)
        check_in_set(prepared.manifest, around, place=prepared.place)
        prepared.place.prepare()
        plan = transaction.Plan(
            name=entry.transaction, kind="install", place=prepared.place, entry=entry, consent=consent
        )
        transaction.install(around.home, plan, prepared.fetched.bundle)
    kept.forget(around.home, prepared.fetched.spec)
    previous = prepared.previous
    return Installed(
        entry=entry, scope=prepared.place.name, replaced=None if previous is None else previous.version
    )


def _entry(prepared: Prepared) -> Entry:
    fetched, disclosure = prepared.fetched, prepared.disclosure
    # A relative path means another folder tomorrow: what is recorded is the folder itself.
    spec = fetched.url if fetched.spec.kind == "local" else fetched.spec.raw
    return Entry(
        id=prepared.id,
        version=prepared.version,
        spec=spec,
        kind=fetched.spec.kind,
        resolved=fetched.resolved,
        integrity=fetched.integrity,
        content_hash=fetched.bundle.content_hash,
        signature=disclosure.signature,
        files=tuple(sorted(os.fsdecode(path) for path in fetched.bundle.files)),
        time=clock.iso(clock.now()),
        tool_version=__version__,
        transaction=secrets.token_hex(16),
    )


def _check_unchanged(prepared: Prepared) -> None:
    place, identity = prepared.place, prepared.id
    if load_ledger(place.ledger).entry(identity) != prepared.previous:
        raise InputError(
            f"{identity} was changed by another command in the meantime", hint="run the command again"
        )
    if prepared.previous is None and os.path.lexists(place.folder(identity)):
        raise InputError(
            f"{place.folder(identity)} is there already, and was not installed by msd",
            hint=f"to use it as it is: msd capability trust allow {identity}; else move it away first",
        )
