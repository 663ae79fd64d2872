"""Every message of validation, in full: each file of `invalid/` has what is said of it beside it."""

import re
from pathlib import Path

import pytest

from msd_review.manifest.decode import decode_bytes
from msd_review.manifest.messages import TEMPLATES, Template, say
from msd_review.manifest.problems import CODES, WARNING_CODES, Problem

INVALID = Path(__file__).parent.parent / "data" / "manifests" / "invalid"
FILES = sorted(INVALID.glob("*.json"))
# Said of files and of sets of manifests; asserted in full by the tests of the registry.
SAID_ELSEWHERE = {
    "file", "too large", "fragment file", "engines incompatible", "requires unknown", "requires cycle",
    "requires tier", "config owned", "merge id", "merge slug", "merge flag", "merge section", "merge skill",
    "merge agent", "merge artifact",
}  # fmt: skip


def told(problems: tuple[Problem, ...]) -> str:
    return "".join(
        f"{'warning' if one.is_warning else 'error'} {one.code} {one.path or '(whole)'}\n"
        f"  {one.message}\n  hint: {one.hint}\n"
        for one in problems
    )


def problems_of(path: Path) -> tuple[Problem, ...]:
    return decode_bytes(path.read_bytes(), folder="acme").problems


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_said_of_a_faulty_manifest_is_said_in_full(path: Path) -> None:
    assert told(problems_of(path)) == path.with_suffix(".expected.txt").read_text(encoding="utf-8")


def _pattern(template: Template) -> re.Pattern[str]:
    text = template.message.replace("{{", "\0").replace("}}", "\1")
    parts = re.split(r"\{\w+\}", text)
    return re.compile(
        ".*".join(re.escape(part.replace("\0", "{").replace("\1", "}")) for part in parts), re.S
    )


def test_every_template_is_said_of_some_file() -> None:
    said = [problem for path in FILES for problem in problems_of(path)]
    silent = {
        name
        for name, template in TEMPLATES.items()
        if not any(
            template.code in {"", problem.code} and _pattern(template).fullmatch(problem.message)
            for problem in said
        )
    }
    assert silent - SAID_ELSEWHERE == set()


def test_every_code_is_one_of_the_closed_list() -> None:
    said = {problem.code for path in FILES for problem in problems_of(path)}
    assert said <= CODES
    assert {template.code for template in TEMPLATES.values()} - {""} <= CODES
    elsewhere = {TEMPLATES[name].code for name in SAID_ELSEWHERE}
    assert CODES - said - elsewhere == set()


def test_a_problem_is_a_warning_by_its_code_alone() -> None:
    for path in FILES:
        for problem in problems_of(path):
            assert problem.is_warning == (problem.code in WARNING_CODES)


def test_no_message_holds_what_cannot_be_seen() -> None:
    for path in FILES:
        for problem in problems_of(path):
            assert (problem.message + (problem.hint or "")).isprintable()


def test_no_template_is_idle() -> None:
    source = Path(say.__code__.co_filename).parent
    text = "".join(
        path.read_text(encoding="utf-8") for path in source.glob("*.py") if path.name != "messages.py"
    )
    registry = source.parent / "registry"
    text += "".join(path.read_text(encoding="utf-8") for path in registry.glob("*.py"))
    assert [name for name in TEMPLATES if f'"{name}"' not in text] == []
