"""The user's consents, as values: what was agreed to, and whether that covers what is about to happen.

Invariants
- A record is consent to one thing: these bytes of this overlay in this scope, this destination of this
  capability's lane, this lane on this machine. Nothing is inferred from a neighbouring record.
- A record that cannot be read in every field is no consent.
- An answer of "no" is kept as well: nobody is asked twice.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from msd_review.errors import UsageError

GLOBAL = "global"
SCHEMA = "msd.consent/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class OverlayConsent:
    """Consent to one overlay as it was. `scope` is `global` or the project root's real path."""

    scope: str
    id: str
    integrity: str | None
    signature: str
    content_hash: str
    destination: str | None
    time: str
    tool_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostConsent:
    """Consent to send the plans of one capability's lane to one normalised destination."""

    slug: str
    capability: str
    destination: str
    time: str
    tool_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Whether a lane that runs a tool of the user's may receive plans on this machine.

    For a destination that was refused, `slug` is the lane's slug, a space, and the destination: no slug holds one.
    """

    slug: str
    allowed: bool
    time: str
    tool_version: str


@dataclass(frozen=True, kw_only=True)
class Consents:
    """Everything that the store holds. `problem` says why a store was refused: then it holds nothing."""

    overlays: tuple[OverlayConsent, ...] = ()
    hosts: tuple[HostConsent, ...] = ()
    answers: tuple[Answer, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: str | None = None

    def overlay(self, scope: str, identity: str) -> OverlayConsent | None:
        """The consent to an overlay in one scope."""
        return self._by_overlay.get((scope, identity))

    @cached_property
    def _by_overlay(self) -> Mapping[tuple[str, str], OverlayConsent]:
        return {(one.scope, one.id): one for one in reversed(self.overlays)}

    def destinations(self, slug: str, capability: str) -> tuple[str, ...]:
        """Every destination that a capability's lane may send to, the newest first."""
        return tuple(
            one.destination
            for one in reversed(self.hosts)
            if (one.slug, one.capability) == (slug, capability)
        )

    def answer(self, slug: str) -> bool | None:
        """What was said when this lane was first asked about; None when nobody was asked."""
        return next((one.allowed for one in self.answers if one.slug == slug), None)

    def refused(self, slug: str, destination: str) -> bool:
        """Whether this lane was refused this destination when it was asked about."""
        return self.answer(f"{slug} {destination}") is False

    def with_overlay(self, consent: OverlayConsent) -> "Consents":
        """These, with the consent in the place of an earlier one to the same overlay."""
        kept = (one for one in self.overlays if (one.scope, one.id) != (consent.scope, consent.id))
        return replace(self, overlays=(*kept, consent))

    def with_host(self, consent: HostConsent) -> "Consents":
        """These, with one destination more, which was perhaps refused before."""
        same = (consent.slug, consent.capability, consent.destination)
        kept = (one for one in self.hosts if (one.slug, one.capability, one.destination) != same)
        refusal = f"{consent.slug} {consent.destination}"
        answers = tuple(one for one in self.answers if one.slug != refusal)
        return replace(self, hosts=(*kept, consent), answers=answers)

    def with_answer(self, answer: Answer) -> "Consents":
        """These, with the answer in the place of an earlier one."""
        return replace(self, answers=(*(one for one in self.answers if one.slug != answer.slug), answer))

    def without_overlay(self, scope: str, identity: str) -> "Consents":
        """These, without the consent to an overlay; its destinations go when no scope consents to it any more."""
        left = tuple(one for one in self.overlays if (one.scope, one.id) != (scope, identity))
        elsewhere = any(one.id == identity for one in left)
        hosts = self.hosts if elsewhere else tuple(one for one in self.hosts if one.capability != identity)
        return replace(self, overlays=left, hosts=hosts)

    def without_hosts(self, slug: str, destination: str | None = None) -> "Consents":
        """These, without the destinations of a lane, or without one of them."""
        return replace(
            self,
            hosts=tuple(
                one
                for one in self.hosts
                if one.slug != slug or (destination is not None and one.destination != destination)
            ),
        )

    def without_answer(self, slug: str) -> "Consents":
        """These, without the answers for a lane and its destinations: it will be asked about again."""
        kept = tuple(one for one in self.answers if one.slug.partition(" ")[0] != slug)
        return replace(self, answers=kept)


def project_scope(root: Path, *, home: Path) -> str:
    """The scope of a project's consents: its real path. Raises UsageError for `/` and the home folder."""
    real = root.resolve()
    if real == Path(real.anchor) or real == home.resolve():
        raise UsageError(f"{real} cannot be a project: the home folder and / are never one")
    return str(real)


def encode(consents: Consents) -> dict[str, Any]:
    """The JSON document of a store."""
    return {
        "schema": SCHEMA,
        "overlays": [asdict(one) for one in consents.overlays],
        "hosts": [asdict(one) for one in consents.hosts],
        "answers": [asdict(one) for one in consents.answers],
    }


Record = TypeVar("Record", OverlayConsent, HostConsent, Answer)
_TEXT, _OPTIONAL, _BOOL = (str,), (str, type(None)), (bool,)
_OVERLAY = {
    "scope": _TEXT, "id": _TEXT, "integrity": _OPTIONAL, "signature": _TEXT, "content_hash": _TEXT,
    "destination": _OPTIONAL, "time": _TEXT, "tool_version": _TEXT,
}  # fmt: skip
_HOST = {"slug": _TEXT, "capability": _TEXT, "destination": _TEXT, "time": _TEXT, "tool_version": _TEXT}
_ANSWER = {"slug": _TEXT, "allowed": _BOOL, "time": _TEXT, "tool_version": _TEXT}


def decode(document: Mapping[str, Any]) -> Consents:
    """The consents in a store's document; a record that is not whole is left out, with a warning."""
    warnings: list[str] = []

    def read(
        name: str, shape: Mapping[str, tuple[type, ...]], make: Callable[..., Record]
    ) -> Iterator[Record]:
        listed = document.get(name, [])
        for record in listed if isinstance(listed, list) else [listed]:
            if _fits(record, shape):
                yield make(**{key: record[key] for key in shape})
            else:
                warnings.append(
                    f"a record among the {name} of the consent store is damaged; it is no consent"
                )

    return Consents(
        overlays=tuple(read("overlays", _OVERLAY, OverlayConsent)),
        hosts=tuple(read("hosts", _HOST, HostConsent)),
        answers=tuple(read("answers", _ANSWER, Answer)),
        warnings=tuple(warnings),
    )


def _fits(record: Any, shape: Mapping[str, tuple[type, ...]]) -> bool:
    return isinstance(record, dict) and all(
        name in record and isinstance(record[name], kinds) for name, kinds in shape.items()
    )
