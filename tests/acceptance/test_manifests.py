"""The handed cases of manifests, feature bodies, configuration slices and engines, through the public functions."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from msd_review.manifest.decode import decode, encode
from msd_review.manifest.engines import Gate, RangeError, engines_gate, satisfies
from msd_review.manifest.json_schema import manifest_schema
from msd_review.manifest.problems import CODES

CASES = Path(__file__).parent.parent / "data" / "cases"
SCHEMA = Draft202012Validator(manifest_schema())

# What the handed cases call a reason → the code that must be among ours.
CODE_OF_REASON = {
    "path": "lane.value", "id-grammar": "envelope.value", "id-missing": "envelope.missing",
    "role-unknown": "role.unknown", "description-empty": "envelope.missing", "requires-type": "envelope.type",
    "version-missing": "envelope.missing", "version-grammar": "envelope.value",
    "engines-type": "envelope.type", "engines-range": "engines.range", "compatVersions-type": "envelope.type",
    "compatVersions-range": "engines.range", "integrity-format": "envelope.value",
    "provenance-type": "envelope.type", "reviewer-null": "lane.type", "reviewer-type": "lane.type",
    "reviewer-body-required": "role.body_missing", "reviewer-on-feature": "role.forbidden",
    "feature-field-on-reviewer": "role.forbidden", "feature-field-on-runtime": "role.forbidden",
    "slug-missing": "lane.slug", "slug-grammar": "lane.slug", "flags-type": "lane.flag",
    "flags-empty": "lane.flag", "flag-grammar": "lane.flag", "flag-duplicate": "lane.flag",
    "transport-unknown": "lane.transport", "transport-missing": "lane.transport", "invoke-type": "lane.type",
    "invoke-fields-missing": "lane.missing", "invoke-mixed": "lane.transport_mix",
    "promptChannel": "lane.missing", "outputChannel": "lane.missing", "outputArg-missing": "lane.output_arg",
    "outputArg-forbidden": "lane.output_arg", "modelArg": "lane.type", "effortChannel": "lane.enum",
    "hostConfigKey": "lane.value", "modelDiscovery": "lane.enum", "effortChannel-not-none": "lane.enum",
    "env-type": "lane.env", "env-value-type": "lane.env", "env-name": "lane.env",
    "env-denied": "lane.env_denied", "probe-kind": "lane.probe", "probe-binary": "lane.probe",
    "probe-field-forbidden": "lane.probe", "probe-timeout": "lane.probe", "probe-hostConfigKey": "lane.probe",
    "timeoutFloorMs": "lane.value", "emptyOutput": "lane.missing", "reviewsSection": "lane.missing",
    "evidenceClass": "lane.missing", "requiresBinaries": "lane.type", "promptBudgetKey": "lane.type",
    "modelConfigKey": "lane.type", "handler-unknown": "lane.value", "handler-transport": "lane.handler_transport",
    "unknown-reviewer-field": "lane.unknown_field", "unknown-invoke-field": "lane.unknown_field",
    "supportsReviewerLanes-type": "feature.trait", "point": "feature.point", "ref-multiple": "feature.ref",
    "ref-undeclared": "feature.ref", "ref-prefix": "feature.ref", "consumes": "feature.list",
    "onError": "feature.on_error", "when": "feature.when", "fragment": "feature.fragment",
    "fragment-path": "feature.fragment", "into-type": "feature.into", "check-count": "feature.gate",
    "check-type": "feature.gate", "blocking": "feature.gate", "runtimeCompat": "envelope.value",
    "config-entry": "config.type", "hook-path": "feature.hook", "hook-event": "feature.hook",
    "command-module": "feature.command", "activationKey": "feature.activation", "type": "config.type",
    "default-type": "config.default", "enum-values": "config.values", "enum-default": "config.default",
    "slice-type": "config.type",
}  # fmt: skip
# One reason, several codes of ours.
CODES_OF_REASON = {
    "reserved": {"feature.list", "feature.command"},
    "binary-missing": {"lane.missing", "lane.type"},
    "args-type": {"lane.type"},
    "probe-type": {"lane.missing", "lane.probe"},
}


def cases(name: str) -> list[Any]:
    return [
        pytest.param(case, id=f"{case['id']} {case['desc']}")
        for case in json.loads((CASES / f"{name}.json").read_bytes())
    ]


def verdict(manifest: object, folder: str) -> tuple[str, set[str]]:
    decoded = decode(manifest, folder=folder)
    codes = {problem.code for problem in decoded.problems}
    if decoded.errors:
        return "reject", codes
    return ("warn" if decoded.warnings else "accept"), codes


@pytest.mark.parametrize("case", [*cases("manifests"), *cases("feature_bodies")])
def test_a_manifest_is_judged_as_handed(case: dict[str, Any]) -> None:
    expected = case["expected"]
    judged, codes = verdict(case["input"]["manifest"], case["input"]["folder"])
    assert judged == expected["verdict"]
    if expected["reason"] is not None:
        reason = expected["reason"]
        assert codes & (CODES_OF_REASON.get(reason) or {CODE_OF_REASON[reason]})
    assert codes <= CODES


@pytest.mark.parametrize("case", [*cases("manifests"), *cases("feature_bodies")])
def test_what_is_accepted_fits_the_schema_and_survives_a_round_trip(case: dict[str, Any]) -> None:
    manifest = case["input"]["manifest"]
    decoded = decode(manifest, folder=case["input"]["folder"])
    if decoded.manifest is None:
        return
    SCHEMA.validate(manifest)
    again = decode(encode(decoded.manifest), folder=case["input"]["folder"])
    assert again.manifest == decoded.manifest


def test_the_schema_catches_most_of_what_is_rejected() -> None:
    rejected = [
        param.values[0]["input"]["manifest"]
        for param in [*cases("manifests"), *cases("feature_bodies")]
        if param.values[0]["expected"]["verdict"] == "reject"
    ]
    caught = [manifest for manifest in rejected if not SCHEMA.is_valid(manifest)]
    assert len(caught) >= 0.8 * len(rejected)


@pytest.mark.parametrize("case", cases("config_slices"))
def test_a_configuration_slice_is_judged_as_handed(case: dict[str, Any]) -> None:
    manifest = {
        "id": "acme",
        "role": "reviewer",
        "version": "1.0.0",
        "title": "T",
        "description": "D",
        "tier": "full",
        "requires": [],
        "config": {case["input"]["key"]: case["input"]["slice"]},
    }
    decoded = decode(manifest)
    codes = {problem.code for problem in decoded.errors} - {"role.body_missing"}
    reason = case["expected"]["reason"]
    assert codes == (set() if reason is None else {CODE_OF_REASON[reason]})


@pytest.mark.parametrize("case", cases("engines"))
def test_a_range_of_versions_holds_as_handed(case: dict[str, Any]) -> None:
    given, expected = case["input"], case["expected"]
    if case["area"] == "engines-gate":
        gate = engines_gate(given["manifest"], given["host_version"])
        assert gate.compatible == expected["compatible"]
        assert gate.range == expected["range"]
        assert gate.satisfied_by == expected["satisfiedBy"]
    elif expected.get("error"):
        with pytest.raises(RangeError):
            satisfies(given["version"], given["range"])
    else:
        assert satisfies(given["version"], given["range"]) == expected["satisfies"]


def test_a_gate_that_does_not_open_names_the_newest_version_that_would() -> None:
    earlier = {"1.9.0": "^1.0.0", "1.10.0": "^1.0.0", "1.10.0-rc.1": "^1.0.0", "1.11.0": ">=9", "v2": "*"}
    manifest = {"engines": {"msd": ">=2.0.0"}, "compatVersions": earlier}
    assert engines_gate(manifest, "1.12.0") == Gate(
        compatible=False, range=">=2.0.0", satisfied_by="compatVersions", downgrade_to="1.10.0"
    )


def test_the_older_name_of_the_range_counts_when_the_newer_is_absent() -> None:
    assert not engines_gate({"engines": {"gsd": ">=2"}}, "1.12.0").compatible
    assert engines_gate({"engines": {"gsd": ">=2", "msd": ">=1"}}, "1.12.0").compatible
