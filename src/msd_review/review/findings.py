"""A reviewer's cleaned text, read: findings, strengths, overall risk, and whether it is a review at all."""

import re
from collections.abc import Iterable
from typing import Literal

from msd_review.lazy import regex
from msd_review.outcomes import Mark
from msd_review.review.block import BadBlock, Block, BlockFinding, find_block
from msd_review.review.citations import extract_citations, has_path_citation
from msd_review.review.context import Context, Source
from msd_review.review.drafts import BODY_LIMIT, Draft, plain_text, split_title
from msd_review.review.foreign import foreign_strengths, is_data, read_foreign
from msd_review.review.kind import is_review, looks_truncated
from msd_review.review.legend import severity_by_callout, severity_by_emoji
from msd_review.review.model import Citation, Finding, FindingStatus, Review, Severity, Strength
from msd_review.review.overall import overall_risk
from msd_review.review.prose import read_prose
from msd_review.review.records import read_records
from msd_review.review.repeats import share, without_repeats, words_of
from msd_review.review.sections import Section, read_sections
from msd_review.review.statuses import OPEN_MARK
from msd_review.review.strengths import strengths_of, summary_of
from msd_review.review.structure import Document, read_structure
from msd_review.review.titles import bare_title, is_place, without_place
from msd_review.review.walk import Walk

FINDING_LIMIT = 5_000
_PLACE = regex(r"(?P<path>[^\n:]{1,300}):(?P<first>\d{1,7})(?:-(?P<last>\d{1,7}))?")
_WITHOUT_ACCESS = regex(r"REVIEWED-WITHOUT-REPO-ACCESS", re.IGNORECASE)
_SCRATCH = regex(r"working (?:directory|dir|folder)[^\n]{0,40}antigravity-cli/scratch", re.IGNORECASE)


def read_review(
    text: str,
    *,
    identity: str,
    slug: str,
    section: str,
    marks: tuple[Mark, ...] = (),
    evidence_class: str = "source-grounded",
) -> Review:
    """Read one reviewer's text, which `clean_text` has cleaned. Never raises on any text.

    Marks are added for what the text itself shows: no repository access (told in the first five
    lines), no citation of any file, cut output; and `diff_only` for a lane of that evidence class.
    """
    block = find_block(text)
    document = read_structure(_without_block(text, block))
    root = read_sections(document.nodes)
    drafts, prior = _drafts(document, root)
    prose = tuple(
        _finding(draft, at, identity) for at, draft in enumerate([*drafts, *prior][:FINDING_LIMIT], start=1)
    )
    strengths = strengths_of(root, identity) or tuple(
        Strength(identity=identity, text=told, line=line) for told, line in foreign_strengths(document.lines)
    )
    findings, source, notes = _believed(block, prose, identity)
    if source == "block" and isinstance(block, Block) and block.strengths:
        strengths = tuple(
            Strength(identity=identity, text=told, line=block.first_line) for told in block.strengths
        )
    risk = block.overall_risk if source == "block" and isinstance(block, Block) else None
    delivered = source == "block" or is_review(
        text, root, findings=len(findings), has_strengths=bool(strengths)
    )
    return Review(
        identity=identity,
        slug=slug,
        section=section,
        text=text,
        kind="review" if delivered else "no_review",
        findings=findings if delivered else (),
        strengths=strengths,
        overall_risk=risk or overall_risk(root),
        summary=summary_of(root),
        marks=_marks(text, marks, evidence_class, findings),
        source=source,
        notes=(
            *notes,
            *(("Only the first 2 MiB of the text were read for findings.",) if document.cut else ()),
        ),
    )


def _without_block(text: str, block: Block | BadBlock | None) -> str:
    if block is None:
        return text
    lines = text.split("\n")
    lines[block.first_line - 1 : block.last_line] = [""] * (block.last_line - block.first_line + 1)
    return "\n".join(lines)


def _drafts(document: Document, root: Section) -> tuple[list[Draft], list[Draft]]:
    """Drafts of findings, and of what is said about earlier ones."""
    records = read_records(document.lines)
    if records:
        return records, []
    source = Source(
        document=document,
        emoji=severity_by_emoji(document.lines),
        callouts=severity_by_callout(document.nodes),
    )
    walk = Walk(source)
    walk.visit(root, Context())
    data = is_data(document.lines)
    told = read_foreign(document.lines) if data or len(walk.drafts) <= 1 else []
    if len(told) > len(walk.drafts) or (data and told):
        return without_repeats(told), walk.prior
    if not walk.drafts:
        walk.prior.clear()
        walk.visit(root, Context(recap=True))
    if not walk.drafts and not walk.prior:
        return read_prose(root), []
    drafts = without_repeats(sorted(walk.drafts, key=lambda draft: draft.line))
    prior = without_repeats(sorted(walk.prior, key=lambda draft: draft.line))
    reopened = [
        draft for draft in prior if draft.prior_word == OPEN_MARK and not _stands_among(draft, drafts)
    ]
    for draft in reopened:
        draft.status = FindingStatus.OPEN
    open_lines = {draft.line for draft in drafts}
    return drafts + reopened, [
        draft for draft in prior if draft not in reopened and draft.line not in open_lines
    ]


