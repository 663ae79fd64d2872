"""The only maker of `Approved`: nothing runs that this module did not let through.

Invariants
- `run/` takes `ApprovedSpawn` and `ApprovedHttp` and nothing else; both can only be made here
  (their constructor demands a token that this module keeps), so skipping a check is a type error
  and a run-time error.
- An approval names the very value that is used: the absolute binary that was found, the normalised
  destination that consent was compared with. Nothing behind this module looks either up again.
- Everything is decided from what is handed in: no file, clock or environment is read here.
- No record is no consent. A lane that ships with msd may go to the default host it declares itself; every
  other destination, and every one of an installed capability's lane, needs a record of exactly that value.
- A destination that was never agreed to may be asked about; one that differs from what was agreed to never
  is: it is blocked, both are named, and nothing is sent, not even a probe.
- A lane that runs a tool of the user's receives nothing before the user has said so once: by an answer, by
  naming it, by `--all`, or by their own `review.default_reviewers`.
- An installed capability is active only while its bytes are those that were consented to, in either scope.
"""

from dataclasses import dataclass, field
from pathlib import Path

from msd_review.invocation import HttpInvocation, NotPlanned, SpawnInvocation
from msd_review.manifest.model import Lane, SpawnInvoke
from msd_review.outcomes import Outcome, Reason
from msd_review.trust import destinations
from msd_review.trust.bundle import Bundle
from msd_review.trust.consent import Consents
from msd_review.trust.visible import plain

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


# Executables that this distribution installs itself: they are no tool of the user's.
SHIPPED_BINARIES = frozenset({"msd-grounding"})


def needs_answer(lane: Lane, *, first_party: bool) -> bool:
    """Whether the user must have said once that this lane may receive plans on this machine.

    An installed capability's lane needs none: its consent showed who receives what. Neither does a lane
    that ships with its own program and has no provider, since nobody else receives anything.
    """
    if not first_party or not isinstance(lane.invoke, SpawnInvoke):
        return False
    return lane.provider is not None or lane.invoke.binary not in SHIPPED_BINARIES


def approve_spawn(
    invocation: SpawnInvocation,
    *,
    binary: Path | None,
    first_party: bool,
    consents: Consents,
    answered: bool = False,
) -> ApprovedSpawn | NotPlanned:
    """Whether this command may be started.

    `binary` is the absolute path that was found for `argv[0]`, None where nothing was. `answered` says
    that the lane was named, or that `--all` or the user's own `review.default_reviewers` chose it.
    """
    if needs_answer(invocation.lane, first_party=first_party) and not answered:
        said = consents.answer(invocation.lane.slug)
        if said is not True:
            return _not_answered(invocation, refused=said is False)
    if binary is None:
        return _missing(invocation)
    if not binary.is_absolute():
        raise RuntimeError(f"the binary to start must be an absolute path, got {binary}")
    return ApprovedSpawn(invocation=invocation, binary=binary, seal=_SEAL)


def approve_http(
    invocation: HttpInvocation,
    *,
    capability: str,
    first_party: bool,
    consents: Consents,
    scope: str | None = None,
) -> ApprovedHttp | NotPlanned:
    """Whether plans may be sent to this destination.

    `capability` is the id of the capability that ships the lane; `scope` is where it is installed
    (`global` or the project's path), None when it ships with msd. A refusal with the reason
    `not_consented` may be asked about on a terminal, one with `egress_host_changed` never.
    """
    if _origin(invocation.url) != _origin(invocation.host):
        raise RuntimeError(f"{invocation.url} is not at the destination {invocation.host}")
    if first_party and _is_own_default(invocation):
        return ApprovedHttp(invocation=invocation, destination=invocation.host, seal=_SEAL)
    agreed = _agreed(invocation.lane.slug, capability, consents, scope=scope)
    if any(destinations.same_destination(one, invocation.host) for one in agreed):
        return ApprovedHttp(invocation=invocation, destination=invocation.host, seal=_SEAL)
    return _changed(invocation, agreed[0]) if agreed else _never_agreed(invocation, first_party=first_party)


def _origin(url: str) -> tuple[str, str, int]:
    parts = destinations.normalise(url)
    return parts.scheme, parts.host, parts.port


def _is_own_default(invocation: HttpInvocation) -> bool:
    declared = invocation.invoke.default_host
    return declared is not None and destinations.same_destination(declared, invocation.host)


def _agreed(slug: str, capability: str, consents: Consents, *, scope: str | None) -> tuple[str, ...]:
    overlay = consents.overlay(scope, capability) if scope is not None else None
    bound = (overlay.destination,) if overlay is not None and overlay.destination is not None else ()
    return (*consents.destinations(slug, capability), *bound)


