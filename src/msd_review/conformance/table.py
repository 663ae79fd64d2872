"""The checks of the kit, in the order of the card, and what can be asked of it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msd_review.conformance import (
    checks_answer,
    checks_http,
    checks_plan,
    checks_process,
    checks_prompt,
    checks_tree,
)
from msd_review.conformance.bench import Bench
from msd_review.conformance.model import Driver, Seen
from msd_review.conformance.subject import Subject
from msd_review.errors import UsageError

Look = Callable[[Bench], Awaitable[Seen]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is asked of the kit. `only` are names of checks, all where there are none; `program` is driven, if any."""

    subject: Subject
    driver: Driver = "stand-in"
    program: Path | None = None
    only: tuple[str, ...] = ()
    host: str | None = None  # the real server of an http lane, where that is driven
    settings: Mapping[str, Any] = field(
        default_factory=dict
    )  # of the user's configuration, for their own tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of the table: its name on the command line, what it asks, and how that is found out."""

    id: str
    title: str
    look: Look
    is_costly: bool = False  # a large prompt, which a real service would be paid for
    sends: bool = True  # whether a real tool or server receives a prompt in it


SPAWN: Sequence[Check] = (
    Check(id="plan", title="the exact invocation can be planned", look=checks_plan.plan, sends=False),
    Check(id="probe", title="the probe finds the tool", look=checks_plan.found, sends=False),
    Check(id="answer", title="the review comes through the declared channel", look=checks_answer.answer),
    Check(id="prompt-10kb", title="a prompt of 10 KB arrives whole", look=checks_prompt.prompt_10kb),
    Check(
        id="prompt-200kb",
        title="a prompt of 200 KB arrives whole",
        look=checks_prompt.prompt_200kb,
        is_costly=True,
    ),
    Check(
        id="prompt-2mb", title="a prompt of 2 MB arrives whole", look=checks_prompt.prompt_2mb, is_costly=True
    ),
    Check(id="unicode", title="scripts, combining and control characters arrive", look=checks_prompt.unicode),
    Check(id="mentions", title="@path in a plan is written apart", look=checks_prompt.mentions, sends=False),
    Check(
        id="mentions-tool", title="the tool does not expand @path itself", look=checks_prompt.mentions_tool
    ),
    Check(id="model", title="a chosen model reaches the tool", look=checks_answer.model, sends=False),
    Check(id="effort", title="a chosen effort reaches the tool", look=checks_answer.effort, sends=False),
    Check(
        id="budget",
        title="a prompt over its budget is refused clearly",
        look=checks_answer.budget,
        sends=False,
    ),
    Check(
        id="empty-answer", title="an empty answer is a failure", look=checks_answer.empty_answer, sends=False
    ),
    Check(
        id="error-at-exit-0",
        title="an error on stdout at exit 0 is a failure",
        look=checks_answer.error_at_exit_0,
        sends=False,
    ),
    Check(
        id="error-at-exit-1",
        title="a bad exit status is told with its reason",
        look=checks_answer.error_at_exit_1,
        sends=False,
    ),
    Check(id="flood", title="a flood of output is ended", look=checks_answer.flood, sends=False),
    Check(
        id="hang",
        title="a tool that hangs is ended with all it started",
        look=checks_process.hang,
        sends=False,
    ),
    Check(id="idle", title="a tool that falls silent is ended", look=checks_process.idle, sends=False),
    Check(id="interrupt", title="Ctrl-C leaves no process", look=checks_process.interrupted),
    Check(id="kill", title="a killed msd leaves no process", look=checks_process.killed),
    Check(
        id="leftovers", title="nothing of the tool is left when it ended", look=checks_process.leaves_nothing
    ),
    Check(
        id="repository-hooks",
        title="the repository's own hooks are not run",
        look=checks_tree.repository_runs_nothing,
    ),
    Check(
        id="agent-config",
        title="the repository does not configure the tool",
        look=checks_tree.agent_configuration,
    ),
    Check(id="edit", title="an edit does not go unseen", look=checks_tree.edits_are_seen),
)
HTTP: Sequence[Check] = (
    Check(id="plan", title="the exact request can be planned", look=checks_plan.plan, sends=False),
    Check(id="probe", title="the probe finds the server", look=checks_plan.found, sends=False),
    *(
        Check(
            id=one.id,
            title=one.title,
            look=one.look,
            is_costly=one.is_costly,
            sends=one.id in checks_http.REAL,
        )
        for one in checks_http.CHECKS
    ),
)


GATES = frozenset({"plan", "probe"})  # without them no other check says anything


def checks_for(transport: str) -> Sequence[Check]:
    """The table of checks for a transport, in the order of the card."""
    return SPAWN if transport == "spawn" else HTTP


def chosen_checks(transport: str, only: tuple[str, ...]) -> Sequence[Check]:
    """The checks to run. Raises UsageError for a name that no check of this transport bears."""
    known = checks_for(transport)
    unknown = [name for name in only if name not in {check.id for check in known}]
    if unknown:
        names = ", ".join(check.id for check in known)
        raise UsageError(f"no check of this lane is called {unknown[0]!r}", hint=f"the checks are: {names}")
    return [check for check in known if not only or check.id in only]


def prompts_sent(transport: str, only: tuple[str, ...]) -> int:
    """At most how many prompts a real tool or service is sent."""
    return sum(
        check.sends and (bool(only) or not check.is_costly) for check in chosen_checks(transport, only)
    )
