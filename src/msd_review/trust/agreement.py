"""A person's yes to one disclosure: by the token of exactly that, or by an answer after it was shown.

Invariants
- An `Agreement` can only be made here, and names the token of what was agreed to; who records a consent
  demands one for the very disclosure that it records.
- Silence is no. Without a terminal, and with `--yes`, nothing that can run or receive a plan is agreed to
  unless the token says so.
- A token is compared whole; one for other bytes, another destination or another signature is refused.
"""

import hmac
from dataclasses import dataclass, field

from msd_review.errors import TrustError
from msd_review.trust.disclosure import Disclosure
from msd_review.trust.visible import plain

_SEAL = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A yes to the disclosure with this token."""

    token: str
    seal: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.seal is not _SEAL:
            raise RuntimeError("agreements are made by trust.agreement alone")

    def covers(self, disclosure: Disclosure) -> None:
        """Raises TrustError unless this is a yes to exactly this disclosure."""
        if self.token != disclosure.token:
            raise _other(self.token, disclosure)


def agree(
    disclosure: Disclosure, *, token: str | None = None, answer: bool | None = None, yes: bool = False
) -> Agreement:
    """The agreement to a disclosure. Raises TrustError where there is none.

    `token` is what `--accept-disclosure` gave. `answer` is what a person said after the whole disclosure
    was shown to them, None where nobody was asked. `yes` is `--yes`: it is enough for a capability that
    runs nothing and receives nothing, and for nothing else.
    """
    if token is not None:
        if not hmac.compare_digest(token.encode(), disclosure.token.encode()):
            raise _other(token, disclosure)
    elif answer is False:
        raise TrustError(f"you did not agree to {_name(disclosure)}; nothing was changed")
    elif answer is None and (disclosure.has_executable or not yes):
        raise _unasked(disclosure)
    return Agreement(token=disclosure.token, seal=_SEAL)


def _name(disclosure: Disclosure) -> str:
    return plain(disclosure.id) or "it"


def _other(token: str, disclosure: Disclosure) -> TrustError:
    return TrustError(
        f"{_name(disclosure)} is not what was accepted: wanted {plain(token)}, got {disclosure.token}; nothing was changed",
        hint="look at what it discloses now: msd capability disclose",
    )


def _unasked(disclosure: Disclosure) -> TrustError:
    return TrustError(
        f"{_name(disclosure)} needs your consent, and nobody can be asked here; nothing was changed",
        hint="look at it with `msd capability disclose`, then add --accept-disclosure with the token that it prints",
    )
