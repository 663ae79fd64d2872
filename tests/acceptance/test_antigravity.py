"""The handed Antigravity cases: watermark, fallback, arguments, and the review that saw nothing."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from msd_review.handlers import antigravity
from msd_review.handlers.antigravity import Watermark
from msd_review.outcomes import Mark

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "cases" / "antigravity.json").read_text(encoding="utf-8")
)


def of_area(area: str) -> list[dict[str, Any]]:
    return [case for case in CASES if case["area"] == area]


def reader(given: dict[str, Any]) -> Callable[[str], str | None]:
    def read(path: str) -> str | None:
        if path in given["unreadable"]:
            raise PermissionError(path)
        content: str | None = given["files"].get(path)
        return content

    return read


@pytest.mark.parametrize("case", of_area("antigravity-watermark"), ids=lambda c: c["id"])
def test_watermark_case(case: dict[str, Any]) -> None:
    given, wanted = case["input"], case["expected"]["watermark"]
    mark = antigravity.before_start(reader(given), home=given["home"], workspace=given["workspace"])
    assert mark == Watermark(
        conversation=wanted["convId"], lines=wanted["lines"], unreadable=wanted.get("unreadable", False)
    )


@pytest.mark.parametrize("case", of_area("antigravity-fallback"), ids=lambda c: c["id"])
def test_fallback_case(case: dict[str, Any]) -> None:
    given = case["input"]
    noted = given["mark"]
    mark = Watermark(
        conversation=noted["convId"], lines=noted["lines"], unreadable=noted.get("unreadable", False)
    )
    found = antigravity.recover(reader(given), home=given["home"], workspace=given["workspace"], mark=mark)
    assert found == case["expected"]["review"]


@pytest.mark.parametrize("case", of_area("antigravity-argv"), ids=lambda c: c["id"])
def test_argument_case(case: dict[str, Any]) -> None:
    given = case["input"]
    found = antigravity.start_args(
        tuple(given["argv"]),
        repo="/repo",
        help_text=str(given["help"].get("out", "")) + str(given["help"].get("err", "")),
    )
    wanted = [
        antigravity.self_report_request("<P>") if arg == "<P-with-self-report>" else arg
        for arg in case["expected"]["argv"]
    ]
    assert list(found) == wanted


@pytest.mark.parametrize("case", of_area("antigravity-blind-stamp"), ids=lambda c: c["id"])
def test_blind_case(case: dict[str, Any]) -> None:
    marks = antigravity.blind_marks(case["input"]["review"])
    assert (Mark.WITHOUT_REPO_ACCESS in marks) == case["expected"]["stamped"]


def test_a_conversation_id_that_is_no_single_segment_is_refused() -> None:
    cache = "/home/u/.gemini/antigravity-cli/cache/last_conversations.json"
    for hostile in ("../../etc", "a/b", "..", ".", "", "a\\b/../c"):
        given = {"files": {cache: json.dumps({"/repo": hostile})}, "unreadable": []}
        mark = antigravity.before_start(reader(given), home="/home/u", workspace="/repo")
        assert mark == Watermark()


def test_every_area_was_run() -> None:
    areas = {case["area"] for case in CASES}
    assert areas == {f"antigravity-{name}" for name in ("watermark", "fallback", "argv", "blind-stamp")}
