"""The real tools: fetched from the npm registry into a cache folder, their install scripts never run.

Two of them ship their program in a package of the platform, which their own install script would link; here it is
linked by hand. Tools that want a newer Node than the machine has get one from the same registry.
"""

import json
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".tools" / "real-clis"
_NODE_MAJOR = 22
_INSTALL_SECONDS = 900
_NPM = (
    "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock",
    "--omit-lockfile-registry-resolved=true",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its lane and command, its package, and where its program is below `node_modules`."""

    slug: str
    package: str
    program: str


@dataclass(frozen=True, slots=True)
class Installed:
    """What is there: tool → version, tool → why it is missing, and the folder for PATH."""

    versions: dict[str, str]
    missing: dict[str, str]
    folder: Path
    node: str


def _machine() -> str:
    return "arm64" if platform.machine() in {"aarch64", "arm64"} else "x64"


TOOLS = (
    Tool("codex", "@openai/codex", "@openai/codex/bin/codex.js"),
    Tool("claude", "@anthropic-ai/claude-code", f"@anthropic-ai/claude-code-linux-{_machine()}/claude"),
    Tool("gemini", "@google/gemini-cli", "@google/gemini-cli/bundle/gemini.js"),
    Tool("qwen", "@qwen-code/qwen-code", "@qwen-code/qwen-code/cli.js"),
    Tool("opencode", "opencode-ai", f"opencode-linux-{_machine()}/bin/opencode"),
)


def install(*, refresh: bool) -> Installed:
    """The tools in the cache, fetched where they are not there yet, or all again with `refresh`."""
    if refresh:
        shutil.rmtree(CACHE, ignore_errors=True)
    folder = CACHE / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    node = _node(folder)
    if node is None:
        reason = f"no Node {_NODE_MAJOR} or newer, and none could be fetched"
        return Installed({}, dict.fromkeys((tool.slug for tool in TOOLS), reason), folder, "")
    versions: dict[str, str] = {}
    missing: dict[str, str] = {}
    for tool in TOOLS:
        problem = _fetch(tool, folder)
        if problem is None:
            versions[tool.slug] = _version(tool)
        else:
            missing[tool.slug] = problem
    return Installed(versions, missing, folder, node)


def _node(folder: Path) -> str | None:
    """The version of the Node that the tools run on; a link to it is put into `folder`."""
    link = folder / "node"
    for candidate in (link, Path(shutil.which("node") or "/nonexistent")):
        found = _major(candidate)
        if found is not None and found >= _NODE_MAJOR:
            _link(link, candidate.resolve())
            return f"{found}"
    home = CACHE / "node"
    if _npm_install(home, f"node-linux-{_machine()}@{_NODE_MAJOR}") is not None:
        return None
    _link(link, home / "node_modules" / f"node-linux-{_machine()}" / "bin" / "node")
    return str(_major(link))


def _major(node: Path) -> int | None:
    if not node.exists():
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30).stdout
    return int(said.strip().lstrip("v").split(".")[0])


def _fetch(tool: Tool, folder: Path) -> str | None:
    """Nothing, or why the tool cannot be had."""
    home = CACHE / tool.slug
    program = home / "node_modules" / tool.program
    if not program.exists():
        problem = _npm_install(home, f"{tool.package}@latest")
        if problem is not None:
            return problem
    if not program.exists():
        return f"{tool.package} has no {tool.program} today"
    program.chmod(program.stat().st_mode | 0o111)
    _link(folder / tool.slug, program)
    return None


def _npm_install(home: Path, spec: str) -> str | None:
    home.mkdir(parents=True, exist_ok=True)
    (home / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    if shutil.which("npm") is None:
        return "npm is not here"
    path = f"{CACHE / 'bin'}{os.pathsep}{os.environ['PATH']}"
    try:
        done = subprocess.run(
            [*_NPM, spec],
            cwd=home,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return f"npm did not fetch {spec} in {_INSTALL_SECONDS} s"
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "code" in line or "errno" in line]
        return f"npm could not fetch {spec}: {' '.join(lines)[:200]}"
    return None


def _version(tool: Tool) -> str:
    manifest = CACHE / tool.slug / "node_modules" / tool.package / "package.json"
    return str(json.loads(manifest.read_text(encoding="utf-8"))["version"])


def _link(link: Path, target: Path) -> None:
    if link.resolve() == target.resolve():
        return
    link.unlink(missing_ok=True)
    link.symlink_to(target)
