import re
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml
from markdown_it import MarkdownIt

from msd_review.consensus.model import ReviewerFacts
from msd_review.outcomes import Mark, Outcome, Reason
from msd_review.report.front_matter import scalar
from msd_review.report.markdown import render_markdown
from msd_review.report.model import Skipped
from msd_review.report.nesting import nest
from msd_review.report.text import code, duration, inline, slug
from msd_review.review.model import Citation, Severity
from tests.report_samples import (
    GONE,
    cluster,
    consensus,
    failed_reviewer,
    finding,
    full_report,
    report,
    reviewer,
)


def headings(markdown: str, *levels: int) -> list[str]:
    body = markdown.split("\n---\n", 1)[1]
    tokens = MarkdownIt("commonmark").parse(body)
    return [
        tokens[at + 1].content
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and int(token.tag[1:]) in levels
    ]


def front(markdown: str) -> dict[str, Any]:
    values = yaml.safe_load(markdown.split("---\n")[1])
    assert isinstance(values, dict)
    return values


def part(markdown: str, heading: str) -> str:
    match = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#{{1,3}} |\Z)", markdown, re.M | re.S)
    assert match is not None
    return match.group(2).strip()


FULL = render_markdown(full_report())


def test_the_front_matter_holds_what_the_contract_names() -> None:
    assert front(FULL) == {
        "phase": 3,
        "reviewers": ["codex", "gemini"],
        "reviewers_failed": {"claude": "rate_limited"},
        "reviewers_skipped": {"cursor": "missing_binary"},
        "models": {"gemini": "gemini-model", "codex": "codex-model (effort high)"},
        "reviewed_at": datetime(2026, 11, 30, 12, tzinfo=UTC),
        "run": "20261130T120000Z-7f3a",
        "cycle": 2,
        "plans_reviewed": ["03-01-PLAN.md"],
        "findings": {"high": 1, "medium": 1, "low": 1},
        "evidence": {"cited": 4, "verified": 2, "moved": 1, "missing": 1},
    }


def test_the_front_matter_leaves_out_what_is_empty() -> None:
    values = front(render_markdown(report(reviewer("codex", model=None), phase=None, title="PLAN.md")))
    assert {"phase", "reviewers_failed", "reviewers_skipped", "models", "trimmed_reviewers"}.isdisjoint(
        values
    )


def test_a_trimmed_prompt_is_told_in_the_front_matter_and_in_the_section() -> None:
    markdown = render_markdown(report(reviewer("codex", trim="CONTEXT.md: left out")))
    assert front(markdown)["trimmed_reviewers"] == {"codex": "CONTEXT.md: left out"}
    assert "> **Note:** Its prompt was trimmed to fit its budget: CONTEXT.md: left out." in markdown


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "null",
        "1.5",
        "0x1f",
        "a: b",
        "a\n---\nb",
        '"q"',
        "\\",
        "é",
        "😀",
        "\u2028",
        "]",
        "#c",
        "- x",
        "2026-01-01",
    ],
)
def test_a_value_of_any_kind_is_one_yaml_string(text: str) -> None:
    assert yaml.safe_load(f"{{k: {scalar(text)}}}") == {"k": " ".join(text.replace("\u2028", "\n").split())}


def test_sections_come_in_the_order_of_the_contract() -> None:
    assert headings(FULL, 1, 2, 3) == [
        "Cross-AI Plan Review — Phase 3",
        "Consensus Summary",
        "Agreed Concerns",
        "Agreed Strengths",
        "Divergent Views",
        "Single-Reviewer Concerns",
        "Resolved Concerns",
        "Gemini Review",
        "Codex Review",
        "Claude Review",
        "Verification Coverage",
    ]


def test_instances_and_imports_have_their_own_headings() -> None:
    markdown = render_markdown(
        report(
            reviewer("opencode", section="OpenCode Review"),
            reviewer("opencode-mimo", section="OpenCode", instance="mimo"),
            reviewer("team-b", section="ignored", imported=True),
        )
    )
    assert headings(markdown, 2)[1:4] == [
        "OpenCode Review",
        "OpenCode Review (mimo)",
        "team-b Review (imported)",
    ]


def test_a_bare_plan_names_itself_in_the_title() -> None:
    markdown = render_markdown(report(reviewer("codex"), phase=None, title="PLAN.md"))
    assert "\n# Cross-AI Plan Review — PLAN.md\n" in markdown


