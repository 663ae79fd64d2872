"""What surrounds a review: the secret scan before it, dismissals and plan changes beside it, old runs after it."""

import contextlib
import json
import secrets as token_source
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from msd_review.app.world import World
from msd_review.consensus.model import PlanChange
from msd_review.edges import clock, files
from msd_review.errors import SecretFound, StoreError
from msd_review.grounding.git import head_commit
from msd_review.grounding.index import Tree
from msd_review.prompt.budget import assemble
from msd_review.prompt.model import Prompt, ReviewSubject
from msd_review.report.history import History
from msd_review.run import store
from msd_review.run.secrets import find_secrets
from msd_review.run.store import RunInfo

KEEP_DAYS = 90
_KEY_NAME = "secret-fingerprints.key"
_PLANS_NAME = "plans.json"
_MAX_PLANS_BYTES = 64 * 1024 * 1024


def fingerprint_key(home: Path) -> bytes:
    """The key of this user's secret fingerprints, made when first needed. Raises StoreError."""
    path = home / _KEY_NAME
    try:
        return files.read_bounded(path, 64)
    except FileNotFoundError:
        pass
    except OSError as problem:
        raise StoreError(f"{path}: cannot be read: {problem.strerror or problem}") from None
    try:
        files.make_private(home)
        files.write_atomic(path, token_source.token_bytes(32), mode=0o600)
        return files.read_bounded(path, 64)
    except OSError as problem:
        raise StoreError(f"{path}: cannot be written: {problem.strerror or problem}") from None


def check_secrets(world: World, subject: ReviewSubject, allowed: Sequence[str]) -> None:
    """Raises SecretFound when what would be sent holds a key or token that was not allowed; nothing was sent."""
    prompt = assemble(subject, budget=None)
    if isinstance(prompt, Prompt):
        check_prompt(world, prompt, allowed)


def check_prompt(world: World, prompt: Prompt, allowed: Sequence[str]) -> None:
    """The same for a prompt as it would be sent."""
    found = [
        one
        for one in find_secrets(prompt.sections, key=fingerprint_key(world.home))
        if one.fingerprint not in allowed
    ]
    if not found:
        return
    places = "; ".join(f"{one.section}:{one.line} ({one.kind}, {one.fingerprint})" for one in found[:10])
    more = f" and {len(found) - 10} more" if len(found) > 10 else ""
    first = found[0].fingerprint
    raise SecretFound(
        f"what would be sent holds {'a secret' if len(found) == 1 else f'{len(found)} secrets'}: {places}{more}; nothing was sent",
        hint=f"take it out, or send it all the same with --allow-secret {first}",
    )


def remember_plans(info: RunInfo, subject: ReviewSubject) -> None:
    """Keeps the plans as they were reviewed, so that the next cycle can tell what changed. Raises StoreError."""
    texts = {plan.name: plan.text for plan in subject.plans}
    try:
        content = json.dumps(texts, ensure_ascii=True).encode()
        files.write_atomic(info.folder / _PLANS_NAME, content, mode=0o600)
    except OSError as problem:
        raise StoreError(f"{info.folder} cannot be written: {problem.strerror or problem}") from None


def plan_changes(info: RunInfo, subject: ReviewSubject, history: History) -> tuple[PlanChange, ...]:
    """What changed in each plan since the run of the last cycle; nothing where that run is gone.

    The reviewers have delivered by now: that the plans cannot be remembered for the next cycle costs nothing more.
    """
    with contextlib.suppress(StoreError):
        remember_plans(info, subject)
    if not history.run or not store.is_run_id(history.run):
        return ()
    try:
        raw = files.read_bounded(info.folder.parent / history.run / _PLANS_NAME, _MAX_PLANS_BYTES)
        before = json.loads(raw)
    except (OSError, ValueError, RecursionError):
        return ()
    if not isinstance(before, dict):
        return ()
    return tuple(
        PlanChange(plan=plan.name, before=str(before.get(plan.name, "")), after=plan.text)
        for plan in subject.plans
        if before.get(plan.name) != plan.text
    )


def commit_of(tree: Tree) -> str | None:
    """The commit that citations were checked against, None without git."""
    return head_commit(tree.root)


def clean_old_runs(runs: Path, *, keep: int) -> None:
    """Removes runs beyond the newest `keep` and older than 90 days; never the newest of a plan."""
    store.clean(runs, keep=keep, max_age=timedelta(days=KEEP_DAYS), now=clock.now())
