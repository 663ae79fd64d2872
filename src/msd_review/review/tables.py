"""Tables: which of them list findings, and what each row says."""

import re
from dataclasses import dataclass
from typing import Literal

from msd_review.lazy import regex
from msd_review.review.drafts import Draft, is_nothing, plain_text
from msd_review.review.headings import plan_of
from msd_review.review.label_places import find_label, identifier_severity
from msd_review.review.model import Severity
from msd_review.review.severities import severity_of_cell
from msd_review.review.statuses import RESOLVED_MARK, status_of, status_word
from msd_review.review.structure import Node, Row

TableKind = Literal["findings", "risk_by_plan", "other"]

_COLUMN_WORDS: tuple[tuple[str, str], ...] = (
    ("likelihood", r"likelihood|probability|chance|可能性|概率|確率|발생|가능성|xác suất|probabilidade|probabilidad|probabilité|wahrscheinlichkeit|eintritt|вероятность|mitigated\?"),
    ("severity", r"^(?:\W*)(?:severity|sev\.?|priority|prio|level|rating|risk level|criticality|impact|重要度|深刻度|優先度|严重(?:程度|性|度)|嚴重程度|级别|等级|优先级|심각도|중요도|우선순위|등급|mức độ.*|độ nghiêm trọng|severidade|gravidade|prioridade|severidad|gravedad|prioridad|schwere(?:grad)?|priorität|stufe|gravité|sévérité|priorité|niveau|серьёзность|серьезность|важность|приоритет|уровень)\W*$"),
    ("status", r"^(?:\W*)(?:status|disposition|state|resolution|resolved\?|verdict|result|covered\??|met\??|coverage|exists\??|ok\??|pass(?:ed)?\??|confirmed\??|verified\??|状態|状态|상태|trạng thái|estado|statut|статус|判定|结果|결과|cycle.*|now)\W*$"),
    ("plan", r"^(?:\W*)(?:plan|plans|plan\(s\)|task|wave|phase|计划|計画|계획|kế hoạch|plano|план)\W*$"),
    ("place", r"^(?:\W*)(?:file|files|location|where|source|evidence|reference|ref|refs|citation|file:line|path|lines?|場所|ファイル|箇所|根拠|文件|位置|证据|파일|위치|근거|tệp|vị trí|arquivo|local|archivo|ubicación|datei|ort|beleg|fichier|emplacement|preuve|файл|место)\W*$"),
    ("suggestion", r"^(?:\W*)(?:fix|suggestion|suggested fix|recommendation|remedy|remediation|mitigation|action|recommended (?:fix|action)|proposed (?:fix|change)|提案|対策|修正案|推奨.*|建议|修复.*|제안|권고.*|해결.*|đề xuất|khuyến nghị|sugestão|recomendação|sugerencia|recomendación|vorschlag|empfehlung|maßnahme|recommandation|correction|рекомендация|исправление)\W*$"),
    ("number", r"^(?:\W*)(?:#|id|no\.?|nr\.?|n°|№|番号|编号|序号|번호|stt|key|ref #)\W*$|^$"),
    ("concern", r"concern|issue|finding|problem|risk|gap|description|detail|title|summary|what|懸念|問題|指摘|課題|内容|リスク|问题|描述|说明|关注|风险|우려|문제|내용|이슈|지적|위험|설명|vấn đề|lo ngại|mô tả|rủi ro|preocupa|problema|descri|risco|riesgo|hallazgo|achado|bedenken|problem|beschreibung|befund|risiko|mangel|préoccupation|problème|constat|risque|проблем|замечани|описани|риск"),
)  # fmt: skip
_COLUMNS = tuple((name, regex(pattern, re.IGNORECASE)) for name, pattern in _COLUMN_WORDS)
_MEANING = regex(r"\b(?:meaning|means|definition|criteria|when to use|explanation|bedeutung|signification|significado)\b|意味|含义|说明|의미|ý nghĩa", re.IGNORECASE)  # fmt: skip
_GOOD = regex(r"^[\s*_`]*[🟢✅✔☑🟩]\ufe0f?\s*(?:ok|good|pass(?:ed)?|fine|green)?[\s*_`]*$", re.IGNORECASE)
_STATE_HEADER = regex(r"(?i)\W*(?:status|state|health|rag|result|verdict|rating|grade|assessment|ampel)\W*")
_COUNTS = regex(r"^\W*\d{1,3}\W*$")


@dataclass(frozen=True, slots=True)
class _Columns:
    names: tuple[str, ...]
    by_state: bool = False  # the severity stands in a column of states, where green means that all is well

    def index(self, name: str) -> int | None:
        return self.names.index(name) if name in self.names else None


def _columns(table: Node) -> _Columns:
    names: list[str] = []
    for cell in table.header:
        plain = plain_text(cell)
        name = next((name for name, pattern in _COLUMNS if pattern.search(plain)), "other")
        names.append(name if name not in names or name == "other" else "other")
    if "likelihood" in names and (at := _rating_column(table)) is not None:
        names = ["other" if name == "severity" else name for name in names]
        names[at] = "severity"
    if "severity" not in names and (at := _column_of_severities(table)) is not None:
        names[at] = "severity"
    if "concern" not in names and names and "severity" in names:
        names = _longest_as_concern(table, names)
    by_state = "severity" in names and bool(
        _STATE_HEADER.fullmatch(plain_text(table.header[names.index("severity")]))
    )
    return _Columns(tuple(names), by_state)


def _rating_column(table: Node) -> int | None:
    """Beside likelihood and impact, the column that puts both together."""
    for at, cell in enumerate(table.header):
        if re.fullmatch(
            r"(?i)\W*(?:rating|severity|level|risk level|priority|score|overall)\W*", plain_text(cell)
        ):
            return at
    return None


