"""What a fleet run comes to, folded item by item: `add` over every item's outcome, in whatever order they end.

Invariants
- No IO and no clock; the same items give the same summary, whatever their order: sums are of whole numbers
  (milliseconds, billionths of a dollar), and lists are cut by what stands in them.
- Memory is bounded, whatever is put in: rows of their own have at most MAX_REPOSITORIES repositories and so on, lists
  at most LISTED rows; what has no row is summed in one.
- What nobody reported is not known, and never counted as nothing.
"""

from dataclasses import dataclass, field
from math import isfinite

from msd_review.fleet.model import ItemOutcome, LaneOutcome
from msd_review.fleet.summary_document import Reviewed, read_document
from msd_review.fleet.summary_tables import Leading, Tally
from msd_review.outcomes import Outcome

LISTED = 2_000
"""How many items are listed by name, with their reports, and how many of those that are not done."""
SLOWEST = 20
MAX_REPOSITORIES = 20_000
MAX_REVIEWERS = 500
MAX_PAIRS = 5_000
MAX_WORKERS = 1_000
MAX_REASONS = 500
STATES = ("done", "failed", "refused")
SEVERITY_COLUMNS = ("high", "medium", "low", "unrated")
CONCERN_COLUMNS = tuple(f"concerns_{name}" for name in SEVERITY_COLUMNS)
AMOUNTS = ("input_tokens", "output_tokens", "cost")
"""What a reviewer may report: each has a sum, and how many lanes it is known of; cost is in billionths of a dollar."""
OUTCOMES = tuple(outcome.value for outcome in Outcome)
UNKNOWN_OUTCOME = "unknown"
NANO = 10**9
_NAME, _MESSAGE, _DOCUMENT = 300, 300, 500
_MAX_AMOUNT = 10**15
_NOT_FAILED = ("review", "skipped")
_RAN = ("review", "partial", "failed")
_LANE_COLUMNS = (
    "lanes",
    *OUTCOMES,
    UNKNOWN_OUTCOME,
    "milliseconds",
    "ran",
    *AMOUNTS,
    *(f"{name}_known" for name in AMOUNTS),
)
_AGREEMENT = ("reports", "concerns", "comparable", "shared", "high", "high_comparable", "high_shared")


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """One item in a list. `findings` and `concerns` are by severity, None where no report could be read."""

    item_id: str
    repository: str
    kind: str
    state: str
    reason: str | None
    message: str
    document: str | None
    findings: tuple[int, ...] | None
    concerns: tuple[int, ...] | None
    agreed: int
    lanes: int
    reviews: int
    failures: int
    milliseconds: int
    longest_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneRow:
    """One lane of one item, in the list of the slowest."""

    item_id: str
    slug: str
    outcome: str
    reason: str | None
    worker: str | None
    milliseconds: int


def _worst_first(row: ItemRow) -> tuple[object, ...]:
    return (*(-count for count in row.concerns or ()), -row.agreed, row.item_id)


def _by_id(row: ItemRow) -> str:
    return row.item_id


def _slowest_item(row: ItemRow) -> tuple[object, ...]:
    return -row.milliseconds, row.item_id


def _slowest_lane(row: LaneRow) -> tuple[object, ...]:
    return -row.milliseconds, row.item_id, row.slug


def _states() -> Tally:
    return Tally(10, ("items", "reports", "unreadable"))


@dataclass(slots=True, kw_only=True)
class Summary:
    """Everything that is known of the items so far; see `summary_json` for what it says."""

    states: Tally = field(default_factory=_states)
    kinds: Tally = field(default_factory=lambda: Tally(10, ("items",)))
    reasons: Tally = field(default_factory=lambda: Tally(MAX_REASONS, ("items",)))
    repositories: Tally = field(
        default_factory=lambda: Tally(
            MAX_REPOSITORIES,
            ("items", *STATES, "reports", *SEVERITY_COLUMNS, *CONCERN_COLUMNS, "agreed", "lanes", "failures"),
        )
    )
    lanes: Tally = field(default_factory=lambda: Tally(MAX_REVIEWERS, _LANE_COLUMNS))
    failures: Tally = field(default_factory=lambda: Tally(MAX_PAIRS, ("lanes",)))
    workers: Tally = field(
        default_factory=lambda: Tally(MAX_WORKERS, ("lanes", "reviews", "failures", "milliseconds"))
    )
    agreement: Tally = field(default_factory=lambda: Tally(MAX_REVIEWERS, _AGREEMENT))
    pairs: Tally = field(default_factory=lambda: Tally(MAX_PAIRS, ("reports", "concerns", "shared")))
    reported: Leading[ItemRow] = field(default_factory=lambda: Leading(LISTED, _worst_first))
    not_done: Leading[ItemRow] = field(default_factory=lambda: Leading(LISTED, _by_id))
    slowest_items: Leading[ItemRow] = field(default_factory=lambda: Leading(SLOWEST, _slowest_item))
    slowest_lanes: Leading[LaneRow] = field(default_factory=lambda: Leading(SLOWEST, _slowest_lane))


SEPARATOR = "\x1f"
"""Between the parts of a key; no part can hold it."""


def empty() -> Summary:
    """A summary of nothing, to start a fold with."""
    return Summary()


