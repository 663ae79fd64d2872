"""Installing, updating, inspecting and removing a capability."""

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from msd_review.errors import InputError, SourceError, StoreError, TrustError, UsageError
from msd_review.lifecycle import kept
from msd_review.lifecycle.allow import allow, find_installed
from msd_review.lifecycle.fetch import fetch
from msd_review.lifecycle.install import commit_install, prepare_install
from msd_review.lifecycle.ledger import load_ledger
from msd_review.lifecycle.outdated import find_outdated
from msd_review.lifecycle.prepare import InvalidCapability
from msd_review.lifecycle.remove import remove
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.lifecycle.update import find_entries, prepare_update
from msd_review.sources.spec import parse_spec
from msd_review.trust import store
from msd_review.trust.agreement import agree
from tests.archive_samples import ordinary
from tests.git_samples import MANIFEST, commit, git, make_repository, manifest_bytes
from tests.lifecycle_samples import capability, everything_below, install, machine, states
from tests.servers.loopback import Server, https_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with https_server(tmp_path) as running:
        running.serve_git(tmp_path / "served")
        yield running


@pytest.fixture
def around(tmp_path: Path) -> Surroundings:
    return machine(tmp_path)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return capability(
        tmp_path / "source", {"capability.json": manifest_bytes(), "docs/README.md": b"read me"}
    )


def lane(**changed: Any) -> dict[str, Any]:
    return {**MANIFEST["reviewer"], **changed}


