"""`msd install HOST` and `msd uninstall HOST`: what is written where, and that nothing of it stays."""

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from msd_review.hosts import json_text
from tests.acceptance.test_json_shapes import check
from tests.host_samples import GLOBAL, HOSTS, PROJECT, QWEN, here_desk, put, tree
from tests.installed import Desk, new_desk

SCOPES = ("global", "project")
WRITTEN: dict[tuple[str, str], set[str]] = {
    ("claude", "global"): {".claude/skills/msd-review/SKILL.md", ".claude/skills/msd-code-review/SKILL.md", ".claude.json"},
    ("claude", "project"): {".claude/commands/msd/review.md", ".claude/commands/msd/code-review.md", ".mcp.json"},
    ("codex", "global"): {".codex/skills/msd-review/SKILL.md", ".codex/skills/msd-code-review/SKILL.md", ".codex/config.toml"},
    ("codex", "project"): {".codex/skills/msd-review/SKILL.md", ".codex/skills/msd-code-review/SKILL.md", ".codex/config.toml"},
    ("cursor", "global"): {".cursor/skills/msd-review/SKILL.md", ".cursor/skills/msd-code-review/SKILL.md", ".cursor/mcp.json"},
    ("cursor", "project"): {".cursor/skills/msd-review/SKILL.md", ".cursor/skills/msd-code-review/SKILL.md", ".cursor/mcp.json"},
    ("opencode", "global"): {
        ".config/opencode/command/msd-review.md", ".config/opencode/command/msd-code-review.md",
        ".config/opencode/skills/msd-review/SKILL.md", ".config/opencode/skills/msd-code-review/SKILL.md",
        ".config/opencode/opencode.json",
    },
    ("opencode", "project"): {
        ".opencode/command/msd-review.md", ".opencode/command/msd-code-review.md",
        ".opencode/skills/msd-review/SKILL.md", ".opencode/skills/msd-code-review/SKILL.md", "opencode.json",
    },
    ("qwen", "global"): {".qwen/skills/msd-review/SKILL.md", ".qwen/skills/msd-code-review/SKILL.md", ".qwen/settings.json"},
    ("qwen", "project"): {".qwen/skills/msd-review/SKILL.md", ".qwen/skills/msd-code-review/SKILL.md", ".qwen/settings.json"},
    ("antigravity", "global"): {
        ".gemini/antigravity/skills/msd-review/SKILL.md", ".gemini/antigravity/skills/msd-code-review/SKILL.md",
        ".gemini/antigravity/mcp_config.json",
    },
    ("antigravity", "project"): {
        ".agents/skills/msd-review/SKILL.md", ".agents/skills/msd-code-review/SKILL.md", ".agents/mcp_config.json",
    },
    ("kimi-code", "global"): {
        ".kimi-code/skills/msd-review/SKILL.md", ".kimi-code/skills/msd-code-review/SKILL.md", ".kimi-code/mcp.json",
    },
    ("kimi-code", "project"): {".kimi-code/mcp.json"},
}  # fmt: skip
CASES = sorted(WRITTEN)


def desk_of(base: Path, scope: str = "global", *, lived_in: bool = False) -> tuple[Desk, Path]:
    """A machine, and the folder that an install of this scope writes into."""
    desk = here_desk(base)
    folder = base / "home" if scope == "global" else desk.project
    if lived_in:
        put(folder, GLOBAL if scope == "global" else PROJECT)
    return desk, folder


def settings(folder: Path, host: str, scope: str) -> Path:
    """The settings file of a host that the install wrote."""
    names = {"opencode.json", "opencode.jsonc"}
    wanted = [name for name in WRITTEN[host, scope] if not name.endswith(".md")]
    found = [path for path in folder.rglob("*") if path.name in names] if host == "opencode" else []
    return next(iter(found), folder / wanted[0])


def registered(path: Path) -> Any:
    """What the settings file says of the server `msd`; None where it says nothing."""
    text = path.read_bytes().decode()
    if path.suffix == ".toml":
        return tomllib.loads(text).get("mcp_servers", {}).get("msd")
    document = json_text.parse(text)
    return document.get("mcpServers", document.get("mcp", {})).get("msd")


