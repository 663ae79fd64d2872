"""Trust's last words before a lane is contacted: a destination asked about once, an installed capability hashed anew."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from msd_review.app.approving import let_through
from msd_review.app.world import World
from msd_review.edges import environ
from msd_review.edges.proxies import proxy_for, without_user
from msd_review.invocation import HttpInvocation, NotPlanned
from msd_review.lane_shape import http_target
from msd_review.manifest.model import HttpInvoke
from msd_review.outcomes import Outcome, Reason
from msd_review.registry import Overlay, RosterLane
from msd_review.trust import destinations, grants, store
from msd_review.trust.activity import judge_overlay
from msd_review.trust.consent import Consents
from msd_review.trust.visible import plain

AskYesOrNo = Callable[[str], bool | None]


def nobody(_question: str) -> bool | None:
    """Where no person can be asked."""
    return None


def ask_destinations(world: World, slugs: Iterable[str], ask: AskYesOrNo) -> World:
    """Asks once about each destination that a chosen server would have and that was never agreed to.

    Returns the world with the answers, which are kept, a no as well. One that changed since it was agreed to is
    never asked about: it stays blocked.
    """
    for entry in filter(None, map(world.registry.lane, slugs)):
        target = _never_seen(world, entry)
        if target is None or world.consents.refused(entry.slug, target.host):
            continue
        answer = ask(_question(entry, target))
        if answer is None:
            return world
        world = replace(world, consents=_keep(world, entry, target, allowed=answer))
    return world


def _never_seen(world: World, entry: RosterLane) -> HttpInvocation | None:
    lane = entry.lane
    judged = let_through(world, entry)
    if not isinstance(judged, NotPlanned) or judged.reason is not Reason.NOT_CONSENTED:
        return None
    if not isinstance(lane.invoke, HttpInvoke):
        return None
    target = http_target(lane, lane.invoke, world.config)
    return None if isinstance(target, NotPlanned) else target


def _question(entry: RosterLane, target: HttpInvocation) -> str:
    proxy = proxy_for(target.url, environ.snapshot())
    return "".join(_words(entry, target, None if proxy is None else without_user(proxy)))


def _words(entry: RosterLane, target: HttpInvocation, proxy: str | None) -> Iterator[str]:
    yield f"{plain(entry.section)} would receive plans, requirements, research and context at {plain(target.host)}"
    if destinations.is_local(target.host):
        yield " [local]"
    if proxy is not None:
        yield f" through the proxy {plain(proxy)}"
    yield f", as {target.host_config_key} says ({target.host_origin}). Allow this destination?"


def _keep(world: World, entry: RosterLane, target: HttpInvocation, *, allowed: bool) -> Consents:
    if not allowed:
        return grants.refuse_host(world.home, slug=entry.slug, url=target.host)
    grants.allow_host(world.home, slug=entry.slug, capability=entry.capability.id, url=target.host)
    return store.load(world.home)


def changed_since(world: World, entry: RosterLane, *, identity: str | None = None) -> NotPlanned | None:
    """What stands against an installed capability's lane when its files are read whole and hashed now.

    None for what ships with msd, and where the files are those that were agreed to. Asked right before a lane is
    probed, and again right before it runs.
    """
    capability = entry.capability
    if capability.source == "first-party":
        return None
    overlay = Overlay(
        id=capability.id,
        scope=capability.source,
        folder=capability.folder,
        raw=capability.raw,
        manifest=capability.decoded,
    )
    state = judge_overlay(overlay, world.consents, project_scope=world.scope())
    if state is None:
        return None
    return NotPlanned(
        identity=identity or entry.slug,
        lane=entry.lane,
        outcome=Outcome.BLOCKED,
        reason=Reason.NOT_CONSENTED,
        detail=f"the capability {capability.label} is not active: {state.detail}",
        hint=state.hint,
    )
