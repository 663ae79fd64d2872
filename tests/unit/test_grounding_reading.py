"""How plans, sentences, code spans, commands and sources are read before anything is judged."""

import re

import pytest

from msd_review.grounding.claims_front import (
    artifacts,
    dependencies,
    file_entries,
    key_links,
    requirement_ids,
)
from msd_review.grounding.claims_prose import prose_claims
from msd_review.grounding.definitions import definitions_in
from msd_review.grounding.mentions import symbol_in
from msd_review.grounding.needs import needs_of
from msd_review.grounding.numbers import PlanNumber, number_of, read_number
from msd_review.grounding.patterns import search
from msd_review.grounding.plan import Plan, read_plan
from msd_review.grounding.prose import mode_of, sentences
from msd_review.grounding.signatures import differs

TAGGED = """\
---
phase: 03-work
plan: 02b
depends_on: ["03-01", 1]
files_modified:
  - src/a.py
  - src/new.py (new)
  - "src/glob/*.py"
requirements: [AUTH-01..03]
must_haves:
  artifacts:
    - path: src/a.py
      contains: "class A"
  key_links:
    - {from: src/a.py, to: src/b.py, via: call, pattern: "b\\\\("}
---
<objective>Do it.
```
an open fence
</objective>
<tasks>
<task type="auto" tdd="true">
  <name>Task 1: One</name>
  <files>src/a.py, `src/b.py`</files>
  <action>Render a <name> element and x < y && z.</action>
  <verify><automated>pytest</automated></verify>
</task>
<task type="checkpoint:human-verify" gate="blocking">
  <what-built>All of it</what-built>
<task type="auto">
  <name>Task 3</name>
  <action>Never closed
  <done>It is done</done>
</tasks>
"""


def _texts(plan: Plan, tag: str) -> list[str]:
    return [" ".join(plan.said(segment).split()) for segment in plan.within(tag)]


def test_tags_are_read_although_they_are_not_well_formed() -> None:
    plan = read_plan("03-02b-PLAN.md", TAGGED)
    assert [(task.name, task.line, task.kind) for task in plan.tasks] == [
        ("Task 1: One", 22, "auto"), ("Task 2", 28, "checkpoint:human-verify"), ("Task 3", 30, "auto"),
    ]  # fmt: skip
    assert _texts(plan, "action") == ["Render a <name> element and x < y && z.", "Never closed"]
    assert _texts(plan, "automated") == ["pytest"]
    assert [segment.task for segment in plan.within("done")] == [2]


def test_front_matter_gives_entries_with_their_lines() -> None:
    plan = read_plan("03-02b-PLAN.md", TAGGED)
    assert [(entry.path, entry.line, entry.task, entry.note) for entry in file_entries(plan)] == [
        ("src/a.py", 6, None, ""), ("src/new.py", 7, None, "new"), ("src/a.py", 24, 0, ""), ("src/b.py", 24, 0, ""),
    ]  # fmt: skip
    assert dependencies(plan) == (("03-01", 4), ("1", 4))
    assert [name for name, _ in requirement_ids(plan)] == ["AUTH-01", "AUTH-02", "AUTH-03"]
    assert [(item.path, item.contains) for item in artifacts(plan)] == [("src/a.py", "class A")]
    assert [(link.source, link.pattern) for link in key_links(plan)] == [("src/a.py", r"b\(")]


def test_tasks_as_headings_are_tasks_also_behind_an_open_fence() -> None:
    text = "# Plan\n\n```\nopen\n\n### Task 1: Index\n**Files:** `a.py`\n**Verify:** run it\n\n### Task 2: Query\nWrite it.\n\n## Notes\nx\n"
    plan = read_plan("PLAN.md", text)
    assert [(task.name, task.line) for task in plan.tasks] == [("Task 1: Index", 6), ("Task 2: Query", 10)]
    assert _texts(plan, "verify") == ["run it"]
    assert [entry.path for entry in file_entries(plan)] == ["a.py"]


