"""What the user agreed to: listed, given for one destination, taken back."""

from dataclasses import dataclass
from typing import Any

from msd_review.app.world import World
from msd_review.errors import InputError, StoreError, UsageError
from msd_review.trust import destinations, grants, policy, store


def store_warning(world: World) -> str | None:
    """What to say when the consent store could be committed by mistake."""
    return store.work_tree_warning(world.home)


def consents_json(world: World) -> dict[str, Any]:
    """The `msd.trust/1` document: every consent, with its destination."""
    if world.consents.problem is not None:
        raise StoreError(f"the consent store is refused: {world.consents.problem}")
    consents = world.consents
    return {
        "schema": "msd.trust/1",
        "capabilities": [
            {
                "id": one.id,
                "scope": one.scope,
                "destination": one.destination,
                "signature": one.signature,
                "content_hash": one.content_hash,
                "time": one.time,
            }
            for one in consents.overlays
        ],
        "destinations": [
            {
                "slug": one.slug,
                "capability": one.capability,
                "destination": one.destination,
                "local": destinations.is_local(one.destination),
                "time": one.time,
            }
            for one in consents.hosts
        ],
        "answers": [{"slug": one.slug, "allowed": one.allowed, "time": one.time} for one in consents.answers],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedHost:
    """What was agreed to: plans may go to this destination."""

    slug: str
    destination: str
    is_local: bool
    warnings: tuple[str, ...]


def allow_host(world: World, slug: str, url: str) -> AllowedHost:
    """Consents to exactly the destination that was typed, for one lane."""
    entry = world.registry.lane(slug)
    if entry is None:
        raise UsageError(f"no reviewer is called {slug!r}", hint="`msd lane list` shows every reviewer")
    if entry.lane.transport != "openai-http":
        raise UsageError(
            f"{slug} is a command of this machine, not a server", hint="only servers have destinations"
        )
    destination = destinations.normalise(url)
    grants.allow_host(world.home, slug=entry.slug, capability=entry.capability.id, url=url)
    return AllowedHost(
        slug=entry.slug,
        destination=destination.url,
        is_local=destinations.is_local(destination.url),
        warnings=destination.warnings,
    )


def receiver_of(world: World, name: str) -> str | None:
    """Who receives plans when the tool of a lane that ships with msd runs: `Codex (openai)`; None for any other name."""
    entry = world.registry.lane(name)
    if entry is None or entry.capability.source != "first-party":
        return None
    if not policy.needs_answer(entry.lane, first_party=True):
        return None
    return f"{entry.section} ({entry.lane.provider})" if entry.lane.provider else entry.section


def answer_for(world: World, slug: str, *, allowed: bool) -> None:
    """Keeps whether a lane's tool may receive plans on this machine. Raises StoreError."""
    grants.record_answers(world.home, {slug.lower(): allowed})


def revoke(world: World, name: str, destination: str | None) -> tuple[str, ...]:
    """Takes back what was agreed to for a capability's id or a lane's slug; what was taken back, a line each."""
    consents = world.consents
    url = destinations.normalise(destination).url if destination is not None else None
    taken = [
        *(
            f"the capability {one.id} ({one.scope})"
            for one in consents.overlays
            if one.id == name and url is None
        ),
        *(
            f"{one.slug} to {one.destination}"
            for one in consents.hosts
            if one.slug == name and url in {None, one.destination}
        ),
        *(
            f"the answer for {one.slug}"
            for one in consents.answers
            if one.slug.partition(" ")[0] == name and url is None
        ),
    ]
    if not taken:
        raise InputError(
            f"nothing was agreed to for {name}", hint="`msd capability trust list` shows what was"
        )

    grants.revoke(world.home, name, destination=url)
    return tuple(taken)
