"""The role that a section's name gives it, in the languages that reviewers write.

A name has a role when every word of it belongs to the vocabulary of names (so that a finding's title
which happens to hold the word "risk" is not taken for one), or when it matches a fixed phrase.
"""

import re
from typing import Literal, cast

from msd_review.lazy import regex

Role = Literal[
    "concerns",
    "strengths",
    "suggestions",
    "summary",
    "risk",
    "verdict",
    "prior",  # what became of earlier concerns
    "recap",  # repeats concerns that stand elsewhere
    "checked",  # what was verified, found right, or is out of scope
]


def _words(listed: str) -> list[str]:
    return listed.split()


# Whole-word role vocabulary of languages that separate words; every word of a heading part must be known.
_ROLE_WORDS: tuple[tuple[Role, str], ...] = (
    ("prior", """prior previous previously earlier disposition dispositions resolution resolutions follow-up followup regressions
        re-check recheck carried-over carryover anteriores precedentes vorherige frühere précédents"""),
    ("risk", """assessment risk-assessment rating overall-risk bewertung risikobewertung gesamtrisiko gesamtbewertung évaluation evaluation
        evaluación avaliação risco riesgo risque risiko global geral general gesamt"""),
    ("strengths", """strengths strength positives positive aspects pros highlights praise merits solid strong good-points well works right
        fortalezas fortes forts forces stärken positives positivos positivo positiv positif positifs positiva positivas gutes puntos-fuertes pontos-fortes points-forts vorzüge"""),
    ("suggestions", """suggestions suggestion recommendations recommendation recommended improvements improvement proposals proposed fixes fix
        changes ideas idea remediation remediations actions action next steps todo todos enhancements alternatives advice
        sugestões sugestão recomendações sugerencias recomendaciones mejoras vorschläge vorschlag empfehlungen empfehlung
        verbesserungsvorschläge recommandations améliorations propositions"""),
    ("recap", "top priority priorities ranked recap roundup list must-fix-list takeaways takeaway table matrix counts tally"),
    ("verdict", """verdict conclusion conclusions sign-off signoff decision approval bottom line final closing thoughts remarks go/no-go
        go no-go ready readiness merge veredito veredicto conclusión conclusão fazit urteil schlussfolgerung conclusion"""),
    ("checked", """verification verified evidence coverage methodology method checked checks sources pass passed confirmed confirmation
        confirmations traceability out-of-scope non-issues non-issue nonissues dismissed rejected considered appendix scope
        false-positives files reviewed grounding questions question positives-verified ground truth notes note context probes"""),
    ("summary", """summary overview tl;dr tldr executive abstract synopsis introduction intro background
        resumo resumen résumé synthèse zusammenfassung überblick übersicht"""),
    ("concerns", """concerns concern issues issue findings finding problems problem risks weaknesses weakness gaps gap blockers blocker
        defects defect bugs bug objections critique criticisms cons hazards pitfalls threats shortcomings vulnerabilities
        deficiencies flaws nits nitpicks missing wrong red-flags
        preocupações problemas riscos achados fraquezas fracos atenção preocupaciones riesgos hallazgos debilidades débiles inquietudes
        observaciones bedenken probleme risiken schwächen kritikpunkte befunde mängel einwände préoccupations problèmes risques faiblesses
        faibles inquiétudes constats réserves"""),
)  # fmt: skip
_PLAIN = frozenset(
    _words("""the a an and or of for in on to by with per plan plans phase key main major minor top critical potential remaining open new other
    additional specific detailed detail technical architectural design implementation overall what what's whats is are was were not work
    does do could can go goes be should must this that these review reviews reviewer code-review cross-plan cross cutting cross-cutting areas
    area all identified found raised observed noted list severity priority level by-severity ordered highest most important likely
    i we see saw ai analysis level phase-level per-plan plan-by-plan task tasks my our current cycle round unresolved outstanding
    pontos de da do das dos e o a os as principais principales puntos del la los las el y en points des les le la et du d' der die das und
    des vom zu wichtigste offene offen critical-path set security performance testing tests quality requirement requirements goal
    encontrados encontradas detectados detectadas identificados identificadas trouvés trouvées relevés relevées gefundene gefunden festgestellte
    still any more very later future points observations existing significant general execution residual identified: actionable concrete""")
)  # fmt: skip

