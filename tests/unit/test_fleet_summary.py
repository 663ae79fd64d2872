"""What the items of a fleet come to: counted, never invented, in whatever order they end."""

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from msd_review.fleet.summary import LISTED, MAX_REPOSITORIES, add, empty
from msd_review.fleet.summary_json import to_json
from msd_review.fleet.summary_tables import Leading, Tally
from msd_review.review.model import Severity
from tests.fleet_summary_samples import failed_lane, folded, lane, many, not_done, outcome, reviewed
from tests.report_samples import cluster

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "schemas" / "msd.fleet-summary-1.schema.json").read_text("utf-8")
)


def summed(*pairs: Any, submitted: int | None = None) -> dict[str, Any]:
    found = to_json(folded(*pairs), submitted=submitted)
    jsonschema.validate(found, SCHEMA)
    assert json.loads(json.dumps(found, allow_nan=False).encode("utf-8")) == found
    return found


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_items_are_counted_by_state_kind_and_reason() -> None:
    found = summed(
        (outcome("a"), reviewed("codex")),
        (outcome("b", kind="change"), None),
        (not_done("c"), None),
        (not_done("d", "repository_refused", state="refused"), None),
        (not_done("e"), None),
        submitted=9,
    )
    assert found["items"] == {
        "submitted": 9,
        "finished": 5,
        "waiting": 4,
        "done": 2,
        "failed": 2,
        "refused": 1,
        "with_report": 1,
        "unreadable_reports": 1,
        "by_kind": {"change": 1, "phase": 4},
    }
    assert found["items_by_reason"] == [
        {"reason": "fetch_failed", "items": 2},
        {"reason": "repository_refused", "items": 1},
    ]
    assert [row["id"] for row in found["not_done"]["items"]] == ["c", "d", "e"]


def test_nothing_is_waiting_when_it_is_not_known_how_much_was_asked_for() -> None:
    found = summed((outcome("a"), reviewed("codex")))
    assert (found["items"]["submitted"], found["items"]["waiting"]) == (None, None)


def test_findings_and_concerns_are_summed_by_repository_the_worst_first() -> None:
    low = cluster("codex", severity=Severity.LOW, severities={"codex": Severity.LOW})
    found = summed(
        (outcome("a"), reviewed("codex", "gemini")),
        (outcome("b"), reviewed("codex", clusters=[low], severity=Severity.LOW)),
        (outcome("c", repository="/srv/other"), reviewed("codex", clusters=[low])),
        (not_done("d", repository="/srv/broken"), None),
    )
    assert [(row["repository"], row["items"], row["reports"]) for row in found["repositories"]] == [
        ("/srv/app", 2, 2),
        ("/srv/other", 1, 1),
        ("/srv/broken", 1, 0),
    ]
    first = found["repositories"][0]
    assert first["findings"] == {"high": 2, "medium": 0, "low": 1, "unrated": 0}
    assert first["concerns"] == {"high": 1, "medium": 0, "low": 1, "unrated": 0}
    assert (first["agreed"], found["agreed"], found["repositories_left_out"]) == (1, 1, None)
    assert found["concerns"] == {"high": 1, "medium": 0, "low": 2, "unrated": 0}


def test_a_rate_is_what_independent_others_share_of_what_they_could_have_shared() -> None:
    alone = cluster("codex", id="C-2", finding_ids=())
    found = summed(
        (outcome("a"), reviewed("codex", "gemini", clusters=[cluster("codex", "gemini"), alone])),
        (outcome("b"), reviewed("codex")),
    )
    rows = {row["reviewer"]: row for row in found["agreement"]["reviewers"]}
    assert rows["codex"] == {
        "reviewer": "codex",
        "reports": 2,
        "concerns": 3,
        "comparable": 2,
        "shared": 1,
        "rate": 0.5,
        "high": {"concerns": 3, "comparable": 2, "shared": 1, "rate": 0.5},
    }
    assert rows["gemini"]["rate"] == 1.0
    assert found["agreement"]["pairs"] == [
        {"reviewer": "codex", "other": "gemini", "reports": 1, "concerns": 2, "shared": 1, "rate": 0.5},
        {"reviewer": "gemini", "other": "codex", "reports": 1, "concerns": 1, "shared": 1, "rate": 1.0},
    ]


def test_who_reviews_alone_has_no_rate_rather_than_nought() -> None:
    [row] = summed((outcome("a"), reviewed("codex")))["agreement"]["reviewers"]
    assert (row["concerns"], row["comparable"], row["rate"]) == (1, 0, None)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"model": "one-model"}, "one model twice is one voice"),
        ({"slug": "codex"}, "one tool twice is one voice"),
        ({"counted": False}, "a review that does not count shares nothing"),
    ],
)
def test_reviewers_that_are_not_independent_share_nothing(change: dict[str, Any], why: str) -> None:
    told = reviewed("codex", "gemini")
    told["reviewers"][0]["model"] = "one-model"
    told["reviewers"][1].update(change)
    found = summed((outcome("a"), told))
    assert {row["reviewer"]: row["rate"] for row in found["agreement"]["reviewers"]}["codex"] is None, why
    assert found["agreement"]["pairs"] == [], why


