"""The closed table of handlers, by the name that a manifest uses."""

from collections.abc import Mapping
from pathlib import Path

from msd_review.handlers import antigravity, opencode
from msd_review.handlers.base import Printed, SpawnHandler
from msd_review.manifest.model import Transport
from msd_review.run.result import Reading

SPAWN: Mapping[str, SpawnHandler] = {"antigravity": antigravity, "opencode": opencode}
# The handler for http lanes speaks another protocol: the runner of such lanes imports it by itself.
TRANSPORTS: Mapping[str, Transport] = {
    **{name: handler.TRANSPORT for name, handler in SPAWN.items()},
    "openai-compatible": "openai-http",
}


def plan_argv(handler: str | None, argv: tuple[str, ...], agent: str) -> tuple[str, ...]:
    """The arguments with `agent` put in; unchanged for a tool without agents."""
    known = SPAWN.get(handler or "")
    return argv if known is None else known.plan_argv(argv, agent)


def wants_help(handler: str | None) -> bool:
    """Whether `start_argv` needs what the tool's `--help` prints (bounded by HELP_TIMEOUT_S)."""
    known = SPAWN.get(handler or "")
    return known is not None and known.WANTS_HELP


HELP_TIMEOUT_S = 5.0


def start_argv(
    handler: str | None, argv: tuple[str, ...], *, repo: Path, help_text: str = ""
) -> tuple[str, ...]:
    """The arguments as this machine's version of the tool takes them; `argv` with or without the binary."""
    known = SPAWN.get(handler or "")
    return argv if known is None else known.start_argv(argv, repo, help_text)


def before_start(handler: str | None, *, home: Path, workspace: Path) -> object | None:
    """What must be noted before the tool starts, to be handed to `read` afterwards; None where nothing must."""
    known = SPAWN.get(handler or "")
    return None if known is None else known.before_start(home, workspace)


def read(handler: str | None, printed: Printed, note: object | None = None) -> Reading | None:
    """What a tool with a handler said; None where the manifest's own declarations are to be read."""
    known = SPAWN.get(handler or "")
    return None if known is None else known.read(printed, note)