def test_an_installed_capability_is_active_recorded_and_consented_to(
    around: Surroundings, source: Path
) -> None:
    installed = install("./source", around)
    folder = around.home / "capabilities" / "acme"
    assert states(around) == {"acme": "active"}
    assert {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == {
        "capability.json": manifest_bytes(),
        "README.md": b"read me",
    }
    entry = load_ledger(around.home / "ledger.json").entry("acme")
    assert entry == installed.entry
    assert entry is not None
    assert (entry.kind, entry.spec, entry.version) == ("local", str(source), "1.0.0")
    assert entry.files == ("capability.json", "docs/README.md")
    consent = store.load(around.home).overlay("global", "acme")
    assert consent is not None
    assert (consent.content_hash, consent.signature) == (entry.content_hash, entry.signature)


def test_nothing_else_is_left_after_an_installation(around: Surroundings, source: Path) -> None:
    install("./source", around)
    assert set(everything_below(around.home)) == {
        "capabilities",
        "capabilities/acme",
        "capabilities/acme/capability.json",
        "capabilities/acme/docs",
        "capabilities/acme/docs/README.md",
        "consent.json",
        "ledger.json",
        "transactions",
    }


def test_a_project_has_its_own_capabilities_ledger_and_consents(around: Surroundings, source: Path) -> None:
    install("./source", around, scope="project")
    assert around.project is not None
    assert states(around) == {"acme": "active"}
    assert states(machine(around.home.parent, with_project=False)) == {}
    assert store.load(around.home).overlay(str(around.project), "acme") is not None
    assert (around.project / ".msd" / "ledger.json").is_file()


def test_a_file_that_was_executable_is_not(around: Surroundings, source: Path) -> None:
    (source / "run.sh").write_bytes(b"#!/bin/sh\n")
    (source / "run.sh").chmod(0o755)
    install("./source", around)
    assert (around.home / "capabilities" / "acme" / "run.sh").stat().st_mode & 0o111 == 0


@pytest.mark.parametrize("how", ["edited", "added", "removed", "linked"])
def test_an_edited_capability_is_inactive_until_it_is_agreed_to_again(
    around: Surroundings, source: Path, how: str
) -> None:
    install("./source", around)
    folder = around.home / "capabilities" / "acme"
    match how:
        case "edited":
            (folder / "docs" / "README.md").write_bytes(b"other")
        case "added":
            (folder / "new").touch()
        case "removed":
            (folder / "docs" / "README.md").unlink()
        case "linked":
            (folder / "docs" / "README.md").unlink()
            (folder / "docs" / "README.md").symlink_to(source / "docs" / "README.md")
    assert states(around) == {"acme": "content_changed"}
    assert around.registry().lane("acme") is None
    if how == "linked":
        with pytest.raises(InputError, match="docs/README.md is a link; a capability holds none"):
            find_installed("acme", around)
        return
    (found,) = find_installed("acme", around)
    allow(found, agree(found.disclosure, token=found.disclosure.token), around)
    assert states(around) == {"acme": "active"}


def test_a_capability_that_came_with_a_clone_is_inactive_until_it_is_agreed_to(around: Surroundings) -> None:
    assert around.project is not None
    capability(around.project / ".msd" / "capabilities" / "acme", {"capability.json": manifest_bytes()})
    assert states(around) == {"acme": "not_consented"}
    (found,) = find_installed("acme", around)
    with pytest.raises(TrustError, match="acme needs your consent, and nobody can be asked here"):
        agree(found.disclosure, yes=True)
    allow(found, agree(found.disclosure, answer=True), around)
    assert states(around) == {"acme": "active"}


def test_what_changed_after_it_was_shown_is_not_allowed(around: Surroundings) -> None:
    assert around.project is not None
    folder = capability(
        around.project / ".msd" / "capabilities" / "acme", {"capability.json": manifest_bytes()}
    )
    (found,) = find_installed("acme", around)
    agreement = agree(found.disclosure, answer=True)
    (folder / "new").touch()
    with pytest.raises(TrustError, match="acme is not what was accepted"):
        allow(found, agreement, around)
    assert states(around) == {"acme": "not_consented"}


def test_without_a_yes_nothing_is_installed(around: Surroundings, source: Path) -> None:
    prepared = prepare_install("./source", around)
    with pytest.raises(TrustError) as raised:
        agree(prepared.disclosure, yes=True)
    assert raised.value.message == (
        "acme needs your consent, and nobody can be asked here; nothing was changed"
    )
    with pytest.raises(TrustError, match="you did not agree to acme; nothing was changed"):
        agree(prepared.disclosure, answer=False)
    assert not around.home.exists()


def test_yes_is_enough_for_what_runs_nothing_and_receives_nothing(
    around: Surroundings, tmp_path: Path
) -> None:
    feature = {
        "id": "words", "role": "feature", "version": "1.0.0", "title": "t", "description": "d", "tier": "full",
        "requires": [], "runtimeCompat": {"supported": ["*"]}, "skills": [], "agents": [],
    }  # fmt: skip
    capability(tmp_path / "words", {"capability.json": json.dumps(feature).encode()})
    prepared = prepare_install("./words", around)
    commit_install(prepared, around, agree(prepared.disclosure, yes=True))
    assert states(around) == {"words": "active"}


def test_a_token_is_for_these_bytes_and_this_destination(around: Surroundings, source: Path) -> None:
    token = prepare_install("./source", around).disclosure.token
    (source / "new").touch()
    changed = prepare_install("./source", around)
    with pytest.raises(TrustError) as raised:
        agree(changed.disclosure, token=token)
    assert raised.value.message == (
        f"acme is not what was accepted: wanted {token}, got {changed.disclosure.token}; nothing was changed"
    )
    other = prepare_install("./source", around)
    with pytest.raises(RuntimeError, match="agreements are made by trust.agreement alone"):
        replace(agree(other.disclosure, answer=True), token=token, seal=object())


def test_an_agreement_to_one_capability_installs_no_other(around: Surroundings, source: Path) -> None:
    first = prepare_install("./source", around)
    (source / "new").touch()
    second = prepare_install("./source", around)
    with pytest.raises(TrustError, match="acme is not what was accepted"):
        commit_install(second, around, agree(first.disclosure, answer=True))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"id": "codex"}, "merge.id"),
        ({"reviewer": lane(slug="codex")}, "merge.slug"),
        ({"reviewer": lane(flags=["--codex"])}, "merge.flag"),
        ({"reviewer": lane(reviewsSection="CODEX review")}, "merge.section"),
        ({"requires": ["nobody"]}, "requires.unknown"),
        ({"engines": {"msd": ">=99"}}, "engines.incompatible"),
        ({"id": "msd-core-x"}, "envelope.id_reserved"),
        ({"id": "con"}, "envelope.id_reserved"),
        ({"id": "../x"}, "envelope.value"),
        ({"version": "v1"}, "envelope.value"),
        ({"reviewer": lane(invoke={})}, "lane.missing"),
    ],
)
def test_what_is_not_valid_alone_or_beside_what_is_active_is_refused_before_anything_is_changed(
    around: Surroundings, source: Path, changed: dict[str, Any], message: str
) -> None:
    (source / "capability.json").write_bytes(manifest_bytes(**changed))
    with pytest.raises(InvalidCapability) as raised:
        prepare_install("./source", around)
    assert message in raised.value.message
    assert not around.home.exists()


