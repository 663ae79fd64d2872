"""Whatever a client sends as arguments is decoded or refused in a few words, and no path leads out of the project."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from msd_review.mcp_server import arguments
from msd_review.mcp_server.places import inside
from msd_review.mcp_server.refusal import Refused
from msd_review.mcp_server.requests import code_review_request, review_request
from msd_review.mcp_server.shapes_in import INPUTS

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40) | st.text("ab\x00\u202e-./\n", max_size=300),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
_NAMES = sorted({name for shape in INPUTS.values() for name in shape["properties"]})
_PARTS = st.lists(
    st.sampled_from(["..", ".", "a", "link", "out", "deep", "/", "~", "-x", "PLAN.md", "\u202e"]), max_size=7
)


@given(
    st.sampled_from(sorted(INPUTS)),
    st.dictionaries(st.sampled_from(_NAMES) | st.text(max_size=8), _VALUES, max_size=5),
)
@example("get_review", {"limit": 1e308})
@example("get_review", {"limit": 10**400})
@example("review_status", {"wait_seconds": float("nan")})
def test_any_arguments_are_taken_in_shape_or_refused_in_a_few_words(tool: str, raw: dict[str, Any]) -> None:
    try:
        given_ = arguments.checked(tool, raw)
    except Refused as refused:
        assert refused.code == "invalid_arguments"
        assert len(refused.message) < 400
        assert "\n" not in refused.message
        return
    assert given_.keys() <= INPUTS[tool]["properties"].keys()
    if tool == "get_review":
        assert 1 <= arguments.asked_findings(given_).limit <= 100
    if tool == "review_status" and "wait_seconds" in given_:
        assert 0 <= given_["wait_seconds"] <= 45


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("places").resolve()
    root = base / "a"
    (root / "a" / "deep").mkdir(parents=True)
    (base / "out").mkdir()
    (root / "link").symlink_to(base / "out")
    (root / "out").symlink_to("..")
    (root / "PLAN.md").write_text("# Plan\n", encoding="utf-8")
    return root


@given(_PARTS, st.booleans())
def test_no_spelling_of_a_path_leads_out_of_the_project(root: Path, parts: list[str], absolute: bool) -> None:
    spelt = ("/" if absolute else "") + "/".join(parts)
    try:
        found = inside(root, spelt)
    except Refused:
        return
    assert found.resolve().is_relative_to(root)


@given(st.lists(st.text(max_size=12), max_size=3), st.text(max_size=12))
def test_a_request_holds_only_paths_of_the_project_and_never_agrees(
    root: Path, names: list[str], base: str
) -> None:
    try:
        given_ = arguments.checked("start_code_review", {"paths": names, "base": base, "all": True})
        request = code_review_request(root, arguments.asked_code_review(given_))
    except Refused:
        return
    assert all(path.is_relative_to(root) for path in request.paths)
    assert not (request.base or "").startswith("-")
    assert (request.review.by_agent, request.review.allow_secrets, request.review.in_place) == (
        True,
        (),
        False,
    )


def test_a_plan_review_asks_as_an_agent(root: Path) -> None:
    request = review_request(root, arguments.asked_review({"plans": ["PLAN.md"], "reviewers": ["claude"]}))
    assert (request.plans, request.named, request.by_agent) == ((root / "PLAN.md",), ("claude",), True)
