"""What a reviewer said, as data."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from msd_review.outcomes import Mark


class Severity(StrEnum):
    """How bad a finding is; `unrated` when its author gave no severity."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    UNRATED = "unrated"

    @property
    def rank(self) -> int:
        """3 for high … 0 for unrated; higher is worse."""
        return {"high": 3, "medium": 2, "low": 1, "unrated": 0}[self.value]


class CitationVerdict(StrEnum):
    """What the source says about a citation."""

    VERIFIED = "verified"
    MOVED = "moved"
    MISSING = "missing"
    AMBIGUOUS = "ambiguous"
    UNCHECKED = "unchecked"


class FindingStatus(StrEnum):
    """Whether a finding is a new concern or speaks about an earlier one."""

    OPEN = "open"
    RESOLVED = "resolved"
    QUOTED = "quoted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A place in the code (or in a plan) that a reviewer names.

    `path` is as written, slashes normalised; `line`/`end_line` are 1-based; `symbol` is a name such as
    `Type.method`; `quote` is text that the reviewer says stands there. After checking, `verdict` is set,
    `resolved` is the path relative to the tree, `note` is one line for a person. In the review of a change,
    `placement` says where the place stands to it: `changed`, `near` or `elsewhere`.
    """

    raw: str
    path: str | None
    line: int | None = None
    end_line: int | None = None
    symbol: str | None = None
    quote: str | None = None
    verdict: CitationVerdict = CitationVerdict.UNCHECKED
    resolved: str | None = None
    note: str = ""
    placement: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One concern of one reviewer.

    `id` is stable for the same reviewer and text within a run ("codex-3"); `line` is where it starts in
    the reviewer's cleaned text (1-based). `demoted` is True when all of its evidence is missing.
    """

    id: str
    identity: str
    severity: Severity
    title: str
    body: str
    citations: tuple[Citation, ...] = ()
    suggestion: str | None = None
    status: FindingStatus = FindingStatus.OPEN
    plan: str | None = None  # the plan or task it speaks of, where that is told
    line: int = 1
    demoted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """Something a reviewer praised."""

    identity: str
    text: str
    line: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """One reviewer's text, read.

    `text` is cleaned (no control, escape or bidirectional characters, no leading reasoning block) but
    not yet nested below our headings. `kind` is `no_review` when text came that is no review.
    `source` says whether the machine-readable block or the prose was believed.
    """

    identity: str
    slug: str
    section: str
    text: str
    kind: Literal["review", "no_review"]
    findings: tuple[Finding, ...] = ()
    strengths: tuple[Strength, ...] = ()
    overall_risk: Severity | None = None
    summary: str = ""
    marks: tuple[Mark, ...] = ()
    source: Literal["block", "prose"] = "prose"
    notes: tuple[str, ...] = ()