def test_a_folder_without_a_manifest_is_no_capability(around: Surroundings, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="^there is no capability.json at its top$"):
        prepare_install("./empty", around)


def test_what_was_active_in_between_is_looked_at_again_under_the_lock(
    around: Surroundings, source: Path, tmp_path: Path
) -> None:
    rival = capability(tmp_path / "rival", {"capability.json": manifest_bytes(id="rival")})
    prepared = prepare_install("./source", around)
    install(f"./{rival.name}", around)
    with pytest.raises(InvalidCapability, match="merge.slug"):
        commit_install(prepared, around, agree(prepared.disclosure, answer=True))
    assert states(around) == {"rival": "active"}


def test_two_preparations_of_one_capability_install_it_once(around: Surroundings, source: Path) -> None:
    first, second = prepare_install("./source", around), prepare_install("./source", around)
    commit_install(first, around, agree(first.disclosure, answer=True))
    with pytest.raises(InputError, match="acme was changed by another command in the meantime"):
        commit_install(second, around, agree(second.disclosure, answer=True))


def test_a_folder_that_msd_did_not_make_is_not_replaced(around: Surroundings, source: Path) -> None:
    mine = capability(around.home / "capabilities" / "acme", {"mine": b"1"})
    with pytest.raises(InputError, match="is there already, and was not installed by msd"):
        install("./source", around)
    assert (mine / "mine").read_bytes() == b"1"


def test_installing_again_replaces_the_whole_folder(around: Surroundings, source: Path) -> None:
    install("./source", around)
    (source / "docs" / "README.md").unlink()
    (source / "capability.json").write_bytes(manifest_bytes(version="2.0.0"))
    assert install("./source", around).replaced == "1.0.0"
    folder = around.home / "capabilities" / "acme"
    assert sorted(path.name for path in folder.iterdir()) == ["capability.json"]
    assert states(around) == {"acme": "active"}


def test_removing_takes_what_was_installed_and_the_consent_with_it(
    around: Surroundings, source: Path
) -> None:
    install("./source", around)
    removed = remove(around.place("global"), "acme", around)
    assert removed.left == ()
    assert set(everything_below(around.home)) == {
        "capabilities",
        "consent.json",
        "ledger.json",
        "transactions",
    }
    assert store.load(around.home).overlays == ()
    with pytest.raises(InputError, match="^acme was not installed by msd$"):
        remove(around.place("global"), "acme", around)


def test_removing_leaves_what_msd_had_not_put_there(
    around: Surroundings, source: Path, tmp_path: Path
) -> None:
    install("./source", around)
    folder = around.home / "capabilities" / "acme"
    (folder / "docs" / "mine.md").write_bytes(b"mine")
    (folder / "docs" / "link").symlink_to(tmp_path)
    removed = remove(around.place("global"), "acme", around)
    assert removed.left == ("docs/link", "docs/mine.md")
    assert [path.name for path in sorted(folder.rglob("*"))] == ["docs", "link", "mine.md"]
    assert source.is_dir()


