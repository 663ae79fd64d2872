"""The handed selection and instance cases, through the public functions."""

import json
from pathlib import Path
from typing import Any

import pytest

from msd_review.selection import Wanted, parse_instances, select

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "cases" / "selection.json").read_text(encoding="utf-8")
)
ROSTER = frozenset(
    [
        "gemini",
        "claude",
        "codex",
        "coderabbit",
        "opencode",
        "qwen",
        "cursor",
        "antigravity",
        "ollama",
        "lm_studio",
        "llama_cpp",
        "kimi-code",
        "grounding",
    ]
)
SOURCES = {
    "explicit_flags": "explicit",
    "all_flag": "all",
    "config_default": "default_reviewers",
    "no_config_all_detected": "detected",
}


def _chosen(given: dict[str, Any]) -> dict[str, Any]:
    selection = select(
        Wanted(
            known=ROSTER,
            detected=frozenset(given.get("detected", [])),
            named=tuple(given.get("explicit", [])),
            all=given.get("all", False),
            default_reviewers=given.get("default_reviewers"),
            instances=given.get("instances"),
        )
    )
    return {
        "source": selection.source,
        "selected": list(selection.selected),
        "resolved": [
            {
                key: value
                for key, value in {
                    "identity": r.identity,
                    "kind": r.kind,
                    "cli": r.slug,
                    "model": r.model,
                    "agent": r.agent,
                }.items()
                if value is not None
            }
            for r in selection.reviewers
        ],
        "shared_adapter_caveat": bool(selection.shared_adapters),
        "ok": not selection.errors,
        "errors": bool(selection.errors),
        "warnings": bool(selection.warnings),
        "infos": bool(selection.infos),
    }


@pytest.mark.parametrize("case", [c for c in CASES if "selected" in c["expected"]], ids=lambda c: c["id"])
def test_selection_case(case: dict[str, Any]) -> None:
    expected = dict(case["expected"])
    expected["source"] = SOURCES[expected["source"]]
    expected["resolved"] = [
        {**entry, "kind": "lane" if entry["kind"] == "builtin" else entry["kind"]}
        for entry in expected["resolved"]
    ]
    assert _chosen(case["input"]) == expected


@pytest.mark.parametrize("case", [c for c in CASES if "instances" in c["expected"]], ids=lambda c: c["id"])
def test_instance_case(case: dict[str, Any]) -> None:
    instances, errors = parse_instances(case["input"]["instances"], ROSTER)
    found = {
        name: {k: v for k, v in {"cli": i.cli, "model": i.model, "agent": i.agent}.items() if v is not None}
        for name, i in instances.items()
    }
    assert found == case["expected"]["instances"]
    assert bool(errors) == case["expected"]["errors"]


def test_every_case_was_run() -> None:
    assert all("selected" in c["expected"] or "instances" in c["expected"] for c in CASES)
