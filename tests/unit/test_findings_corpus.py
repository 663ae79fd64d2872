"""The labelled texts of bench/truth stay read as well as they are: what a change makes worse shows here."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

TRUTH = Path(__file__).parents[2] / "bench" / "truth"


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_truth_{name}", TRUTH / name / "measure.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


FINDINGS = _module("findings")
CLUSTERS = _module("clusters")


@pytest.mark.parametrize("path", sorted(FINDINGS.CASES.glob("*.txt")), ids=lambda path: path.stem)
def test_every_labelled_text_is_read_as_labelled(path: Path) -> None:
    assert FINDINGS.judge(FINDINGS.load(path), Counter()) == []


def test_the_corpus_is_as_large_as_it_has_to_be() -> None:
    assert len(list(FINDINGS.CASES.glob("*.txt"))) >= 60
    assert len(list(CLUSTERS.SETS.glob("*.txt"))) >= 15


def test_concerns_are_grouped_with_high_precision_and_most_pairs_found() -> None:
    counts: Counter[str] = Counter()
    for path in sorted(CLUSTERS.SETS.glob("*.txt")):
        CLUSTERS.judge(path, counts, verbose=False)
    assert counts["right"] / (counts["right"] + counts["wrong"]) >= 0.95
    assert counts["right"] / (counts["right"] + counts["missed"]) >= 0.8