def _blocked(
    invocation: SpawnInvocation | HttpInvocation, reason: Reason, detail: str, *, hint: str
) -> NotPlanned:
    return NotPlanned(
        identity=invocation.identity,
        lane=invocation.lane,
        outcome=Outcome.BLOCKED,
        reason=reason,
        detail=detail,
        hint=hint,
        named=invocation.named,
        notices=invocation.notices,
    )


def _not_answered(invocation: SpawnInvocation, *, refused: bool) -> NotPlanned:
    lane = invocation.lane
    receiver = f"{lane.reviews_section} ({lane.provider})" if lane.provider else lane.reviews_section
    if refused:
        detail = f"you said that {receiver} may not receive plans on this machine"
    else:
        detail = f"nobody was asked yet whether {receiver} may receive plans on this machine"
    return _blocked(
        invocation, Reason.NOT_CONSENTED, detail, hint=f"name it to agree for one run: {lane.flags[0]}"
    )


def _missing(invocation: SpawnInvocation) -> NotPlanned:
    lane, wanted = invocation.lane, plain(invocation.argv[0])
    return NotPlanned(
        identity=invocation.identity,
        lane=lane,
        outcome=Outcome.UNAVAILABLE,
        reason=Reason.MISSING_BINARY,
        detail=f"{wanted} was not found on PATH",
        hint=lane.install_hint or lane.hints.get(Reason.MISSING_BINARY.value),
        named=invocation.named,
        notices=invocation.notices,
    )


def allow_host_command(slug: str, destination: str) -> str:
    """The command that agrees to exactly this destination, ready for a shell."""
    import shlex  # only a refusal needs it, and every listing would load it

    return f"msd capability trust allow-host {slug} {shlex.quote(destination)}"


def _where_from(invocation: HttpInvocation) -> str:
    return f"{invocation.host_config_key}, {invocation.host_origin}"


def _changed(invocation: HttpInvocation, agreed: str) -> NotPlanned:
    detail = (
        f"plans would go to {plain(invocation.host)} ({_where_from(invocation)}), "
        f"but you agreed to {plain(agreed)}; nothing was sent"
    )
    hint = allow_host_command(invocation.lane.slug, invocation.host)
    return _blocked(invocation, Reason.EGRESS_HOST_CHANGED, detail, hint=f"if that is right: {hint}")


def _never_agreed(invocation: HttpInvocation, *, first_party: bool) -> NotPlanned:
    declared = invocation.invoke.default_host
    instead = f" instead of {plain(declared)}" if first_party and declared else ""
    detail = (
        f"plans would go to {plain(invocation.host)} ({_where_from(invocation)}){instead}, "
        "and you have not agreed to that destination; nothing was sent"
    )
    hint = allow_host_command(invocation.lane.slug, invocation.host)
    return _blocked(invocation, Reason.NOT_CONSENTED, detail, hint=f"if that is right: {hint}")


NOT_CONSENTED = "not_consented"
CONTENT_CHANGED = "content_changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inactive:
    """Why an installed capability contributes nothing and runs nothing; `code` is NOT_CONSENTED or CONTENT_CHANGED."""

    code: str
    detail: str
    hint: str


def overlay_state(
    identity: str, *, scope: str | None, bundle: Bundle | None, consents: Consents
) -> Inactive | None:
    """None when the capability's bytes are what was consented to in this scope, else why it is inactive.

    `bundle` holds the very bytes that will be used; None when they could not be read whole. `scope` is
    None where there is no scope that could consent: then nothing is active.
    """
    if consents.problem is not None:
        detail = f"the consent store is refused: {consents.problem}"
        return Inactive(
            code=NOT_CONSENTED, detail=detail, hint="see what is wrong: msd capability trust list"
        )
    allow = f"look at it and agree: msd capability trust allow {plain(identity)}"
    consent = None if scope is None else consents.overlay(scope, identity)
    if consent is None:
        detail = "you have not agreed to it; it came with the project or was put there by hand"
        return Inactive(code=NOT_CONSENTED, detail=detail, hint=allow)
    if bundle is None:
        detail = "its files cannot be verified: a link, a special file, or too much of it"
        return Inactive(code=CONTENT_CHANGED, detail=detail, hint=allow)
    if bundle.content_hash != consent.content_hash:
        detail = f"it changed since you agreed to it on {plain(consent.time)}"
        return Inactive(code=CONTENT_CHANGED, detail=detail, hint=allow)
    return None
