"""From the chosen reviewers to approved invocations, each with its prompt and its place."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from msd_review import handlers
from msd_review.app import approving, choosing
from msd_review.app.request import ReviewRequest
from msd_review.app.workplaces import Workplace, places, workplace
from msd_review.app.world import World
from msd_review.edges import environ
from msd_review.edges.capture import capture
from msd_review.edges.proxies import proxy_for
from msd_review.errors import InputError
from msd_review.invocation import HttpInvocation, Invocation, NotPlanned, SpawnInvocation
from msd_review.manifest.model import Lane
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.planning import Ask, Overrides, plan, resolve_budget
from msd_review.prompt.budget import assemble, describe_trim
from msd_review.prompt.model import BudgetTooSmall, Prompt, ReviewSubject
from msd_review.prompt.sections import estimate_tokens
from msd_review.report.model import Skipped
from msd_review.selection import Reviewer, Selection
from msd_review.trust.policy import Approved, ApprovedSpawn

HELP_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What would run. `prompts` maps each prompt file to its text; the rest is by identity."""

    approved: tuple[Approved, ...]
    skipped: tuple[Skipped, ...]
    prompts: Mapping[Path, str]
    trims: Mapping[str, str]
    workplaces: Mapping[str, Workplace]
    marks: Mapping[str, tuple[Mark, ...]]
    warnings: tuple[str, ...]
    plans: tuple[Path, ...] = ()  # files that a copy must hold, ignored by git or not


@dataclass(slots=True)
class _Found:
    approved: list[Approved]
    skipped: list[Skipped]
    prompts: dict[Path, str]
    trims: dict[str, str]
    workplaces: dict[str, Workplace]
    warnings: list[str]
    may_start: bool = True  # whether a tool may be asked for its `--help`


class Prompts(Protocol):
    """The prompts of a run. `too_large` is the reason of a reviewer whose budget no prompt fits."""

    too_large: Reason

    def get(self, budget: int | None, at: Workplace) -> tuple[str, Prompt | BudgetTooSmall]:
        """The prompt's file name and the prompt, for a budget in tokens and a place to work."""


class _PlanPrompts:
    """One prompt for each budget, however many reviewers share it."""

    too_large = Reason.BUDGET_TOO_SMALL

    def __init__(self, subject: ReviewSubject) -> None:
        self.subject = subject
        self.by_budget: dict[int | None, Prompt | BudgetTooSmall] = {}

    def get(self, budget: int | None, at: Workplace) -> tuple[str, Prompt | BudgetTooSmall]:
        if budget not in self.by_budget:
            self.by_budget[budget] = assemble(self.subject, budget=budget)
        return f"prompt-{list(self.by_budget).index(budget) + 1}.md", self.by_budget[budget]


def prepare(
    world: World,
    request: ReviewRequest,
    subject: ReviewSubject,
    choice: choosing.Choice,
    *,
    folder: Path,
    may_start: bool = True,
    prompts: Prompts | None = None,
) -> Prepared:
    """Plans and approves every chosen reviewer, on `prompts` (those of the subject's plans where there are none).

    Raises UsageError for an option that a lane cannot take.
    """
    prompts = prompts or _PlanPrompts(subject)
    found = _Found([], [], {}, {}, {}, [], may_start=may_start)
    for reviewer in choice.selection.reviewers:
        entry = world.registry.lane(reviewer.slug)
        if entry is None:
            raise RuntimeError(f"the selection chose {reviewer.slug}, which is no lane")
        at = workplace(reviewer, entry.lane, request, root=subject.root, run_folder=folder)
        name, prompt = prompts.get(resolve_budget(entry.lane, world.config), at)
        if isinstance(prompt, BudgetTooSmall):
            found.skipped.append(
                _too_small(reviewer, prompt, section=entry.section, reason=prompts.too_large)
            )
            continue
        planned = plan(
            Ask(
                reviewer=reviewer,
                lane=entry.lane,
                config=world.config,
                overrides=request.overrides,
                places=places(
                    reviewer,
                    entry.lane,
                    at,
                    run_folder=folder,
                    root=subject.root,
                    prompt_name=name,
                    prompt_text=prompt.text,
                ),
            )
        )
        _take(found, world, choice, planned, prompt=prompt, at=at)
    return replace(_prepared(world, found), plans=tuple(plan.path for plan in subject.plans))


