import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.report.history import MAX_HISTORY_BYTES, History, read_history
from msd_review.report.json_document import document, render_json
from msd_review.report.markdown import render_markdown
from msd_review.report.model import ReviewReport, Skipped
from msd_review.report.terminal import cycle_line, summary_lines
from msd_review.review.model import FindingStatus, Severity
from tests.report_samples import (
    GOOD,
    cluster,
    consensus,
    failed_reviewer,
    finding,
    full_report,
    report,
    reviewer,
)

SCHEMAS = Path(__file__).parent.parent.parent / "docs" / "schemas"
SCHEMA = json.loads((SCHEMAS / "msd.reviews-1.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.schema.json")), ids=lambda path: path.name)
def test_every_schema_is_itself_valid_and_listed(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    name, _, version = path.name.removesuffix(".schema.json").rpartition("-")
    assert schema["title"] == f"{name}/{version}" == schema["properties"]["schema"]["const"]
    assert f"]({path.name})" in (SCHEMAS / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "of",
    [
        full_report(),
        report(),
        report(failed_reviewer(), phase=None, interrupted=True, exit_code=130),
        report(reviewer("x", instance="mimo", imported=True, trim="t", marks=tuple(Mark))),
        report(*(failed_reviewer(reason=reason) for reason in Reason)),
        report(*(failed_reviewer(outcome=outcome, reason=None) for outcome in Outcome)),
    ],
)
def test_every_document_follows_the_published_schema(of: ReviewReport) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(render_json(of)))


def test_the_document_holds_what_the_contract_names() -> None:
    found = document(full_report())
    assert found["schema"] == "msd.reviews/1"
    assert (found["run"], found["phase"], found["cycle"]) == ("20261130T120000Z-7f3a", "3", 2)
    codex = found["reviewers"][1]
    assert codex["identity"] == "codex"
    assert codex["usage"] == {"input_tokens": 12_000, "output_tokens": 900, "cost_usd": 0.25}
    assert codex["evidence"] == {"cited": 1, "verified": 1, "missing": 0}
    assert found["findings"][0]["citations"][1] == {
        "path": "lib/gone.py",
        "line": 7,
        "end_line": None,
        "symbol": None,
        "verdict": "missing",
        "resolved": None,
        "note": "no such file",
        "raw": "lib/gone.py:7",
    }
    assert [(c["id"], c["status"], c["agreed"]) for c in found["clusters"]] == [
        ("C-1a2b3c4d", "open", True),
        ("C-00000002", "new", False),
        ("C-00000003", "resolved", False),
    ]
    assert found["summary"] == {
        "delivered": ["gemini", "codex"],
        "failed": {"claude": "rate_limited"},
        "not_run": {"cursor": "missing_binary"},
        "findings": {"high": 1, "medium": 1, "low": 1},
        "clusters": {"high": 1, "medium": 0, "low": 1},
        "agreed": 1,
        "resolved": 1,
        "dismissed": 0,
        "evidence": {"cited": 4, "verified": 2, "moved": 1, "missing": 1},
        "current_high": 1,
        "current_actionable": 1,
        "notes": [],
        "exit_code": 0,
    }


def test_files_inside_the_tree_are_named_relative_to_it() -> None:
    of = report(files={"md": "/tree/a/03-REVIEWS.md", "json": "/elsewhere/x.json"})
    assert document(of)["files"] == {"md": "a/03-REVIEWS.md", "json": "/elsewhere/x.json"}


def test_a_lone_surrogate_does_not_break_the_document() -> None:
    render_json(report(reviewer("codex"), plans=("bad\udcff.md",))).encode()


def test_findings_about_earlier_concerns_and_of_unfinished_reviews_are_not_counted() -> None:
    quoted = finding("codex", 2, status=FindingStatus.QUOTED)
    cut = reviewer("gemini", outcome=Outcome.PARTIAL, reason=Reason.TIMEOUT)
    found = document(report(reviewer("codex", findings=(finding("codex"), quoted)), cut))
    assert len(found["findings"]) == 3
    assert found["summary"]["findings"] == {"high": 1, "medium": 0, "low": 0}


