"""Installed capabilities for tests: folders with a manifest, as an install leaves them."""

import copy
import json
from pathlib import Path
from typing import Any

from msd_review.registry import Overlay, Registry, discover_overlays, first_party, load_registry

LANE: dict[str, Any] = {
    "id": "acme",
    "role": "reviewer",
    "version": "1.0.0",
    "title": "Acme",
    "description": "Reviews plans with Acme.",
    "tier": "full",
    "requires": [],
    "reviewer": {
        "slug": "acme",
        "flags": ["--acme"],
        "transport": "spawn",
        "probe": {"kind": "command-exists", "binary": "acme"},
        "invoke": {"binary": "acme", "args": ["-"], "promptChannel": "stdin", "outputChannel": "stdout"},
        "timeoutFloorMs": 60000,
        "emptyOutput": "stub-with-stderr",
        "reviewsSection": "Acme",
        "evidenceClass": "source-grounded",
    },
}


def lane_manifest(name: str, **lane: Any) -> dict[str, Any]:
    """A valid lane capability whose id, slug, flag and section are all made from `name`."""
    manifest = copy.deepcopy(LANE)
    manifest["id"] = name
    manifest["reviewer"] |= {"slug": name, "flags": [f"--{name}"], "reviewsSection": name.title()} | lane
    return manifest


def feature_manifest(name: str, **fields: Any) -> dict[str, Any]:
    """A valid feature without steps."""
    envelope = {key: value for key, value in LANE.items() if key != "reviewer"}
    body = {"runtimeCompat": {"supported": ["*"]}, "skills": [], "agents": []}
    return copy.deepcopy({**envelope, **body, "id": name, "role": "feature", **fields})


def install(folder: Path, *manifests: dict[str, Any]) -> Path:
    """Writes each manifest into its folder below `folder`, and returns that."""
    for manifest in manifests:
        home = folder / manifest["id"]
        home.mkdir(parents=True)
        (home / "capability.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def overlays(tmp_path: Path, *, at_home: Any = (), in_project: Any = ()) -> tuple[Overlay, ...]:
    """The overlays of two scopes, installed and discovered."""
    home, project = tmp_path / "home", tmp_path / "project"
    return discover_overlays(install(home, *at_home), install(project, *in_project))


def registry_of(found: tuple[Overlay, ...]) -> Registry:
    """The registry with every overlay consented to."""
    return load_registry(first_party(), found, is_active=lambda overlay: None)
