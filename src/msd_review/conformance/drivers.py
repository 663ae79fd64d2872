"""Who plays the reviewer, and whose consent that takes.

By default it is the kit's stand-in: nothing that a manifest names is started, and nothing leaves the machine. A program
that was named with `--binary` is started and given the kit's prompts. The user's own tool, or their own server, takes
`--real` and a yes to the list of who receives what, as a review does; for a manifest that is not installed, a yes to its
disclosure.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msd_review.app import installing
from msd_review.app.approving import find_program, let_through
from msd_review.app.choosing import receiver_text
from msd_review.app.world import World
from msd_review.conformance.subject import Subject
from msd_review.conformance.table import Request, prompts_sent
from msd_review.errors import InputError, TrustError, UsageError
from msd_review.invocation import NotPlanned
from msd_review.lane_shape import http_target
from msd_review.manifest.model import HttpInvoke, SpawnInvoke
from msd_review.trust import policy
from msd_review.trust.agreement import agree
from msd_review.trust.disclosure_text import to_text
from msd_review.trust.visible import plain

Ask = Callable[[str], bool | None]
Show = Callable[[str, str], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What was asked for on the command line, and how a person can be asked."""

    what: str
    binary: Path | None = None
    real: bool = False
    yes: bool = False
    token: str | None = None
    only: tuple[str, ...] = ()
    ask: Ask = lambda _question: None
    show: Show = lambda _text, _question: None


def request_of(world: World, subject: Subject, wish: Wish) -> Request:
    """What the kit is to do. Raises UsageError, InputError, and TrustError where nobody agreed."""
    if os.name == "nt":
        raise UsageError("the conformance kit needs a POSIX system")
    if wish.binary is not None and wish.real:
        raise UsageError("--binary and --real name two different tools", hint="leave one of them out")
    if (wish.token is not None or wish.yes) and not wish.real:
        raise UsageError("--yes and --accept-disclosure go with --real: nothing else needs consent")
    if isinstance(subject.lane.invoke, SpawnInvoke) and Path(subject.lane.invoke.binary).name == "git":
        raise UsageError("msd itself uses git: a lane that starts it cannot be put on the bench")
    if _ships_with_msd(subject):
        return _shipped(subject, wish)
    if wish.binary is not None:
        return Request(
            subject=subject, driver="binary", program=_program(subject, wish.binary), only=wish.only
        )
    if wish.real:
        return _real(world, subject, wish)
    return Request(subject=subject, only=wish.only)


def _ships_with_msd(subject: Subject) -> bool:
    """Whether the lane's program comes with msd: it is found beside it, and sends nothing to anybody."""
    invoke = subject.lane.invoke
    return isinstance(invoke, SpawnInvoke) and invoke.binary in policy.SHIPPED_BINARIES


def _shipped(subject: Subject, wish: Wish) -> Request:
    if wish.binary is not None:
        raise UsageError(f"the program of {subject.lane.slug} ships with msd; none can stand in its place")
    return Request(subject=subject, driver="shipped", only=wish.only)


def _program(subject: Subject, binary: Path) -> Path:
    if not isinstance(subject.lane.invoke, SpawnInvoke):
        raise UsageError(
            f"{subject.lane.slug} asks a server: it starts no command", hint="--real asks your own server"
        )
    path = Path(os.path.abspath(binary))  # noqa: PTH100 - links are kept: some tools act on their name
    if not path.is_file() or not os.access(path, os.X_OK):
        raise InputError(f"{binary} is no program that can be started", hint=f"chmod +x {binary}")
    return path


def _real(world: World, subject: Subject, wish: Wish) -> Request:
    invoke = subject.lane.invoke
    host, program = None, None
    if isinstance(invoke, HttpInvoke):
        host = _host(world, subject, invoke)
    else:
        program = _installed_program(world, subject, invoke)
    receiver = _receiver(world, subject, host)
    if subject.source == "manifest":
        _agree_to_disclosure(world, wish, receiver)
    else:
        _agree_to_receiver(wish, receiver, count=prompts_sent(subject.lane.transport, wish.only))
    return Request(
        subject=subject,
        driver="tool",
        program=program,
        only=wish.only,
        host=host,
        settings=_settings(world, subject),
    )


def _settings(world: World, subject: Subject) -> dict[str, Any]:
    """What the user's configuration says about this lane: their tool is driven as they have set it up."""
    lane = subject.lane
    names = (
        lane.model_config_key,
        lane.effort_config_key,
        f"review.api_key_env.{lane.slug}",
        "review.env_policy",
    )
    known = [name for name in names if name and world.config.schema.find(name) is not None]
    values = {name: world.config.get(name) for name in known}
    return {name: value.value for name, value in values.items() if value.origin != "default"}


def _receiver(world: World, subject: Subject, host: str | None) -> str:
    entry = world.registry.lane(subject.lane.slug)
    if entry is not None and subject.source != "manifest":
        name = receiver_text(entry)
    else:
        name = subject.lane.reviews_section + (f" ({subject.lane.provider})" if subject.lane.provider else "")
    return f"{name} at {host}" if host else name


def _agree_to_receiver(wish: Wish, receiver: str, *, count: int) -> None:
    if wish.yes:
        return
    answer = wish.ask(f"Send {count} prompts of the kit, of up to 10 KB each, to {plain(receiver)}?")
    if answer is None:
        raise TrustError(
            f"nobody agreed that {plain(receiver)} receives the kit's prompts; nothing was sent",
            hint="run it in a terminal, which asks, or add --yes",
        )
    if not answer:
        raise TrustError("you said no; nothing was sent")


def _agree_to_disclosure(world: World, wish: Wish, receiver: str) -> None:
    """A manifest that is not installed: a yes to what it discloses, on a terminal or by its token."""
    path = os.path.abspath(wish.what)  # noqa: PTH100
    disclosure = installing.disclosures_of(world, path, installing.QUIET)[-1].disclosure
    answer = None
    if wish.token is None:
        answer = wish.show(to_text(disclosure), f"Run it, and send the kit's prompts to {plain(receiver)}?")
    agree(disclosure, token=wish.token, answer=answer)


def _installed_program(world: World, subject: Subject, invoke: SpawnInvoke) -> Path:
    found = find_program(world, invoke.binary)
    if found is None:
        raise InputError(f"{invoke.binary} was not found on PATH", hint=subject.lane.install_hint)
    return found


def _host(world: World, subject: Subject, invoke: HttpInvoke) -> str:
    """The destination that the user's configuration gives, judged as a review judges it. Raises TrustError."""
    entry = world.registry.lane(subject.lane.slug)
    if entry is not None and subject.source != "manifest":
        judged = let_through(world, entry)
        if isinstance(judged, NotPlanned):
            raise TrustError(f"{subject.lane.slug}: {judged.detail}", hint=judged.hint)
    target = http_target(subject.lane, invoke, world.config)
    if isinstance(target, NotPlanned):
        raise InputError(f"{subject.lane.slug}: {target.detail}", hint=target.hint)
    return target.host