# Substrings for languages written without spaces, and multi-word names elsewhere; tried in order.
_ROLE_PHRASES: tuple[tuple[Role, str], ...] = (
    ("prior", r"前回|以前の指摘|先前|之前的?(?:问题|发现|审查)|上[一轮次]|이전 ?(?:지적|문제|리뷰)|(?:vấn đề|phát hiện) (?:trước|cũ)|прошл|предыдущ"),
    ("risk", r"リスク(?:評価|レベル|判定)|総合リスク|全体リスク|风险(?:评估|等级|评级|级别)|(?:总体|整体)风险|風險評估|위험(?:도| ?평가| ?수준)|리스크 ?평가|전체 ?(?:위험|리스크)|종합 ?(?:위험|리스크)"
             r"|đánh giá rủi ro|rủi ro tổng thể|mức (?:độ )?rủi ro|оценка риск|общий риск|уровень риска"),
    ("verdict", r"結論|判定|最終判断|结论|結論|评审结论|裁决|결론|판정|최종 ?의견|kết luận|вывод|заключение|вердикт"),
    ("strengths", r"強み|良い点|長所|評価できる点|优点|优势|亮点|长处|優點|강점|장점|잘된 ?점|좋은 ?점|điểm mạnh|ưu điểm|điểm tốt|сильные стороны|достоинства|преимущества|плюсы"),
    ("suggestions", r"提案|改善案|改善提案|推奨|修正案|建议|建議|改进|제안|개선|권고|권장|đề xuất|gợi ý|khuyến nghị|kiến nghị|предложения|рекомендации|улучшения"),
    ("concerns", r"懸念|問題点|課題|指摘|リスク|弱点|問題|关注点|顾虑|风险|缺陷|疑虑|隐患|不足|问题|關注|우려|문제|이슈|지적|위험|리스크|약점|단점"
                 r"|lo ngại|quan ngại|vấn đề|rủi ro|điểm yếu|nhược điểm|hạn chế|замечания|проблемы|риски|опасения|недостатки|слабые стороны|минусы"),
    ("summary", r"概要|要約|まとめ|総評|摘要|总结|概述|总体评价|總結|요약|개요|총평|tóm tắt|tổng quan|резюме|итог|сводка|обзор"),
    ("checked", r"検証|確認済|验证|核实|已确认|검증|확인한|xác minh|đã kiểm tra|проверено|проверка"),
)  # fmt: skip
_PHRASES = tuple((role, regex(pattern, re.IGNORECASE)) for role, pattern in _ROLE_PHRASES)

_FIXED_PHRASES: tuple[tuple[Role, re.Pattern[str]], ...] = tuple(
    (cast(Role, role), regex(rf"(?:{pattern})", re.IGNORECASE))
    for role, pattern in (
        ("prior", r"^(?:status|state) of .{0,30}\b(?:prior|previous|earlier|last|cycle|round)\b|^(?:prior|previous|earlier)\b.{0,60}$|^(?:cycle|round)[ -]?\d+\b.{0,40}(?:status|disposition|resolution|findings|highs?)|\bresolution (?:status|check)"
                  r"|^re-?review of\b|^(?:what|how).{0,30}(?:was|were|got) (?:resolved|addressed|fixed)|^follow-?up on\b|^disposition\b|^(?:resolved|closed|addressed)(?: (?:since|in|from|concerns|findings|issues|items)\b.{0,40})?$"),
        ("recap", r"^(?:summary|overview|recap|list|table|index) of (?:the )?(?:concerns|issues|findings|risks|problems)|^(?:concern|issue|finding|risk|severity|problem)s? (?:summary|table|recap|overview|matrix|index|counts?|breakdown|distribution)"
                  r"|^(?:must|should)[ -](?:fix|address|resolve|change)|^(?:top|key|most important|biggest|highest[ -]priority) (?:\d+ |three |five |four )?(?:actions?|fixes|priorities|changes|items|things|takeaways)|^(?:required|blocking|requested|mandatory) (?:changes|fixes|edits|actions|items)|^before (?:execution|merg|implement|start)"
                  r"|^(?:priority|action|fix)(?: (?:list|order|items|plan|ranking))?$|^nice[ -]to[ -]have|^(?:what|changes|fixes) (?:to|must|should|needs? to) (?:fix|change|be (?:fixed|changed))|^in short\b|^blockers? (?:before|to|for)\b"),
        ("risk", r"^(?:overall|residual|aggregate|total|final|combined|phase|plan)?[ -]*risk(?:[ -](?:assessment|level|rating|verdict|score|summary|profile|matrix|table|register|analysis|by plan|per plan))*(?: (?:for|of|by|per)\b.{0,30})?$|^overall(?: (?:assessment|rating|evaluation|judge?ment|impression|view))?$|^(?:assessment|likelihood.*)$"),
        ("checked", r"^(?:what|claims?|things?) (?:i |was |were |we )?(?:have )?(?:verified|checked|confirmed|reviewed|read)|^verified\b.{0,50}$|^(?:not|non)[ -]?(?:an |a )?(?:issues?|concerns?|problems?|findings?)\b|^(?:considered|checked)\b.{0,40}(?:rejected|dismissed|fine|ok)|^(?:source[ -])?(?:ground(?:ing)?|truth)\b.{0,30}|^out of scope|^(?:requirements?|goal|test|phase goal)\b.{0,20}coverage|^(?:open )?questions\b|^(?:severity|priority|colou?r|rating|risk)?[ -]?(?:legend|rubric|scale|key|definitions|guide)$|^(?:legend|rubric|key|scale)\b.{0,20}$|^how (?:i|we) rate\b|^pass(?:ed)?$|^false (?:positives?|alarms?)|^withdrawn\b|^(?:repo(?:sitory)?|source) access"),
        ("strengths", r"^(?:appreciated|appreciations?|punti di forza|aspetti positivi|sterke punten|mocne strony|güçlü yönler|lo mejor|o melhor|le mieux|das beste|il meglio|lob|gut gefallen(?: hat)?(?: mir)?|nice|plus points?|kudos|praise|liked|likes|love|thumbs up|plus(?:ses)?|gostei|me gust[óa]|j['’]ai aimé|gefällt mir|gut gefallen)$|^(?:things|what|parts|bits) (?:that )?(?:i|we) (?:really )?(?:liked?|loved?|appreciated?)\b.{0,20}$|^what(?:'s| is| was| works?| the plans? gets?| i like| looks?)\b.{0,15}\b(?:good|well|right|strong|solid|like|works)\b|^what works|^(?:done|did) well|^looks good|^(?:the )?good(?: (?:parts|things|points|news))?$|^well[ -](?:done|handled)|^(?:agreed |key |main )?strengths?(?: (?:of|in|across) (?:the |this )?(?:plans?|phase|design|approach)\b.{0,20})?$"),
        ("concerns", r"^(?:problemi|criticità|punti deboli|osservazioni critiche|problemen|zorgen|zwakke punten|problemy|uwagi|słabe strony|sorunlar|zayıf yönler)$|^what(?:'s| is)(?: still)? not(?: (?:so )?(?:good|great|ok|working|right))?$|^what(?:'s| is| could| might| will)?\b.{0,20}\b(?:missing|wrong|break|breaks|worries|concerns|bad|fail|fails|off)\b|^(?:red flags|areas? of concern|the bad|the ugly|not so good|needs? (?:work|attention)|points? to (?:fix|address|watch))\b.{0,20}$|^(?:agreed |key |main |specific )?concerns?(?: (?:about|with|by|per|in|for|on|across)\b.{0,40})?$"),
        ("suggestions", r"^(?:suggerimenti|raccomandazioni|aanbevelingen|suggesties|zalecenia|sugestie|öneriler)$|^how to (?:fix|improve)|^(?:suggested|recommended|proposed|concrete)\b.{0,40}$|^next steps?\b|^(?:if|what) i (?:were|would|'d)\b.{0,40}$|^path forward|^(?:possible|optional) (?:improvements?|enhancements?)"),
        ("verdict", r"^(?:final )?(?:verdict|recommendation|sign[ -]?off|decision|call|word|answer)$|^(?:go ?/ ?no[ -]go|bottom line|ready to (?:execute|merge|ship)\??|closing(?: (?:thoughts|remarks|summary|note))?|final (?:thoughts|remarks|assessment|note|summary))$|^approve"),
        ("summary", r"^(?:riepilogo|sintesi|samenvatting|podsumowanie|özet)$|^(?:executive |review |overall |short |quick |plan )?(?:summary|overview)$|^tl;?dr\b|^in brief$"),
    )
)  # fmt: skip

