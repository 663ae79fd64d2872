"""What git knows about the reviewed tree: its files, and what was renamed. Bounded, without hooks or repository helpers.

A repository's own configuration can name programs (`core.fsmonitor`, `gpg.program`, an external diff); every one
that these commands could start is switched off on the command line.
"""

from collections.abc import Mapping
from pathlib import Path

from msd_review.edges import environ
from msd_review.edges.process import capture_blocking
from msd_review.edges.programs import find_binary

_LIST_SECONDS = 30.0
_LOG_SECONDS = 10.0
_LIMIT_BYTES = 64 * 1024 * 1024
_LOG_BYTES = 16 * 1024 * 1024
_HISTORY = 5_000  # commits
_QUIET = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false"),
    *("-c", "core.untrackedCache=false", "-c", "diff.external=", "-c", "core.pager=cat"),
)
_ENVIRONMENT = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}
_INHERITED = ("PATH", "HOME", "SYSTEMROOT", "TMPDIR", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")


def listed_files(root: Path) -> tuple[str, ...] | None:
    """Tracked files, and untracked ones that are not ignored, relative to `root`; None where git cannot say."""
    arguments = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    output = _git(root, arguments, _LIST_SECONDS, limit=_LIMIT_BYTES)
    if output is None:
        return None
    names = output.decode("utf-8", "surrogateescape").split("\0")
    return tuple(name for name in names if name)


def renames(root: Path) -> Mapping[str, str]:
    """Old path → the path it had after its latest rename, from recent history; {} where there is none."""
    arguments = (
        *("log", f"--max-count={_HISTORY}", "--diff-filter=R", "--name-status", "-z", "--format=", "-M60%"),
        *("--no-ext-diff", "--no-textconv", "--relative", "--"),
    )
    output = _git(root, arguments, _LOG_SECONDS, limit=_LOG_BYTES)
    return {} if output is None else _pairs(output.decode("utf-8", "surrogateescape").split("\0"))


def head_commit(root: Path) -> str | None:
    """The commit that is checked out, None without git or before the first commit."""
    found = _git(root, ("rev-parse", "--verify", "--quiet", "HEAD"), 10.0, limit=4096)
    return found.decode("ascii", "replace").strip() or None if found is not None else None


def _pairs(fields: list[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    at = 0
    while at + 2 < len(fields):
        if fields[at].lstrip("\n").startswith("R"):
            found.setdefault(fields[at + 1], fields[at + 2])  # newest first: the latest rename wins
            at += 3
        else:
            at += 1
    return found


def _git(root: Path, arguments: tuple[str, ...], seconds: float, *, limit: int) -> bytes | None:
    binary = find_binary("git", path=environ.get("PATH"), repo_root=root)
    if binary is None or not _has_repository(root):
        return None
    inherited = {name: value for name in _INHERITED if (value := environ.get(name))}
    done = capture_blocking(
        (str(binary), *_QUIET, *arguments),
        env={**inherited, **_ENVIRONMENT},
        cwd=root,
        timeout_s=seconds,
        limit_bytes=limit,
    )
    return done.stdout if done.exit_status == 0 and len(done.stdout) < limit else None


def _has_repository(root: Path) -> bool:
    return any((folder / ".git").exists() for folder in (root, *root.parents))
