"""Approved calls of fake reviewers, for tests of the runner."""

from pathlib import Path
from typing import Any

from msd_review.invocation import SpawnInvocation
from msd_review.manifest.model import CommandExists, Lane, SpawnInvoke
from msd_review.outcomes import Outcome
from msd_review.run.result import LaneResult
from msd_review.trust.consent import Consents
from msd_review.trust.policy import ApprovedSpawn, approve_spawn


def lane(slug: str = "acme", **fields: Any) -> Lane:
    given: dict[str, Any] = {
        "slug": slug,
        "flags": (f"--{slug}",),
        "transport": "spawn",
        "probe": CommandExists(binary=slug),
        "invoke": SpawnInvoke(binary=slug, args=(), prompt_channel="stdin", output_channel="stdout"),
        "timeout_floor_ms": 1000,
        "empty_output": "stub-with-stderr",
        "reviews_section": slug.title(),
        "evidence_class": "source-grounded",
    }
    return Lane(**(given | fields))


def invocation(folder: Path, slug: str = "acme", **fields: Any) -> SpawnInvocation:
    prompt = folder / "prompt.md"
    if not prompt.exists():
        prompt.write_text("Please review this plan.\n")
    given: dict[str, Any] = {
        "identity": slug,
        "lane": lane(slug),
        "invoke": SpawnInvoke(binary=slug, args=(), prompt_channel="stdin", output_channel="stdout"),
        "argv": (slug,),
        "stdin": True,
        "env": {},
        "pin_env": (),
        "prompt_path": prompt,
        "output_path": None,
        "working_folder": folder,
        "model": None,
        "effort": None,
        "timeout_ms": 20_000,
        "idle_timeout_ms": None,
    }
    return SpawnInvocation(**(given | fields))


def approved(binary: Path, what: SpawnInvocation) -> ApprovedSpawn:
    made = approve_spawn(what, binary=binary, first_party=False, consents=Consents())
    assert isinstance(made, ApprovedSpawn)
    return made


def result(identity: str = "acme", **fields: Any) -> LaneResult:
    given: dict[str, Any] = {
        "identity": identity,
        "slug": identity,
        "section": identity.title(),
        "outcome": Outcome.REVIEW,
        "reason": None,
        "detail": "",
    }
    return LaneResult(**(given | fields))
