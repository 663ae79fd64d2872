"""The merged set: who keeps a name that several claim, what requirements do, and that order decides nothing."""

from pathlib import Path
from typing import Any

import pytest

from msd_review.manifest.merged import Member, check_set
from msd_review.registry import Registry
from tests.registry_files import feature_manifest, lane_manifest, overlays, registry_of


def merged(tmp_path: Path, *, at_home: Any = (), in_project: Any = ()) -> Registry:
    return registry_of(overlays(tmp_path, at_home=at_home, in_project=in_project))


def said(registry: Registry) -> list[tuple[str, tuple[str, ...], str]]:
    return [(notice.code, notice.capabilities, notice.message) for notice in registry.notices]


def key(name: str) -> dict[str, Any]:
    return {name: {"type": "string", "default": "", "description": "x"}}


@pytest.mark.parametrize(
    ("manifest", "code", "message"),
    [
        (lane_manifest("acme", slug="codex"), "merge.slug", "the slug `codex` is taken by `codex`, `acme (global)`"),
        (lane_manifest("acme", flags=["--agy"]), "merge.flag", "the flag `--agy` is taken by `antigravity`, `acme (global)`"),
        (
            lane_manifest("acme", reviewsSection="LLAMA.CPP review"),
            "merge.section",
            "the section `llama.cpp` is taken by `llama-cpp`, `acme (global)`",
        ),
        (
            lane_manifest("acme") | {"config": key("review.models.codex")},
            "config.owned",
            "the key `review.models.codex` is declared by `codex`, `acme (global)`",
        ),
        (
            lane_manifest("acme") | {"config": key("review.models.codex.fast")},
            "config.owned",
            "the key `review.models.codex` is declared by `codex`, `acme (global)`",
        ),
        (
            lane_manifest("acme") | {"config": key("review.models")},
            "config.owned",
            "the key `review.models` is declared by `antigravity`, `acme (global)`",
        ),
        (
            feature_manifest("acme", config=key("review.max_prompt_tokens_per_reviewer.codex")),
            "config.owned",
            "the key `review.max_prompt_tokens_per_reviewer.codex` is declared by `codex`, `acme (global)`",
        ),
    ],
)  # fmt: skip
def test_what_ships_keeps_its_names(
    tmp_path: Path, manifest: dict[str, Any], code: str, message: str
) -> None:
    registry = merged(tmp_path, at_home=[manifest])
    capability = registry.capability("acme")
    assert capability is not None
    assert (capability.active, capability.inactive_reason, capability.detail) == (False, code, message)
    assert said(registry)[0] == (code, ("acme",), message)


def test_an_id_that_ships_is_taken(tmp_path: Path) -> None:
    registry = merged(
        tmp_path, in_project=[lane_manifest("codex", slug="mine", flags=["--mine"], reviewsSection="M")]
    )
    assert said(registry) == [
        ("merge.id", ("codex",), "the id `codex` is taken by `codex`, `codex (project)`")
    ]
    assert registry.lane("mine") is None
    lane = registry.lane("codex")
    assert lane is not None
    assert lane.capability.source == "first-party"


def test_the_global_scope_wins_over_the_project_s(tmp_path: Path) -> None:
    registry = merged(
        tmp_path, at_home=[lane_manifest("zulu", slug="x")], in_project=[lane_manifest("acme", slug="x")]
    )
    lane = registry.lane("x")
    assert lane is not None
    assert lane.capability.id == "zulu"


def test_a_clash_of_many_is_said_once_with_all_names(tmp_path: Path) -> None:
    registry = merged(tmp_path, at_home=[lane_manifest(name, slug="x") for name in ("c", "a", "b")])
    slugs = [entry for entry in said(registry) if entry[0] == "merge.slug"]
    assert slugs == [
        ("merge.slug", ("b", "c"), "the slug `x` is taken by `a (global)`, `b (global)`, `c (global)`")
    ]
    assert registry.slugs[-1] == "x"


def test_who_clashes_only_with_one_that_is_left_out_stays(tmp_path: Path) -> None:
    first, second = lane_manifest("a", slug="x"), lane_manifest("b", slug="x", flags=["--y"])
    third = lane_manifest("c", flags=["--y"])
    registry = merged(tmp_path, at_home=[first, second, third])
    assert [one.id for one in registry.active[-2:]] == ["a", "c"]


