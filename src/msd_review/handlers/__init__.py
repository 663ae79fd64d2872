"""The closed table of handlers, by the name that a manifest uses."""

from collections.abc import Callable, Mapping

from msd_review.handlers import antigravity, openai_compatible, opencode
from msd_review.handlers.base import StreamReader

TRANSPORTS: Mapping[str, str] = {
    "antigravity": antigravity.TRANSPORT,
    "openai-compatible": openai_compatible.TRANSPORT,
    "opencode": opencode.TRANSPORT,
}
READERS: Mapping[str, StreamReader] = {"opencode": opencode.read}
_AGENTS: Mapping[str, Callable[[tuple[str, ...], str], tuple[str, ...]]] = {"opencode": opencode.plan_argv}


def plan_argv(handler: str | None, args: tuple[str, ...], agent: str) -> tuple[str, ...]:
    """The arguments with `agent` put in; unchanged for a tool without agents."""
    put_in = _AGENTS.get(handler or "")
    return args if put_in is None else put_in(args, agent)