def test_an_update_keeps_the_id_and_shows_what_changes(around: Surroundings, source: Path) -> None:
    install("./source", around)
    ((place, entry),) = find_entries(around, "acme")
    assert prepare_update(place, entry, around).prepared is None
    changed = lane(invoke={**MANIFEST["reviewer"]["invoke"], "args": ["review", "--yolo"]})
    (source / "capability.json").write_bytes(manifest_bytes(version="1.1.0", reviewer=changed))
    update = prepare_update(place, entry, around)
    assert '-    runs: "acme" "review"' in update.changes
    assert '+    runs: "acme" "review" "--yolo"' in update.changes
    assert update.prepared is not None
    with pytest.raises(TrustError):
        agree(update.prepared.disclosure, yes=True)
    commit_install(update.prepared, around, agree(update.prepared.disclosure, answer=True))
    assert states(around) == {"acme": "active"}
    assert around.registry().lane("acme") is not None


def test_an_update_of_files_alone_is_one_line_and_still_asked_about(
    around: Surroundings, source: Path
) -> None:
    install("./source", around)
    ((place, entry),) = find_entries(around)
    (source / "docs" / "README.md").write_bytes(b"new words")
    update = prepare_update(place, entry, around)
    assert update.changes == ("acme 1.0.0 -> 1.0.0: files changed, what it runs and sends did not",)
    assert update.prepared is not None


def test_an_update_mends_a_capability_that_was_edited(around: Surroundings, source: Path) -> None:
    install("./source", around)
    (around.home / "capabilities" / "acme" / "docs" / "README.md").write_bytes(b"evil")
    ((place, entry),) = find_entries(around)
    update = prepare_update(place, entry, around)
    assert update.prepared is not None
    commit_install(update.prepared, around, agree(update.prepared.disclosure, answer=True))
    assert states(around) == {"acme": "active"}


def test_an_update_to_another_id_is_refused(around: Surroundings, source: Path) -> None:
    install("./source", around)
    (source / "capability.json").write_bytes(
        manifest_bytes(id="other", reviewer=lane(slug="o", flags=["--o"], reviewsSection="O"))
    )
    ((place, entry),) = find_entries(around)
    with pytest.raises(
        InputError, match=r"now holds other, and acme was installed from there; nothing was changed$"
    ):
        prepare_update(place, entry, around)


def test_a_capability_from_git_is_followed_to_its_newer_commit(tmp_path: Path, server: Server) -> None:
    repository = make_repository(tmp_path / "served" / "acme.git")
    first = git(repository, "rev-parse", "HEAD")
    around = machine(tmp_path, server=server)
    install(f"git+{server.url('/git/acme.git')}#main", around)
    ((place, entry),) = find_entries(around)
    assert entry.resolved == first
    assert [one.state for one in find_outdated(((place, entry),), around)] == ["current"]
    second = commit(repository, {"capability.json": manifest_bytes(version="1.1.0")})
    (standing,) = find_outdated(((place, entry),), around)
    assert (standing.state, standing.latest) == ("outdated", second)
    update = prepare_update(place, entry, around)
    assert update.prepared is not None
    assert update.prepared.fetched.resolved == second


