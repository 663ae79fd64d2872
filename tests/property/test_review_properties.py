from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msd_review.review.clean import clean_text
from msd_review.review.findings import read_review
from msd_review.review.model import Severity

PIECES = st.sampled_from(
    ["\x1b[31m", "\x1b]0;", "\x07", "\x9b", "\r\n", "\r", "\u202e", "\u200d", "\ufeff", "<think>", "</think>", "\n</think>\n", "[THINK]",
     "## Concerns\n", "### HIGH\n", "- HIGH: ", "**MEDIUM** — ", "(LOW)", "| Severity | Concern |\n|--|--|\n", "| HIGH | x |\n", "```", "```json\n",
     "~~~\n", "> ", "1. ", "  - Severity: HIGH\n", "RESOLVED", "~~", "**", "`", "src/a.py:12", "🔴 ", "\n", "\n\n", " ", "高：", "text"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(PIECES | st.text(max_size=12), max_size=40).map("".join))


@given(st.one_of(TEXTS, st.binary(max_size=200)))
@settings(max_examples=300)
def test_cleaning_twice_is_cleaning_once_and_leaves_no_control_character(raw: str | bytes) -> None:
    once = clean_text(raw)
    assert clean_text(once) == once
    assert not any(ord(char) < 32 and char not in "\n\t" or 0x7F <= ord(char) < 0xA0 for char in once)
    assert not any(
        char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u200b" for char in once
    )


@given(TEXTS)
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_any_text_is_read_without_an_error_into_findings_inside_the_text(raw: str) -> None:
    text = clean_text(raw)
    review = read_review(text, identity="r", slug="r", section="R")
    lines = text.count("\n") + 1
    assert all(1 <= finding.line <= lines and finding.title for finding in review.findings)
    assert [finding.id for finding in review.findings] == [
        f"r-{at + 1}" for at in range(len(review.findings))
    ]


CONCERNS = st.lists(
    st.tuples(
        st.sampled_from(["HIGH", "MEDIUM", "LOW"]),
        st.lists(st.sampled_from(["queue", "token", "cache", "parser", "index", "worker", "schema", "socket"]), min_size=3, max_size=6, unique=True),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda concern: tuple(sorted(concern[1])),
)  # fmt: skip
SHAPES = st.sampled_from(["- **{0}:** the {1} breaks", "- [{0}] the {1} breaks", "- `{0}`: the {1} breaks", "{n}. {0} — the {1} breaks", "- the {1} breaks: [{0}]",
                          "### {0} — the {1} breaks\n\nBecause.\n", "**{0}** – the {1} breaks\n", "- the {1} breaks\n  - Severity: {0}"])  # fmt: skip


@given(CONCERNS, SHAPES)
@settings(max_examples=100, deadline=None)
def test_a_list_of_concerns_in_any_shape_is_read_whole_with_its_severities(
    concerns: list[tuple[str, list[str]]], shape: str
) -> None:
    lines = [
        shape.format(severity, " ".join(words), n=at)
        for at, (severity, words) in enumerate(concerns, start=1)
    ]
    review = read_review("## Concerns\n\n" + "\n".join(lines), identity="r", slug="r", section="R")
    assert [finding.severity for finding in review.findings] == [
        Severity(severity.lower()) for severity, _ in concerns
    ]
