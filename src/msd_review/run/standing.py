"""What stands against a lane as far as it is known without starting or contacting anything; cheap to load."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from msd_review.manifest.model import CommandCapability, CommandExists, Lane, SpawnInvoke
from msd_review.outcomes import Reason
from msd_review.trust.visible import plain

Find = Callable[[str], Path | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeResult:
    """What a probe found; `reason` is None where nothing stands against the lane.

    `context_tokens` is the size of the model's window, where the server tells it.
    """

    available: bool
    reason: Reason | None = None
    detail: str = ""
    hint: str | None = None
    context_tokens: int | None = None


READY = ProbeResult(available=True)


def against(lane: Lane, reason: Reason, detail: str, *, hint: str | None = None) -> ProbeResult:
    """A finding against a lane, with the way out that its manifest names."""
    return ProbeResult(
        available=False, reason=reason, detail=detail, hint=lane.hints.get(reason.value) or hint
    )


def missing_program(lane: Lane, *, find: Find) -> ProbeResult | None:
    """What is missing of the programs that a lane names, None where all are there. Starts nothing."""
    for name in lane.requires_binaries:
        if find(name) is None:
            detail = f"it needs {plain(name)}, which was not found on PATH"
            return against(lane, Reason.MISSING_REQUIRED_BINARY, detail, hint=lane.install_hint)
    own = [lane.invoke.binary] if isinstance(lane.invoke, SpawnInvoke) else []
    probed = [lane.probe.binary] if isinstance(lane.probe, CommandExists | CommandCapability) else []
    for name in dict.fromkeys((*own, *probed)):
        if find(name) is None:
            detail = f"{plain(name)} was not found on PATH"
            return against(lane, Reason.MISSING_BINARY, detail, hint=lane.install_hint)
    return None