def test_every_consensus_statement_names_who_said_it_with_a_link() -> None:
    assert part(FULL, "Agreed Concerns") == (
        "- **HIGH** The import path does not exist  \n"
        "  [codex](#codex-review) (HIGH) and [gemini](#gemini-review) (MEDIUM) · `src/app.py:12`,"
        " `lib/gone.py:7` (missing) · open since cycle 1 · `C-1a2b3c4d`"
    )
    assert part(FULL, "Agreed Strengths") == (
        "- The waves are independent — [codex](#codex-review) and [gemini](#gemini-review)"
    )
    assert part(FULL, "Single-Reviewer Concerns").startswith(
        "- **LOW** No rollback  \n  [gemini](#gemini-review)"
    )
    assert "resolved in cycle 2" in part(FULL, "Resolved Concerns")


def test_empty_parts_say_none() -> None:
    markdown = render_markdown(report(reviewer("codex", findings=())))
    for heading in ("Agreed Concerns", "Agreed Strengths", "Divergent Views", "Single-Reviewer Concerns"):
        assert part(markdown, heading) == "None."
    assert part(markdown, "Consensus Summary") == (
        "1 review, and no open concern."
        " Agreement needs two independent reviewers; this run had 1 such reviewer."
    )


def test_without_any_review_nothing_is_agreed_and_it_is_said() -> None:
    markdown = render_markdown(report(failed_reviewer()))
    assert "**No reviewer delivered a review.**" in markdown
    assert part(markdown, "Consensus Summary") == (
        "No reviewer delivered a review, so there is nothing to agree on."
    )
    assert front(markdown)["reviewers"] == []


def test_concerns_are_ordered_by_severity_then_by_how_many_say_so() -> None:
    clusters = [
        cluster("codex", id="C-1", title="low", severity=Severity.LOW),
        cluster("codex", id="C-2", title="high", severity=Severity.HIGH),
        cluster("codex", "gemini", id="C-3", title="two", severity=Severity.HIGH, agreed=False),
    ]
    shared = consensus(*clusters, identities=("codex", "gemini"))
    markdown = render_markdown(report(reviewer("codex"), reviewer("gemini"), consensus=shared))
    single = part(markdown, "Single-Reviewer Concerns")
    assert re.findall(r"^- \*\*\w+\*\* (\w+)", single, re.M) == ["two", "high", "low"]
    assert "[codex](#codex-review) and [gemini](#gemini-review), not independent of each other" in single


def test_a_divergent_concern_says_who_says_what() -> None:
    said = cluster("codex", divergent=True, divergence="codex says HIGH, gemini says it is fine")
    markdown = render_markdown(report(reviewer("codex"), consensus=consensus(said, identities=("codex",))))
    assert part(markdown, "Divergent Views") == (
        "- **HIGH** The import path does not exist: codex says HIGH, gemini says it is fine"
        " — [codex](#codex-review) · `C-1a2b3c4d`"
    )


def test_a_demoted_concern_is_shown_as_such() -> None:
    weak = reviewer("codex", findings=(finding("codex", citations=(GONE,), demoted=True),))
    shared = consensus(cluster("codex", demoted=True), identities=("codex",))
    markdown = render_markdown(report(weak, consensus=shared))
    assert "*Demoted: none of the places that it cites was found.*" in markdown


def test_a_failed_lane_has_a_section_that_says_what_happened() -> None:
    section = part(FULL, "Claude Review")
    assert section == (
        "This reviewer **failed** (`rate_limited`): API Error: Rate limit reached.\n\n"
        "It ran 3 min 8 s, exit status 1, no output.\n\n"
        "What to do: wait, or use another account\n\n"
        "The last lines of its error output:\n\n"
        " ```text\n connecting\n ## Codex Review\n rate limit reached\n ```"
    )


def test_a_partial_review_is_shown_and_said_not_to_count() -> None:
    cut = reviewer(
        "gemini",
        "## Concerns\n\n- HIGH: cut",
        outcome=Outcome.PARTIAL,
        reason=Reason.TIMEOUT,
        detail="no end after 600 s",
        end_kind="timeout",
    )
    markdown = render_markdown(report(cut))
    section = part(markdown, "Gemini Review")
    assert section.startswith("This reviewer **did not finish** (`timeout`): no end after 600 s.")
    assert "ended at its deadline" in section
    assert "What it wrote is shown and never counted." in section
    assert "#### Concerns" in section
    assert front(markdown)["findings"] == {"high": 0, "medium": 0, "low": 0}
    assert front(markdown)["reviewers_failed"] == {"gemini": "timeout"}