@pytest.mark.parametrize(
    "text",
    ["", "---\n", "---\nphase: [\n---\n", "<task", "</task></task>", "<task>" * 500, "`" * 5_000, "\x00"],
)
def test_any_text_is_a_plan(text: str) -> None:
    plan = read_plan("PLAN.md", text)
    assert sum(segment.end - segment.start for segment in plan.segments) <= len(text)
    list(prose_claims(plan))


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("Update `X` to be lazy.", "exists"),
        ("Call the existing `X` here.", "exists"),
        ("Follow `X`.", "exists"),
        ("`X` already does this.", "exists"),
        ("In `X`, replace the loop.", "exists"),
        ("In `X`, add a loop.", "container"),
        ("Create `X`.", "creates"),
        ("Add a helper `X` beside the parser.", "creates"),
        ("A new class `X` wraps it.", "creates"),
        ("`X` (new): the parser.", "creates"),
        ("Rename the parser to `X`.", "creates"),
        ("Add a flag to `X`.", "container"),
        ("`X` is where requests enter.", "stated"),
        ("Do not touch `X`.", "exists"),
        ("There is no `X` yet.", "unsure"),
        ("If `X` exists, use it.", "unsure"),
        ("After this task, `X` is exported.", "unsure"),
        ("Replace the loop with `X`.", "unsure"),
        ("A name such as `X` is fine.", "unsure"),
    ],
)
def test_a_sentence_says_whether_a_thing_is_there_or_made(text: str, mode: str) -> None:
    (sentence,) = sentences(text)
    at = sentence.text.index("`X`")
    assert mode_of(sentence, at, at + 3) == mode


@pytest.mark.parametrize(
    ("text", "symbol", "path", "line"),
    [
        ("Call `load()` from `a/b.py`.", "load", "a/b.py", None),
        ("`a/b.py` defines `load` and `store`.", "store", "a/b.py", None),
        ("`load` and `store` in `a/b.py` stay.", "load", "a/b.py", None),
        ("`load` (`a/b.py:12`) is slow.", "load", "a/b.py", 12),
        ("`load` (line 12 of `a/b.py`) is slow.", "load", "a/b.py", 12),
        ("`a/b.py::Store.load` is slow.", "Store.load", "a/b.py", None),
        ("In `a/b.py`, change `load()`.", "load", "a/b.py", None),
        ("Use `Store::load` as in `a/b.rs`.", "Store.load", "a/b.rs", None),
        ("`load()` is called by whoever reads `a/b.py`.", "load", "a/b.py", None),
    ],
)
def test_a_name_is_tied_to_a_path_where_the_sentence_joins_them(
    text: str, symbol: str, path: str | None, line: int | None
) -> None:
    claims = [claim for claim in prose_claims(read_plan("PLAN.md", text)) if claim.symbol]
    claim = next(claim for claim in claims if claim.symbol and claim.symbol.replace("::", ".") == symbol)
    assert (claim.path, claim.first) == (path, line)


@pytest.mark.parametrize(
    ("code", "read"),
    [
        ("load", ("load", None, False, False)),
        ("load()", ("load", "", True, False)),
        ("Store::load(a, b)", ("Store.load", "a, b", True, False)),
        ("def load(a: int) -> str", ("load", "a: int", True, True)),
        ("func (s *Store) Load(id string) error", ("Store.Load", "id string", True, True)),
        ("static char *load(const char *name)", ("load", "const char *name", True, True)),
        ("public List<String> load(int a)", ("load", "int a", True, True)),
        ("await load(x)", ("load", "x", True, False)),
        ("some plain words", None),
        ("x = 1", None),
        ("return", None),
    ],
)
def test_code_spans_are_read_as_names(code: str, read: tuple[str, str | None, bool, bool] | None) -> None:
    assert symbol_in(code) == read


