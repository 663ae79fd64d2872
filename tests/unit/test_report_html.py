import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from msd_review.outcomes import Mark
from msd_review.report.html import render_html
from msd_review.report.model import ReviewReport
from msd_review.report.quotes import WantedQuote, quote_lines, wanted_quotes
from msd_review.review.model import Severity
from tests.report_samples import GONE, GOOD, MOVED, cluster, consensus, finding, full_report, report, reviewer

HOSTILE = '</div></script><script>alert(1)</script><img src=x onerror=alert(1)>" onclick="x" {{ 7*7 }} \u202e'


class Page(HTMLParser):
    """Every element with its attributes, and whether tags are balanced."""

    VOID = frozenset({"meta", "link", "input", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def hostile_report() -> ReviewReport:
    bad = reviewer(
        HOSTILE,
        HOSTILE,
        findings=(finding(HOSTILE, title=HOSTILE, body=HOSTILE, suggestion=HOSTILE),),
        section=HOSTILE,
        trim=HOSTILE,
        detail=HOSTILE,
        marks=(Mark.MODEL_MISMATCH,),
    )
    shared = consensus(cluster(HOSTILE, title=HOSTILE, divergence=HOSTILE), identities=(HOSTILE,))
    return report(
        bad,
        consensus=shared,
        title=HOSTILE,
        phase=None,
        plans=(HOSTILE,),
        warnings=(HOSTILE,),
        sources={"src/app.py:12": HOSTILE},
    )


def test_the_page_is_well_formed_and_asks_for_nothing_outside_itself() -> None:
    page = Page(render_html(full_report()))
    assert page.open == []
    for tag, attributes in page.elements:
        assert not {"src", "srcset", "action", "style"} & attributes.keys(), tag
        assert all(not name.startswith("on") for name in attributes)
        assert (attributes.get("href") or "#").startswith(("#", "data:,"))


def test_the_policy_lets_only_the_page_s_own_style_and_script_run() -> None:
    text = render_html(full_report())
    policy = next(m for m in Page(text).named("meta") if m.get("http-equiv") == "Content-Security-Policy")[
        "content"
    ]
    for tag in ("style", "script"):
        match = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        assert match is not None
        digest = base64.b64encode(hashlib.sha256(match.group(1).encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in str(policy)
    assert "default-src 'none'" in str(policy)
    assert "unsafe" not in str(policy)


def test_hostile_text_is_shown_as_text() -> None:
    page = Page(render_html(hostile_report()))
    assert page.open == []
    assert len(page.named("script")) == 1
    assert page.named("img") == []
    assert all(not name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert any("<script>alert(1)</script>" in word for word in page.words)
    assert "{{ 7*7 }}" in "".join(page.words)
    assert "\u202e" not in "".join(page.words)


def test_the_matrix_has_a_row_for_each_concern_and_a_column_for_each_reviewer() -> None:
    page = Page(render_html(full_report()))
    rows = [attributes for attributes in page.named("tr") if "data-for" in attributes]
    articles = page.named("article")
    assert [row["data-for"] for row in rows] == [article["id"] for article in articles]
    assert [article["data-severity"] for article in articles] == ["high", "low", "high"]
    assert [article["data-status"] for article in articles] == ["open", "new", "resolved"]
    assert articles[0]["data-reviewers"] == '["codex", "gemini"]'
    assert articles[0]["data-files"] == '["lib/gone.py", "src/app.py"]'


def test_a_reviewer_that_failed_does_not_look_like_one_that_found_nothing() -> None:
    text = render_html(full_report())
    assert '<a href="#r3">claude</a> <span class="tag failed">failed</span></th>' in text
    assert text.count("<td>no review</td>") == 3


def test_a_citation_opens_its_quoted_lines_and_a_missing_one_has_none() -> None:
    one = reviewer("codex", findings=(finding("codex", citations=(GOOD, GONE)),))
    shared = consensus(cluster("codex"), identities=("codex",))
    sources = {"src/app.py:12": "> 12  def load():", "lib/gone.py:7": "never shown"}
    text = render_html(report(one, consensus=shared, sources=sources))
    assert "<summary><code>src/app.py:12</code>" in text
    assert "<pre>&gt; 12  def load():</pre>" in text
    assert "never shown" not in text


def test_every_filter_is_there() -> None:
    page = Page(render_html(full_report()))
    assert [s["name"] for s in page.named("select")] == ["reviewer", "status", "file"]
    assert [i["value"] for i in page.named("input")] == [severity.value for severity in Severity]


def test_five_hundred_findings_stay_below_two_megabytes() -> None:
    many = [
        finding(
            "codex", n, title=f"Concern {n}", body="Words & <words>. " * 150, citations=(GOOD, MOVED, GONE)
        )
        for n in range(500)
    ]
    clusters = [
        cluster("codex", id=f"C-{n:08x}", title=f"Concern {n}", finding_ids=(f"codex-{n}",))
        for n in range(500)
    ]
    big = report(
        reviewer("codex", "word " * 200_000, findings=many),
        reviewer("gemini", "wort " * 200_000, findings=()),
        consensus=consensus(*clusters, identities=("codex", "gemini")),
        sources={"src/app.py:12": "x" * 3_000, "src/app.py:3": "y" * 3_000},
    )
    assert len(render_html(big).encode()) < 2_000_000


def test_findings_that_belong_to_no_concern_are_shown() -> None:
    text = render_html(report(reviewer("codex")))
    assert "The import path does not exist" in text
    assert "not counted" in text


def test_an_empty_review_says_none() -> None:
    text = render_html(report(reviewer("codex", findings=())))
    assert text.count("<p>None.</p>") == 3


def test_only_found_places_with_a_line_are_quoted_and_each_once() -> None:
    one = reviewer("codex", findings=(finding("codex", citations=(GOOD, GONE, MOVED)), finding("codex", 2)))
    assert wanted_quotes(report(one)) == (
        WantedQuote(key="src/app.py:12", path="src/app.py", first=12, last=12),
        WantedQuote(key="src/app.py:3", path="src/app.py", first=3, last=3),
    )


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (1, 1, "> 1  line 1\n  2  line 2\n  3  line 3\n  4  line 4"),
        (9, 9, "  6  line 6\n  7  line 7\n  8  line 8\n> 9  line 9"),
        (99, 99, ""),
    ],
)
def test_a_quote_has_numbers_context_and_a_mark(first: int, last: int, expected: str) -> None:
    text = "".join(f"line {n}\n" for n in range(1, 10))
    assert quote_lines(text, WantedQuote(key="k", path="p", first=first, last=last)) == expected


def test_a_long_quote_is_cut() -> None:
    text = "\n".join("x" * 5_000 for _ in range(5_000))
    quoted = quote_lines(text, WantedQuote(key="k", path="p", first=10, last=4_000))
    assert quoted.count("\n") == 23
    assert max(map(len, quoted.split("\n"))) < 220