def add(summary: Summary, outcome: ItemOutcome, document: object | None) -> Summary:
    """The summary with one more item, which must not be in it yet; `document` is its `msd.reviews/1` JSON, if it has one.

    The summary that is given is taken over and handed back: fold with it, and keep no other name for it.
    """
    reviewed = read_document(document)
    row = _row(outcome, reviewed)
    _count_item(summary, row, is_unreadable=reviewed is None and outcome.document is not None)
    for lane in outcome.lanes:
        _count_lane(summary, row.item_id, lane)
    if reviewed is not None:
        _count_agreement(summary, reviewed)
    return summary


def _row(outcome: ItemOutcome, reviewed: Reviewed | None) -> ItemRow:
    times = [_milliseconds(lane.seconds) for lane in outcome.lanes]
    return ItemRow(
        item_id=_name(outcome.item_id),
        repository=_name(outcome.repository),
        kind=_name(outcome.kind),
        state=_name(outcome.state),
        reason=None if outcome.reason is None else _name(outcome.reason),
        message=outcome.message[:_MESSAGE],
        document=outcome.document if outcome.document and len(outcome.document) <= _DOCUMENT else None,
        findings=reviewed.findings if reviewed else None,
        concerns=reviewed.concerns if reviewed else None,
        agreed=reviewed.agreed if reviewed else 0,
        lanes=len(outcome.lanes),
        reviews=sum(lane.outcome == Outcome.REVIEW for lane in outcome.lanes),
        failures=sum(lane.outcome not in _NOT_FAILED for lane in outcome.lanes),
        milliseconds=sum(times),
        longest_ms=max(times, default=0),
    )


def _count_item(summary: Summary, row: ItemRow, *, is_unreadable: bool) -> None:
    has_report = row.concerns is not None
    summary.states.add(row.state, {"items": 1, "reports": has_report, "unreadable": is_unreadable})
    summary.kinds.add(row.kind, {"items": 1})
    if row.state != "done":
        summary.reasons.add(row.reason or "", {"items": 1})
        summary.not_done.offer(row)
    if has_report:
        summary.reported.offer(row)
    if row.milliseconds:
        summary.slowest_items.offer(row)
    summary.repositories.add(
        row.repository,
        {
            "items": 1,
            "reports": has_report,
            "agreed": row.agreed,
            "lanes": row.lanes,
            "failures": row.failures,
            **({row.state: 1} if row.state in STATES else {}),
            **dict(zip(SEVERITY_COLUMNS, row.findings or (), strict=False)),
            **dict(zip(CONCERN_COLUMNS, row.concerns or (), strict=False)),
        },
    )


def _count_lane(summary: Summary, item_id: str, lane: LaneOutcome) -> None:
    slug, reason = _name(lane.slug), None if lane.reason is None else _name(lane.reason)
    outcome = lane.outcome if lane.outcome in OUTCOMES else UNKNOWN_OUTCOME
    time = _milliseconds(lane.seconds)
    summary.lanes.add(slug, {"lanes": 1, outcome: 1, "milliseconds": time, **_amounts(lane)})
    has_failed = outcome not in _NOT_FAILED
    if has_failed:
        summary.failures.add(SEPARATOR.join((reason or "", outcome, slug)), {"lanes": 1})
    if lane.worker is not None:
        worked = {"lanes": 1, "reviews": outcome == "review", "failures": has_failed, "milliseconds": time}
        summary.workers.add(_name(lane.worker), worked)
    if time:
        summary.slowest_lanes.offer(
            LaneRow(
                item_id=item_id,
                slug=slug,
                outcome=outcome,
                reason=reason,
                worker=None if lane.worker is None else _name(lane.worker),
                milliseconds=time,
            )
        )


def _amounts(lane: LaneOutcome) -> dict[str, int]:
    """What a lane that ran used up. One that did not run used nothing, so there is nothing to know of it."""
    if lane.outcome not in _RAN and not (lane.outcome == Outcome.CANCELLED and _milliseconds(lane.seconds)):
        return {}
    dollars = lane.cost_usd
    cost = round(dollars * NANO) if dollars is not None and 0 <= dollars <= _MAX_AMOUNT / NANO else None
    found = {"input_tokens": lane.input_tokens, "output_tokens": lane.output_tokens, "cost": cost}
    known = {name: value for name, value in found.items() if value is not None and 0 <= value <= _MAX_AMOUNT}
    return {"ran": 1, **known, **{f"{name}_known": 1 for name in known}}


def _count_agreement(summary: Summary, reviewed: Reviewed) -> None:
    for voice in reviewed.voices:
        mine = [concern for concern in reviewed.raised if voice.identity in concern.by]
        shared = [concern for concern in mine if voice.identity in concern.shared]
        high = [concern for concern in mine if voice.identity in concern.high]
        has_peers = bool(voice.peers)
        name = _name(voice.identity)
        summary.agreement.add(
            name,
            {
                "reports": 1,
                "concerns": len(mine),
                "comparable": len(mine) * has_peers,
                "shared": len(shared),
                "high": len(high),
                "high_comparable": len(high) * has_peers,
                "high_shared": sum(voice.identity in concern.shared for concern in high),
            },
        )
        for other in voice.peers:
            together = sum(other in concern.shared for concern in shared)
            amounts = {"reports": 1, "concerns": len(mine), "shared": together}
            summary.pairs.add(SEPARATOR.join((name, _name(other))), amounts)


def _name(text: str) -> str:
    return text.replace(SEPARATOR, " ")[:_NAME]


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000) if isfinite(seconds) and 0 < seconds < _MAX_AMOUNT else 0
