"""The part of REVIEWS.md that belongs to one reviewer."""

from collections.abc import Collection

from msd_review.outcomes import Outcome
from msd_review.report.caveats import caveats
from msd_review.report.counts import section_heading
from msd_review.report.model import ReviewerReport, ReviewReport, Skipped
from msd_review.report.nesting import nest
from msd_review.report.text import duration, fenced, inline
from msd_review.review.block import Block, find_block

_HAPPENED = {
    Outcome.PARTIAL: "did not finish",
    Outcome.FAILED: "failed",
    Outcome.UNAVAILABLE: "could not run here",
    Outcome.BLOCKED: "was blocked",
    Outcome.SKIPPED: "was skipped",
    Outcome.CANCELLED: "was cancelled",
}
_ENDINGS = {
    "timeout": "ended at its deadline",
    "idle_timeout": "ended after a long silence",
    "output_limit": "ended at the output limit",
    "login_prompt": "ended because it asked a person to log in",
    "cancelled": "ended because the run was stopped",
    "spawn_failed": "never started",
}


def lane_section(reviewer: ReviewerReport, report: ReviewReport, reserved: Collection[str]) -> str:
    """Heading, what ran, what to keep in mind, and the text nested below; or what happened instead."""
    blocks = [f"## {section_heading(reviewer)}"]
    if reviewer.result.outcome != Outcome.REVIEW:
        blocks += _what_happened(reviewer)
    elif facts := _facts(reviewer):
        blocks.append(f"*{facts}*")
    said = caveats(reviewer, why_not_counted=_why_not_counted(reviewer, report))
    if said:
        blocks.append("\n>\n".join(f"> **Note:** {sentence}" for sentence in said))
    if text := _text(reviewer):
        blocks += [nest(part, reserved) for part in _without_block(text)]
    elif reviewer.result.outcome == Outcome.REVIEW:
        blocks.append("The text of this review is not available.")
    return "\n\n".join(blocks)


def unsent_section(heading: str, skipped: Skipped) -> str:
    """The section of a reviewer that was chosen and could not be sent its prompt: why, and the way out."""
    detail = f": {inline(skipped.detail, 1000).rstrip('.')}" if skipped.detail else ""
    blocks = [f"## {heading}", f"This reviewer **was not run** (`{skipped.reason}`){detail}."]
    if skipped.hint:
        blocks.append(f"What to do: {inline(skipped.hint)}")
    return "\n\n".join(blocks)


def _without_block(text: str) -> list[str]:
    """The prose, and a line in place of a valid machine-readable block at its end; the text where it is all block."""
    block = find_block(text)
    lines = text.rstrip().split("\n")
    if not isinstance(block, Block) or block.last_line < len(lines):
        return [text]
    prose = "\n".join(lines[: block.first_line - 1])
    if not prose.strip():
        return [text]
    return [prose, "*The same findings as data, which stood here, are in the JSON document.*"]


def _facts(reviewer: ReviewerReport) -> str:
    result, usage = reviewer.result, reviewer.result.usage
    facts = [
        f"Model {inline(result.model)}" if result.model else "",
        f"effort {result.effort}" if result.effort else "",
    ]
    facts.append(duration(result.duration_ms) if result.duration_ms else "")
    if usage and usage.input_tokens is not None:
        facts.append(f"{usage.input_tokens:,} tokens in")
    if usage and usage.output_tokens is not None:
        facts.append(f"{usage.output_tokens:,} tokens out")
    if usage and usage.cost_usd is not None:
        facts.append(f"${usage.cost_usd:.2f}")
    facts.append("taken over from an earlier run" if result.reused else "")
    return " · ".join(fact for fact in facts if fact)


def _what_happened(reviewer: ReviewerReport) -> list[str]:
    result = reviewer.result
    reason = f" (`{result.reason}`)" if result.reason else ""
    detail = f": {inline(result.detail, 1000).rstrip('.')}" if result.detail else ""
    blocks = [f"This reviewer **{_HAPPENED.get(result.outcome, result.outcome)}**{reason}{detail}."]
    if ran := _how_it_ran(reviewer):
        blocks.append(ran)
    if result.hint:
        blocks.append(f"What to do: {inline(result.hint)}")
    if result.diagnosis:
        blocks += ["What was read from its output:", fenced(list(result.diagnosis[-20:]))]
    if result.stderr_tail:
        blocks += ["The last lines of its error output:", fenced(list(result.stderr_tail[-20:]))]
    if _text(reviewer):
        blocks.append("What it wrote:")
    return blocks


def _text(reviewer: ReviewerReport) -> str:
    text = reviewer.shown_text or ""
    return text if text.strip() else ""


def _how_it_ran(reviewer: ReviewerReport) -> str:
    result = reviewer.result
    if result.started_at is None and not result.duration_ms:
        return ""
    facts = [f"It ran {duration(result.duration_ms)}"]
    facts.append(_ENDINGS.get(result.end_kind or "", ""))
    if result.end_kind in {None, "exited"} and result.exit_status is not None:
        facts.append(_exit(result.exit_status))
    facts.append(f"{result.attempts} attempts" if result.attempts > 1 else "")
    facts.append(f"{result.stdout_bytes:,} bytes of output" if result.stdout_bytes else "no output")
    return ", ".join(fact for fact in facts if fact) + "."


def _exit(status: int) -> str:
    return f"ended by signal {-status}" if status < 0 else f"exit status {status}"


def _why_not_counted(reviewer: ReviewerReport, report: ReviewReport) -> str:
    facts = {row.identity: row for row in report.consensus.reviewers}
    row = facts.get(reviewer.result.identity)
    return row.why_not if row and not row.counted else ""
