"""The reviewer's overall risk, wherever it stands: its own line, a heading, the risk section, per plan."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msd_review.lazy import regex
from msd_review.review.drafts import plain_text
from msd_review.review.label_places import trailing_label
from msd_review.review.labels import leading_label
from msd_review.review.model import Severity
from msd_review.review.sections import Section
from msd_review.review.severities import severity_of_cell
from msd_review.review.structure import Node
from msd_review.review.tables import table_kind

_SUBJECT = (
    r"(?:overall|total|aggregate|final|residual|combined|phase|plan set|general|global)?[ -]?(?:phase |plan |project |execution )?(?:risk(?:[ -](?:assessment|level|rating|verdict|score))?|overall|assessment|rating"
    r"|総合リスク|全体リスク|リスク(?:評価|レベル)|总体风险|整体风险|风险(?:评估|等级|级别|评级)|전체 ?(?:위험도?|리스크)|종합 ?(?:위험도?|리스크)|위험(?:도| ?수준| ?평가)"
    r"|(?:mức (?:độ )?)?rủi ro(?: tổng thể| chung)?|riesgo (?:general|global|total)|nivel de riesgo|risco (?:geral|global|total)|nível de risco"
    r"|gesamtrisiko|risikobewertung|risikostufe|risque (?:global|général|total)|niveau de risque|общий риск|уровень риска)"
)
_STATEMENT = regex(rf"(?:^|[\n.。(;—–-])\s*[*_`#>\s]*{_SUBJECT}(?: (?:is|remains|stays|was|seems|ist|est|es|é|là|для|:))?[*_`\s]*[:：=—–-]?[*_`\s\[(]*(?P<value>[^\n]{{2,60}})", re.IGNORECASE)  # fmt: skip
_OVERALL_LINE = regex(
    r"\W*(?:(?:overall|total|general) (?:phase |plan )?risk\b|overall\W|総合|全体|总体|整体|전체|종합|(?:mức (?:độ )?)?rủi ro (?:tổng|chung)"
    r"|(?:riesgo|risco|risque) (?:general|global|geral|total)|gesamtrisiko|общий риск)",
    re.IGNORECASE,
)
_SENTENCE = regex(r"\b(?:overall|residual|total)?\s?risk\b[^.\n]{0,40}?\b(?:is|remains|as|at|to|:)\s+[*_`]{0,2}(?P<value>(?:low|medium|high|critical|moderate)(?:[ -]?(?:to|/|–|-)[ -]?(?:low|medium|high|critical|moderate))?)\b", re.IGNORECASE)  # fmt: skip
_MOST_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class _Rated:
    severity: Severity
    plan: str | None
    depth: int
    parent: int  # the line of the section around it


def overall_risk(root: Section) -> Severity | None:
    """The stated overall risk; the highest of the plans' own where only those are rated."""
    rated = list(_rated_sections(root, plan=None, depth=0, parent=0))
    whole = [found for found in rated if found.plan is None]
    if not whole:
        return _highest(rated)
    top = [found for found in whole if found.depth == min(entry.depth for entry in whole)]
    apart = len({found.parent for found in top}) == len(top)
    return _highest(top) if apart else top[0].severity


def _highest(rated: Sequence[_Rated]) -> Severity | None:
    return max((found.severity for found in rated), key=lambda severity: severity.rank, default=None)


def _rated_sections(section: Section, *, plan: str | None, depth: int, parent: int) -> Iterator[_Rated]:
    meaning = section.meaning
    plan = meaning.plan or plan
    line = section.heading.line if section.heading else 0
    if section.heading is not None and (stated := _in_heading(section)) is not None:
        yield _Rated(stated, plan, depth, parent)
    elif meaning.role == "risk" and (found := _in_body(section)) is not None:
        yield _Rated(found, plan, depth, parent)
    else:
        yield from (_Rated(severity, plan, depth + 1, line) for severity in _statements(section))
    for node in section.nodes():
        if node.kind == "table" and table_kind(node) == "risk_by_plan":
            yield from (_Rated(severity, named, depth + 1, line) for severity, named in _by_plan(node))
    for below in section.subsections():
        yield from _rated_sections(below, plan=plan, depth=depth + 1, parent=line)


def _in_heading(section: Section) -> Severity | None:
    meaning, text = section.meaning, section.heading.text if section.heading else ""
    if meaning.role == "risk":
        return meaning.risk
    found = re.search(r"(?i)\brisk\b[^\n]{0,12}?[:：=—–-]\s*(?P<value>[^\n)\]]{2,40})", text)
    if found and meaning.role in {None, "summary", "verdict"}:
        return severity_of_cell(found["value"].strip(" *_`"))
    return None


def _in_body(section: Section) -> Severity | None:
    """The risk section's own verdict: a labelled statement, or the severity that it begins with."""
    stated = list(_statements(section))
    if stated:
        return stated[0]
    for node in section.nodes()[:3]:
        severity = _severity_at_start(node)
        if severity is not None:
            return severity
    for node in section.nodes():
        found = _SENTENCE.search(node.text[:_MOST_CHARACTERS])
        if found:
            return severity_of_cell(found["value"])
    return None


def _severity_at_start(node: Node) -> Severity | None:
    first = re.split(r"(?<=[.。])\s|\n|\s[—–-]\s|,\s|[(（]|:\s", plain_text(node.text[:200]), maxsplit=1)[0]
    severity = severity_of_cell(first.strip(" .。")) or _value(first)
    if severity is not None:
        return severity
    label = leading_label(node.text[:200]) or trailing_label(node.text[:200])
    return label.severity if label is not None and label.strong else None


def _statements(section: Section) -> Iterator[Severity]:
    silent = section.meaning.role in {"concerns", "strengths", "suggestions", "prior"}
    for node in section.nodes():
        if node.kind not in {"text", "item"} or node.quoted:
            continue
        if silent and not (node.kind == "text" and _OVERALL_LINE.match(node.text)):
            continue
        for found in _STATEMENT.finditer(node.text[:_MOST_CHARACTERS]):
            severity = _value(found["value"])
            if severity is not None:
                yield severity


def _value(text: str) -> Severity | None:
    cleaned = re.split(
        r"[.,;(（。|]|\s[—–-]\s|\s(?:until|after|because|for|if|once|with|before|as|due|since|given|,)\b",
        text,
        maxsplit=1,
    )[0]
    cleaned = re.sub(r"[*_`\[\])>#]", "", cleaned).strip(" :：")
    return severity_of_cell(cleaned)


def _by_plan(table: Node) -> Iterator[tuple[Severity, str | None]]:
    for row in table.rows:
        for cell in row.cells[1:]:
            severity = severity_of_cell(plain_text(cell))
            if severity is not None:
                whole = re.match(r"(?i)\W*(?:overall|total|phase|all)\b", row.cells[0])
                yield severity, None if whole else row.cells[0]
                break
