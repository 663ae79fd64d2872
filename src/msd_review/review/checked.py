"""What checking the citations does to a review: verdicts put in, groundless findings demoted, counts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from msd_review.lazy import regex
from msd_review.review.model import Citation, CitationVerdict, Finding, Review

# A concern that says that something is not there is not refuted by its not being there.
_SAYS_ABSENT = regex(
    r"\b(?:does(?:n['’]t| not) exist|do(?:n['’]t| not) exist|no such|non-?existent|not exist|is missing|are missing|missing (?:file|path|module|import)|not (?:found|present|created|there|in the (?:repo|repository|tree))"
    r"|never (?:created|defined|added)|nowhere|absent|lacks?|without a|wrong (?:path|file|name)|was (?:deleted|removed|renamed|moved)|no longer exists?|should be created|must be created|to be created|new file|creates?)\b"
    r"|存在しない|ありません|不存在|没有|존재하지|없|không tồn tại|no existe|não existe|existiert nicht|n['’]existe pas|не существует|отсутствует",
    re.IGNORECASE,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceCounts:
    """How many citations a reviewer made, and what the source says of them."""

    cited: int
    verified: int
    moved: int
    missing: int
    ambiguous: int
    unchecked: int


def citations_of(review: Review) -> tuple[Citation, ...]:
    """Every citation of the review's findings once, in order: what there is to check."""
    return tuple(dict.fromkeys(citation for finding in review.findings for citation in finding.citations))


def with_checked(review: Review, checked: Mapping[Citation, Citation]) -> Review:
    """The review with its citations replaced by their checked forms.

    A finding all of whose cited files are missing is demoted, its severity kept: shown, not hidden,
    and not counted in agreement. One that says itself that the file is not there is not.
    """
    return replace(review, findings=tuple(_checked(finding, checked) for finding in review.findings))


def _checked(finding: Finding, checked: Mapping[Citation, Citation]) -> Finding:
    citations = tuple(checked.get(citation, citation) for citation in finding.citations)
    return replace(finding, citations=citations, demoted=_is_groundless(finding, citations))


def _is_groundless(finding: Finding, citations: tuple[Citation, ...]) -> bool:
    places = [citation for citation in citations if citation.path is not None]
    if not places or any(citation.verdict is not CitationVerdict.MISSING for citation in places):
        return False
    if any(citation.verdict is CitationVerdict.VERIFIED for citation in citations):
        return False
    return not _SAYS_ABSENT.search(f"{finding.title}\n{finding.body[:1500]}")


def evidence_counts(review: Review) -> EvidenceCounts:
    """Counts over the distinct citations of the review's findings."""
    verdicts = [citation.verdict for citation in citations_of(review)]
    return EvidenceCounts(
        cited=len(verdicts),
        verified=verdicts.count(CitationVerdict.VERIFIED),
        moved=verdicts.count(CitationVerdict.MOVED),
        missing=verdicts.count(CitationVerdict.MISSING),
        ambiguous=verdicts.count(CitationVerdict.AMBIGUOUS),
        unchecked=verdicts.count(CitationVerdict.UNCHECKED),
    )