@pytest.mark.parametrize(
    ("command", "needs"),
    [
        ("npm run lint", [("npm-script", "lint", "")]),
        ("npm test -- --watch=false", [("npm-script", "test", "")]),
        ("npm ci && npm run build", [("npm-script", "build", "")]),
        ("cd web && npm run e2e", [("npm-script", "e2e", "web")]),
        ("npm --prefix web run e2e", [("npm-script", "e2e", "web")]),
        ("pnpm --filter core test", [("npm-script", "test", "?")]),
        ("yarn install", []),
        ("make -C docs html", [("make-target", "html", "docs")]),
        ("CI=1 make check V=1 -j 4", [("make-target", "check", "")]),
        ("python -m pytest -q tests/test_a.py::TestA::test_b -k slow", [("test", "tests/test_a.py", "")]),
        ("poetry run pytest tests/unit", [("test", "tests/unit", "")]),
        ("python -m unittest tests.test_a", [("module", "tests.test_a", "")]),
        ("python scripts/check.py --all > out.txt", [("file", "scripts/check.py", "")]),
        ("./scripts/check.sh", [("file", "./scripts/check.sh", "")]),
        ("tox -e lint,docs", [("tox-env", "lint", ""), ("tox-env", "docs", "")]),
        ("nox -s tests", [("nox-session", "tests", "")]),
        ("just fmt", [("just-recipe", "fmt", "")]),
        ("for f in *; do make $f; done", []),
        ("make ${TARGET}", []),
        (
            "CI=1 npm run e2e -- a.ts --list &amp;&amp; test $(wc -l &lt; a.ts) -ge 80",
            [("npm-script", "e2e", "")],
        ),
        ("echo 'make x", []),
        ("grep -q make README.md", []),
    ],
)
def test_commands_are_read_for_what_they_need(command: str, needs: list[tuple[str, str, str]]) -> None:
    assert [(need.kind, need.name, need.folder) for need in needs_of(command)] == needs


SOURCES = {
    "a.py": ("class A:\n    def go(self, x): ...\n", "A.go", 2, "self, x"),
    "a.js": ("export class A {\n  go(x, y) {}\n}\n", "A.go", 2, "x, y"),
    "a.mjs": ("export const go = (x) => 1;\n", "go", 1, "x"),
    "a.ts": ("export interface A {\n  go(x: number): void\n}\n", "A.go", 2, "x: number"),
    "a.tsx": ("export function Go({ x }: P) { return <b>{x}</b> }\n", "Go", 1, "{ x }: P"),
    "a.go": ("package a\n\nfunc (s *A) Go(x int) error { return nil }\n", "A.Go", 3, "x int"),
    "a.rs": ("impl A {\n    pub fn go(&self, x: u8) {}\n}\n", "A.go", 2, "&self, x: u8"),
    "A.java": ("class A {\n  int go(int x) { return 1; }\n}\n", "A.go", 2, "int x"),
    "a.c": ("static char *\ngo(int x)\n{\n  return 0;\n}\n", "go", 1, "int x"),
    "a.cpp": ("int ns::A::go(int x) { return 1; }\n", "A.go", 1, "int x"),
    "a.cs": ("class A {\n  void Go(int x) {}\n}\n", "A.Go", 2, "int x"),
    "a.rb": ("class A\n  def go(x)\n  end\nend\n", "A.go", 2, "x"),
    "a.php": ("<?php\nclass A {\n  function go($x) {}\n}\n", "A.go", 3, "$x"),
    "a.swift": ("class A {\n  func go(with x: Int) {}\n}\n", "A.go", 2, "with x: Int"),
    "a.sh": ("x=1\ngo() { true; }\n", "go", 2, ""),
    "a.kt": ("class A {\n  fun go(x: Int) = 1\n}\n", "go", 2, None),
    "a.lua": ("local function go(x)\nend\n", "go", 1, None),
}


@pytest.mark.parametrize("path", SOURCES)
def test_definitions_are_found_with_owner_line_and_parameters(path: str) -> None:
    text, name, line, parameters = SOURCES[path]
    found = {item.qualified: item for item in definitions_in(path, text)}
    assert (found[name].line, found[name].parameters) == (line, parameters)