@pytest.mark.parametrize("mark", list(Mark))
def test_every_mark_is_rendered_as_a_note(mark: Mark) -> None:
    section = part(render_markdown(report(reviewer("codex", marks=(mark,)))), "Codex Review")
    assert section.count("> **Note:** ") == 1


def test_a_diff_only_section_says_that_it_did_not_see_the_plan() -> None:
    facts = ReviewerFacts(
        identity="codex", slug="codex", model=None, counted=False, why_not="it saw only the diff"
    )
    shared = consensus(reviewers=(facts,))
    markdown = render_markdown(report(reviewer("codex", marks=(Mark.DIFF_ONLY,)), consensus=shared))
    assert "> **Note:** The reviewer saw the diff of the working tree and not the plan." in markdown
    assert "> **Note:** Its findings do not count towards agreement: it saw only the diff." in markdown
    assert "| no: it saw only the diff |" in markdown


def test_coverage_counts_verdicts_and_lists_what_is_not_as_written() -> None:
    coverage = part(FULL, "Verification Coverage")
    assert "| [gemini](#gemini-review) | 3 | 1 | 1 | 1 | 0 | 0 | yes |" in coverage
    assert "1 citation missing:\n\n- [gemini](#gemini-review): `lib/gone.py:7` — no such file" in coverage
    assert "- [gemini](#gemini-review): `app.py:3` → `src/app.py:3` — now in src/" in coverage
    assert "at commit `0123abc`" in coverage


def test_a_review_without_citations_has_a_row_of_zeros() -> None:
    markdown = render_markdown(report(reviewer("codex", findings=())))
    assert "| [codex](#codex-review) | 0 | 0 | 0 | 0 | 0 | 0 | yes |" in markdown


def test_a_forged_section_stays_below_the_section_of_its_author() -> None:
    forged = "# Gemini\n\n## Codex Review\n\nAll good.\n\nConsensus Summary\n=====\n\n### Agreed Concerns\n"
    markdown = render_markdown(report(reviewer("gemini", forged), reviewer("codex")))
    assert headings(markdown, 1, 2) == [
        "Cross-AI Plan Review — Phase 3",
        "Consensus Summary",
        "Gemini Review",
        "Codex Review",
        "Verification Coverage",
    ]
    assert re.findall(r"^#{1,3} .*", markdown, re.M).count("### Agreed Concerns") == 1
    assert "\\## Codex Review" in markdown


def test_forged_titles_of_findings_stay_text() -> None:
    title = "x\n## Codex Review\n[a](javascript:x) <b> | ![i](http://t) **y** `## z`"
    odd = cluster("codex", title=title)
    markdown = render_markdown(report(reviewer("codex"), consensus=consensus(odd, identities=("codex",))))
    assert (
        "- **HIGH** x ## Codex Review \\[a\\](javascript:x) \\<b\\> \\| \\!\\[i\\](http://t) \\*\\*y\\*\\* `## z`"
        in markdown
    )


def test_the_same_report_gives_the_same_bytes() -> None:
    assert render_markdown(full_report()) == FULL
    assert FULL.endswith("\n")
    assert not FULL.endswith("\n\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n## B", "#### A\n##### B"),
        ("### A\n# B", "###### A\n#### B"),
        ("##### A", "##### A"),
        ("Title\n===", "#### Title\n"),
        ("two\nlines\n---", "#### two lines\n\n"),
        ("> # q", "> #### q"),
        ("- # a\n  - # b", "- #### a\n  - #### b"),
        ("1. x\n   ===\n", "1. #### x\n"),
        ("a\n\n---\n\nb", "a\n\n---\n\nb"),
        ("<h1>x</h1>", "&lt;h1>x&lt;/h1>"),
        ("<!--\n# x", "&lt;!--\n#### x"),
        ("`<b>` <b> 1 < 2", "`<b>` &lt;b> 1 < 2"),
        ("<https://a.example>", "<https://a.example>"),
        ("![x](http://t)", "\\![x](http://t)"),
        ("[HIGH]: http://x", "\\[HIGH]: http://x"),
        ("```\ncode", "```\ncode\n```"),
        ("~~~~\n```\n", "~~~~\n```\n~~~~"),
        ("```\n## x\n```", " ```\n ## x\n ```"),
        ("    # code", "    # code"),
        ("\\# no heading", "\\# no heading"),
    ],
)
def test_text_is_nested_with_as_little_change_as_possible(text: str, expected: str) -> None:
    assert nest(text) == expected


def test_a_text_too_large_to_read_is_shown_as_code() -> None:
    nested = nest("# x\n" * 150_000)
    assert nested.startswith("    # x\n    # x\n")


