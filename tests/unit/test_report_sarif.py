import json
from typing import Any

import pytest

from msd_review.report.sarif import relative_uri, render_sarif, sarif_log
from msd_review.review.model import Citation, CitationVerdict, Severity
from tests.report_samples import (
    GONE,
    GOOD,
    cluster,
    consensus,
    failed_reviewer,
    finding,
    full_report,
    report,
    reviewer,
)


def run(log: dict[str, Any]) -> dict[str, Any]:
    first: dict[str, Any] = log["runs"][0]
    return first


def results_of(*citations: Citation, **changes: Any) -> list[dict[str, Any]]:
    one = reviewer("codex", findings=(finding("codex", citations=citations),))
    shared = consensus(cluster("codex", **changes), identities=("codex",))
    found: list[dict[str, Any]] = run(sarif_log(report(one, consensus=shared)))["results"]
    return found


def cited(**changes: Any) -> Citation:
    values: dict[str, Any] = {
        "raw": "x",
        "path": "src/app.py",
        "verdict": CitationVerdict.VERIFIED,
        "resolved": "src/app.py",
    }
    return Citation(**{**values, **changes})


def test_the_log_has_the_shape_of_sarif() -> None:
    log = json.loads(render_sarif(full_report()))
    assert log["version"] == "2.1.0"
    assert log["$schema"] == "https://json.schemastore.org/sarif-2.1.0.json"
    rules = run(log)["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["MSD1001", "MSD1002"]
    for result in run(log)["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"}
        assert result["message"]["text"]
        assert len(result["locations"]) == 1


def test_standing_concerns_become_results_and_resolved_ones_do_not() -> None:
    results = run(sarif_log(full_report()))["results"]
    assert [(r["ruleId"], r["level"], r["partialFingerprints"]) for r in results] == [
        (
            "MSD1001",
            "error",
            {"msdConcern/v1": "C-1a2b3c4d", "primaryLocationLineHash": "6390be870edc52c3:1"},
        ),
        ("MSD1002", "note", {"msdConcern/v1": "C-00000002", "primaryLocationLineHash": "9cb5ebca7b70b4da:1"}),
    ]


def test_a_verified_citation_is_the_location_with_its_lines() -> None:
    (result,) = results_of(cited(line=3, end_line=9), GOOD)
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "src/app.py", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 3, "endLine": 9},
            }
        }
    ]
    assert result["relatedLocations"][0]["physicalLocation"]["region"] == {"startLine": 12}


@pytest.mark.parametrize(
    "citation",
    [
        GONE,
        cited(resolved=None),
        cited(resolved="/etc/passwd"),
        cited(resolved="../up.py"),
        cited(resolved="a/../../up.py"),
        cited(resolved="~/x"),
        cited(resolved="C:\\x"),
        cited(verdict=CitationVerdict.AMBIGUOUS),
        cited(verdict=CitationVerdict.UNCHECKED),
    ],
)
def test_anything_else_points_at_the_plan(citation: Citation) -> None:
    (result,) = results_of(citation)
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": ".planning/phases/03-import/03-01-PLAN.md", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 1},
    }


def test_lines_that_make_no_sense_are_left_out() -> None:
    (backwards,) = results_of(cited(line=9, end_line=3))
    assert backwards["locations"][0]["physicalLocation"]["region"] == {"startLine": 9}
    (zero,) = results_of(cited(line=0))
    assert "region" not in zero["locations"][0]["physicalLocation"]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b.py", "a%20b.py"),
        ("http:x.py", "http%3Ax.py"),
        ("ä/日.py", "%C3%A4/%E6%97%A5.py"),
        ("./a.py", "a.py"),
        ("100%.md", "100%25.md"),
        ("new\nline", "new%0Aline"),
        ("bad\udcff", "bad%ED%B3%BF"),
        ("", None),
        (None, None),
    ],
)
def test_paths_are_encoded(path: str | None, uri: str | None) -> None:
    assert relative_uri(path) == uri


def test_a_dismissed_concern_is_suppressed_with_its_justification() -> None:
    (result,) = results_of(GOOD, status="dismissed", dismissed_because="accepted risk")
    assert result["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "accepted risk"}
    ]


def test_a_demoted_concern_is_a_note() -> None:
    one = reviewer("codex", findings=(finding("codex", citations=(GONE,), demoted=True),))
    shared = consensus(cluster("codex", demoted=True), identities=("codex",))
    assert run(sarif_log(report(one, consensus=shared)))["results"][0]["level"] == "note"


def test_a_failed_reviewer_is_a_notification_and_the_run_no_success_without_any_review() -> None:
    invocation = run(sarif_log(report(failed_reviewer(), exit_code=4)))["invocations"][0]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 4
    assert invocation["toolExecutionNotifications"] == [
        {
            "level": "error",
            "message": {"text": "claude delivered no review: rate_limited. API Error: Rate limit reached"},
        }
    ]


def test_a_message_holds_no_embedded_link_and_no_control_character() -> None:
    (result,) = results_of(GOOD, title="[x](1) \x1b[31m\u202ered", severity=Severity.UNRATED)
    assert result["message"]["text"].startswith("[x] (1) red. Raised by codex.")
    assert result["level"] == "note"


def test_the_same_concern_has_the_same_fingerprint_in_another_run() -> None:
    first, second = (
        full_report(),
        report(reviewer("codex"), consensus=full_report().consensus, run="other", cycle=9),
    )
    prints = [[r["partialFingerprints"] for r in run(sarif_log(one))["results"]] for one in (first, second)]
    assert prints[0] == prints[1]
