"""Which hooks are active at a loop point, over first-party features and installed ones."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from msd_review.app.loop import active_hooks, hooks_document, is_on
from msd_review.app.world import World, load_world
from msd_review.config.layers import Config, Layer
from msd_review.config.schema import build_schema
from msd_review.errors import ConfigError, UsageError
from msd_review.manifest.decode import decode
from msd_review.registry import Capability, Registry
from tests.git_samples import git


def step(point: str = "execute:post", **fields: Any) -> dict[str, Any]:
    return {
        "point": point,
        "ref": {"command": "go"},
        "produces": [],
        "consumes": [],
        "onError": "skip",
        **fields,
    }


def feature(identity: str, **fields: Any) -> Capability:
    raw: dict[str, Any] = {
        "id": identity, "role": "feature", "version": "1.0.0", "title": "T", "description": "D", "tier": "full",
        "requires": [], "runtimeCompat": {"supported": ["*"], "unsupported": []}, "skills": [], "agents": [],
        "config": {f"{identity}.on": {"type": "boolean", "default": True, "description": "on"}}, **fields,
    }  # fmt: skip
    decoded = decode(raw, folder=identity)
    assert decoded.manifest is not None, decoded.problems
    return Capability(
        id=identity,
        source="global",
        folder=Path("/caps") / identity,
        raw=raw,
        decoded=decoded.manifest,
        active=True,
    )


@pytest.fixture
def world(tmp_path: Path) -> World:
    (tmp_path / "r").mkdir()
    git(tmp_path / "r", "init", "--quiet")
    return load_world(tmp_path / "r")


def having(world: World, *capabilities: Capability, **config: Any) -> World:
    registry = Registry(
        capabilities=(*world.registry.capabilities, *capabilities), lanes=world.registry.lanes
    )
    schema = build_schema(registry.config_keys, registry.owned_lanes)
    layers = (*world.config.layers, Layer(name="command line", path=None, data=config))
    return replace(world, registry=registry, config=Config(schema=schema, layers=layers))


def ids(world: World, point: str = "execute:post") -> list[str]:
    return [hook.cap_id for hook in active_hooks(world, point)]


def test_the_code_review_step_is_active_and_may_use_lanes(world: World) -> None:
    assert hooks_document(world, "execute:post") == {
        "schema": "msd.loop-hooks/1",
        "point": "execute:post",
        "hooks": [
            {
                "capId": "code-review",
                "kind": "step",
                "point": "execute:post",
                "ref": {"command": "code-review"},
                "when": "workflow.code_review",
                "produces": ["REVIEW.md"],
                "consumes": [],
                "onError": "skip",
                "supportsReviewerLanes": True,
            }
        ],
    }


def test_the_document_is_as_its_schema_says(world: World) -> None:
    schema = Path(__file__).parents[2] / "docs" / "schemas" / "msd.loop-hooks-1.schema.json"
    Draft202012Validator(json.loads(schema.read_text())).validate(hooks_document(world, "execute:post"))


def test_a_step_is_off_where_its_key_is(world: World) -> None:
    assert ids(having(world, **{"workflow.code_review": False})) == []


def test_an_unknown_point_is_a_usage_error_that_lists_the_points(world: World) -> None:
    with pytest.raises(UsageError) as told:
        active_hooks(world, "execute:after")
    assert told.value.message == "there is no loop point 'execute:after'"
    assert told.value.hint is not None and "execute:wave:post" in told.value.hint


def test_who_consumes_comes_after_who_produces_and_the_id_breaks_ties(world: World) -> None:
    last = feature("alpha", steps=[step(consumes=["REVIEW.md"])])
    free = feature("zeta", steps=[step()])
    between = feature("beta", steps=[step(produces=["B.md"])])
    assert ids(having(world, last, free, between)) == ["beta", "code-review", "alpha", "zeta"]


def test_a_circle_over_several_capabilities_is_an_error_that_names_them(world: World) -> None:
    one = feature("alpha", steps=[step("plan:pre", produces=["A"], consumes=["B"])])
    other = feature("beta", steps=[step("plan:pre", produces=["B"], consumes=["A"])])
    with pytest.raises(ConfigError) as told:
        active_hooks(having(world, one, other), "plan:pre")
    assert told.value.message == (
        "the hooks at plan:pre wait for each other in a circle: alpha → beta → alpha"
    )


def test_contributions_and_gates_are_hooks_too(world: World) -> None:
    both = feature(
        "alpha",
        contributions=[{"point": "verify:pre", "into": "orchestrator", "produces": [], "consumes": [], "fragment": {"inline": "Look."}}],
        gates=[{"point": "verify:pre", "check": {"query": "open"}, "blocking": True, "onError": "halt"}],
    )  # fmt: skip
    hooks = hooks_document(having(world, both), "verify:pre")["hooks"]
    assert [(hook["kind"], hook["ref"]) for hook in hooks] == [("contribution", None), ("gate", None)]
    assert (hooks[0]["into"], hooks[0]["fragment"]) == ("orchestrator", {"inline": "Look."})
    assert (hooks[1]["check"], hooks[1]["blocking"], hooks[1]["onError"]) == ({"query": "open"}, True, "halt")


def test_the_trait_is_there_only_when_it_is_declared(world: World) -> None:
    plain = feature("alpha", steps=[step("plan:pre"), step("plan:pre", supportsReviewerLanes=False)])
    assert all(
        "supportsReviewerLanes" not in hook
        for hook in hooks_document(having(world, plain), "plan:pre")["hooks"]
    )


def test_a_whole_feature_is_off_where_its_activation_key_is(world: World) -> None:
    off = feature("alpha", activationKey="alpha.on", steps=[step("plan:pre")])
    assert ids(having(world, off), "plan:pre") == ["alpha"]
    assert ids(having(world, off, **{"alpha.on": False}), "plan:pre") == []


def test_an_inactive_capability_contributes_no_hook(world: World) -> None:
    asleep = feature("alpha", steps=[step("plan:pre")])._replace(active=False)
    assert ids(having(world, asleep), "plan:pre") == []


def test_a_when_of_any_type_is_on_or_off(world: World) -> None:
    config = {
        "alpha.mode": {"type": "enum", "values": ["off", "warn"], "default": "off", "description": "m"},
        "alpha.count": {"type": "number", "default": 0, "description": "n"},
    }
    told = having(world, feature("alpha", config=config))
    assert [is_on(told.config, key) for key in (None, "alpha.mode", "alpha.count", "nobody.declares")] == [
        True, False, False, False,
    ]  # fmt: skip
    assert is_on(
        having(world, feature("alpha", config=config), **{"alpha.mode": "warn"}).config, "alpha.mode"
    )
