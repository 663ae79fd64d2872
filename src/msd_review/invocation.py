"""The exact call of a reviewer, as values: all that trust judges, and all that the runner runs.

`planning` makes them; nothing else does.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msd_review.manifest.model import HttpInvoke, Lane, SpawnInvoke
from msd_review.outcomes import Outcome, Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnInvocation:
    """One call of an external command, fully rendered.

    `argv[0]` is the binary as declared (a bare name or an absolute path); the runner starts the
    absolute path that trust approved. `env` holds the declared pairs (and MSD_EFFORT), which go over
    the inherited environment; `pin_env` are names that are always set. `prompt_path` is the file that
    holds the prompt (fed to stdin when `stdin` is True); `output_path` is set for `file-arg`.
    Times are milliseconds.
    """

    identity: str  # a slug, or an instance's name
    lane: Lane
    invoke: SpawnInvoke
    argv: tuple[str, ...]
    stdin: bool
    env: Mapping[str, str]
    pin_env: tuple[str, ...]
    prompt_path: Path
    output_path: Path | None
    working_folder: Path
    model: str | None
    effort: str | None
    timeout_ms: int
    idle_timeout_ms: int | None
    prompt_budget: int | None = None
    notices: tuple[str, ...] = ()
    named: bool = False  # asked for by name on the command line


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpInvocation:
    """One request to an OpenAI-compatible server.

    `host` is the normalised base URL that consent compares; `url` and `models_url` are where the
    requests go. `model` is the configured model or None (then discovered, else `fallback_model`).
    `api_key_env` names the environment variable that holds the bearer token, when the user set one.
    `proxy` is the proxy that the environment names for it (never for this machine or this network).
    """

    identity: str
    lane: Lane
    invoke: HttpInvoke
    host: str
    host_config_key: str
    host_origin: str  # "default", "manifest", "user", "project", "command line"
    url: str
    models_url: str | None
    prompt_path: Path
    model: str | None
    fallback_model: str | None
    timeout_ms: int
    api_key_env: str | None = None
    proxy: str | None = None
    max_tokens: int | None = None
    prompt_budget: int | None = None
    notices: tuple[str, ...] = ()
    named: bool = False


Invocation = SpawnInvocation | HttpInvocation


@dataclass(frozen=True, slots=True, kw_only=True)
class NotPlanned:
    """A reviewer for which no invocation exists, and why."""

    identity: str
    lane: Lane
    outcome: Outcome
    reason: Reason
    detail: str
    hint: str | None = None
    named: bool = False
    notices: tuple[str, ...] = field(default_factory=tuple)
