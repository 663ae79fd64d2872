"""Consent from outside: what a terminal is asked, what silence means, and what takes it back."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.git_samples import MANIFEST, manifest_bytes
from tests.http_samples import REVIEW as HTTP_REVIEW
from tests.installed import REVIEW, Desk, new_desk
from tests.servers.misbehaving import Connection, Misbehaving, Received, completion, misbehaving
from tests.terminals import on_a_terminal

ASKED_TO_INSTALL = "Install acme 1.0.0? [y/N]: "
ASKED_TO_ALLOW = "Allow acme as it is now? [y/N]: "
ASKED_TO_SEND = "Send this plan to: Claude (anthropic)? [Y/n]: "


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = new_desk(tmp_path, {"PLAN.md": "# Plan\n\nAdd a cart with a total.\n"})
    (made.project / ".git").mkdir()
    return made


def bundle(desk: Desk, **changed: object) -> Path:
    """A folder with the capability `acme`, beside the project."""
    folder = desk.base / "acme"
    folder.mkdir(exist_ok=True)
    (folder / "capability.json").write_bytes(manifest_bytes(**changed))
    return folder


def acme(desk: Desk) -> None:
    """The tool that acme's lane runs; it leaves a trace when it is started."""
    desk.program(
        "acme", f"open({str(desk.base / 'ran')!r}, 'a').write('x')\nsys.stdin.read()\nprint({REVIEW!r})\n"
    )


def ran(desk: Desk) -> bool:
    return (desk.base / "ran").exists()


def state(desk: Desk, identity: str = "acme") -> dict[str, object] | None:
    rows = desk.run("capability", "list", "--json").document["capabilities"]
    return next((row for row in rows if row["id"] == identity), None)


def token(desk: Desk, what: str) -> str:
    return str(desk.run("capability", "disclose", what, "--json").document["token"])


def test_an_installation_shows_everything_and_a_mere_return_is_no(desk: Desk) -> None:
    shown = on_a_terminal(
        desk, "capability", "install", str(bundle(desk)), replies=[(ASKED_TO_INSTALL, "\n")]
    )
    assert shown.code == 5
    before_the_question = shown.text.partition(ASKED_TO_INSTALL)[0]
    for told in ('"acme"', '"review"', "plan text", "token: "):
        assert told in before_the_question
    assert "msd: error: you did not agree to acme; nothing was changed" in shown.text
    assert state(desk) is None


def test_a_yes_on_the_terminal_installs(desk: Desk) -> None:
    shown = on_a_terminal(
        desk, "capability", "install", str(bundle(desk)), replies=[(ASKED_TO_INSTALL, "y\n")]
    )
    assert shown.code == 0, shown.text
    assert "installed acme 1.0.0 (global)" in shown.text
    found = state(desk)
    assert found is not None
    assert found["state"] == "active"


@pytest.mark.parametrize("options", [(), ("--yes",)], ids=["silence", "--yes"])
def test_attack_silence_or_yes_never_consents_to_what_runs(desk: Desk, options: tuple[str, ...]) -> None:
    ended = desk.run("capability", "install", str(bundle(desk)), *options)
    assert ended.code == 5
    assert (
        "msd: error: acme needs your consent, and nobody can be asked here; nothing was changed\n"
        in ended.err
    )
    assert state(desk) is None


def test_attack_yes_on_a_terminal_never_consents_to_what_runs(desk: Desk) -> None:
    shown = on_a_terminal(desk, "capability", "install", str(bundle(desk)), "--yes")
    assert shown.code == 5
    assert "nobody can be asked here; nothing was changed" in shown.text
    assert state(desk) is None


def test_a_token_installs_exactly_what_was_disclosed(desk: Desk) -> None:
    folder = bundle(desk)
    known = token(desk, str(folder))
    (folder / "more.md").write_text("another byte")
    refused = desk.run("capability", "install", str(folder), "--accept-disclosure", known)
    assert refused.code == 5
    assert f"acme is not what was accepted: wanted {known}, got {token(desk, str(folder))}" in refused.err
    accepted = desk.run("capability", "install", str(folder), "--accept-disclosure", token(desk, str(folder)))
    assert accepted.code == 0, accepted.err


