"""What every `--json` command really prints is valid against the schema that is published for it."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.installed import Desk, example_desk

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


def check(document: Any) -> None:
    name = document["schema"].replace("/", "-")
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    desk = example_desk(tmp_path_factory.mktemp("desk"))
    desk.claude()
    desk.codex()
    return desk


@pytest.mark.parametrize(
    "arguments",
    [
        "lane list --json",
        "lane detect --json",
        "lane plan --json",
        "lane select --all --json",
        "config list --json",
        "config get review.fail_on --json",
        "capability list --json",
        "capability outdated --json",
        "capability disclose claude --json",
        "capability disclose ollama --json",
        "prompt --phase 2 --json",
        "prompt --phase 2 --budget 4000 --json",
        "doctor --json",
        "review --phase 2 --all --dry-run --json",
        "loop hooks execute:post --json",
    ],
)
def test_a_document_is_as_published(desk: Desk, arguments: str) -> None:
    ended = desk.run(*arguments.split())
    assert ended.code in {0, 3, 4}, ended.err
    check(ended.document)


def test_the_documents_of_a_run_are_as_published(desk: Desk) -> None:
    check(desk.run("review", "--phase", "2", "--claude", "--grounding", "--json").document)
    runs = desk.run("runs", "list", "--json").document
    check(runs)
    check(desk.run("runs", "show", runs["runs"][0]["run"], "--json").document)
    check(desk.run("lane", "run", "claude", "--json", stdin="Review this.").document)
    check(desk.run("lane", "run", "qwen", "--json", stdin="Review this.").document)


def test_the_documents_of_consent_and_cycles_are_as_published(desk: Desk) -> None:
    desk.run("capability", "trust", "allow-host", "ollama", "http://127.0.0.1:9")
    check(desk.run("capability", "trust", "list", "--json").document)
    reviewed = desk.run("review", "--phase", "2", "--claude", "--json").document
    desk.run("finding", "dismiss", reviewed["clusters"][0]["id"], "--because", "known")
    kept = next(desk.project.rglob("*DISMISSALS.json"))
    check(json.loads(kept.read_text(encoding="utf-8")))
    idle = desk.program("idle", "pass")
    check(
        desk.run(
            "converge", "--phase", "2", "--claude", "--replan", str(idle), "--max-cycles", "1", "--json"
        ).document
    )


def test_a_validation_is_as_published(desk: Desk, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"id": "X", "reviewer": null}', encoding="utf-8")
    ended = desk.run("capability", "validate", str(broken), "--json")
    assert ended.code == 2
    check(ended.document)
