"""Capabilities for people: checking one, starting one, listing what is installed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msd_review.app.world import World
from msd_review.errors import InputError
from msd_review.lazy import regex
from msd_review.manifest.decode import parse_bytes
from msd_review.manifest.json_schema import manifest_schema
from msd_review.manifest.merged import Member, check_set
from msd_review.manifest.problems import Problem
from msd_review.registry import MANIFEST_NAME, RANK, Capability, first_party
from msd_review.registry.reading import read_manifest, read_manifest_bytes

_ID = regex(r"[a-z][a-z0-9-]*")
SCHEMA_NAME = "capability.schema.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """Everything there is to say about a manifest, or about each of a folder of them."""

    problems: tuple[tuple[str, Problem], ...]  # (which manifest, the problem)

    @property
    def ok(self) -> bool:
        """Whether no error was found."""
        return all(problem.is_warning for _, problem in self.problems)

    def as_json(self) -> dict[str, Any]:
        """The `msd.validation/1` document."""
        return {
            "schema": "msd.validation/1",
            "ok": self.ok,
            "errors": [_entry(place, p) for place, p in self.problems if not p.is_warning],
            "warnings": [_entry(place, p) for place, p in self.problems if p.is_warning],
        }


def _entry(place: str, problem: Problem) -> dict[str, Any]:
    return {
        "code": problem.code,
        "path": problem.path,
        "message": problem.message,
        "hint": problem.hint,
        "manifest": place,
    }


def validate(path: Path) -> Validation:
    """Checks a manifest file, a capability's folder, or a folder of capabilities with the rules that join them."""
    if not path.exists():
        raise InputError(
            f"{path} does not exist", hint="name a capability.json, its folder, or a folder of capabilities"
        )
    if path.is_dir() and not (path / MANIFEST_NAME).exists():
        return _validate_set(path)
    return Validation(problems=tuple((str(path), problem) for problem in _check_one(path)))


def _check_one(path: Path) -> tuple[Problem, ...]:
    shipped = {capability.folder.resolve() for capability in first_party()}
    folder = path if path.is_dir() else path.parent
    known = frozenset(key for capability in first_party() for key in capability.raw.get("config", ()))
    return read_manifest(path, third_party=folder.resolve() not in shipped, known_keys=known).problems


def _validate_set(folder: Path) -> Validation:
    members = sorted(child for child in folder.iterdir() if (child / MANIFEST_NAME).exists())
    if not members:
        raise InputError(f"{folder} holds no {MANIFEST_NAME}", hint="`msd capability new ID` writes one")
    found = [(member.name, problem) for member in members for problem in _check_one(member)]
    broken = {name for name, problem in found if not problem.is_warning}
    values = {member.name: _value(member) for member in members if member.name not in broken}
    joined = [
        Member(order=(RANK["project"], name, name), value=value, label=name)
        for name, value in values.items()
        if isinstance(value, Mapping)
    ]
    ids = {member.id for member in joined}
    shipped = [
        Member(order=(0, one.id, ""), value=one.raw, label=one.label)
        for one in first_party()
        if one.id not in ids
    ]
    if not _is_first_party(folder):
        joined = [*shipped, *joined]
    clashes = [(", ".join(m.label for m in clash.members), clash.problem) for clash in check_set(joined)]
    return Validation(problems=(*found, *clashes))


def _is_first_party(folder: Path) -> bool:
    return any(capability.folder.parent.resolve() == folder.resolve() for capability in first_party())


def _value(member: Path) -> Any:
    raw = read_manifest_bytes(member / MANIFEST_NAME)
    return parse_bytes(raw)[0] if isinstance(raw, bytes) else None


def starting_point(identity: str, *, http: bool) -> dict[str, Any]:
    """A valid manifest to start a lane from. Raises InputError for an id that could not be used."""
    if not _ID.fullmatch(identity):
        raise InputError(f"{identity!r} is no id: lower-case letters, digits and hyphens, a letter first")
    slug = identity
    value: dict[str, Any] = {
        "$schema": f"./{SCHEMA_NAME}",
        "id": identity,
        "role": "reviewer",
        "version": "0.1.0",
        "title": identity.replace("-", " ").title(),
        "description": f"Reviews with {identity}.",
        "tier": "full",
        "requires": [],
        "engines": {"msd": ">=1.12.0"},
        "reviewer": _http_body(slug) if http else _spawn_body(slug),
        "config": {
            f"review.models.{slug}": {
                "type": "string",
                "default": "",
                "description": "Model of this reviewer.",
            }
        },
    }
    if http:
        value["config"][f"review.{slug}_host"] = {
            "type": "string",
            "default": "",
            "description": "Base URL of this reviewer's server.",
        }
    return value