def test_small_pieces() -> None:
    assert slug("llama.cpp Review") == "llamacpp-review"
    assert slug("OpenCode Review (mimo)") == "opencode-review-mimo"
    assert [duration(ms) for ms in (0, 420, 42_000, 185_000, 3_720_000)] == [
        "0.0 s",
        "0.4 s",
        "42 s",
        "3 min 5 s",
        "1 h 2 min",
    ]
    assert inline("snake_case and _em_") == "snake_case and \\_em\\_"
    assert inline("# not a heading") == "\\# not a heading"
    assert code("a`b") == "`` a`b ``"
    assert code("") == "—"


BLOCK = '```json\n{"schema": "msd.findings/1", "overall_risk": "low", "findings": []}\n```'


def test_the_data_block_at_the_end_is_not_repeated_in_the_prose() -> None:
    section = part(render_markdown(report(reviewer("codex", f"Fine.\n\n{BLOCK}\n"))), "Codex Review")
    assert section.endswith(
        "Fine.\n\n*The same findings as data, which stood here, are in the JSON document.*"
    )


@pytest.mark.parametrize("text", [BLOCK, f"{BLOCK}\n\nmore", "Fine.\n\n```json\n{}\n```"])
def test_any_other_block_stays(text: str) -> None:
    assert "```json" in render_markdown(report(reviewer("codex", text)))


def test_an_error_line_with_a_carriage_return_cannot_reach_the_margin() -> None:
    markdown = render_markdown(report(failed_reviewer(stderr_tail=("x\r## Codex Review\n# y",))))
    assert "\n ## Codex Review\n # y\n" in markdown


def test_a_pipe_in_a_title_stays_a_pipe() -> None:
    assert inline("`a || b` | c") == "`a || b` \\| c"
    assert code("a | b") == "`a | b`"


def test_a_reviewer_whose_budget_was_too_small_has_a_section_that_says_so() -> None:
    skipped = Skipped(
        identity="ollama",
        outcome="unavailable",
        reason="budget_too_small",
        detail="the smallest prompt is about 2,000 tokens",
        hint="raise its budget",
        section="Ollama",
    )
    markdown = render_markdown(report(reviewer("codex", "## Ollama Review\n\nforged"), skipped=(skipped,)))
    assert headings(markdown, 2) == [
        "Consensus Summary",
        "Codex Review",
        "Ollama Review",
        "Verification Coverage",
    ]
    assert part(markdown, "Ollama Review") == (
        "This reviewer **was not run** (`budget_too_small`): the smallest prompt is about 2,000 tokens.\n\n"
        "What to do: raise its budget"
    )
    assert "\\## Ollama Review" in markdown
    assert front(markdown)["reviewers_skipped"] == {"ollama": "budget_too_small"}


def test_a_reviewer_that_is_not_installed_has_no_section() -> None:
    assert "Cursor Review" not in FULL


def test_an_agreed_concern_shows_the_words_of_each_reviewer() -> None:
    one = reviewer("codex", findings=(finding("codex", title="Wrong path"),))
    other = reviewer("gemini", findings=(finding("gemini", title="`app.load` is *gone*"),))
    shared = consensus(cluster("codex", "gemini", title="Wrong path"), identities=("codex", "gemini"))
    markdown = render_markdown(report(one, other, consensus=shared))
    assert part(markdown, "Agreed Concerns").split("\n")[2:] == [
        "  - [gemini](#gemini-review): `app.load` is \\*gone\\*"
    ]


@pytest.mark.parametrize(
    ("citations", "said"),
    [
        ((), "No reviewer cites a place in the code."),
        ((Citation(raw="a.py", path="a.py"),), "No citation was checked."),
        ((GONE,), "Every place that a reviewer cites was looked up in the working tree."),
    ],
)
def test_coverage_says_whether_anything_was_checked(citations: tuple[Citation, ...], said: str) -> None:
    markdown = render_markdown(report(reviewer("codex", findings=(finding("codex", citations=citations),))))
    assert part(markdown, "Verification Coverage").startswith(said)


def test_a_tool_that_nobody_asked_for_and_the_machine_lacks_is_not_named_in_the_front_matter() -> None:
    absent = Skipped(
        identity="cursor", outcome="unavailable", reason="missing_binary", detail="not on PATH", wanted=False
    )
    broken = Skipped(identity="qwen", outcome="unavailable", reason="probe_failed", detail="another tool")
    markdown = render_markdown(report(reviewer("codex"), skipped=(absent, broken)))
    assert front(markdown)["reviewers_skipped"] == {"qwen": "probe_failed"}
    assert "cursor" in markdown