def test_a_concern_whose_evidence_is_missing_counts_against_its_reviewer() -> None:
    told = reviewed("codex", "gemini", "qwen")
    told["findings"][0]["demoted"] = True
    rates = {row["reviewer"]: row["rate"] for row in summed((outcome("a"), told))["agreement"]["reviewers"]}
    assert rates == {"codex": 0.0, "gemini": 1.0, "qwen": 1.0}


def test_what_the_report_does_not_call_agreed_is_not_shared() -> None:
    told = reviewed("codex", "gemini", clusters=[cluster("codex", "gemini", agreed=False)])
    assert [row["shared"] for row in summed((outcome("a"), told))["agreement"]["reviewers"]] == [0, 0]


def test_concerns_that_an_earlier_cycle_closed_are_nobodys_word_now() -> None:
    told = reviewed("codex", "gemini", clusters=[cluster("codex", "gemini", status="resolved")])
    assert [row["concerns"] for row in summed((outcome("a"), told))["agreement"]["reviewers"]] == [0, 0]


def test_tokens_and_cost_that_nobody_reported_are_unknown_and_not_nought() -> None:
    found = summed((outcome("a", lane("codex"), lane("gemini", input_tokens=0)), None))
    usage = {row["reviewer"]: row["usage"] for row in found["reviewers"]}
    nothing = {"amount": None, "known_of": 0, "unknown_of": 1}
    assert usage["codex"] == {
        "lanes_that_ran": 1,
        "input_tokens": nothing,
        "output_tokens": nothing,
        "cost_usd": nothing,
    }
    assert usage["gemini"]["input_tokens"] == {"amount": 0, "known_of": 1, "unknown_of": 0}
    assert found["usage"]["input_tokens"] == {"amount": 0, "known_of": 1, "unknown_of": 1}


def test_cost_is_summed_without_rounding_it_away() -> None:
    pairs = [(outcome(f"i{at}", lane("codex", cost_usd=0.1)), None) for at in range(10)]
    assert summed(*pairs)["usage"]["cost_usd"] == {"amount": 1.0, "known_of": 10, "unknown_of": 0}


def test_a_lane_that_did_not_run_leaves_nothing_unknown() -> None:
    lanes = (
        lane("codex", outcome="unavailable", reason="missing_binary", seconds=0),
        lane("qwen", outcome="cancelled", reason="cancelled", seconds=0),
        lane("gemini", outcome="cancelled", reason="cancelled", seconds=4),
    )
    assert summed((outcome("a", *lanes), None))["usage"]["cost_usd"] == {
        "amount": None,
        "known_of": 0,
        "unknown_of": 1,
    }


@pytest.mark.parametrize("cost", [float("nan"), float("inf"), -1.0, 1e300])
def test_a_cost_that_cannot_be_is_unknown(cost: float) -> None:
    lanes = lane("codex", cost_usd=cost, input_tokens=-5, output_tokens=10**30, seconds=float("nan"))
    found = summed((outcome("a", lanes), None))
    assert [found["usage"][name]["known_of"] for name in ("cost_usd", "input_tokens", "output_tokens")] == [
        0
    ] * 3
    assert found["reviewers"][0]["seconds"] == 0


def test_failures_are_counted_by_reason_with_the_reviewers_that_met_them() -> None:
    found = summed(
        (outcome("a", lane(), failed_lane("gemini"), failed_lane("qwen")), None),
        (outcome("b", failed_lane("gemini"), failed_lane("qwen", "timeout")), None),
        (outcome("c", lane("codex", outcome="skipped", reason="excluded"), lane("x", outcome="odd")), None),
    )
    assert found["failures"] == [
        {"reason": "quota", "outcome": "failed", "lanes": 3, "reviewers": {"gemini": 2, "qwen": 1}},
        {"reason": None, "outcome": "unknown", "lanes": 1, "reviewers": {"x": 1}},
        {"reason": "timeout", "outcome": "failed", "lanes": 1, "reviewers": {"qwen": 1}},
    ]
    assert found["workers"] == [{"worker": "w1", "lanes": 7, "reviews": 1, "failures": 5, "seconds": 14.0}]
    assert found["repositories"][0]["lanes_without_review"] == 5