@pytest.mark.parametrize(("host", "scope"), CASES)
def test_an_empty_home_gets_the_files_and_is_empty_again(tmp_path: Path, host: str, scope: str) -> None:
    desk = new_desk(tmp_path)
    folder = tmp_path / "home" if scope == "global" else desk.project
    before = tree(folder)
    ended = desk.run("install", host, "--scope", scope)
    assert ended.code == 0, ended.err
    after = tree(folder)
    assert {name for name, (kind, _, _) in after.items() if kind == "file"} == WRITTEN[host, scope]
    assert desk.run("uninstall", host, "--scope", scope).code == 0
    assert tree(folder) == before
    assert not (desk.msd_home / "hosts.json").exists()


@pytest.mark.parametrize(("host", "scope"), CASES)
def test_a_home_that_is_lived_in_is_restored_byte_for_byte(tmp_path: Path, host: str, scope: str) -> None:
    desk, folder = desk_of(tmp_path, scope, lived_in=True)
    before = tree(folder)
    assert desk.run("install", host, "--scope", scope).code == 0
    between = tree(folder)
    assert between != before
    assert {n: m for n, (_, m, _) in between.items() if n in before} == {
        n: m for n, (_, m, _) in before.items()
    }
    assert registered(settings(folder, host, scope)) is not None
    assert desk.run("uninstall", host, "--scope", scope).code == 0
    assert tree(folder) == before


def test_all_hosts_side_by_side_come_and_go_in_any_order(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path, lived_in=True)
    before = tree(folder)
    for host in HOSTS:
        assert desk.run("install", host).code == 0
    for host in reversed(HOSTS[2:]):
        assert desk.run("uninstall", host).code == 0
    for host in HOSTS[:2]:
        assert desk.run("uninstall", host).code == 0
    assert tree(folder) == before


@pytest.mark.parametrize(("host", "scope"), CASES)
def test_a_second_install_has_nothing_to_do(tmp_path: Path, host: str, scope: str) -> None:
    desk, folder = desk_of(tmp_path, scope, lived_in=True)
    desk.run("install", host, "--scope", scope)
    before, ledger = tree(folder), (desk.msd_home / "hosts.json").read_bytes()
    again = desk.run("install", host, "--scope", scope)
    assert again.code == 0
    assert again.out.startswith("nothing to do: msd is in ")
    assert tree(folder) == before
    assert (desk.msd_home / "hosts.json").read_bytes() == ledger


@pytest.mark.parametrize(("host", "scope"), CASES)
def test_a_dry_run_writes_nothing_and_its_diff_is_what_is_then_written(
    tmp_path: Path, host: str, scope: str
) -> None:
    desk, folder = desk_of(tmp_path, scope, lived_in=True)
    desk.run("lane", "list")
    before, home = tree(folder), tree(desk.msd_home)
    shown = desk.run("install", host, "--scope", scope, "--dry-run", "--json")
    assert shown.code == 0
    check(shown.document)
    assert tree(folder) == before
    assert tree(desk.msd_home) == home
    assert shown.document["diff"].replace("\r", "") == desk.run(
        "install", host, "--scope", scope, "--dry-run"
    ).out.replace("\\u{d}", "").replace("\\u{feff}", "\ufeff")
    assert desk.run("install", host, "--scope", scope).code == 0
    after = tree(folder)
    assert applied(shown.document["diff"], before, folder) == {
        name: content for name, (kind, _, content) in after.items() if kind == "file"
    }


