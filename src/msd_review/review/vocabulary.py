"""The words that reviewers use for severities, sections, labels and states, in the languages they write.

Data alone. Words are compared after case folding. A severity word is not enough by itself: where it
stands decides (`labels.py`).
"""

import re

from msd_review.lazy import regex
from msd_review.review.model import Severity


def _words(listed: str) -> list[str]:
    return listed.split()


_HIGH = """
high highest critical crit blocker blockers blocking severe major showstopper p0 p1 sev0 sev1 fatal
must-fix mustfix must|fix must|address must|resolve urgent priority|0 priority|1 severity|1 sev|1 sev|0 prio|1
高 重大 致命的 致命 重要 深刻 严重 嚴重 高危 严重问题 紧急 阻断 阻塞 ブロッカー クリティカル
높음 심각 심각함 치명적 중대 상
cao nghiêm|trọng rất|cao
alto alta altos altas crítico crítica critico critica críticos críticas criticos criticas grave graves mayor mayores maior maiores
hoch hohe hoher hohes kritisch kritische kritischer schwer schwere schwerer schwerwiegend schwerwiegende blockierend blockierende
élevé élevée élevés élevées eleve elevee haut haute hauts critique critiques majeur majeure majeurs majeures bloquant bloquante
bloquants bloquantes bloqueante bloqueantes bloqueador bloqueadores
critici critiche bloccante bloccanti hoog hoge kritiek ernstig wysoki wysoka wysokie krytyczny krytyczna krytyczne yüksek kritik
высокий высокая высокое критический критично критическая критическое блокер
"""
_MEDIUM = """
medium med moderate warning warn warnings important significant p2 sev2 should-fix should|fix should|address priority|2 severity|2 sev|2 prio|2
中 中程度 中等 中等程度 一般 警告 注意
보통 중간 경고 중
trung|bình vừa
médio média médios médias medio media medios medias moderado moderada moderados moderadas
mittel mittlere mittlerer mittleres mäßig mäßige warnung
moyen moyenne moyens moyennes modéré modérée modérés modérées avertissement
advertencia
gemiddeld średni średnia średnie orta
средний средняя средне среднее предупреждение
"""
_LOW = """
low lowest minor nice-to-have nice|to|have could|fix non-blocking nonblocking info informational nit nits nitpick nitpicks trivial cosmetic p3 p4 sev3 sev4 priority|3 priority|4 severity|3 severity|4 sev|3 sev|4 prio|3
低 軽微 轻微 輕微 情報 提示 次要 较低
낮음 경미 경미함 사소 사소함 하
thấp nhẹ
baixo baixa baixos baixas bajo baja bajos bajas leve leves menor menores
niedrig niedrige niedriger gering geringe geringer geringfügig geringfügige kleinere
faible faibles bas basse basses mineur mineure mineurs mineures
basso bassa bassi lieve lievi minore minori laag lage klein kleinigkeit niski niska niskie düşük
низкий низкая низко низкое незначительный мелочь
"""


def _entries(words: str, severity: Severity) -> dict[str, Severity]:
    return {word.replace("|", " "): severity for word in words.split()}


SEVERITY_WORDS: dict[str, Severity] = {
    **_entries(_LOW, Severity.LOW),
    **_entries(_MEDIUM, Severity.MEDIUM),
    **_entries(_HIGH, Severity.HIGH),
}

EMOJI_SEVERITY: dict[str, Severity] = {
    **dict.fromkeys("🔴🛑🚨⛔🟥❗", Severity.HIGH),
    **dict.fromkeys("🟠🟡🟧🟨⚠", Severity.MEDIUM),
    **dict.fromkeys("🟢🔵⚪🟦🟩ℹ💡🧹", Severity.LOW),
}

# Labels whose value is a severity: "Severity: HIGH", "重要度：高".
SEVERITY_FIELDS = frozenset(
    _words("""severity sev priority level risk impact criticality severity/priority severidade severidad gravidade gravedad
    gravità priorità ernst ciężkość önem gravité sévérité schweregrad priorität prioridade prioridad priorité schwere
    重要度 深刻度 優先度 严重程度 严重性 嚴重程度 严重度 级别 等级 优先级 风险等级
    심각도 중요도 우선순위 серьёзность серьезность приоритет важность""")
) | {"risk level", "mức độ", "mức độ nghiêm trọng", "độ nghiêm trọng", "risk rating", "severity level"}

# What may follow a severity word inside its label: "HIGH severity", "Low risk".
SEVERITY_TAILS = frozenset(
    _words("""severity risk priority impact level concern concerns issue issues finding findings problem problems item items
    confidence severities risks blocker blockers
    リスク 风险 위험 问题 问题点 優先度 优先级""")
)

SUGGESTION_LABELS = frozenset(
    _words("""fix suggestion recommendation recommended remedy remediation disposition mitigation action
    resolution proposal suggested proposed-fix correction corrective
    提案 修正案 修正 対策 改善案 推奨 推奨対応 建议 修复 修复建议 改进 解决方案
    제안 수정 권고 개선 해결책
    sugestão recomendação correção sugerencia recomendación corrección solución
    vorschlag empfehlung korrektur lösung correction recommandation proposition
    предложение рекомендация исправление""")
) | {"suggested fix", "proposed fix", "recommended fix", "how to fix", "suggested change", "to fix", "đề xuất",
     "khuyến nghị", "cách sửa", "gợi ý", "recommended action", "required change", "minimal fix", "action required"}  # fmt: skip