def test_outdated_knows_every_state_and_one_failure_hides_no_other(tmp_path: Path, server: Server) -> None:
    repository = make_repository(tmp_path / "served" / "acme.git")
    git(repository, "tag", "v1")
    around = machine(tmp_path, server=server)
    url = f"git+{server.url('/git/acme.git')}"
    capability(tmp_path / "source", {"capability.json": manifest_bytes()})
    install("./source", around)
    ((place, entry),) = find_entries(around)
    server.serve(
        "/npm/lane", json.dumps({"versions": {"2.0.0": {}}, "dist-tags": {"latest": "2.0.0"}}).encode()
    )
    commit_id = git(repository, "rev-parse", "HEAD")
    specs = [
        (str(tmp_path / "source"), "", "manual"),
        ("https://h/a.tgz", "", "manual"),
        (f"{url}#sha:{commit_id}", commit_id, "pinned"),
        (f"{url}#tag:v1", commit_id, "pinned"),
        (f"{url}#tag:v1", "0" * 40, "outdated"),
        (url, commit_id, "current"),
        (f"{url}#gone", commit_id, "unknown"),
        (f"git+{server.url('/nowhere.git')}", commit_id, "unknown"),
        ("npm:lane@1.0.0", "1.0.0", "pinned"),
        ("npm:lane", "1.0.0", "outdated"),
        ("npm:lane", "2.0.0", "current"),
        ("npm:gone", "2.0.0", "unknown"),
        ("not a spec", "", "unknown"),
    ]
    entries = tuple((place, replace(entry, spec=spec, resolved=resolved)) for spec, resolved, _ in specs)
    assert [one.state for one in find_outdated(entries, around)] == [state for _, _, state in specs]


def test_what_was_disclosed_is_what_is_installed_though_the_branch_moved(
    tmp_path: Path, server: Server
) -> None:
    repository = make_repository(tmp_path / "served" / "acme.git")
    around = machine(tmp_path, server=server)
    text = f"git+{server.url('/git/acme.git')}"
    shown = fetch(parse_spec(text), around)
    kept.keep(around.home, shown)
    token = prepare_install(text, around).disclosure.token
    commit(repository, {"capability.json": manifest_bytes(version="6.6.6")})
    prepared = prepare_install(text, around, token=token)
    assert prepared.fetched.resolved == shown.resolved
    commit_install(prepared, around, agree(prepared.disclosure, token=token))
    assert kept.find_kept(around.home, shown.spec, lambda _bundle: True) is None
    assert prepare_install(text, around).version == "6.6.6"


def test_what_was_kept_is_not_installed_once_the_policy_forbids_its_source(
    tmp_path: Path, server: Server
) -> None:
    make_repository(tmp_path / "served" / "acme.git")
    around = machine(tmp_path, server=server)
    text = f"git+{server.url('/git/acme.git')}"
    kept.keep(around.home, fetch(parse_spec(text), around))
    token = prepare_install(text, around).disclosure.token
    with pytest.raises(
        SourceError, match="comes from localhost, and capabilities.strict_known_registries is set"
    ):
        prepare_install(text, replace(around, policies=[[]]), token=token)


def test_an_archive_is_installed_with_its_integrity_on_record(tmp_path: Path, server: Server) -> None:
    url = server.serve("/acme.tgz", ordinary({"capability.json": manifest_bytes()}, top="acme-1/"))
    around = machine(tmp_path, server=server)
    installed = install(url, around)
    consent = store.load(around.home).overlay("global", "acme")
    assert consent is not None
    assert installed.entry.integrity is not None
    assert consent.integrity == installed.entry.integrity


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("./source", "--integrity is for archives, and local has none"),
        ("https://h/r.git", "--integrity is for archives, and git has none"),
        ("https://h/a.tgz", '"sha512-short" is no integrity: sha512- and 88 base64 characters are needed'),
    ],
)
def test_an_integrity_is_refused_where_it_means_nothing(
    around: Surroundings, text: str, message: str
) -> None:
    good = "sha512-" + "A" * 86 + "=="
    with pytest.raises(SourceError) as raised:
        prepare_install(text, around, integrity="sha512-short" if "short" in message else good)
    assert raised.value.message == message


