"""A lane is a folder: no lane is named in Python code, but in its handler and in the built-in reviewer."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from msd_review.registry.first_party import first_party

SOURCE = Path(__file__).parent.parent.parent / "src" / "msd_review"
# `grounding` is a package of ours and a lane.
EXEMPT_FOLDERS = ("handlers", "grounding")
EXEMPT_NAMES = {"grounding"}
# An English word too: only a string that is nothing else counts.
ENGLISH = {"cursor"}
# MCP's own word for where a page goes on, in the package that speaks it.
PROTOCOL_WORDS = {"mcp_server": {"cursor"}}
# Closed lists of the manifest contract: handlers, permission writers and surfaces bear their hosts' names.
EXEMPT_FILES = {"manifest/vocabulary.py"}


@cache
def _names() -> set[str]:
    lanes = [capability.manifest.reviewer for capability in first_party()]
    slugs = {lane.slug for lane in lanes if lane is not None}
    flags = {flag.removeprefix("--") for lane in lanes if lane is not None for flag in lane.flags}
    return (slugs | flags) - EXEMPT_NAMES


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.lineno, node.name


@cache
def _docstrings(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, kinds)]
    firsts = [body[0].value for body in bodies if body and isinstance(body[0], ast.Expr)]
    return {one.value for one in firsts if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def _checked_files() -> list[Path]:
    return [
        path
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in EXEMPT_FOLDERS
        and str(path.relative_to(SOURCE)) not in EXEMPT_FILES
    ]


def _names_a_lane(text: str) -> bool:
    names = "|".join(map(re.escape, sorted(_names() - ENGLISH)))
    inside = re.search(rf"(?<![A-Za-z0-9_-])({names})(?![A-Za-z0-9_-])", text)
    return inside is not None or text.strip().removeprefix("--") in ENGLISH


def test_no_lane_is_named_in_code() -> None:
    named = [
        f"{path.relative_to(SOURCE)}:{line}: {text[:60]}"
        for path in _checked_files()
        for line, text in _strings(path)
        if _names_a_lane(text)
        and text not in _docstrings(path)
        and text not in PROTOCOL_WORDS.get(path.relative_to(SOURCE).parts[0], ())
    ]
    assert named == []


def test_the_word_list_is_not_empty() -> None:
    assert {"codex", "agy", "lm_studio", "lm-studio", "kimi-code"} <= _names()