@pytest.mark.parametrize("path", SOURCES)
def test_broken_source_gives_what_can_be_read(path: str) -> None:
    text = SOURCES[path][0]
    for end in range(0, len(text), 7):
        definitions_in(path, text[:end] + "}}}((\x00é\udce4"[: end % 9])


@pytest.mark.parametrize(
    ("claimed", "actual", "language", "difference"),
    [
        ("a, b", "self, a, b=1", "python", None),
        ("a: int, *, b", "self, a: int, *, b: str = 'x,y'", "python", None),
        ("a, c", "a, b", "python", "it has no parameter `c`"),
        ("a", "a, b", "python", "the parameter `b` is left out"),
        ("b, a", "a, b", "python", "its parameters stand in another order"),
        ("a: str", "a: int", "python", "the type of `a` is `int`"),
        ("a: str | None", "a: Optional[str] = None", "python", None),
        ("a, …", "a, b, c", "python", None),
        ("a", "\n    # the first\n    a: int,\n", "python", None),
        (
            "ctx context.Context, a string",
            "ctx context.Context, a, b string",
            "go",
            "the parameter `b` is left out",
        ),
        ("a, b string", "a string, b string", "go", None),
        ("final int a, String... b", "int a, String... b", "java", None),
        ("String extra", "int a", "java", "it has no parameter `extra`"),
        ("const char *name", "const char* name", "c", None),
        ("&self, limit: usize", "&mut self, limit: usize", "rust", None),
        ("limit: u8", "&self, limit: usize", "rust", "the type of `limit` is `usize`"),
        ("id?: string, depth = 1", "id?: string, depth: number = 1", "typescript", None),
        ("?string $b = null", "?string $b = null", "php", None),
        ("with a: Int", "with a: Int", "swift", None),
    ],
)
def test_signatures_are_compared_by_names_order_and_written_types(
    claimed: str, actual: str, language: str, difference: str | None
) -> None:
    assert differs(claimed, actual, language) == difference


@pytest.mark.parametrize(
    ("written", "number"),
    [("03-02", ("3", "2")), ("3-2", ("3", "2")), ("04.10-02b", ("4.10", "2b")), ("02", ("", "2")), ("03-02-slug-PLAN.md", ("3", "2")),
     ("03-work-on-it-07", ("3", "7")), ("plan-07", ("", "7")), ("phase-2", None), ("main", None)],
)  # fmt: skip
def test_plan_numbers_are_equal_whatever_their_padding(written: str, number: tuple[str, str] | None) -> None:
    found = read_number(written)
    assert (found and (found.phase, found.plan)) == number


def test_a_plan_knows_its_number_from_its_name_or_its_front_matter() -> None:
    assert number_of(read_plan("04.1-03-rows-PLAN.md", "x")) == PlanNumber("4.1", "3")
    assert number_of(read_plan("PLAN.md", "---\nphase: 03-work\nplan: 02b\n---\nx")) == PlanNumber("3", "2b")
    assert number_of(read_plan("PLAN.md", "x")) is None


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"import.*from", "import x from y", True),
        (r"read_bookmarks\(", "read_bookmarks(x)", True),
        (r"^def \w+", "x\ndef go", True),
        (r"a.*b.*c", "a c b", False),
        ("foo(", "call foo(x)", True),
        ("foo[", "bar", None),
        (r"(a+)+$", "aaa", None),
        (r"fetch|axios", "axios.get", True),
    ],
)
def test_patterns_are_searched_for_or_given_up(pattern: str, text: str, found: bool | None) -> None:
    assert search(pattern, text) is found


def test_words_of_urls_versions_and_products_are_no_paths() -> None:
    text = "See https://example.org/a/b.py and node.js, v1.2.3, a@b.py, `text/html`, and/or."
    assert [
        claim.path
        for claim in prose_claims(read_plan("PLAN.md", text))
        if claim.path and re.search("py|js", claim.path)
    ] == []
