import json

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from msd_review.report.front_matter import scalar
from msd_review.report.history import read_history
from msd_review.report.json_document import render_json
from msd_review.report.sarif import relative_uri, render_sarif
from msd_review.report.text import code, inline, one_line
from tests.report_samples import cluster, consensus, failed_reviewer, finding, report, reviewer

ANY = st.text(alphabet=st.characters(), max_size=80)
MARKS = st.text(alphabet="`*_[]()<>!&#|\\~=-+. 1ax\n:/@", max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)


@given(ANY | MARKS)
@settings(max_examples=300)
def test_a_front_matter_value_is_read_back_as_it_was(text: str) -> None:
    assert yaml.safe_load(f"{{k: {scalar(text)}}}") == {"k": one_line(text)}
    assert yaml.safe_load(f"{{{scalar(text)}: 1}}") == {one_line(text): 1}


def shown(markdown: str) -> str:
    """What a reader sees of inline Markdown."""
    tokens = MarkdownIt("commonmark").parse(f"- **HIGH** {markdown}")
    words = [child.content for token in tokens for child in token.children or ()]
    return "".join(words).removeprefix("HIGH").strip()


@given(ANY | MARKS)
@settings(max_examples=300)
def test_inline_text_opens_nothing_and_loses_no_letter(text: str) -> None:
    markdown = inline(text)
    assert "\n" not in markdown
    tokens = MarkdownIt("commonmark").parse(f"- **HIGH** {markdown}")
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "code_inline", "strong_open", "strong_close", "text_special"}
    letters = [char for char in one_line(text) if char.isalnum()]
    assert [char for char in shown(markdown) if char.isalnum()] == letters


@given(MARKS)
@settings(max_examples=200)
def test_a_code_span_shows_what_it_was_given(text: str) -> None:
    expected = one_line(text)
    if expected:
        assert shown(code(text)) == expected.strip()


@given(ANY)
@settings(max_examples=200)
def test_a_uri_is_relative_and_plain_ascii(text: str) -> None:
    uri = relative_uri(text)
    if uri is not None:
        assert uri.isascii()
        assert not uri.startswith(("/", "~", ".."))
        assert ":" not in uri
        assert ".." not in uri.split("/")


@given(ANY, ANY)
@settings(max_examples=100, deadline=None)
def test_json_and_sarif_hold_anything_a_reviewer_writes(title: str, body: str) -> None:
    one = reviewer(
        "codex", body, findings=(finding("codex", title=title or "x", body=body, suggestion=body),)
    )
    of = report(
        one,
        failed_reviewer(detail=body),
        consensus=consensus(cluster("codex", title=title or "x"), identities=("codex",)),
        warnings=(body,),
        plans=(title,),
    )
    assert json.loads(render_json(of).encode())["schema"] == "msd.reviews/1"
    assert json.loads(render_sarif(of).encode())["version"] == "2.1.0"
    assert read_history(render_json(of).encode()).warnings == ()


@given(JSON)
@settings(max_examples=200)
def test_the_history_takes_any_document(value: object) -> None:
    read_history(json.dumps(value).encode())
    read_history(json.dumps({"schema": "msd.reviews/1", "clusters": value, "findings": [value]}).encode())
