"""Time and memory of computing the consensus over many findings, printed as a table.

The findings are those of `sets/`, varied with random words, dealt to eight reviewers. CPU time is shown,
so that other work on the machine does not count. Run: `python bench/truth/clusters/speed.py [N …]`.
"""

import random
import sys
import time
import tracemalloc
from dataclasses import replace

from measure import SETS, load

from msd_review.consensus.agreement import build_consensus
from msd_review.consensus.independence import reviewer_facts
from msd_review.review.model import Finding, Review

REVIEWERS = 8


def varied(originals: list[Finding], words: list[str], chance: random.Random, name: str) -> Finding:
    original = chance.choice(originals)
    more = " ".join(chance.choices(words, k=chance.randint(8, 30)))
    title = " ".join([original.title, *chance.choices(words, k=2)])
    return replace(
        original, id=name, identity=name.partition("-")[0], title=title, body=f"{original.body} {more}"
    )


def many(total: int) -> list[Review]:
    originals = [
        finding
        for path in sorted(SETS.glob("*.txt"))
        for review in load(path)[0]
        for finding in review.findings
    ]
    words = sorted({word for finding in originals for word in f"{finding.title} {finding.body}".split()})
    chance = random.Random(1)
    reviews = []
    for number in range(REVIEWERS):
        names = [f"r{number}-{at + 1}" for at in range(total // REVIEWERS)]
        findings = tuple(
            replace(varied(originals, words, chance, name), line=at) for at, name in enumerate(names, start=1)
        )
        slug = f"r{number}"
        reviews.append(
            Review(identity=slug, slug=slug, section=slug, text="", kind="review", findings=findings)
        )
    return reviews


def main(sizes: list[int]) -> None:
    print(f"{'findings':>10}{'CPU s':>10}{'peak MiB':>10}{'clusters':>10}")
    for size in sizes:
        reviews = many(size)
        facts = reviewer_facts([], reviews)
        start = time.process_time()
        clusters = len(build_consensus(reviews, facts).clusters)
        spent = time.process_time() - start
        tracemalloc.start()
        build_consensus(reviews, facts)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"{size:>10}{spent:>10.2f}{peak / 2**20:>10.0f}{clusters:>10}")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [1_000, 10_000])
