from dataclasses import replace
from pathlib import Path

import pytest

from msd_review.consensus.agreement import build_consensus
from msd_review.consensus.independence import are_independent, most_independent, reviewer_facts
from msd_review.consensus.model import Consensus, ReviewerFacts
from msd_review.outcomes import Mark, Outcome
from msd_review.review.findings import read_review
from msd_review.review.model import Review, Severity
from msd_review.run.result import LaneResult

DROP = "`src/db/migrate.py:40` drops the `orders` column with no rollback path; a failed deploy loses customer data."
DROP_TOO = "Plan 03-01 removes the `orders` column; there is no down migration, so reverting a bad release loses the customers' data (`db/schema.sql:9`)."
RETRY = "The retry loop in `client.py:88` has no upper bound and never gives up."


def review(
    identity: str, *lines: str, slug: str | None = None, marks: tuple[Mark, ...] = (), strengths: str = ""
) -> Review:
    text = (
        "## Concerns\n"
        + "\n".join(f"- {line}" for line in lines)
        + (f"\n\n## Strengths\n- {strengths}\n" if strengths else "")
    )
    return read_review(text, identity=identity, slug=slug or identity, section=identity, marks=marks)


def result(
    identity: str, *, slug: str | None = None, model: str | None = None, outcome: Outcome = Outcome.REVIEW
) -> LaneResult:
    return LaneResult(
        identity=identity,
        slug=slug or identity,
        section=identity,
        outcome=outcome,
        reason=None,
        detail="",
        model=model,
        text_path=Path("x"),
    )


def consensus(reviews: list[Review], results: list[LaneResult] | None = None) -> Consensus:
    return build_consensus(reviews, reviewer_facts(results or [], reviews))


def test_two_independent_reviewers_who_mean_the_same_agree_whatever_words_they_use() -> None:
    found = consensus(
        [review("codex", f"HIGH: {DROP}", f"LOW: {RETRY}"), review("gemini", f"MEDIUM: {DROP_TOO}")]
    )
    agreed, alone = found.clusters
    assert (agreed.agreed, agreed.reviewers, agreed.independent_reviewers) == (True, ("codex", "gemini"), 2)
    assert agreed.severity is Severity.HIGH
    assert agreed.severities == {"codex": Severity.HIGH, "gemini": Severity.MEDIUM}
    assert agreed.finding_ids == ("codex-1", "gemini-1")
    assert (alone.agreed, alone.reviewers) == (False, ("codex",))


@pytest.mark.parametrize(
    ("second", "results"),
    [
        (review("opencode-b", f"HIGH: {DROP_TOO}", slug="codex"), []),
        (
            review("gemini", f"HIGH: {DROP_TOO}"),
            [result("codex", model="gpt-x"), result("gemini", model="openai/gpt-x")],
        ),
        (review("gemini", f"HIGH: {DROP_TOO}", marks=(Mark.DIFF_ONLY,)), []),
        (review("gemini", f"HIGH: {DROP_TOO}", marks=(Mark.WITHOUT_REPO_ACCESS,)), []),
        (
            review(
                "gemini",
                "HIGH: removing the `orders` column has no rollback path, a failed deploy loses customer data",
            ),
            [],
        ),
        (review("gemini", f"HIGH: {DROP_TOO}"), [result("codex"), result("gemini", outcome=Outcome.PARTIAL)]),
    ],
    ids=["one base tool", "one model", "diff only", "no repository", "no citations", "partial"],
)
def test_no_agreement_is_claimed_where_there_is_none(second: Review, results: list[LaneResult]) -> None:
    found = consensus([review("codex", f"HIGH: {DROP}"), second], results)
    (cluster,) = found.clusters
    assert len(cluster.reviewers) == 2
    assert not cluster.agreed


def test_a_file_in_common_is_no_concern_in_common() -> None:
    found = consensus(
        [
            review("codex", "HIGH: `api/upload.py:64` buffers the whole body before it checks the size."),
            review("gemini", "HIGH: `api/upload.py:66` joins the file name from the request to the folder."),
        ]
    )
    assert len(found.clusters) == 2


def test_equal_words_about_different_plans_are_different_concerns() -> None:
    found = consensus(
        [
            review("codex", "MEDIUM: Plan 02-01 has no test for the error path (`a.py:1`)."),
            review("gemini", "MEDIUM: Plan 02-03 has no test for the error path (`b.py:1`)."),
        ]
    )
    assert len(found.clusters) == 2


