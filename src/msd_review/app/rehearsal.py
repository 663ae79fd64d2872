"""`--dry-run`: what would run, and what would be sent where. Starts nothing, connects to nothing, writes nothing."""

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msd_review.app import choosing, naming
from msd_review.app.lanes import invocation_json
from msd_review.app.preparing import Prepared, prepare
from msd_review.app.request import ReviewRequest
from msd_review.app.review import choose_subject
from msd_review.app.world import World
from msd_review.edges.proxies import without_user
from msd_review.prompt.model import ReviewSubject
from msd_review.prompt.sections import estimate_tokens
from msd_review.trust import destinations
from msd_review.trust.policy import Approved, ApprovedHttp

PLAN_PARTS = ("plan text", "requirements", "research findings", "CONTEXT.md decisions")
NO_RUN = Path("/RUN")  # stands for the run's folder, which a rehearsal does not make


def dry_run(world: World, request: ReviewRequest, *, as_json: bool) -> str:
    """The rehearsal of a review, as text or as the `msd.dry-run/1` document."""
    naming.check_configured(world)
    naming.check_imports(world, request.imports)
    subject = choose_subject(world, request)
    choice = choosing.choose(world, request, probe=False)
    prepared = prepare(world, request, subject, choice, folder=NO_RUN, may_start=False)
    return rehearsed(subject, choice, prepared, as_json=as_json)


def rehearsed(
    subject: ReviewSubject,
    choice: choosing.Choice,
    prepared: Prepared,
    *,
    as_json: bool,
    receives: Sequence[str] = PLAN_PARTS,
) -> str:
    """What was prepared, told; `receives` are the kinds of content that each reviewer would be sent."""
    document = _document(subject, choice, prepared)
    for row in document["would_run"]:
        row["receives"] = list(receives)
    if as_json:
        return json.dumps(document, ensure_ascii=False, indent=1)
    return "\n".join(_lines(document))


def _document(subject: ReviewSubject, choice: choosing.Choice, prepared: Prepared) -> dict[str, Any]:
    return {
        "schema": "msd.dry-run/1",
        "subject": subject.title,
        "plans": [plan.name for plan in subject.plans],
        "source": choice.selection.source,
        "would_run": [_row(one, prepared) for one in prepared.approved],
        "would_not_run": [
            {
                "identity": one.identity,
                "outcome": one.outcome,
                "reason": one.reason,
                "detail": one.detail,
                "hint": one.hint,
            }
            for one in (*choice.skipped, *prepared.skipped)
        ],
        "warnings": list(prepared.warnings),
    }


def _row(approved: Approved, prepared: Prepared) -> dict[str, Any]:
    invocation = approved.invocation
    at = prepared.workplaces[invocation.identity]
    row = invocation_json(invocation)
    row["works_in"] = "the tree" if at.copy is None else "a throw-away copy"
    row["prompt_tokens"] = estimate_tokens(prepared.prompts[invocation.prompt_path])
    row["provider"] = invocation.lane.provider
    if isinstance(approved, ApprovedHttp):
        proxy = approved.invocation.proxy
        row["local"] = destinations.is_local(approved.destination)
        row["proxy"] = without_user(proxy) if proxy else None
    else:
        row["binary"] = str(approved.binary)
    return row


def _lines(document: dict[str, Any]) -> Iterator[str]:
    yield ": ".join(part for part in (document["subject"], ", ".join(document["plans"])) if part)
    for row in document["would_run"]:
        place = f" in {row['works_in']}" if row["transport"] == "spawn" else ""
        yield f"would run {row['identity']}{place}, {row['timeout_ms'] // 1000} s at most"
        if row["transport"] == "spawn":
            shown = [
                argument if len(argument) < 200 else argument[:199] + "…" for argument in row["argv"][1:]
            ]
            yield f"  {row['binary']} {shlex.join(shown)}"
        else:
            via = f" through the proxy {row['proxy']}" if row["proxy"] else ""
            yield f"  POST {row['url']}{' [local]' if row['local'] else ''}{via}"
        to = f" (service: {row['provider']})" if row["provider"] else ""
        yield f"  would be sent{to}: {', '.join(row['receives'])}; about {row['prompt_tokens']:,} tokens"
    for row in document["would_not_run"]:
        way_out = f" → {row['hint']}" if row["hint"] else ""
        yield f"would not run {row['identity']}: {row['reason']}, {row['detail']}{way_out}"
    for warning in document["warnings"]:
        yield f"warning: {warning}"
    yield "nothing was started and nothing was sent"
