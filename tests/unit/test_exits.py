"""Every rule of the exit code of a review, and of their precedence."""

from collections.abc import Sequence
from typing import Any

import pytest

from msd_review.app.exits import exit_code, gate_trips
from msd_review.consensus.model import Cluster, Consensus
from msd_review.outcomes import Outcome, Reason
from msd_review.report.model import ReviewerReport, ReviewReport, Skipped
from msd_review.review.model import Severity
from tests.lane_samples import result


def ran(identity: str, outcome: Outcome = Outcome.REVIEW, **fields: Any) -> ReviewerReport:
    imported = fields.pop("imported", False)
    reason = None if outcome is Outcome.REVIEW else fields.pop("reason", Reason.EXIT_STATUS)
    made = result(identity, outcome=outcome, reason=reason, **fields)
    return ReviewerReport(result=made, review=None, imported=imported)


def left_out(identity: str, outcome: Outcome, *, named: bool = False) -> Skipped:
    return Skipped(identity=identity, outcome=outcome.value, reason="", detail="", named=named)


def concern(severity: Severity = Severity.HIGH, **fields: Any) -> Cluster:
    given: dict[str, Any] = {
        "id": "C-1",
        "severity": severity,
        "title": "A concern",
        "finding_ids": ("acme-1",),
        "reviewers": ("acme",),
        "independent_reviewers": 1,
        "agreed": False,
        "status": "new",
        "first_seen_cycle": 1,
    }
    return Cluster(**(given | fields))


def consensus(*clusters: Cluster) -> Consensus:
    return Consensus(clusters=clusters, strengths=(), reviewers=())


def report(
    *reviewers: ReviewerReport,
    skipped: Sequence[Skipped] = (),
    clusters: Sequence[Cluster] = (),
    **fields: Any,
) -> ReviewReport:
    given: dict[str, Any] = {
        "run": "20261201T000000Z-0000",
        "root": "/tree",
        "phase": None,
        "title": "PLAN.md",
        "cycle": 1,
        "reviewed_at": "2026-12-01T00:00:00Z",
        "plans": ("PLAN.md",),
        "reviewers": reviewers,
        "skipped": tuple(skipped),
        "consensus": consensus(*clusters),
    }
    return ReviewReport(**(given | fields))


def test_a_delivered_review_with_nothing_at_the_threshold_is_0() -> None:
    assert exit_code(report(ran("acme"), clusters=[concern(Severity.MEDIUM)]), fail_on="high") == 0


def test_findings_alone_never_fail_a_review_by_default() -> None:
    assert exit_code(report(ran("acme"), clusters=[concern()]), fail_on="never") == 0


@pytest.mark.parametrize(
    ("severity", "fail_on", "trips"),
    [
        (Severity.HIGH, "high", True),
        (Severity.MEDIUM, "high", False),
        (Severity.LOW, "high", False),
        (Severity.HIGH, "medium", True),
        (Severity.MEDIUM, "medium", True),
        (Severity.LOW, "medium", False),
        (Severity.HIGH, "low", True),
        (Severity.LOW, "low", True),
    ],
)
def test_an_open_concern_at_or_above_the_threshold_is_1(
    severity: Severity, fail_on: str, trips: bool
) -> None:
    assert gate_trips(consensus(concern(severity)), fail_on) is trips
    assert exit_code(report(ran("acme"), clusters=[concern(severity)]), fail_on=fail_on) == int(trips)


@pytest.mark.parametrize(
    ("status", "code"), [("new", 1), ("open", 1), ("reopened", 1), ("resolved", 0), ("dismissed", 0)]
)
def test_only_a_concern_that_stands_trips_the_gate(status: str, code: int) -> None:
    assert exit_code(report(ran("acme"), clusters=[concern(status=status)]), fail_on="low") == code


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.PARTIAL, Outcome.CANCELLED, Outcome.UNAVAILABLE])
def test_a_named_reviewer_without_a_counted_review_is_3_though_others_delivered(outcome: Outcome) -> None:
    lost = ran("acme", outcome, named=True)
    assert exit_code(report(ran("beta"), lost), fail_on="never") == 3


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.PARTIAL])
def test_a_reviewer_that_nobody_named_may_fail_where_another_delivered(outcome: Outcome) -> None:
    assert exit_code(report(ran("beta"), ran("acme", outcome)), fail_on="never") == 0


def test_a_named_reviewer_that_was_never_started_is_3() -> None:
    skipped = [left_out("acme", Outcome.UNAVAILABLE, named=True)]
    assert exit_code(report(ran("beta"), skipped=skipped), fail_on="never") == 3