def test_attack_an_installed_manifest_edited_by_another_blocks_its_lane_and_runs_nothing(desk: Desk) -> None:
    acme(desk)
    folder = bundle(desk)
    desk.run("capability", "install", str(folder), "--accept-disclosure", token(desk, str(folder)))
    assert desk.run("review", "PLAN.md", "--acme").code == 0
    (desk.base / "ran").unlink()
    installed = desk.msd_home / "capabilities" / "acme" / "capability.json"
    installed.write_bytes(manifest_bytes(title="Acme, improved"))
    ended = desk.run("review", "PLAN.md", "--acme", "--json")
    assert ended.code == 5, ended.err
    assert "acme" in ended.out
    assert '"not_consented"' in ended.out
    assert not ran(desk)
    found = state(desk)
    assert found is not None
    assert (found["state"], found["reason"]) == ("inactive", "content_changed")
    [listed] = [row for row in desk.run("lane", "list", "--json").document["lanes"] if row["slug"] == "acme"]
    assert (listed["state"], listed["reason"]) == ("inactive", "not_consented")
    run = desk.run("lane", "run", "acme", stdin="# Plan\n")
    assert run.code == 5
    assert not ran(desk)


def test_allowing_what_changed_shows_it_and_asks_with_no_as_the_default(desk: Desk) -> None:
    acme(desk)
    folder = bundle(desk)
    desk.run("capability", "install", str(folder), "--accept-disclosure", token(desk, str(folder)))
    installed = desk.msd_home / "capabilities" / "acme" / "capability.json"
    installed.write_bytes(manifest_bytes(title="Acme, improved"))
    said_no = on_a_terminal(desk, "capability", "trust", "allow", "acme", replies=[(ASKED_TO_ALLOW, "\n")])
    assert said_no.code == 5
    assert desk.run("review", "PLAN.md", "--acme").code == 5
    said_yes = on_a_terminal(desk, "capability", "trust", "allow", "acme", replies=[(ASKED_TO_ALLOW, "y\n")])
    assert said_yes.code == 0, said_yes.text
    assert "agreed: acme 1.0.0 (global) is active as it is now" in said_yes.text
    assert desk.run("review", "PLAN.md", "--acme").code == 0


def test_a_capability_in_two_scopes_is_allowed_where_it_is_named(desk: Desk) -> None:
    for place in (desk.msd_home, desk.project / ".msd"):
        (place / "capabilities" / "acme").mkdir(parents=True)
        (place / "capabilities" / "acme" / "capability.json").write_bytes(manifest_bytes())
    known = token(desk, "acme")
    both = desk.run("capability", "trust", "allow", "acme", "--accept-disclosure", known)
    assert (both.code, both.err) == (
        2,
        "msd: error: acme lies in two scopes\nhint: say which: --scope global or --scope project\n",
    )
    one = desk.run("capability", "trust", "allow", "acme", "--scope", "project", "--accept-disclosure", known)
    assert one.out == "agreed: acme 1.0.0 (project) is active as it is now\n"
    [entry] = desk.run("capability", "trust", "list", "--json").document["capabilities"]
    assert entry["scope"] == str(desk.project.resolve())


def test_the_first_use_of_a_tool_is_asked_once_and_the_answer_is_kept(desk: Desk) -> None:
    desk.claude()
    first = on_a_terminal(
        desk, "review", "PLAN.md", "--exclude", "grounding", replies=[(ASKED_TO_SEND, "\n")]
    )
    assert first.code == 0, first.text
    second = on_a_terminal(desk, "review", "PLAN.md", "--exclude", "grounding")
    assert second.code == 0, second.text
    assert "Send this plan to" not in second.text
    assert desk.run("review", "PLAN.md", "--exclude", "grounding").code == 0
    assert "answer" in desk.run("capability", "trust", "list").out


def test_a_no_to_the_first_use_is_kept_and_can_be_taken_back(desk: Desk) -> None:
    trace = desk.base / "ran"
    desk.claude(before=f"open({str(trace)!r}, 'a').write('x')")
    refused = on_a_terminal(
        desk, "review", "PLAN.md", "--exclude", "grounding", replies=[(ASKED_TO_SEND, "n\n")]
    )
    assert refused.code == 5, refused.text
    again = on_a_terminal(desk, "review", "PLAN.md", "--exclude", "grounding")
    assert again.code == 5
    assert "Send this plan to" not in again.text
    assert "you said that Claude (anthropic) may not receive plans on this machine" in again.text
    assert not trace.exists()
    assert desk.run("capability", "trust", "revoke", "claude").out == "taken back: the answer for claude\n"
    on_a_terminal(desk, "review", "PLAN.md", "--exclude", "grounding", replies=[(ASKED_TO_SEND, "y\n")])
    assert trace.exists()


@pytest.mark.parametrize("options", [(), ("--yes",)], ids=["silence", "--yes"])
def test_attack_nobody_was_asked_and_a_tool_would_receive_the_plan(
    desk: Desk, options: tuple[str, ...]
) -> None:
    trace = desk.base / "ran"
    desk.claude(before=f"open({str(trace)!r}, 'a').write('x')")
    ended = desk.run("review", "PLAN.md", "--exclude", "grounding", *options)
    assert ended.code == 5
    assert not trace.exists()