def _stands_among(draft: Draft, drafts: Iterable[Draft]) -> bool:
    words = words_of((draft.text + " ".join(draft.more))[:1500])
    return any(share(words, words_of((other.text + " ".join(other.more))[:3000])) >= 0.4 for other in drafts)


def _title_and_rest(draft: Draft) -> tuple[str, str]:
    """A title that says what is wrong, and the text that is left; a place in front of it goes to the rest."""
    if draft.title:
        return plain_text(draft.title)[:160], draft.text if draft.text != draft.title else ""
    told = without_place(draft.text)
    title, rest = split_title(told)
    if is_place(title) and (said := rest or next((more for more in draft.more if more.strip()), "")):
        return split_title(said)[0], f"{title}\n{rest}"
    if told == draft.text or not told:
        return title, rest
    return title, f"{draft.text[: -len(told)].strip(' *_:—–|-')}\n{rest}".strip()


def _finding(draft: Draft, number: int, identity: str) -> Finding:
    title, rest = _title_and_rest(draft)
    body = "\n".join(piece for piece in [rest, *draft.more] if piece.strip())[:BODY_LIMIT]
    return Finding(
        id=f"{identity}-{number}",
        identity=identity,
        severity=draft.severity or Severity.UNRATED,
        title=bare_title(title) or plain_text(draft.text)[:160] or "(untitled)",
        body=body,
        citations=extract_citations(f"{draft.title or draft.text}\n{body}"),
        suggestion="\n".join(draft.suggestions)[:BODY_LIMIT] or None,
        status=draft.status,
        plan=draft.plan,
        line=draft.line,
    )


def _believed(
    block: Block | BadBlock | None, prose: tuple[Finding, ...], identity: str
) -> tuple[tuple[Finding, ...], Literal["block", "prose"], tuple[str, ...]]:
    """The block's findings when it is valid and agrees with the prose, else the prose's, and why."""
    if block is None:
        return prose, "prose", ()
    if isinstance(block, BadBlock):
        return prose, "prose", (f"The machine-readable block was not used: {block.why}.",)
    against = _contradiction(block, prose)
    if against:
        return prose, "prose", (f"The machine-readable block was not used: {against}.",)
    return tuple(_from_block(found, prose, number=at, line=block.first_line, identity=identity)
            for at, found in enumerate(block.findings, start=1)), "block", ()  # fmt: skip


def _contradiction(block: Block, prose: tuple[Finding, ...]) -> str | None:
    """A block that hides what the prose says is not believed."""
    told = [finding for finding in prose if finding.status is FindingStatus.OPEN]
    listed = [words_of(f"{found.title} {found.body}") for found in block.findings]
    absent = [
        finding
        for finding in told
        if not any(share(words_of(finding.title), words) >= 0.35 for words in listed)
    ]
    if any(finding.severity is Severity.HIGH for finding in absent):
        return "it leaves out a HIGH finding of the prose"
    if len(told) >= 2 and len(absent) * 2 > len(told):
        return "it leaves out most findings of the prose"
    return None


def _from_block(
    found: BlockFinding, prose: tuple[Finding, ...], *, number: int, line: int, identity: str
) -> Finding:
    words = words_of(f"{found.title} {found.body}")
    nearest = max(prose, key=lambda finding: share(words_of(finding.title), words), default=None)
    matches = nearest is not None and share(words_of(nearest.title), words) >= 0.5
    written = tuple(
        citation for text in found.citations for citation in extract_citations(text) or _whole_place(text)
    )
    in_body = extract_citations(f"{found.title}\n{found.body}")
    return Finding(
        id=f"{identity}-{number}",
        identity=identity,
        severity=found.severity,
        title=bare_title(plain_text(found.title)[:160]),
        body=found.body[:BODY_LIMIT],
        citations=_once((*written, *in_body)),
        suggestion=found.suggestion,
        plan=found.plan,
        status=nearest.status if matches and nearest else FindingStatus.OPEN,
        line=nearest.line if matches and nearest else line,
    )


def _whole_place(text: str) -> tuple[Citation, ...]:
    """A citation of the block that prose rules read nothing of: it is one place by contract, whatever its name."""
    match = _PLACE.fullmatch(text.strip())
    if match is None:
        return ()
    last = int(match["last"]) if match["last"] else None
    return (Citation(raw=text, path=match["path"], line=int(match["first"]), end_line=last),)


def _once(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    kept: dict[tuple[object, ...], Citation] = {}
    for citation in citations:
        kept.setdefault((citation.path, citation.line, citation.end_line, citation.symbol), citation)
    return tuple(kept.values())


def _marks(
    text: str, marks: tuple[Mark, ...], evidence_class: str, findings: tuple[Finding, ...]
) -> tuple[Mark, ...]:
    found = list(marks)
    head = "\n".join(text.lstrip().split("\n", 5)[:5])
    if _WITHOUT_ACCESS.search(head) or _SCRATCH.search(text[:20_000]):
        found.append(Mark.WITHOUT_REPO_ACCESS)
    if evidence_class == "diff-only":
        found.append(Mark.DIFF_ONLY)
    if looks_truncated(text):
        found.append(Mark.TRUNCATED_OUTPUT)
    cites = any(citation.path for finding in findings for citation in finding.citations)
    # A review that found nothing has nothing to cite.
    if findings and not cites and not has_path_citation(text):
        found.append(Mark.NO_CITATIONS)
    return tuple(dict.fromkeys(found))
