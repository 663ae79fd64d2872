"""A newer version of what is installed, from where it came, shown as what it changes."""

from dataclasses import dataclass

from msd_review.errors import InputError
from msd_review.lifecycle.ledger import Entry, load_ledger
from msd_review.lifecycle.places import Place
from msd_review.lifecycle.prepare import Prepared, prepare
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.sources.spec import parse_spec
from msd_review.trust.disclosure_text import changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What an update would do. Without `prepared` there is nothing to do.

    `changes` is the difference of the two disclosures, or one line where nothing but files changed.
    """

    entry: Entry
    place: Place
    prepared: Prepared | None
    changes: tuple[str, ...] = ()


def find_entries(around: Surroundings, identity: str | None = None) -> tuple[tuple[Place, Entry], ...]:
    """What is installed, in every scope, with this id or at all. Raises InputError for an id that is not."""
    found = tuple(
        (place, entry)
        for place in around.places()
        for name, entry in sorted(load_ledger(place.ledger).entries.items())
        if identity in {None, name}
    )
    if identity is not None and not found:
        raise InputError(f"{identity} is not installed", hint="see what is: msd capability list")
    return found


def prepare_update(place: Place, entry: Entry, around: Surroundings, *, token: str | None = None) -> Update:
    """Resolves an entry's source again. Raises what `prepare` raises, and InputError for another id."""
    allow_file = around.git is not None and around.git.allow_file
    spec = parse_spec(entry.spec, allow_file=allow_file)
    prepared = prepare(spec, around, place=place, token=token)
    if prepared.id != entry.id:
        raise InputError(
            f"{entry.spec} now holds {prepared.id}, and {entry.id} was installed from there; nothing was changed",
            hint=f"to have it: msd capability remove {entry.id}, then install the other one",
        )
    if _is_same(prepared, entry):
        return Update(entry=entry, place=place, prepared=None)
    return Update(entry=entry, place=place, prepared=prepared, changes=_changes(prepared, entry))


def _is_same(prepared: Prepared, entry: Entry) -> bool:
    lying_there = None if prepared.before is None else prepared.before.content_hash
    return prepared.fetched.bundle.content_hash == entry.content_hash == lying_there


def _changes(prepared: Prepared, entry: Entry) -> tuple[str, ...]:
    before, after = prepared.before, prepared.disclosure
    if before is not None and before.signature == after.signature and before.destination == after.destination:
        return (
            f"{entry.id} {entry.version} -> {prepared.version}: files changed, what it runs and sends did not",
        )
    return changes(before, after)
