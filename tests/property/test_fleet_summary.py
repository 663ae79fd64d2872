"""Whatever outcomes and documents come in, in whatever order, the summary stands, and its numbers fit together."""

import json
from pathlib import Path
from typing import Any

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from msd_review.fleet.model import ItemOutcome, LaneOutcome
from msd_review.fleet.summary import Summary, add, empty
from msd_review.fleet.summary_document import read_document
from msd_review.fleet.summary_json import to_json
from msd_review.fleet.summary_page import page
from msd_review.outcomes import Outcome

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "schemas" / "msd.fleet-summary-1.schema.json").read_text("utf-8")
)
PUBLISHED = jsonschema.Draft202012Validator(SCHEMA)
NAMES = st.sampled_from(["codex", "gemini", "qwen", "a\x1fb", "<b>", "\ud800", ""]) | st.text(max_size=5)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=8,
)
COUNTS = st.dictionaries(
    st.sampled_from(["high", "medium", "low", "unrated", "x"]), st.integers(-2, 9) | JSON
)
REVIEWERS = st.lists(
    st.fixed_dictionaries(
        {"identity": NAMES, "slug": NAMES, "counted": st.booleans() | JSON},
        optional={"model": st.sampled_from(["m", "n"]) | JSON},
    )
    | JSON,
    max_size=5,
)
CLUSTERS = st.lists(
    st.fixed_dictionaries(
        {
            "status": st.sampled_from(["new", "open", "resolved"]),
            "agreed": st.booleans(),
            "reviewers": st.lists(NAMES, max_size=4),
            "findings": st.lists(st.sampled_from(["f1", "f2", "f3"]), max_size=3),
            "severities": st.dictionaries(NAMES, st.sampled_from(["high", "low"])) | JSON,
        }
    )
    | JSON,
    max_size=5,
)
FINDINGS = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["f1", "f2", "f3"]), "identity": NAMES, "demoted": st.booleans()}
    )
    | JSON,
    max_size=5,
)
DOCUMENTS = (
    st.none()
    | JSON
    | st.fixed_dictionaries(
        {
            "schema": st.just("msd.reviews/1"),
            "summary": st.fixed_dictionaries(
                {}, optional={"findings": COUNTS, "clusters": COUNTS, "agreed": JSON}
            ),
        },
        optional={"reviewers": REVIEWERS | JSON, "clusters": CLUSTERS | JSON, "findings": FINDINGS | JSON},
    )
)
LANES = st.builds(
    LaneOutcome,
    slug=NAMES,
    outcome=st.sampled_from([*Outcome, "odd"]).map(str),
    seconds=st.floats(),
    reason=st.none() | NAMES,
    input_tokens=st.none() | st.integers(-5, 10**20),
    output_tokens=st.none() | st.integers(0, 99),
    cost_usd=st.none() | st.floats(),
    worker=st.none() | NAMES,
)
OUTCOMES = st.builds(
    ItemOutcome,
    item_id=NAMES,
    repository=NAMES,
    kind=st.sampled_from(["phase", "plans", "change"]),
    state=st.sampled_from(["done", "failed", "refused"]),
    message=st.text(max_size=9),
    reason=st.none() | NAMES,
    lanes=st.lists(LANES, max_size=4).map(tuple),
    document=st.none() | NAMES,
)
ITEMS = st.lists(st.tuples(OUTCOMES, DOCUMENTS), max_size=6, unique_by=lambda pair: pair[0].item_id[:300])


def fold(items: list[tuple[ItemOutcome, Any]]) -> Summary:
    summary = empty()
    for outcome, document in items:
        summary = add(summary, outcome, document)
    return summary


@given(ITEMS)
@settings(max_examples=150)
def test_a_summary_is_as_published_and_its_numbers_fit_together(items: list[tuple[ItemOutcome, Any]]) -> None:
    found = to_json(fold(items), submitted=len(items))
    PUBLISHED.validate(found)
    assert json.loads(json.dumps(found, allow_nan=False).encode("utf-8")) == found
    counted = found["items"]
    assert counted["finished"] == counted["done"] + counted["failed"] + counted["refused"] == len(items)
    assert sum(row["items"] for row in found["repositories"]) == len(items)
    assert sum(row["lanes"] for row in found["reviewers"]) == sum(len(one.lanes) for one, _ in items)
    assert len(found["not_done"]["items"]) == counted["failed"] + counted["refused"]
    for row in (*found["agreement"]["reviewers"], *found["agreement"]["pairs"]):
        assert 0 <= row["shared"] <= row.get("comparable", row["concerns"]) <= row["concerns"]
        assert (row["rate"] is None) == (row.get("comparable", row["concerns"]) == 0)
    for row in found["reviewers"]:
        usage = dict(row["usage"])
        ran = usage.pop("lanes_that_ran")
        assert all(one["known_of"] + one["unknown_of"] == ran for one in usage.values())
        assert all((one["amount"] is None) == (one["known_of"] == 0) for one in usage.values())


@given(ITEMS, st.randoms())
@settings(max_examples=100)
def test_the_order_of_the_items_changes_nothing(items: list[tuple[ItemOutcome, Any]], chance: Any) -> None:
    first = page(fold(items))
    chance.shuffle(items)
    assert page(fold(items)) == first


@given(DOCUMENTS | JSON)
def test_whatever_a_document_holds_it_is_read_or_is_none(document: Any) -> None:
    read = read_document(document)
    if read is not None:
        voices = {voice.identity: voice for voice in read.voices}
        assert all(concern.shared <= concern.by and concern.high <= concern.by for concern in read.raised)
        assert all(concern.by <= voices.keys() for concern in read.raised)
        assert all(voice.identity in voices[peer].peers for voice in read.voices for peer in voice.peers)
