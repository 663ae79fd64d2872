"""Where capabilities may be installed from: `capabilities.strict_known_registries`.

Invariants
- Every layer of configuration that sets the list must let a source through: a project can narrow what the
  user allows and never widen it.
- What cannot be understood allows nothing. A local folder is always allowed: no registry is involved.
"""

from collections.abc import Sequence
from typing import Any

from msd_review.errors import SourceError
from msd_review.sources.spec import Spec, host_of
from msd_review.trust.visible import plain

KEY = "capabilities.strict_known_registries"
NPM = "npm"


def check_source(spec: Spec, layers: Sequence[Any]) -> None:
    """Raises SourceError unless every layer lets `spec` through.

    `layers` are the raw values of the key, one for each layer of configuration that was read; None where
    a layer leaves it unset (any source is allowed).
    """
    for value in layers:
        if value is not None and not is_allowed(spec, value):
            raise _not_allowed(spec, value)


def is_allowed(spec: Spec, value: Any) -> bool:
    """Whether one value of the key lets a source through."""
    if spec.kind == "local" or value is None:
        return True
    if not isinstance(value, list | tuple):
        return False
    entries = {entry.strip().lower() for entry in value if isinstance(entry, str)} - {""}
    if spec.kind == "npm":
        return NPM in entries
    host = host_of(spec)
    return host is not None and any(host == entry or host.endswith("." + entry) for entry in entries)


def _not_allowed(spec: Spec, value: Any) -> SourceError:
    wanted = NPM if spec.kind == "npm" else host_of(spec) or spec.target
    if not isinstance(value, list | tuple):
        allowed = "which is no list, so nothing is allowed"
    elif not value:
        allowed = "which allows local folders alone"
    else:
        allowed = "which allows " + ", ".join(plain(str(entry)) for entry in value)
    return SourceError(
        f"{plain(spec.raw)} comes from {plain(wanted)}, and {KEY} is set, {allowed}",
        hint=f"see who set it: msd config list --origin; it takes a list of hosts, and {NPM}",
    )
