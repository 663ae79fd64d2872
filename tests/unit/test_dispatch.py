"""Reviewer lanes for a step: what is refused as a whole, what a lane alone is refused for, what comes back."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from msd_review.app.dispatch import (
    Dispatched,
    DispatchReason,
    DispatchRefused,
    DispatchRequest,
    dispatch_reviewer_lanes,
)
from msd_review.app.loop import active_hooks
from msd_review.app.world import load_world
from msd_review.outcomes import Reason
from tests.change_samples import FOUND, Reviewers, feature
from tests.git_samples import git


@pytest.fixture
def lanes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reviewers:
    made = Reviewers(tmp_path / "lanes", monkeypatch)
    made.claude()
    return made


@pytest.fixture
def request_of_step(tmp_path: Path) -> DispatchRequest:
    root = feature(tmp_path / "r")
    (tmp_path / "run-1").mkdir()
    world = load_world(root)
    (hook,) = active_hooks(world, "execute:post")
    return DispatchRequest(
        world=world,
        hook=hook,
        paths=("app.py",),
        depth="standard",
        base=git(root, "rev-parse", "main"),
        repo_root=root,
        run_folder=tmp_path / "run-1",
        named=("claude",),
    )


def refused(request: DispatchRequest, **changed: Any) -> DispatchRefused:
    asked = replace(request, **changed)
    told = dispatch_reviewer_lanes(asked)
    assert isinstance(told, DispatchRefused)
    if isinstance(request.run_folder, Path) and request.run_folder.is_dir():
        assert list(request.run_folder.iterdir()) == []
    return told


def test_the_lanes_of_a_step_are_handed_back_as_they_came(
    request_of_step: DispatchRequest, lanes: Reviewers
) -> None:
    told = dispatch_reviewer_lanes(request_of_step)
    assert isinstance(told, Dispatched)
    (result,) = told.results
    assert (result.identity, result.outcome.value) == ("claude", "review")
    assert result.text_path is not None
    assert result.text_path.read_text() == FOUND.strip() or result.text_path.read_text() == FOUND
    assert '{"path": "app.py", "change": "modified"}' in lanes.prompt()
    assert "return sum" not in lanes.prompt()


def test_nobody_asked_for_means_no_file_and_no_process(
    request_of_step: DispatchRequest, lanes: Reviewers
) -> None:
    told = refused(request_of_step, named=())
    assert told.reason is DispatchReason.NO_LANES_SELECTED
    assert not lanes.was_asked()


def test_a_step_without_the_trait_is_refused(request_of_step: DispatchRequest, lanes: Reviewers) -> None:
    hook = replace(request_of_step.hook, supports_reviewer_lanes=False)
    told = refused(request_of_step, hook=hook)
    assert told == DispatchRefused(
        reason=DispatchReason.TRAIT_NOT_ENABLED, detail="a step of code-review may not use lanes"
    )
    assert not lanes.was_asked()


@pytest.mark.parametrize(
    ("paths", "reason"),
    [
        ((), DispatchReason.INVALID_PATHS),
        (("",), DispatchReason.INVALID_PATHS),
        (("  ",), DispatchReason.INVALID_PATHS),
        (("a\nb.py",), DispatchReason.INVALID_PATHS),
        (("a\x00b",), DispatchReason.INVALID_PATHS),
        (("a\x7fb",), DispatchReason.INVALID_PATHS),
        (("a\u2028b",), DispatchReason.INVALID_PATHS),
        (("/etc/passwd",), DispatchReason.INVALID_PATHS),
        (("C:/x",), DispatchReason.INVALID_PATHS),
        (("\\\\host\\x",), DispatchReason.INVALID_PATHS),
        (("~/x",), DispatchReason.INVALID_PATHS),
        (("nowhere.py",), DispatchReason.INVALID_PATHS),
        (("app.py", "../x"), DispatchReason.PATH_ESCAPES_REPO_ROOT),
        (("sub/../../x",), DispatchReason.PATH_ESCAPES_REPO_ROOT),
        (("..\\x",), DispatchReason.PATH_ESCAPES_REPO_ROOT),
        (("out",), DispatchReason.PATH_ESCAPES_REPO_ROOT),
        (("out/secret",), DispatchReason.PATH_ESCAPES_REPO_ROOT),
    ],
)
def test_paths_are_clean_and_inside_after_resolving_links(
    request_of_step: DispatchRequest,
    lanes: Reviewers,
    tmp_path: Path,
    paths: tuple[str, ...],
    reason: DispatchReason,
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret").write_text("x")
    assert request_of_step.repo_root is not None
    (request_of_step.repo_root / "out").symlink_to(tmp_path / "elsewhere")
    assert refused(request_of_step, paths=paths).reason is reason
    assert not lanes.was_asked()


@pytest.mark.parametrize("field", ["depth", "base", "repo_root", "run_folder"])
def test_provenance_is_given_whole(request_of_step: DispatchRequest, field: str) -> None:
    assert refused(request_of_step, **{field: None}).reason is DispatchReason.MISSING_PROVENANCE


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("depth", "thorough"),
        ("depth", "DEEP"),
        ("base", "main..feature"),
        ("base", "--output=x"),
        ("base", "a b"),
        ("base", "x\n"),
        ("repo_root", Path("relative")),
        ("repo_root", Path("/")),
        ("repo_root", Path("/nowhere")),
        ("run_folder", Path("/nowhere")),
        ("run_folder", Path("relative")),
    ],
)
def test_provenance_is_clean(request_of_step: DispatchRequest, field: str, value: object) -> None:
    assert refused(request_of_step, **{field: value}).reason is DispatchReason.INVALID_PROVENANCE


def test_who_cannot_be_chosen_fails_the_selection(request_of_step: DispatchRequest, lanes: Reviewers) -> None:
    told = refused(request_of_step, named=("nobody",))
    assert told == DispatchRefused(
        reason=DispatchReason.SELECTION_FAILED, detail="no reviewer is called 'nobody'"
    )
    assert refused(request_of_step, named=("gemini",)).reason is DispatchReason.SELECTION_FAILED


def test_a_lane_that_takes_no_prompt_is_refused_by_itself(
    request_of_step: DispatchRequest, lanes: Reviewers
) -> None:
    lanes.coderabbit()
    told = dispatch_reviewer_lanes(replace(request_of_step, named=("claude", "coderabbit")))
    assert isinstance(told, Dispatched)
    assert [result.identity for result in told.results] == ["claude"]
    assert [(row.identity, row.reason) for row in told.skipped] == [
        ("coderabbit", Reason.PROMPT_CHANNEL_UNSUPPORTED.value)
    ]
    assert not lanes.was_asked("coderabbit")


def test_a_lane_whose_budget_is_too_small_fails_and_nothing_is_cut(
    request_of_step: DispatchRequest, lanes: Reviewers
) -> None:
    home = request_of_step.world.home
    home.mkdir(parents=True)
    (home / "config.json").write_text('{"review": {"max_prompt_tokens_per_reviewer": {"claude": 50}}}')
    world = load_world(request_of_step.repo_root)
    told = dispatch_reviewer_lanes(replace(request_of_step, world=world))
    assert isinstance(told, Dispatched)
    assert [(row.identity, row.reason) for row in told.skipped] == [("claude", "prompt_too_large")]
    assert not lanes.was_asked()


def test_a_prompt_that_cannot_be_written_refuses_the_request(
    request_of_step: DispatchRequest, lanes: Reviewers
) -> None:
    assert request_of_step.run_folder is not None
    (request_of_step.run_folder / "prompts").write_text("a file where a folder must be")
    told = dispatch_reviewer_lanes(request_of_step)
    assert isinstance(told, DispatchRefused)
    assert told.reason is DispatchReason.PROMPT_WRITE_FAILED
    assert not lanes.was_asked()


def test_no_reason_of_a_request_is_a_lanes_reason() -> None:
    assert not {reason.value for reason in DispatchReason} & {reason.value for reason in Reason}
