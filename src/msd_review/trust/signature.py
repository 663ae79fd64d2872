"""What a consent is given to: the signature of a manifest's executable surfaces, and the token of one decision.

Invariants
- The signature changes whenever something that can run or receive a plan changes: hooks, commands and MCP
  servers whole, and of a lane every declared field, known to us or not, but the two that are for the eye or
  the clock (`reviewsSection`, `timeoutFloorMs`). There is no list of fields that matter: such a list ages.
- The defaults of the configuration keys that a lane names are in it: a default can end up in its arguments.
- What a manifest does not declare adds nothing: one without a lane signs as it did before lanes existed.
- The destination that a configuration resolves to is not in it, since a manifest alone must always sign
  alike; the token binds it, beside the signature and the hash of the bundle's bytes.
- Total on any value, whatever validation would say of it.
"""

import hashlib
from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Any

from msd_review.trust.canonical import canonical

UNSIGNED_FIELDS = frozenset({"reviewsSection", "timeoutFloorMs"})
SURFACES = ("hooks", "commands", "mcpServers")


def signature(manifest: Any) -> str:
    """`sha256-…` of what a manifest's JSON value can run or send; equal surfaces give equal signatures."""
    elements = list(_elements(manifest)) if isinstance(manifest, Mapping) else []
    digest = hashlib.sha256(canonical(elements).encode()).digest()
    return "sha256-" + b64encode(digest).decode()


def token(*, identity: str, signed: str, content_hash: str | None, destination: str | None) -> str:
    """What a person quotes to agree to exactly this: who, what it declares, its bytes, where plans go."""
    bound = canonical(["msd.token/1", identity, signed, content_hash, destination])
    return "d1-" + hashlib.sha256(bound.encode()).hexdigest()


def _elements(manifest: Mapping[Any, Any]) -> Iterator[list[Any]]:
    for name in SURFACES:
        if not _is_nothing(manifest.get(name)):
            yield [name, manifest[name]]
    lane = manifest.get("reviewer")
    if isinstance(lane, Mapping):
        signed = {name: value for name, value in lane.items() if name not in UNSIGNED_FIELDS}
        yield ["reviewer", signed, named_defaults(manifest)]


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, Mapping | list | tuple) and not value)


def named_defaults(manifest: Mapping[Any, Any]) -> dict[str, Any]:
    """The default of each configuration key of the manifest that its lane names, in whatever field."""
    lane, config = manifest.get("reviewer"), manifest.get("config")
    if not isinstance(lane, Mapping) or not isinstance(config, Mapping):
        return {}
    named = set(_texts(lane))
    return {
        key: entry["default"]
        for key, entry in config.items()
        if key in named and isinstance(entry, Mapping) and "default" in entry
    }


def _texts(value: Any) -> Iterator[str]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            stack += item.values()
        elif isinstance(item, list | tuple):
            stack += item
