"""Before anything is sent: the batch judged, the folder claimed, the user's consents settled and their key at hand."""

import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from msd_review import __version__
from msd_review.app.choosing import receiver_text
from msd_review.app.world import World, load_world
from msd_review.edges import clock, files
from msd_review.errors import StoreError, UsageError
from msd_review.fleet import keys
from msd_review.fleet.batch import check_batch
from msd_review.fleet.consenting import NotGranted, lane_grant
from msd_review.fleet.continuing import batch_digest, check_same_batch, read_submitted
from msd_review.fleet.dispatch import Submission
from msd_review.fleet.model import FLEET_SCHEMA, FleetFolder
from msd_review.fleet.request import FleetRequest
from msd_review.trust import grants as trust_grants
from msd_review.trust import policy

AskPerson = Callable[[Sequence[str]], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """A run that may begin. `items` is how many the batch holds."""

    folder: FleetFolder
    submission: Submission
    items: int
    world: World
    is_continued: bool


def submit(request: FleetRequest, folder: FleetFolder, *, ask: AskPerson) -> Submitted:
    """Settles everything that can be wrong before a worker is asked. Raises MsdError."""
    facts = check_batch(request.batch, allow_file=request.allow_file)
    earlier = read_submitted(folder)
    if earlier is not None:
        check_same_batch(folder, earlier, request.batch)
    elif folder.journal.exists():
        raise StoreError(
            f"{folder.journal} is there without {folder.submitted.name}",
            hint="name another folder with --out",
        )
    world = _asked(load_world(folder.path), request, ask)
    fleet = str(earlier["fleet"]) if earlier is not None else _new_id()
    _record(request, folder, fleet, items=facts.items, earlier=earlier)
    submission = Submission(
        fleet=fleet,
        key=keys.signing_key(world.home),
        granted={
            slug: lane_grant(world, slug, answered=slug in request.lanes) for slug in world.registry.slugs
        },
        providers={entry.slug: entry.lane.provider for entry in world.registry.lanes},
        fail_on=request.fail_on or world.config.get("review.fail_on").value,
        allow_secrets=request.allow_secrets,
    )
    return Submitted(
        folder=folder, submission=submission, items=facts.items, world=world, is_continued=earlier is not None
    )


def _new_id() -> str:
    return f"{clock.now().astimezone(UTC):%Y%m%dt%H%M%Sz}-{secrets.token_hex(4)}"


def _asked(world: World, request: FleetRequest, ask: AskPerson) -> World:
    """The world once a person was asked about lanes that nobody answered for. Raises UsageError for unknown names."""
    for slug in request.lanes:
        if world.registry.lane(slug) is None and world.registry.inactive_lane(slug) is None:
            raise UsageError(f"no reviewer is called {slug!r}", hint="`msd lane list` shows every reviewer")
    if request.lanes:
        return world
    open_questions = [
        entry
        for entry in world.registry.lanes
        if isinstance(lane_grant(world, entry.slug, answered=False), NotGranted)
        and policy.needs_answer(entry.lane, first_party=entry.capability.source == "first-party")
        and world.consents.answer(entry.slug) is None
    ]
    answer = ask([receiver_text(entry) for entry in open_questions]) if open_questions else None
    if answer is None:
        return world
    trust_grants.record_answers(world.home, {entry.slug: answer for entry in open_questions})
    return load_world(world.root.required())


def _record(
    request: FleetRequest, folder: FleetFolder, fleet: str, *, items: int, earlier: dict[str, Any] | None
) -> None:
    digest, count = batch_digest(request.batch)
    record = {
        "schema": FLEET_SCHEMA,
        "fleet": fleet,
        "submitted_at": earlier["submitted_at"] if earlier is not None else clock.iso(clock.now()),
        "continued_at": clock.iso(clock.now()) if earlier is not None else None,
        "version": __version__,
        "batch": {"path": str(request.batch.absolute()), "sha256": digest, "bytes": count, "items": items},
        "scheduler": request.scheduler,
        "local_workers": request.local,
        "lanes": list(request.lanes),
        "fail_on": request.fail_on,
    }
    try:
        files.make_private(folder.path / "items")
        content = json.dumps(record, indent=2, ensure_ascii=False).encode("utf-8", "surrogateescape") + b"\n"
        files.write_atomic(folder.submitted, content, mode=0o600)
    except OSError as problem:
        raise StoreError(f"{folder.path} cannot be written: {problem.strerror or problem}") from None


def standing_lanes(submitted: Submitted, offered: Sequence[str], request: FleetRequest) -> tuple[str, ...]:
    """The lanes of an item that names none: those of the command line, the user's standing ones, else all offered
    that the user agreed to."""
    if request.lanes:
        return request.lanes
    configured = submitted.world.config.raw("review.default_reviewers")
    if isinstance(configured.value, list) and configured.value:
        return tuple(dict.fromkeys(one.lower() for one in configured.value if isinstance(one, str)))
    granted = submitted.submission.granted
    return tuple(slug for slug in offered if not isinstance(granted.get(slug), NotGranted))


def out_folder(path: Path) -> FleetFolder:
    """The folder of a run. Raises UsageError for one that cannot be."""
    folder = path.absolute()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {path}: not a folder")
    return FleetFolder(folder)