def test_the_cycle_line_counts_distinct_open_concerns_whose_evidence_is_there() -> None:
    clusters = [
        cluster("codex", id="C-1", severity=Severity.MEDIUM),
        cluster("codex", id="C-2", severity=Severity.HIGH, demoted=True),
        cluster("codex", id="C-3", severity=Severity.LOW),
        cluster("codex", id="C-4", severity=Severity.HIGH, status="dismissed"),
        cluster("codex", id="C-5", severity=Severity.HIGH),
    ]
    of = report(reviewer("codex"), consensus=consensus(*clusters, identities=("codex",)))
    assert cycle_line(of) == "CYCLE_SUMMARY: current_high=1 current_actionable=2"


def test_the_summary_says_who_what_where_and_what_next() -> None:
    of = replace(full_report(), files={"md": ".planning/phases/03-import/03-REVIEWS.md"})
    assert summary_lines(of) == (
        "Review of Phase 3, cycle 2",
        "  reviewed    gemini (gemini-model, 42 s), codex (codex-model, 42 s)",
        "  failed      claude: rate_limited: API Error: Rate limit reached → wait, or use another account",
        "  unavailable cursor: missing_binary: cursor-agent is not on PATH",
        "  concerns    1 high, 0 medium, 1 low",
        "  agreed      HIGH The import path does not exist (codex and gemini) src/app.py:12",
        "  evidence    4 places cited: 2 verified, 1 moved, 1 missing",
        "  written     .planning/phases/03-import/03-REVIEWS.md",
        "  next        address 1 HIGH concern in the plan, then `msd review --phase 3`",
        "              `msd review --phase 3 --resume --retry-failed` runs again only what failed",
        "CYCLE_SUMMARY: current_high=1 current_actionable=1",
    )


def test_reviewers_that_nobody_named_share_a_line_when_they_share_a_reason() -> None:
    missing = [
        Skipped(
            identity=name,
            outcome="unavailable",
            reason="missing_binary",
            detail=f"{name} is not on PATH",
            named=name == "c",
        )
        for name in "abc"
    ]
    of = report(reviewer("codex", findings=()), skipped=tuple(missing))
    lines = summary_lines(of)
    assert "  unavailable c: missing_binary: c is not on PATH" in lines
    assert "  unavailable a, b: missing_binary → `msd lane list` says what each needs" in lines
    assert (
        "c was not run: missing_binary, c is not on PATH.  \na and b were not run: missing_binary.\n"
        in render_markdown(of)
    )


@pytest.mark.parametrize(
    ("hints", "shown"),
    [
        (("agree for one run: --a", "agree for one run: --b"), "agree for one run: --a, --b"),
        (("log in", "log in"), "log in"),
        (("get a", "get b"), "`msd lane list` says what each needs"),
        (("log in", None), "`msd lane list` says what each needs"),
    ],
)
def test_reviewers_that_share_a_line_share_their_way_out_where_it_is_one(
    hints: tuple[str | None, ...], shown: str
) -> None:
    blocked = [
        Skipped(identity=name, outcome="blocked", reason="not_consented", detail="", hint=hint)
        for name, hint in zip("ab", hints, strict=True)
    ]
    lines = summary_lines(report(reviewer("codex", findings=()), skipped=tuple(blocked)))
    assert f"  blocked     a, b: not_consented → {shown}" in lines


def test_a_concern_without_evidence_that_was_found_is_counted_and_said_to_be_one() -> None:
    groundless = cluster("codex", demoted=True)
    lines = summary_lines(report(reviewer("codex"), consensus=consensus(groundless, identities=("codex",))))
    assert "  concerns    1 high, 0 medium, 0 low; 1 of them without evidence that was found" in lines
    assert (
        "  next        nothing HIGH or MEDIUM with evidence that was found stands against the plan" in lines
    )


def test_a_clean_review_says_that_nothing_stands() -> None:
    lines = summary_lines(
        report(reviewer("codex", findings=()), phase=None, title="PLAN.md", plans=("my PLAN.md",))
    )
    assert lines[0] == "Review of PLAN.md"
    assert "  concerns    none open" in lines
    assert lines[-3:-1] == (
        "  next        nothing HIGH or MEDIUM stands against the plan",
        "              agreement needs two independent reviewers; `msd lane list` shows who could join",
    )


