"""What holds of checking for any plan and any citation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_review.grounding.examine import examine
from msd_review.grounding.index import Tree, open_tree
from msd_review.grounding.markdown import review_text
from msd_review.grounding.needs import needs_of
from msd_review.grounding.paths import read_path
from msd_review.grounding.plan import read_plan
from msd_review.grounding.prose import sentences
from msd_review.grounding.quotes import quote_line
from msd_review.grounding.resolve import check_citations, quote_lines
from msd_review.grounding.signatures import differs, split_parameters
from msd_review.grounding.words import WordIndex
from msd_review.review.model import Citation, CitationVerdict

PIECES = st.sampled_from(
    ["<task>", "</task>", "<action>", "</action>", "<files>", "<read_first>", "<verify>", "```\n", "`", "`a.py:3`", "src/a.py", "`go()`", "in ",
     "Update ", "Create ", "---\n", "phase: 3\n", "depends_on: [1]\n", "\n", " ", ": ", "- ", "### Task 1: x\n", "@a.py", "| ", "TODO: ", "é", "\u202e",
     "src/../..", "/etc/passwd", "make x", "`npm run x`"]
)  # fmt: skip
PLANS = st.lists(PIECES | st.text(max_size=8), max_size=40).map("".join)
LANGUAGES = st.sampled_from(
    ["python", "go", "rust", "java", "c", "cpp", "typescript", "ruby", "php", "swift", ""]
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    root = tmp_path_factory.mktemp("tree")
    (root / "src").mkdir()
    (root / "src" / "a.py").write_text("def go(x):\n    return x\n", encoding="utf-8")
    (root / "Makefile").write_text("x:\n\ttrue\n", encoding="utf-8")
    return open_tree(root)


@given(text=PLANS)
def test_any_text_is_examined_and_written_down(tree: Tree, text: str) -> None:
    found = examine(tree.root, tree, [read_plan("PLAN.md", text)])
    review = review_text(found)
    assert review.startswith("## Summary\n")
    assert all(0 < line <= text.count("\n") + 1 for fault in found.faults for _, line in fault.spots)
    assert all(item.fault is not None for item in found.judged if item.outcome == "fault")


@given(text=PLANS)
def test_segments_cover_a_plan_in_order_without_overlap(text: str) -> None:
    plan = read_plan("PLAN.md", text)
    ends = [plan.front_end, *(segment.end for segment in plan.segments)]
    assert all(segment.start >= end for segment, end in zip(plan.segments, ends, strict=False))
    assert all(segment.task is None or segment.task < len(plan.tasks) for segment in plan.segments)


@given(text=PLANS)
def test_sentences_keep_the_places_of_their_text(text: str) -> None:
    for sentence in sentences(text):
        assert len(sentence.text) == len(sentence.masked)
        assert 0 <= sentence.start <= len(text)


@given(
    path=st.text(max_size=60), line=st.none() | st.integers(-5, 10**9), quote=st.none() | st.text(max_size=40)
)
def test_a_citation_is_never_quoted_from_outside_the_tree(
    tree: Tree, path: str, line: int | None, quote: str | None
) -> None:
    (checked,) = check_citations([Citation(raw=path, path=path, line=line, quote=quote)], tree)
    assert checked.resolved is None or tree.has(checked.resolved)
    assert "\n" not in checked.note
    shown = quote_lines(tree, checked)
    assert shown is None or all(row in "def go(x):\n    return x\nx:\n\ttrue\n" for row in shown.split("\n"))


@given(first=st.integers(1, 2), last=st.integers(1, 2))
def test_lines_that_are_there_are_verified(tree: Tree, first: int, last: int) -> None:
    (checked,) = check_citations(
        [Citation(raw="x", path="src/a.py", line=first, end_line=max(first, last))], tree
    )
    assert checked.verdict is CitationVerdict.VERIFIED


@given(path=st.lists(st.sampled_from(["..", ".", "a", "b.py", ""]), max_size=8).map("/".join))
def test_a_folded_path_stays_inside_or_says_that_it_does_not(path: str) -> None:
    read = read_path(path)
    assert read.kind != "inside" or ".." not in read.path.split("/") and not read.path.startswith("/")


@given(lines=st.lists(st.text(alphabet="ab c", max_size=12), min_size=1, max_size=12), at=st.integers(0, 11))
def test_a_line_is_found_where_it_stands(lines: list[str], at: int) -> None:
    wanted = lines[at % len(lines)]
    found = quote_line("\n".join(lines), wanted, near=at % len(lines) + 1)
    assert (found == at % len(lines) + 1) if wanted.split() else found is None


@given(text=st.text(alphabet="abc,:=()[]<>'\"*& .", max_size=60), language=LANGUAGES)
def test_a_signature_never_differs_from_itself(text: str, language: str) -> None:
    assert differs(text, text, language) is None
    assert all(part == part.strip() for part in split_parameters(text))


@given(
    text=st.text(max_size=80)
    | st.lists(
        st.sampled_from(["make", "npm run", "cd", "&&", "'", '"', "-C", "x", "|", ">", "$"]), max_size=12
    ).map(" ".join)
)
def test_any_command_line_is_read_or_left_alone(text: str) -> None:
    assert all(need.name for need in needs_of(text))


@given(
    files=st.dictionaries(
        st.sampled_from("abcdef"),
        st.lists(st.sampled_from(["alpha", "beta_1", "gamma", "x" * 120, "é"]), max_size=6),
        max_size=6,
    )
)
def test_a_kept_word_index_answers_as_a_fresh_one(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, list[str]]
) -> None:
    root, cache = tmp_path_factory.mktemp("words"), tmp_path_factory.mktemp("cache")
    for name, words in files.items():
        (root / name).write_text(" ".join(words), encoding="utf-8")
    fresh = WordIndex(open_tree(root))
    for _ in range(2):
        kept = WordIndex(open_tree(root), folder=cache, kept_from=0)
        assert all(
            kept.files_with(word) == fresh.files_with(word)
            for word in ("alpha", "beta_1", "gamma", "nothing", "zz")
        )
    (root / "a").write_text("gamma delta", encoding="utf-8")
    changed = WordIndex(open_tree(root), folder=cache, kept_from=0)
    assert "a" in changed.files_with("delta")
    assert "a" not in changed.files_with("alpha")
