"""What a person consents to for one item, signed, and what a worker makes of it.

Invariants
- A grant names one item of one fleet run, byte for byte, and for each lane exactly what may run or receive: the
  declared surface (its signature, and the bytes of an installed capability), and every destination agreed to.
- It is the submitting person's. A worker adds nothing to it: what is not in it is not consented to.
- The text that was signed is the text that is read: nothing is written anew before it is checked.
- It ends. A grant that was kept is worth nothing the day after.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from msd_review.edges import clock
from msd_review.fleet import keys
from msd_review.fleet.model import FleetItem
from msd_review.trust.canonical import canonical

SCHEMA = "msd.fleet-grant/1"
LIFETIME = timedelta(hours=24)
_SKEW = timedelta(minutes=5)  # between the clocks of two machines
_MAX_TEXT = 1024 * 1024


class GrantRefused(Exception):
    """There is no consent that covers the item; `str()` says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneGrant:
    """What one lane may be and where it may send. `destinations` are normalised; () for a command."""

    slug: str
    capability: str
    source: str  # "first-party" or "global"
    signature: str
    content_hash: str | None = None
    destinations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """The consent to one item, by lane."""

    lanes: Mapping[str, LaneGrant]
    expires: datetime


def item_digest(item: FleetItem) -> str:
    """What binds a grant to an item: everything about it but its place in the batch."""
    value = {name: part for name, part in item.to_json().items() if name != "line"}
    return "sha256-" + hashlib.sha256(canonical(value).encode()).hexdigest()


def sign(
    key: Ed25519PrivateKey,
    *,
    fleet: str,
    item: FleetItem,
    lanes: Sequence[LaneGrant],
    now: datetime | None = None,
) -> dict[str, str]:
    """The envelope that travels: the grant's canonical JSON, the public key, the signature over the text."""
    issued = now or clock.now()
    text = canonical(
        {
            "schema": SCHEMA,
            "fleet": fleet,
            "item": item_digest(item),
            "repository": item.repository,
            "lanes": {lane.slug: asdict(lane) for lane in lanes},
            "issued": clock.iso(issued),
            "expires": clock.iso(issued + LIFETIME),
        }
    )
    signature = base64.b64encode(key.sign(text.encode())).decode()
    return {"grant": text, "key": keys.public_text(key), "signature": signature}


def open_grant(
    envelope: object, *, accepted: Sequence[str], fleet: str, item: FleetItem, now: datetime | None = None
) -> Grant:
    """The grant in an envelope, when it is signed with an accepted key, for this item, and has not ended.

    Raises GrantRefused.
    """
    text = _verified(envelope, accepted)
    try:
        value = json.loads(text)
        expires = _moment(value["expires"])
        issued = _moment(value["issued"])
        lanes = {slug: _lane(slug, one) for slug, one in value["lanes"].items()}
        bound = (value["schema"], value["fleet"], value["item"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise GrantRefused("the consent that came with it cannot be read") from None
    if bound != (SCHEMA, fleet, item_digest(item)):
        raise GrantRefused("the consent that came with it was given to something else")
    moment = now or clock.now()
    if not issued - _SKEW <= moment <= min(expires, issued + LIFETIME) + _SKEW:
        raise GrantRefused(f"the consent that came with it held until {clock.iso(expires)}")
    return Grant(lanes=lanes, expires=expires)


def _verified(envelope: object, accepted: Sequence[str]) -> str:
    if not isinstance(envelope, dict):
        raise GrantRefused("no consent came with it")
    text, key, signature = (envelope.get(name) for name in ("grant", "key", "signature"))
    if not (isinstance(text, str) and isinstance(key, str) and isinstance(signature, str)):
        raise GrantRefused("the consent that came with it cannot be read")
    if len(text) > _MAX_TEXT:
        raise GrantRefused("the consent that came with it is too large")
    public = keys.public_key(key) if key in accepted else None
    if public is None:
        raise GrantRefused(
            "the consent that came with it is signed with a key that this worker does not accept"
        )
    try:
        public.verify(base64.b64decode(signature, validate=True), text.encode())
    except (InvalidSignature, binascii.Error, ValueError):
        raise GrantRefused("the signature of the consent that came with it is wrong") from None
    return text


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def _lane(slug: str, value: Any) -> LaneGrant:
    texts = (value["slug"], value["capability"], value["source"], value["signature"], *value["destinations"])
    if value["slug"] != slug or not all(isinstance(text, str) for text in texts):
        raise ValueError(slug)
    content = value["content_hash"]
    if not (content is None or isinstance(content, str)):
        raise ValueError(slug)
    return LaneGrant(
        slug=slug,
        capability=value["capability"],
        source=value["source"],
        signature=value["signature"],
        content_hash=content,
        destinations=tuple(value["destinations"]),
    )
