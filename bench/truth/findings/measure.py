"""Precision and recall of reading findings, over the labelled texts in `cases/`.

A case is a reviewer's text, a line of `%%%%`, and labels: `H phrase` for an open finding of that severity
that holds the phrase (H, M, L, U; `/r` resolved, `/q` quoted), `risk M`, `strengths 2`, `kind no_review`.
The corpus is learnt: what it measures is that nothing learnt was lost. How the reader did on texts that it had
never seen is written down batch by batch in `first_contact.tsv`, and printed apart.
Run: `python bench/truth/findings/measure.py [-v] [case …]`.
"""

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from msd_review.review.clean import clean_text
from msd_review.review.findings import read_review
from msd_review.review.model import Finding, Review

CASES = Path(__file__).parent / "cases"
FIRST_CONTACT = Path(__file__).parent / "first_contact.tsv"
SEVERITIES = {"H": "high", "M": "medium", "L": "low", "U": "unrated"}
STATUSES = {"": "open", "r": "resolved", "q": "quoted"}
LABEL = re.compile(r"^(?P<severity>[HMLU])(?:/(?P<status>[rq]))? (?P<phrase>.+)$")


@dataclass(frozen=True)
class Expected:
    severity: str
    status: str
    phrase: str


@dataclass
class Case:
    name: str
    text: str
    findings: list[Expected] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)


def load(path: Path) -> Case:
    text, _, labels = path.read_text(encoding="utf-8").partition("\n%%%%\n")
    case = Case(path.stem, text)
    for line in labels.strip().splitlines():
        found = LABEL.match(line)
        if found:
            case.findings.append(
                Expected(
                    SEVERITIES[found["severity"]], STATUSES[found["status"] or ""], found["phrase"].strip()
                )
            )
        else:
            name, _, value = line.partition(" ")
            case.facts[name] = value.strip()
    return case


def holds(finding: Finding, phrase: str) -> bool:
    return phrase.lower() in f"{finding.title}\n{finding.body}\n{finding.suggestion or ''}".lower()


def pair(case: Case, review: Review) -> tuple[list[tuple[Expected, Finding]], list[Expected], list[Finding]]:
    """Expected with found, best title first; what was missed; what was invented."""
    free = list(review.findings)
    pairs: list[tuple[Expected, Finding]] = []
    missed: list[Expected] = []
    for expected in case.findings:
        fits = [finding for finding in free if holds(finding, expected.phrase)]
        fits.sort(
            key=lambda finding: (
                expected.phrase.lower() not in finding.title.lower(),
                finding.status.value != expected.status,
                finding.line,
            )
        )
        if fits:
            pairs.append((expected, fits[0]))
            free.remove(fits[0])
        else:
            missed.append(expected)
    return pairs, missed, free


def judge(case: Case, counts: Counter[str]) -> list[str]:
    """Count one case; the lines that say what went wrong."""
    review = read_review(clean_text(case.text), identity="r", slug="r", section="R")
    pairs, missed, invented = pair(case, review)
    wrong: list[str] = []
    counts["found"] += len(pairs)
    counts["missed"] += len(missed)
    counts["invented"] += len(invented)
    wrong += [f"missed   {expected.severity:7} {expected.phrase}" for expected in missed]
    wrong += [
        f"invented {finding.severity.value:7} {finding.status.value} line {finding.line}: {finding.title}"
        for finding in invented
    ]
    for expected, finding in pairs:
        for kind, want, got in (
            ("severity", expected.severity, finding.severity.value),
            ("status", expected.status, finding.status.value),
        ):
            counts[f"{kind} right"] += want == got
            counts[f"{kind} wrong"] += want != got
            if want != got:
                wrong.append(f"{kind} {got} for {want}: {expected.phrase}")
    return wrong + judge_facts(case, review, counts)


def judge_facts(case: Case, review: Review, counts: Counter[str]) -> list[str]:
    risk = review.overall_risk.value if review.overall_risk else "none"
    got = {
        "kind": review.kind,
        "risk": risk,
        "strengths": str(len(review.strengths)),
        "source": review.source,
    }
    want = {"kind": case.facts.get("kind", "review")}
    want |= {"risk": SEVERITIES.get(case.facts["risk"], case.facts["risk"])} if "risk" in case.facts else {}
    want |= {name: case.facts[name] for name in ("strengths", "source") if name in case.facts}
    wrong = []
    for name, value in want.items():
        counts[f"{name} right"] += got[name] == value
        counts[f"{name} wrong"] += got[name] != value
        if got[name] != value:
            wrong.append(f"{name} {got[name]} for {value}")
    return wrong


def main(arguments: list[str]) -> None:
    verbose = "-v" in arguments
    names = [name for name in arguments if not name.startswith("-")]
    counts: Counter[str] = Counter()
    cases = [load(path) for path in sorted(CASES.glob("*.txt")) if not names or path.stem in names]
    for case in cases:
        wrong = judge(case, counts)
        if wrong and verbose:
            print(case.name, *wrong, sep="\n    ")
    report(len(cases), counts)
    if not names:
        print("\nat first contact, before anything was learnt from the texts")
        print(FIRST_CONTACT.read_text(encoding="utf-8").rstrip().expandtabs(12))


def report(cases: int, counts: Counter[str]) -> None:
    precision = counts["found"] / max(1, counts["found"] + counts["invented"])
    recall = counts["found"] / max(1, counts["found"] + counts["missed"])
    print(f"texts {cases}   findings {counts['found'] + counts['missed']}")
    print(f"{'precision':12}{precision:.3f}   invented {counts['invented']}")
    print(f"{'recall':12}{recall:.3f}   missed {counts['missed']}")
    for name in ("severity", "status", "kind", "risk", "strengths", "source"):
        right, wrong = counts[f"{name} right"], counts[f"{name} wrong"]
        if right + wrong:
            print(f"{name:12}{right / (right + wrong):.3f}   {right} of {right + wrong}")


if __name__ == "__main__":
    main(sys.argv[1:])
