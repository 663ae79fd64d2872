"""Fits a prompt into a reviewer's budget, and says what gave way.

Order of giving way: CONTEXT, RESEARCH, REQUIREMENTS are dropped, PROJECT shrinks to 40 lines, then the plans are
cut in proportion to their length, none below 1024 characters. Each step is taken only while the prompt is still
too large. Instructions and the roadmap's section are never cut, and no plan is ever dropped.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from msd_review.prompt.model import BudgetTooSmall, Prompt, ReviewSubject, Section
from msd_review.prompt.render import header_bytes, render, template, wrapper_bytes
from msd_review.prompt.sections import (
    byte_length,
    estimate_tokens,
    first_lines,
    sections_of,
    tokens_of_bytes,
)

SHORT_PROJECT_LINES = 40
PLAN_FLOOR = 1024  # characters
_DROPPED_FIRST = ("context", "research", "requirements")
_CUT_MARK = "\n[cut here by msd to fit this reviewer's budget]"
_SEARCH_STEPS = 40


def effective_budget(budget: int) -> int:
    """Nine tenths of the budget, rounded down: the estimate is one, and the answer needs room."""
    return budget * 9 // 10


def assemble(subject: ReviewSubject, *, budget: int | None) -> Prompt | BudgetTooSmall:
    """The prompt for one budget in tokens (None: no limit). Same subject and budget, same bytes."""
    return assemble_for(subject, [budget])[budget]


def assemble_for(
    subject: ReviewSubject, budgets: Iterable[int | None]
) -> Mapping[int | None, Prompt | BudgetTooSmall]:
    """The prompt for each distinct budget; budgets that need no trimming share one text in memory."""
    whole = sections_of(subject)
    text = render(whole, preamble([]))
    tokens = estimate_tokens(text)
    prompts: dict[int | None, Prompt | BudgetTooSmall] = {}
    for budget in set(budgets):
        if budget is None or tokens <= effective_budget(budget):
            prompts[budget] = Prompt(text=text, sections=whole, tokens=tokens, budget=budget, trimmed=False)
        else:
            prompts[budget] = _trimmed(whole, budget)
    return prompts


def preamble(sections: Sequence[Section]) -> str:
    """The text before the first part; names every section that was shrunk or dropped."""
    lines = trim_lines(sections)
    if not lines:
        return template("preamble.md")
    said = "\n".join(f"- {line}" for line in lines)
    return f"{template('preamble.md')}\n\nTo fit your context, this prompt was trimmed. Do not report as missing what was cut:\n{said}"


def trim_lines(sections: Sequence[Section]) -> list[str]:
    """One line for each section that gave way: `RESEARCH.md: left out`, `03-01-PLAN.md: cut to 2,048 characters`."""
    return [_trim_line(section) for section in sections if section.kept != "whole"]


def describe_trim(prompt: Prompt) -> str | None:
    """What this prompt lost, in one line for a report; None when nothing."""
    return "; ".join(trim_lines(prompt.sections)) or None


def trim_data(prompt: Prompt) -> dict[str, Any] | None:
    """What this prompt lost, for the JSON of `msd prompt`; None when nothing."""
    if not prompt.trimmed:
        return None
    kept = {state: [s.name for s in prompt.sections if s.kept == state] for state in ("dropped", "shrunk")}
    return {**kept, "effective_budget": None if prompt.budget is None else effective_budget(prompt.budget)}


def _trim_line(section: Section) -> str:
    if section.kept == "dropped":
        return f"{section.name}: left out"
    if section.kind == "project":
        return f"{section.name}: cut to its first {SHORT_PROJECT_LINES} lines"
    return f"{section.name}: cut to its first {len(section.text.removesuffix(_CUT_MARK)):,} characters"


def _trimmed(whole: tuple[Section, ...], budget: int) -> Prompt | BudgetTooSmall:
    limit = effective_budget(budget)
    sections = whole
    for sections in _giving_way(whole):
        if _tokens(sections) <= limit:
            return _prompt(sections, budget)
    smallest = _plans_cut(sections, 0.0)
    if _tokens(smallest) > limit:
        return _too_small(smallest, budget)
    return _prompt(_plans_filling(sections, limit), budget)


def _giving_way(sections: tuple[Section, ...]) -> Iterator[tuple[Section, ...]]:
    """The sections after each step but the last, each built on the one before."""
    for kind in _DROPPED_FIRST:
        sections = tuple(_dropped(s) if s.kind == kind else s for s in sections)
        yield sections
    yield tuple(_short_project(s) if s.kind == "project" else s for s in sections)


def _dropped(section: Section) -> Section:
    return replace(section, text="", tokens=0, kept="dropped")


def _short_project(section: Section) -> Section:
    text = first_lines(section.text, SHORT_PROJECT_LINES)
    if text == section.text:
        return section
    return replace(section, text=text, tokens=estimate_tokens(text), kept="shrunk")


def _plans_filling(sections: tuple[Section, ...], limit: int) -> tuple[Section, ...]:
    """The plans cut by the largest common share that fits; `limit` in tokens."""
    low, high = 0.0, 1.0
    best = _plans_cut(sections, low)
    for _ in range(_SEARCH_STEPS):
        share = (low + high) / 2
        tried = _plans_cut(sections, share)
        if _tokens(tried) <= limit:
            low, best = share, tried
        else:
            high = share
    return best


def _plans_cut(sections: tuple[Section, ...], share: float) -> tuple[Section, ...]:
    return tuple(_cut(s, int(len(s.text) * share)) if s.kind == "plan" else s for s in sections)


def _cut(section: Section, count: int) -> Section:
    """The first `count` characters (at least the floor), back to the end of a line or word above the floor."""
    count = max(count, PLAN_FLOOR)
    if len(section.text) <= count + len(_CUT_MARK):
        return section
    end = max(section.text.rfind("\n", PLAN_FLOOR, count), section.text.rfind(" ", PLAN_FLOOR, count))
    text = section.text[: end if end > 0 else count] + _CUT_MARK
    return replace(section, text=text, tokens=estimate_tokens(text), kept="shrunk")


def _tokens(sections: Sequence[Section]) -> int:
    size = header_bytes(preamble(sections)) + sum(wrapper_bytes(s) + byte_length(s.text) for s in sections)
    return tokens_of_bytes(size)


def _prompt(sections: tuple[Section, ...], budget: int) -> Prompt:
    text = render(sections, preamble(sections))
    return Prompt(
        text=text,
        sections=sections,
        tokens=estimate_tokens(text),
        budget=budget,
        trimmed=sections_lost(sections),
    )


def sections_lost(sections: Sequence[Section]) -> bool:
    """Whether any section is not whole."""
    return any(section.kept != "whole" for section in sections)


def _too_small(smallest: tuple[Section, ...], budget: int) -> BudgetTooSmall:
    tokens = _tokens(smallest)
    detail = (
        f"the smallest prompt is about {tokens:,} tokens, and a budget of {budget:,} leaves room for"
        f" {effective_budget(budget):,}"
    )
    return BudgetTooSmall(tokens=tokens, budget=budget, detail=detail)


def prompt_document(prompt: Prompt) -> dict[str, Any]:
    """The `msd.prompt/1` document of `msd prompt --json`."""
    return {
        "schema": "msd.prompt/1",
        "prompt": prompt.text,
        "sections": [
            {"kind": s.kind, "name": s.name, "path": s.path or None, "tokens": s.tokens, "kept": s.kept}
            for s in prompt.sections
        ],
        "tokens": prompt.tokens,
        "budget": prompt.budget,
        "trim": trim_data(prompt),
    }
