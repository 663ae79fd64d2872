"""Every notation and verdict of a checked citation, over a real tree with real git history."""

import subprocess
from pathlib import Path

import pytest

from msd_review.grounding.index import Tree, open_tree
from msd_review.grounding.resolve import check_citations, planned_files, quote_lines
from msd_review.prompt.model import PlanFile
from msd_review.review.citations import extract_citations
from msd_review.review.model import Citation, CitationVerdict

VERIFIED, MOVED, MISSING = CitationVerdict.VERIFIED, CitationVerdict.MOVED, CitationVerdict.MISSING
AMBIGUOUS, UNCHECKED = CitationVerdict.AMBIGUOUS, CitationVerdict.UNCHECKED
CART = """\
import json


class Cart:
    def total(self, items):
        return sum(items)

    def save(self, path):
        path.write_text(json.dumps(self.items))
"""
PLAN = """\
---
phase: 03-checkout
plan: 02
files_modified: [src/shop/cart.py, src/shop/ledger.py]
---

<task type="auto">
  <name>Task 1</name>
  <files>src/shop/ledger.py</files>
  <action>Create `src/shop/ledger.py` with `Ledger.post()`.</action>
</task>
"""


def _git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("work") / "shop-app"
    for path, text in {
        "src/shop/cart.py": CART,
        "src/shop/models/user.py": "class User:\n    name = ''\n",
        "src/admin/models/user.py": "class Admin:\n    role = ''\n",
        "src/shop/old_names.py": "def price(item):\n    return item.price * 1.2  # with tax\n" * 4,
        ".planning/milestones/v1.0-phases/01-start/01-01-PLAN.md": "# Start\n\nDone.\n",
        "README.md": "# Shop\n",
        ".gitignore": "secrets.txt\nbuild/\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
    _git(root, "init", "-q")
    _git(root, "add", "-A")
    _git(root, *identity, "commit", "-qm", "one")
    _git(root, "mv", "src/shop/old_names.py", "src/shop/prices.py")
    _git(root, *identity, "commit", "-qm", "two")
    (root / "secrets.txt").write_text("key\n", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def tree(shop: Path) -> Tree:
    return open_tree(shop)


def _plan(shop: Path) -> PlanFile:
    name = ".planning/phases/03-checkout/03-02-PLAN.md"
    return PlanFile(path=shop / name, name=name, text=PLAN)


def _check(tree: Tree, citation: Citation, plans: tuple[PlanFile, ...] = ()) -> Citation:
    (checked,) = check_citations((citation,), tree, plans=plans, planned_files=planned_files(plans))
    return checked


def _cite(path: str | None, line: int | None = None, end: int | None = None, **more: str) -> Citation:
    return Citation(
        raw="x", path=path, line=line, end_line=end, symbol=more.get("symbol"), quote=more.get("quote")
    )


@pytest.mark.parametrize(
    ("citation", "verdict", "resolved", "note"),
    [
        (_cite("src/shop/cart.py"), VERIFIED, "src/shop/cart.py", ""),
        (_cite("./src/shop/../shop/cart.py", 4), VERIFIED, "src/shop/cart.py", ""),
        (_cite("src\\shop\\cart.py", 4, 6), VERIFIED, "src/shop/cart.py", ""),
        (_cite("src/shop/cart.py", 9), VERIFIED, "src/shop/cart.py", ""),
        (_cite("src/shop/cart.py", 10), MISSING, None, "`src/shop/cart.py` has 9 lines"),
        (_cite("src/shop/cart.py", 5, 40), MISSING, None, "`src/shop/cart.py` has 9 lines"),
        (_cite("cart.py", 4), MOVED, "src/shop/cart.py", "it is `src/shop/cart.py`"),
        (_cite("shop/cart.py"), MOVED, "src/shop/cart.py", "it is `src/shop/cart.py`"),
        (_cite("other/src/shop/cart.py"), MOVED, "src/shop/cart.py", "it is `src/shop/cart.py`"),
        (_cite("shop-app/src/shop/cart.py", 1), VERIFIED, "src/shop/cart.py", ""),
        (_cite("b/src/shop/cart.py", 1), VERIFIED, "src/shop/cart.py", ""),
        (_cite("/home/reviewer/clones/shop-app/src/shop/cart.py", 1), VERIFIED, "src/shop/cart.py", ""),
        (_cite("C:/srv/src/shop/cart.py", 1), VERIFIED, "src/shop/cart.py", ""),
        (_cite("src/shop/old_names.py", 2), MOVED, "src/shop/prices.py", "it was renamed to `src/shop/prices.py`"),
        (_cite("user.py", 1), AMBIGUOUS, None, "2 files bear that name: `src/admin/models/user.py`, `src/shop/models/user.py`"),
        (_cite("models/user.py", 40), MISSING, None, "2 files bear that name, and it stands in none of them"),
        (_cite("src/shop"), VERIFIED, "src/shop", "a folder"),
        (_cite("src/shop", 4), MISSING, None, "`src/shop` is a folder and has no lines"),
        (_cite("src/shop/basket.py", 4), MISSING, None, "there is no `src/shop/basket.py`"),
        (_cite("secrets.txt", 1), UNCHECKED, None, "it is ignored, or no regular file; it was not opened"),
        (_cite("../outside.py", 1), UNCHECKED, None, "it lies outside the tree under review; it was not opened"),
        (_cite("/etc/passwd", 1), UNCHECKED, None, "it lies outside the tree under review; it was not opened"),
        (_cite(".env", 1), UNCHECKED, None, "it may hold secrets; it was not opened"),
        (_cite(".planning/phases/01-start/01-01-PLAN.md", 3), MOVED, ".planning/milestones/v1.0-phases/01-start/01-01-PLAN.md",
         "it is `.planning/milestones/v1.0-phases/01-start/01-01-PLAN.md`"),
        (_cite(None), UNCHECKED, None, "it names no place"),
    ],
)  # fmt: skip
def test_a_place_gets_the_verdict_that_the_tree_gives_it(
    tree: Tree, citation: Citation, verdict: CitationVerdict, resolved: str | None, note: str
) -> None:
    checked = _check(tree, citation)
    assert (checked.verdict, checked.resolved, checked.note) == (verdict, resolved, note)


@pytest.mark.parametrize(
    ("quote", "line", "verdict", "note"),
    [
        ("return sum(items)", 6, VERIFIED, ""),
        ("return   sum( items )", 3, VERIFIED, ""),
        ("def total … sum(items)", 5, VERIFIED, ""),
        ("import json", 9, MOVED, "the quoted text stands at line 1"),
        ("return max(items)", 6, MISSING, "the quoted text does not stand in the file"),
        ("checkout_total", 6, VERIFIED, "the name beside it does not stand in the file"),
    ],
)
def test_a_quote_has_to_stand_at_the_cited_lines_or_a_few_beside_them(
    tree: Tree, quote: str, line: int, verdict: CitationVerdict, note: str
) -> None:
    checked = _check(tree, _cite("src/shop/cart.py", line, quote=quote))
    assert (checked.verdict, checked.note) == (verdict, note)


def test_a_quote_tells_files_of_one_name_apart(tree: Tree) -> None:
    checked = _check(tree, _cite("user.py", 1, quote="class Admin:"))
    assert (checked.verdict, checked.resolved) == (MOVED, "src/admin/models/user.py")


@pytest.mark.parametrize(
    ("citation", "verdict", "note"),
    [
        (_cite("src/shop/cart.py", symbol="Cart.total"), VERIFIED, ""),
        (_cite("src/shop/cart.py", symbol="User"), MOVED, "`User` is defined at `src/shop/models/user.py:1`"),
        (
            _cite("src/shop/cart.py", symbol="Cart.refund"),
            MISSING,
            "`refund` does not stand in `src/shop/cart.py`",
        ),
        (_cite(None, symbol="Cart.total"), VERIFIED, "defined at `src/shop/cart.py:5`"),
        (_cite(None, symbol="price"), AMBIGUOUS, "4 definitions, in 1 files"),
        (_cite(None, symbol="Ghost.vanish"), MISSING, "`vanish` stands nowhere in the tree"),
        (_cite(None, symbol="asyncio.timeout"), UNCHECKED, "`asyncio` may be a library"),
        (
            _cite(None, symbol="json.dumps"),
            UNCHECKED,
            "used in `src/shop/cart.py`, and defined nowhere in the tree",
        ),
    ],
)
def test_a_symbol_is_looked_up_where_it_is_said_to_be(
    tree: Tree, citation: Citation, verdict: CitationVerdict, note: str
) -> None:
    checked = _check(tree, citation)
    expected = (
        (VERIFIED, "defined at `src/shop/prices.py:1`") if citation.symbol == "price" else (verdict, note)
    )
    assert (checked.verdict, checked.note) == expected


def test_plans_are_found_by_shorthand_and_by_their_former_folder(tree: Tree, shop: Path) -> None:
    plans = (_plan(shop),)
    own = plans[0].name
    assert _check(tree, _cite("03-02", 4), plans).resolved == own
    assert _check(tree, _cite("3-2", 4), plans).verdict is VERIFIED
    assert _check(tree, _cite("03-02", 400), plans).note == f"`{own}` has 11 lines"
    moved = _check(tree, _cite(".planning/phases/09-other/03-02-PLAN.md", 4), plans)
    assert (moved.verdict, moved.note) == (MOVED, f"the plan is `{own}`")


def test_what_the_plan_creates_is_not_missing(tree: Tree, shop: Path) -> None:
    plans = (_plan(shop),)
    checked = _check(tree, _cite("src/shop/ledger.py", 3), plans)
    assert (checked.verdict, checked.note) == (UNCHECKED, "the plan creates it; it is not there yet")
    assert (
        _check(tree, _cite(None, symbol="Ledger.post"), plans).note
        == "the plan names it; it is not there yet"
    )


def test_citations_as_reviewers_write_them_are_read_and_checked(tree: Tree) -> None:
    text = "See [the cart](/srv/x/shop-app/src/shop/cart.py:5), `src/shop/cart.py:8-9` and src/shop/nowhere.py:3."
    verdicts = {c.path: c.verdict for c in check_citations(extract_citations(text), tree)}
    assert verdicts == {
        "/srv/x/shop-app/src/shop/cart.py": VERIFIED,
        "src/shop/cart.py": VERIFIED,
        "src/shop/nowhere.py": MISSING,
    }


def test_quoted_lines_are_the_cited_ones_and_bounded(tree: Tree) -> None:
    checked = _check(tree, _cite("src/shop/cart.py", 5, 6))
    assert quote_lines(tree, checked) == "    def total(self, items):\n        return sum(items)"
    assert quote_lines(tree, _check(tree, _cite("src/shop/cart.py"))) is None
    assert quote_lines(tree, _check(tree, _cite("src/shop/cart.py", 99))) is None


def test_order_and_repeats_are_kept(tree: Tree) -> None:
    citations = [_cite("cart.py"), _cite("gone.py"), _cite("cart.py")]
    assert [c.verdict for c in check_citations(citations, tree)] == [MOVED, MISSING, MOVED]


def test_a_tree_without_git_is_listed_by_its_ignore_file(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "node_modules").mkdir()
    for path, text in {".gitignore": "*.log\n/a/private.py\n!keep.log\n", "a/x.py": "", "a/private.py": "", "b.log": "",
                       "keep.log": "", "node_modules/m.js": ""}.items():  # fmt: skip
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert open_tree(tmp_path).files == (".gitignore", "a/x.py", "keep.log")
