"""Starts a review: everything that can be said at once is said at once, the rest is a process of its own.

Nothing is probed, sent or run here. The process is handed a folder, not a command line, so that no argument of an
agent can become an option of ours.
"""

import contextlib
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from msd_review.app import choosing, naming
from msd_review.app.caller import check_caller
from msd_review.app.choosing import Choice
from msd_review.app.request import ReviewRequest
from msd_review.app.review import choose_subject
from msd_review.app.world import World
from msd_review.edges import clock, environ, files, lock, process_table
from msd_review.edges.detached import start_detached
from msd_review.errors import MsdError
from msd_review.mcp_server import arguments, consents, kept
from msd_review.mcp_server.kept import Start
from msd_review.mcp_server.places import Project
from msd_review.mcp_server.refusal import Refused
from msd_review.mcp_server.requests import code_review_request, review_request
from msd_review.mcp_server.views import project_runs
from msd_review.run import store

SCHEMA = "msd.mcp-started/1"
MOST_RUNNING = 8  # runs of one project at the same time
_LOCK, _LOCK_WAIT_S = ".mcp-start.lock", 20.0
_CHOICE = frozenset({"blocked", "skipped"})


def start(project: Project, tool: str, given: Mapping[str, Any], *, client: str) -> dict[str, Any]:
    """Begins a run and returns the `msd.mcp-started/1` document. Raises MsdError where nothing was begun."""
    check_caller()
    root, world = project.required(), project.world()
    given, own = _without_yourself(world, given, client)
    request = _request(root, tool, given)
    title = _check(world, request, tool)
    choice = choosing.choose(world, request, probe=False)
    rows = [*own, *_left_out(world, choice)]
    starting = _who_starts(world, choice)
    if not starting:
        raise _nobody(rows)
    runs = store.runs_folder()
    record = Start(
        tool=tool,
        root=str(root),
        arguments=given,
        started_at=clock.iso(clock.now()),
        client=client,
        left_out=tuple(rows),
    )
    with _one_start_at_a_time(runs):
        _check_number(runs, root)
        run_id = _begin(runs, record, home=world.home)
    return {
        "schema": SCHEMA,
        "run": run_id,
        "command": record.command,
        "title": title,
        "reviewers": starting,
        "left_out": rows,
        "next": f"call review_status with run {run_id} and wait_seconds 45 until it is over, then get_review",
    }


def _without_yourself(
    world: World, given: Mapping[str, Any], client: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The arguments with the client's own tool left out, unless it was named, and the row that says so."""
    slug = consents.own_slug(client, frozenset(world.registry.slugs))
    settled = {name.lower() for name in (*given.get("reviewers", ()), *given.get("exclude", ()))}
    if slug is None or slug in settled or given.get("reviewers"):
        return dict(given), []
    row = {
        "reviewer": slug,
        "outcome": "skipped",
        "reason": "self_skipped",
        "detail": "this is the tool that asked for the review; name it to run it all the same",
        "hint": None,
        "command_for_a_person": None,
    }
    return {**given, "exclude": [*given.get("exclude", ()), slug]}, [row]


def _request(root: Path, tool: str, given: Mapping[str, Any]) -> ReviewRequest:
    if tool == "start_review":
        return review_request(root, arguments.asked_review(given))
    return code_review_request(root, arguments.asked_code_review(given)).review


def _check(world: World, request: ReviewRequest, tool: str) -> str:
    """What is reviewed. Raises MsdError for what cannot be, as far as that is quick to see."""
    naming.check_configured(world)
    naming.check_asked(world, request)
    if tool != "start_review":
        return "the change"
    subject = choose_subject(world, request)
    root = world.root.required()
    for plan in subject.plans:
        if not plan.path.resolve().is_relative_to(root):
            raise Refused("outside_project", f"{plan.name} leads out of the project {root}")
    return subject.title


def _left_out(world: World, choice: Choice) -> list[dict[str, Any]]:
    """Those that a person must hear of: blocked, left out by choice, or named and not there."""
    root = world.root.required()
    shown = [one for one in choice.skipped if one.named or one.outcome in _CHOICE]
    rows = [consents.left_out_row(one, root, {}) for one in shown]
    return [*rows, *(consents.blocked_row(world, *one) for one in consents.unagreed(world, choice))]


def _who_starts(world: World, choice: Choice) -> list[str]:
    blocked = {identity for identity, _ in consents.unagreed(world, choice)}
    return [one.identity for one in choice.selection.reviewers if one.identity not in blocked]


def _nobody(rows: list[dict[str, Any]]) -> Refused:
    commands = tuple(row["command_for_a_person"] for row in rows if row["command_for_a_person"])
    why = "; ".join(f"{row['reviewer']}: {row['detail']}" for row in rows)
    if commands:
        hint = "ask the person to run the commands in a terminal; you cannot agree for them"
        return Refused("blocked", f"nothing was started: {why}", hint=hint, commands=commands)
    hint = "list_reviewers shows who can run; grounding always can"
    return Refused("nobody_can_run", f"nothing was started: {why or 'no reviewer can run here'}", hint=hint)


@contextlib.contextmanager
def _one_start_at_a_time(runs: Path) -> Iterator[None]:
    """Between counting what runs and the record of one more nobody else counts, in this server or another."""
    try:
        files.make_private(runs.parent)
        with lock.exclusive(runs.parent / _LOCK, wait_s=_LOCK_WAIT_S):
            yield
    except lock.LockBusy:
        raise Refused(
            "too_many_runs", "many reviews are being started at once", hint="try again in a minute"
        ) from None
    except OSError as problem:
        raise Refused("not_started", f"{runs.parent} cannot be used: {problem.strerror or problem}") from None


def _check_number(runs: Path, root: Path) -> None:
    running = [view for view in project_runs(runs, root) if not view.is_over]
    if len(running) >= MOST_RUNNING:
        raise Refused(
            "too_many_runs",
            f"{len(running)} reviews of this project are going on, which is the most at a time",
            hint="wait for one with review_status, or end one with cancel_review",
        )


def _begin(runs: Path, record: Start, *, home: Path) -> str:
    folder = store.reserve_run(runs)
    try:
        kept.write_start(folder, record)
        pid = start_detached(
            [sys.executable, "-P", "-m", "msd_review", "mcp", "--run", folder.name],
            env=_environment(runs, home),
            cwd=Path(record.root),
            stdout_path=folder / kept.STDOUT,
            stderr_path=folder / kept.STDERR,
        )
    except (OSError, MsdError) as problem:
        shutil.rmtree(folder, ignore_errors=True)
        raise Refused("not_started", f"the review could not be started: {problem}") from None
    with contextlib.suppress(MsdError):  # it runs; only how it came to nothing could not be told
        _write_process(folder, record, pid)
    return folder.name


def _write_process(folder: Path, record: Start, pid: int) -> None:
    kept.write_start(
        folder,
        Start(
            tool=record.tool,
            root=record.root,
            arguments=record.arguments,
            started_at=record.started_at,
            client=record.client,
            left_out=record.left_out,
            process=process_table.identify(pid),
        ),
    )


def _environment(runs: Path, home: Path) -> dict[str, str]:
    """Ours, with the folders that may be relative to where we run made absolute."""
    return {
        **environ.snapshot(),
        "MSD_STATE_DIR": str(runs.parent),
        "MSD_HOME": str(home.absolute()),
    }
