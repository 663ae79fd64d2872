"""What every check stands on: the tree, its names, its manifests, and what the plans make."""

from dataclasses import dataclass

from msd_review.grounding.index import Tree
from msd_review.grounding.model import Claim, Fault, Judged
from msd_review.grounding.nearest import NearestPaths
from msd_review.grounding.project import Project
from msd_review.grounding.survey import Survey
from msd_review.grounding.symbols import Symbols


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """One review's ground; built once and handed to each check."""

    tree: Tree
    symbols: Symbols
    project: Project
    survey: Survey
    nearest: NearestPaths
    carried_out: frozenset[str] = frozenset()  # plans whose SUMMARY exists


def held(claim: Claim, why: str = "") -> Judged:
    """The claim holds."""
    return Judged(claim=claim, outcome="held", why=why)


def unsure(claim: Claim, why: str) -> Judged:
    """It cannot be told whether the claim holds."""
    return Judged(claim=claim, outcome="unsure", why=why)


def wrong(claim: Claim, fault: Fault) -> Judged:
    """The claim does not hold."""
    return Judged(claim=claim, outcome="fault", why=fault.truth, fault=fault)
