"""Whatever JSON a manifest is: a disclosure, printable and whole, with a signature that means something."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from msd_review.trust.canonical import canonical
from msd_review.trust.disclosure import disclose, to_json
from msd_review.trust.disclosure_text import changes, to_text
from msd_review.trust.signature import UNSIGNED_FIELDS, signature
from msd_review.trust.visible import WIDTH, quoted

TEXT = st.text(max_size=12)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
LANE_NAMES = st.sampled_from(
    [
        "slug",
        "transport",
        "probe",
        "invoke",
        "handler",
        "requiresBinaries",
        "modelConfigKey",
        "reviewsSection",
        "flags",
    ]
)
INVOKE_NAMES = st.sampled_from(
    [
        "binary",
        "args",
        "env",
        "hostConfigKey",
        "defaultHost",
        "path",
        "promptChannel",
        "posture",
        "modelArg",
        "pinEnv",
    ]
)
INVOKE = st.dictionaries(INVOKE_NAMES | TEXT, JSON, max_size=6)
LANE = st.dictionaries(LANE_NAMES | TEXT, JSON, max_size=5).flatmap(
    lambda lane: st.fixed_dictionaries({}, optional={"invoke": INVOKE, "probe": INVOKE}).map(
        lambda more: {**lane, **more}
    )
)
MANIFEST = st.fixed_dictionaries(
    {},
    optional={
        "id": SCALARS,
        "version": SCALARS,
        "reviewer": LANE | JSON,
        "hooks": JSON,
        "commands": JSON,
        "mcpServers": st.dictionaries(TEXT, INVOKE, max_size=3) | JSON,
        "config": JSON,
    },
)


@given(MANIFEST | JSON, st.none() | TEXT)
def test_every_value_is_disclosed_in_printable_lines_and_as_json(manifest: Any, host: str | None) -> None:
    disclosure = disclose(manifest, resolve_host=None if host is None else lambda _key: host)
    text = to_text(disclosure)
    assert text.isascii()
    assert all(line.isprintable() and len(line) <= WIDTH for line in text.splitlines())
    assert json.loads(json.dumps(to_json(disclosure), ensure_ascii=True))["signature"] == disclosure.signature


@given(LANE)
def test_every_string_that_a_lane_declares_is_shown_whole(lane: dict[str, Any]) -> None:
    shown = "".join(
        line.strip().removeprefix("| ") for line in to_text(disclose({"reviewer": lane})).splitlines()
    )
    for name, value in lane.items():
        if isinstance(value, str) and value.strip():
            assert _squeezed(quoted(value)[1:-1]) in _squeezed(shown) or _squeezed(
                canonical(value)[1:-1]
            ) in _squeezed(shown), name


def _squeezed(text: str) -> str:
    return text.replace(" ", "")


@given(MANIFEST, st.randoms())
def test_the_order_of_keys_never_changes_a_signature(manifest: dict[str, Any], random: Any) -> None:
    assert signature(_shuffled(manifest, random)) == signature(manifest)


def _shuffled(value: Any, random: Any) -> Any:
    if isinstance(value, dict):
        names = list(value)
        random.shuffle(names)
        return {name: _shuffled(value[name], random) for name in names}
    return [_shuffled(item, random) for item in value] if isinstance(value, list) else value


@given(LANE, TEXT, JSON)
def test_any_field_of_a_lane_known_or_not_changes_its_signature(
    lane: dict[str, Any], name: str, value: Any
) -> None:
    changed = {**lane, name: value}
    differs = name not in UNSIGNED_FIELDS and (name not in lane or canonical(lane[name]) != canonical(value))
    assert (signature({"reviewer": lane}) != signature({"reviewer": changed})) is differs


@given(JSON, JSON)
def test_canonical_texts_are_equal_for_equal_json_alone(one: Any, other: Any) -> None:
    assert (canonical(one) == canonical(other)) is (_normal(one) == _normal(other))


def _normal(value: Any) -> Any:
    """A value in which what Python takes for equal and JSON does not is told apart."""
    if isinstance(value, dict):
        return ("object", sorted((name, repr(_normal(item))) for name, item in value.items()))
    if isinstance(value, list):
        return ("array", [_normal(item) for item in value])
    if isinstance(value, float) and value.is_integer():
        return ("int", repr(int(value)))
    return (type(value).__name__, repr(value))


@given(MANIFEST, MANIFEST)
def test_changes_are_empty_when_nothing_changed_and_only_then(
    old: dict[str, Any], new: dict[str, Any]
) -> None:
    before, after = disclose(old), disclose(new)
    assert changes(before, before) == ()
    if before.signature != after.signature:
        assert changes(before, after)
