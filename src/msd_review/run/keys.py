"""What makes two calls of a lane the same call: a hash of all that its answer depends on. Pure.

The paths that differ from run to run (prompt file, output file, working folder, the run's own folder) are
left out; the prompt's content and the tree's state are in. The deadline is not: more patience does not
change an answer that came.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

from msd_review.invocation import HttpInvocation, Invocation, SpawnInvocation

_VERSION = 1


def lane_key(invocation: Invocation, *, prompt: bytes, tree_state: str, run_folder: Path) -> str:
    """`sha256-…` of the call, the prompt and the tree.

    `tree_state` is whatever identifies the content that a reviewer can read (for a copy, of what was copied).
    """
    call = (
        _spawn_call(invocation, run_folder)
        if isinstance(invocation, SpawnInvocation)
        else _http_call(invocation)
    )
    record = {
        "version": _VERSION,
        "call": call,
        "prompt": hashlib.sha256(prompt).hexdigest(),
        "tree": tree_state,
    }
    text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return f"sha256-{hashlib.sha256(text.encode()).hexdigest()}"


def _spawn_call(invocation: SpawnInvocation, run_folder: Path) -> dict[str, object]:
    names = {
        "<prompt>": invocation.prompt_path,
        "<output>": invocation.output_path,
        "<work>": invocation.working_folder,
        "<run>": run_folder,
    }
    paths = {str(path): name for name, path in names.items() if path is not None}
    return {
        "identity": invocation.identity,
        "slug": invocation.lane.slug,
        "handler": invocation.lane.handler,
        "argv": [_without_paths(word, paths) for word in invocation.argv],
        "stdin": invocation.stdin,
        "env": {name: _without_paths(value, paths) for name, value in invocation.env.items()},
        "pin_env": list(invocation.pin_env),
        "model": invocation.model,
        "effort": invocation.effort,
        "invoke": _plain(invocation.invoke),
    }


def _http_call(invocation: HttpInvocation) -> dict[str, object]:
    return {
        "identity": invocation.identity,
        "slug": invocation.lane.slug,
        "handler": invocation.lane.handler,
        "host": invocation.host,
        "url": invocation.url,
        "models_url": invocation.models_url,
        "model": invocation.model,
        "fallback_model": invocation.fallback_model,
        "max_tokens": invocation.max_tokens,
        "invoke": _plain(invocation.invoke),
    }


def _without_paths(text: str, paths: Mapping[str, str]) -> str:
    """Longest first: the prompt's path may lie below the run's."""
    for path in sorted(paths, key=len, reverse=True):
        if len(path) > 1:
            text = text.replace(path, paths[path])
    return text


def _plain(value: object) -> object:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value
