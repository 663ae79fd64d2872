import json

import pytest

from msd_review.outcomes import Mark
from msd_review.review.findings import read_review
from msd_review.review.model import FindingStatus, Review, Severity


def read(text: str, *, evidence_class: str = "source-grounded", marks: tuple[Mark, ...] = ()) -> Review:
    return read_review(
        text, identity="codex", slug="codex", section="Codex", marks=marks, evidence_class=evidence_class
    )


def test_a_finding_has_title_body_citations_suggestion_plan_and_line() -> None:
    review = read(
        "## Plan 03-02: API\n\n### Concerns\n\n"
        "- **HIGH:** **Tokens never expire.** `auth/token.py:12-14` sets no `exp`.\n"
        "  - Evidence: `auth/verify.py:9`\n"
        "  - Fix: set an expiry of one hour.\n"
    )
    (finding,) = review.findings
    assert finding.id == "codex-1"
    assert finding.severity is Severity.HIGH
    assert finding.title == "Tokens never expire."
    assert [(c.path, c.line, c.end_line) for c in finding.citations] == [
        ("auth/token.py", 12, 14),
        ("auth/verify.py", 9, None),
    ]
    assert finding.suggestion == "set an expiry of one hour."
    assert (finding.plan, finding.line, finding.status) == ("03-02", 5, FindingStatus.OPEN)


def test_marks_come_from_the_text_itself() -> None:
    assert read("REVIEWED-WITHOUT-REPO-ACCESS\n\n## Concerns\n- HIGH: x is wrong in `a.py:1`").marks == (
        Mark.WITHOUT_REPO_ACCESS,
    )
    assert read("1\n2\n3\n4\n5\n6\nREVIEWED-WITHOUT-REPO-ACCESS `a.py:1`").marks == ()
    assert read("## Concerns\n- HIGH: nothing is cited").marks == (Mark.NO_CITATIONS,)
    assert read("## Concerns\n- HIGH: bad `a.py:1`", evidence_class="diff-only").marks == (Mark.DIFF_ONLY,)
    assert read(
        "## Concerns\n- HIGH: bad `a.py:1`\n\n[output was truncated]", marks=(Mark.IMPORTED,)
    ).marks == (
        Mark.IMPORTED,
        Mark.TRUNCATED_OUTPUT,
    )


@pytest.mark.parametrize(
    ("text", "risk"),
    [
        ("## Risk Assessment\n**MEDIUM.** Fine.", "medium"),
        ("## Risk Assessment: LOW–MEDIUM", "medium"),
        ("Overall risk: **HIGH** until fixed.", "high"),
        ("# Review (risk: LOW)\ntext", "low"),
        ("## Risk\nThe overall risk is low, because the change is small.", "low"),
        ("| Plan | Risk |\n|--|--|\n| 01 | LOW |\n| 02 | HIGH |", "high"),
        ("## 01\n### Risk\nLOW\n## 02\n### Risk\nMEDIUM", "medium"),
        ("## Summary\nno word of it", None),
    ],
)
def test_the_overall_risk_is_found_wherever_it_stands(text: str, risk: str | None) -> None:
    assert read(text).overall_risk == (Severity(risk) if risk else None)


def _with_block(
    findings: list[dict[str, object]], prose: str = "## Concerns\n- **HIGH:** The lock is never released.\n"
) -> str:
    block = {"schema": "msd.findings/1", "overall_risk": "high", "findings": findings, "strengths": ["small"]}
    return f"{prose}\n```json\n{json.dumps(block)}\n```\n"


def test_a_valid_block_that_agrees_with_the_prose_wins() -> None:
    review = read(
        _with_block(
            [
                {
                    "severity": "high",
                    "title": "The lock is never released",
                    "body": "b",
                    "citations": ["a/b.py:3"],
                    "suggestion": "s",
                    "plan": "01",
                }
            ]
        )
    )
    (finding,) = review.findings
    assert review.source == "block"
    assert (finding.title, finding.suggestion, finding.plan, finding.line) == (
        "The lock is never released",
        "s",
        "01",
        2,
    )
    assert finding.citations[0].path == "a/b.py"
    assert [told.text for told in review.strengths] == ["small"]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (_with_block([]), "The machine-readable block was not used: it leaves out a HIGH finding of the prose."),
        (_with_block([{"severity": "terrible", "title": "t"}]), "The machine-readable block was not used: a finding in it is malformed."),
        ('## Concerns\n- HIGH: The lock\n\n```json\n{"schema": "msd.findings/1", "findings": [{"sev', "The machine-readable block was not used: it is cut."),
        ('## Concerns\n- HIGH: The lock\n\n```json\n{"schema": "msd.findings/1", "findings": [NaN]}\n```', "The machine-readable block was not used: it is not JSON."),
    ],
)  # fmt: skip
def test_a_block_that_is_cut_wrong_or_hides_findings_gives_way_to_the_prose(text: str, note: str) -> None:
    review = read(text)
    assert review.source == "prose"
    assert review.notes == (note,)
    assert [finding.severity for finding in review.findings] == [Severity.HIGH]


def test_a_fence_that_never_closes_hides_no_later_findings() -> None:
    text = "## Concerns\n- HIGH: a `x.py:1`\n```\n- LOW: behind a fence\n\n- MEDIUM: b is also wrong\n"
    assert [finding.severity.value for finding in read(text).findings] == ["high", "low", "medium"]


@pytest.mark.parametrize(
    "text",
    [
        "> " * 5_000 + "x",
        "- " * 20_000 + "x",
        "\n".join("  " * depth + "- HIGH: x" for depth in range(400)),
        "|" * 20_000 + "\n|" + "-|" * 10_000,
        "**" * 30_000,
        "`" * 50_000,
        "[" * 50_000,
        "~~" * 20_000,
        "(HIGH " * 10_000,
        "HIGH-MEDIUM/" * 10_000,
        "# " + "Concerns " * 10_000,
        "```\n" * 20_000,
        "## Concerns\n" + "- **HIGH:** same thing again and again\n" * 3_000,
        "\x00\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
    ],
    ids=range(14),
)
def test_hostile_markdown_is_read_in_bounded_time_and_never_raises(text: str) -> None:
    assert read(text).identity == "codex"


def test_only_the_first_two_mebibytes_are_read_and_that_is_said() -> None:
    review = read(
        "## Concerns\n- HIGH: early `a.py:1`\n" + ("filler " * 1_000 + "\n") * 310 + "\n- HIGH: late\n"
    )
    assert review.notes == ("Only the first 2 MiB of the text were read for findings.",)
    assert review.findings[0].title == "early `a.py:1`"