def applied(diff: str, before: dict[str, tuple[str, int, bytes]], folder: Path) -> dict[str, bytes]:
    """The files after `patch` has applied a diff without context, read as `patch` reads it."""
    files = {name: content for name, (kind, _, content) in before.items() if kind == "file"}
    lines = diff.split("\n")
    name, kept, source, number = "", [""], [""], 0
    pieces: dict[str, list[str]] = {}
    for at, line in enumerate(lines):
        bare = lines[at + 1].startswith("\\ No newline") if at + 1 < len(lines) else False
        end = "" if bare else "\n"
        if line.startswith("+++ "):
            name = Path(line[4:]).relative_to(folder).as_posix()
            source, kept, number = files.get(name, b"").decode().split("\n"), [], 0
            pieces[name] = kept
        elif line.startswith("@@"):
            start, _, count = line.split(" ")[1].lstrip("-").partition(",")
            first = int(start) if count == "0" else int(start) - 1
            kept.extend(one + "\n" for one in source[number:first])
            number = first
        elif line.startswith("-") and not line.startswith("---"):
            number += 1
        elif line.startswith("+"):
            kept.append(line[1:] + end)
        if name and (at + 1 == len(lines) or lines[at + 1].startswith("---")) and name in pieces:
            rest = source[number:]
            kept.append("\n".join(rest) if rest else "")
            files[name] = "".join(pieces.pop(name)).encode()
    return files


def test_the_server_is_registered_by_its_whole_path_for_a_person_and_by_name_for_a_team(
    tmp_path: Path,
) -> None:
    desk, folder = desk_of(tmp_path)
    for host in HOSTS:
        desk.run("install", host)
        desk.run("install", host, "--scope", "project")
        mine, teams = (
            registered(settings(folder, host, "global")),
            registered(settings(desk.project, host, "project")),
        )
        command = mine["command"]
        first = command[0] if isinstance(command, list) else command
        assert Path(first).is_absolute(), host
        assert Path(first).exists(), host
        assert (command[1:] if isinstance(command, list) else mine["args"]) == ["mcp"]
        assert teams["command"] in ("msd", ["msd", "mcp"])
        assert str(tmp_path) not in "".join(p.read_text() for p in desk.project.rglob("*") if p.is_file())


@pytest.mark.parametrize("host", HOSTS)
def test_the_commands_teach_to_run_poll_read_fix_run_again_and_to_leave_oneself_out(
    tmp_path: Path, host: str
) -> None:
    desk, folder = desk_of(tmp_path)
    shown = desk.run("install", host, "--json").document
    check(shown)
    for change in shown["changes"]:
        if change["path"].endswith(".md"):
            text = Path(change["path"]).read_text(encoding="utf-8")
            command = "msd code-review" if "code-review" in change["path"] else "msd review"
            for wanted in (
                f"`{command} --json --exclude {host}",
                f'`exclude: ["{host}"]`',
                "`review_status`",
                "`get_review`",
                "`msd runs show RUN --json`",
                "run step 1 again",
                "`current_high` is 0",
                "Never run `msd capability trust`, never pass `--yes`",
            ):
                assert wanted in " ".join(text.split("\n")), (change["path"], wanted)
            assert "{{" not in text
            assert text.startswith("---\n")
    assert tree(folder)


