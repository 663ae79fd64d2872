import random

from hypothesis import given, settings
from hypothesis import strategies as st

from msd_review.consensus.agreement import build_consensus
from msd_review.consensus.independence import reviewer_facts
from msd_review.consensus.model import Consensus
from msd_review.review.findings import read_review
from msd_review.review.model import Review

SENTENCES = [
    "HIGH: `a/db.py:4` drops the orders column with no rollback path, data is lost",
    "MEDIUM: removing the orders column cannot be rolled back (`a/db.py:6`)",
    "MEDIUM: the retry loop in `a/client.py:8` has no upper bound",
    "LOW: retries never give up when the server is down (`b/client.py:2`)",
    "LOW: the readme example uses the old flag (`README.md:3`)",
    "HIGH: the session token is kept in plain text (`a/auth.py:12`)",
    "HIGH: credentials are written to the log (`a/log.py:1`)",
]
REVIEWERS = st.lists(
    st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=5, unique=True), min_size=2, max_size=5
)


def _reviews(texts: list[list[str]]) -> list[Review]:
    return [
        read_review(
            "## Concerns\n" + "\n".join(f"- {line}" for line in lines),
            identity=f"r{at}",
            slug=f"r{at}",
            section=f"R{at}",
        )
        for at, lines in enumerate(texts)
    ]


def _consensus(reviews: list[Review]) -> Consensus:
    return build_consensus(reviews, reviewer_facts([], reviews))


@given(REVIEWERS, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_order_of_the_reviewers_changes_nothing(texts: list[list[str]], chance: random.Random) -> None:
    reviews = _reviews(texts)
    shuffled = list(reviews)
    chance.shuffle(shuffled)
    assert _consensus(reviews).clusters == _consensus(shuffled).clusters
    assert _consensus(reviews).strengths == _consensus(shuffled).strengths


@given(REVIEWERS)
@settings(max_examples=50, deadline=None)
def test_every_open_finding_is_in_exactly_one_cluster_and_ids_are_unique(texts: list[list[str]]) -> None:
    reviews = _reviews(texts)
    clusters = _consensus(reviews).clusters
    told = [name for cluster in clusters for name in cluster.finding_ids]
    assert sorted(told) == sorted(finding.id for review in reviews for finding in review.findings)
    assert len({cluster.id for cluster in clusters}) == len(clusters)


@given(REVIEWERS)
@settings(max_examples=40, deadline=None)
def test_agreement_needs_two_reviewers_and_the_severity_is_one_that_was_given(texts: list[list[str]]) -> None:
    for cluster in _consensus(_reviews(texts)).clusters:
        assert cluster.agreed == (len(cluster.reviewers) >= 2)
        assert cluster.independent_reviewers == len(cluster.reviewers)
        assert cluster.severity == max(cluster.severities.values(), key=lambda severity: severity.rank)
