"""What the two cheapest command lines may not load: guarded by the imports themselves, not by a clock."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "click", "pydantic", "httpx2", "httpcore2", "rich", "jinja2", "markdown_it", "yaml", "anyio", "asyncio",
    "tree_sitter", "detect_secrets", "rapidfuzz", "nodesemver", "jsonschema", "psutil", "platformdirs", "filelock",
}  # fmt: skip

NEVER_FOR_HELP = {
    "pydantic", "httpx2", "httpcore2", "rich", "jinja2", "tree_sitter", "detect_secrets", "nodesemver", "jsonschema",
    "platformdirs",
}  # fmt: skip


def imported_by(tmp_path: Path, *arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "msd_review", *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        timeout=60,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().split(".")[0] for line in lines}


@pytest.mark.parametrize("arguments", [("--version",), ("lane", "list"), ("lane", "list", "--json")])
def test_a_cheap_command_line_loads_no_heavy_library(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert imported_by(tmp_path, *arguments) & HEAVY == set()


def test_help_loads_no_library_that_only_a_run_over_http_or_a_page_needs(tmp_path: Path) -> None:
    assert imported_by(tmp_path, "review", "--help") & NEVER_FOR_HELP == set()


def test_both_doors_say_the_same(tmp_path: Path) -> None:
    def said(*arguments: str) -> str:
        command = [sys.executable, "-m", "msd_review", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=tmp_path, timeout=60
        ).stdout

    assert said("--version") == said("-C", ".", "--version")
    assert said("lane", "list", "--json") == said("-C", ".", "lane", "list", "--json")
