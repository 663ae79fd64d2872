"""Small real git repositories that hold a capability."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

MANIFEST: dict[str, Any] = {
    "id": "acme",
    "role": "reviewer",
    "version": "1.0.0",
    "title": "Acme",
    "description": "Reviews with the Acme tool.",
    "tier": "full",
    "requires": [],
    "engines": {"msd": ">=1.0.0"},
    "reviewer": {
        "slug": "acme",
        "flags": ["--acme"],
        "transport": "spawn",
        "probe": {"kind": "command-exists", "binary": "acme"},
        "invoke": {
            "binary": "acme",
            "args": ["review"],
            "promptChannel": "stdin",
            "outputChannel": "stdout",
            "effortChannel": "none",
        },
        "timeoutFloorMs": 60000,
        "emptyOutput": "stub-with-stderr",
        "reviewsSection": "Acme",
        "evidenceClass": "source-grounded",
    },
}


def manifest_bytes(**changed: Any) -> bytes:
    return json.dumps({**MANIFEST, **changed}).encode()


def git(folder: Path, *arguments: str, stdin: bytes | None = None) -> str:
    environment = {**os.environ, "GIT_ALLOW_PROTOCOL": "file"}
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], input=stdin, env=environment, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def make_repository(folder: Path, files: dict[str, bytes] | None = None) -> Path:
    """A repository with one commit on `main` that holds `files` (a capability, by default)."""
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, files or {"capability.json": manifest_bytes()})
    return folder


def commit(folder: Path, files: dict[str, bytes], message: str = "change") -> str:
    """Writes and commits `files`; returns the commit."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")
