"""The handed cases of install specs, source policy and reserved ids."""

import json
from pathlib import Path
from typing import Any

import pytest

from msd_review.errors import SourceError
from msd_review.manifest.decode import reserved_prefix
from msd_review.sources.policy import is_allowed
from msd_review.sources.spec import Spec, parse_spec, split_npm

CASES = json.loads((Path(__file__).parent.parent / "data" / "cases" / "sources.json").read_text())
AREAS = ("spec-parse", "source-policy", "reserved-namespace", "npm-split")


def _of(area: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in CASES if case["area"] == area]


def test_every_case_is_of_a_known_kind() -> None:
    assert {case["area"] for case in CASES} == set(AREAS)


@pytest.mark.parametrize("case", _of("spec-parse"))
def test_a_spec_is_understood_or_refused(case: dict[str, Any]) -> None:
    text, expected = case["input"]["spec"], case["expected"]
    if expected.get("error"):
        with pytest.raises(SourceError):
            parse_spec(text)
        return
    spec = parse_spec(text)
    assert {"kind": spec.kind, "target": spec.target} | ({"ref": spec.ref} if spec.ref else {}) == expected


@pytest.mark.parametrize("case", _of("source-policy"))
def test_a_policy_lets_through_what_it_names(case: dict[str, Any]) -> None:
    spec = Spec(**case["input"]["parsed"])
    assert is_allowed(spec, case["input"]["strict_known_registries"]) is case["expected"]["allowed"]


@pytest.mark.parametrize("case", _of("reserved-namespace"))
def test_reserved_ids_are_known(case: dict[str, Any]) -> None:
    assert (reserved_prefix(case["input"]["id"]) is not None) is case["expected"]["reserved"]


@pytest.mark.parametrize("case", _of("npm-split"))
def test_a_package_and_its_selector_are_told_apart(case: dict[str, Any]) -> None:
    expected = case["expected"]
    assert split_npm(case["input"]["target"]) == (expected["name"], expected["selector"])