def test_a_file_that_a_person_edited_is_kept_and_said(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    desk.run("install", "claude")
    skill = folder / ".claude" / "skills" / "msd-review" / "SKILL.md"
    skill.write_text("mine now\n", encoding="utf-8")
    again = desk.run("install", "claude")
    assert again.code == 1
    assert again.err == (
        f"warning: {skill}: is not msd's: it was there before, or has been edited since; "
        "move it away and install again to have msd's\n"
    )
    assert skill.read_text(encoding="utf-8") == "mine now\n"
    gone = desk.run("uninstall", "claude")
    assert gone.code == 1
    assert gone.err == f"warning: {skill}: has been edited since msd wrote it; it is yours now, and stays\n"
    assert {name for name, (kind, _, _) in tree(folder).items() if kind == "file"} == {
        ".claude/skills/msd-review/SKILL.md"
    }


def test_the_way_out_of_an_edited_file_gives_msds_own_again(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    desk.run("install", "claude")
    whole = tree(folder)
    skill = folder / ".claude" / "skills" / "msd-review" / "SKILL.md"
    skill.write_text("mine now\n", encoding="utf-8")
    desk.run("install", "claude")
    skill.unlink()
    assert desk.run("install", "claude").code == 0
    assert tree(folder) == whole
    desk.run("uninstall", "claude")
    assert tree(folder) == {}


@pytest.mark.parametrize("scope", SCOPES)
def test_an_entry_of_that_name_that_a_person_wrote_is_never_touched(tmp_path: Path, scope: str) -> None:
    desk, folder = desk_of(tmp_path, scope)
    name = ".claude.json" if scope == "global" else ".mcp.json"
    text = '{"mcpServers": {"msd": {"command": "my-own-wrapper"}}}'
    (folder / name).write_text(text, encoding="utf-8")
    ended = desk.run("install", "claude", "--scope", scope)
    assert ended.code == 1
    assert "mcpServers.msd is not msd's: it was there before" in ended.err
    assert (folder / name).read_text(encoding="utf-8") == text
    assert desk.run("uninstall", "claude", "--scope", scope).code == 0
    assert tree(folder) == {name: ("file", 0o644, text.encode())}


def test_what_was_there_already_and_is_the_same_stays_a_persons(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path, "project")
    desk.run("install", "claude", "--scope", "project")
    before = tree(folder)
    (desk.msd_home / "hosts.json").unlink()  # a teammate's clone
    ended = desk.run("install", "claude", "--scope", "project")
    assert ended.code == 0
    assert "was there already" in ended.out
    missing = desk.run("uninstall", "claude", "--scope", "project")
    assert missing.code == 2
    assert "msd: error: msd did not install anything into claude with --scope project here\n" in missing.err
    assert tree(folder) == before


def edit_settings(path: Path) -> bytes:
    """A person adds a server and a comment around msd's entry; returns what is to be left without msd."""
    text = path.read_bytes().decode()
    if path.suffix == ".toml":
        more = '\n# added later\n[mcp_servers.later]\ncommand = "x"\n'
        path.write_bytes((text + more).encode())
        return more.encode()
    place = text.index("{", text.index('"mcp')) + 1
    path.write_bytes((text[:place] + ' "later": {"command": "x"},' + text[place:]).encode())
    return b'"later": {"command": "x"}'


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("lived_in", [False, True], ids=["made", "was there"])
def test_only_the_entry_goes_from_settings_that_a_person_edited_since(
    tmp_path: Path, host: str, lived_in: bool
) -> None:
    desk, folder = desk_of(tmp_path, lived_in=lived_in)
    desk.run("install", host)
    path = settings(folder, host, "global")
    added = edit_settings(path)
    ended = desk.run("uninstall", host)
    assert ended.code == 0, ended.err
    assert registered(path) is None
    rest = path.read_bytes()
    assert added.strip() in rest
    original = GLOBAL.get(path.relative_to(folder).as_posix(), ("", 0))[0].encode() if lived_in else b""
    for comment in (
        b"# my settings",
        b"// shared by all machines",
        b"// keep first",
        b"of mine */",
        b"# the good one",
    ):
        assert (comment in rest) == (comment in original)


def test_a_move_of_msd_renews_the_entry_and_still_restores_every_byte(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path, lived_in=True)
    before = tree(folder)
    desk.run("install", "claude")
    ledger = desk.msd_home / "hosts.json"
    old = json.loads(ledger.read_text(encoding="utf-8"))["installations"][0]["entries"][0]["value"]["command"]
    for path in (ledger, folder / ".claude.json"):
        path.write_text(path.read_text(encoding="utf-8").replace(old, "/old/place/msd"), encoding="utf-8")
    ended = desk.run("install", "claude")
    assert ended.code == 0, ended.err
    assert "renews mcpServers.msd" in ended.out
    assert registered(folder / ".claude.json")["command"] == old
    assert desk.run("uninstall", "claude").code == 0
    assert tree(folder) == before


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        (".claude.json", '{"a": 1,\n "b": }', "line 2, column 7: Expecting value"),
        (".claude.json", '["a"]', "its outermost value is not an object"),
        (".claude.json", '{"mcpServers": [1]}', "the value above 'msd' is not an object"),
    ],
)
def test_settings_that_cannot_be_read_are_named_with_the_place_and_nothing_is_written(
    tmp_path: Path, name: str, text: str, why: str
) -> None:
    desk, folder = desk_of(tmp_path)
    (folder / name).write_text(text, encoding="utf-8")
    before = tree(folder)
    ended = desk.run("install", "claude")
    assert ended.code == 2
    assert ended.err == (
        f"msd: error: {folder / name} cannot be edited: {why}\n"
        "hint: mend it, or change mcpServers.msd by hand; nothing was written\n"
    )
    assert tree(folder) == before


