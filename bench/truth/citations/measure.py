"""How often a citation gets the verdict that it deserves, over labelled citations in a repository of real git.

Each text goes the way of a review: its citations are read, then looked up in the tree. A case is right when the
verdicts (and, where it is labelled, the place that the first one leads to) are exactly those of the label.
The bench is learnt; what came out at first contact is in `first_contact.tsv`, and printed apart.
Run: `python bench/truth/citations/measure.py [-v]`.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msd_review.grounding.index import Tree, open_tree
from msd_review.grounding.resolve import check_citations, planned_files
from msd_review.prompt.model import PlanFile
from msd_review.review.citations import extract_citations
from msd_review.review.model import Citation

sys.path.insert(0, str(Path(__file__).parent))

from cases import Case, crossed, single
from repository import PLAN, PLAN_NAME, build

FIRST_CONTACT = Path(__file__).parent / "first_contact.tsv"
VERDICTS = ("verified", "moved", "missing", "ambiguous", "unchecked")


def all_cases(root: str) -> Iterator[Case]:
    yield from crossed(root)
    yield from single(root)


def verdicts_of(case: Case, tree: Tree, plans: tuple[PlanFile, ...]) -> tuple[Citation, ...]:
    cited = extract_citations(case.text)
    return check_citations(cited, tree, plans=plans, planned_files=planned_files(plans))


def is_right(case: Case, found: tuple[Citation, ...]) -> bool:
    leads = not case.resolved or (bool(found) and found[0].resolved == case.resolved)
    return leads and tuple(str(citation.verdict) for citation in found) == case.verdicts


def main(arguments: list[str]) -> None:
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        root = build(Path(folder).resolve())
        tree = open_tree(root)
        plans = (PlanFile(path=root / PLAN_NAME, name=PLAN_NAME, text=PLAN),)
        for case in all_cases(str(root)):
            judge(case, verdicts_of(case, tree, plans), counts, verbose="-v" in arguments)
    report(counts)
    print("\nat first contact, before anything was learnt")
    print(FIRST_CONTACT.read_text(encoding="utf-8").rstrip().expandtabs(10))


def judge(case: Case, found: tuple[Citation, ...], counts: Counter[str], *, verbose: bool) -> None:
    right = is_right(case, found)
    counts["right" if right else "wrong"] += 1
    got = [str(citation.verdict) for citation in found]
    for verdict in got:
        counts[f"said {verdict}"] += 1
        counts[f"true {verdict}"] += verdict in case.verdicts
    for verdict in case.verdicts:
        counts[f"labelled {verdict}"] += 1
        counts[f"found {verdict}"] += verdict in got
    if verbose and not right:
        said = [(c.path, c.line, c.end_line, c.symbol, str(c.verdict), c.resolved, c.note) for c in found]
        print(f"{case.text!r}\n    wanted {case.verdicts} {case.resolved}\n    got    {said}")


def report(counts: Counter[str]) -> None:
    total = counts["right"] + counts["wrong"]
    print(f"citations {total}   right {counts['right'] / total:.4f}   wrong {counts['wrong']}")
    for verdict in VERDICTS:
        said, labelled = counts[f"said {verdict}"], counts[f"labelled {verdict}"]
        precision, recall = (
            counts[f"true {verdict}"] / max(1, said),
            counts[f"found {verdict}"] / max(1, labelled),
        )
        print(f"{verdict:10} precision {precision:.3f} of {said:4}   recall {recall:.3f} of {labelled:4}")


if __name__ == "__main__":
    main(sys.argv[1:])
