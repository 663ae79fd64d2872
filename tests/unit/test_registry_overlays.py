"""Installed capabilities: whatever lies there is read within bounds, judged, and lost alone when it is broken."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from msd_review.manifest.decode import decode_bytes
from msd_review.outcomes import Reason
from msd_review.registry import discover_overlays, first_party, load_registry
from msd_review.registry.reading import read_manifest
from tests.registry_files import feature_manifest, install, lane_manifest, overlays, registry_of


def _one(folder: Path, content: bytes) -> Any:
    home = folder / "acme"
    home.mkdir(parents=True)
    (home / "capability.json").write_bytes(content)
    (found,) = discover_overlays(folder, None)
    return found


def test_a_valid_overlay_is_everywhere_a_shipped_lane_is(tmp_path: Path) -> None:
    registry = registry_of(overlays(tmp_path, at_home=[lane_manifest("acme")]))
    assert registry.slugs[-2:] == ("grounding", "acme")
    assert "--acme" in registry.flags
    entry = registry.lane_of_flag("--acme")
    assert entry is not None
    assert (entry.section, entry.capability.source) == ("Acme", "global")


def test_overlays_follow_the_shipped_lanes_by_id(tmp_path: Path) -> None:
    found = overlays(tmp_path, at_home=[lane_manifest("zulu")], in_project=[lane_manifest("alpha")])
    assert registry_of(found).slugs[-2:] == ("alpha", "zulu")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "line 1, column 2: expecting property name enclosed in double quotes"),
        (b"[]", "a manifest is a JSON object, not an empty array"),
        (json.dumps(lane_manifest("beta")).encode(), '`id` is "beta", but its folder is named "acme"'),
        (b" " * (8 * 1024 * 1024 + 1), "larger than 8388608 bytes"),
        (
            b'{"id": "acme", "role": "oracle"}',
            '`role` must be one of `feature`, `runtime`, `reviewer`, not "oracle"',
        ),
        (
            json.dumps({"id": "acme", "role": "oracle", "engines": {"msd": ">=2.0.0"}}).encode(),
            'needs a manifest contract of ">=2.0.0"; this msd has 1.12.0',
        ),
    ],
)
def test_a_broken_overlay_is_lost_alone_and_said(tmp_path: Path, content: bytes, message: str) -> None:
    broken = _one(tmp_path / "a", content)
    assert broken.problem.message == message
    found = (broken, *discover_overlays(install(tmp_path / "b", lane_manifest("other")), None))
    registry = registry_of(found)
    assert registry.lane("other") is not None
    assert registry.notices[0].message == message
    assert registry.notices[0].capabilities == ("acme",)


def test_an_overlay_for_a_newer_version_names_the_one_that_would_work(tmp_path: Path) -> None:
    manifest = lane_manifest("acme") | {"engines": {"msd": "^2.0.0"}, "compatVersions": {"0.9.0": "^1.6.0"}}
    (found,) = overlays(tmp_path, at_home=[manifest])
    assert found.problem is not None
    assert found.problem.code == "engines.incompatible"
    assert found.problem.message == 'needs a manifest contract of "^2.0.0"; this msd has 1.12.0'
    assert found.problem.hint == "version 0.9.0 of it would work here"


def test_a_link_in_a_capability_s_place_is_refused(tmp_path: Path) -> None:
    real = install(tmp_path / "elsewhere", lane_manifest("acme"))
    (tmp_path / "caps" / "beta").mkdir(parents=True)
    (tmp_path / "caps" / "acme").symlink_to(real / "acme")
    (tmp_path / "caps" / "beta" / "capability.json").symlink_to(real / "acme" / "capability.json")
    found = discover_overlays(tmp_path / "caps", None)
    assert [one.problem and one.problem.message for one in found] == [
        "the manifest cannot be read: acme is a link",
        "the manifest cannot be read: capability.json is a link",
    ]


def test_a_pipe_in_a_manifest_s_place_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    os.mkfifo(tmp_path / "acme" / "capability.json")
    (found,) = discover_overlays(tmp_path, None)
    assert found.problem is not None
    assert found.problem.message == "the manifest cannot be read: capability.json is no regular file"


def test_a_folder_without_a_manifest_is_said(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    (found,) = discover_overlays(tmp_path, None)
    assert found.problem is not None
    assert found.problem.message == "the manifest cannot be read: capability.json: no such file or directory"


def test_hidden_folders_and_files_are_no_capabilities(tmp_path: Path) -> None:
    install(tmp_path, lane_manifest("acme"))
    (tmp_path / ".staging").mkdir()
    (tmp_path / "README.md").write_text("x", encoding="utf-8")
    assert [one.id for one in discover_overlays(tmp_path, None)] == ["acme"]


def test_a_folder_that_is_both_scopes_counts_as_the_project_s(tmp_path: Path) -> None:
    folder = install(tmp_path / "caps", lane_manifest("acme"))
    (tmp_path / "same").symlink_to(folder)
    assert [one.scope for one in discover_overlays(tmp_path / "same", folder)] == ["project"]


def test_a_missing_folder_holds_nothing(tmp_path: Path) -> None:
    assert discover_overlays(tmp_path / "none", None) == ()


def test_nothing_installed_is_active_without_trust_s_word(tmp_path: Path) -> None:
    registry = load_registry(first_party(), overlays(tmp_path, at_home=[lane_manifest("acme")]))
    assert registry.lane("acme") is None
    lane = registry.inactive_lane_of_flag("--ACME")
    assert lane is not None
    assert (lane.slug, lane.reason) == ("acme", Reason.NOT_CONSENTED)
    assert lane.detail == (
        "the capability acme (global) is not active: nobody on this machine has agreed to it"
    )
    assert lane.hint == "see what it does, and decide: msd capability trust allow acme"
    assert "--acme" in registry.flags
    assert [owner for owner, _ in registry.config_keys if owner == "acme"] == []


def test_a_broken_lane_is_still_known_by_its_well_formed_names(tmp_path: Path) -> None:
    manifest = lane_manifest("acme", flags=["--acme", "--json", "--Bad", 7], timeoutFloorMs=0)
    registry = registry_of(overlays(tmp_path, at_home=[manifest]))
    lane = registry.inactive_lane("acme")
    assert lane is not None
    assert (lane.flags, lane.reason) == (("--acme",), Reason.CAPABILITY_INACTIVE)


def test_a_lane_that_is_not_active_takes_no_name_from_one_that_is(tmp_path: Path) -> None:
    thief = lane_manifest("thief", slug="codex", flags=["--codex"])
    registry = load_registry(first_party(), overlays(tmp_path, in_project=[thief]))
    assert registry.inactive_lane("codex") is None
    assert registry.inactive_lane_of_flag("--codex") is None
    entry = registry.lane("codex")
    assert entry is not None
    assert entry.capability.source == "first-party"


def test_the_old_alias_names_a_lane_that_cannot_run(tmp_path: Path) -> None:
    body = {
        "configHome": {"kind": "dot-home", "name": ".acme"}, "localConfigDir": ".acme", "configFormat": "none",
        "artifactLayout": {"global": [], "local": []}, "commandStyle": "slash-hyphen", "hooksSurface": "none",
        "sandboxTier": "none", "supportTier": 2, "installSurface": "profile-marker-only",
        "writesSharedSettings": False, "hostBehaviors": {"reviewerCli": True},
    }  # fmt: skip
    envelope = {key: value for key, value in lane_manifest("acme").items() if key != "reviewer"}
    registry = registry_of(overlays(tmp_path, at_home=[envelope | {"role": "runtime", "runtime": body}]))
    lane = registry.inactive_lane("acme")
    assert lane is not None
    assert (lane.flags, lane.reason) == (("--acme",), Reason.MALFORMED_LANE)
    assert [notice.code for notice in registry.notices] == ["runtime.alias"]
    both = lane_manifest("beta") | {"role": "runtime", "runtime": body}
    registry = registry_of(overlays(tmp_path / "2", at_home=[both]))
    assert registry.inactive_lane("beta") is None
    assert registry.slugs.count("beta") == 1


def test_a_fragment_must_lie_in_the_capability(tmp_path: Path) -> None:
    step = {"point": "plan:post", "ref": {"command": "x"}, "produces": [], "consumes": [], "onError": "skip"}
    steps = [step | {"fragment": {"path": name}} for name in ("a.md", "b.md", "c.md")]
    folder = install(tmp_path, feature_manifest("acme", steps=steps)) / "acme"
    (folder / "a.md").write_text("x", encoding="utf-8")
    (folder / "b.md").symlink_to("/etc/passwd")
    decoded = read_manifest(folder)
    assert decoded.manifest is None
    assert [(one.path, one.message) for one in decoded.errors] == [
        ("/steps/1/fragment/path", 'the fragment "b.md" is no regular file of the capability'),
        ("/steps/2/fragment/path", 'the fragment "c.md" is not there'),
    ]
    (found,) = discover_overlays(tmp_path, None)
    assert found.problem == decoded.errors[0]


def test_a_file_of_another_name_has_no_folder_to_agree_with(tmp_path: Path) -> None:
    path = tmp_path / "draft.json"
    path.write_text(json.dumps(lane_manifest("acme")), encoding="utf-8")
    assert read_manifest(path).problems == ()
    assert decode_bytes(path.read_bytes()).manifest == read_manifest(path).manifest
