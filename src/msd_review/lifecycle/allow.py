"""Consent to a capability that is there already: it came with a clone, or changed since it was agreed to."""

from dataclasses import dataclass
from pathlib import Path

from msd_review.errors import InputError
from msd_review.lifecycle.ledger import load_ledger
from msd_review.lifecycle.places import Place
from msd_review.lifecycle.prepare import disclose_bundle
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.registry.cache import Verdict
from msd_review.registry.judging import judge
from msd_review.trust.agreement import Agreement
from msd_review.trust.bundle import read_bundle
from msd_review.trust.disclosure import Disclosure
from msd_review.trust.grants import grant_overlay, overlay_consent


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A capability that lies in a scope, and what it discloses as it lies there."""

    place: Place
    folder: Path
    disclosure: Disclosure


def find_installed(identity: str, around: Surroundings) -> tuple[Found, ...]:
    """The capabilities with this id, in every scope. Raises InputError where there is none, or one is unreadable."""
    found = tuple(
        Found(place=place, folder=folder, disclosure=disclose_bundle(read_bundle(folder), around))
        for place in around.places()
        if _is_name(identity) and (folder := place.folder(identity)).is_dir()
    )
    if not found:
        raise InputError(f"there is no capability {identity}", hint="see what there is: msd capability list")
    return found


def _is_name(identity: str) -> bool:
    return bool(identity) and "/" not in identity and "\\" not in identity and not identity.startswith(".")


def allow(found: Found, agreement: Agreement, around: Surroundings) -> None:
    """Records the consent to a capability exactly as it was shown.

    Raises TrustError when the agreement is to something else, or its files changed since it was shown,
    InputError when it is not valid, StoreError.
    """
    bundle = read_bundle(found.folder)
    agreement.covers(disclose_bundle(bundle, around))
    judged = judge(bundle.manifest or b"", found.folder)
    if not isinstance(judged, Verdict):
        worst = next(problem for problem in judged if not problem.is_warning)
        raise InputError(f"{found.folder.name} is not valid: {worst.message}", hint=worst.hint)
    entry = load_ledger(found.place.ledger).entry(found.folder.name)
    integrity = None if entry is None else entry.integrity
    scope = found.place.consent_scope
    consent = overlay_consent(found.disclosure, agreement, scope=scope, integrity=integrity)
    grant_overlay(around.home, consent)