def test_an_unnamed_reviewer_that_is_unavailable_or_blocked_does_not_count() -> None:
    skipped = [left_out("acme", Outcome.UNAVAILABLE), left_out("gamma", Outcome.BLOCKED)]
    assert exit_code(report(ran("beta"), skipped=skipped), fail_on="never") == 0


def test_nobody_that_could_run_is_4() -> None:
    skipped = [left_out("acme", Outcome.UNAVAILABLE), left_out("beta", Outcome.UNAVAILABLE)]
    assert exit_code(report(skipped=skipped), fail_on="never") == 4
    assert exit_code(report(), fail_on="never") == 4


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.PARTIAL, Outcome.CANCELLED])
def test_everybody_that_ran_and_failed_is_4(outcome: Outcome) -> None:
    assert exit_code(report(ran("acme", outcome), ran("beta", Outcome.FAILED)), fail_on="never") == 4


def test_the_only_named_reviewer_that_failed_is_4_being_the_larger() -> None:
    assert exit_code(report(ran("acme", Outcome.FAILED, named=True)), fail_on="never") == 4


def test_a_named_reviewer_that_trust_blocks_is_5_though_others_delivered() -> None:
    skipped = [left_out("acme", Outcome.BLOCKED, named=True)]
    assert exit_code(report(ran("beta"), skipped=skipped), fail_on="never") == 5


def test_a_named_reviewer_that_is_blocked_while_it_runs_is_5() -> None:
    redirected = ran("acme", Outcome.BLOCKED, reason=Reason.EGRESS_REFUSED, named=True)
    assert exit_code(report(ran("beta"), redirected), fail_on="never") == 5


def test_every_reviewer_that_could_have_run_being_blocked_is_5() -> None:
    skipped = [left_out("acme", Outcome.BLOCKED), left_out("beta", Outcome.UNAVAILABLE)]
    assert exit_code(report(skipped=skipped), fail_on="never") == 5


def test_one_blocked_and_one_failed_is_4_for_one_of_them_could_run() -> None:
    skipped = [left_out("acme", Outcome.BLOCKED)]
    assert exit_code(report(ran("beta", Outcome.FAILED), skipped=skipped), fail_on="never") == 4


def test_what_was_left_out_by_choice_neither_fails_nor_saves_a_review() -> None:
    chosen = left_out("beta", Outcome.SKIPPED)
    assert exit_code(report(ran("acme"), skipped=[chosen]), fail_on="never") == 0
    assert exit_code(report(skipped=[chosen]), fail_on="never") == 4
    assert exit_code(report(skipped=[chosen, left_out("acme", Outcome.BLOCKED)]), fail_on="never") == 5


def test_trust_wins_over_a_failure_of_another_named_reviewer() -> None:
    lost = ran("beta", Outcome.FAILED, named=True)
    skipped = [left_out("acme", Outcome.BLOCKED, named=True)]
    assert exit_code(report(ran("gamma"), lost, skipped=skipped), fail_on="never") == 5


def test_trouble_wins_over_findings() -> None:
    lost = ran("beta", Outcome.FAILED, named=True)
    assert exit_code(report(ran("acme"), lost, clusters=[concern()]), fail_on="low") == 3


def test_an_import_is_a_review_and_no_lane_need_run() -> None:
    pasted = ran("pasted", imported=True)
    assert exit_code(report(pasted), fail_on="never") == 0
    assert exit_code(report(pasted, clusters=[concern()]), fail_on="high") == 1


def test_an_import_does_not_hide_that_a_named_reviewer_failed() -> None:
    lost = ran("beta", Outcome.FAILED, named=True)
    assert exit_code(report(ran("pasted", imported=True), lost), fail_on="never") == 3


def test_an_interrupted_review_is_130_whatever_else_holds() -> None:
    lost = ran("beta", Outcome.CANCELLED, named=True)
    skipped = [left_out("acme", Outcome.BLOCKED, named=True)]
    everything = report(lost, skipped=skipped, clusters=[concern()], interrupted=True)
    assert exit_code(everything, fail_on="low") == 130


def test_a_concern_without_evidence_trips_no_gate() -> None:
    shown = Cluster(
        id="C-1",
        severity=Severity.HIGH,
        title="invented",
        finding_ids=("a-1",),
        reviewers=("a",),
        independent_reviewers=1,
        agreed=False,
        demoted=True,
    )
    assert gate_trips(Consensus(clusters=(shown,), strengths=(), reviewers=()), "low") is False
