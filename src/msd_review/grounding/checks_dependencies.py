"""Checks of dependencies that a plan says are there: does a manifest of the tree name them?"""

import re
from collections.abc import Iterator

from msd_review.grounding.ground import Ground, held, unsure, wrong
from msd_review.grounding.model import Claim, Fault, Judged
from msd_review.grounding.nearest import nearest_name
from msd_review.grounding.plan import Plan, Segment
from msd_review.grounding.project import normal
from msd_review.grounding.prose import Sentence, code_spans, sentences
from msd_review.lazy import regex
from msd_review.review.model import Severity

_SAYS_SO = regex(
    r"\b(?:existing|already|current(?:ly)?)\b[^.;]{0,50}\b(?:dependenc(?:y|ies)|installed|depends? on|in the lock ?file)\b|"
    r"\bdependenc(?:y|ies)\b[^.;]{0,50}\b(?:already|exists?)\b|\bdepends? on\b[^.;]{0,30}\balready\b|\binstalled\b[^.;]{0,20}\balready\b",
    re.IGNORECASE,
)
_UNTOLD = regex(
    r"\b(?:no|not|never|add|install|new|remove|if|without|instead|replace|unless|will|should)\b",
    re.IGNORECASE,
)
_NAME = regex(
    r"@?[A-Za-z][\w.-]{1,80}(?:/[\w.-]{1,80}){0,4}(?:\[[\w,]+\])?(?:(?:[=<>~!^]=?|@)[\w.*<>=,^~ -]{1,40})?"
)


def check_dependencies_of(ground: Ground, plan: Plan) -> Iterator[Judged]:
    """Judges each name that a sentence calls a dependency which is already there."""
    for segment in plan.segments:
        for sentence in sentences(plan.said(segment)):
            if _SAYS_SO.search(sentence.masked) and not _UNTOLD.search(sentence.masked):
                yield from (_judged(ground, claim) for claim in _named(plan, segment, sentence))


def _named(plan: Plan, segment: Segment, sentence: Sentence) -> Iterator[Claim]:
    for span in code_spans(sentence.text):
        if _NAME.fullmatch(span["code"]):
            line = plan.line_at(segment.start + sentence.start + span.start())
            yield Claim(
                kind="dependency",
                plan=plan.name,
                line=line,
                text=span["code"],
                mode="exists",
                tag=segment.tag,
            )


def _judged(ground: Ground, claim: Claim) -> Judged:
    known = ground.project.dependencies
    name = normal(claim.text)
    if name in known or any(other.endswith(("-" + name, "/" + name)) for other in known):
        return held(claim)
    if not known or ground.tree.ending_in(claim.text):
        return unsure(claim, "no manifest of the tree could be read for dependencies")
    near = nearest_name(name, list(known))
    return wrong(claim, _missing(claim, near, known[near] if near else next(iter(known.values()))))


def _missing(claim: Claim, near: str | None, manifest: str) -> Fault:
    return Fault(
        key=("dependency", normal(claim.text)),
        kind="missing-dependency",
        severity=Severity.MEDIUM,
        title=f"`{claim.text}` is no dependency of the project",
        body="The plan counts on it as installed.",
        spots=((claim.plan, claim.line),),
        truth=f"the nearest is `{near}` in `{manifest}`" if near else f"`{manifest}` does not name it",
        places=(f"{manifest}:1",),
        suggestion="add it in this plan, or name what is there",
        files=(manifest,),
    )
