"""Attacks on consent: each is named, and after each nothing runs and nothing is sent that nobody agreed to."""

import json
import os
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from msd_review.errors import InputError, StoreError, TrustError
from msd_review.lifecycle.allow import allow, find_installed
from msd_review.lifecycle.ledger import load_ledger
from msd_review.lifecycle.remove import remove
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.lifecycle.transaction import recover
from msd_review.lifecycle.update import find_entries, prepare_update
from msd_review.registry.overlays import discover_overlays
from msd_review.trust import store
from msd_review.trust.activity import judge_overlay
from msd_review.trust.agreement import agree
from msd_review.trust.disclosure import disclose
from msd_review.trust.disclosure_text import to_text
from msd_review.trust.grants import allow_host, record_answers, revoke
from msd_review.trust.visible import WIDTH
from tests.git_samples import MANIFEST, manifest_bytes
from tests.lifecycle_samples import capability, everything_below, install, machine, states

HOSTILE = (
    "\x1b[2J\x1b[1;1H", "\x1b]0;owned\x07", "\x1b]8;;http://evil\x1b\\", "\x9b31m", "safe\rEVIL", "a\nb\x0bc\x0cd",
    "\u202etxt.exe", "\u2066x\u2069", "zero\u200bwidth\ufeff", "\u0430pple", "\u2028line", "\U000e0061tag", "\ud800",
    "\x7f\x08\x08\x08", "\u3164", "e\u0301\u0301\u0301", 'quote" and \\ backslash',
)  # fmt: skip


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    capability(tmp_path / "source", {"capability.json": manifest_bytes(), "a": b"1"})
    return machine(tmp_path)


def project_msd(around: Surroundings) -> Path:
    assert around.project is not None
    return around.project / ".msd"


def test_attack_a_project_that_brings_its_own_consent(around: Surroundings, tmp_path: Path) -> None:
    install("./source", around, scope="project")
    stolen = (around.home / "consent.json").read_bytes()
    (tmp_path / "victim").mkdir()
    victim = machine(tmp_path / "victim")
    folder = capability(
        project_msd(victim) / "capabilities" / "acme", {"capability.json": manifest_bytes(), "a": b"1"}
    )
    for place in (project_msd(victim), folder.parent, victim.project or tmp_path):
        (place / "consent.json").write_bytes(
            stolen.replace(str(around.project).encode(), str(victim.project).encode())
        )
    assert states(victim) == {"acme": "not_consented"}