BODY_LABELS = frozenset(
    _words("""evidence mechanism impact why where location locations file files line lines ref refs reference references details detail
    problem description what consequence consequences effect cause context note repro reproduction scenario example
    rationale reason reasoning risk status plan plans task source category type area id confidence likelihood verified
    observation proof affected scope citation citations symbol code expected actual result
    場所 根拠 影響 理由 詳細 箇所 ファイル 位置 证据 影响 原因 说明 文件 描述 详情
    위치 근거 영향 이유 설명 파일
    evidência impacto onde local arquivo motivo evidencia dónde archivo ubicación motivo
    beleg auswirkung datei ort grund begründung preuve où fichier raison lieu
    доказательство влияние файл где причина""")
) | {"root cause", "failure mode", "why it matters", "bằng chứng", "tác động", "ảnh hưởng", "vị trí", "lý do", "tệp",
     "what happens", "failure scenario", "reproducing scenario", "affected files", "affected plans", "source evidence"}  # fmt: skip

RESOLVED = regex(
    r"\b(?:(?:fully|now|already|completely)[ -])?(?:resolved|fixed|closed|addressed|withdrawn|retracted|falsified|refuted|invalidated"
    r"|superseded|obsolete|mitigated|false positive|not an issue|no longer (?:applies|applicable|an issue|valid)|behoben"
    r"|resuelto|resolvido|résolu|corrigé|corregido|corrigido|erledigt|decided|dropped)\b"
    r"|解決済み?|対応済み?|修正済み?|已解决|已修复|已修正|해결됨|해결 ?완료|수정됨|đã (?:giải quyết|khắc phục|sửa)|исправлено|решено|устранено",
    re.IGNORECASE,
)  # fmt: skip
PARTIAL = regex(
    r"\b(?:partially|partly|mostly)[ -](?:resolved|fixed|closed|addressed|mitigated)|\bpartial(?:ly)?\b|teilweise|parcialmente|partiellement"
    r"|一部(?:解決|対応)|部分(?:解决|修复)|부분(?:적으로)? ?해결|một phần|частично",
    re.IGNORECASE,
)  # fmt: skip
STILL_OPEN = regex(
    r"\b(?:still[ -]open|remains?[ -]open|unresolved|not[ -](?:yet[ -])?(?:resolved|fixed|closed|addressed)|unaddressed|unfixed|open|reopened|carried[ -](?:over|forward)|persists?)\b"
    r"|未解決|未対応|未解决|未修复|미해결|chưa (?:giải quyết|khắc phục)|offen|pendiente|pendente|non résolu|не (?:решено|исправлено)",
    re.IGNORECASE,
)  # fmt: skip
NOT_RESOLVED = regex(
    r"\b(?:not|never|isn't|aren't|un|hardly|cannot be|to be|must be|should be|needs? to be|until|if|once|when|before|be)"
    r"[ -](?:yet |fully |being |it is |this is |they are )?$",
    re.IGNORECASE,
)

NOTHING = regex(
    r"^(?:\(?\s*(?:none(?: (?:yet|so far|identified|found|noted|at this time|here|to report|needed|required|of note))?|n/?a|nil|nothing(?: (?:to (?:add|report|flag)|else|more|further|here|found|yet))?|no (?:new |further |other |additional |remaining |open |outstanding |significant |major |minor |critical "
    r"|(?:high|medium|low)(?: |(?=[,-]))|blocking |material |serious |unresolved |or |and |, )*(?:[- ]?(?:severity|risk|priority|level) )?"
    r"(?:concerns?|issues?|findings?|problems?|blockers?|risks?|gaps?|ones|items?|bugs?|defects?)?"
    r"(?: (?:were |was |have been |are )?(?:found|identified|noted|remain(?:ing)?|raised|detected|at this (?:level|time|severity)|here|this (?:cycle|round)|yet|so far|at present|to add|to report|beyond .*|for this plan|in this plan))*"
    r"|(?:i |we )?(?:found|see|saw|have|identified|spotted) no (?:[\w-]+,? ){0,6}(?:concerns|issues|findings|problems|blockers|objections).*"
    r"|(?:i|we) (?:do not|don['’]t|did not|didn['’]t|have not|could not) (?:have|see|find|found|identify|spot)(?: (?:any|significant|major|serious|blocking|further|other|real|substantive|material)){1,3} (?:concerns?|issues?|problems?|blockers?|findings?|objections?).*|clean|ok|lgtm|—|–|-|-{2,}"
    r"|なし|特になし|該当なし|ありません|無し|无|没有|暂无|無|未发现.{0,12}|没有发现.{0,12}|없음|없습니다|해당 없음|특별한 .{0,12} 없음|không(?: có)?(?: (?:vấn đề|lo ngại|mối quan ngại|gì).{0,30})?"
    r"|(?:nenhum|nenhuma|ningún|ninguna|ninguno|keine?|aucune?|nessun[ao]?)(?: (?:outr\w+|otr\w+|weiteren?|autre)? ?(?:problema|preocupaç|preocupaci|bedenken|probleme?|problèmes?|préoccupations?|inquiétudes?|hallazgos?|achados?|einwände|mängel|constats?|remarques?|risques?|riscos?|riesgos?)\w*(?: .{0,30})?)?|n[ãa]o há (?:problemas|preocupaç)\w*.{0,30}|no hay (?:problemas|preocupaci)\w*.{0,30}|нет(?: (?:замечаний|проблем|вопросов).{0,30})?|отсутствуют)"
    r"\s*\)?[\s.!。．]*)$",
    re.IGNORECASE,
)  # fmt: skip
