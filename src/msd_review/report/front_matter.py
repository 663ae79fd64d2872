"""The front matter of REVIEWS.md: YAML that holds any value safely."""

import json
import re
from collections.abc import Mapping, Sequence

from msd_review.lazy import regex
from msd_review.report.counts import (
    delivered,
    evidence_of,
    failed,
    findings_of,
    model_label,
    open_findings,
    severity_counts,
    wanted_not_run,
)
from msd_review.report.model import ReviewReport
from msd_review.report.text import one_line, phase_label

_PLAIN = regex(r"[A-Za-z_][A-Za-z0-9_./+-]*|\d[\w.-]*\.md", re.ASCII)
_NOT_PLAIN = {"true", "false", "yes", "no", "on", "off", "null", "y", "n", "none"}
_TIMESTAMP = regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_RUN = regex(r"\d{8}T\d{6}Z-[0-9a-z]+")
_NOT_JSON_SAFE = regex("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")

Value = str | int | Sequence[str] | Mapping[str, str] | Mapping[str, int]


def front_matter(report: ReviewReport, more: Mapping[str, Value | None] | None = None) -> str:
    """The block between the `---` lines, both included; `more` replaces and adds keys.

    A key without content is left out, as the format says.
    """
    lines = [
        f"{key}: {_flow(value)}"
        for key, value in {**_values(report), **(more or {})}.items()
        if value is not None
    ]
    return "\n".join(["---", *lines, "---"])


def _values(report: ReviewReport) -> dict[str, Value]:
    reviews = delivered(report)
    models = {r.result.identity: label for r in report.reviewers if (label := model_label(r))}
    trimmed = {r.result.identity: r.trim for r in report.reviewers if r.trim}
    evidence = evidence_of(f for reviewer in reviews for f in findings_of(reviewer))
    values: dict[str, Value | None] = {
        "phase": _phase(report.phase),
        "reviewers": sorted(r.result.identity for r in reviews),
        "reviewers_failed": failed(report) or None,
        "reviewers_skipped": wanted_not_run(report) or None,
        "models": models or None,
        "reviewed_at": report.reviewed_at,
        "run": report.run,
        "cycle": report.cycle,
        "plans_reviewed": [name.rsplit("/", 1)[-1] for name in report.plans],
        "findings": severity_counts(f.severity for f in open_findings(report)),
        "evidence": evidence.as_data(),
        "trimmed_reviewers": trimmed or None,
    }
    return {key: value for key, value in values.items() if value is not None}


def _phase(phase: str | None) -> str | int | None:
    if phase is None:
        return None
    return int(phase) if re.fullmatch(r"[0-9]{1,9}", phase) else phase_label(phase)


def _flow(value: Value) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return scalar(value)
    if isinstance(value, Mapping):
        pairs = (f"{scalar(key)}: {_flow(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    return "[" + ", ".join(scalar(item) for item in value) + "]"


def scalar(text: str) -> str:
    """A string as a YAML scalar for flow context: plain where nothing can be misread, else in double quotes."""
    line = one_line(text)
    if _TIMESTAMP.fullmatch(line) or _RUN.fullmatch(line):
        return line
    if _PLAIN.fullmatch(line) and line.lower() not in _NOT_PLAIN:
        return line
    quoted = json.dumps(line, ensure_ascii=False)
    return _NOT_JSON_SAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", quoted)
