"""Labelled citations: what a reviewer writes, and what the tree says of it.

Two sources: every notation crossed with every subject (a path, its lines, and the verdict it must get), and texts
written one by one for what the cross cannot say. A verdict of `none` says that the text cites nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

VERIFIED, MOVED, MISSING, AMBIGUOUS, UNCHECKED, NONE = (
    *("verified", "moved", "missing", "ambiguous", "unchecked"),
    "none",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A text, the verdicts of the citations in it in order, and where the first one leads ("" = not asked)."""

    kind: str
    text: str
    verdicts: tuple[str, ...]
    resolved: str = ""


# How one line, and how a range, of a path is written.
LINE_NOTATIONS = (
    "`{p}:{l}`",
    "{p}:{l}",
    "({p}:{l}).",
    "**{p}:{l}**",
    "`{p}#L{l}`",
    "`{p}` line {l}",
    "`{p}`, line {l}",
    "`{p}` (line {l})",
    "line {l} of `{p}`",
    "[here]({p}#L{l})",
    "[`{p}:{l}`]({p}#L{l})",
    "| HIGH | `{p}:{l}` | broken |",
    "a/{p}:{l}",
    "./{p}:{l}",
    "「{p}:{l}」",
    "`{p}` 第 {l} 行",
    "`{p}`:{l}",
    "`{p}:{l}:7`",
    "→ {p}:{l}",
    "{p}:{l}, and more",
    '"{p}:{l}"',
    "in {p} at line {l}",
    "https://github.com/acme/shop/blob/main/{p}#L{l}",
    "ROOT/{p}:{l}",
    'File "{p}", line {l}, in run',
    'file="{p}" line="{l}"',
    '{"file": "{p}", "start_line": {l}}',
    "【{p}†L{l}】",
    "Location: {p}; Lines: {l}",
    "{p}, l. {l}",
    "{p}:L{l}",
    "`{p}`:`{l}`",
    "{p}({l}): error",
    "`{p}` の{l}行目",
    "on line {l} of {p}",
    "{p}#L{l}C5-L{l}C9",
    "{p}[{l}]",
    "{p} @ {l}",
    "{p}?line={l}&lineEnd={l}",
    "{p} Z. {l}",
)
SUBJECTS: tuple[tuple[str, int, str, str], ...] = (
    ("src/app/main.py", 12, VERIFIED, "src/app/main.py"),
    ("app/main.py", 12, MOVED, "src/app/main.py"),
    ("src/app/main.py", 61, MISSING, ""),
    ("src/app/nowhere.py", 4, MISSING, ""),
    ("src/pricing/prices.py", 40, VERIFIED, "src/pricing/prices.py"),
    ("src/app/first_name.py", 7, MOVED, "src/pricing/prices.py"),
    ("old_folder/tax.rb", 9, MOVED, "new_folder/tax.rb"),
    ("src/app/gone.py", 3, MISSING, ""),
    ("src/app/ledger.py", 3, UNCHECKED, ""),
    ("build/out.js", 1, UNCHECKED, ""),
    ("config/.env.production", 2, UNCHECKED, ""),
    ("docs/größe.md", 3, VERIFIED, "docs/größe.md"),
    ("文档/说明.md", 2, VERIFIED, "文档/说明.md"),
    ("win/start.py", 3, VERIFIED, "win/start.py"),
    ("win/start.py", 4, MISSING, ""),
    ("link_out.py", 1, UNCHECKED, ""),
)
# A link to a code host shows some revision: where the tree has no such place, that refutes nothing.
LENIENT = "https://github.com/"


def crossed(root: str) -> Iterator[Case]:
    """Every notation with every subject."""
    for notation in LINE_NOTATIONS:
        for path, line, verdict, resolved in SUBJECTS:
            if not _writable(notation, path):
                continue
            text = notation.replace("ROOT", root).replace("{p}", path).replace("{l}", str(line))
            expected, leads = _expected(notation, path, verdict, resolved)
            yield Case(kind=f"crossed {expected}", text=f"The lock is never taken: {text}", verdicts=(expected,), resolved=leads)  # fmt: skip


