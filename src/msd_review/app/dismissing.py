"""Concerns that people set aside: kept beside the plan, honoured in every later cycle, void when the code changes."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msd_review.app.places import beside
from msd_review.app.world import World
from msd_review.consensus.model import Dismissal
from msd_review.edges import clock, files
from msd_review.errors import InputError, StoreError
from msd_review.grounding.index import Tree, open_tree
from msd_review.prompt.artifacts import list_phases
from msd_review.prompt.model import ReviewSubject

SCHEMA = "msd.dismissals/1"
MAX_BYTES = 8 * 1024 * 1024
MAX_REVIEWS = 2_000  # REVIEWS files that are looked through for an id


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissed:
    """What was set aside, and where that is kept."""

    id: str
    title: str
    path: Path


def dismissals_path(reviews_json: Path) -> Path:
    """The file that keeps the dismissals of a `…REVIEWS.json` (plans) or a `…REVIEW.json` (a change), beside it."""
    name = reviews_json.name
    if name.endswith("REVIEW.json"):
        return reviews_json.with_name(name.replace("REVIEW.json", "REVIEW.DISMISSALS.json"))
    return reviews_json.with_name(name.replace("REVIEWS.json", "DISMISSALS.json"))


def path_for(subject: ReviewSubject) -> Path:
    """The file that keeps the dismissals of a subject."""
    folder, stem = beside(subject)
    return dismissals_path(folder / f"{stem}.json")


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        content = files.read_bounded(path, MAX_BYTES)
    except FileNotFoundError:
        return []
    except OSError as problem:
        raise _unreadable(str(path), problem) from None
    return _entries(content, str(path))


def _entries(content: bytes, where: str) -> list[dict[str, Any]]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as problem:
        raise _unreadable(where, problem) from None
    listed = document.get("dismissals") if isinstance(document, dict) else None
    if not isinstance(listed, list) or document.get("schema") != SCHEMA:
        raise StoreError(f"{where} holds no dismissals of this version ({SCHEMA})")
    return [one for one in listed if isinstance(one, dict) and isinstance(one.get("id"), str)]


def _unreadable(where: str, problem: Exception) -> StoreError:
    return StoreError(f"{where}: cannot be read: {problem}", hint="mend it, or remove it to start anew")


def _fingerprint(tree: Tree, place: str) -> str:
    path, _, lines = place.partition("#")
    text = tree.read(path)
    if not isinstance(text, str):
        return ""
    first, _, last = lines.partition("-")
    if first.isdigit() and last.isdigit():
        text = "\n".join(text.split("\n")[int(first) - 1 : int(last)])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def load_dismissals(path: Path, tree: Tree) -> tuple[Dismissal, ...]:
    """The dismissals in a file, each with what its cited code looks like now. Raises StoreError."""
    return _dismissals(_read(path), tree)


def dismissals_in(content: bytes | None, where: str, tree: Tree) -> tuple[Dismissal, ...]:
    """The same of a file's content, none where there is no file; `where` is what messages call it."""
    return () if content is None else _dismissals(_entries(content, where), tree)


def _dismissals(entries: Iterable[Mapping[str, Any]], tree: Tree) -> tuple[Dismissal, ...]:
    return tuple(
        Dismissal(
            id=one["id"],
            because=_text(one.get("because")),
            title=_text(one.get("title")),
            fingerprints=(kept := _strings(one.get("fingerprints"))),
            current={place: _fingerprint(tree, place) for place in kept},
        )
        for one in entries
    )


def _strings(value: Any) -> dict[str, str]:
    pairs = value.items() if isinstance(value, Mapping) else ()
    return {name: mark for name, mark in pairs if isinstance(name, str) and isinstance(mark, str)}


def reviews_of(root: Path) -> Iterable[Path]:
    """Every review document of plans and of changes that lies in its usual place."""
    folders = [phase.folder for phase in list_phases(root)]
    for folder in (root, root / ".planning", *folders):
        if folder.is_dir():
            yield from sorted((*folder.glob("*REVIEWS.json"), *folder.glob("*REVIEW.json")))


def _find(root: Path, identity: str) -> tuple[Path, dict[str, Any], list[dict[str, Any]]]:
    for path in list(reviews_of(root))[:MAX_REVIEWS]:
        try:
            document = json.loads(files.read_bounded(path, 64 * 1024 * 1024))
        except (OSError, ValueError, RecursionError):
            continue
        if not isinstance(document, dict):
            continue
        clusters = document.get("clusters")
        findings = document.get("findings")
        for cluster in clusters if isinstance(clusters, list) else ():
            if isinstance(cluster, dict) and cluster.get("id") == identity:
                return path, cluster, findings if isinstance(findings, list) else []
    raise InputError(
        f"no concern of a review in this project has the id {identity!r}",
        hint="the ids stand beside each concern in REVIEWS.md (C-…)",
    )


def _places(cluster: Mapping[str, Any], findings: Iterable[Any]) -> list[str]:
    members = cluster.get("findings")
    wanted = set(members) if isinstance(members, list) else set()
    places: list[str] = []
    for finding in findings:
        if not isinstance(finding, dict) or finding.get("id") not in wanted:
            continue
        for citation in finding.get("citations") or ():
            resolved, line = citation.get("resolved"), citation.get("line")
            if isinstance(resolved, str) and citation.get("verdict") in {"verified", "moved"}:
                end = citation.get("end_line") or line
                places.append(f"{resolved}#{line}-{end}" if isinstance(line, int) else resolved)
    return list(dict.fromkeys(places))


def dismiss(world: World, identity: str, because: str) -> Dismissed:
    """Sets a concern aside, with the reason. Raises InputError for an unknown id or an empty reason."""
    if not because.strip():
        raise InputError("a dismissal needs a reason", hint='--because "why it is no concern"')
    root = world.root.required()
    path, cluster, findings = _find(root, identity)
    tree = open_tree(root)
    target = dismissals_path(path)
    kept = [one for one in _read(target) if one["id"] != identity]
    entry = {
        "id": identity,
        "title": _text(cluster.get("title")),
        "because": because.strip(),
        "time": clock.iso(clock.now()),
        "fingerprints": {place: _fingerprint(tree, place) for place in _places(cluster, findings)},
    }
    _write(target, [*kept, entry])
    return Dismissed(id=identity, title=_text(cluster.get("title")), path=target)


def restore(world: World, identity: str) -> Dismissed:
    """Takes a dismissal back. Raises InputError where there is none."""
    root = world.root.required()
    path, cluster, _ = _find(root, identity)
    target = dismissals_path(path)
    kept = _read(target)
    left = [one for one in kept if one["id"] != identity]
    if len(left) == len(kept):
        raise InputError(f"{identity} is not dismissed")
    _write(target, left)
    return Dismissed(id=identity, title=_text(cluster.get("title")), path=target)


def _write(path: Path, entries: list[dict[str, Any]]) -> None:
    content = json.dumps({"schema": SCHEMA, "dismissals": entries}, ensure_ascii=False, indent=2) + "\n"
    try:
        files.write_atomic(path, content.encode("utf-8", "replace"))
    except OSError as problem:
        raise StoreError(f"{path}: cannot be written: {problem.strerror or problem}") from None
