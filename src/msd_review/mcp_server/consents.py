"""Who is blocked, and the exact command by which a person, never the agent, can change that."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msd_review.app import choosing
from msd_review.app.choosing import Choice
from msd_review.app.lane_list import LaneRow, list_lanes
from msd_review.app.world import World
from msd_review.lazy import regex
from msd_review.mcp_server.texts import line, line_or_none
from msd_review.report.model import Skipped

_COMMAND = regex(r"\bmsd (capability|config|doctor)\b.*")
_NOT_A_WORD = regex(r"[^a-z0-9]+")


def for_a_person(hint: str | None, root: Path) -> str | None:
    """The command in a hint, made to work from every folder; None where the hint holds none."""
    found = _COMMAND.search(hint or "")
    if found is None:
        return None
    try:
        words = shlex.split(found.group().removeprefix("msd "))
    except ValueError:
        return None
    # Joined anew, so that nothing in a hint means more to a shell than a word.
    return line(f"msd -C {shlex.quote(str(root))} {shlex.join(words)}")


def allow_tool(slug: str, root: Path) -> str:
    """The command that asks a person whether a tool of theirs may receive plans."""
    return f"msd -C {shlex.quote(str(root))} capability trust allow {shlex.quote(slug)}"


def own_slug(client: str, slugs: frozenset[str]) -> str | None:
    """The lane that is the client itself, by the name that it gave: `claude-code` is `claude`; None for a stranger."""
    words = [word for word in _NOT_A_WORD.split(client.lower()) if word]
    joined = ("-".join(words[:length]) for length in range(len(words), 0, -1))
    return next((slug for slug in joined if slug in slugs), None)


def standing_rows(world: World, client: str) -> list[dict[str, Any]]:
    """Every lane as an agent needs it. Starts nothing, connects to nothing."""
    root = world.root.required()
    you = own_slug(client, frozenset(world.registry.slugs))
    return [_row(world, row, root, is_you=row.slug == you) for row in list_lanes(world)]


def _row(world: World, row: LaneRow, root: Path, *, is_you: bool) -> dict[str, Any]:
    state, reason, detail, command = row.state, row.reason, row.detail, for_a_person(row.hint, root)
    entry = world.registry.lane(row.slug)
    if state == "ready" and entry is not None and not _is_agreed(world, row.slug):
        state, reason = "blocked", "not_consented"
        detail, command = _unanswered(world, row.slug), allow_tool(row.slug, root)
    return {
        "slug": row.slug,
        "section": line(row.section, 120),
        "provider": row.provider,
        "transport": row.transport,
        "source": row.source,
        "state": state,
        "reason": reason,
        "detail": line(detail),
        "hint": line_or_none(row.hint) if state != "blocked" else None,
        "command_for_a_person": command if state in {"blocked", "inactive"} else None,
        "is_you": is_you,
    }


def _is_agreed(world: World, slug: str) -> bool:
    entry = world.registry.lane(slug)
    return entry is None or choosing.has_agreed(world, entry)


def _unanswered(world: World, slug: str) -> str:
    entry = world.registry.lane(slug)
    who = choosing.receiver_text(entry) if entry is not None else slug
    if world.consents.answer(slug) is False:
        return f"the person said that {who} may not receive plans on this machine"
    return f"nobody was asked yet whether {who} may receive plans on this machine"


def blocked_row(world: World, identity: str, slug: str) -> dict[str, Any]:
    """A chosen reviewer that the person has not agreed to."""
    return {
        "reviewer": identity,
        "outcome": "blocked",
        "reason": "not_consented",
        "detail": line(_unanswered(world, slug)),
        "hint": None,
        "command_for_a_person": allow_tool(slug, world.root.required()),
    }


def left_out_row(
    skipped: Skipped | dict[str, Any], root: Path, known: Mapping[str, str | None]
) -> dict[str, Any]:
    """A reviewer that was left out, as the pipeline tells it; `known` are commands for some of them."""
    row = skipped if isinstance(skipped, dict) else _as_json(skipped)
    identity, reason, hint = line(row.get("identity"), 64), line(row.get("reason"), 64), row.get("hint")
    is_blocked = row.get("outcome") == "blocked"
    command = for_a_person(hint if isinstance(hint, str) else None, root) if is_blocked else None
    if is_blocked and command is None:
        command = known.get(identity) or allow_tool(identity, root)
    return {
        "reviewer": identity,
        "outcome": line(row.get("outcome"), 64),
        "reason": reason,
        "detail": line(row.get("detail")),
        "hint": None if is_blocked else line_or_none(hint),
        "command_for_a_person": command,
    }


def _as_json(skipped: Skipped) -> dict[str, Any]:
    return {
        "identity": skipped.identity,
        "outcome": skipped.outcome,
        "reason": skipped.reason,
        "detail": skipped.detail,
        "hint": skipped.hint,
    }


def unagreed(world: World, choice: Choice) -> list[tuple[str, str]]:
    """(identity, slug) of each chosen reviewer that the person has not agreed to."""
    found = []
    for reviewer in choice.selection.reviewers:
        entry = world.registry.lane(reviewer.slug)
        if entry is not None and not choosing.may_receive(world, choice, entry):
            found.append((reviewer.identity, reviewer.slug))
    return found
