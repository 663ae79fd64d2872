"""What a person grants and takes back, written into the consent store with the time and our version."""

from collections.abc import Mapping
from pathlib import Path

from msd_review import __version__
from msd_review.edges import clock
from msd_review.trust import destinations, store
from msd_review.trust.agreement import Agreement
from msd_review.trust.consent import Answer, Consents, HostConsent, OverlayConsent
from msd_review.trust.disclosure import Disclosure


def _now() -> str:
    return clock.iso(clock.now())


def overlay_consent(
    disclosure: Disclosure, agreement: Agreement, *, scope: str, integrity: str | None
) -> OverlayConsent:
    """The record of an agreement. Raises TrustError when the agreement is to something else."""
    agreement.covers(disclosure)
    if disclosure.content_hash is None:
        raise RuntimeError("consent is given to bytes, and this disclosure was made without any")
    return OverlayConsent(
        scope=scope,
        id=disclosure.id,
        integrity=integrity,
        signature=disclosure.signature,
        content_hash=disclosure.content_hash,
        destination=disclosure.destination,
        time=_now(),
        tool_version=__version__,
    )


def grant_overlay(home: Path, consent: OverlayConsent) -> Consents:
    """Keeps the consent to an overlay. Raises StoreError."""
    return store.change(home, lambda held: held.with_overlay(consent))


def allow_host(home: Path, *, slug: str, capability: str, url: str) -> HostConsent:
    """Agrees to exactly the destination that was typed, normalised; returns what was agreed to.

    `capability` is the id of the capability that ships the lane. Raises ConfigError for what is no base
    URL, StoreError.
    """
    consent = HostConsent(
        slug=slug,
        capability=capability,
        destination=destinations.normalise(url).url,
        time=_now(),
        tool_version=__version__,
    )
    store.change(home, lambda held: held.with_host(consent))
    return consent


def refuse_host(home: Path, *, slug: str, url: str) -> Consents:
    """Keeps that a person said no to a destination of a lane, so that they are not asked again. Raises StoreError."""
    return record_answers(home, {f"{slug} {destinations.normalise(url).url}": False})


def record_answers(home: Path, answers: Mapping[str, bool]) -> Consents:
    """Keeps what was said about lanes, slug → may receive plans. Raises StoreError."""
    time = _now()

    def edit(held: Consents) -> Consents:
        for slug, allowed in answers.items():
            held = held.with_answer(Answer(slug=slug, allowed=allowed, time=time, tool_version=__version__))
        return held

    return store.change(home, edit)


def revoke(home: Path, name: str, *, scope: str | None = None, destination: str | None = None) -> int:
    """Takes back every consent that bears this name: an overlay's id or a lane's slug. Returns how many.

    `scope` limits it to an overlay's consents in one scope, `destination` to one destination of a lane.
    """
    before = store.load(home)

    def edit(held: Consents) -> Consents:
        if destination is not None:
            return held.without_hosts(name, destination)
        for one in held.overlays:
            if one.id == name and scope in {None, one.scope}:
                held = held.without_overlay(one.scope, name)
        return held if scope is not None else held.without_hosts(name).without_answer(name)

    after = store.change(home, edit)
    return _count(before) - _count(after)


def _count(held: Consents) -> int:
    return len(held.overlays) + len(held.hosts) + len(held.answers)
