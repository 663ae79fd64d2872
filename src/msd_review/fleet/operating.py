"""`msd fleet worker` and `msd fleet scheduler`, whole: what is needed settled first, then served until told to stop."""

import asyncio
import platform
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from msd_review.app.world import load_world
from msd_review.config.roots import user_folder
from msd_review.errors import UsageError
from msd_review.fleet import keys, places
from msd_review.fleet.desk import DeskPlace
from msd_review.fleet.offers import Capacity, find_standings
from msd_review.fleet.security import Tls
from msd_review.fleet.serving import WorkerPlan, serve_scheduler, serve_worker, stop_on_signals
from msd_review.run import sweep

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerOptions:
    """What `msd fleet worker` was told; `scheduler` is a checked address, `accept` keys and files of keys."""

    scheduler: str
    tls: Tls | None
    accept: Sequence[str]
    name: str | None = None
    capacity: Capacity = field(default_factory=Capacity)
    reconnect_s: float = 600.0
    memory_bytes: int = 2 * 1024**3
    allow_file: bool = False


def run_worker(options: WorkerOptions, *, tell: Tell) -> None:
    """Serves as a worker until INT or TERM. Raises MsdError where it cannot."""
    accepted = keys.accepted_keys(options.accept) or own_key()
    state = places.fleet_state()
    with places.claimed(state, options.name or _host_name()) as (name, folder):
        runs = state / "runs"
        sweep.sweep_crashed(runs)
        world = load_world(folder)
        _check_limits(options.capacity, world.registry.slugs)
        standings = find_standings(world)
        ready = [slug for slug, one in standings.items() if one["ready"]]
        tell(f"{name} offers {', '.join(ready) or 'no reviewer'}")
        place = DeskPlace(
            folder=folder,
            runs=runs,
            accepted=accepted,
            jobs=options.capacity.jobs,
            allow_file=options.allow_file,
        )
        plan = WorkerPlan(
            scheduler=options.scheduler,
            name=name,
            place=place,
            capacity=options.capacity,
            standings=standings,
            tls=options.tls,
            reconnect_s=options.reconnect_s,
            memory_bytes=options.memory_bytes,
        )
        asyncio.run(_until_stopped(lambda stop: serve_worker(plan, stop, tell=tell)))


def run_scheduler(address: str, tls: Tls | None, *, tell: Tell) -> None:
    """Serves as a scheduler until INT or TERM. Raises UsageError where it cannot."""
    asyncio.run(_until_stopped(lambda stop: serve_scheduler(address, tls, stop, tell=tell)))


def own_key() -> tuple[str, ...]:
    """This user's own public key: whose consent counts where nobody else is named."""
    return (keys.public_text(keys.signing_key(user_folder())),)


async def _until_stopped(serve: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    stop = asyncio.Event()
    stop_on_signals(stop)
    await serve(stop)


def _host_name() -> str:
    kept = "".join(char for char in platform.node() if char.isascii() and (char.isalnum() or char in "._-"))
    return kept.strip("._-")[:60] or "worker"


def _check_limits(capacity: Capacity, slugs: Sequence[str]) -> None:
    unknown = sorted(set(capacity.limits) - set(slugs))
    if unknown:
        raise UsageError(f"--limit names {unknown[0]!r}, which is no reviewer of this machine")
