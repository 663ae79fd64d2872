"""Approved calls of model servers, made the way the product makes them, for tests that run them."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from msd_review.edges.addresses import AddressBook
from msd_review.edges.http import HttpEnd, HttpRequest, send
from msd_review.invocation import HttpInvocation
from msd_review.manifest.model import HttpInvoke, HttpReachable, Lane
from msd_review.run.http_lane import run_http
from msd_review.run.result import LaneResult
from msd_review.trust.consent import Consents
from msd_review.trust.destinations import normalise, request_url
from msd_review.trust.policy import ApprovedHttp, approve_http

KEY = "review.acme_host"
PROMPT = "# Review this plan\n\nThe plan adds a cart with a total.\n"
REVIEW = (
    "## Summary\n\nThe plan is sound, with one gap.\n\n## Concerns\n\n"
    "- HIGH: src/cart.py:12 the total is never rounded\n- LOW: README.md:3 does not mention carts\n\n## Risk\n\nMEDIUM\n"
)


def http_lane(
    base: str, *, hints: Mapping[str, str] | None = None, path: str = "/v1/chat/completions"
) -> Lane:
    """A lane whose own default is `base`."""
    return Lane(
        slug="acme",
        flags=("--acme",),
        transport="openai-http",
        probe=HttpReachable(host_config_key=KEY, path="/v1/models", timeout_ms=2000),
        invoke=HttpInvoke(
            host_config_key=KEY,
            path=path,
            model_discovery="first-from-models-endpoint",
            default_host=base,
            fallback_model="fallback",
        ),
        timeout_floor_ms=120_000,
        empty_output="handler-owned",
        reviews_section="Acme",
        evidence_class="source-grounded",
        prompt_budget_key="review.max_prompt_tokens_per_reviewer.acme",
        model_config_key="review.models.acme",
        timeout_config_key="review.timeouts.acme",
        handler="openai-compatible",
        install_hint="start it: acme serve",
        hints=hints or {},
    )


def approved_http(base: str, *, lane: Lane | None = None, **changes: Any) -> ApprovedHttp:
    """The approved call of the lane at `base`; `changes` replace fields of the invocation."""
    lane = lane or http_lane(base)
    if not isinstance(lane.invoke, HttpInvoke):
        raise RuntimeError("no http lane")
    invocation = HttpInvocation(
        identity="acme",
        lane=lane,
        invoke=lane.invoke,
        host=normalise(base).url,
        host_config_key=KEY,
        host_origin="manifest",
        url=request_url(base, lane.invoke.path),
        models_url=request_url(base, "/v1/models"),
        prompt_path=Path("prompt.md"),
        model="tiny",
        fallback_model="fallback",
        timeout_ms=20_000,
    )
    judged = approve_http(
        replace(invocation, **changes), capability="acme", first_party=True, consents=Consents()
    )
    if not isinstance(judged, ApprovedHttp):
        raise RuntimeError(judged.detail)
    return judged


def run(base: str, folder: Path, *, prompt: str = PROMPT, **options: Any) -> LaneResult:
    """One attempt at the lane at `base`; options of `run_http` are told from fields of the invocation by name."""
    own = {name: options.pop(name) for name in tuple(options) if name in _RUN_OPTIONS}
    approved = approved_http(base, **options)
    return asyncio.run(run_http(approved, folder=folder, prompt=prompt, **own))


_RUN_OPTIONS = frozenset({"api_key", "timeout_ms", "stop", "marks", "on_progress", "book", "tls"})


def fetch(url: str, book: AddressBook | None = None, **options: Any) -> HttpEnd:
    """One GET through the edge."""
    request = HttpRequest(method="GET", url=url, **({"timeout_s": 10.0} | options))
    return asyncio.run(send(request, book))