def test_the_slowest_items_and_lanes_are_named() -> None:
    pairs = [(outcome(f"i{at:03d}", lane(seconds=at), lane("gemini", seconds=1)), None) for at in range(100)]
    slowest = summed(*pairs)["slowest"]
    assert [row["id"] for row in slowest["items"]] == [f"i{at:03d}" for at in range(99, 79, -1)]
    assert (slowest["items"][0]["seconds"], slowest["items"][0]["longest_lane_seconds"]) == (100, 99)
    assert slowest["lanes"][0] == {
        "id": "i099",
        "reviewer": "codex",
        "outcome": "review",
        "reason": None,
        "worker": "w1",
        "seconds": 99,
    }


def test_reports_are_listed_worst_first_and_an_item_that_failed_keeps_its_report() -> None:
    failed = outcome("z", failed_lane(), state="failed", reason="lane_failed")
    low = reviewed("codex", clusters=[cluster("codex", severity=Severity.LOW)])
    found = summed((outcome("a"), low), (failed, reviewed("codex", "gemini")))
    assert [(row["id"], row["document"]) for row in found["reports"]["items"]] == [
        ("z", "items/z/REVIEWS.json"),
        ("a", "items/a/REVIEWS.json"),
    ]
    assert [row["id"] for row in found["not_done"]["items"]] == ["z"]


@pytest.mark.parametrize(
    "document",
    [
        [],
        "x",
        {},
        {"schema": "msd.reviews/2", "summary": {}},
        {"schema": "msd.reviews/1"},
        {"schema": "msd.reviews/1", "summary": []},
    ],
)
def test_what_is_no_report_is_counted_as_unreadable(document: Any) -> None:
    found = summed((outcome("a"), document))
    assert (found["items"]["with_report"], found["items"]["unreadable_reports"]) == (0, 1)


def test_a_report_that_is_not_as_published_costs_no_more_than_its_own_numbers() -> None:
    told: dict[str, Any] = {
        "schema": "msd.reviews/1",
        "summary": {
            "findings": {"high": True, "low": -3},
            "clusters": {"high": "9", "medium": 2},
            "agreed": 1e9,
        },
        "reviewers": [None, {"identity": 3}, {"identity": "a", "slug": "a", "counted": True, "model": 7}],
        "findings": {"a": 1},
        "clusters": [7, {"status": "new", "reviewers": "a", "severities": [], "agreed": True}],
    }
    found = summed((outcome("a"), told))
    assert found["findings"] == {"high": 0, "medium": 0, "low": 0, "unrated": 0}
    assert (found["concerns"]["medium"], found["agreed"]) == (2, 0)


def test_the_order_in_which_items_end_changes_nothing() -> None:
    pairs = list(many(300))
    first = summed(*pairs)
    random.Random(7).shuffle(pairs)
    assert summed(*pairs) == first


def test_strings_that_no_file_can_hold_are_replaced() -> None:
    found = summed((not_done("a", message="\ud800", repository="/\udcff"), None))
    assert (found["not_done"]["items"][0]["message"], found["repositories"][0]["repository"]) == ("?", "/?")


def test_a_separator_in_a_name_forges_no_other_row() -> None:
    found = summed((outcome("a", failed_lane("x\x1ffailed\x1fcodex", "quota\x1fz")), None))
    assert found["failures"] == [
        {
            "reason": "quota z",
            "outcome": "failed",
            "lanes": 1,
            "reviewers": {"x failed codex": 1},
        }
    ]


def test_rows_and_lists_stop_growing_whatever_is_put_in() -> None:
    summary = empty()
    for number in range(25_000):
        add(summary, not_done(f"item-{number:05d}", repository=f"/srv/{number}", message="m" * 1000), None)
    found = to_json(summary)
    assert (found["not_done"]["total"], found["not_done"]["listed"]) == (25_000, LISTED)
    assert found["not_done"]["items"][-1]["id"] == f"item-{LISTED - 1:05d}"
    assert len(found["not_done"]["items"][0]["message"]) == 300
    assert len(summary.repositories) == MAX_REPOSITORIES
    assert len(found["repositories"]) == 5_000
    assert found["repositories_left_out"]["items"] == 20_000


def test_a_tally_keeps_the_same_rows_whatever_the_order() -> None:
    keys = [f"key-{at % 40}" for at in range(400)]
    tallies = []
    for seed in range(5):
        random.Random(seed).shuffle(keys)
        tally = Tally(10, ("n",))
        for key in keys:
            tally.add(key, {"n": 1})
        tallies.append((list(tally.rows()), tally.other, tally.totals()))
    assert all(one == tallies[0] for one in tallies)
    rows, other, totals = tallies[0]
    assert all(row == {"n": 10} for _, row in rows)
    assert (len(rows), other, totals) == (10, {"n": 300}, {"n": 400})


def test_a_leading_list_keeps_the_first_of_all_that_were_offered() -> None:
    leading: Leading[int] = Leading(3, key=lambda row: row)
    for row in (5, 1, 9, 7, 3, 8, 2):
        leading.offer(row)
    assert (leading.rows(), leading.offered) == ([1, 2, 3], 7)
