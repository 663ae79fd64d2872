import pytest

from msd_review.review.checked import citations_of, evidence_counts, with_checked
from msd_review.review.citations import extract_citations
from msd_review.review.findings import read_review
from msd_review.review.model import Citation, CitationVerdict


def places(text: str) -> list[tuple[str | None, int | None, int | None, str | None]]:
    return [(c.path, c.line, c.end_line, c.symbol) for c in extract_citations(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`path/file.ext:12`", [("path/file.ext", 12, None, None)]),
        ("path/file.py:12-40", [("path/file.py", 12, 40, None)]),
        ("`path/file.py:12,40`", [("path/file.py", 12, None, None), ("path/file.py", 40, None, None)]),
        ("`file.py` lines 12-40", [("file.py", 12, 40, None)]),
        ("in `a/b.py` (line 12)", [("a/b.py", 12, None, None)]),
        ("lines 3–5 of `a/b.py`", [("a/b.py", 3, 5, None)]),
        ("[b.cpp](/D:/Code/x/b.cpp:966)", [("D:/Code/x/b.cpp", 966, None, None)]),
        ("[here](file:///home/u/r/src/x.py#L12-L40)", [("/home/u/r/src/x.py", 12, 40, None)]),
        ("→ src/p.go:7", [("src/p.go", 7, None, None)]),
        ("tests/test_x.py::test_foo", [("tests/test_x.py", None, None, "test_foo")]),
        (
            "`Type::method` and `Type.method()`",
            [(None, None, None, "Type::method"), (None, None, None, "Type.method")],
        ),
        ("`symbol()`", [(None, None, None, "symbol")]),
        ("@src/inc.md", [("src/inc.md", None, None, None)]),
        ("`utils.py` is bad", [("utils.py", None, None, None)]),
        ("(239-02:154, 172)", [("239-02", 154, None, None), ("239-02", 172, None, None)]),
        (r"C:\repo\src\a.py:3", [("C:/repo/src/a.py", 3, None, None)]),
        (
            "`ci.yml:47-49`, `86-88` and (`:90`)",
            [("ci.yml", 47, 49, None), ("ci.yml", 86, 88, None), ("ci.yml", 90, None, None)],
        ),
        ("`src/app/(dashboard)/x.tsx:12`", [("src/app/(dashboard)/x.tsx", 12, None, None)]),
        ("Makefile:12", [("Makefile", 12, None, None)]),
        ("https://github.com/a/b/blob/main/src/x.py#L3-L9", [("src/x.py", 3, 9, None)]),
        ("docs/größe.md:3", [("docs/größe.md", 3, None, None)]),
        ("計画はsrc/a.go:10で", [("src/a.go", 10, None, None)]),
        ("__init__.py:4", [("__init__.py", 4, None, None)]),
    ],
)
def test_every_notation_of_a_place_is_read(
    text: str, expected: list[tuple[str | None, int | None, int | None, str | None]]
) -> None:
    assert places(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/a/b/issues/3 and https://example.org/src/x.py",
        "version 1.2.3 at 12:30, ratio 3:1, v10.4.1",
        "me@example.py.com wrote",
        "Node.js and Vue.js",
        "localhost:8080 and example.com:443",
        "e.g. this, i.e. that",
        "2026-03-29T10:00:00Z",
        "`index.{ts,go}` and `src/**/*.ts`",
        "and/or, `application/json`, `origin/main`",
    ],
)
def test_what_only_looks_like_a_place_is_none(text: str) -> None:
    assert places(text) == []


def test_quoted_code_beside_a_cited_line_becomes_its_quote() -> None:
    (citation,) = extract_citations("`Service.cs:49`: `_scanner = new MockScannerAdapter()` stays")
    assert citation.quote == "_scanner = new MockScannerAdapter()"
    assert all(c.quote is None for c in extract_citations("`a.py:1`, `b.py:2` should become `c.py:3`"))


def test_a_file_without_a_line_says_nothing_beside_the_same_file_with_one() -> None:
    assert places("`a/b.py` is wrong, see `a/b.py:3`") == [("a/b.py", 3, None, None)]


def test_a_hostile_text_yields_a_bounded_number_of_citations() -> None:
    assert len(extract_citations(" ".join(f"a{n}.py:{n}" for n in range(1, 5_000)))) == 400
    assert extract_citations("a." * 100_000) == ()


def _review_of(text: str, verdict: CitationVerdict) -> tuple[bool, int]:
    review = read_review(f"## Concerns\n- HIGH: {text}\n", identity="r", slug="r", section="R")
    checked = {
        c: Citation(raw=c.raw, path=c.path, line=c.line, symbol=c.symbol, verdict=verdict)
        for c in citations_of(review)
    }
    after = with_checked(review, checked)
    return after.findings[0].demoted, evidence_counts(after).missing


def test_a_finding_whose_only_evidence_is_missing_is_demoted_and_keeps_its_severity() -> None:
    assert _review_of("`src/ghost.py:3` swallows the error", CitationVerdict.MISSING) == (True, 1)
    assert _review_of("`src/real.py:3` swallows the error", CitationVerdict.VERIFIED) == (False, 0)
    assert _review_of("the error is swallowed", CitationVerdict.MISSING) == (False, 0)


def test_a_finding_that_says_that_the_file_is_absent_is_not_demoted_for_its_absence() -> None:
    assert _review_of("`src/ghost.py` does not exist, the plan edits it", CitationVerdict.MISSING) == (
        False,
        1,
    )
