"""The only maker of `Approved`: nothing runs that this module did not let through.

Invariants
- `run/` takes `ApprovedSpawn` and `ApprovedHttp` and nothing else; both can only be made here
  (their constructor demands a token that this module keeps), so skipping a check is a type error
  and a run-time error.
- An approval names the very value that is used: the absolute binary that was found, the normalised
  destination that consent was compared with. Nothing behind this module looks either up again.
"""

from dataclasses import dataclass, field
from pathlib import Path

from msd_review.invocation import HttpInvocation, SpawnInvocation

_SEAL = object()


def _sealed(seal: object) -> None:
    if seal is not _SEAL:
        raise RuntimeError("approvals are made by trust.policy alone")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedSpawn:
    """A spawn that may happen: the invocation and the absolute path of the binary to start."""

    invocation: SpawnInvocation
    binary: Path
    seal: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        _sealed(self.seal)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedHttp:
    """A request that may be sent: the invocation, and the destination that was consented to."""

    invocation: HttpInvocation
    destination: str
    seal: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        _sealed(self.seal)


Approved = ApprovedSpawn | ApprovedHttp
