"""Pairwise precision and recall of clustering, over the labelled multi-reviewer sets in `sets/`.

A set holds one list of concerns for each reviewer (`@ name`); `{#tag}` at the end of an item names the
concern that it is, and is taken off before the text is read. A pair counts when both concerns come from
different reviewers. Run: `python bench/truth/clusters/measure.py [-v] [set …]`.

The sets in `unseen/` were written without sight of the product. When they were first met, precision and recall were
0.58 and 0.22 (`first`), 0.52 and 0.14 (`second`); weights and vocabulary were then fitted with `sets/`, `first` and
`paraphrases`, never with `second`, which gave 0.80 and 0.13 after that. About half of the pairs in `paraphrases` share
no word at all.
"""

import re
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

from msd_review.consensus.agreement import build_consensus
from msd_review.consensus.independence import reviewer_facts
from msd_review.review.clean import clean_text
from msd_review.review.findings import read_review
from msd_review.review.model import Finding, Review

SETS = Path(__file__).parent / "sets"
UNSEEN = Path(__file__).parent / "unseen"
TAG = re.compile(r"\s*\{#(?P<tag>[\w-]+)\}\s*$")


def load(path: Path) -> tuple[list[Review], dict[str, str]]:
    """The reviews of a set, and finding id → tag."""
    reviews: list[Review] = []
    tags: dict[str, str] = {}
    for chunk in path.read_text(encoding="utf-8").removeprefix("@ ").split("\n@ "):
        name, _, body = chunk.partition("\n")
        lines = ["## Concerns", "", *body.splitlines()]
        tag_of_line = {
            number: found["tag"] for number, line in enumerate(lines, start=1) if (found := TAG.search(line))
        }
        text = "\n".join(TAG.sub("", line) for line in lines)
        review = read_review(clean_text(text), identity=name.strip(), slug=name.strip(), section=name.strip())
        reviews.append(review)
        tags |= {finding.id: tag_of_line.get(finding.line, f"?{finding.id}") for finding in review.findings}
    return reviews, tags


def pairs_of(groups: dict[str, str], who: dict[str, str]) -> set[frozenset[str]]:
    """Pairs of finding ids in one group, of different reviewers."""
    return {
        frozenset((one, other))
        for one, other in combinations(sorted(groups), 2)
        if groups[one] == groups[other] and who[one] != who[other]
    }


def judge(path: Path, counts: Counter[str], *, verbose: bool) -> None:
    reviews, tags = load(path)
    findings: dict[str, Finding] = {finding.id: finding for review in reviews for finding in review.findings}
    consensus = build_consensus(reviews, reviewer_facts([], reviews))
    found = {finding_id: cluster.id for cluster in consensus.clusters for finding_id in cluster.finding_ids}
    who = {finding_id: finding.identity for finding_id, finding in findings.items()}
    true, got = pairs_of(tags, who), pairs_of(found, who)
    counts["right"] += len(true & got)
    counts["wrong"] += len(got - true)
    counts["missed"] += len(true - got)
    if verbose:
        for kind, pairs in (("wrong", got - true), ("missed", true - got)):
            for pair in sorted(pairs, key=sorted):
                print(
                    f"{path.stem}: {kind}: "
                    + "  ⟷  ".join(f"{name} {findings[name].title[:70]}" for name in sorted(pair))
                )


def measure(folder: Path, arguments: list[str]) -> None:
    names = [name for name in arguments if not name.startswith("-")]
    counts: Counter[str] = Counter()
    paths = [path for path in sorted(folder.glob("*.txt")) if not names or path.stem in names]
    for path in paths:
        judge(path, counts, verbose="-v" in arguments)
    precision = counts["right"] / max(1, counts["right"] + counts["wrong"])
    recall = counts["right"] / max(1, counts["right"] + counts["missed"])
    pairs = counts["right"] + counts["missed"]
    print(
        f"{folder.name:<14}{len(paths):>6}{pairs:>8}{precision:>11.3f}{counts['wrong']:>8}{recall:>9.3f}{counts['missed']:>9}"
    )


def main(arguments: list[str]) -> None:
    print(f"{'':<14}{'sets':>6}{'pairs':>8}{'precision':>11}{'wrong':>8}{'recall':>9}{'missed':>9}")
    for folder in (SETS, *sorted(UNSEEN.iterdir())):
        measure(folder, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
