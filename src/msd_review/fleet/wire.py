"""What the submitting side sends to a worker and what comes back: plain JSON values, checked value by value.

The same values go through Dask (which pickles them), through the pipe to the process that does the work, and into
the journal's lane files; nothing but dicts, lists, strings and numbers is ever put there by us.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from msd_review.fleet.model import BadValue, FleetItem, ItemReason, item_from_json
from msd_review.report.model import Skipped

VERSION = 1
MAX_TEXT_BYTES = 2 * 1024 * 1024 + 1  # one more than is read, so that the reader sees that it was cut
MAX_REPORT_BYTES = 32 * 1024 * 1024
JobKind = Literal["resolve", "lane", "assess"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One piece of work for a worker. `key` names it for good: equal keys are one piece, done once.

    kind "resolve": the commit that the item's revision means. "lane": one lane, `slug`. "assess": the report over
    what the lanes answered, `answers` (slug → answer) and `skipped` (lanes that no worker ran).
    """

    kind: JobKind
    key: str
    fleet: str
    item: FleetItem
    grant: Mapping[str, str]
    slug: str = ""
    answers: Mapping[str, Mapping[str, Any]] | None = None
    skipped: tuple[Skipped, ...] = ()
    fail_on: str | None = None
    allow_secrets: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The job as JSON."""
        return {
            "v": VERSION,
            "kind": self.kind,
            "key": self.key,
            "fleet": self.fleet,
            "item": self.item.to_json(),
            "grant": dict(self.grant),
            "slug": self.slug,
            "answers": {slug: dict(one) for slug, one in (self.answers or {}).items()},
            "skipped": [asdict(one) for one in self.skipped],
            "fail_on": self.fail_on,
            "allow_secrets": list(self.allow_secrets),
        }


def job_from_json(value: object) -> Job:
    """The job that `to_json` wrote. Raises BadValue."""
    if not isinstance(value, dict) or value.get("v") != VERSION:
        raise BadValue("it is no job of this version of msd")
    kind, key, fleet, slug = (value.get(name) for name in ("kind", "key", "fleet", "slug"))
    answers, secrets = value.get("answers"), value.get("allow_secrets")
    if kind not in {"resolve", "lane", "assess"} or not _are_texts((key, fleet, slug)):
        raise BadValue("kind, key, fleet or slug is missing")
    if not isinstance(answers, dict) or not isinstance(secrets, list) or not _are_texts(secrets):
        raise BadValue("answers or allow_secrets is missing")
    return Job(
        kind=kind,
        key=str(key),
        fleet=str(fleet),
        item=item_from_json(value.get("item")),
        grant=value["grant"] if isinstance(value.get("grant"), dict) else {},
        slug=str(slug),
        answers=answers,
        skipped=tuple(skipped_from_json(one) for one in value.get("skipped", ())),
        fail_on=value.get("fail_on"),
        allow_secrets=tuple(secrets),
    )


def _are_texts(values: Sequence[object]) -> bool:
    return all(isinstance(one, str) for one in values)


def skipped_from_json(value: object) -> Skipped:
    """A row of a lane that was not run. Raises BadValue."""
    if not isinstance(value, dict):
        raise BadValue("a row is no object")
    texts = {name: value.get(name) for name in ("identity", "outcome", "reason", "detail")}
    if not _are_texts(list(texts.values())):
        raise BadValue("a row is not whole")
    hint = value.get("hint")
    return Skipped(
        identity=str(texts["identity"]),
        outcome=str(texts["outcome"]),
        reason=str(texts["reason"]),
        detail=str(texts["detail"]),
        hint=hint if isinstance(hint, str) else None,
        named=value.get("named") is True,
        section=str(value.get("section") or ""),
    )


def refusal(reason: ItemReason, message: str, hint: str | None = None) -> dict[str, Any]:
    """The answer of a job whose item cannot be reviewed."""
    return {"v": VERSION, "state": "refused", "reason": reason.value, "message": message, "hint": hint}


def lane_row(row: Skipped, *, warnings: Sequence[str] = ()) -> dict[str, Any]:
    """The answer of a lane that was not run."""
    return {"v": VERSION, "state": "lane", "skipped": asdict(row), "result": None, "warnings": list(warnings)}


def is_answer(value: object) -> bool:
    """Whether what came back is an answer at all."""
    return (
        isinstance(value, dict)
        and value.get("v") == VERSION
        and value.get("state") in {"refused", "nothing", "lane", "resolved", "report", "cancelled", "lost"}
    )
