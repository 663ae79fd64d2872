"""What each tool does: checked arguments in, a document out. Blocking; the server runs it beside its own work."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msd_review.app import dismissing
from msd_review.app.world import World
from msd_review.errors import InputError
from msd_review.mcp_server import arguments, consents, documents, reading, starting, status
from msd_review.mcp_server.places import Project
from msd_review.mcp_server.texts import line
from msd_review.mcp_server.tool_names import DISMISSED, REVIEWERS
from msd_review.mcp_server.views import find_view
from msd_review.report.text import visible

_LONGEST_REASON = 2_000


def call(project: Project, tool: str, given: Mapping[str, Any], *, client: str) -> dict[str, Any]:
    """The tool's document. Raises MsdError for everything that an agent or a person can mend."""
    match tool:
        case "list_reviewers":
            return _list_reviewers(project, client)
        case "start_review" | "start_code_review":
            return starting.start(project, tool, given, client=client)
        case "review_status":
            return status.status(project, given.get("run"))
        case "get_review":
            return reading.review(project, arguments.asked_findings(given))
        case "dismiss_finding":
            return _dismiss(project, given["id"], given["because"], client=client)
        case "cancel_review":
            return status.cancel(project, given["run"])
        case _:
            raise RuntimeError(f"{tool} is no tool")


def _list_reviewers(project: Project, client: str) -> dict[str, Any]:
    world = project.world()
    return {
        "schema": REVIEWERS,
        "root": str(project.required()),
        "you": consents.own_slug(client, frozenset(world.registry.slugs)),
        "reviewers": consents.standing_rows(world, client),
        "warnings": [line(text) for text in world.warnings()][:20],
    }


def _dismiss(project: Project, identity: str, because: str, *, client: str) -> dict[str, Any]:
    world, root = project.world(), project.required()
    reason = " ".join(visible(because).split())[:_LONGEST_REASON]
    if not reason:
        raise InputError("a dismissal needs a reason", hint="say in `because` why it is no concern")
    # Who set it aside is part of the reason: people read it in every later review.
    done = _dismissed(
        world, root, identity, f"{reason} (by {line(client, 60) or 'an agent'}, through msd mcp)"
    )
    return {
        "schema": DISMISSED,
        "id": done.id,
        "title": line(done.title, 300),
        "kept_in": _in_project(done.path, root),
        "next": f"a person takes it back with `msd finding restore {done.id}`",
    }


def _dismissed(world: World, root: Path, identity: str, because: str) -> dismissing.Dismissed:
    """Of a concern, or of the concern that a finding of the newest run belongs to."""
    if identity.startswith("C-"):
        return dismissing.dismiss(world, identity, because)
    document = documents.document_of(find_view(root, None), root) or {}
    for row in documents.rows(document, "clusters"):
        if identity in documents.names(row.get("findings")):
            return dismissing.dismiss(world, str(row.get("id")), because)
    raise InputError(
        f"no concern of the newest review has the finding {identity!r}",
        hint="get_review shows each finding's concern (C-…)",
    )


def _in_project(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