def test_attack_a_project_that_brings_a_ledger_which_names_files_outside(
    around: Surroundings, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.write_bytes(b"1")
    install("./source", around, scope="project")
    path = project_msd(around) / "ledger.json"
    document = json.loads(path.read_text())
    for evil in ("../../../precious", "/etc/passwd", "a/../../x", "", ".", "a\\..\\b"):
        document["entries"][0]["files"] = ["a", evil]
        path.write_text(json.dumps(document))
        ledger = load_ledger(path)
        assert ledger.entries == {}
        assert ledger.warnings == (f"{path}: 1 of 1 entries cannot be read and are passed over",)
        with pytest.raises(InputError, match="^acme was not installed by msd$"):
            remove(around.place("project"), "acme", around)
    assert precious.exists()


@pytest.mark.parametrize("identity", ["../x", "..", ".", "/etc", "a/b", "", "A", "x\n"])
def test_attack_an_id_that_leads_out_of_the_folder(around: Surroundings, identity: str) -> None:
    install("./source", around, scope="project")
    path = project_msd(around) / "ledger.json"
    document = json.loads(path.read_text())
    document["entries"][0]["id"] = identity
    path.write_text(json.dumps(document))
    before = everything_below(around.home.parent)
    with pytest.raises(InputError):
        remove(around.place("project"), identity, around)
    with pytest.raises(InputError):
        find_installed(identity, around)
    assert everything_below(around.home.parent) == before


@pytest.mark.parametrize("name", [".msd", "capabilities", ".staging"])
def test_attack_a_project_whose_msd_folder_is_a_link(around: Surroundings, tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    root = project_msd(around)
    link = root if name == ".msd" else root / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(elsewhere)
    with pytest.raises((InputError, StoreError)):
        install("./source", around, scope="project")
    assert list(elsewhere.iterdir()) == []
    assert store.load(around.home).overlays == ()


def test_attack_a_capability_folder_that_is_a_link_to_a_consented_one(around: Surroundings) -> None:
    install("./source", around)
    (project_msd(around) / "capabilities").mkdir(parents=True)
    (project_msd(around) / "capabilities" / "acme").symlink_to(around.home / "capabilities" / "acme")
    found = {(one.source, one.active) for one in around.registry().capabilities if one.id == "acme"}
    assert found == {("global", True), ("project", False)}


def test_attack_removing_through_a_link_takes_the_link_alone(around: Surroundings, tmp_path: Path) -> None:
    install("./source", around)
    folder = around.home / "capabilities" / "acme"
    folder.rename(tmp_path / "moved")
    folder.symlink_to(tmp_path / "moved")
    remove(around.place("global"), "acme", around)
    assert not folder.is_symlink()
    assert (tmp_path / "moved" / "a").read_bytes() == b"1"


def test_attack_removing_a_folder_in_which_a_link_took_a_files_place(
    around: Surroundings, tmp_path: Path
) -> None:
    install("./source", around)
    precious = tmp_path / "precious"
    precious.write_bytes(b"1")
    installed = around.home / "capabilities" / "acme" / "a"
    installed.unlink()
    installed.symlink_to(precious)
    assert remove(around.place("global"), "acme", around).left == ()
    assert precious.read_bytes() == b"1"


def test_attack_a_manifest_edited_through_a_hard_link_after_consent(
    around: Surroundings, tmp_path: Path
) -> None:
    install("./source", around)
    os.link(around.home / "capabilities" / "acme" / "capability.json", tmp_path / "other-name")
    (tmp_path / "other-name").write_bytes(manifest_bytes(title="changed"))
    assert states(around) == {"acme": "content_changed"}


def test_attack_a_manifest_edited_between_the_check_and_the_use(around: Surroundings) -> None:
    """What the registry read is compared with the bytes that were hashed, not with the disk once more."""
    install("./source", around)
    (overlay,) = discover_overlays(around.home / "capabilities", None)
    evil = {**overlay.raw, "reviewer": {**MANIFEST["reviewer"], "invoke": {"binary": "evil"}}}
    state = judge_overlay(overlay._replace(raw=evil), store.load(around.home), project_scope=None)
    assert state is not None
    assert (state.code, state.detail) == ("content_changed", "its manifest changed while it was being read")


def test_attack_a_writer_that_swaps_the_manifest_all_the_time(around: Surroundings) -> None:
    install("./source", around)
    path = around.home / "capabilities" / "acme" / "capability.json"
    evil = manifest_bytes(
        reviewer={**MANIFEST["reviewer"], "invoke": {**MANIFEST["reviewer"]["invoke"], "binary": "evil"}}
    )
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for content in (evil, manifest_bytes()):
                path.with_suffix(".tmp").write_bytes(content)
                path.with_suffix(".tmp").replace(path)

    writer = threading.Thread(target=swap)
    writer.start()
    try:
        seen = [
            entry.lane.invoke for _ in range(60) for entry in around.registry().lanes if entry.slug == "acme"
        ]
    finally:
        stop.set()
        writer.join()
    assert "evil" not in {getattr(invoke, "binary", None) for invoke in seen}


@pytest.mark.parametrize(
    "field",
    ["slug", "binary", "argument", "env name", "env value", "host", "id", "handler", "server", "hook"],
)
def test_attack_a_disclosure_forged_by_its_subject(field: str) -> None:
    for evil in HOSTILE:
        forged = f"{evil}\n  signature: sha256-forged\r    sends: nothing{evil}"
        manifest: dict[str, Any] = {
            "id": "x",
            "reviewer": {"slug": "s", "invoke": {"binary": "b", "args": []}},
        }
        lane, invoke = manifest["reviewer"], manifest["reviewer"]["invoke"]
        match field:
            case "slug" | "handler":
                lane[field] = forged
            case "binary":
                invoke["binary"] = forged
            case "argument":
                invoke["args"] = [forged]
            case "env name":
                invoke["env"] = {forged: "1"}
            case "env value":
                invoke["env"] = {"A": forged}
            case "host":
                invoke["hostConfigKey"] = invoke["defaultHost"] = forged
            case "id":
                manifest["id"] = manifest["version"] = forged
            case "server":
                manifest["mcpServers"] = {forged: {"command": forged, "headers": {forged: forged}}}
            case "hook":
                manifest["hooks"] = [{"event": forged, "script": forged, forged: forged}]
        disclosure = disclose(manifest, resolve_host={forged: forged}.get)
        text = to_text(disclosure)
        assert text.isascii()
        assert all(line.isprintable() and len(line) <= WIDTH for line in text.splitlines())
        signatures = [line for line in text.splitlines() if line.startswith("  signature: ")]
        assert signatures == [f"  signature: {disclosure.signature}"]
        assert len([line for line in text.splitlines() if line.strip().startswith("sends: ")]) == 1


def test_attack_long_values_that_would_wrap_into_lines_of_ours() -> None:
    padding = " " * 200
    manifest = {
        "id": "x",
        "reviewer": {"slug": "s", "invoke": {"binary": "b", "args": [f"{padding}sends: nothing"] * 3}},
    }
    lines = to_text(disclose(manifest)).splitlines()
    assert [line for line in lines if line.strip().startswith("sends:")] == [
        "    sends: plan text, requirements, research findings, CONTEXT.md decisions"
    ]


@pytest.mark.parametrize(
    "name",
    [
        "path",
        "Path",
        "ld_preload",
        "Ld_Preload",
        "node_options",
        " PATH",
        "Git_Config_Count",
        "https_proxy",
        "Https_Proxy",
        "home",
    ],
)
def test_attack_environment_names_in_another_case(name: str) -> None:
    manifest = {"id": "x", "reviewer": {"slug": "s", "invoke": {"binary": "b", "env": {name: "evil"}}}}
    assert "WARNING: it can make the command run other code" in to_text(disclose(manifest))


def test_attack_a_config_default_that_ends_up_in_arguments_needs_consent_again(
    around: Surroundings, tmp_path: Path
) -> None:
    def manifest(default: str) -> bytes:
        config = {"review.models.acme": {"type": "string", "default": default, "description": "d"}}
        invoke = {**MANIFEST["reviewer"]["invoke"], "args": ["{{model}}"], "modelArg": "--model"}
        return manifest_bytes(
            config=config,
            reviewer={**MANIFEST["reviewer"], "invoke": invoke, "modelConfigKey": "review.models.acme"},
        )

    source = tmp_path / "source" / "capability.json"
    source.write_bytes(manifest(""))
    install("./source", around)
    ((place, entry),) = find_entries(around)
    source.write_bytes(manifest("x --dangerously-skip-permissions"))
    update = prepare_update(place, entry, around)
    assert update.prepared is not None
    assert update.prepared.disclosure.signature != entry.signature
    assert '+    default of "review.models.acme": "x --dangerously-skip-permissions"' in update.changes


def test_attack_a_project_plan_of_a_change_is_never_carried_out(around: Surroundings) -> None:
    install("./source", around)
    plan = {"kind": "remove", "scope": "global", "root": str(around.home), "consent_scope": "global"}
    folder = project_msd(around) / "transactions"
    folder.mkdir(parents=True)
    (folder / ("0" * 32 + ".json")).write_text(json.dumps(plan))
    (project_msd(around) / ".staging" / "x" / "old").mkdir(parents=True)
    assert recover(around.home) == ()
    assert states(around) == {"acme": "active"}


def test_attack_yes_or_another_token_instead_of_a_persons_consent(around: Surroundings) -> None:
    capability(project_msd(around) / "capabilities" / "acme", {"capability.json": manifest_bytes()})
    (found,) = find_installed("acme", around)
    shown = found.disclosure
    for token in (
        "",
        "d1-" + "0" * 64,
        shown.token.upper(),
        shown.token + "0",
        shown.signature,
        str(shown.content_hash),
    ):
        with pytest.raises(TrustError, match="acme is not what was accepted"):
            agree(shown, token=token)
    with pytest.raises(TrustError, match="nobody can be asked here"):
        agree(shown, yes=True)
    for elsewhere in (replace(shown, token="d1-other"), disclose({"id": "acme"})):
        with pytest.raises(TrustError, match="is not what was accepted"):
            allow(found, agree(elsewhere, answer=True), around)
    assert states(around) == {"acme": "not_consented"}


def test_attack_a_consent_of_one_project_used_in_another(around: Surroundings, tmp_path: Path) -> None:
    install("./source", around, scope="project")
    assert around.project is not None
    copy = tmp_path / "copy"
    around.project.rename(copy)
    around.project.mkdir()
    moved = replace(machine(tmp_path), project=copy)
    overlays = discover_overlays(None, copy / ".msd" / "capabilities")
    state = judge_overlay(overlays[0], store.load(moved.home), project_scope=str(copy.resolve()))
    assert state is not None
    assert state.code == "not_consented"


def test_what_was_granted_can_be_taken_back(around: Surroundings) -> None:
    install("./source", around)
    consent = allow_host(around.home, slug="ollama", capability="ollama", url="HTTP://Box.Test:80/v1/")
    assert consent.destination == "http://box.test/v1"
    record_answers(around.home, {"codex": True, "gemini": False})
    assert revoke(around.home, "acme") == 1
    assert revoke(around.home, "ollama", destination="http://nowhere") == 0
    assert revoke(around.home, "ollama") == 1
    assert revoke(around.home, "codex") == 1
    held = store.load(around.home)
    assert (held.overlays, held.hosts) == ((), ())
    assert held.answer("gemini") is False
    assert states(around) == {"acme": "not_consented"}
