"""Folders of hosts as they are on people's machines, a whole tree as a value to compare, and a quick way to run msd."""

import contextlib
import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from msd_review.cli import main
from msd_review.cli.boundary import guarded
from tests.installed import Desk, Ended, new_desk

HOSTS = ("claude", "codex", "cursor", "opencode", "qwen", "antigravity", "kimi-code")

CLAUDE = (
    '{\n  "numStartups": 41,\n  "mcpServers": {\n    "notes": {\n      "command": "notes-mcp",\n      "env": {\n'
    '        "TOKEN": "keep-me-secret"\n      }\n    }\n  },\n  "projects": {}\n}'
)
CODEX = (
    '# my settings\r\nmodel = "large"   # the good one\r\n\r\n[mcp_servers.notes]\r\ncommand = "notes-mcp"\r\n'
    'args = [\r\n  "--stdio",  # always\r\n]\r\n\r\n[profiles.fast]\r\nmodel = "small"'
)
CURSOR = '\ufeff{\r\n\t"mcpServers": {}\r\n}\r\n'
OPENCODE = (
    '// shared by all machines\n{\n    "$schema": "https://opencode.ai/config.json", // keep first\n'
    '    "model": "own/big",\n    /* servers\n       of mine */\n    "mcp": {\n        "notes": { "type": "local", "command": ["notes"], },\n    },\n}\n'
)
QWEN = '{"security":{"auth":{"selectedType":"openai"}},"model":{"name":"x"}}'
ANTIGRAVITY = ""
KIMI = '{ "mcpServers": { "notes": { "command": "notes-mcp" } } }\n'

# path below the home → (content, mode)
GLOBAL: dict[str, tuple[str, int]] = {
    ".claude.json": (CLAUDE, 0o600),
    ".claude/skills/mine/SKILL.md": ("---\nname: mine\ndescription: x\n---\nmine\n", 0o640),
    ".claude/settings.json": ("{}\n", 0o644),
    ".codex/config.toml": (CODEX, 0o600),
    ".cursor/mcp.json": (CURSOR, 0o664),
    ".config/opencode/opencode.jsonc": (OPENCODE, 0o644),
    ".config/opencode/command/mine.md": ("mine\n", 0o644),
    ".qwen/settings.json": (QWEN, 0o600),
    ".gemini/antigravity/mcp_config.json": (ANTIGRAVITY, 0o644),
    ".gemini/settings.json": ("{}", 0o644),
    ".kimi-code/config.toml": ("default_model = 'x'\n", 0o600),
    ".kimi-code/mcp.json": (KIMI, 0o600),
}
PROJECT: dict[str, tuple[str, int]] = {
    ".mcp.json": (CLAUDE, 0o644),
    ".claude/commands/mine.md": ("mine\n", 0o644),
    ".codex/config.toml": (CODEX, 0o644),
    ".cursor/mcp.json": (CURSOR, 0o644),
    "opencode.json": (OPENCODE, 0o644),
    ".qwen/settings.json": (QWEN, 0o644),
    ".agents/skills/mine/SKILL.md": ("mine\n", 0o644),
    ".kimi-code/mcp.json": (KIMI, 0o644),
    "README.md": ("# it\n", 0o644),
}


def put(folder: Path, files: dict[str, tuple[str, int]]) -> None:
    """Writes files with exactly these bytes and permissions."""
    for name, (text, mode) in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod(mode)


def tree(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """relative path → kind, permission bits, and bytes or target of everything below `folder`."""
    found: dict[str, tuple[str, int, bytes]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        mode = stat.S_IMODE(status.st_mode)
        name = path.relative_to(folder).as_posix()
        if stat.S_ISLNK(status.st_mode):
            found[name] = ("link", mode, os.fsencode(path.readlink()))
        elif stat.S_ISDIR(status.st_mode):
            found[name] = ("folder", mode, b"")
        else:
            found[name] = ("file", mode, path.read_bytes())
    return found


@dataclass
class HereDesk(Desk):
    """A machine whose `msd` runs in this process: the same command line, without the start of an interpreter."""

    def run(
        self, *arguments: str, stdin: str = "", env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> Ended:
        runner = CliRunner()
        unset = dict.fromkeys(("XDG_CONFIG_HOME", "MSD_FAULT"))
        variables: Mapping[str, str | None] = {**unset, **self.env(), **(env or {})}
        with (
            contextlib.chdir(cwd or self.project),
            runner.isolation(input=stdin, env=variables) as (out, err, _),
        ):
            code = guarded(lambda: main._run(list(arguments)))
            sys.stderr.flush()
            return Ended(code, out.getvalue().decode(), err.getvalue().decode())


def here_desk(base: Path) -> HereDesk:
    """A machine without any reviewer and with an empty project."""
    desk = new_desk(base)
    return HereDesk(base=desk.base, project=desk.project)
