"""A valid manifest's JSON → the frozen types, without a check.

For values that `check` found no error in, or that ship with msd. On anything else it may raise
KeyError, TypeError, ValueError or AttributeError, and nothing more useful.
"""

from collections.abc import Mapping
from typing import Any

from msd_review.manifest.model import (
    Artifact,
    CommandCapability,
    CommandExists,
    ConfigHome,
    ConfigKey,
    Contribution,
    ErrorSelector,
    FeatureBody,
    Fragment,
    Gate,
    HttpInvoke,
    HttpReachable,
    Lane,
    Manifest,
    ModelSelector,
    OutputMap,
    Probe,
    RuntimeBody,
    SpawnInvoke,
    Step,
    TextSelector,
    UsageSelector,
    Where,
)
from msd_review.manifest.vocabulary import GATE_CHECKS, STEP_REFS

_Json = Mapping[str, Any]


def build(value: _Json) -> Manifest:
    """The manifest that a valid value holds."""
    engines = value.get("engines", {})
    return Manifest(
        id=value["id"],
        role=value["role"],
        version=value["version"],
        title=value["title"],
        description=value["description"],
        tier=value["tier"],
        requires=tuple(value["requires"]),
        engines_range=engines.get("msd", engines.get("gsd")),
        compat_versions=dict(value.get("compatVersions", {})),
        config=build_config(value.get("config", {})),
        reviewer=build_lane(value["reviewer"]) if "reviewer" in value else None,
        runtime=_runtime(value["runtime"]) if "runtime" in value else None,
        feature=_feature(value) if value["role"] == "feature" else None,
    )


def build_config(config: _Json) -> tuple[ConfigKey, ...]:
    """The keys of a valid slice, in its own order."""
    return tuple(
        ConfigKey(
            key=key,
            type=entry["type"],
            default=entry["default"],
            description=entry["description"],
            values=tuple(entry.get("values", ())),
        )
        for key, entry in config.items()
    )


def section_title(text: str) -> str:
    """A `reviewsSection` as it is used and compared: without a trailing word Review."""
    words = text.split()
    if words and words[-1].lower() == "review":
        words.pop()
    return " ".join(words)


def build_lane(body: _Json) -> Lane:
    """The lane that a valid reviewer body declares."""
    spawn = body["transport"] == "spawn"
    return Lane(
        slug=body["slug"],
        flags=tuple(body["flags"]),
        transport=body["transport"],
        probe=_probe(body["probe"]),
        invoke=_spawn(body["invoke"]) if spawn else _http(body["invoke"]),
        timeout_floor_ms=int(body["timeoutFloorMs"]),
        empty_output=body["emptyOutput"],
        reviews_section=section_title(body["reviewsSection"]),
        evidence_class=body["evidenceClass"],
        requires_binaries=tuple(body.get("requiresBinaries", ())),
        prompt_budget_key=body.get("promptBudgetKey"),
        model_config_key=body.get("modelConfigKey"),
        timeout_config_key=body.get("timeoutConfigKey"),
        effort_config_key=body.get("effortConfigKey"),
        default_effort=body.get("defaultEffort"),
        idle_timeout_ms=_whole(body.get("idleTimeoutMs")),
        provider=body.get("provider"),
        install_hint=body.get("installHint"),
        hints=dict(body.get("hints", {})),
        self_env=tuple(body.get("selfEnv", ())),
        env_passthrough=tuple(body.get("envPassthrough", ())),
        agent_config=tuple(body.get("agentConfig", ())),
        handler=body.get("handler"),
    )


def _whole(value: Any) -> int | None:
    return None if value is None else int(value)


def _probe(probe: _Json) -> Probe:
    kind = probe["kind"]
    if kind == "command-exists":
        return CommandExists(binary=probe["binary"])
    timeout_ms = int(probe["timeoutMs"])
    if kind == "command-capability":
        return CommandCapability(binary=probe["binary"], needle=probe["needle"], timeout_ms=timeout_ms)
    return HttpReachable(host_config_key=probe["hostConfigKey"], path=probe["path"], timeout_ms=timeout_ms)


def _spawn(invoke: _Json) -> SpawnInvoke:
    mapping = invoke.get("outputMap")
    return SpawnInvoke(
        binary=invoke["binary"],
        args=tuple(invoke["args"]),
        prompt_channel=invoke["promptChannel"],
        output_channel=invoke["outputChannel"],
        output_arg=invoke.get("outputArg"),
        output_format=invoke.get("outputFormat", "text"),
        output_map=None if mapping is None else _output_map(mapping),
        model_arg=invoke.get("modelArg"),
        effort_channel=invoke.get("effortChannel", "none"),
        effort_args=tuple(invoke.get("effortArgs", ())),
        env=dict(invoke.get("env", {})),
        pin_env=tuple(invoke.get("pinEnv", ())),
        posture=invoke.get("posture", "unrestricted"),
    )


