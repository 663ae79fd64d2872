"""Kinds of wording that join a name, a line, a key or a command to a file, and those that only look as if they did."""

from pathlib import Path

import pytest

from msd_review.grounding.examine import examine
from msd_review.grounding.index import open_tree
from msd_review.grounding.plan import read_plan

SOURCE = "class Store:\n    def load_all(self, path, limit=3):\n        return path\n\n\ndef save_all(path):\n    return path\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/store.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "src/other.py").write_text("def only_other():\n    pass\n", encoding="utf-8")
    (tmp_path / "settings.yaml").write_text("cache:\n  ttl: 3\nserver:\n  port: 1\n", encoding="utf-8")
    (tmp_path / "Makefile").write_text("check:\n\ttrue\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\ndependencies = ["requests"]\n', encoding="utf-8"
    )
    return tmp_path


def _titles(root: Path, text: str) -> list[str]:
    plan = read_plan("PLAN.md", f"# Plan\n\n{text}\n")
    return [fault.title for fault in examine(root, open_tree(root), [plan]).faults]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("### `src/store.py`\n\nTighten `save_alls`.", "`save_alls` is not in `src/store.py`"),
        ("- File: `src/store.py`\n  - Function: `save_alls`", "`save_alls` is not in `src/store.py`"),
        ("- Symbol: `save_alls`\n- File: `src/store.py`", "`save_alls` is not in `src/store.py`"),
        ("Make `save_alls` lazy. File: `src/store.py`.", "`save_alls` is not in `src/store.py`"),
        ("`src/store.py#save_alls` is slow.", "`src/store.py#save_alls` is not in `src/store.py`"),
        ("The `only_other` helper in `src/store.py` is slow.", "`only_other` is not in `src/store.py`"),
        ("The `only_other` method of `Store` in `src/store.py` is slow.", "`only_other` is not in `src/store.py`"),
        ("| `save_alls` | `src/store.py` | slow |", "`save_alls` is not in `src/store.py`"),
        ("`src/store.py` is slow. On line 90 it waits.", "`src/store.py:90` lies beyond the end of the file"),
        ("`save_all(path, mode)` in `src/store.py` is reused.", "`save_all(path, mode)` is not the signature in the source"),
        ("The `mode` parameter of `save_all` in `src/store.py` is kept.", "`mode` is not the signature in the source"),
        ("The setting `cache.ttls` in `settings.yaml` is low.", "`settings.yaml` has no key `cache.ttls`"),
        ("Then run make checks.", "`make checks` cannot run: there is no target `checks`"),
        ("`requests2` is already in `pyproject.toml`.", "`requests2` is no dependency of the project"),
        ("```diff\n--- a/src/stores.py\n+++ b/src/stores.py\n```", "`src/stores.py` does not exist"),
    ],
)  # fmt: skip
def test_a_false_claim_is_found_in_the_wording(root: Path, text: str, title: str) -> None:
    assert title in _titles(root, text)


@pytest.mark.parametrize(
    "text",
    [
        "Import `functools.lru_cache` in `src/store.py`.",
        "e.g. `fresh_name` in `src/store.py`",
        "Nothing called `fresh_name` exists in `src/store.py`.",
        "Had we `fresh_name` in `src/store.py`, this would be simple.",
        "Subclass the type in `src/store.py` as `FreshName`.",
        "### New files\n- `src/fresh.py`",
        "git mv src/store.py src/fresh.py",
        "The upstream project keeps this in `src/fresh.py`.",
        "```python\n# after (target state of src/store.py)\ndef fresh_name(x):\n    return x\n```",
        "Give `src/store.py` a `FreshName` type.",
        "The flag `--fresh` toggles `fresh_name` in `src/store.py`.",
        "Add a `fresh` target to the Makefile; `make fresh` then runs it.",
        "Depend on `fresh` in `pyproject.toml` from now on.",
        "Set `fresh_key` in `settings.yaml` to 5.",
        "Call `save_all(target)` from `src/store.py`.",
        "**Files:**\n1. src/store.py\n2. src/other.py",
        "Ticket: CORE-19",
    ],
)
def test_what_is_made_meant_or_brought_in_is_no_claim(root: Path, text: str) -> None:
    assert _titles(root, text) == []
