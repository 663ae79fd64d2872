"""What of a tree a throw-away copy leaves out: what configures or instructs agents, secrets, our own scratch. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import translate

# Beside what the lanes declare (`agentConfig`): instructions and configuration that agents read by themselves,
# at any depth of the tree.
AGENT_CONFIG = (
    ".mcp.json", "mcp.json", ".agents", ".agent", "AGENTS.md", "AGENT.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md",
    "GEMINI.md", "QWEN.md", "WARP.md", ".rules", ".windsurf", ".windsurfrules", ".clinerules", ".cline", ".roo", ".roorules*",
    ".roomodes", ".kilocode*", ".kilo", ".continue", ".continuerules", ".aider*", ".augment", ".augment-guidelines", ".junie",
    ".amazonq", ".kiro", ".trae", ".goose*", ".crush*", ".factory", ".zencoder", ".openhands", ".github/copilot-instructions.md",
    ".github/instructions", ".github/chatmodes", ".github/agents", ".github/hooks", ".vscode/mcp.json", ".vscode/tasks.json",
)  # fmt: skip
# Never in a copy, whatever is asked for.
ENVIRONMENTS = (".env*",)
OURS = (".msd/tmp",)  # prompts of runs that are going on
# In a tree without git nothing says what is worth copying; these never are.
REBUILT = (
    "node_modules", ".venv", "venv", "__pycache__", ".tox", ".nox", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".gradle",
    ".git", ".hg", ".svn", ".jj",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Names that are left out, with all that is below them; compared without case."""

    names: re.Pattern[str]
    paths: re.Pattern[str]

    def has(self, path: str) -> bool:
        """Whether a relative path with forward slashes, or a folder above it, is left out."""
        folded = path.casefold()
        return any(map(self.names.fullmatch, folded.split("/"))) or self.paths.match(folded) is not None


def left_out(agent_config: Iterable[str], *, keep_agent_config: bool, more: Iterable[str] = ()) -> LeftOut:
    """What a copy leaves out. `agent_config` is what all lanes declare; `more` are further names.

    A pattern without a slash is a name at any depth (`*` matches within it); with one (`./name` too), a path from the root.
    """
    configured = () if keep_agent_config else (*AGENT_CONFIG, *agent_config)
    return matching((*configured, *ENVIRONMENTS, *OURS, *more))


def matching(patterns: Iterable[str]) -> LeftOut:
    """Exactly the given patterns, in the same grammar."""
    folded = {one.rstrip("/").casefold() for one in patterns} - {""}
    names = [one for one in folded if "/" not in one]
    paths = [one.removeprefix("./").removeprefix("/") for one in folded if "/" in one]
    return LeftOut(names=_any(names, ""), paths=_any(paths, "(?:/|\\Z)"))


def _any(patterns: Iterable[str], ending: str) -> re.Pattern[str]:
    parts = [translate(one).removesuffix(r"\Z").removesuffix(r"\z") + ending for one in sorted(patterns)]
    return re.compile("|".join(f"(?:{part})" for part in parts) or r"(?!)")