_PARENTHESIS = regex(r"[(（\[][^()（）\[\]]{0,120}[)）\]]")
_PLAN_ONLY = regex(
    r"\b(?:plan|plans|file|md|review|reviews|phase|task|wave|cross-plan|per-plan|general|overall)\b|\d|[^\w]",
    re.IGNORECASE,
)
SPLIT = regex(r"\s+[—–|-]{1,2}\s+|[:：]\s+|\s*/\s*(?=[A-Z])")
LONGEST_NAME = 70
_LONGEST_WIDE_NAME = 28


def role_of_name(plain: str) -> Role | None:
    """The role of a name without decoration, or of one of the parts that a dash or colon divides it into."""
    parts = [plain, *(part for part in SPLIT.split(plain) if part != plain)]
    for part in parts:
        role = _role_of(part.strip(" *_`"))
        if role is not None:
            return role
    bare = _PARENTHESIS.sub("", plain).strip()
    return _role_of(bare) if bare != plain else None


def _role_of(part: str) -> Role | None:
    if not part or len(part) > LONGEST_NAME:
        return None
    fixed = next((role for role, pattern in _FIXED_PHRASES if pattern.search(part)), None)
    if fixed is not None:
        return fixed
    by_words = _role_of_words(part)
    if by_words is not None or len(part) > _LONGEST_WIDE_NAME or part.isascii():
        return by_words
    return next((role for role, pattern in _PHRASES if pattern.search(part)), None)


_WORD_ROLES: dict[str, Role] = {word: role for role, words in reversed(_ROLE_WORDS) for word in words.split()}


def _role_of_words(part: str) -> Role | None:
    words = [word.strip("()[],.;!?&+") for word in part.lower().replace("’", "'").split()]
    words = [word for word in words if _PLAN_ONLY.sub("", word)]
    if not words or len(words) > 7:
        return None
    if any(word not in _PLAIN and word not in _WORD_ROLES for word in words):
        return None
    found = {_WORD_ROLES[word] for word in words if word in _WORD_ROLES}
    return next((role for role, _ in _ROLE_WORDS if role in found), None)
