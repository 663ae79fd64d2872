"""Plans the exact invocation of a chosen reviewer, or says why there is none.

Pure: everything it needs is handed in, and what it returns is all that trust judges and the runner runs.
"""

import math
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from msd_review import handlers
from msd_review.config.layers import Config
from msd_review.config.schema import budget_key
from msd_review.errors import ConfigError, UsageError
from msd_review.invocation import HttpInvocation, Invocation, NotPlanned, SpawnInvocation
from msd_review.lane_shape import http_target, refused, shape_problem
from msd_review.manifest.model import Lane, SpawnInvoke
from msd_review.outcomes import Reason
from msd_review.prompt.render import file_reference_instruction
from msd_review.selection import Reviewer

EFFORT_LEVELS = ("minimal", "low", "medium", "high", "xhigh", "max", "inherit")
# One argument may hold 131,072 bytes on Linux, the terminating NUL included; we stop at 120 KiB.
MAX_ARGUMENT_BYTES = 120 * 1024
# Far above any use, and far below what a clock or an event loop cannot count.
MAX_TIMEOUT_MS = 10_000_000 * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What the command line says for this run alone, by slug or instance name, in lower case."""

    models: Mapping[str, str] = field(default_factory=dict)
    efforts: Mapping[str, str] = field(default_factory=dict)
    timeouts: Mapping[str, float] = field(default_factory=dict)  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where one reviewer works: its prompt file, its private folder and its working folder."""

    prompt_path: Path
    prompt_text: str | None  # the prompt itself; None when only planning ("<prompt>" stands for it)
    lane_folder: Path
    working_folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One reviewer to plan for, and all that its plan depends on."""

    reviewer: Reviewer
    lane: Lane
    config: Config
    overrides: Overrides
    places: Places


class _Refused(Exception):
    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def value_problem(value: str) -> str | None:
    """Why a model, effort or agent value must not become an argument, or None."""
    if not value:
        return "is empty"
    if value.startswith("-"):
        return "starts with a dash and would become an option"
    if value != value.strip():
        return "has white space at its ends"
    if any(unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"} for char in value):
        return "holds control characters"
    return None


def _override(table: Mapping[str, object], reviewer: Reviewer) -> object | None:
    return table.get(reviewer.identity.lower(), table.get(reviewer.slug.lower()))


def takes_model(lane: Lane) -> bool:
    """Whether a model can be asked for."""
    if isinstance(lane.invoke, SpawnInvoke):
        return lane.invoke.model_arg is not None and "{{model}}" in lane.invoke.args
    return True


def takes_effort(lane: Lane) -> bool:
    """Whether an effort level can be asked for."""
    return isinstance(lane.invoke, SpawnInvoke) and lane.invoke.effort_channel != "none"


def resolve_model(ask: Ask) -> str | None:
    """The model that will be asked for: command line, instance, configuration, else None.

    Raises UsageError for a value or a lane that cannot take it on the command line.
    """
    reviewer, lane, config = ask.reviewer, ask.lane, ask.config
    asked = _override(ask.overrides.models, reviewer)
    if asked is not None:
        if not takes_model(lane):
            raise UsageError(
                f"{reviewer.identity} cannot be asked for a model", hint="leave --model out for it"
            )
        problem = value_problem(str(asked))
        if problem is not None:
            raise UsageError(f"--model {reviewer.identity}={asked}: the value {problem}")
        return str(asked)
    configured = reviewer.model if reviewer.model else config.text(lane.model_config_key)
    if configured is None:
        return None
    if not takes_model(lane):
        raise ConfigError(
            f"{reviewer.identity} cannot be asked for a model, and {configured!r} is configured for it"
        )
    problem = value_problem(configured)
    if problem is not None:
        raise _Refused(Reason.MALFORMED_LANE, f"the configured model {configured!r} {problem}")
    return configured


def resolve_effort(ask: Ask) -> tuple[str | None, tuple[str, ...]]:
    """The effort level that will be asked for (None: the tool decides), and notices."""
    reviewer, lane, config = ask.reviewer, ask.lane, ask.config
    asked = _override(ask.overrides.efforts, reviewer)
    if asked is not None:
        if not takes_effort(lane):
            raise UsageError(
                f"{reviewer.identity} cannot be asked for an effort", hint="leave --effort out for it"
            )
        if asked not in EFFORT_LEVELS:
            raise UsageError(
                f"--effort {reviewer.identity}={asked}: the levels are {', '.join(EFFORT_LEVELS)}"
            )
        return (None if asked == "inherit" else str(asked)), ()
    if not takes_effort(lane):
        return None, ()
    level = config.text(lane.effort_config_key)
    notices: tuple[str, ...] = ()
    if level is not None and level not in EFFORT_LEVELS:
        notices = (f"{lane.effort_config_key} is {level!r}, which is no effort level; the default is used",)
        level = None
    level = level or lane.default_effort
    return (None if level in {None, "inherit"} else level), notices


def resolve_timeout(ask: Ask) -> tuple[int, tuple[str, ...]]:
    """The lane's deadline in milliseconds, and notices. Only the command line goes below the floor."""
    reviewer, lane, config = ask.reviewer, ask.lane, ask.config
    asked = _override(ask.overrides.timeouts, reviewer)
    if isinstance(asked, int | float):
        return _milliseconds(asked), ()
    floor_ms = min(lane.timeout_floor_ms, MAX_TIMEOUT_MS)
    key = lane.timeout_config_key
    if key is None or config.schema.find(key) is None:
        return floor_ms, ()
    value = config.get(key).value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        return floor_ms, ()
    wanted = _milliseconds(value)
    if wanted < floor_ms:
        notice = f"{key} is {value:g} s, below this lane's floor of {floor_ms / 1000:g} s; the floor holds"
        return floor_ms, (notice,)
    return wanted, ()


