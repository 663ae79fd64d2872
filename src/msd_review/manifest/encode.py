"""The frozen types → the JSON of capability.json; the inverse of `build`. Defaults are left out."""

from collections.abc import Mapping, Sequence
from typing import Any

from msd_review.manifest.model import (
    Artifact,
    CommandCapability,
    CommandExists,
    ConfigKey,
    Contribution,
    ErrorSelector,
    FeatureBody,
    Fragment,
    Gate,
    HttpInvoke,
    Lane,
    Manifest,
    OutputMap,
    Probe,
    RuntimeBody,
    SpawnInvoke,
    Step,
    Where,
)

_Json = dict[str, Any]


def encode(manifest: Manifest) -> _Json:
    """The JSON object that decodes to an equal manifest."""
    value: _Json = {
        "id": manifest.id,
        "role": manifest.role,
        "version": manifest.version,
        "title": manifest.title,
        "description": manifest.description,
        "tier": manifest.tier,
        "requires": list(manifest.requires),
    }
    if manifest.engines_range is not None:
        value["engines"] = {"msd": manifest.engines_range}
    value |= _given(compatVersions=dict(manifest.compat_versions))
    if manifest.runtime is not None:
        value["runtime"] = _runtime(manifest.runtime)
    if manifest.feature is not None:
        value |= _feature(manifest.feature)
    if manifest.reviewer is not None:
        value["reviewer"] = _lane(manifest.reviewer)
    return value | _given(config={key.key: _config_key(key) for key in manifest.config})


def _given(**members: Any) -> _Json:
    """The members that hold something: not None, not empty."""
    return {
        name: _plain(value)
        for name, value in members.items()
        if value is not None and not (isinstance(value, Sequence | Mapping) and len(value) == 0)
    }


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _config_key(key: ConfigKey) -> _Json:
    return {
        "type": key.type,
        **_given(values=key.values),
        "default": key.default,
        "description": key.description,
    }


def _lane(lane: Lane) -> _Json:
    return {
        "slug": lane.slug,
        "flags": list(lane.flags),
        "transport": lane.transport,
        "probe": _probe(lane.probe),
        "invoke": _spawn(lane.invoke) if isinstance(lane.invoke, SpawnInvoke) else _http(lane.invoke),
        "timeoutFloorMs": lane.timeout_floor_ms,
        "emptyOutput": lane.empty_output,
        "reviewsSection": lane.reviews_section,
        "evidenceClass": lane.evidence_class,
        **_given(
            requiresBinaries=lane.requires_binaries,
            promptBudgetKey=lane.prompt_budget_key,
            modelConfigKey=lane.model_config_key,
            timeoutConfigKey=lane.timeout_config_key,
            effortConfigKey=lane.effort_config_key,
            defaultEffort=lane.default_effort,
            idleTimeoutMs=lane.idle_timeout_ms,
            handler=lane.handler,
            provider=lane.provider,
            installHint=lane.install_hint,
            hints=dict(lane.hints),
            selfEnv=lane.self_env,
            envPassthrough=lane.env_passthrough,
            agentConfig=lane.agent_config,
        ),
    }


def _probe(probe: Probe) -> _Json:
    if isinstance(probe, CommandExists):
        return {"kind": "command-exists", "binary": probe.binary}
    if isinstance(probe, CommandCapability):
        return {
            "kind": "command-capability",
            "binary": probe.binary,
            "needle": probe.needle,
            "timeoutMs": probe.timeout_ms,
        }
    return {
        "kind": "http-reachable",
        "hostConfigKey": probe.host_config_key,
        "path": probe.path,
        "timeoutMs": probe.timeout_ms,
    }


def _spawn(invoke: SpawnInvoke) -> _Json:
    return {
        "binary": invoke.binary,
        "args": list(invoke.args),
        "promptChannel": invoke.prompt_channel,
        "outputChannel": invoke.output_channel,
        **_given(outputArg=invoke.output_arg),
        "outputFormat": invoke.output_format,
        **_given(
            outputMap=None if invoke.output_map is None else _output_map(invoke.output_map),
            modelArg=invoke.model_arg,
        ),
        "effortChannel": invoke.effort_channel,
        **_given(effortArgs=invoke.effort_args),
        "posture": invoke.posture,
        **_given(env=dict(invoke.env), pinEnv=invoke.pin_env),
    }


