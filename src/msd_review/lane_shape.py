"""What can be said of a lane from its manifest and the configuration alone, before anything is planned. Pure and cheap."""

from pathlib import Path

from msd_review.config.layers import Config
from msd_review.errors import ConfigError
from msd_review.invocation import HttpInvocation, NotPlanned
from msd_review.manifest.model import HttpInvoke, Lane, SpawnInvoke
from msd_review.manifest.vocabulary import HANDLER_TRANSPORTS
from msd_review.outcomes import Outcome, Reason
from msd_review.trust import destinations

_MODELS_PATH = "/v1/models"


def shape_problem(lane: Lane) -> tuple[Reason, str] | None:
    """Why a lane that validated still cannot be planned: its handler, or a channel without its placeholder."""
    if lane.handler is not None and lane.handler not in HANDLER_TRANSPORTS:
        return Reason.UNKNOWN_HANDLER, f"this version has no handler called {lane.handler!r}"
    if lane.handler is not None and lane.transport not in HANDLER_TRANSPORTS[lane.handler]:
        return (
            Reason.MALFORMED_LANE,
            f"the handler {lane.handler!r} does not fit the transport {lane.transport!r}",
        )
    if not isinstance(lane.invoke, SpawnInvoke):
        return None
    if lane.invoke.prompt_channel in {"argv", "argv-file-ref"} and "{{prompt}}" not in lane.invoke.args:
        return Reason.MALFORMED_LANE, "its prompt goes into the arguments, which have no {{prompt}}"
    if lane.invoke.output_channel == "file-arg" and "{{output}}" not in lane.invoke.args:
        return Reason.MALFORMED_LANE, "its review goes to a file, and its arguments have no {{output}}"
    return None


def base_url(lane: Lane, invoke: HttpInvoke, config: Config) -> tuple[str, str] | None:
    """The base URL as configured or declared, and its origin; None where there is none."""
    if config.schema.find(invoke.host_config_key) is not None:
        value = config.get(invoke.host_config_key)
        if isinstance(value.value, str) and value.value.strip():
            return value.value, "manifest" if value.origin == "default" else value.origin
    return (invoke.default_host, "manifest") if invoke.default_host else None


def refused(
    lane: Lane, reason: Reason, detail: str, *, identity: str | None = None, named: bool = False
) -> NotPlanned:
    """A lane for which no invocation exists, with the way out that its manifest names."""
    return NotPlanned(
        identity=identity or lane.slug,
        lane=lane,
        outcome=Outcome.UNAVAILABLE,
        reason=reason,
        detail=detail,
        hint=lane.hints.get(reason.value),
        named=named,
    )


def http_target(lane: Lane, invoke: HttpInvoke, config: Config) -> HttpInvocation | NotPlanned:
    """Where an http lane would send, as an invocation that lacks a prompt and what this run asks for."""
    found = base_url(lane, invoke, config)
    if found is None:
        return refused(
            lane,
            Reason.HOST_UNREACHABLE,
            f"no server is configured for {lane.slug}: set {invoke.host_config_key}",
        )
    base, origin = found
    key = invoke.host_config_key
    try:
        destination = destinations.normalise(base, key=key)
        url = destinations.request_url(base, invoke.path, key=key)
        models = destinations.request_url(base, _MODELS_PATH, key=key)
    except ConfigError as problem:
        return refused(lane, Reason.MALFORMED_LANE, problem.message)
    return HttpInvocation(
        identity=lane.slug,
        lane=lane,
        invoke=invoke,
        host=destination.url,
        host_config_key=key,
        host_origin=origin,
        url=url,
        models_url=models if invoke.model_discovery == "first-from-models-endpoint" else None,
        prompt_path=Path(),
        model=None,
        fallback_model=invoke.fallback_model,
        timeout_ms=lane.timeout_floor_ms,
        api_key_env=config.text(f"review.api_key_env.{lane.slug}"),
        notices=tuple(destination.warnings),
    )