async def _reviews(request: Received, connection: Connection) -> None:
    if request.method == "GET":
        await connection.answer_json({"data": [{"id": "tiny"}]})
    else:
        await connection.answer_json(completion(HTTP_REVIEW))


@pytest.fixture
def server() -> Iterator[Misbehaving]:
    with misbehaving(_reviews) as running:
        yield running


def configure(desk: Desk, **review: object) -> None:
    path = desk.project / ".planning" / "config.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"review": review}))


def asked_about(server: Misbehaving) -> str:
    return (
        f"Ollama would receive plans, requirements, research and context at {server.url} [local], "
        "as review.ollama_host says (project). Allow this destination? [y/N]: "
    )


def test_a_destination_never_seen_is_asked_about_once_before_anything_is_sent(
    desk: Desk, server: Misbehaving
) -> None:
    configure(desk, ollama_host=server.url, models={"ollama": "tiny"})
    refused = on_a_terminal(desk, "review", "PLAN.md", "--ollama", replies=[(asked_about(server), "\n")])
    assert refused.code == 5, refused.text
    again = on_a_terminal(desk, "review", "PLAN.md", "--ollama")
    assert again.code == 5
    assert "Allow this destination" not in again.text
    assert server.connections == 0
    assert f"msd capability trust allow-host ollama {server.url}" in again.text
    assert desk.run("capability", "trust", "revoke", "ollama").code == 0
    agreed = on_a_terminal(desk, "review", "PLAN.md", "--ollama", replies=[(asked_about(server), "y\n")])
    assert agreed.code == 0, agreed.text
    assert desk.run("review", "PLAN.md", "--ollama").code == 0
    assert len(server.posts()) == 2


def test_attack_a_destination_that_changed_is_never_asked_about(desk: Desk, server: Misbehaving) -> None:
    desk.run("capability", "trust", "allow-host", "ollama", "http://127.0.0.1:9")
    configure(desk, ollama_host=server.url)
    shown = on_a_terminal(desk, "review", "PLAN.md", "--ollama")
    assert shown.code == 5
    assert "Allow this destination" not in shown.text
    assert f"plans would go to {server.url} (review.ollama_host, project)" in shown.text
    assert "but you agreed to http://127.0.0.1:9; nothing was sent" in shown.text
    assert server.connections == 0


@pytest.mark.parametrize("options", [(), ("--yes",)], ids=["silence", "--yes"])
def test_attack_a_destination_never_seen_without_a_person(
    desk: Desk, server: Misbehaving, options: tuple[str, ...]
) -> None:
    configure(desk, ollama_host=server.url)
    ended = desk.run("review", "PLAN.md", "--ollama", *options)
    assert ended.code == 5
    assert f"if that is right: msd capability trust allow-host ollama {server.url}" in ended.out + ended.err
    assert server.connections == 0


def test_attack_an_overlay_that_is_edited_between_the_check_and_the_run(desk: Desk) -> None:
    """Claude, which runs first, rewrites the manifest of zed, which is approved already and waits for its turn."""
    manifest = desk.msd_home / "capabilities" / "zed" / "capability.json"
    acme(desk)
    named = {"slug": "zed", "flags": ["--zed"], "reviewsSection": "Zed", "provider": "anthropic"}
    folder = bundle(desk, id="zed", reviewer=MANIFEST["reviewer"] | named)
    desk.run("capability", "install", str(folder), "--accept-disclosure", token(desk, str(folder)))
    desk.claude(before=f"open({str(manifest)!r}, 'ab').write(b' ')")
    ended = desk.run("review", "PLAN.md", "--claude", "--zed", "--json")
    rows = {row["identity"]: row for row in ended.document["reviewers"]}
    assert rows["claude"]["outcome"] == "review"
    assert (rows["zed"]["outcome"], rows["zed"]["reason"]) == ("blocked", "not_consented")
    assert ended.code == 5
    assert not ran(desk)


def test_a_store_inside_a_git_work_tree_is_warned_about_wherever_consent_is_seen_or_given(desk: Desk) -> None:
    (desk.base / ".git").mkdir()
    said = f"the consent store {desk.msd_home / 'consent.json'} lies inside the git work tree {desk.base}"
    folder = bundle(desk)
    known = token(desk, str(folder))
    assert said in desk.run("capability", "install", str(folder), "--accept-disclosure", known).err
    assert said in desk.run("capability", "trust", "list").err
    assert said in desk.run("capability", "trust", "allow-host", "ollama", "http://127.0.0.1:9").err
    assert said in desk.run("capability", "trust", "allow", "acme", "--accept-disclosure", known).err
    assert said in desk.run("doctor").out
