"""Whether a text is a review at all: a review without findings is one, a refusal or a stack trace is not."""

import re

from msd_review.lazy import regex
from msd_review.review.sections import Section

_NOT_A_REVIEW = (
    regex(r"\A\s*[\[{]", re.DOTALL),  # JSON, unless it is the block that was asked for
    regex(r"\A\W{0,4}(?:usage|aufruf|synopsis|error|fatal|panic|exception|unhandled|uncaught|traceback)\b", re.IGNORECASE),
    regex(r"^(?:Traceback \(most recent call last\)|\s+at [\w$.<>/]+ ?\(|Caused by: |thread '.{1,40}' panicked)", re.MULTILINE),
    regex(r"\b(?:50[0234]|429|40[0134])\b.{0,40}\b(?:bad gateway|service unavailable|gateway time-?out|internal server error|too many requests|unauthorized|forbidden|not found)", re.IGNORECASE),
    regex(r"[\[(]\s?(?:y/n|yes/no)\s?[\])]", re.IGNORECASE),
    regex(r"\b(?:log ?in|sign ?in|authenticate|api[ _-]?key|credentials?)\b.{0,60}\b(?:required|continue|missing|invalid|expired|first|again|browser|to use)\b", re.IGNORECASE),
    regex(r"<!doctype html|<html\b", re.IGNORECASE),
)  # fmt: skip
_POINTER = regex(r"\b(?:(?:full|complete|detailed|my)?\s?(?:review|report|analysis|findings|feedback)\b.{0,60}\b(?:written|saved|available|created|placed|stored|found|is|are) (?:it )?(?:to|in|at|as|here|under)|(?:wrote|saved|written|created|placed|put|see|open|read) (?:the |my |it |a )?(?:full |complete |detailed )?(?:review|report|analysis|findings|file)?.{0,30}(?:to|in|at)?\s?[`\[(]?(?:/|~/|file:|[A-Za-z]:\\))", re.IGNORECASE)  # fmt: skip
_NARRATION = regex(r"^\W{0,4}(?:i(?:'|’)?(?:ll| will| am going to|'m going to|’m going to|'m|’m| need to| should| can| have to|'ve|’ve)|let me|now i|now,? let|first,? i|next,? i|okay,?|ok,?|sure|alright|reading|searching|looking|checking|examining|analyzing|exploring|opening|running|starting|loaded|loading|まず|では|我(?:将|会|先|来)|让我|먼저|이제|tôi sẽ|để tôi|vou|voy a|déjame|ich werde|lass mich|je vais|сначала|давайте)\b", re.IGNORECASE)  # fmt: skip
_TRUNCATED = regex(r"\b(?:output|response|review|text|message|content)\b.{0,30}\b(?:was|has been|is|got)?\s?(?:truncated|cut off|cut short)\b|\[(?:truncated|output truncated|…|\.\.\.)\]|<truncated", re.IGNORECASE)  # fmt: skip
_CLEAN = regex(
    r"\b(?:no|not any|zero|without)\b[^.\n]{0,40}\b(?:concerns?|issues?|findings?|problems?|blockers?|objections?|defects?|risks?|gaps?)\b|\blgtm\b|\blooks? (?:good|fine|solid|correct|sound|ready)"
    r"|\b(?:approve[ds]?|approval|ship it|ready (?:to|for) (?:execut|implement|merg|ship|go|build|start))|\bnothing (?:to|that|of|i would|wrong|blocking|stands)|\b(?:plans?|changes?|implementation|approach|design)\b[^.\n]{0,60}\b(?:is|are|look|looks|seem|seems)\b[^.\n]{0,30}\b(?:sound|good|solid|complete|fine|correct|ready|well|clear|thorough|safe|coherent)"
    r"|問題(?:は)?(?:なし|ありません|見つかりません)|懸念(?:は)?(?:なし|ありません)|指摘(?:事項)?(?:は)?(?:なし|ありません)|没有(?:发现)?.{0,12}问题|未发现.{0,8}问题|无(?:明显)?问题|문제(?:가)? ?(?:없|발견되지)|우려 ?사항(?:이)? ?없|không (?:có|phát hiện|tìm thấy).{0,20}(?:vấn đề|lo ngại)"
    r"|\b(?:sin|sem|keine|aucun|aucune|ningún|ninguna|nenhum|nenhuma)\b[^.\n]{0,30}\b(?:problem|preocup|bedenken|probl|inqui|hallazgo|achado|einw|constat|reserv)|(?:проблем|замечаний) (?:нет|не )",
    re.IGNORECASE,
)  # fmt: skip
_ABOUT = regex(r"\b(?:plans?|tasks?|phase|wave|requirements?|tests?|review|implementation|code|change|diff|design|approach|migration|risk|step|acceptance|scope)\b|計画|プラン|计划|方案|계획|kế hoạch|plano|план|fase|phase", re.IGNORECASE)  # fmt: skip
_ASKS = regex(r"(?:\A|[.!?]\s|\n)\W{0,4}(?:for each (?:finding|concern|issue),? (?:please )?(?:give|provide|list|include|state)\b|(?:it looks like |it seems )?(?:the |no )?(?:plan|file|content|document|attachment)\b.{0,50}\b(?:did(?:n['’]t| not) come through|(?:is|was|seems) (?:missing|empty|not attached))|before i (?:can|could|start|begin)\b|(?:could|can|would) you (?:please )?(?:provide|share|paste|attach|clarify|tell|send|upload|confirm)\b|please (?:provide|share|paste|attach|send|upload|clarify)\b|(?:i(?:'d| would)? need|to (?:begin|start|review)\b.{0,40}\bi need)\b.{0,40}\b(?:more|details?|information|context|the plan|files?)\b|i (?:don['’]t|do not) (?:see|have) (?:any |the |a )?(?:plan|attach|file|content|text))", re.IGNORECASE)  # fmt: skip
_LOGIN = regex(r"\A\W{0,4}(?:please |you (?:must|need to) |to continue,? )?(?:run|use|log ?in|sign ?in|authenticate|open)\b.{0,60}\b(?:log ?in|sign ?in|authenticate|auth|browser)\b", re.IGNORECASE)  # fmt: skip
_WORDS = regex(r"[^\W\d_]{2,}")
_WIDE = regex(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_NARRATION_ONLY_SHARE = 0.6
_ENOUGH_WORDS = 25
_LONGEST_QUESTION = 150


def is_review(text: str, root: Section, *, findings: int, has_strengths: bool) -> bool:
    """Whether the text says anything of a reviewer about a plan or change."""
    if (
        findings == 1
        and not has_strengths
        and _amount(text) < _ENOUGH_WORDS * 2
        and _LOGIN.search(text[:400])
    ):
        return False
    if findings or has_strengths:
        return True
    if not text.strip() or _mostly_drawing(text):
        return False
    if _has_substance_under_headings(root):
        return True
    if any(pattern.search(text[:4000]) for pattern in _NOT_A_REVIEW) and not _states_verdict(text):
        return False
    if _POINTER.search(text[:2000]) and _amount(text) < 80:
        return False
    if _ASKS.search(text[:400]) and _amount(text) < _LONGEST_QUESTION:
        return False
    prose = "\n".join(_told_lines(text))
    if not prose.strip():
        return False
    if _CLEAN.search(prose):
        return True
    return _amount(prose) >= _ENOUGH_WORDS and bool(_ABOUT.search(prose))


def looks_truncated(text: str) -> bool:
    """Whether the end of a text says that more should follow."""
    return bool(_TRUNCATED.search(text[-300:]))


def _states_verdict(text: str) -> bool:
    return (
        bool(re.search(r"(?i)\b(?:lgtm|verdict|no (?:concerns|issues|findings|problems)|approved?)\b", text))
        and _amount(text) >= 4
    )


def _has_substance_under_headings(root: Section) -> bool:
    """A section of a review's own kind with something below it."""
    for section in root.subsections():
        role = section.meaning.role
        if role in {"concerns", "strengths", "summary", "verdict", "risk", "suggestions"} and _says_something(
            section
        ):
            return True
        if _has_substance_under_headings(section):
            return True
    return False


def _says_something(section: Section) -> bool:
    if section.meaning.risk is not None:
        return True
    told = [line for node in section.nodes() for line in _told_lines(node.text) if node.kind != "code"]
    return any(_WORDS.search(line) or _WIDE.search(line) for line in told) or any(
        _says_something(below) for below in section.subsections()
    )


def _told_lines(text: str) -> list[str]:
    """The sentences that are neither narration of tool use nor a note that output was cut."""
    sentences = re.split(r"(?<=[.!?。！？])\s+|\n+", text[:200_000])
    return [
        line
        for line in sentences
        if line.strip() and not _NARRATION.match(line) and not _TRUNCATED.search(line)
    ]


def _amount(text: str) -> int:
    return len(_WORDS.findall(text[:100_000])) + len(_WIDE.findall(text[:100_000])) // 2


def _mostly_drawing(text: str) -> bool:
    """ASCII art and boxes: far more line-drawing than words."""
    dense = [char for char in text[:20_000] if not char.isspace()]
    if len(dense) < 40:
        return False
    drawn = sum(1 for char in dense if char in "|+-_=/\\*#<>^~'`." or "\u2500" <= char <= "\u25ff")
    return drawn > len(dense) * 0.45
