"""A call's arguments, held against the tool's schema and decoded once; nothing behind this sees the raw values."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

from msd_review.mcp_server.refusal import Refused
from msd_review.mcp_server.shapes_in import INPUTS
from msd_review.report.text import one_line

_VALIDATORS = {name: Draft202012Validator(schema) for name, schema in INPUTS.items()}
_MULTILINE = frozenset({"because"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Which reviewers, and what counts as a failure."""

    reviewers: tuple[str, ...] = ()
    all: bool = False
    exclude: tuple[str, ...] = ()
    fail_on: Any = None
    resume: bool = False
    retry_failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedReview:
    """`start_review`."""

    who: Who
    plans: tuple[str, ...] = ()
    phase: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCodeReview:
    """`start_code_review`."""

    who: Who
    paths: tuple[str, ...] = ()
    base: str | None = None
    staged: bool = False
    depth: Any = None
    phase: str | None = None
    own_review: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFindings:
    """`get_review`."""

    run: str | None = None
    severity: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    file: str | None = None
    reviewer: str | None = None
    limit: int = 20
    cursor: str | None = None


def checked(tool: str, raw: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments of a call, in shape. Raises Refused that names the first argument which is not."""
    given = {name: value for name, value in (raw or {}).items() if value is not None}
    problem = next(_VALIDATORS[tool].iter_errors(given), None)
    if problem is not None:
        where = "/".join(str(part) for part in problem.absolute_path) or "the arguments"
        raise Refused(
            "invalid_arguments",
            f"{tool}: {one_line(where, 80)}: {_what(problem)}",
            hint=f"{tool} takes {', '.join(INPUTS[tool]['properties']) or 'no arguments'}",
        )
    _check_values(tool, given)
    return given


def _what(problem: Any) -> str:
    """The validator's words without the value, which may be anything and of any size."""
    if problem.validator in {"minLength", "maxLength", "maxItems", "minimum", "maximum"}:
        return f"{problem.validator} is {problem.validator_value}"
    if problem.validator == "type":
        return f"must be of type {problem.validator_value}"
    if problem.validator == "enum":
        return f"must be one of {', '.join(problem.validator_value)}"
    return one_line(problem.message, 200)


def _check_values(tool: str, given: Mapping[str, Any]) -> None:
    """What no schema can say: numbers are finite, texts can be shown."""
    for name, value in given.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise Refused("invalid_arguments", f"{tool}: {name}: must be a finite number")
        texts = value if isinstance(value, list) else [value]
        if name in _MULTILINE or all(not isinstance(text, str) or text.isprintable() for text in texts):
            continue
        raise Refused("invalid_arguments", f"{tool}: {name}: holds characters that cannot be shown")


def _who(given: Mapping[str, Any]) -> Who:
    return Who(
        reviewers=tuple(given.get("reviewers", ())),
        all=given.get("all", False),
        exclude=tuple(given.get("exclude", ())),
        fail_on=given.get("fail_on"),
        resume=given.get("resume", False),
        retry_failed=given.get("retry_failed", False),
    )


def asked_review(given: Mapping[str, Any]) -> AskedReview:
    """Of checked arguments of `start_review`."""
    return AskedReview(who=_who(given), plans=tuple(given.get("plans", ())), phase=given.get("phase"))


def asked_code_review(given: Mapping[str, Any]) -> AskedCodeReview:
    """Of checked arguments of `start_code_review`."""
    return AskedCodeReview(
        who=_who(given),
        paths=tuple(given.get("paths", ())),
        base=given.get("base"),
        staged=given.get("staged", False),
        depth=given.get("depth"),
        phase=given.get("phase"),
        own_review=given.get("own_review"),
    )


def asked_findings(given: Mapping[str, Any]) -> AskedFindings:
    """Of checked arguments of `get_review`."""
    return AskedFindings(
        run=given.get("run"),
        severity=tuple(given.get("severity", ())),
        status=tuple(given.get("status", ())),
        file=given.get("file"),
        reviewer=given.get("reviewer"),
        limit=int(given.get("limit", 20)),
        cursor=given.get("cursor"),
    )
