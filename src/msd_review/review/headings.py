"""What a heading means: the role of the section below it, a severity group, a plan, an overall risk."""

import re
from dataclasses import dataclass

from msd_review.lazy import regex
from msd_review.review.grades import group_severity
from msd_review.review.label_places import find_label
from msd_review.review.labels import leading_label
from msd_review.review.model import Severity
from msd_review.review.roles import SPLIT, Role, role_of_name
from msd_review.review.severities import severity_of_cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """A heading, read. `title` is what is left for a person when labels are taken off."""

    role: Role | None = None
    severity: Severity | None = None
    plan: str | None = None
    risk: Severity | None = None
    title: str = ""
    group: bool = False  # nothing but a severity: a group of findings
    strong: bool = False  # the severity is an unmistakable label
    named: bool = False  # "Finding 3": one finding, by its own word


_DECORATION = regex(
    r"[*_`#~]+|^[\W_]*(?:\d{1,2}(?:\.\d{1,2})*|[ivxIVX]{1,4}|[A-Ha-h])[.):、]\s+|^\s*[一二三四五六七八九十]{1,2}[、．.]\s*|[：:]\s*$|^\s*[（(]\d{1,2}[)）]\s*"
)
_COUNT = regex(
    r"[(（\[]\s*(?:\d{1,3}|x\d+|n=\d+|none|all|\d{1,3} (?:items?|issues?|findings?|total|concerns?))\s*[)）\]]|\s+[—–-]\s*\d{1,3}$",
    re.IGNORECASE,
)
_PLAN_WORD = r"(?:Plans?|План|计划|計画|プラン|계획|Kế hoạch|Plano|Plan|Task|Wave|任务|タスク)"
_PLAN = regex(
    rf"\b(?P<code>\d{{1,3}}[a-z]?(?:\.\d{{1,2}})?-\d{{1,3}}[a-z]?)(?:-[\w-]{{1,60}}?)?(?:-PLAN)?(?:\.md)?\b|{_PLAN_WORD}\s?#?(?P<number>\d{{1,3}}[a-z]?(?:[.-]\d{{1,3}})?)\b",
    re.IGNORECASE,
)  # fmt: skip
_FINDING_NAME = regex(
    r"^(?:finding|concern|issue|problem|defect|bug|risk|指摘(?:事項)?|懸念(?:事項|点)?|問題(?:点)?|问题|關注點|关注点|风险|문제|지적|우려|이슈|vấn đề|lo ngại|problema|preocupación|preocupação"
    r"|bedenken|befund|problème|préoccupation|проблема|замечание)\s?(?:no\.? ?|nr\.? ?|#)?[A-Z]{0,3}-?(?:\d{1,3}(?:\.\d{1,2})?|[①-⑳]|[A-Z](?=[:.)]))\s{0,2}[.:：)—–-]{0,2}\s{0,3}",
    re.IGNORECASE,
)  # fmt: skip
_LONGEST_HEADING = 160
_SHORTEST_TITLE = 6
_SET_APART = regex(r"\W{0,6}\w{2,12}\s(?:—|–|-{1,2})\s")


def plan_of(text: str) -> str | None:
    """The first plan (or task, or wave) that a text names: "03-02", "2"."""
    found = _PLAN.search(text[:400])
    return (found["code"] or found["number"]) if found else None


def read_heading(text: str) -> Meaning:
    """What a heading (or a line that serves as one) means."""
    line = text.strip().split("\n", 1)[0][:_LONGEST_HEADING]
    plain = _COUNT.sub("", _DECORATION.sub("", line)).strip(" :：-—–")
    plan = plan_of(plain)
    if _FINDING_NAME.match(plain):
        label = find_label(_FINDING_NAME.sub("", plain, count=1) or " ")
        title = label.rest if label else _FINDING_NAME.sub("", plain, count=1)
        return Meaning(severity=label.severity if label else None, plan=plan, title=title, strong=label is not None, named=True)  # fmt: skip
    role = None if _names_severity(plain) else role_of_name(plain)
    if role == "risk":
        return Meaning(role=role, plan=plan, risk=_risk_in(line), title=plain)
    if role == "recap":
        return Meaning(role=role, plan=plan, severity=group_severity(plain), title=plain)
    whole = (severity_of_cell(plain) or group_severity(plain)) if plain else None
    if whole is not None:
        return Meaning(role="concerns", severity=whole, group=True, title=plain, strong=True)
    label = find_label(line)
    if role is not None and not (label and label.strong and role == "concerns" and len(plain.split()) > 5):
        return Meaning(role=role, plan=plan, severity=label.severity if label and role == "concerns" else None, title=plain)  # fmt: skip
    if label is not None:
        led = leading_label(line)
        set_apart = (
            led is not None and len(led.rest) > _SHORTEST_TITLE and _SET_APART.match(plain) is not None
        )
        return Meaning(severity=label.severity, plan=plan, title=label.rest, strong=label.strong or set_apart)
    return Meaning(plan=plan, title=plain)


def is_plan_heading(meaning: Meaning) -> bool:
    """Whether a heading only names a plan and what it is about, so that its own sections follow."""
    return meaning.plan is not None and meaning.role is None and meaning.severity is None


def strict_role(text: str) -> Role | None:
    """The role of a short text that is a section's name and nothing else."""
    plain = _COUNT.sub("", _DECORATION.sub("", text)).strip(" :：-—–.")
    if not plain or len(plain) > 60 or len(plain.split()) > 6 or re.search(r"[:：]", plain):
        return None
    if _FINDING_NAME.match(plain) or _names_severity(plain):
        return None
    return role_of_name(plain)


def _names_severity(plain: str) -> bool:
    """`Priority 1 — Data loss`: a rated title, though "priority" alone names a section."""
    return re.match(r"(?i)(?:priority|severity|sev|prio)[ -]?\d\b", plain) is not None


def _risk_in(line: str) -> Severity | None:
    for part in reversed(SPLIT.split(line)):
        severity = severity_of_cell(part.strip(" *_`()[]"))
        if severity is not None:
            return severity
    label = find_label(line)
    return label.severity if label else None