def test_without_any_review_the_way_out_is_said() -> None:
    skipped = Skipped(
        identity="x", outcome="blocked", reason="not_consented", detail="nobody agreed", hint="say yes"
    )
    lines = summary_lines(report(skipped=(skipped,)))
    assert "  reviewed    nobody" in lines
    assert "  blocked     x: not_consented: nobody agreed → say yes" in lines
    assert "  next        no reviewer delivered a review; `msd doctor` says what stands in the way" in lines


def test_no_line_of_the_summary_holds_a_control_character() -> None:
    nasty = "a\x1b[31m\r\nb\u202e"
    of = report(
        reviewer(nasty, findings=(finding(nasty, citations=(GOOD,)),), model=nasty),
        failed_reviewer(detail=nasty, hint=nasty),
        consensus=consensus(cluster(nasty, title=nasty), identities=(nasty,)),
        warnings=(nasty,),
        title=nasty,
        phase=None,
        plans=(nasty,),
        files={"md": nasty},
    )
    assert all(line.isprintable() for line in summary_lines(of))


def test_what_was_written_is_read_back() -> None:
    of = full_report()
    history = read_history(render_json(of).encode())
    assert (history.run, history.next_cycle, history.warnings) == (of.run, 3, ())
    assert history.previous is not None
    assert history.previous.reviewers == ("gemini", "codex", "claude")
    first, second, third = history.previous.clusters
    assert (first.id, first.severity, first.status, first.reviewers) == (
        "C-1a2b3c4d",
        Severity.HIGH,
        "open",
        ("codex", "gemini"),
    )
    assert first.body.startswith("The import path does not exist\nTask 2 imports")
    assert [citation.raw for citation in first.citations] == [
        "src/app.py:12",
        "src/app.py:12",
        "lib/gone.py:7",
    ]
    assert (second.title, third.closed_in_cycle) == ("No rollback", 2)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is not JSON"),
        (b"\xff\xfe", "it is not JSON"),
        (b"[" * 200_000, "it is not JSON"),
        (b'{"schema":"msd.reviews/1","cycle":' + b"9" * 5_000 + b"}", "it is not JSON"),
        (b"[]", "its schema is not msd.reviews/1"),
        (b'{"schema":"msd.reviews/2"}', "its schema is not msd.reviews/1"),
        (b" " * (MAX_HISTORY_BYTES + 1), "it is larger than 32 MiB"),
    ],
)
def test_a_file_that_cannot_be_used_counts_as_no_history(content: bytes, why: str) -> None:
    warning = f"the last review cannot be used: {why}; this counts as the first cycle"
    assert read_history(content) == History(warnings=(warning,))


@pytest.mark.parametrize(
    "change",
    [
        {"id": ""},
        {"id": 7},
        {"title": None},
        {"severity": "fatal"},
        {"status": "weird"},
        {"severity": []},
    ],
)
def test_one_broken_entry_is_left_out_and_counted(change: dict[str, Any]) -> None:
    found = document(full_report())
    found["clusters"][0].update(change)
    history = read_history(json.dumps(found).encode())
    assert history.previous is not None
    assert [one.id for one in history.previous.clusters] == ["C-00000002", "C-00000003"]
    assert history.warnings == ("the last review holds 1 entry that cannot be read",)


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [None, 1, "x", [], {}], True])
def test_any_value_anywhere_is_survived(value: object) -> None:
    whole = document(full_report())
    for key in ("cycle", "run", "clusters", "findings"):
        assert read_history(json.dumps({**whole, key: value}).encode()).next_cycle >= 2
    for row in (whole["clusters"][0], whole["findings"][0]):
        for key in row:
            read_history(
                json.dumps(
                    {**whole, "clusters": [{**row, key: value}], "findings": [{**row, key: value}]}
                ).encode()
            )


def test_a_run_that_delivered_no_review_is_no_cycle() -> None:
    failed = render_json(report(failed_reviewer(), cycle=3)).encode()
    assert read_history(failed).next_cycle == 3
    first = render_json(report(failed_reviewer(), cycle=1)).encode()
    assert (read_history(first).next_cycle, read_history(first).previous) == (1, None)
    assert read_history(render_json(report(reviewer("codex"), cycle=3)).encode()).next_cycle == 4