def _http(invoke: _Json) -> HttpInvoke:
    return HttpInvoke(
        host_config_key=invoke["hostConfigKey"],
        path=invoke["path"],
        model_discovery=invoke["modelDiscovery"],
        default_host=invoke.get("defaultHost"),
        fallback_model=invoke.get("fallbackModel"),
    )


def _where(entry: _Json) -> Where | None:
    where = entry.get("where")
    return None if where is None else Where(equals=dict(where))


def _output_map(mapping: _Json) -> OutputMap:
    done, usage, model = mapping.get("done"), mapping.get("usage"), mapping.get("model")
    return OutputMap(
        done=None if done is None else _where(done),
        text=tuple(
            TextSelector(where=_where(entry), pointer=entry["pointer"], take=entry.get("take", "all"))
            for entry in mapping["text"]
        ),
        error=tuple(
            ErrorSelector(where=_where(entry), message=entry.get("message"), status=entry.get("status"))
            for entry in mapping.get("error", ())
        ),
        usage=None if usage is None else _usage(usage),
        model=None if model is None else ModelSelector(where=_where(model), pointer=model["pointer"]),
    )


def _usage(entry: _Json) -> UsageSelector:
    return UsageSelector(
        where=_where(entry),
        input_tokens=entry.get("inputTokens"),
        output_tokens=entry.get("outputTokens"),
        cost_usd=entry.get("costUsd"),
    )


def _artifact(entry: _Json) -> Artifact:
    return Artifact(
        kind=entry["kind"],
        dest_subpath=entry["destSubpath"],
        prefix=entry["prefix"],
        nesting=entry["nesting"],
        recursive=entry.get("recursive", False),
        converter=entry.get("converter"),
    )


def _runtime(body: _Json) -> RuntimeBody:
    home, layout = body["configHome"], body["artifactLayout"]
    return RuntimeBody(
        config_home=ConfigHome(
            kind=home["kind"],
            name=home["name"],
            parent=home.get("parent"),
            env=tuple(home.get("env", ())),
            probe=tuple(home.get("probe") or ()),
            probe_exists=home.get("probeExists"),
            skills_home=home.get("skillsHome"),
        ),
        local_config_dir=body["localConfigDir"],
        config_format=body["configFormat"],
        artifacts_global=tuple(map(_artifact, layout["global"])),
        artifacts_local=tuple(map(_artifact, layout["local"])),
        command_style=body["commandStyle"],
        hooks_surface=body["hooksSurface"],
        sandbox_tier=body["sandboxTier"],
        support_tier=int(body["supportTier"]),
        install_surface=body["installSurface"],
        writes_shared_settings=body["writesSharedSettings"],
        permission_writer=body.get("permissionWriter"),
        extended_hook_events=tuple(body.get("extendedHookEvents", ())),
        host_behaviors=dict(body.get("hostBehaviors", {})),
    )


def _fragment(entry: _Json) -> Fragment:
    return Fragment(path=entry.get("path"), inline=entry.get("inline"))


def _step(entry: _Json) -> Step:
    kind = next(name for name in STEP_REFS if name in entry["ref"])
    return Step(
        point=entry["point"],
        ref_kind=kind,  # type: ignore[arg-type]  # STEP_REFS lists exactly the members of the literal
        ref=entry["ref"][kind],
        produces=tuple(entry["produces"]),
        consumes=tuple(entry["consumes"]),
        on_error=entry["onError"],
        when=entry.get("when"),
        fragment=_fragment(entry["fragment"]) if "fragment" in entry else None,
        supports_reviewer_lanes=entry.get("supportsReviewerLanes", False),
    )


def _contribution(entry: _Json) -> Contribution:
    return Contribution(
        point=entry["point"],
        into=entry["into"],
        produces=tuple(entry["produces"]),
        consumes=tuple(entry["consumes"]),
        fragment=_fragment(entry["fragment"]),
        when=entry.get("when"),
    )


def _gate(entry: _Json) -> Gate:
    kind = next(name for name in GATE_CHECKS if name in entry["check"])
    return Gate(
        point=entry["point"],
        check_kind=kind,  # type: ignore[arg-type]  # GATE_CHECKS lists exactly the members of the literal
        check=entry["check"][kind],
        blocking=entry["blocking"],
        on_error=entry["onError"],
        when=entry.get("when"),
    )


def _feature(value: _Json) -> FeatureBody:
    compat = value["runtimeCompat"]
    return FeatureBody(
        skills=tuple(value["skills"]),
        agents=tuple(value["agents"]),
        steps=tuple(map(_step, value.get("steps", ()))),
        contributions=tuple(map(_contribution, value.get("contributions", ()))),
        gates=tuple(map(_gate, value.get("gates", ()))),
        supported_runtimes=tuple(compat["supported"]),
        unsupported_runtimes=tuple(compat.get("unsupported", ())),
        activation_key=value.get("activationKey"),
    )