def test_one_reviewer_saying_a_thing_twice_counts_once() -> None:
    found = consensus([review("codex", f"HIGH: {DROP}", f"MEDIUM: {RETRY}", f"HIGH: Again: {DROP}")])
    assert all(cluster.independent_reviewers == 1 and not cluster.agreed for cluster in found.clusters)


def test_demoted_findings_make_no_agreement_and_do_not_set_the_severity() -> None:
    groundless = review("codex", f"HIGH: {DROP}")
    groundless = replace(groundless, findings=(replace(groundless.findings[0], demoted=True),))
    (cluster,) = consensus([groundless, review("gemini", f"LOW: {DROP_TOO}")]).clusters
    assert (cluster.agreed, cluster.severity, cluster.demoted) == (False, Severity.LOW, False)
    (alone,) = consensus([groundless]).clusters
    assert (alone.severity, alone.demoted) == (Severity.HIGH, True)


def test_an_imported_copy_of_another_review_is_no_second_voice() -> None:
    copy = review("chat", f"HIGH: {DROP}", marks=(Mark.IMPORTED,))
    (cluster,) = consensus([review("grounding", f"HIGH: {DROP}"), copy]).clusters
    assert (cluster.reviewers, cluster.agreed) == (("chat", "grounding"), False)
    (genuine,) = consensus(
        [review("grounding", f"HIGH: {DROP}"), review("chat", f"HIGH: {DROP_TOO}", marks=(Mark.IMPORTED,))]
    ).clusters
    assert genuine.agreed


def test_severities_far_apart_and_praise_of_a_high_concern_are_divergence() -> None:
    (apart,) = consensus([review("codex", f"HIGH: {DROP}"), review("gemini", f"LOW: {DROP_TOO}")]).clusters
    assert (apart.divergent, apart.divergence) == (True, "codex says HIGH, gemini says LOW")
    praise = "The rollback path for dropping the `orders` column is sound: a failed deploy loses no customer data (`a.py:1`)."
    found = consensus([review("codex", f"HIGH: {DROP}"), review("gemini", f"LOW: {RETRY}", strengths=praise)])
    told = next(cluster for cluster in found.clusters if "codex" in cluster.reviewers)
    assert told.divergence == f'codex says HIGH, gemini praises it: "{praise[:120]}"'


def test_strengths_are_grouped_and_agreed_by_the_same_rule() -> None:
    found = consensus(
        [
            review(
                "codex",
                f"LOW: {RETRY}",
                strengths="The parser never touches the database, which makes it easy to test.",
            ),
            review(
                "gemini",
                f"LOW: {RETRY}",
                strengths="Clear seam: the parser does not touch the database and is testable alone.",
            ),
            review("claude", f"LOW: {RETRY}", strengths="Good naming."),
        ]
    )
    assert [(group.reviewers, group.agreed) for group in found.strengths] == [
        (("codex", "gemini"), True),
        (("claude",), False),
    ]


def test_why_somebody_does_not_count_is_said() -> None:
    found = consensus(
        [review("codex", f"HIGH: {DROP}", marks=(Mark.DIFF_ONLY,)), review("gemini", f"LOW: {RETRY}")]
    )
    assert found.notes == (
        "codex is shown and does not count in agreement: it saw the diff and not the plan.",
    )


def facts(identity: str, slug: str, model: str | None = None) -> ReviewerFacts:
    return ReviewerFacts(identity=identity, slug=slug, model=model, counted=True)


@pytest.mark.parametrize(
    ("one", "other", "independent"),
    [
        (facts("a", "codex"), facts("b", "gemini"), True),
        (facts("a", "codex"), facts("b", "Codex"), False),
        (facts("a", "codex", "gpt-x (effort high)"), facts("b", "opencode", "openai/GPT-X"), False),
        (facts("a", "codex", "gpt-x-2026-01-02"), facts("b", "opencode", "gpt-x"), False),
        (facts("a", "codex", "gpt-x"), facts("b", "opencode", None), True),
    ],
)
def test_independence_is_judged_by_base_tool_and_known_model(
    one: ReviewerFacts, other: ReviewerFacts, independent: bool
) -> None:
    assert are_independent(one, other) is independent


def test_the_number_of_independent_reviewers_is_the_largest_set_without_a_clash() -> None:
    chain = [facts("a", "x", "m1"), facts("b", "x", "m2"), facts("c", "y", "m2"), facts("d", "z", "m3")]
    assert most_independent(chain) == 3
    assert most_independent([facts(f"r{n}", f"s{n % 5}") for n in range(30)]) == 5
    assert most_independent([]) == 0
