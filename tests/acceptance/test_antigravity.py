"""The handed Antigravity cases: watermark, fallback, arguments, and the review that saw nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from msd_review import handlers
from msd_review.handlers import antigravity
from msd_review.handlers.antigravity import Watermark
from msd_review.handlers.base import SELF_REPORT

CASES = json.loads(
    (Path(__file__).parents[1] / "data" / "cases" / "antigravity.json").read_text(encoding="utf-8")
)


def of_area(area: str) -> list[dict[str, Any]]:
    return [case for case in CASES if case["area"] == area]


def make_home(given: dict[str, Any], home: Path) -> Path:
    """The case's files below `home`; one that cannot be read is a folder where a file should be."""
    for path, content in given["files"].items():
        place = home / Path(path).relative_to(given["home"])
        place.parent.mkdir(parents=True, exist_ok=True)
        if path in given["unreadable"]:
            place.mkdir()
        else:
            place.write_text(content)
    return home


@pytest.mark.parametrize("case", of_area("antigravity-watermark"), ids=lambda c: c["id"])
def test_watermark_case(case: dict[str, Any], tmp_path: Path) -> None:
    given, wanted = case["input"], case["expected"]["watermark"]
    mark = antigravity.before_start(make_home(given, tmp_path), Path(given["workspace"]))
    assert (mark.conversation, mark.lines) == (wanted["convId"], wanted["lines"])
    assert mark.unreadable == wanted.get("unreadable", False)


@pytest.mark.parametrize("case", of_area("antigravity-fallback"), ids=lambda c: c["id"])
def test_fallback_case(case: dict[str, Any], tmp_path: Path) -> None:
    given, noted = case["input"], case["input"]["mark"]
    mark = Watermark(
        home=make_home(given, tmp_path),
        workspace=Path(given["workspace"]),
        conversation=noted["convId"],
        lines=noted["lines"],
        unreadable=noted.get("unreadable", False),
    )
    assert antigravity.recover(mark) == case["expected"]["review"]


@pytest.mark.parametrize("case", of_area("antigravity-argv"), ids=lambda c: c["id"])
def test_argument_case(case: dict[str, Any]) -> None:
    given = case["input"]
    help_text = str(given["help"].get("out", "")) + str(given["help"].get("err", ""))
    found = handlers.start_argv("antigravity", tuple(given["argv"]), repo=Path("/repo"), help_text=help_text)
    shown = ["<P-with-self-report>" if arg.startswith("<P>") and SELF_REPORT in arg else arg for arg in found]
    assert shown == case["expected"]["argv"]


@pytest.mark.parametrize("case", of_area("antigravity-blind-stamp"), ids=lambda c: c["id"])
def test_blind_case(case: dict[str, Any]) -> None:
    assert antigravity.is_blind(case["input"]["review"]) == case["expected"]["stamped"]


def test_every_area_was_run() -> None:
    areas = {case["area"] for case in CASES}
    assert areas == {f"antigravity-{name}" for name in ("watermark", "fallback", "argv", "blind-stamp")}
