"""The labelled citations of bench/truth keep the verdicts that they deserve, and no secret is ever opened for one."""

import importlib.util
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from msd_review.grounding.index import Tree, open_tree
from msd_review.grounding.reading import Refused
from msd_review.prompt.model import PlanFile

FOLDER = Path(__file__).parents[2] / "bench" / "truth" / "citations"


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_citations_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


MEASURE = _module("measure")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return open_tree(MEASURE.build(tmp_path_factory.mktemp("citations").resolve()))


def _plans(tree: Tree) -> tuple[PlanFile, ...]:
    return (PlanFile(path=tree.root / MEASURE.PLAN_NAME, name=MEASURE.PLAN_NAME, text=MEASURE.PLAN),)


def test_every_labelled_citation_gets_its_verdict(tree: Tree) -> None:
    cases = list(MEASURE.all_cases(str(tree.root)))
    wrong = [
        case.text
        for case in cases
        if not MEASURE.is_right(case, MEASURE.verdicts_of(case, tree, _plans(tree)))
    ]
    assert wrong == []
    assert len(cases) >= 400
    assert set(Counter(verdict for case in cases for verdict in case.verdicts)) == set(MEASURE.VERDICTS)


class _NotingTree(Tree):
    """A tree that keeps what was read of it."""

    opened: dict[str, bytes]

    def read_bytes(self, path: str) -> bytes | Refused:
        content = super().read_bytes(path)
        if isinstance(content, bytes):
            self.opened[path] = content
        return content


def test_no_file_that_holds_a_secret_or_lies_outside_is_opened(tree: Tree) -> None:
    noting = _NotingTree(tree.root, tree.files)
    noting.opened = {}
    for case in MEASURE.all_cases(str(tree.root)):
        MEASURE.verdicts_of(case, noting, _plans(tree))
    assert "src/app/main.py" in noting.opened
    assert [
        path for path, content in noting.opened.items() if b"s3cret" in content or b"secret =" in content
    ] == []
    assert not {"link_etc.conf", "link_out.py", "link_env.py", "pipe.py", ".git/config"} & set(noting.opened)
