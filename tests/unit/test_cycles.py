import json

from msd_review.consensus.agreement import build_consensus
from msd_review.consensus.cycles import cycle_summary, is_stalled, previous_summary
from msd_review.consensus.independence import reviewer_facts
from msd_review.consensus.model import Cluster, Consensus, Dismissal, PlanChange, PreviousCycle
from msd_review.report.history import read_history
from msd_review.review.findings import read_review
from msd_review.review.model import Review

DROP = "HIGH: `src/db/migrate.py:40` drops the `orders` column with no rollback path; a failed deploy loses customer data."
RETRY = "MEDIUM: The retry loop in `client.py:88` has no upper bound and never gives up."


def review(identity: str, *lines: str) -> Review:
    text = "## Concerns\n" + "\n".join(f"- {line}" for line in lines) + "\n\nSee `a/b.py:1`.\n"
    return read_review(text, identity=identity, slug=identity, section=identity)


def document(reviews: list[Review], consensus: Consensus, cycle: int = 1) -> dict[str, object]:
    return {
        "schema": "msd.reviews/1",
        "cycle": cycle,
        "reviewers": [{"identity": told.identity, "outcome": "review"} for told in reviews],
        "findings": [
            {"id": f.id, "identity": f.identity, "severity": f.severity.value, "status": f.status.value, "title": f.title, "body": f.body, "plan": f.plan,
             "citations": [{"path": c.path, "line": c.line} for c in f.citations]}
            for told in reviews
            for f in told.findings
        ],
        "clusters": [
            {
                "id": c.id,
                "severity": c.severity.value,
                "title": c.title,
                "findings": list(c.finding_ids),
                "reviewers": list(c.reviewers),
                "status": c.status,
                "first_seen_cycle": c.first_seen_cycle,
                "closed_in_cycle": c.closed_in_cycle,
                "demoted": c.demoted,
            }
            for c in consensus.clusters
        ],
    }  # fmt: skip


def cycle_after(
    reviews: list[Review], before: PreviousCycle | None = None
) -> tuple[Consensus, PreviousCycle]:
    consensus = build_consensus(reviews, reviewer_facts([], reviews), previous=before)
    cycle = before.cycle + 1 if before else 1
    read = read_history(json.dumps(document(reviews, consensus, cycle)).encode()).previous
    assert read is not None
    return consensus, read


def named(consensus: Consensus, word: str) -> Cluster:
    return next(cluster for cluster in consensus.clusters if word in cluster.title)


def test_a_concern_that_is_raised_again_in_other_words_keeps_its_id_and_is_open() -> None:
    first, before = cycle_after([review("codex", DROP, RETRY)])
    second, _ = cycle_after([review("codex", "HIGH: Dropping the `orders` column (`src/db/migrate.py:41`) still has no rollback; a bad deploy loses customer data.")], before)  # fmt: skip
    again = named(second, "orders")
    assert (again.id, again.status, again.first_seen_cycle) == (named(first, "orders").id, "open", 1)


def test_a_concern_is_resolved_when_its_reviewer_came_back_without_it() -> None:
    _, before = cycle_after([review("codex", DROP, RETRY)])
    second, _ = cycle_after([review("codex", RETRY)], before)
    gone = named(second, "orders")
    assert (gone.status, gone.closed_in_cycle, gone.note) == ("resolved", 2, "codex no longer raises it")
    assert named(second, "retry").status == "open"


def test_a_reviewer_that_delivered_nothing_has_not_changed_its_mind() -> None:
    _, before = cycle_after([review("codex", DROP), review("gemini", RETRY)])
    second, _ = cycle_after([review("gemini", RETRY)], before)
    kept = named(second, "orders")
    assert (kept.status, kept.note) == ("open", "codex raised this and delivered no review in this cycle")


def test_another_reviewer_may_call_it_resolved() -> None:
    _, before = cycle_after([review("codex", DROP)])
    prior = "## Prior findings\n- **HIGH: `orders` column dropped with no rollback path, a failed deploy loses customer data: RESOLVED.** `db/down.sql:1`\n\n## Concerns\n- LOW: naming `a/b.py:1`\n"
    other = read_review(prior, identity="gemini", slug="gemini", section="Gemini")
    second, _ = cycle_after([other], before)
    assert (named(second, "orders").status, named(second, "orders").note) == (
        "resolved",
        "gemini calls it resolved",
    )


def test_a_resolved_concern_that_returns_is_reopened_and_says_when_it_was_closed() -> None:
    _, one = cycle_after([review("codex", DROP, RETRY)])
    _, two = cycle_after([review("codex", RETRY)], one)
    three, _ = cycle_after([review("codex", DROP, RETRY)], two)
    back = named(three, "orders")
    assert (back.status, back.first_seen_cycle, back.note) == (
        "reopened",
        1,
        "closed in cycle 2, raised again",
    )


def test_the_plan_change_that_answers_a_concern_is_linked() -> None:
    reviews = [review("codex", DROP, RETRY)]
    _, before = cycle_after(reviews)
    change = PlanChange(plan="03-01-PLAN.md", before="# Plan\ndrop the column\n", after="# Plan\ndrop the column\nadd a rollback path for the orders column\n")  # fmt: skip
    now = [review("codex", RETRY)]
    second = build_consensus(now, reviewer_facts([], now), previous=before, plan_changes=[change])
    assert (
        named(second, "orders").note
        == 'answered by 03-01-PLAN.md:3 "add a rollback path for the orders column"; codex no longer raises it'
    )


def test_a_dismissal_is_honoured_until_the_cited_code_changes() -> None:
    first, before = cycle_after([review("codex", DROP)])
    concern = named(first, "orders")
    now = [review("codex", DROP)]

    def with_dismissal(current: dict[str, str]) -> Cluster:
        told = Dismissal(
            id=concern.id,
            because="we have backups",
            fingerprints={"src/db/migrate.py": "f1"},
            current=current,
        )
        consensus = build_consensus(now, reviewer_facts([], now), previous=before, dismissals=[told])
        return named(consensus, "orders")

    kept = with_dismissal({"src/db/migrate.py": "f1"})
    assert (kept.status, kept.dismissed_because) == ("dismissed", "we have backups")
    changed = with_dismissal({"src/db/migrate.py": "f2"})
    assert (changed.status, changed.note) == (
        "reopened",
        "dismissed before (we have backups); src/db/migrate.py changed since",
    )


def test_the_summary_counts_what_is_open_and_no_dismissed_demoted_or_resolved_concern() -> None:
    consensus, before = cycle_after(
        [review("codex", DROP, RETRY, "LOW: README names the old flag (`README.md:3`).")]
    )
    assert cycle_summary(consensus) == (1, 2)
    assert previous_summary(before) == (1, 2)


def test_a_cycle_that_brings_nothing_is_a_stall() -> None:
    _, before = cycle_after([review("codex", DROP, RETRY)])
    same, _ = cycle_after([review("codex", DROP, RETRY)], before)
    better, _ = cycle_after([review("codex", RETRY)], before)
    clean, _ = cycle_after([review("codex", "LOW: naming of `x` (`a/b.py:2`)")], before)
    assert is_stalled(same, before)
    assert not is_stalled(better, before)
    assert not is_stalled(clean, before)
    assert not is_stalled(same, None)
