"""One person's machine for a run: an empty home, a copy of the example project, dummy keys, nothing else.

Each tool is pointed at the stand-in by the means a user has: its own configuration in the home folder, or the
environment. Nothing of the machine's own environment gets in.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.real_clis.tools import CACHE, ROOT

EXAMPLE = ROOT / "examples" / "linkshelf"
_SYSTEM = ("/usr/bin", "/bin")
_RUN_SECONDS = 300
DUMMY_KEY = "dummy-key-of-the-test"
_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and how long it took in seconds."""

    code: int
    out: str
    err: str
    seconds: float

    def document(self) -> dict[str, Any]:
        """The review document; {} where none was printed."""
        try:
            value = json.loads(self.out)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def reviewers(self) -> dict[str, dict[str, Any]]:
        """identity → its row of the review document, those that failed included."""
        document = self.document()
        return {
            row["identity"]: row for row in (*document.get("reviewers", ()), *document.get("skipped", ()))
        }


@dataclass(frozen=True, slots=True)
class Desk:
    """`base` holds the home, the project, and everything else that a run leaves behind."""

    base: Path
    point: bool
    trusted: bool
    server: str

    @property
    def project(self) -> Path:
        return self.base / "project"

    @property
    def home(self) -> Path:
        return self.base / "home"

    def env(self) -> dict[str, str]:
        """The whole environment of a run. Without `point`, no variable says where a service is."""
        where = {
            "ANTHROPIC_BASE_URL": f"{self.server}/claude",
            "GOOGLE_GEMINI_BASE_URL": f"{self.server}/gemini",
            "OPENAI_BASE_URL": f"{self.server}/qwen/v1",
            "OPENAI_MODEL": "stand-in",
        }
        return {
            "PATH": os.pathsep.join((str(CACHE / "bin"), *_SYSTEM)),
            "HOME": str(self.home),
            "MSD_HOME": str(self.base / "msd-home"),
            "MSD_STATE_DIR": str(self.base / "state"),
            "TMPDIR": str(self.base / "tmp"),
            "LANG": "C.UTF-8",
            **dict.fromkeys(_KEYS, DUMMY_KEY),
            **(where if self.point else {}),
        }

    def review(self, *arguments: str) -> Ended:
        """`msd review --yes --json` with `arguments`."""
        return self.run(sys.executable, "-m", "msd_review", "review", "--yes", "--json", *arguments)

    def run(self, *command: str, stdin: str = "", env: Mapping[str, str] | None = None) -> Ended:
        """Any command in the project, bounded."""
        begun = time.monotonic()
        done = subprocess.run(
            command,
            cwd=self.project,
            env={**self.env(), **(env or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=_RUN_SECONDS,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr, time.monotonic() - begun)

    def tree(self) -> dict[str, str]:
        """relative path → content hash of all that is in the project, git's own folder aside."""
        return {
            path.relative_to(self.project).as_posix(): sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.project.rglob("*"))
            if path.is_file() and ".git" not in path.relative_to(self.project).parts
        }

    def left_running(self) -> list[str]:
        """The commands of processes that still belong to this machine."""
        return [name for name, env in _processes() if str(self.base).encode() in env]

    def write(self, name: str, text: str) -> Path:
        """A file of the project."""
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def git(self, *arguments: str) -> None:
        """git in the project, with a fixed identity."""
        identity = ("-c", "user.name=Example", "-c", "user.email=example@example.invalid")
        subprocess.run(["git", *identity, *arguments], cwd=self.project, check=True, capture_output=True)


def _processes() -> Iterator[tuple[str, bytes]]:
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            name = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            yield name.strip(), (folder / "environ").read_bytes()
        except OSError:
            continue


def new_desk(
    base: Path,
    server: str,
    *,
    point: bool = True,
    trusted: bool = False,
    files: Mapping[str, str] | None = None,
) -> Desk:
    """A machine with the example project, committed, and `files` in it; `trusted`: the user told the tools to trust it."""
    desk = Desk(base=base, point=point, trusted=trusted, server=server)
    for folder in (desk.home, base / "tmp"):
        folder.mkdir(parents=True)
    shutil.copytree(EXAMPLE, desk.project, ignore=shutil.ignore_patterns("__pycache__", "*-REVIEWS.*"))
    for name, text in (files or {}).items():
        desk.write(name, text)
    desk.git("init", "-q", "-b", "main")
    desk.git("add", "-A", "-f")
    desk.git("commit", "-q", "-m", "the example")
    _configure(desk)
    return desk


def _configure(desk: Desk) -> None:
    """Each tool's own configuration in the home."""
    base_url = (
        f'base_url = "{desk.server}/codex/v1"\n' if desk.point else 'base_url = "https://models.invalid/v1"\n'
    )
    codex = (
        'model = "stand-in"\nmodel_provider = "own"\n[model_providers.own]\nname = "own"\n'
        f'{base_url}env_key = "OPENAI_API_KEY"\nwire_api = "responses"\n'
    )
    if desk.trusted:
        codex += f'[projects."{desk.project}"]\ntrust_level = "trusted"\n'
    _write(desk.home / ".codex" / "config.toml", codex)
    _write_json(desk.home / ".claude.json", _claude(desk.project, trusted=desk.trusted))
    _write_json(desk.home / ".claude" / "settings.json", {"enableAllProjectMcpServers": True})
    _write_json(
        desk.home / ".gemini" / "settings.json", {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    )
    _write_json(desk.home / ".qwen" / "settings.json", _qwen())
    options = {"apiKey": DUMMY_KEY} | ({"baseURL": f"{desk.server}/opencode/v1"} if desk.point else {})
    options.setdefault("baseURL", "https://models.invalid/v1")
    provider = {"npm": "@ai-sdk/openai-compatible", "name": "own", "options": options}
    _write_json(
        desk.home / ".config" / "opencode" / "opencode.json",
        {
            "model": "own/stand-in",
            "provider": {"own": provider | {"models": {"stand-in": {"name": "stand-in"}}}},
        },
    )


def _claude(project: Path, *, trusted: bool) -> dict[str, Any]:
    accepted = {"hasTrustDialogAccepted": trusted, "hasClaudeMdExternalIncludesApproved": trusted}
    return {"hasCompletedOnboarding": True, "projects": {str(project): accepted}}


def _qwen() -> dict[str, Any]:
    return {"security": {"auth": {"selectedType": "openai"}}, "model": {"name": "stand-in"}}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _write_json(path: Path, value: object) -> None:
    _write(path, json.dumps(value, indent=1))
