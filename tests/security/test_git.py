"""Attacks through a git address or a repository: each is named, and each must lead nowhere."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from msd_review.errors import SourceError
from msd_review.sources.fetched import Fetched
from msd_review.sources.git import Git, fetch_git
from msd_review.sources.spec import Spec, parse_spec
from tests.git_samples import commit, git, make_repository, manifest_bytes
from tests.servers.loopback import Answer, Server, https_server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with https_server(tmp_path) as running:
        running.serve_git(tmp_path / "served")
        yield running


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "served" / "acme.git")


@pytest.fixture
def tool(server: Server) -> Git:
    return Git(
        binary=Path(shutil.which("git") or "/usr/bin/git"),
        environ={**os.environ, "GIT_SSL_CAINFO": str(server.authority)},
    )


def fetch(server: Server, tool: Git, ref: str = "") -> Fetched:
    return fetch_git(parse_spec(f"git+{server.url('/git/acme.git')}{ref}"), git=tool, say=lambda _line: None)


@pytest.mark.parametrize(
    "text",
    [
        "git+ext::sh -c touch% /tmp/pwned",
        "git+ext::sh",
        "ext::sh",
        "git+file:///etc",
        "file:///etc",
        "git+fd::17",
        "git+git://h/r",
        "git+http://h/r",
        "git+ftp://h/r.git",
        "--upload-pack=evil",
        "git+--upload-pack=evil",
        "git+https://h/r --upload-pack=evil",
        "git+https://-oProxyCommand=evil/r",
        "ssh://-oProxyCommand=evil/r.git",
        "git@-oProxyCommand=evil:r",
        "git@h:-evil",
        "git@h:",
        "git+https:///r",
        "git+https://h",
        "git+https://h\\@evil/r",
        "git+https://h/r\x00",
        "git+https://h/r\u202e",
    ],
)
def test_attack_an_address_that_is_a_command_an_option_or_no_encrypted_transport(text: str) -> None:
    with pytest.raises(SourceError):
        parse_spec(text)


@pytest.mark.parametrize(
    "ref",
    [
        "--upload-pack=touch pwned", "-x", "--upload-pack", "tag:-x", "tag:", "", "+refs/heads/*", "a:b",
        "refs/heads/*", "a..b", "a~1", "a^{}", "^a", "@{-1}", "a b", "sha:abc", "sha:--upload-pack", "a//b",
        "a.lock", "/a", "a/", ".a",
    ],
)  # fmt: skip
def test_attack_a_ref_that_starts_with_a_dash_or_is_more_than_a_name(ref: str) -> None:
    with pytest.raises(SourceError):
        parse_spec(f"https://h/r.git#{ref}")


def test_attack_a_spec_that_was_made_without_the_parser_still_reaches_no_other_transport(
    tool: Git, tmp_path: Path
) -> None:
    secret = make_repository(tmp_path / "secret")
    for target in (f"file://{secret}", str(secret), f"ext::touch {tmp_path}/pwned", "--upload-pack=evil"):
        with pytest.raises(SourceError, match="has no HEAD, or cannot be read"):
            fetch_git(Spec(kind="git", raw=target, target=target), git=tool, say=lambda _line: None)
    assert not (tmp_path / "pwned").exists()


def test_attack_a_submodule_is_refused_and_never_fetched(
    server: Server, tool: Git, repository: Path, tmp_path: Path
) -> None:
    make_repository(tmp_path / "served" / "inner.git")
    git(
        repository,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        str(tmp_path / "served" / "inner.git"),
        "sub",
    )
    commit(repository, {})
    with pytest.raises(
        SourceError, match='the repository\'s "sub" is a submodule; a capability holds plain files'
    ):
        fetch(server, tool)
    assert not [path for path in server.seen if "inner" in path]


@pytest.mark.parametrize("target", ["/etc/passwd", "capability.json", "../../outside"])
def test_attack_a_link_in_the_repository_is_refused(
    server: Server, tool: Git, repository: Path, target: str
) -> None:
    (repository / "link").symlink_to(target)
    commit(repository, {})
    with pytest.raises(
        SourceError, match='the repository\'s "link" is a link; a capability holds plain files alone'
    ):
        fetch(server, tool)


def test_attack_hooks_filters_and_lfs_of_the_repository_never_run(
    server: Server, tool: Git, repository: Path, tmp_path: Path
) -> None:
    pwned = tmp_path / "pwned"
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 1\n"
    files = {
        ".gitattributes": b"* filter=evil\n*.bin filter=lfs diff=lfs merge=lfs -text\n",
        ".gitconfig": f'[filter "evil"]\n\tsmudge = touch {pwned}\n'.encode(),
        "large.bin": pointer,
        "hooks/post-checkout": f"#!/bin/sh\ntouch {pwned}\n".encode(),
    }
    commit(repository, files)
    config = tmp_path / "user.gitconfig"
    config.write_text(
        f'[filter "evil"]\n\tsmudge = touch {pwned}\n\trequired = true\n[core]\n\thooksPath = {tmp_path}/h\n'
    )
    (tmp_path / "h").mkdir()
    for hook in ("reference-transaction", "post-checkout", "post-merge", "pre-auto-gc"):
        (tmp_path / "h" / hook).write_text(f"#!/bin/sh\ntouch {pwned}\n")
        (tmp_path / "h" / hook).chmod(0o755)
    careless = Git(binary=tool.binary, environ={**tool.environ, "GIT_CONFIG_GLOBAL": str(config)})
    fetched = fetch(server, careless)
    assert fetched.bundle.files[b"large.bin"] == pointer
    assert not pwned.exists()


def test_attack_templates_and_variables_that_would_add_a_hook_have_no_say(
    server: Server, tool: Git, repository: Path, tmp_path: Path
) -> None:
    template = tmp_path / "template" / "hooks"
    template.mkdir(parents=True)
    (template / "reference-transaction").write_text(f"#!/bin/sh\ntouch {tmp_path}/pwned\n")
    (template / "reference-transaction").chmod(0o755)
    hostile = {
        **tool.environ,
        "GIT_TEMPLATE_DIR": str(template.parent),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "core.hooksPath",
        "GIT_CONFIG_VALUE_0": str(template),
        "GIT_SSL_NO_VERIFY": "1",
        "GIT_ALLOW_PROTOCOL": "ext:file",
        "GIT_EXEC_PATH": str(tmp_path),
        "GIT_DIR": str(tmp_path),
    }
    fetch(server, Git(binary=tool.binary, environ=hostile))
    assert not (tmp_path / "pwned").exists()


def test_attack_a_redirect_to_another_host_is_not_followed(
    server: Server, tool: Git, repository: Path
) -> None:
    elsewhere = server.url("/git/acme.git", host="elsewhere.localhost")

    def redirect(handler: object, _body: bytes) -> Answer:
        query = "/info/refs?service=git-upload-pack"
        return Answer(status=301, headers={"Location": elsewhere + query})

    server.routes["/moved.git/"] = redirect
    with pytest.raises(SourceError, match="redirect"):
        fetch_git(parse_spec(server.url("/moved.git")), git=tool, say=lambda _line: None)
    assert not [path for path in server.seen if path.startswith("/git/")]


def test_attack_a_server_that_asks_for_a_password_gets_none_and_hangs_nobody(
    server: Server, tool: Git
) -> None:
    server.routes["/private.git/"] = lambda _handler, _body: Answer(
        status=401, headers={"WWW-Authenticate": 'Basic realm="x"'}
    )
    with pytest.raises(SourceError, match="could not read Username|terminal prompts disabled"):
        fetch_git(parse_spec(server.url("/private.git")), git=tool, say=lambda _line: None)


@pytest.mark.parametrize(
    "text", ["https://user:secret@h/r.git", "https://token@h/r.git", "ssh://git:pw@h/r.git"]
)
def test_attack_credentials_in_an_address_are_not_sent_and_not_recorded(tool: Git, text: str) -> None:
    with pytest.raises(SourceError, match="holds credentials, which would be written into the ledger"):
        fetch_git(parse_spec(text), git=tool, say=lambda _line: None)


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["A.md", "a.md"], "no difference but case"),
        (["Dir/x", "dir/y"], "differs from Dir by case alone"),
        (["con.txt"], "a name that Windows reserves"),
        (["a\\b"], "a character that is not allowed"),
        (["a\nb"], "a character that is not allowed"),
    ],
)
def test_attack_names_that_collide_or_mean_something_elsewhere_are_refused(
    server: Server, tool: Git, repository: Path, names: list[str], why: str
) -> None:
    commit(repository, dict.fromkeys(names, b"x"))
    with pytest.raises(SourceError, match=why):
        fetch(server, tool)


def test_attack_a_tree_that_names_its_parent_is_refused_on_the_way(
    server: Server, tool: Git, repository: Path
) -> None:
    blob = git(repository, "hash-object", "-w", "--stdin", stdin=manifest_bytes())
    entry = b"100644 ..\0" + bytes.fromhex(blob)
    tree = git(repository, "hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=entry)
    made = git(repository, "commit-tree", tree, "-m", "evil")
    git(repository, "update-ref", "refs/heads/evil", made)
    with pytest.raises(SourceError, match="cannot be read"):
        fetch(server, tool, "#evil")


def test_attack_a_tree_that_unfolds_into_billions_of_files(
    server: Server, tool: Git, repository: Path
) -> None:
    entry = b"100644 f\0" + bytes.fromhex(git(repository, "hash-object", "-w", "--stdin", stdin=b"x"))
    for _ in range(10):
        made = git(repository, "hash-object", "-t", "tree", "-w", "--stdin", stdin=entry)
        entry = b"".join(b"40000 d%d\0" % number + bytes.fromhex(made) for number in range(10))
    git(repository, "update-ref", "refs/heads/bomb", git(repository, "commit-tree", made, "-m", "bomb"))
    spec = parse_spec(f"git+{server.url('/git/acme.git')}#bomb")
    with pytest.raises(SourceError, match="cannot be listed, or holds more than 100,000 entries"):
        fetch_git(spec, git=tool, say=lambda _line: None, timeout_s=3)