def test_malformed_toml_is_named_with_the_place_and_nothing_is_written(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    put(folder, {".codex/config.toml": ("a = 1\nb = = 2\n", 0o600)})
    before = tree(folder)
    ended = desk.run("install", "codex")
    assert ended.code == 2
    assert "config.toml cannot be edited: Invalid value (at line 2, column 5)" in ended.err
    assert tree(folder) == before


def test_variables_move_the_folders_as_their_hosts_read_them(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    moved = {
        "claude": ({"CLAUDE_CONFIG_DIR": str(tmp_path / "c")}, tmp_path / "c" / ".claude.json"),
        "codex": ({"CODEX_HOME": str(tmp_path / "x")}, tmp_path / "x" / "config.toml"),
        "opencode": ({"XDG_CONFIG_HOME": str(tmp_path / "o")}, tmp_path / "o" / "opencode" / "opencode.json"),
        "qwen": ({"QWEN_HOME": str(tmp_path / "q")}, tmp_path / "q" / "settings.json"),
        "kimi-code": ({"KIMI_CODE_HOME": "~/k"}, folder / "k" / "mcp.json"),
    }
    for host, (variables, path) in moved.items():
        assert desk.run("install", host, env=variables).code == 0
        assert registered(path) is not None
        assert desk.run("uninstall", host, env=variables).code == 0
        assert not path.exists()
    assert tree(folder) == {}
    refused = desk.run("install", "claude", env={"CLAUDE_CONFIG_DIR": "here"})
    assert refused.code == 2
    assert refused.err.startswith(
        "msd: error: CLAUDE_CONFIG_DIR is 'here': msd installs into an absolute path alone\n"
    )
    # a file named by a variable is a settings file, and moves no folder
    assert desk.run("install", "opencode", env={"OPENCODE_CONFIG": str(tmp_path / "mine.json")}).code == 0
    assert registered(folder / ".config" / "opencode" / "opencode.json") is not None


def test_a_folder_that_is_there_under_another_known_name_is_the_one(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    (folder / ".gemini" / "antigravity-cli").mkdir(parents=True)
    put(folder, {".gemini/config/mcp_config.json": ("{}", 0o600)})
    before = tree(folder)
    desk.run("install", "antigravity")
    assert (folder / ".gemini" / "antigravity-cli" / "skills" / "msd-review" / "SKILL.md").exists()
    assert registered(folder / ".gemini" / "config" / "mcp_config.json") is not None
    desk.run("uninstall", "antigravity")
    assert tree(folder) == before


def test_an_older_settings_file_that_the_host_still_prefers_is_the_one(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    put(folder, {".claude/.config.json": ("{}", 0o600), ".claude.json": ("{}", 0o600)})
    before = tree(folder)
    desk.run("install", "claude")
    assert registered(folder / ".claude" / ".config.json") is not None
    assert registered(folder / ".claude.json") is None
    desk.run("uninstall", "claude")
    assert tree(folder) == before


def test_a_newer_msd_renews_its_own_files(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    desk.run("install", "claude")
    whole = tree(folder)
    skill = folder / ".claude" / "skills" / "msd-review" / "SKILL.md"
    ledger = desk.msd_home / "hosts.json"
    new = hashlib.sha256(skill.read_bytes()).hexdigest()
    skill.write_text("what an older msd wrote\n", encoding="utf-8")
    old = hashlib.sha256(skill.read_bytes()).hexdigest()
    gone = folder / ".claude" / "skills" / "msd-old" / "SKILL.md"
    put(folder, {".claude/skills/msd-old/SKILL.md": ("what an older msd wrote\n", 0o644)})
    text = ledger.read_text(encoding="utf-8").replace(new, old)
    document = json.loads(text)
    document["installations"][0]["files"].append({"path": str(gone), "sha256": old})
    document["installations"][0]["folders"].append(str(gone.parent))
    ledger.write_text(json.dumps(document), encoding="utf-8")
    ended = desk.run("install", "claude")
    assert ended.code == 0
    assert ended.out.splitlines()[:2] == [f"changed   {skill}", f"removed   {gone}"]
    desk.run("uninstall", "claude")
    assert tree(folder) == {}
    desk.run("install", "claude")
    assert tree(folder) == whole


def test_a_dry_run_of_an_uninstall_removes_nothing_and_shows_what_goes(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path, lived_in=True)
    desk.run("install", "qwen")
    before = tree(tmp_path)
    shown = desk.run("uninstall", "qwen", "--dry-run", "--json")
    check(shown.document)
    assert [change["action"] for change in shown.document["changes"]] == ["remove", "remove", "change"]
    assert shown.document["diff"].endswith(
        f"-{settings(folder, 'qwen', 'global').read_text()}\n\\ No newline at end of file\n+{QWEN}\n\\ No newline at end of file\n"
    )
    assert desk.run("uninstall", "qwen", "--dry-run").out == shown.document["diff"]
    assert tree(tmp_path) == before


def test_what_a_person_put_beside_a_skill_stays_with_its_folder(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    desk.run("install", "codex")
    put(folder, {".codex/skills/msd-review/notes.md": ("mine\n", 0o644)})
    assert desk.run("uninstall", "codex").code == 0
    assert {name for name, (kind, _, _) in tree(folder).items() if kind == "file"} == {
        ".codex/skills/msd-review/notes.md"
    }


def test_the_home_folder_is_no_project_and_can_be_installed_from(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    assert desk.run("install", "codex", cwd=folder).code == 0
    ended = desk.run("install", "codex", "--scope", "project", cwd=folder)
    assert (ended.code, ended.err) == (
        2,
        "msd: error: there is no project here\nhint: go to a project's folder, or use --scope global\n",
    )


def test_dotfiles_behind_links_are_written_where_they_are_and_the_links_stay(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    put(
        tmp_path / "dotfiles", {"claude.json": (GLOBAL[".claude.json"][0], 0o600), "claude/keep": ("", 0o644)}
    )
    (folder / ".claude.json").symlink_to("../dotfiles/claude.json")
    (folder / ".claude").symlink_to(tmp_path / "dotfiles" / "claude")
    before, dotfiles = tree(folder), tree(tmp_path / "dotfiles")
    assert desk.run("install", "claude").code == 0
    assert (folder / ".claude.json").is_symlink()
    assert registered(tmp_path / "dotfiles" / "claude.json") is not None
    assert desk.run("uninstall", "claude").code == 0
    assert (tree(folder), tree(tmp_path / "dotfiles")) == (before, dotfiles)


def test_without_a_host_the_hosts_are_listed(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    desk.claude()
    put(folder, {".kimi-code/other": ("", 0o644), ".codex/x": ("", 0o644)})
    desk.run("install", "codex")
    desk.run("install", "codex", "--scope", "project")
    shown = desk.run("install", "--json").document
    check(shown)
    rows = {row["id"]: row for row in shown["hosts"]}
    assert set(rows) == set(HOSTS)
    assert {name for name, row in rows.items() if row["present"]} == {"claude", "codex"}
    assert rows["codex"]["installed"] == ["global", "project"]
    assert rows["claude"]["commands"] == {
        "global": ["/msd-review", "/msd-code-review"],
        "project": ["/msd:review", "/msd:code-review"],
    }
    assert rows["kimi-code"]["commands"]["global"] == ["/skill:msd-review", "/skill:msd-code-review"]
    assert desk.run("install").out.splitlines()[0].split() == [
        "host", "on", "this", "machine", "msd", "is", "installed", "commands",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("install", "cluade"), "msd: error: no host is called 'cluade'\nhint: did you mean claude?\n"),
        (
            ("install", "ollama"),
            "msd: error: ollama is a reviewer and no host\nhint: `msd install` lists the hosts\n",
        ),
        (
            ("uninstall", "codex"),
            "msd: error: msd did not install anything into codex with --scope global here\n"
            "hint: `msd install` shows where it is\n",
        ),
    ],
)
def test_what_cannot_be_is_said_in_one_line(tmp_path: Path, arguments: tuple[str, ...], error: str) -> None:
    desk, _ = desk_of(tmp_path)
    ended = desk.run(*arguments)
    assert (ended.code, ended.err) == (2, error)


def test_a_host_may_be_named_by_the_flag_of_its_lane(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    assert desk.run("install", "agy").code == 0
    assert (folder / ".gemini" / "antigravity" / "mcp_config.json").exists()
    assert desk.run("uninstall", "agy").code == 0


ACME = {
    "id": "acme-host",
    "role": "runtime",
    "version": "1.0.0",
    "title": "Acme",
    "description": "A host that nobody here has heard of.",
    "tier": "full",
    "requires": [],
    "runtime": {
        "configHome": {"kind": "xdg", "name": "acme", "env": ["XDG_CONFIG_HOME"], "skillsHome": ".acme-skills"},
        "localConfigDir": ".acme",
        "configFormat": "toml",
        "artifactLayout": {
            "global": [
                {"kind": "skills", "destSubpath": "all/skills", "prefix": "x-", "nesting": "flat", "converter": None}
            ],
            "local": [
                {"kind": "commands", "destSubpath": "prompts", "prefix": "", "nesting": "flat", "converter": "agentSkill"}
            ],
        },
        "commandStyle": "shell-var",
        "hooksSurface": "none",
        "sandboxTier": "none",
        "supportTier": 2,
        "installSurface": "profile-marker-only",
        "writesSharedSettings": True,
        "hostBehaviors": {
            "commandCall": "run {name}!",
            "mcpRegistration": {
                "format": "toml",
                "path": ["tools", "mcp.servers"],
                "shape": "command-list",
                "constants": {"enabled": True},
                "global": [{"in": "config-home", "file": "deep/acme.toml"}],
                "project": [{"in": "local-config-dir", "file": "acme.toml"}],
            },
        },
    },
}  # fmt: skip


def test_a_new_host_is_a_new_manifest_and_can_be_left_after_that_is_gone(tmp_path: Path) -> None:
    desk, folder = desk_of(tmp_path)
    put(tmp_path, {"acme-host/capability.json": (json.dumps(ACME), 0o644)})
    before = tree(folder)
    installed = desk.run("capability", "install", str(tmp_path / "acme-host"), "--yes")
    assert installed.code == 0, installed.err
    ended = desk.run("install", "acme-host")
    assert ended.code == 0, ended.err
    assert ended.out.endswith("in acme-host, after a new start: run x-review!, run x-code-review!\n")
    document = tomllib.loads((folder / ".config" / "acme" / "deep" / "acme.toml").read_text(encoding="utf-8"))
    server = document["tools"]["mcp.servers"]["msd"]
    assert (server["enabled"], server["command"][1:]) == (True, ["mcp"])
    skill = (folder / ".acme-skills" / "all" / "skills" / "x-review" / "SKILL.md").read_text(encoding="utf-8")
    assert skill.startswith("---\nname: x-review\n")
    assert "--exclude" not in skill
    assert desk.run("install", "acme-host", "--scope", "project").code == 0
    assert (desk.project / ".acme" / "prompts" / "code-review.md").exists()
    assert desk.run("capability", "remove", "acme-host").code == 0
    for scope in SCOPES:
        assert desk.run("uninstall", "acme-host", "--scope", scope).code == 0
    assert (tree(folder), tree(desk.project)) == (before, {})
