"""Names of groups that grade what stands below them: "Must fix", "Points bloquants", "Two medium things".

A severity word beside a noun is a group only as a whole short line; in a sentence it is prose.
"""

import re

from msd_review.lazy import regex
from msd_review.review.model import Severity
from msd_review.review.severities import SEVERITY_WORD, severity_of_cell

_MUST = regex(r"(?:items? (?:you|we) |things (?:you|we) |(?:you|we) )?must(?:[ -](?:be )?(?:fix|fixed|address|addressed|resolve|resolved|change|changed|have|do))s?(?: (?:before|first|now|items?|issues?|list)\b.{0,30})?|(?:blocks?|stops?) (?:the )?(?:merge|execution|release)", re.IGNORECASE)  # fmt: skip
_SHOULD = regex(r"(?:items? (?:you|we) |things (?:you|we) |(?:you|we) )?should(?:[ -](?:be )?(?:fix|fixed|address|addressed|resolve|resolved|change|changed|have|do))s?(?: (?:before|soon|items?|issues?|list)\b.{0,30})?", re.IGNORECASE)  # fmt: skip
_COULD = regex(r"(?:could|might|may)(?:[ -](?:fix|address|change|have|improve|consider|do))|consider(?:ations?)?|nice[ -]to[ -]haves?|nice[ -]to[ -]fix|optional(?: (?:items?|improvements?))?|polish", re.IGNORECASE)  # fmt: skip
_NOUN = (
    r"(?:points?|problèmes?|problemas?|hallazgos?|puntos?|pontos?|riesgos?|riscos?|risques?|observaciones|observações|anomalies"
    r"|remarques?|constats?|achados?|questões|défauts?|fallos?|erros?|errores|mängel|punkte|fehler|probleme|befunde|bedenken|anmerkungen)"
)
_THINGS = r"(?:things?|points?|issues?|items?|ones?|notes?|nits?|concerns?|problems?|findings?|remarks?|comments?|observations?|topics?|gaps?|bugs?|risks?)"
_NOUN_FIRST = regex(rf"{_NOUN}\s(?P<word>{SEVERITY_WORD})|(?P<first>{SEVERITY_WORD})\s{_NOUN}", re.IGNORECASE)  # fmt: skip
_COUNTED = regex(
    rf"(?:(?:and|also|just|only|then|there (?:is|are)|i (?:see|have|found)|here (?:is|are)|a|an|one|two|three|four|five|six|seven|eight|nine|ten|\d{{1,2}}|few|couple|of|some|several|more|other|further|the|my|main|remaining)\s){{1,6}}"
    rf"(?P<word>{SEVERITY_WORD})(?:[ -](?:severity|priority|risk|impact|level))?\s{_THINGS}",
    re.IGNORECASE,
)
_ALONE = {
    **dict.fromkeys(("MUST", "Must"), Severity.HIGH),
    **dict.fromkeys(("SHOULD", "Should"), Severity.MEDIUM),
    **dict.fromkeys(("COULD", "Could", "MAY", "WOULD"), Severity.LOW),
}
_LONGEST = 60


def group_severity(name: str) -> Severity | None:
    """The severity of everything below a line of this name; None for a line that grades nothing."""
    plain = re.sub(r"[*_`#]+", "", name).strip(" :：.-–—")
    if not plain or len(plain) > _LONGEST:
        return None
    if plain in _ALONE:
        return _ALONE[plain]
    if _MUST.fullmatch(plain):
        return Severity.HIGH
    if _SHOULD.fullmatch(plain):
        return Severity.MEDIUM
    found = _NOUN_FIRST.fullmatch(plain) or _COUNTED.fullmatch(plain)
    return severity_of_cell(found["word"] or found.groupdict().get("first") or "") if found else None


def grades(name: str) -> bool:
    """Whether a line is one of the pair "must fix" and "should fix", beside which "consider" is the third grade."""
    plain = re.sub(r"[*_`#]+", "", name).strip(" :：.-–—")
    return len(plain) <= _LONGEST and bool(_MUST.fullmatch(plain) or _SHOULD.fullmatch(plain))


def is_third_grade(name: str) -> bool:
    """Whether a line names what may be done: "Consider", "Nice to have"."""
    plain = re.sub(r"[*_`#]+", "", name).strip(" :：.-–—")
    return len(plain) <= _LONGEST and bool(_COULD.fullmatch(plain))