@pytest.mark.parametrize(
    ("manifests", "code", "message"),
    [
        ([lane_manifest("a") | {"requires": ["ghost"]}], "requires.unknown", "`requires` names `ghost`, which is not there"),
        (
            [lane_manifest("a") | {"requires": ["b"], "tier": "core"}, lane_manifest("b") | {"tier": "standard"}],
            "requires.tier",
            "tier `core` requires `b`, whose tier is `standard`",
        ),
        ([lane_manifest("a") | {"requires": ["a"]}], "requires.cycle", "`requires` goes in a circle: a → a"),
        (
            [lane_manifest("b") | {"requires": ["a"]}, lane_manifest("a") | {"requires": ["b"]}],
            "requires.cycle",
            "`requires` goes in a circle: a → b → a",
        ),
    ],
)  # fmt: skip
def test_a_requirement_that_is_not_met_takes_its_capability_out(
    tmp_path: Path, manifests: list[dict[str, Any]], code: str, message: str
) -> None:
    registry = merged(tmp_path, at_home=manifests)
    capability = registry.capability("a")
    assert capability is not None
    assert (capability.inactive_reason, capability.detail) == (code, message)


def test_whoever_requires_one_that_is_left_out_goes_with_it(tmp_path: Path) -> None:
    chain = [lane_manifest("a") | {"requires": ["b"]}, lane_manifest("b") | {"requires": ["ghost"]}]
    registry = merged(tmp_path, at_home=[*chain, lane_manifest("c") | {"requires": ["codex"]}])
    assert registry.slugs[-1] == "c"
    assert [entry[:2] for entry in said(registry)] == [
        ("requires.unknown", ("b",)),
        ("requires.unknown", ("a",)),
    ]


def test_skills_agents_and_artifacts_have_one_owner(tmp_path: Path) -> None:
    step = {
        "point": "plan:post",
        "ref": {"command": "x"},
        "produces": ["A.md"],
        "consumes": [],
        "onError": "skip",
    }
    one = feature_manifest("one", skills=["s"], agents=["t"], steps=[step])
    two = feature_manifest("two", skills=["s"], agents=["t"], steps=[step])
    assert [(code, message) for code, _, message in said(merged(tmp_path, at_home=[one, two]))] == [
        ("merge.skill", "the skill `s` is declared by `one (global)`, `two (global)`"),
        ("merge.agent", "the agent `t` is declared by `one (global)`, `two (global)`"),
        ("merge.artifact", "`A.md at plan:post` is produced by `one (global)`, `two (global)`"),
    ]


def test_features_that_wait_for_each_other_lose_the_last_of_them(tmp_path: Path) -> None:
    step = {"point": "plan:post", "ref": {"command": "x"}, "onError": "skip"}
    one = feature_manifest("one", steps=[step | {"produces": ["A.md"], "consumes": ["B.md"]}])
    two = feature_manifest("two", steps=[step | {"produces": ["B.md"], "consumes": ["A.md"]}])
    registry = merged(tmp_path, at_home=[one, two])
    circle = "steps at `plan:post` wait for each other: one steps[0] → two steps[0] → one steps[0]"
    assert said(registry) == [("feature.cycle", ("two",), circle)]
    assert registry.active[-1].id == "one"


def test_a_set_on_its_own_is_checked_whole() -> None:
    one, two = lane_manifest("a", slug="x") | {"requires": ["ghost"]}, lane_manifest("b", slug="x")
    members = [Member(order=(1, value["id"], ""), value=value, label=value["id"]) for value in (two, one)]
    assert [
        (clash.problem.code, [member.id for member in clash.members]) for clash in check_set(members)
    ] == [
        ("merge.slug", ["a", "b"]),
        ("requires.unknown", ["a"]),
    ]


def test_warnings_of_an_overlay_are_said_and_cost_it_nothing(tmp_path: Path) -> None:
    registry = merged(tmp_path, at_home=[lane_manifest("acme", colour="red")])
    (notice,) = registry.notices
    assert (notice.code, notice.message, notice.left_out) == (
        "lane.unknown_field",
        "unknown field `colour`",
        False,
    )
    assert registry.lane("acme") is not None