def _writable(notation: str, path: str) -> bool:
    """Paths without a folder are no diff paths, and no links of a code host are written with other scripts' marks."""
    return not ("a/{p}" in notation and ("/" not in path or path == "app/main.py"))


def _expected(notation: str, path: str, verdict: str, resolved: str) -> tuple[str, str]:
    if notation.startswith(LENIENT) and verdict == MISSING:
        return UNCHECKED, ""
    return verdict, resolved


def single(root: str) -> Iterator[Case]:
    """The texts written one by one."""
    for row in _ROWS:
        text, verdicts, *leads = row
        yield Case(
            kind="written",
            text=text.replace("ROOT", root),
            verdicts=tuple(verdicts.split()) if verdicts != NONE else (),
            resolved=leads[0] if leads else "",
        )


_ROWS: tuple[tuple[str, ...], ...] = (
    # ranges
    ("`src/app/main.py:3-9` is wrong", "verified", "src/app/main.py"),
    ("`src/app/main.py:3–9` is wrong", "verified"),
    ("src/app/main.py#L3-L9", "verified"),
    ("`src/app/main.py` lines 3 to 9", "verified"),
    ("(lines 3–9 of src/app/main.py)", "verified"),
    ("lines 3-9 of `src/app/main.py`", "verified"),
    ("`src/app/main.py:55-90`", "missing"),
    ("`src/app/main.py:58-62` ends a little late", "verified"),
    ("`src/app/main.py:70-80`", "missing"),
    ("`src/app/main.py:9-3` is backwards", "verified"),
    ("`src/app/main.py:0`", "verified"),
    ("src/app/main.py:0", "verified"),
    ("`src/app/main.py:-3`", "verified"),
    ("`src/app/main.py:999999`", "missing"),
    ("`src/app/main.py:9999999999999`", "missing"),
    ("`src/app/main.py:3,40`", "verified verified"),
    ("`src/app/main.py:3,400`", "verified missing"),
    ("`src/app/main.py:3` and `:40`", "verified verified"),
    ("`src/app/main.py` lines 3 and 400", "verified missing"),
    ("`empty.py:1`", "missing"),
    ("`empty.py`", "verified"),
    ("`no_newline.py:2`", "verified"),
    ("`no_newline.py:3`", "missing"),
    # quotes
    ("`src/app/main.py:2`: `return order + 1`", "verified"),
    ("`src/app/main.py:4`: `return order + 1` is off by one", "verified"),
    ("`src/app/main.py:2` reads `return order + 9`", "moved"),
    ('`src/app/main.py:2` says "return order + 9"', "moved"),
    ("`src/app/main.py:2`: `return order * 1`", "missing"),
    ("`src/app/main.py:2` contains `order.commit(force=True)`", "verified unchecked"),
    ("`win/start.py:3`: `print('win')`", "verified"),
    ("`src/app/main.py:1`:\n\n```python\ndef step_1(order):\n    return order + 1\n```\n", "verified"),
    ("`src/app/main.py:1`:\n\n```python\ndef step_1(order):\n    return order - 1\n```\n", "missing"),
    ("`src/app/main.py:1` has `def step_1(order): … return order + 1`", "verified"),
    ("`src/app/main.py:30` (`def step_2(order)`)", "moved"),
    ("`main.go:3`: `func main() {`", "moved", "cmd/server/main.go"),
    # base names and suffixes
    ("`main.py:4`", "moved", "src/app/main.py"),
    ("main.py", "moved", "src/app/main.py"),
    ("`util.py:3`", "ambiguous"),
    ("util.py, line 3", "ambiguous"),
    ("`__init__.py:1`", "ambiguous"),
    ("__init__.py:1 lacks the version", "ambiguous"),
    ("`util.py:400`", "missing"),
    ("`util.py:3`: `def split(a):`", "moved", "lib/util.py"),
    ("`util.py:3`: `def split(b):`", "missing"),
    ("`Button.tsx:2`", "moved", "web/src/Button.tsx"),
    ("`store/lease.go:5`", "moved", "internal/store/lease.go"),
    ("`lease.go` L5", "moved", "internal/store/lease.go"),
    ("`lib/util.py:3`", "verified", "lib/util.py"),
    # symbols
    ("`internal/store/lease.go::Renew`", "verified"),
    ("`src/app/main.py::step_3`", "verified"),
    ("`src/app/main.py::step_99`", "missing"),
    ("`src/app/util.py::split`", "moved", "lib/util.py"),
    ("`Lease.Renew()` returns nothing", "verified", "internal/store/lease.go"),
    ("`step_3()` is never called", "verified", "src/app/main.py"),
    ("`step_77()` is never called", "missing"),
    ("`Ledger.post()` has no test", "unchecked"),
    ("`json.dumps()` is slow", "unchecked"),
    ("`join()` is defined ten times", "verified"),
    # case
    ("`src/App/Main.py:3`", "moved", "src/app/main.py"),
    ("`readme.md:1`", "moved", "README.md"),
    ("`SRC/APP/MAIN.PY`", "moved", "src/app/main.py"),
    ("`makefile:2`", "moved", "Makefile"),
    # other roots, diffs, Windows
    ("`ROOT/src/app/main.py:3`", "verified", "src/app/main.py"),
    ("[main.py](ROOT/src/app/main.py:3)", "verified"),
    ("file://ROOT/src/app/main.py#L3", "verified"),
    ("`/home/reviewer/shop-app/src/app/main.py:3`", "verified"),
    ("`/srv/ci/build/src/app/main.py:3`", "verified"),
    ("`/home/reviewer/shop-app/src/app/main.py:300`", "missing"),
    ("`C:\\work\\shop-app\\src\\app\\main.py:3`", "verified"),
    ("src\\app\\main.py:3", "verified"),
    ("`b/src/app/main.py:3`", "verified"),
    ("`shop-app/src/app/main.py:3`", "verified"),
    ("[the guard](../src/app/main.py#L3)", "moved", "src/app/main.py"),
    ("`../../src/app/main.py:300`", "missing"),
    ("`../src/../../outside.py:1`", "unchecked"),
    ("[x](../.env#L1)", "unchecked"),
    ("`src/app/../app/main.py:3`", "verified"),
    ("https://github.com/acme/shop/blob/main/src/app/main.py#L3-L9", "verified"),
    ("[main](https://github.com/acme/shop/blob/v1.2/src/app/main.py#L3)", "verified"),
    ("https://gitlab.com/acme/shop/-/blob/main/src/app/main.py#L3-9", "verified"),
    ("https://github.com/acme/shop/blob/main/src/app/none.py#L3", "unchecked"),
    ("https://github.com/acme/shop/issues/12", "none"),
    ("https://example.org/src/app/main.py", "none"),
    # names
    ("`docs/user guide.md:3`", "verified", "docs/user guide.md"),
    ("`docs/user guide.md` line 2", "verified"),
    ("docs/größe.md:3 ist falsch", "verified", "docs/größe.md"),
    ("In größe.md Zeile 3 steht es", "moved", "docs/größe.md"),
    ("données/réglage.yaml:2 manque", "verified"),
    ("文档/说明.md:2 写错了", "verified"),
    ("见文档/说明.md:2", "missing"),
    ("计划中src/app/main.py:3有问题", "verified", "src/app/main.py"),
    ("src/app/main.py:3で失敗する", "verified", "src/app/main.py"),
    ("日本/計画.md:3を参照", "verified", "日本/計画.md"),
    ("`src/app/main.py` の12行目", "verified"),
    ("`src/app/main.py` 12번째 줄", "verified"),
    ("`src/app/main.py`, Zeilen 4 bis 9", "verified"),
    ("`src/app/main.py`, lignes 4 à 900", "missing"),
    ("`web/app/[id]/page.tsx:2`", "verified"),
    ("`web/app/(group)/layout.tsx:1`", "verified"),
    ("`Makefile:2`", "verified"),
    ("Makefile:20", "missing"),
    (".github/workflows/ci.yml:2", "verified"),
    ("`.github/workflows/ci.yml`, line 30", "missing"),
    ("`src/app/` has no owner", "verified"),
    ("`src/app/none/` has no owner", "missing"),
    # what may not be opened
    ("`.env:1`", "unchecked"),
    ("`.env`", "unchecked"),
    (".env.local:2 holds the key", "unchecked"),
    ("`config/.env.production:1`: `TOKEN=s3cret`", "unchecked"),
    ("`secrets.txt:1`", "unchecked"),
    ("`secrets.txt:1`: `TOKEN=s3cret`", "unchecked"),
    ("`build/out.js:2`", "unchecked"),
    ("`link_env.py:1`", "unchecked"),
    ("`link_env.py:1`: `TOKEN=s3cret`", "unchecked"),
    ("`link_out.py:1`: `secret = 1`", "unchecked"),
    ("`link_folder/outside.py:1`", "unchecked"),
    ("`link_nowhere.py:1`", "unchecked"),
    ("`link_etc.conf:1`", "unchecked"),
    ("`link_in.py:12`", "verified"),
    ("`link_in.py:400`", "missing"),
    ("`pipe.py:1`", "unchecked"),
    ("`assets/logo.png`", "verified"),
    ("`assets/logo.png:3`", "unchecked"),
    ("`big/huge.py:3`", "unchecked"),
    ("`big/huge.py`", "verified"),
    ("`vendor/sub/inner.py:1`", "unchecked"),
    ("`.git/config:1`", "unchecked"),
    ("`/etc/passwd:1`", "unchecked"),
    ("`~/.ssh/id_rsa.pub:1`", "unchecked"),
    ("`../outside.py:1`", "unchecked"),
    # deleted, new, untracked
    ("`src/app/gone.py`", "missing"),
    ("`src/app/wiped.py:1`", "missing"),
    ("`src/app/untracked.py:2`", "verified"),
    ("`src/app/ledger.py` is created without a test", "unchecked"),
    ("`tests/test_ledger.py:4`", "unchecked"),
    ("`ledger.py:4`", "unchecked"),
    ("`src/app/second_name.py:4`", "moved", "src/pricing/prices.py"),
    ("`src/app/first_name.py:400`", "missing"),
    ("`new_folder/tax.rb:4`", "verified"),
    # plans
    ("03-02:8", "verified"),
    ("`03-02:8` says nothing", "verified"),
    ("`03-02-PLAN.md:8`", "verified"),
    ("03-02-PLAN.md, line 8", "verified"),
    ("`03-02:80`", "missing"),
    ("`.planning/phases/03-pay/03-02-PLAN.md:8-11`", "verified"),
    ("`.planning/phases/99-other/03-02-PLAN.md:8`", "moved"),
    ("`.planning/phases/01-start/01-01-PLAN.md:3`", "moved"),
    ("`01-01-PLAN.md:3`", "moved"),
    ("`.planning/phases/04-more/04-01-PLAN.md:3`", "missing"),
    ("03-02-PLAN.md § Task 1", "verified"),
    # several in one text
    ("`src/app/main.py:3` and `lib/util.py:3`", "verified verified"),
    ("`src/app/main.py:3`, `nowhere/x.py:3`", "verified missing"),
    ("- `src/app/main.py:3`\n- `src/app/util.py:3`\n- `docs/none.md`", "verified verified missing"),
    ("| `src/app/main.py:3` | `util.py:3` |", "verified ambiguous"),
    # nothing is cited
    ("Node.js 20 and Vue.js are fine", "none"),
    ("at 10:30 on localhost:8080", "none"),
    ("ratio 3:1, version 1.2.3, e.g. this", "none"),
    ("mail me at a.b@example.org", "none"),
    ("and/or either/or", "none"),
    ("`application/json` is the type", "none"),
    ("see RFC 9110 section 4.2", "none"),
    ("The plan has 3 waves.", "none"),
)