@pytest.mark.parametrize(
    ("policies", "text", "message"),
    [
        (
            [["good.test"]],
            "https://evil.test/r.git",
            "comes from evil.test, and {key} is set, which allows good.test",
        ),
        ([["evil.test"], ["good.test"]], "https://evil.test/a.tgz", "which allows good.test"),
        ([["good.test"], ["evil.test"]], "https://evil.test/a.tgz", "which allows good.test"),
        ([None, []], "npm:x", "npm:x comes from npm, and {key} is set, which allows local folders alone"),
        ([None, "evil.test"], "https://evil.test/a.tgz", "which is no list, so nothing is allowed"),
        ([["npm"], {"npm": True}], "npm:x", "which is no list, so nothing is allowed"),
    ],
)
def test_a_source_that_any_layer_forbids_is_not_contacted(
    tmp_path: Path, policies: list[Any], text: str, message: str
) -> None:
    around = machine(tmp_path, policies=policies)
    with pytest.raises(SourceError) as raised:
        prepare_install(text, around)
    assert message.format(key="capabilities.strict_known_registries") in raised.value.message


def test_the_destination_at_the_time_of_consent_is_on_record(tmp_path: Path) -> None:
    http = {
        **lane(),
        "transport": "openai-http",
        "probe": {
            "kind": "http-reachable",
            "hostConfigKey": "review.acme_host",
            "path": "/v1/models",
            "timeoutMs": 1,
        },
        "invoke": {
            "hostConfigKey": "review.acme_host",
            "path": "/v1/chat/completions",
            "modelDiscovery": "none",
        },
        "handler": "openai-compatible",
    }
    config = {"review.acme_host": {"type": "string", "default": "http://default.test", "description": "d"}}
    capability(tmp_path / "source", {"capability.json": manifest_bytes(reviewer=http, config=config)})
    for hosts, expected in (
        (None, "http://default.test"),
        ({"review.acme_host": "http://set.test/"}, "http://set.test"),
    ):
        base = tmp_path / str(bool(hosts))
        base.mkdir()
        around = replace(machine(base, hosts=hosts), working_folder=tmp_path)
        install("./source", around)
        consent = store.load(around.home).overlay("global", "acme")
        assert consent is not None
        assert consent.destination == expected


def test_the_home_folder_and_the_root_hold_no_project(tmp_path: Path) -> None:
    around = machine(tmp_path)
    for project in (around.user_home, Path("/")):
        around.user_home.mkdir(exist_ok=True)
        with pytest.raises(UsageError, match="cannot be a project"):
            replace(around, project=project).place("project")
    with pytest.raises(UsageError, match="^there is no project here$"):
        replace(around, project=None).place("project")


def test_a_global_folder_that_is_the_projects_counts_as_the_projects(tmp_path: Path, source: Path) -> None:
    around = machine(tmp_path)
    assert around.project is not None
    same = replace(around, home=around.project / ".msd")
    assert [place.name for place in same.places()] == ["project"]
    assert same.place("global").consent_scope == str(around.project)


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"schema": "msd.ledger/9"}', b"\xff"])
def test_a_damaged_ledger_is_an_error_and_is_kept(around: Surroundings, source: Path, content: bytes) -> None:
    around.home.mkdir()
    (around.home / "ledger.json").write_bytes(content)
    with pytest.raises(StoreError):
        prepare_install("./source", around)
    assert (around.home / "ledger.json").read_bytes() == content


def test_a_missing_git_is_said(around: Surroundings) -> None:
    with pytest.raises(SourceError, match="^git was not found on PATH$"):
        prepare_install("https://h/r.git", replace(around, git=None))


def test_kept_disclosures_are_few_and_do_not_stay(around: Surroundings, source: Path, tmp_path: Path) -> None:
    for number in range(kept.MAX_KEPT + 3):
        capability(tmp_path / f"s{number}", {"capability.json": manifest_bytes()})
        kept.keep(around.home, fetch(parse_spec(f"./s{number}"), around))
    folder = around.home / "staging"
    assert len(list(folder.iterdir())) == kept.MAX_KEPT
    for path in folder.iterdir():
        os.utime(path, (0, 0))
    kept.sweep(around.home)
    assert list(folder.iterdir()) == []
