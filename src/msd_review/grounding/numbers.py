"""The numbers by which plans call each other: `03-02`, `3-2`, `02b`, `04.1-03-slug-PLAN.md`.

Pure. Zero padding never matters.
"""

import re
from dataclasses import dataclass

from msd_review.grounding.plan import Plan
from msd_review.lazy import regex

_FULL = regex(
    r"(?:phase[-_ ]?)?(?P<phase>\d{1,4}(?:\.\d{1,4})*[a-z]?)-(?:[a-z][\w-]{0,100}?-)?(?P<plan>\d{1,4}[a-z]?)(?![\d.])(?:[-_ ].*)?",
    re.IGNORECASE,
)
_BARE = regex(r"(?:plan[-_ ]?)?(?P<plan>\d{1,4}[a-z]?)", re.IGNORECASE)
_PHASE = regex(r"(?:phase[-_ ]?)?(?P<phase>\d{1,4}(?:\.\d{1,4})*[a-z]?)(?:[-_ ].*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PlanNumber:
    """A plan's number without padding; `phase` is "" where it is not told."""

    phase: str
    plan: str

    def __str__(self) -> str:
        return f"{self.phase.zfill(2)}-{self.plan.zfill(2)}" if self.phase else self.plan.zfill(2)


def number_of(plan: Plan) -> PlanNumber | None:
    """A plan's own number, from its file's name, else from its front matter."""
    named = read_number(re.sub(r"[-_]?PLAN\.md$", "", plan.name, flags=re.I))
    phase = plain(str(plan.front.get("phase") or ""))
    if named is not None and named.phase:
        return named
    own = read_number(str(plan.front.get("plan") or ""))
    found = own or named
    return PlanNumber(found.phase or phase, found.plan) if found else None


def read_number(text: str) -> PlanNumber | None:
    """A number as written in `depends_on` or a file's name; None for anything else."""
    text = re.sub(r"(?:[-_]?PLAN)?(?:\.md)?$", "", text.strip(), flags=re.IGNORECASE).rsplit("/", 1)[-1]
    full = _FULL.fullmatch(text)
    if full:
        return PlanNumber(plain(full["phase"]), _padless(full["plan"]))
    bare = _BARE.fullmatch(text)
    return PlanNumber("", _padless(bare["plan"])) if bare else None


def plain(phase: str) -> str:
    """A phase's number without padding and slug: "03-checkout" and "3" are equal."""
    match = _PHASE.fullmatch(phase.strip())
    return ".".join(_padless(part) for part in match["phase"].split(".")) if match else ""


def _padless(number: str) -> str:
    return number.lower().lstrip("0") or "0"
