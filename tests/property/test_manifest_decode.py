"""Whatever a manifest holds, validation answers; and what it lets through is what was written.

MSD_EXAMPLES sets how many examples each property is tried with.
"""

import json
import os
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msd_review.manifest import fields_body, fields_feature, fields_lane
from msd_review.manifest.decode import check, decode, decode_bytes, encode, parse_bytes
from msd_review.manifest.problems import CODES, Problem
from msd_review.registry.first_party import first_party

EXAMPLES = int(os.environ.get("MSD_EXAMPLES", "300"))
SETTINGS = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))

_TABLES = (
    *fields_body.ENVELOPE_FIELDS, *fields_lane.LANE_FIELDS, *fields_lane.SPAWN_FIELDS, *fields_lane.HTTP_FIELDS,
    *fields_lane.ALL_PROBE_FIELDS, *fields_feature.STEP_FIELDS, *fields_feature.GATE_FIELDS,
    *fields_feature.RUNTIME_FIELDS, *fields_body.CONFIG_FIELDS, *fields_body.HOOK_FIELDS,
)  # fmt: skip
NAMES = st.sampled_from(sorted({item.name for item in _TABLES} | set(fields_body.BODY_FIELDS)))
STRINGS = st.one_of(
    st.text(max_size=12),
    st.text(st.characters(categories=["Cs", "Cc", "Cf", "Ll"]), max_size=6),
    st.sampled_from(
        ["spawn", "openai-http", "reviewer", "feature", "runtime", "command-exists", "__proto__", ""]
    ),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), STRINGS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | STRINGS, inner, max_size=6),
    max_leaves=20,
)
VALID: list[dict[str, Any]] = [json.loads(json.dumps(capability.raw)) for capability in first_party()]


def assert_told(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        assert problem.code in CODES
        assert problem.path == "" or problem.path.startswith("/")
        assert problem.message.isprintable()
        (problem.path + problem.message + (problem.hint or "")).encode()


@SETTINGS
@given(VALUES)
def test_any_json_value_is_answered_and_nothing_raises(value: object) -> None:
    decoded = decode(value)
    assert_told(decoded.problems)
    assert (decoded.manifest is None) == bool(decoded.errors)
    assert check(value) == decoded.problems


@SETTINGS
@given(st.binary(max_size=200) | VALUES.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_answered_and_nothing_raises(raw: bytes) -> None:
    value, problems = parse_bytes(raw)
    assert_told(problems)
    assert_told(decode_bytes(raw).problems)
    if not problems:
        assert json.loads(raw.removeprefix(b"\xef\xbb\xbf")) == value


@st.composite
def mutated(draw: st.DrawFn) -> dict[str, Any]:
    """A shipped manifest with a few of its values, deep inside, replaced, removed or renamed."""
    manifest: dict[str, Any] = json.loads(json.dumps(draw(st.sampled_from(VALID))))
    for _ in range(draw(st.integers(1, 3))):
        _mutate(draw, manifest)
    return manifest


def _mutate(draw: st.DrawFn, place: Any) -> None:
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = draw(st.sampled_from(keys))
        inner = place[key]
        if isinstance(inner, dict | list) and inner and draw(st.booleans()):
            place = inner
            continue
        if isinstance(place, dict) and draw(st.booleans()):
            place[draw(NAMES | STRINGS)] = place.pop(key)
        else:
            place[key] = draw(VALUES)
        return


@SETTINGS
@given(mutated())
def test_a_damaged_manifest_is_answered_and_what_is_valid_survives_a_round_trip(
    value: dict[str, Any],
) -> None:
    decoded = decode(value)
    assert_told(decoded.problems)
    if decoded.manifest is not None:
        again = decode(json.loads(json.dumps(encode(decoded.manifest))))
        assert again.errors == ()
        assert again.manifest == decoded.manifest


@SETTINGS
@given(mutated(), st.randoms())
def test_the_order_of_keys_changes_no_verdict(value: dict[str, Any], random: Any) -> None:
    assert set(map(_told, check(_shuffled(value, random)))) == set(map(_told, check(value)))


def _told(problem: Problem) -> tuple[str, str, str]:
    return (problem.code, problem.path, problem.message)


def _shuffled(value: Any, random: Any) -> Any:
    if isinstance(value, dict):
        items = list(value.items())
        random.shuffle(items)
        return {key: _shuffled(member, random) for key, member in items}
    return [_shuffled(member, random) for member in value] if isinstance(value, list) else value