def _shared_body(slug: str) -> dict[str, Any]:
    return {
        "emptyOutput": "stub-with-stderr",
        "reviewsSection": slug.replace("-", " ").title(),
        "evidenceClass": "source-grounded",
        "requiresBinaries": [],
        "promptBudgetKey": None,
        "modelConfigKey": f"review.models.{slug}",
        "installHint": f"how to get {slug}, in one line",
    }


def _spawn_body(slug: str) -> dict[str, Any]:
    return {
        "slug": slug,
        "flags": [f"--{slug}"],
        "transport": "spawn",
        "probe": {"kind": "command-exists", "binary": slug},
        "invoke": {
            "binary": slug,
            "args": ["review", "{{model}}", "-"],
            "promptChannel": "stdin",
            "outputChannel": "stdout",
            "modelArg": "--model",
            "effortChannel": "none",
            "posture": "unrestricted",
        },
        "timeoutFloorMs": 900000,
        **_shared_body(slug),
        "handler": None,
    }


def _http_body(slug: str) -> dict[str, Any]:
    key = f"review.{slug}_host"
    return {
        "slug": slug,
        "flags": [f"--{slug}"],
        "transport": "openai-http",
        "probe": {"kind": "http-reachable", "hostConfigKey": key, "path": "/v1/models", "timeoutMs": 2000},
        "invoke": {
            "hostConfigKey": key,
            "defaultHost": "http://localhost:8000",
            "path": "/v1/chat/completions",
            "modelDiscovery": "first-from-models-endpoint",
            "effortChannel": "none",
        },
        "timeoutFloorMs": 120000,
        **_shared_body(slug),
        "handler": "openai-compatible",
    }


def create(identity: str, *, http: bool, parent: Path) -> tuple[Path, Path]:
    """Writes a starting manifest, and beside it the schema that it names for editors, into a new folder.

    Never over an existing one. The schema is a help while writing; a published capability needs none.
    """
    value = starting_point(identity, http=http)
    folder = parent / identity
    manifest, schema = folder / MANIFEST_NAME, folder / SCHEMA_NAME
    try:
        folder.mkdir()
        for path, content in ((manifest, value), (schema, manifest_schema())):
            path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    except FileExistsError:
        raise InputError(
            f"{folder} exists already", hint="choose another id, or go to another folder"
        ) from None
    except OSError as problem:
        raise InputError(f"{folder}: cannot be written: {problem.strerror or problem}") from None
    return manifest, schema


def capability_json(capability: Capability) -> dict[str, Any]:
    """One entry of the `msd.capability-list/1` document."""
    raw = capability.raw
    return {
        "id": capability.id,
        "role": raw.get("role") if isinstance(raw.get("role"), str) else None,
        "version": raw.get("version") if isinstance(raw.get("version"), str) else None,
        "title": raw.get("title") if isinstance(raw.get("title"), str) else None,
        "source": "first-party" if capability.source == "first-party" else "installed",
        "scope": None if capability.source == "first-party" else capability.source,
        "folder": None if capability.source == "first-party" else str(capability.folder),
        "state": "active" if capability.active else "inactive",
        "reason": capability.inactive_reason,
        "detail": capability.detail,
        "hint": capability.hint,
    }


def list_json(world: World) -> dict[str, Any]:
    """The `msd.capability-list/1` document: every capability, and what loading them had to say."""
    return {
        "schema": "msd.capability-list/1",
        "capabilities": [capability_json(one) for one in world.registry.capabilities],
        "notices": [
            {"code": n.code, "capabilities": list(n.capabilities), "message": n.message, "hint": n.hint}
            for n in world.registry.notices
        ],
    }


def matrix() -> str:
    """A Markdown table of every shipped capability, for the docs."""
    lines = [
        "| capability | role | lane | flags | transport | posture | provider | sees |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for capability in first_party():
        lane = capability.manifest.reviewer
        cells = [f"`{capability.id}`", capability.manifest.role]
        if lane is None:
            cells += ["–"] * 6
        else:
            posture = getattr(lane.invoke, "posture", "–")
            flags = " ".join(f"`{flag}`" for flag in lane.flags)
            sees = "the diff" if lane.evidence_class == "diff-only" else "the plan and the source"
            cells += [f"`{lane.slug}`", flags, lane.transport, posture, lane.provider or "–", sees]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
