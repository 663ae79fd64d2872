"""The handed cases about destinations: normal form, consent, what is local."""

import json
from pathlib import Path
from typing import Any

import pytest

from msd_review.errors import ConfigError
from msd_review.trust.destinations import is_local, normalise, same_destination

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "cases" / "destinations.json").read_text(encoding="utf-8")
)


def _answer(area: str, given: dict[str, Any]) -> dict[str, Any]:
    if area == "egress-check":
        return {"allowed": same_destination(given["consented"], given["current"])}
    if area == "local-destination":
        return {"is_local": is_local(given["resolved_host"])}
    try:
        return {"normalised": normalise(given["host"], key="review.acme_host").url}
    except ConfigError as problem:
        assert problem.message.startswith("review.acme_host: ")
        return {"error": True}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_handed_case(case: dict[str, Any]) -> None:
    assert _answer(case["area"], case["input"]) == case["expected"]
