"""Precision and recall of divergence: one reviewer calls something HIGH, another says that the same thing is well done.

A set holds for each reviewer (`@ name`) concerns (`- HIGH: …`) and praise (`+ …`); `{#tag}` at the end of a concern
and of a praise says that they contradict each other. Praise without a tag is a near miss: of another thing, or of
another side of it. Sets whose name begins with `first` or `second` were written without sight of the product.
Run: `python bench/truth/divergence/measure.py [-v] [set …]`.
"""

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from msd_review.consensus.agreement import build_consensus
from msd_review.consensus.independence import reviewer_facts
from msd_review.consensus.model import Cluster
from msd_review.review.clean import clean_text
from msd_review.review.findings import read_review
from msd_review.review.model import Finding, Review

SETS = Path(__file__).parent / "sets"
FIRST_CONTACT = Path(__file__).parent / "first_contact.tsv"
TAG = re.compile(r"\s*\{#(?P<tag>[\w-]+)\}\s*$")


@dataclass
class Set:
    """The reviews; finding id → tag of a concern that somebody contradicts; tag → the text of the praise."""

    reviews: list[Review] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    praise: dict[str, str] = field(default_factory=dict)


def load(path: Path) -> Set:
    found = Set()
    for chunk in path.read_text(encoding="utf-8").removeprefix("@ ").split("\n@ "):
        name, _, body = chunk.partition("\n")
        concerns = [line[2:] for line in body.splitlines() if line.startswith("- ")]
        praise = [line[2:] for line in body.splitlines() if line.startswith("+ ")]
        _add(found, name.strip(), concerns, praise)
    return found


def _add(found: Set, name: str, concerns: list[str], praise: list[str]) -> None:
    listed = ["## Strengths", *(f"- {TAG.sub('', text)}" for text in praise), "", "## Concerns"]
    first = len(listed) + 1
    text = "\n".join([*listed, *(f"- {TAG.sub('', concern)}" for concern in concerns)])
    review = read_review(clean_text(text), identity=name, slug=name, section=name)
    found.reviews.append(review)
    tag_of_line = {first + at: hit["tag"] for at, line in enumerate(concerns) if (hit := TAG.search(line))}
    found.tags |= {one.id: tag_of_line[one.line] for one in review.findings if one.line in tag_of_line}
    found.praise |= {hit["tag"]: TAG.sub("", line) for line in praise if (hit := TAG.search(line))}


def contradicted(clusters: tuple[Cluster, ...]) -> list[Cluster]:
    """The clusters that somebody praises; those that are merely rated far apart are another matter."""
    return [cluster for cluster in clusters if cluster.divergent and "praises it" in cluster.divergence]


def judge(path: Path, counts: Counter[str]) -> list[str]:
    """Count one set; the lines that say what went wrong."""
    given = load(path)
    findings: dict[str, Finding] = {one.id: one for review in given.reviews for one in review.findings}
    shown = contradicted(build_consensus(given.reviews, reviewer_facts([], given.reviews)).clusters)
    told = {tag for cluster in shown for tag in _rightly(cluster, given)}
    wrong = [cluster for cluster in shown if not _rightly(cluster, given)]
    missed = set(given.tags.values()) - told
    counts["right"] += len(shown) - len(wrong)
    counts["wrong"] += len(wrong)
    counts["found"] += len(told)
    counts["missed"] += len(missed)
    lines = [f"wrong  {cluster.title[:80]}  ⟷  {cluster.divergence[:140]}" for cluster in wrong]
    for tag in sorted(missed):
        titles = [findings[name].title[:80] for name, own in given.tags.items() if own == tag]
        lines.append(f"missed {titles[0]}  ⟷  {given.praise[tag][:100]}")
    return lines


def _rightly(cluster: Cluster, given: Set) -> set[str]:
    tags = {given.tags[name] for name in cluster.finding_ids if name in given.tags}
    return {tag for tag in tags if given.praise[tag][:40] in cluster.divergence}


def main(arguments: list[str]) -> None:
    names = [name for name in arguments if not name.startswith("-")]
    counts: Counter[str] = Counter()
    paths = [path for path in sorted(SETS.glob("*.txt")) if not names or path.stem in names]
    for path in paths:
        wrong = judge(path, counts)
        if wrong and "-v" in arguments:
            print(path.stem, *wrong, sep="\n    ")
    precision = counts["right"] / max(1, counts["right"] + counts["wrong"])
    recall = counts["found"] / max(1, counts["found"] + counts["missed"])
    print(f"sets {len(paths)}   contradictions {counts['found'] + counts['missed']}")
    print(f"precision {precision:.3f}   wrong {counts['wrong']}")
    print(f"recall    {recall:.3f}   missed {counts['missed']}")
    if FIRST_CONTACT.exists():
        print("\nat first contact, before anything was learnt")
        print(FIRST_CONTACT.read_text(encoding="utf-8").rstrip().expandtabs(12))


if __name__ == "__main__":
    main(sys.argv[1:])
