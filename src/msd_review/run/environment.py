"""The complete environment of a reviewer's process. Pure: the user's own is handed in, a new one comes out.

Invariants
- No variable by which a tool knows that it runs inside another session gets through, whichever lane it is of.
- Nothing that points git, or a tool that trusts PWD, back at the real tree gets through: the child may work in
  a copy.
- A tool that reads a `.env` of the tree (its lane pins names) finds no proxy there either.
- With `minimal` a lane sees what every program needs and what its own manifest names: no other lane's key.
"""

from collections.abc import Iterable, Mapping

from msd_review.invocation import SpawnInvocation
from msd_review.manifest.model import Lane

# Beside what the manifests declare: marks that tools leave in the environment of what they start.
_SESSION_MARKS = frozenset({
    "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SSE_PORT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_AGENT_SDK_VERSION",
    "CURSOR_SESSION_ID", "CURSOR_TRACE_ID", "CURSOR_AGENT", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID", "GEMINI_CLI", "QWEN_CODE", "OPENCODE", "OPENCODE_CLIENT", "ANTIGRAVITY_AGENT", "AI_AGENT",
})  # fmt: skip
# What would take a child back to the real tree or to a repository of somebody else's choice.
_WHEREABOUTS = frozenset({
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_QUARANTINE_PATH", "GIT_EXTERNAL_DIFF", "GIT_REFLOG_ACTION",
    "PWD", "OLDPWD", "INIT_CWD", "VSCODE_CWD",
})  # fmt: skip
_NOISE = frozenset({"FORCE_COLOR", "CLICOLOR_FORCE", "COLORTERM", "MSD_FAULT", "MSD_FAULT_TOKEN"})
# No colour, no pager, no editor, no browser, nobody to ask.
_QUIET: Mapping[str, str] = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "CI": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "EDITOR": "false",
    "VISUAL": "false",
    "GIT_EDITOR": "false",
    "GIT_SEQUENCE_EDITOR": "false",
    "BROWSER": "false",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_OPTIONAL_LOCKS": "0",
    "NO_UPDATE_NOTIFIER": "1",
}
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
_NEEDED = frozenset({
    "HOME", "PATH", "USER", "LOGNAME", "SHELL", "TMPDIR", "TEMP", "TMP", "LANG", "LANGUAGE", "TZ",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "APPDATA", "LOCALAPPDATA",
    "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "USERNAME",
})  # fmt: skip


def child_environment(
    invocation: SpawnInvocation,
    inherited: Mapping[str, str],
    *,
    lanes: Iterable[Lane],
    run_id: str,
    minimal: bool = False,
) -> dict[str, str]:
    """All that the process of `invocation` gets.

    `inherited` is the user's environment; `lanes` are all lanes of the roster, whose session variables (rule 55)
    no child sees. The declared pairs go on top of everything; a pinned name is always set, to the declared or the
    user's own value, else to "".
    """
    dropped = _WHEREABOUTS | _NOISE | session_variables(lanes)
    kept = {name: value for name, value in inherited.items() if name.upper() not in dropped}
    if minimal:
        wanted = _NEEDED | {name.upper() for name in (*invocation.lane.env_passthrough, *invocation.pin_env)}
        kept = {name: value for name, value in kept.items() if _is_wanted(name.upper(), wanted)}
    return {
        **kept,
        **_QUIET,
        "PWD": str(invocation.working_folder),
        "MSD_RUN_ID": run_id,
        **(_proxies(inherited) if invocation.pin_env else {}),
        **{name: inherited.get(name, "") for name in invocation.pin_env},
        **invocation.env,
    }


def _proxies(inherited: Mapping[str, str]) -> dict[str, str]:
    """Every proxy variable in both spellings, each with the user's own value of either, else "": an empty one is none."""
    pinned: dict[str, str] = {}
    for name in _PROXIES:
        own = inherited.get(name, inherited.get(name.lower(), ""))
        pinned |= {name: inherited.get(name, own), name.lower(): inherited.get(name.lower(), own)}
    return pinned


def _is_wanted(name: str, wanted: frozenset[str]) -> bool:
    return name in wanted or name.startswith("LC_")


def session_variables(lanes: Iterable[Lane]) -> frozenset[str]:
    """The variables that tell a tool that it runs inside a session of itself or of another."""
    return _SESSION_MARKS | {name.upper() for lane in lanes for name in lane.self_env}
