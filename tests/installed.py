"""Runs the real `msd` as a person does: a process of its own, in a project of its own, with reviewers on PATH."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PYTHON = sys.executable
MSD = [PYTHON, "-m", "msd_review"]
EXAMPLE = Path(__file__).parents[1] / "examples" / "linkshelf"

# Nobody's identity and no configuration of this machine, also where a fixture runs before the tests' fences.
GIT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "tests",
    "GIT_AUTHOR_EMAIL": "tests@example.invalid",
    "GIT_COMMITTER_NAME": "tests",
    "GIT_COMMITTER_EMAIL": "tests@example.invalid",
    "GIT_ALLOW_PROTOCOL": "file",
    "GIT_TERMINAL_PROMPT": "0",
}

REVIEW = """# Review

## Summary
The plan can be carried out once its references are mended.

## Strengths
- The export is planned with tests.

## Concerns
- **HIGH**: `normalize_url()` does not exist in `linkshelf/links.py`; the function there is `canonical_url` (linkshelf/links.py:30).
- **LOW**: the help text of the import command is not planned (linkshelf/cli.py:1).

## Suggestions
- Name the function that is there.

## Risk
MEDIUM
"""


@dataclass(frozen=True)
class Ended:
    """How one command ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


@dataclass
class Desk:
    """One person's machine: a home, a folder of programs, a project."""

    base: Path
    project: Path
    extra_env: dict[str, str] = field(default_factory=dict)

    @property
    def bin(self) -> Path:
        return self.base / "bin"

    @property
    def msd_home(self) -> Path:
        return self.base / "msd-home"

    @property
    def state(self) -> Path:
        return self.base / "state"

    def env(self) -> dict[str, str]:
        return {
            **GIT,
            "PATH": os.pathsep.join((str(self.bin), "/usr/bin", "/bin")),
            "HOME": str(self.base / "home"),
            "MSD_HOME": str(self.msd_home),
            "MSD_STATE_DIR": str(self.state),
            "LANG": "C.UTF-8",
            **self.extra_env,
        }

    def run(
        self, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Ended:
        done = subprocess.run(
            [*MSD, *arguments],
            cwd=cwd or self.project,
            env={**self.env(), **(env or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Ended(done.returncode, done.stdout, done.stderr)

    def program(self, name: str, body: str) -> Path:
        """A reviewer: a real executable called `name`, written in Python."""
        path = self.bin / name
        path.write_text(f"#!{PYTHON}\nimport json, os, sys, time\n{body}", encoding="utf-8")
        path.chmod(0o755)
        return path

    def claude(self, text: str = REVIEW, *, before: str = "") -> Path:
        body = f"""
prompt = sys.stdin.read()
{before}
print(json.dumps({{"type": "result", "subtype": "success", "is_error": False, "result": {text!r},
    "usage": {{"input_tokens": 10, "output_tokens": 5}}, "total_cost_usd": 0.01}}))
"""
        return self.program("claude", body)

    def codex(self, text: str = REVIEW, *, before: str = "") -> Path:
        body = f"""
prompt = sys.stdin.read()
{before}
with open(sys.argv[sys.argv.index("-o") + 1], "w") as handle:
    handle.write({text!r})
print(json.dumps({{"type": "turn.completed", "usage": {{"input_tokens": 7, "output_tokens": 3}}}}))
"""
        return self.program("codex", body)

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.project,
            env={**os.environ, **GIT},
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout


def new_desk(base: Path, files: Mapping[str, str] | None = None) -> Desk:
    """A machine without any reviewer; the project holds `files`, else nothing."""
    for name in ("bin", "home", "project"):
        (base / name).mkdir()
    desk = Desk(base=base, project=base / "project")
    for name, content in (files or {}).items():
        path = desk.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return desk


def example_desk(base: Path, *, git: bool = True) -> Desk:
    """A machine whose project is the example, committed."""
    desk = new_desk(base, _example_files())
    if git:
        desk.git("init", "-q", "-b", "main")
        desk.git("add", "-A")
        desk.git("commit", "-q", "-m", "the example")
    return desk


def _example_files() -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(EXAMPLE.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and "REVIEWS" not in path.name:
            found[path.relative_to(EXAMPLE).as_posix()] = path.read_text(encoding="utf-8")
    return found


def reviews(desk: Desk, phase_folder: str = ".planning/phases/02-import-export") -> tuple[str, Any]:
    """The Markdown and the JSON that a review of the example wrote."""
    folder = desk.project / phase_folder
    markdown = next(folder.glob("*-REVIEWS.md")).read_text(encoding="utf-8")
    return markdown, json.loads(next(folder.glob("*-REVIEWS.json")).read_text(encoding="utf-8"))


__all__: Sequence[str] = ("Desk", "Ended", "example_desk", "new_desk", "reviews", "REVIEW")
