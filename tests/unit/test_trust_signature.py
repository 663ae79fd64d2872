"""Which change of a manifest asks for consent again: every field of a lane, flipped one by one."""

import copy
from typing import Any

import pytest

from msd_review.trust.canonical import canonical
from msd_review.trust.signature import signature, token

SPAWN: dict[str, Any] = {
    "slug": "acme",
    "flags": ["--acme"],
    "transport": "spawn",
    "probe": {"kind": "command-capability", "binary": "acme", "needle": "review", "timeoutMs": 2000},
    "invoke": {
        "binary": "acme",
        "args": ["review", "{{model}}"],
        "promptChannel": "stdin",
        "outputChannel": "file-arg",
        "outputArg": "-o",
        "outputFormat": "json",
        "outputMap": {"text": [{"pointer": "/result"}]},
        "modelArg": "--model",
        "effortChannel": "argv",
        "effortArgs": ["--effort", "{{level}}"],
        "posture": "read-only",
        "env": {"ACME_QUIET": "1"},
        "pinEnv": ["ACME_KEY"],
        "tomorrow": 1,
    },
    "timeoutFloorMs": 5000,
    "idleTimeoutMs": 1000,
    "emptyOutput": "stub-with-stderr",
    "reviewsSection": "Acme",
    "evidenceClass": "source-grounded",
    "requiresBinaries": ["jq"],
    "promptBudgetKey": "review.max_prompt_tokens_per_reviewer.acme",
    "modelConfigKey": "review.models.acme",
    "timeoutConfigKey": "review.timeouts.acme",
    "effortConfigKey": "review.effort.acme",
    "defaultEffort": "high",
    "handler": "opencode",
    "provider": "acme",
    "installHint": "pip install acme",
    "hints": {"quota": "wait"},
    "selfEnv": ["ACME_INSIDE"],
    "envPassthrough": ["ACME_HOME"],
    "agentConfig": [".acme"],
    "unheardOf": {"deep": [1]},
}
HTTP: dict[str, Any] = {
    "slug": "acme",
    "transport": "openai-http",
    "probe": {
        "kind": "http-reachable",
        "hostConfigKey": "review.acme_host",
        "path": "/v1/models",
        "timeoutMs": 1,
    },
    "invoke": {
        "hostConfigKey": "review.acme_host",
        "path": "/v1/chat/completions",
        "modelDiscovery": "none",
        "defaultHost": "http://localhost:1",
        "fallbackModel": "m",
        "effortChannel": "none",
    },
}
CONFIG: dict[str, Any] = {
    "review.models.acme": {"type": "string", "default": "", "description": "d"},
    "acme.other": {"type": "string", "default": "", "description": "d"},
}
FREE = {"/reviewsSection", "/timeoutFloorMs"}


def _leaves(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict) and value:
        return [leaf for name, item in value.items() for leaf in _leaves(item, (*at, name))]
    if isinstance(value, list) and value:
        return [leaf for index, item in enumerate(value) for leaf in _leaves(item, (*at, index))]
    return [at]


def _parent(body: Any, leaf: tuple[Any, ...]) -> Any:
    for name in leaf[:-1]:
        body = body[name]
    return body


def _manifest(body: Any) -> dict[str, Any]:
    return {"id": "acme", "reviewer": body, "config": CONFIG}


ALL = [(name, leaf) for name, body in (("spawn", SPAWN), ("http", HTTP)) for leaf in _leaves(body)]
IDS = [f"{name}/{'/'.join(map(str, leaf))}" for name, leaf in ALL]


@pytest.mark.parametrize(("name", "leaf"), ALL, ids=IDS)
@pytest.mark.parametrize("how", ["changed", "removed", "made null"])
def test_flipping_one_field_of_a_lane_changes_the_signature_unless_it_is_for_the_eye_or_the_clock(
    name: str, leaf: tuple[Any, ...], how: str
) -> None:
    body = {"spawn": SPAWN, "http": HTTP}[name]
    flipped = copy.deepcopy(body)
    parent = _parent(flipped, leaf)
    if how == "removed":
        del parent[leaf[-1]]
    else:
        parent[leaf[-1]] = None if how == "made null" else ["another value"]
    must_change = "/" + "/".join(map(str, leaf)) not in FREE
    assert (signature(_manifest(flipped)) != signature(_manifest(body))) is must_change


def test_the_default_of_a_key_that_the_lane_names_is_signed_and_that_of_another_key_is_not() -> None:
    before = signature(_manifest(SPAWN))
    named, other = _manifest(SPAWN), _manifest(SPAWN)
    named["config"] = {**CONFIG, "review.models.acme": {"type": "string", "default": "--yolo"}}
    other["config"] = {**CONFIG, "acme.other": {"type": "string", "default": "--yolo"}}
    assert signature(named) != before
    assert signature(other) == before


def test_a_key_that_is_named_in_an_unknown_field_counts_as_named() -> None:
    lane = {**SPAWN, "secondModelKey": "acme.other"}
    changed = {**CONFIG, "acme.other": {"default": "--yolo"}}
    assert signature(_manifest(lane)) != signature({**_manifest(lane), "config": changed})


@pytest.mark.parametrize("surface", ["hooks", "commands", "mcpServers"])
def test_an_empty_surface_signs_like_an_absent_one(surface: str) -> None:
    without = signature({"id": "x"})
    empties: tuple[Any, ...] = (None, [], {})
    assert [signature({"id": "x", surface: empty}) for empty in empties] == [without] * 3
    assert signature({"id": "x", surface: "text"}) != without


def test_what_is_no_object_signs_as_nothing_declared() -> None:
    values: tuple[Any, ...] = (None, 5, "x", [], [1], True, {})
    assert {signature(value) for value in values} == {signature({})}


def test_the_order_of_keys_never_matters_and_the_order_of_arguments_does() -> None:
    assert canonical({"b": 1, "a": {"d": 2, "c": 3}}) == canonical({"a": {"c": 3, "d": 2}, "b": 1})
    swapped = copy.deepcopy(SPAWN)
    swapped["invoke"]["args"].reverse()
    assert signature(_manifest(swapped)) != signature(_manifest(SPAWN))


def test_canonical_json_is_the_json_that_everyone_writes() -> None:
    value = {"a": [1, 1.5, None, True, False, "ż\n"], "": {}, "e": []}
    assert canonical(value) == '{"":{},"a":[1,1.5,null,true,false,"\\u017c\\n"],"e":[]}'
    assert canonical(1.0) == canonical(1) == "1"


def test_canonical_json_takes_what_no_json_reader_would_give() -> None:
    deep: Any = "end"
    for _ in range(100_000):
        deep = [deep]
    assert canonical(deep).count("[") == 100_000
    assert canonical({1: float("nan"), None: b"x", "k": 10**5000}).startswith('{"k":0x')


def test_a_token_binds_who_what_which_bytes_and_where_to() -> None:
    base: dict[str, Any] = {"identity": "a", "signed": "s", "content_hash": "c", "destination": "d"}
    tokens = {token(**base)} | {token(**{**base, name: "other"}) for name in base}
    assert len(tokens) == 5
    assert all(len(one) == 67 and one.startswith("d1-") for one in tokens)