def plan_one(
    world: World, reviewer: Reviewer, prompt: str, overrides: Overrides, *, at: Workplace, folder: Path
) -> Prepared:
    """Plans and approves one reviewer, who was named, on a prompt as it stands."""
    entry = world.registry.lane(reviewer.slug)
    if entry is None:
        raise RuntimeError(f"{reviewer.slug} is no lane")
    whole = Prompt(text=prompt, sections=(), tokens=estimate_tokens(prompt), budget=None, trimmed=False)
    found = _Found([], [], {}, {}, {}, [])
    selection = Selection(source="explicit", reviewers=(reviewer,))
    choice = choosing.Choice(selection=selection, skipped=(), config_origin="")
    root = world.root.required()
    planned = plan(
        Ask(
            reviewer=reviewer,
            lane=entry.lane,
            config=world.config,
            overrides=overrides,
            places=places(
                reviewer,
                entry.lane,
                at,
                run_folder=folder,
                root=root,
                prompt_name="prompt-1.md",
                prompt_text=prompt,
            ),
        )
    )
    _take(found, world, choice, planned, prompt=whole, at=at)
    return _prepared(world, found)


def _prepared(world: World, found: _Found) -> Prepared:
    own = choosing.own_lanes(entry.lane for entry in world.registry.lanes)
    return Prepared(
        approved=tuple(found.approved),
        skipped=tuple(found.skipped),
        prompts=found.prompts,
        trims=found.trims,
        workplaces=found.workplaces,
        marks={one.invocation.identity: _marks(one.invocation.lane, own) for one in found.approved},
        warnings=tuple(found.warnings),
    )


def _marks(lane: Lane, own: frozenset[str]) -> tuple[Mark, ...]:
    return (Mark.SELF_REVIEW,) if lane.slug in own else ()


def _too_small(reviewer: Reviewer, prompt: BudgetTooSmall, *, section: str, reason: Reason) -> Skipped:
    return Skipped(
        identity=reviewer.identity,
        outcome=Outcome.UNAVAILABLE.value,
        reason=reason.value,
        detail=prompt.detail,
        hint="raise its budget: review.max_prompt_tokens_per_reviewer, or review.max_prompt_tokens",
        named=reviewer.named,
        section=section,
    )


def _take(
    found: _Found,
    world: World,
    choice: choosing.Choice,
    planned: Invocation | NotPlanned,
    *,
    prompt: Prompt,
    at: Workplace,
) -> None:
    if isinstance(planned, NotPlanned):
        found.skipped.append(choosing.refusal_row(planned))
        return
    entry = world.registry.lane(planned.lane.slug)
    if entry is None:
        raise RuntimeError(f"{planned.lane.slug} is planned and no lane")
    if isinstance(planned, HttpInvocation):
        # Settled here, once: the proxy that is shown, judged and used is one value.
        planned = replace(planned, proxy=proxy_for(planned.url, environ.snapshot()))
    answered = choosing.may_receive(world, choice, entry)
    judged = approving.approve(world, entry, planned, answered=answered)
    if isinstance(judged, ApprovedSpawn) and found.may_start:
        fitted = _fitted(judged, root=world.root.required())
        judged = approving.approve(world, entry, fitted, answered=answered)
    if isinstance(judged, NotPlanned):
        found.skipped.append(choosing.refusal_row(judged))
        return
    invocation = judged.invocation
    found.approved.append(judged)
    found.prompts[invocation.prompt_path] = prompt.text
    found.workplaces[invocation.identity] = at
    found.warnings.extend(f"{invocation.identity}: {notice}" for notice in invocation.notices)
    trim = describe_trim(prompt)
    if trim is not None:
        found.trims[invocation.identity] = trim


def _fitted(approved: ApprovedSpawn, *, root: Path) -> SpawnInvocation:
    """The invocation with the arguments that only this machine's version of the tool can tell."""
    invocation = approved.invocation
    handler = invocation.lane.handler
    help_text = ""
    if handlers.wants_help(handler):
        help_text = asyncio.run(_help(approved, root))
    argv = handlers.start_argv(handler, invocation.argv, repo=invocation.working_folder, help_text=help_text)
    return invocation if argv == invocation.argv else replace(invocation, argv=argv)


async def _help(approved: ApprovedSpawn, cwd: Path) -> str:
    captured = await capture(
        [str(approved.binary), "--help"],
        env=environ.snapshot(),
        cwd=cwd,
        timeout_s=handlers.HELP_TIMEOUT_S,
        limit_bytes=HELP_BYTES,
    )
    return (captured.stdout + b"\n" + captured.stderr).decode("utf-8", "replace")


def write_prompts(prompts: Mapping[Path, str]) -> None:
    """Puts every prompt where its lane reads it. Raises InputError where that is impossible."""
    for path, text in prompts.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            path.write_bytes(text.encode("utf-8", "replace"))
            path.chmod(0o600)
        except OSError as problem:
            raise InputError(
                f"the prompt cannot be written to {path}: {problem.strerror or problem}"
            ) from None
