"""What `msd install` leaves in a real tool's folders is what that tool reads: its server list, and the typed command."""

import sys
from collections.abc import Iterable
from pathlib import Path

from tests.real_clis.desk import Desk, new_desk
from tests.real_clis.model_server import ModelServer

# tool → how a command is given to it without a terminal; "{call}" is what a person would type
_TYPED = {
    "claude": ("claude", "-p", "{call} 2"),
    "codex": ("codex", "exec", "--skip-git-repo-check", "{call} 2"),
    "opencode": ("opencode", "run", "--command", "{name}", "2"),
    "qwen": ("qwen", "-p", "{call} 2"),
}
_CALLS = {
    "global": {
        "claude": "/msd-review",
        "codex": "$msd-review",
        "opencode": "msd-review",
        "qwen": "/msd-review",
    },
    "project": {
        "claude": "/msd:review",
        "codex": "$msd-review",
        "opencode": "msd-review",
        "qwen": "/msd-review",
    },
}
_ONLY_IN_THE_COMMAND = b"current_actionable"


def host_checks(slugs: Iterable[str], *, base: Path, server: ModelServer) -> dict[str, dict[str, str]]:
    """tool → check → "" when it holds, else what was seen instead."""
    server.mode = "ok"
    found: dict[str, dict[str, str]] = {}
    for scope in _CALLS:
        desk = new_desk(base / scope, server.url("").rstrip("/"), trusted=True)
        for slug in (one for one in slugs if one in _TYPED):
            row = found.setdefault(slug, {})
            row[f"{scope} install"] = _msd(desk, "install", slug, scope)
            row[f"{scope} server"] = _not_listed(desk, slug)
            row[f"{scope} command"] = _not_sent(desk, slug, _CALLS[scope][slug], server)
            row[f"{scope} uninstall"] = _msd(desk, "uninstall", slug, scope)
            row[f"{scope} gone"] = "" if _not_listed(desk, slug) else "the server is still listed"
    return found


def _msd(desk: Desk, verb: str, slug: str, scope: str) -> str:
    ended = desk.run(sys.executable, "-m", "msd_review", verb, slug, "--scope", scope)
    return "" if ended.code == 0 else f"exit {ended.code}: {ended.err[-200:]}"


def _not_listed(desk: Desk, slug: str) -> str:
    ended = desk.run(slug, "mcp", "list")
    said = ended.out + ended.err
    return (
        "" if "msd" in said and "msd mcp" in " ".join(said.split()) else said[-200:] or f"exit {ended.code}"
    )


def _not_sent(desk: Desk, slug: str, call: str, server: ModelServer) -> str:
    server.asked.clear()
    words = [word.replace("{call}", call).replace("{name}", call) for word in _TYPED[slug]]
    ended = desk.run(*words)
    bodies = [one.body for one in server.of(slug)]
    if any(_ONLY_IN_THE_COMMAND in body for body in bodies):
        return ""
    return f"exit {ended.code}, {len(bodies)} requests without it: {(ended.out + ended.err)[-200:]}"
