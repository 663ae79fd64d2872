"""The JSON Schema (2020-12) of capability.json, made from the tables that validation walks.

For editors: it completes names, shows what a field is for, and catches what a schema can. The rules that
need more than one place (a flag that is taken, a range that cannot be parsed) are `check`'s alone.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msd_review.manifest import fields_body, fields_feature, fields_lane
from msd_review.manifest import vocabulary as words
from msd_review.manifest.shapes import (
    Anything,
    Choice,
    Field,
    Flag,
    ListOf,
    MapOf,
    ObjectOf,
    Scalar,
    Shape,
    Text,
    Whole,
)

SCHEMA_ID = "urn:msd:capability:1"
_Json = dict[str, Any]


def schema_of(shape: Shape) -> _Json:
    """The schema of one shape."""
    return _SCHEMAS[type(shape)](shape)


def _text(shape: Any) -> _Json:
    schema: _Json = {"type": "string"}
    if shape.pattern is not None:
        schema["pattern"] = f"^(?:{shape.pattern})$"
    elif not shape.empty:
        schema["pattern"] = r"\S"
    return schema


def _list(shape: Any) -> _Json:
    schema: _Json = {"type": "array", "items": schema_of(shape.item)}
    return schema | ({"minItems": 1} if shape.filled else {})


def _map(shape: Any) -> _Json:
    schema: _Json = {"type": "object", "additionalProperties": schema_of(shape.item)}
    return schema | ({"propertyNames": _text(shape.key)} if shape.key.pattern else {})


_SCHEMAS: Mapping[type, Callable[[Any], _Json]] = {
    Text: _text,
    Choice: lambda shape: {"enum": list(shape.values)},
    Whole: lambda shape: {"type": "integer", "minimum": shape.minimum, "maximum": words.MAX_INTEGER},
    Flag: lambda shape: {"type": "boolean"},
    Scalar: lambda shape: {"type": ["string", "number", "boolean", "null"]},
    Anything: lambda shape: {},
    ListOf: _list,
    MapOf: _map,
    ObjectOf: lambda shape: _object(shape.fields),
}


def _object(fields: tuple[Field, ...], **extra: Any) -> _Json:
    required = [item.name for item in fields if item.required]
    schema: _Json = {"type": "object", "properties": {item.name: _field(item) for item in fields}}
    return schema | ({"required": required} if required else {}) | extra


def _field(item: Field) -> _Json:
    schema = schema_of(item.shape)
    if item.nullable:
        schema = {"anyOf": [schema, {"type": "null"}]}
    return {"description": _sentence(item), **schema, "examples": [item.example]}


def _sentence(item: Field) -> str:
    text = item.doc[0].upper() + item.doc[1:] + "."
    return f"{text} Default: {item.default}." if item.default else text


def _when(name: str, value: str, then: _Json) -> _Json:
    return {"if": {"properties": {name: {"const": value}}, "required": [name]}, "then": then}


def _forbid(*names: str) -> _Json:
    return {"properties": dict.fromkeys(names, False)}


def _invoke(transport: str) -> _Json:
    foreign = fields_lane.HTTP_ONLY if transport == "spawn" else fields_lane.SPAWN_ONLY
    schema = _object(fields_lane.INVOKE_FIELDS[transport])
    schema["properties"] |= dict.fromkeys(foreign, False)
    if transport == "openai-http":
        schema["properties"]["effortChannel"] = {"const": "none"}
        return schema
    return schema | {
        "allOf": [
            _when("outputChannel", "file-arg", {"required": ["outputArg"]}),
            _when("outputChannel", "stdout", _forbid("outputArg")),
            *(_when("outputFormat", name, {"required": ["outputMap"]}) for name in ("json", "json-lines")),
        ]
    }


def _probe() -> _Json:
    kinds = [
        _object(
            (fields_lane.PROBE_KIND, *fields),
            allOf=[{"properties": {"kind": {"const": kind}}}, _forbid(*_foreign_probe_names(fields))],
        )
        for kind, fields in fields_lane.PROBE_FIELDS.items()
    ]
    return {"type": "object", "oneOf": kinds}


def _foreign_probe_names(fields: tuple[Field, ...]) -> list[str]:
    return [item.name for item in fields_lane.ALL_PROBE_FIELDS[1:] if item not in fields]


def _lane() -> _Json:
    schema = _object(fields_lane.LANE_FIELDS)
    schema["properties"]["probe"] = {"description": "How to tell whether the lane can run.", **_probe()}
    schema["properties"]["invoke"] = {"description": "How the reviewer is called.", "type": "object"}
    branches = [
        _when("transport", name, {"properties": {"invoke": _invoke(name)}}) for name in words.TRANSPORTS
    ]
    return schema | {"allOf": branches}


def _config() -> _Json:
    entry = _object(fields_body.CONFIG_FIELDS)
    types = {"boolean": "boolean", "string": "string", "number": "number", "enum": "string"}
    entry["allOf"] = [
        *(_when("type", kind, {"properties": {"default": {"type": name}}}) for kind, name in types.items()),
        _when("type", "enum", {"required": ["values"]}),
    ]
    return {
        "description": "The configuration keys that this capability owns.",
        "type": "object",
        "propertyNames": {"pattern": f"^(?:{words.CONFIG_KEY_PATTERN})$"},
        "additionalProperties": entry,
    }


def _entries(fields: tuple[Field, ...]) -> _Json:
    return {"type": "array", "items": _object(fields)}


def _exactly_one(names: tuple[str, ...]) -> _Json:
    return {"minProperties": 1, "maxProperties": 1, "propertyNames": {"enum": list(names)}}


def _bodies() -> _Json:
    step, gate = _entries(fields_feature.STEP_FIELDS), _entries(fields_feature.GATE_FIELDS)
    step["items"]["properties"]["supportsReviewerLanes"]["type"] = "boolean"
    step["items"]["properties"]["ref"] |= _exactly_one(words.STEP_REFS)
    gate["items"]["properties"]["check"] |= _exactly_one(words.GATE_CHECKS)
    return {
        "runtimeCompat": _field(fields_body.RUNTIME_COMPAT),
        "config": _config(),
        "reviewer": _lane(),
        "runtime": _object(fields_feature.RUNTIME_FIELDS),
        "skills": schema_of(fields_body.STEMS),
        "agents": schema_of(fields_body.STEMS),
        "steps": step,
        "contributions": _entries(fields_feature.CONTRIBUTION_FIELDS),
        "gates": gate,
        "hooks": _entries(fields_body.HOOK_FIELDS),
        "commands": _entries(fields_body.COMMAND_FIELDS),
        "activationKey": {"type": "string"},
        "mcpServers": {"type": "object", "additionalProperties": _object(fields_body.MCP_FIELDS)},
        "$schema": {"type": "string", "description": "Where this schema is, for editors."},
    }


def manifest_schema() -> _Json:
    """The schema of a capability manifest."""
    schema = _object(fields_body.ENVELOPE_FIELDS)
    schema["properties"] |= _bodies()
    only = words.FEATURE_ONLY_FIELDS
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "msd capability manifest",
        **schema,
        "allOf": [
            _when("role", "reviewer", {"required": ["reviewer"], **_forbid("runtime", *only)}),
            _when("role", "runtime", {"required": ["runtime"], **_forbid(*only)}),
            _when(
                "role",
                "feature",
                {"required": ["runtimeCompat", "skills", "agents"], **_forbid("reviewer", "runtime")},
            ),
        ],
    }
