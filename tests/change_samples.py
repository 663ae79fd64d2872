"""Small real repositories with a change in them, and reviewers of it on PATH."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from msd_review.app.code_review import CodeReviewEnded, code_review
from msd_review.app.code_review_request import CodeReviewRequest
from msd_review.app.request import ReviewRequest
from msd_review.app.world import load_world
from msd_review.change.model import Change
from msd_review.change.repository import open_checkout
from msd_review.change.scope import read_change
from tests.git_samples import commit, git

FOUND = """## Summary
It breaks.

## Concerns
- **HIGH**: the total loses its last item (app.py:2).

## Risk
HIGH
"""


def project(folder: Path, files: dict[str, bytes] | None = None) -> Path:
    """A repository with one commit on `main`."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, files or {"app.py": b"def total(items):\n    return sum(items)\n", "lib.py": b"X = 1\n"})
    return folder


def feature(folder: Path, files: dict[str, bytes] | None = None) -> Path:
    """The same, with a second commit on a branch `feature` that changes line 2 of app.py."""
    project(folder)
    git(folder, "switch", "--quiet", "--create", "feature")
    commit(folder, files or {"app.py": b"def total(items):\n    return sum(items[:-1])\n"}, "Speed it up")
    return folder


def change_of(root: Path, **asked: Any) -> Change:
    return read_change(open_checkout(root), **asked)


class Reviewers:
    """Fake reviewers: shell programs that keep their prompt and answer with a text."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        (folder / "bin").mkdir(parents=True)
        monkeypatch.setenv("PATH", os.pathsep.join((str(folder / "bin"), os.environ["PATH"])))

    def claude(self, text: str = FOUND, *, before: str = "") -> None:
        answer = {"type": "result", "subtype": "success", "is_error": False, "result": text}
        self._write("claude", json.dumps(answer), f'{before}\ncat "{self.folder}/claude.out"')

    def codex(self, text: str = FOUND) -> None:
        body = f'while [ "$1" != -o ]; do shift; done\ncat "{self.folder}/codex.out" > "$2"\n'
        self._write("codex", text, body + 'echo \'{"type":"turn.completed"}\'')

    def coderabbit(self, text: str = FOUND) -> None:
        self._write("coderabbit", text, f'cat "{self.folder}/coderabbit.out"')

    def _write(self, name: str, answer: str, body: str) -> None:
        (self.folder / f"{name}.out").write_text(answer, encoding="utf-8")
        program = self.folder / "bin" / name
        program.write_text(f'#!/bin/sh\ncat > "{self.folder}/{name}.prompt"\n{body}\n', encoding="utf-8")
        program.chmod(0o755)

    def prompt(self, name: str = "claude") -> str:
        return (self.folder / f"{name}.prompt").read_text(encoding="utf-8")

    def was_asked(self, name: str = "claude") -> bool:
        return (self.folder / f"{name}.prompt").exists()


def reviewed(root: Path, *, named: tuple[str, ...] = ("claude",), **asked: Any) -> CodeReviewEnded:
    """Runs a code review in this process."""
    options = {"named": named, **asked.pop("options", {})}
    request = CodeReviewRequest(review=ReviewRequest(**options), **asked)
    return code_review(load_world(root), request, progress=lambda event: None, ask=lambda names: None)
