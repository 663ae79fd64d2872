"""The prompt of a review, for looking at."""

from pathlib import Path
from typing import Any

from msd_review.app.request import ReviewRequest
from msd_review.app.review import choose_subject
from msd_review.app.world import World
from msd_review.errors import InputError
from msd_review.prompt.budget import assemble, trim_data
from msd_review.prompt.model import BudgetTooSmall


def prompt_json(
    world: World, *, plans: tuple[Path, ...], phase: str | None, budget: int | None
) -> dict[str, Any]:
    """The `msd.prompt/1` document, and `warnings` beside it. Raises InputError when nothing fits the budget."""
    subject = choose_subject(world, ReviewRequest(plans=plans, phase=phase))
    asked = budget if budget is not None else int(world.config.number("review.max_prompt_tokens"))
    prompt = assemble(subject, budget=asked if asked > 0 else None)
    if isinstance(prompt, BudgetTooSmall):
        raise InputError(prompt.detail, hint="give it a larger --budget")
    return {
        "schema": "msd.prompt/1",
        "prompt": prompt.text,
        "sections": [
            {"name": s.name, "kind": s.kind, "tokens": s.tokens, "kept": s.kept} for s in prompt.sections
        ],
        "tokens": prompt.tokens,
        "budget": prompt.budget,
        "trim": trim_data(prompt),
        "warnings": [*world.warnings(), *subject.warnings],
    }
