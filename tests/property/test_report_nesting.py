from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from msd_review.report.markdown import render_markdown
from msd_review.report.nesting import nest
from tests.report_samples import cluster, consensus, failed_reviewer, report, reviewer

PIECES = st.sampled_from(
    [
        "# ",
        "## Codex Review",
        "## ",
        "### Agreed Concerns",
        "===",
        "---",
        "```",
        "~~~",
        "````",
        "`",
        "``",
        "> ",
        "- ",
        "1. ",
        "    ",
        "  ",
        "\t",
        "\n",
        "\n\n",
        "<!--",
        "-->",
        "<h2>",
        "</h2>",
        "<div>",
        "<script>",
        "<?",
        "<![CDATA[",
        "[a]: x",
        "[a]",
        "](x)",
        "![",
        "|",
        "|--|\n",
        "\\",
        "text",
        "é",
        "&lt;",
        "<https://x>",
        "*",
    ]
)
TEXTS = st.lists(PIECES, max_size=24).map("".join)
OURS = [
    "Cross-AI Plan Review — Phase 3",
    "Consensus Summary",
    "Gemini Review",
    "Codex Review",
    "Claude Review",
]


def top_headings(parser: MarkdownIt, text: str) -> list[str]:
    tokens = parser.parse(text)
    return [
        tokens[at + 1].content
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag in {"h1", "h2"}
    ]


@given(TEXTS, TEXTS, st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_the_level_one_and_two_headings_are_exactly_ours(first: str, second: str, title: str) -> None:
    claude = failed_reviewer(stderr_tail=(second, title), detail=first, hint=title or None)
    shared = consensus(cluster("gemini", title=title + first), identities=("gemini", "codex"))
    markdown = render_markdown(
        report(
            reviewer("gemini", first), reviewer("codex", second), claude, consensus=shared, warnings=(second,)
        )
    )
    body = markdown.split("\n---\n", 1)[1]
    for parser in (MarkdownIt("commonmark"), MarkdownIt("gfm-like", {"linkify": False})):
        assert top_headings(parser, body) == [*OURS, "Verification Coverage"]
        assert "<h1>" not in body.replace("`<h1>`", "")


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_nested_text_brings_no_html_image_or_reference(text: str) -> None:
    environment: dict[str, object] = {}
    tokens = MarkdownIt("commonmark").parse(nest(text), environment)
    kinds = {child.type for token in tokens for child in (token, *(token.children or ()))}
    assert kinds.isdisjoint({"html_block", "html_inline", "image"})
    assert not environment.get("references")


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_no_line_at_the_margin_looks_like_a_section_of_ours(text: str) -> None:
    assert not any(line.startswith(("# ", "## ", "### ")) for line in nest(text).split("\n"))