def is_risk_register(table: Node) -> bool:
    """A table of risks with their likelihood: a list of findings only where a text has no other."""
    names = _columns(table).names
    return "likelihood" in names and "concern" in names and "severity" in names and bool(table.rows)


def _column_of_severities(table: Node) -> int | None:
    """The column whose every filled cell is a severity, whatever it is called."""
    for at in range(min(len(table.header), 8)):
        cells = [row.cells[at] for row in table.rows[:40] if at < len(row.cells) and row.cells[at].strip()]
        if cells and all(severity_of_cell(plain_text(cell)) is not None for cell in cells):
            return at
    return None


def _longest_as_concern(table: Node, names: list[str]) -> list[str]:
    def length(at: int) -> int:
        return sum(len(row.cells[at]) for row in table.rows[:40] if at < len(row.cells))

    free = [at for at, name in enumerate(names) if name in {"other", "plan"}]
    longest = max(free, key=length, default=None)
    if longest is None or length(longest) < 8 * max(1, len(table.rows)):
        return names
    return [("concern" if at == longest else name) for at, name in enumerate(names)]


def table_kind(table: Node) -> TableKind:
    """Whether a table lists findings, rates plans, or is about something else."""
    columns = _columns(table)
    if "likelihood" in columns.names or not table.rows or _explains_levels(table):
        return "other"
    if "plan" in columns.names[:1] and "severity" in columns.names and not _has_concern_text(table, columns):
        return "risk_by_plan"
    if re.fullmatch(r"(?i)\W*risk(?: level)?\W*", table.header[1] if len(table.header) > 1 else "") and "plan" in columns.names[:1]:  # fmt: skip
        return "risk_by_plan"
    if "concern" not in columns.names:
        return "other"
    if "severity" in columns.names or _labels_in_cells(table, columns):
        return "other" if _only_counts(table, columns) else "findings"
    return "other" if "status" in columns.names else "findings" if _named_concern(table) else "other"


def _explains_levels(table: Node) -> bool:
    """A legend: what each level means, each of them once."""
    if len(table.header) < 2 or not _MEANING.search(" ".join(table.header[1:])):
        return False
    levels = [plain_text(row.cells[0]) for row in table.rows if row.cells]
    return len(set(levels)) == len(levels) and all(severity_of_cell(level) for level in levels)


def _named_concern(table: Node) -> bool:
    return bool(
        re.search(
            r"(?i)concern|issue|finding|problem|gap|懸念|問題|指摘|问题|우려|문제|지적",
            " ".join(table.header),
        )
    )


def _has_concern_text(table: Node, columns: _Columns) -> bool:
    at = columns.index("concern")
    named = at is not None and re.search(r"(?i)concern|issue|finding|problem|gap|description|懸念|問題|指摘|问题|우려|문제", table.header[at])  # fmt: skip
    return bool(named)


def _labels_in_cells(table: Node, columns: _Columns) -> bool:
    at = columns.index("concern")
    texts = [row.cells[at] for row in table.rows[:40] if at is not None and at < len(row.cells)]
    return bool(texts) and sum(1 for text in texts if find_label(text)) * 2 > len(texts)


def _only_counts(table: Node, columns: _Columns) -> bool:
    at = columns.index("concern")
    return all(_COUNTS.match(row.cells[at]) for row in table.rows if at is not None and at < len(row.cells))


def has_status_column(table: Node) -> bool:
    """Whether a table has a column for what became of each row."""
    return "status" in _columns(table).names


def findings_in_table(table: Node, *, group: Severity | None, plan: str | None) -> list[Draft]:
    """A draft for each row that states a concern."""
    columns = _columns(table)
    drafts = [_row_draft(row, columns, group=group, plan=plan) for row in table.rows]
    return [draft for draft in drafts if draft is not None]


def _cell(row: Row, columns: _Columns, name: str) -> str:
    at = columns.index(name)
    return row.cells[at].strip() if at is not None and at < len(row.cells) else ""


def _row_draft(row: Row, columns: _Columns, *, group: Severity | None, plan: str | None) -> Draft | None:
    concern = _cell(row, columns, "concern")
    if is_nothing(concern) or _COUNTS.match(concern):
        return None
    rating = _cell(row, columns, "severity")
    if columns.by_state and _GOOD.match(rating):
        return None
    label = find_label(concern)
    severity = severity_of_cell(plain_text(rating)) or (label.severity if label else None)
    severity = severity or group or identifier_severity(_cell(row, columns, "number") + " ")
    if rating and severity_of_cell(plain_text(rating)) is None and is_nothing(rating):
        severity = severity or None
    status_cell = _cell(row, columns, "status")
    word = (
        (RESOLVED_MARK if re.match(r"\W*[✅☑✔]", status_cell) and severity is not None else None)
        or status_word(concern)
        or status_word(f"Status: {status_cell}" if status_cell else "")
        or status_word(f"Status: {rating}")
    )
    place = _cell(row, columns, "place")
    fix = _cell(row, columns, "suggestion")
    text = label.rest if label else concern
    row_plan = plan_of(_cell(row, columns, "plan")) or (_cell(row, columns, "plan") or None) or plan
    others = [
        cell.strip()
        for at, cell in enumerate(row.cells)
        if columns.names[at : at + 1] == ("other",) and cell.strip()
    ]
    draft = Draft(text=text, line=row.line, end=row.line, severity=severity, plan=row_plan, from_table=True)
    draft.status = status_of(word, concern, quoted=False)
    draft.prior_word = word
    draft.more = [piece for piece in (*others, place) if piece]
    draft.suggestions = [fix] if fix and not is_nothing(fix) else []
    return draft
