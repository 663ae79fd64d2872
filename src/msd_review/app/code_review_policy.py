"""The policy of the gate, read from the base revision: a change does not loosen the gate that judges it.

The project's configuration is taken whole from the base where git tracks it, since almost every key of it can weaken a
review: who reviews, with which model, how deep. Where the file is the person's own and never committed, no change can
bring it along; then only what the gate itself is made of is left to the base, which has none.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from msd_review.app.dismissing import MAX_BYTES as MAX_DISMISSALS_BYTES
from msd_review.app.dismissing import dismissals_in
from msd_review.app.world import World
from msd_review.change.model import Change
from msd_review.change.repository import Checkout
from msd_review.change.scope import relative_path
from msd_review.config.layers import MAX_CONFIG_BYTES, flatten, parse_config
from msd_review.consensus.model import Dismissal
from msd_review.edges import files
from msd_review.errors import InputError, UsageError
from msd_review.grounding.index import Tree
from msd_review.report.history import MAX_HISTORY_BYTES, History, read_history

CONFIG_PATH = ".planning/config.json"
GATE_KEYS = ("review.fail_on", "review.default_reviewers", "review.excluded_reviewers")
_MAX_TOLD = 20
_MAX_VALUE = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The world as the base revision wants it, and what the reviewed range would change in it."""

    world: World
    changes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """An earlier review whose concerns are known; `told` says what is odd about it."""

    name: str
    history: History
    told: tuple[str, ...] = ()


def base_policy(world: World, checkout: Checkout, change: Change) -> Policy:
    """The world with the project's configuration of the base. Raises ConfigError for one that cannot be read there."""
    if change.policy_commit is None:
        return Policy(world=world)
    project = next((layer for layer in world.config.layers if layer.name == "project"), None)
    now = project.data if project is not None else {}
    at_base = _config_at(checkout, change.policy_commit)
    if at_base is None and not _is_tracked(checkout, CONFIG_PATH):
        held: Mapping[str, Any] = _without(now, GATE_KEYS)
    else:
        held = at_base or {}
    layers = tuple(
        replace(layer, data=held) if layer.name == "project" else layer for layer in world.config.layers
    )
    told = tuple(_differences(world, before=held, after=now, base=change.base_name))
    return Policy(world=replace(world, config=replace(world.config, layers=layers)), changes=told[:_MAX_TOLD])


def _config_at(checkout: Checkout, commit: str) -> dict[str, Any] | None:
    raw = checkout.file_at(commit, CONFIG_PATH, limit=MAX_CONFIG_BYTES)
    if raw is None:
        return None
    text = raw.decode("utf-8-sig", "replace")
    return parse_config(text, where=f"{CONFIG_PATH} at {commit[:12]}") if text.strip() else {}


def _is_tracked(checkout: Checkout, path: str) -> bool:
    return checkout.line("ls-files", "--cached", "--", path) is not None


def _without(data: Mapping[str, Any], keys: tuple[str, ...], prefix: str = "") -> dict[str, Any]:
    """A configuration without some dotted keys, whether they are written nested or flat."""
    kept: dict[str, Any] = {}
    for name, value in data.items():
        key = f"{prefix}{name}"
        if key in keys:
            continue
        kept[name] = _without(value, keys, f"{key}.") if isinstance(value, dict) else value
    return kept


def _differences(
    world: World, *, before: Mapping[str, Any], after: Mapping[str, Any], base: str
) -> Iterator[str]:
    schema = world.config.schema
    old, new = dict(flatten(before, schema)), dict(flatten(after, schema))
    for key in sorted({*old, *new}, key=lambda key: (key not in GATE_KEYS, key)):
        if old.get(key) != new.get(key):
            was, now = _shown(old, key), _shown(new, key)
            yield f"The reviewed range sets {key} to {now}; {base} has {was}, and that holds for this review."


def _shown(values: Mapping[str, Any], key: str) -> str:
    return f"{values[key]!r}"[:_MAX_VALUE] if key in values else "nothing"


def base_dismissals(
    checkout: Checkout, change: Change, path: Path, tree: Tree
) -> tuple[tuple[Dismissal, ...], tuple[str, ...]]:
    """The dismissals that the base revision holds, and what the reviewed range changes in them."""
    if change.policy_commit is None or not path.is_relative_to(change.root):
        return (dismissals_in(_bytes(path, MAX_DISMISSALS_BYTES), str(path), tree), ())
    name = path.relative_to(change.root).as_posix()
    held = checkout.file_at(change.policy_commit, name, limit=MAX_DISMISSALS_BYTES)
    told = _altered(path, held, name, base=change.base_name, limit=MAX_DISMISSALS_BYTES)
    return dismissals_in(held, f"{name} at {change.base_name}", tree), told


def base_baseline(checkout: Checkout, change: Change, path: Path) -> Baseline:
    """The baseline that a person names: of the base revision where it lies in the project, else from disk.

    Raises InputError for a file outside the project that cannot be read.
    """
    try:
        name = relative_path(change.root, path)
    except UsageError:
        return _from_disk(path)
    if change.policy_commit is None:
        return _from_disk(path)
    held = checkout.file_at(change.policy_commit, name, limit=MAX_HISTORY_BYTES)
    told = _altered(change.root / name, held, name, base=change.base_name, limit=MAX_HISTORY_BYTES)
    if held is None:
        missing = f"The baseline {name} is not in {change.base_name}, so every concern counts as new."
        return Baseline(name=name, history=History(), told=(missing,))
    history = read_history(held)
    return Baseline(name=name, history=history, told=(*told, *history.warnings))


def _from_disk(path: Path) -> Baseline:
    raw = _bytes(path, MAX_HISTORY_BYTES)
    if raw is None:
        raise InputError(f"--baseline {path}: cannot be read")
    history = read_history(raw)
    return Baseline(name=str(path), history=history, told=history.warnings)


def _bytes(path: Path, limit: int) -> bytes | None:
    try:
        return files.read_bounded(path, limit)
    except OSError:
        return None


def _altered(path: Path, held: bytes | None, name: str, *, base: str, limit: int) -> tuple[str, ...]:
    now = _bytes(path, limit)
    if now is None and held is None or _digest(now) == _digest(held):
        return ()
    what = "adds" if held is None else "removes" if now is None else "changes"
    return (f"The reviewed range {what} {name}; for this review what {base} has holds.",)


def _digest(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()