def _milliseconds(seconds: float) -> int:
    """Seconds as whole milliseconds, at least one, and at most what a clock can count."""
    return max(1, math.floor(min(seconds, MAX_TIMEOUT_MS / 1000) * 1000))


def resolve_budget(lane: Lane, config: Config) -> int | None:
    """The prompt budget in tokens, None for no limit. -1 falls through to the central key; 0 is no trimming."""
    own = config.get(budget_key(lane)).value
    if isinstance(own, bool) or not isinstance(own, int | float):
        own = -1  # a capability may declare its key as something else than a number
    if own == 0:
        return None
    budget = own if own > 0 else config.number("review.max_prompt_tokens")
    return math.floor(budget) if budget > 0 else None


def native_timeout(timeout_ms: int) -> str:
    """The tool's own limit, nine tenths of ours in whole seconds, so that it can end by itself: "540s"."""
    return f"{max(1, timeout_ms * 9 // 10 // 1000)}s"


def _prompt_argument(invoke: SpawnInvoke, places: Places) -> list[str]:
    if invoke.prompt_channel == "argv":
        return [places.prompt_text if places.prompt_text is not None else "<prompt>"]
    if invoke.prompt_channel == "argv-file-ref":
        return [file_reference_instruction(places.prompt_path, places.working_folder)]
    return []


def render_args(
    invoke: SpawnInvoke,
    *,
    model: str | None,
    effort: str | None,
    output: Path | None,
    prompt: list[str],
    timeout_ms: int,
) -> tuple[str, ...]:
    """The arguments with their five placeholders expanded; a placeholder inside a longer string stays literal."""
    expansions = {
        "{{model}}": [invoke.model_arg, model] if invoke.model_arg and model else [],
        "{{effort}}": [arg.replace("{{level}}", effort) for arg in invoke.effort_args]
        if invoke.effort_channel == "argv" and effort
        else [],
        "{{output}}": [invoke.output_arg, str(output)] if invoke.output_arg and output else [],
        "{{prompt}}": prompt,
        "{{nativeTimeout}}": [native_timeout(timeout_ms)],
    }
    return tuple(part for arg in invoke.args for part in expansions.get(arg, [arg]))


def _plan_spawn(ask: Ask, invoke: SpawnInvoke) -> SpawnInvocation:
    reviewer, lane, places = ask.reviewer, ask.lane, ask.places
    model = resolve_model(ask)
    effort, effort_notices = resolve_effort(ask)
    timeout_ms, timeout_notices = resolve_timeout(ask)
    output = places.lane_folder / "review.out" if invoke.output_channel == "file-arg" else None
    args = render_args(
        invoke,
        model=model,
        effort=effort,
        output=output,
        prompt=_prompt_argument(invoke, places),
        timeout_ms=timeout_ms,
    )
    if reviewer.agent is not None:
        problem = value_problem(reviewer.agent)
        if problem is not None:
            raise _Refused(Reason.MALFORMED_LANE, f"the configured agent {reviewer.agent!r} {problem}")
        args = handlers.plan_argv(lane.handler, args, reviewer.agent)
    too_long = max((len(arg.encode("utf-8", "surrogatepass")) for arg in args), default=0)
    if too_long > MAX_ARGUMENT_BYTES:
        detail = f"one argument would be {too_long:,} bytes; a system takes {MAX_ARGUMENT_BYTES:,} at most"
        raise _Refused(Reason.PROMPT_TOO_LARGE, detail)
    env = dict(invoke.env)
    if invoke.effort_channel == "env" and effort:
        env["MSD_EFFORT"] = effort
    return SpawnInvocation(
        identity=reviewer.identity,
        lane=lane,
        invoke=invoke,
        argv=(invoke.binary, *args),
        stdin=invoke.prompt_channel == "stdin",
        env=env,
        pin_env=invoke.pin_env,
        prompt_path=places.prompt_path,
        output_path=output,
        working_folder=places.working_folder,
        model=model if model and invoke.model_arg and "{{model}}" in invoke.args else None,
        effort=effort,
        timeout_ms=timeout_ms,
        idle_timeout_ms=lane.idle_timeout_ms,
        prompt_budget=resolve_budget(lane, ask.config),
        notices=effort_notices + timeout_notices,
        named=reviewer.named,
    )


def _plan_http(ask: Ask, target: HttpInvocation) -> HttpInvocation:
    reviewer = ask.reviewer
    model = resolve_model(ask)
    _, effort_notices = resolve_effort(ask)
    timeout_ms, timeout_notices = resolve_timeout(ask)
    return replace(
        target,
        identity=reviewer.identity,
        prompt_path=ask.places.prompt_path,
        model=model,
        timeout_ms=timeout_ms,
        prompt_budget=resolve_budget(ask.lane, ask.config),
        notices=effort_notices + timeout_notices + target.notices,
        named=reviewer.named,
    )


def plan(ask: Ask) -> Invocation | NotPlanned:
    """The exact invocation of one reviewer, or why there is none.

    Raises UsageError or ConfigError where the person asked for something that the lane cannot take.
    """
    lane = ask.lane
    try:
        problem = shape_problem(lane)
        if problem is not None:
            raise _Refused(*problem)
        if isinstance(lane.invoke, SpawnInvoke):
            return _plan_spawn(ask, lane.invoke)
        target = http_target(lane, lane.invoke, ask.config)
        if isinstance(target, NotPlanned):
            raise _Refused(target.reason, target.detail)
        return _plan_http(ask, target)
    except _Refused as why:
        return refused(lane, why.reason, why.detail, identity=ask.reviewer.identity, named=ask.reviewer.named)
