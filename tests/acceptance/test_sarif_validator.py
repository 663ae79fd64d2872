"""What is written as SARIF is accepted by the validator of the format's authors, whatever reviewers wrote."""

from pathlib import Path

from msd_review.report.sarif import render_sarif
from msd_review.review.model import Citation, CitationVerdict, Severity
from tests.change_samples import feature
from tests.installed import Desk, example_desk, new_desk
from tests.report_samples import (
    GONE,
    GOOD,
    MOVED,
    cluster,
    consensus,
    failed_reviewer,
    finding,
    full_report,
    report,
    reviewer,
)
from tests.sarif_validator import complaints

HOSTILE = (
    "\x1b[31m</script> [x](javascript:1) {0} {unbalanced %d \u202e \ud800 \x00 [1](2) \U0001f480 "
    + "A" * 9_000
)
PATHS = (
    "docs/größe üb.md",
    "文档/说明 #1.md",
    "a b/100%/c?.py",
    "x{0}.py",
    "sp ace/[id]/page.tsx",
    "new\nline.py",
)


def test_the_validator_does_complain(tmp_path: Path) -> None:
    log = (
        render_sarif(full_report())
        .replace('"ruleIndex": 1', '"ruleIndex": 7')
        .replace('"startLine": 12', '"startLine": 0')
    )
    rules = {rule for rule, _, _ in complaints(log, tmp_path)}
    assert rules, "a log with a rule that is not there and a line 0"


def test_an_ordinary_review_is_accepted(tmp_path: Path) -> None:
    assert complaints(render_sarif(full_report()), tmp_path) == []


def test_a_review_of_nothing_and_one_that_failed_are_accepted(tmp_path: Path) -> None:
    assert complaints(render_sarif(report(exit_code=4)), tmp_path) == []
    assert complaints(render_sarif(report(failed_reviewer(detail=HOSTILE), exit_code=4)), tmp_path) == []


def test_hostile_text_and_paths_of_every_script_are_accepted(tmp_path: Path) -> None:
    places = tuple(
        Citation(
            raw=path, path=path, line=at, end_line=at + 2, verdict=CitationVerdict.VERIFIED, resolved=path
        )
        for at, path in enumerate(PATHS, start=1)
    )
    one = reviewer(
        "codex",
        findings=(
            finding("codex", title=HOSTILE, body=HOSTILE, citations=places),
            finding("codex", 2, title="", body="", citations=(GONE,)),
            finding("codex", 3, title="{0}", citations=(MOVED,), severity=Severity.UNRATED),
        ),
    )
    clusters = (
        cluster("codex", title=HOSTILE, status="dismissed", dismissed_because=HOSTILE),
        cluster("codex", id="C-2", title="", finding_ids=("codex-2",), demoted=True, status="dismissed"),
        cluster("codex", id="C-3", title="{0} and {1}", finding_ids=("codex-3",), severity=Severity.UNRATED),
    )
    log = render_sarif(report(one, consensus=consensus(*clusters, identities=("codex",)), title=HOSTILE))
    assert complaints(log, tmp_path) == []


def test_five_hundred_concerns_are_accepted(tmp_path: Path) -> None:
    many = tuple(finding("codex", number, citations=(GOOD,)) for number in range(1, 501))
    clusters = tuple(
        cluster("codex", id=f"C-{number:08x}", finding_ids=(f"codex-{number}",)) for number in range(1, 501)
    )
    log = render_sarif(report(reviewer("codex", findings=many), consensus=consensus(*clusters)))
    assert complaints(log, tmp_path) == []


def test_the_command_writes_what_is_accepted(tmp_path: Path) -> None:
    desk: Desk = example_desk(tmp_path)
    desk.run("review", "--phase", "2", "--lane", "grounding", "--yes", "--format", "sarif,md", "--json")
    written = next(desk.project.rglob("*REVIEWS.sarif"))
    assert complaints(written.read_text(encoding="utf-8"), tmp_path) == []


def test_the_review_of_a_change_is_accepted_with_a_baseline_and_without(tmp_path: Path) -> None:
    desk = new_desk(tmp_path)
    desk.project.rmdir()
    feature(desk.project)
    desk.claude(
        "## Concerns\n\n- HIGH: the total loses its last item (app.py:2)\n- LOW: {0} is no name (app.py:1)\n"
    )
    desk.run("code-review", "--claude", "--format", "sarif,json")
    written = (desk.project / "REVIEW.sarif").read_text(encoding="utf-8")
    assert '"app.py"' in written
    assert complaints(written, tmp_path) == []
