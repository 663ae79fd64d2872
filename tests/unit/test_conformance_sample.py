"""The output of a tool, derived from what a manifest declares of it, and read back by the reader of every review."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_review.conformance.sample import ERROR_TEXT, MODEL, USAGE, empty_output, error_output, review_output
from msd_review.conformance.scripts import review_text
from msd_review.manifest.decode import decode
from msd_review.manifest.model import Lane
from msd_review.registry import first_party
from msd_review.run.reading import read_output

SPAWNED = [
    one.manifest.reviewer
    for one in first_party()
    if one.manifest.reviewer and one.manifest.reviewer.transport == "spawn"
]


def lane_of(invoke: dict[str, Any]) -> Lane:
    body = {
        "slug": "acme",
        "flags": ["--acme"],
        "transport": "spawn",
        "probe": {"kind": "command-exists", "binary": "acme"},
        "invoke": {
            "binary": "acme",
            "args": ["{{output}}"] if "outputArg" in invoke else [],
            "promptChannel": "stdin",
            "outputChannel": "file-arg" if "outputArg" in invoke else "stdout",
            "effortChannel": "none",
            **invoke,
        },
        "timeoutFloorMs": 1000,
        "emptyOutput": "stub-with-stderr",
        "reviewsSection": "Acme",
        "evidenceClass": "source-grounded",
    }
    value = {
        "id": "acme",
        "role": "reviewer",
        "version": "1.0.0",
        "title": "Acme",
        "description": "Acme",
        "tier": "full",
        "requires": [],
        "reviewer": body,
    }
    manifest = decode(value).manifest
    assert manifest is not None and manifest.reviewer is not None
    return manifest.reviewer


@pytest.mark.parametrize("lane", SPAWNED, ids=lambda lane: lane.slug)
def test_a_review_in_the_shape_of_every_lane_that_ships_is_read_back_whole(lane: Lane) -> None:
    text = review_text()
    output = review_output(lane, text)
    assert output is not None
    reading = read_output(lane, stdout=output.stdout, stderr=b"", output_file=output.file)
    assert (reading.text.strip(), reading.errors) == (text.strip(), ())


@pytest.mark.parametrize(
    "lane", [one for one in SPAWNED if getattr(one.invoke, "output_map", None)], ids=lambda lane: lane.slug
)
def test_usage_and_model_come_along_where_they_are_declared(lane: Lane) -> None:
    output = review_output(lane, review_text())
    assert output is not None
    reading = read_output(lane, stdout=output.stdout, stderr=b"", output_file=output.file)
    declared = lane.invoke.output_map  # type: ignore[union-attr]  # chosen for having one
    assert declared is not None
    if declared.usage is not None:
        assert reading.usage is not None
        assert (reading.usage.input_tokens, reading.usage.output_tokens) == USAGE
    if declared.model is not None:
        assert reading.model == MODEL


@pytest.mark.parametrize("lane", SPAWNED, ids=lambda lane: lane.slug)
def test_an_empty_answer_has_no_text(lane: Lane) -> None:
    output = empty_output(lane)
    reading = read_output(lane, stdout=output.stdout, stderr=b"", output_file=output.file)
    assert reading.text.strip() == ""


@pytest.mark.parametrize("slug", ["claude", "codex", "gemini", "qwen", "cursor", "opencode"])
def test_a_declared_failure_is_read_as_one(slug: str) -> None:
    lane = next(one for one in SPAWNED if one.slug == slug)
    output, is_declared = error_output(lane)
    reading = read_output(lane, stdout=output.stdout, stderr=b"")
    assert is_declared
    assert {error.message for error in reading.errors} == {ERROR_TEXT}


def test_a_failure_is_told_in_words_where_no_shape_of_it_is_declared() -> None:
    assert error_output(lane_of({}))[0].stdout == f"Error: {ERROR_TEXT}\n".encode()
    assert error_output(lane_of({}))[1] is False


def test_arrays_and_escaped_names_are_built() -> None:
    pointer = "/choices/1/a~1b/~0c"
    lane = lane_of(
        {"outputFormat": "json", "outputMap": {"text": [{"pointer": pointer, "where": {"/ok": True}}]}}
    )
    output = review_output(lane, "## Summary\nfine")
    assert output is not None
    assert json.loads(output.stdout)["choices"][1] == {"a/b": {"~c": "## Summary\nfine"}}


def test_the_second_place_of_the_text_is_tried_where_the_first_contradicts_itself() -> None:
    contradicts = {"where": {"/a": 1}, "pointer": "/a/b"}
    lane = lane_of({"outputFormat": "json", "outputMap": {"text": [contradicts, {"pointer": "/text"}]}})
    output = review_output(lane, "## Summary\nfine")
    assert output is not None
    assert json.loads(output.stdout) == {"text": "## Summary\nfine"}


def test_what_cannot_be_derived_is_not_guessed() -> None:
    contradicts = {"where": {"/a": 1}, "pointer": "/a/b"}
    lane = lane_of({"outputFormat": "json", "outputMap": {"text": [contradicts]}})
    assert review_output(lane, "## Summary\nfine") is None


def test_an_index_out_of_all_proportion_builds_nothing() -> None:
    lane = lane_of({"outputFormat": "json", "outputMap": {"text": [{"pointer": "/a/99999999"}]}})
    output = review_output(lane, "## Summary\nfine")
    assert output is None or len(output.stdout) < 1000


_NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=6)
_TOKENS = st.one_of(_NAMES, st.integers(0, 20).map(str))
_POINTERS = st.lists(_TOKENS, min_size=1, max_size=4).map(
    lambda tokens: "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)
)
_WHERES = st.dictionaries(_POINTERS, st.one_of(st.booleans(), st.integers(-9, 9), _NAMES), max_size=2)


@given(
    form=st.sampled_from(["json", "json-lines"]),
    places=st.lists(st.tuples(_POINTERS, _WHERES, st.sampled_from(["all", "last"])), min_size=1, max_size=3),
    done=_WHERES,
    errors=st.lists(st.tuples(_POINTERS, _WHERES), max_size=2),
)
def test_whatever_is_derived_is_read_back_as_the_text(form: str, places: Any, done: Any, errors: Any) -> None:
    declared: dict[str, Any] = {
        "text": [
            {"pointer": pointer, "take": take, **({"where": where} if where else {})}
            for pointer, where, take in places
        ],
        "error": [{"message": pointer, **({"where": where} if where else {})} for pointer, where in errors],
    }
    if done:
        declared["done"] = {"where": done}
    lane = lane_of({"outputFormat": form, "outputMap": declared})
    output = review_output(lane, review_text())
    if output is not None:
        reading = read_output(lane, stdout=output.stdout, stderr=b"")
        assert "can be carried out" in reading.text
        assert reading.errors == ()
    assert isinstance(error_output(lane)[0].stdout, bytes)
    assert isinstance(empty_output(lane).stdout, bytes)


def test_the_program_that_plays_a_reviewer_imports_nothing_of_msd() -> None:
    source = Path(__file__).parents[2] / "src" / "msd_review" / "conformance" / "stand_in.py"
    imports = [
        line
        for line in source.read_text(encoding="utf-8").splitlines()
        if line.startswith(("import ", "from "))
    ]
    assert not [line for line in imports if "msd_review" in line]
