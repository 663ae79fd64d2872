"""Takes an installed capability away: what the ledger lists, nothing else, and the consent with it."""

import os
import secrets
from dataclasses import dataclass

from msd_review.errors import InputError
from msd_review.lifecycle import transaction
from msd_review.lifecycle.ledger import Entry, load_ledger
from msd_review.lifecycle.places import Place, ScopeName
from msd_review.lifecycle.surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What was taken away; `left` are files in its folder that msd had not put there."""

    entry: Entry
    scope: ScopeName
    left: tuple[str, ...]


def remove(place: Place, identity: str, around: Surroundings) -> Removed:
    """Removes a capability from a scope. Raises InputError where it was not installed, StoreError."""
    with transaction.locked(around.home):
        transaction.recover_locked(around.home)
        entry = load_ledger(place.ledger).entry(identity)
        if entry is None:
            raise _not_installed(place, identity)
        place.prepare()
        plan = transaction.Plan(
            name=secrets.token_hex(16), kind="remove", place=place, entry=entry, consent=None
        )
        return Removed(entry=entry, scope=place.name, left=transaction.remove(around.home, plan))


def _not_installed(place: Place, identity: str) -> InputError:
    hint = "see what is: msd capability list"
    if os.path.lexists(place.folder(identity)) and "/" not in identity:
        hint = f"it was put into {place.folder(identity)} by hand, or by a clone: remove the folder yourself"
    return InputError(f"{identity} was not installed by msd", hint=hint)
