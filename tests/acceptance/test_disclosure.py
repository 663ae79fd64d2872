"""The handed cases of disclosures: what must change a signature, and what must be shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from msd_review.trust.disclosure import disclose, to_json
from msd_review.trust.disclosure_text import to_text
from msd_review.trust.signature import signature

CASES = json.loads((Path(__file__).parent.parent / "data" / "cases" / "disclosure.json").read_text())
PAIRS = [case for case in CASES if case["area"] == "signature-pair"]
FACTS = [case for case in CASES if case["area"] == "disclosure-facts"]

MENTIONS = {
    "handler": "handler: ",
    "env": "env: ",
    "env_warning": "WARNING: ",
    "fallback_destination": "fallback destination: ",
    "probe_run": "probe: runs ",
    "probe_presence": "probe: looks whether ",
    "local_tag": "[local]",
    "sends": "sends: plan text, requirements, research findings, CONTEXT.md decisions",
}


def test_every_case_is_of_a_known_kind() -> None:
    assert {case["area"] for case in CASES} == {"signature-pair", "disclosure-facts"}


@pytest.mark.parametrize("case", PAIRS, ids=[case["id"] for case in PAIRS])
def test_the_signature_changes_when_it_must_and_only_then(case: dict[str, Any]) -> None:
    changed = signature(case["input"]["old"]) != signature(case["input"]["new"])
    assert changed is case["expected"]["changed"], case["desc"]


@pytest.mark.parametrize("case", FACTS, ids=[case["id"] for case in FACTS])
def test_a_disclosure_shows_what_it_must(case: dict[str, Any]) -> None:
    host = case["input"]["resolver_host"]
    resolve = None if host is None else (lambda _key: str(host))
    disclosure = disclose(case["input"]["manifest"], resolve_host=resolve)
    document, text = to_json(disclosure), to_text(disclosure)
    expected = case["expected"]

    assert document["has_executable"] is expected["has_executable"]
    lanes = document["surfaces"]["reviewer_lanes"]
    shown = [
        {name: lane[name] for name in wanted} for lane, wanted in zip(lanes, expected["lanes"], strict=True)
    ]
    assert shown == expected["lanes"]
    mentioned = {name: words in " ".join(text.split()) for name, words in MENTIONS.items()}
    assert mentioned == expected["text_mentions"]