def _http(invoke: HttpInvoke) -> _Json:
    return {
        "hostConfigKey": invoke.host_config_key,
        "path": invoke.path,
        "modelDiscovery": invoke.model_discovery,
        **_given(defaultHost=invoke.default_host, fallbackModel=invoke.fallback_model),
    }


def _where(where: Where | None) -> _Json:
    return {} if where is None else {"where": dict(where.equals)}


def _output_map(mapping: OutputMap) -> _Json:
    usage, model = mapping.usage, mapping.model
    value: _Json = {} if mapping.done is None else {"done": _where(mapping.done)}
    value["text"] = [
        {**_where(entry.where), "pointer": entry.pointer, "take": entry.take} for entry in mapping.text
    ]
    value |= _given(error=[_error(entry) for entry in mapping.error])
    if usage is not None:
        counted = {
            "inputTokens": usage.input_tokens,
            "outputTokens": usage.output_tokens,
            "costUsd": usage.cost_usd,
        }
        value["usage"] = _where(usage.where) | _pointers(counted)
    if model is not None:
        value["model"] = {**_where(model.where), "pointer": model.pointer}
    return value


def _error(entry: ErrorSelector) -> _Json:
    return _where(entry.where) | _pointers({"message": entry.message, "status": entry.status})


def _pointers(members: Mapping[str, str | None]) -> _Json:
    """The pointers that are given; "" is one: the whole value."""
    return {name: value for name, value in members.items() if value is not None}


def _artifact(artifact: Artifact) -> _Json:
    return {
        "kind": artifact.kind,
        "destSubpath": artifact.dest_subpath,
        "prefix": artifact.prefix,
        "nesting": artifact.nesting,
        "recursive": artifact.recursive,
        "converter": artifact.converter,
    }


def _runtime(body: RuntimeBody) -> _Json:
    home = body.config_home
    return {
        "configHome": {
            "kind": home.kind,
            "name": home.name,
            **_given(
                parent=home.parent,
                env=home.env,
                probe=home.probe,
                probeExists=home.probe_exists,
                skillsHome=home.skills_home,
            ),
        },
        "localConfigDir": body.local_config_dir,
        "configFormat": body.config_format,
        "artifactLayout": {
            "global": list(map(_artifact, body.artifacts_global)),
            "local": list(map(_artifact, body.artifacts_local)),
        },
        "commandStyle": body.command_style,
        "hooksSurface": body.hooks_surface,
        "sandboxTier": body.sandbox_tier,
        "supportTier": body.support_tier,
        "installSurface": body.install_surface,
        "writesSharedSettings": body.writes_shared_settings,
        "permissionWriter": body.permission_writer,
        "extendedHookEvents": list(body.extended_hook_events),
        **_given(hostBehaviors=dict(body.host_behaviors)),
    }


def _fragment(fragment: Fragment) -> _Json:
    return {"inline": fragment.inline} if fragment.path is None else {"path": fragment.path}


def _step(step: Step) -> _Json:
    return {
        "point": step.point,
        "ref": {step.ref_kind: step.ref},
        "produces": list(step.produces),
        "consumes": list(step.consumes),
        "onError": step.on_error,
        **_given(when=step.when, fragment=None if step.fragment is None else _fragment(step.fragment)),
        **({"supportsReviewerLanes": True} if step.supports_reviewer_lanes else {}),
    }


def _contribution(contribution: Contribution) -> _Json:
    return {
        "point": contribution.point,
        "into": contribution.into,
        "produces": list(contribution.produces),
        "consumes": list(contribution.consumes),
        "fragment": _fragment(contribution.fragment),
        **_given(when=contribution.when),
    }


def _gate(gate: Gate) -> _Json:
    return {
        "point": gate.point,
        "check": {gate.check_kind: gate.check},
        "blocking": gate.blocking,
        "onError": gate.on_error,
        **_given(when=gate.when),
    }


def _feature(body: FeatureBody) -> _Json:
    return {
        "runtimeCompat": {
            "supported": list(body.supported_runtimes),
            "unsupported": list(body.unsupported_runtimes),
        },
        "skills": list(body.skills),
        "agents": list(body.agents),
        "steps": list(map(_step, body.steps)),
        "contributions": list(map(_contribution, body.contributions)),
        "gates": list(map(_gate, body.gates)),
        **_given(activationKey=body.activation_key),
    }
