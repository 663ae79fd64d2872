"""A capability from a git repository, read out of a bare fetch.

Invariants
- Nothing is ever checked out: files are read as git objects. So no filter, hook, attribute, LFS program or
  submodule of the repository has a moment at which it could run, and no link of it is ever followed.
- git speaks https and ssh and nothing else, without prompts, without redirects, without what `GIT_*`
  variables or a repository's configuration would add; the address and the ref stand behind `--`.
- Bounded in seconds, in bytes on the disk while fetching, and in entries and bytes of the tree.
- The commit that was read is recorded, and is the one that was asked for where one was.
"""

import asyncio
import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from msd_review.edges import clock
from msd_review.edges.capture import Captured, capture
from msd_review.errors import SourceError
from msd_review.sources.fetched import Fetched, Say
from msd_review.sources.fileset import FileSet
from msd_review.sources.spec import Spec
from msd_review.trust.bundle import MAX_ENTRIES
from msd_review.trust.visible import plain

TIMEOUT_S = 60.0
MAX_FETCHED_BYTES = 128 * 1024 * 1024
_MAX_LISTING = 32 * 1024 * 1024
_MAX_OBJECTS = 32 * 1024 * 1024
_WATCH_S = 0.1

# The user's own way to reach a server stays; whatever else GIT_* would change does not.
_KEPT_GIT_VARIABLES = frozenset({
    "GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
    "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT",
})  # fmt: skip
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.askPass=",
    "core.bigFileThreshold=1m",  # a larger blob is streamed, never held in memory
    "credential.interactive=never",
    "http.followRedirects=false",
    "http.sslVerify=true",
    "fetch.fsckObjects=true",
    "fetch.recurseSubmodules=false",
    "fetch.uriProtocols=",
    "transfer.bundleURI=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "submodule.recurse=false",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Git:
    """The git to use: its absolute path, the environment it is given, and whether `file://` may be read."""

    binary: Path
    environ: Mapping[str, str]
    allow_file: bool = False
    on_bytes: Callable[[int], None] | None = None  # told how many bytes lie there so far


@dataclass(frozen=True, slots=True, kw_only=True)
class _Repository:
    git: Git
    folder: Path
    deadline: float

    def run(self, *arguments: str, stdin: bytes | None = None, limit: int = 64 * 1024) -> Captured:
        return asyncio.run(self._run(arguments, stdin=stdin, limit=limit))

    async def _run(self, arguments: Sequence[str], *, stdin: bytes | None, limit: int) -> Captured:
        left = self.deadline - clock.monotonic()
        work = asyncio.create_task(
            capture(
                command(self.git, self.folder, arguments),
                env=environment(self.git),
                cwd=self.folder,
                timeout_s=max(0.01, left),
                limit_bytes=limit,
                stdin=stdin,
            )
        )
        while not (await asyncio.wait({work}, timeout=_WATCH_S))[0]:
            size = _size(self.folder)
            if self.git.on_bytes is not None:
                self.git.on_bytes(size)
            if size > MAX_FETCHED_BYTES:
                work.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await work
                raise SourceError(
                    f"the repository sends more than {MAX_FETCHED_BYTES:,} bytes; it was stopped"
                )
        return work.result()


def command(git: Git, folder: Path, arguments: Sequence[str]) -> tuple[str, ...]:
    """The whole command line of one git call on the bare repository `folder`."""
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    return (str(git.binary), f"--git-dir={folder}", "--no-replace-objects", *settings, *arguments)


def environment(git: Git) -> dict[str, str]:
    """What git sees: the user's environment without what could add hooks, prompts, transports or repositories."""
    kept = {
        name: value
        for name, value in git.environ.items()
        if not name.upper().startswith("GIT_") or name in _KEPT_GIT_VARIABLES
    }
    kept.setdefault("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
    return {
        **kept,
        "GIT_ALLOW_PROTOCOL": "https:ssh:file" if git.allow_file else "https:ssh",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
    }


def fetch_git(spec: Spec, *, git: Git, say: Say, timeout_s: float = TIMEOUT_S) -> Fetched:
    """Reads the capability at a repository's ref (its default branch without one). Raises SourceError."""
    _check_credentials(spec)
    say(f"fetching {plain(spec.target)}")
    with _bare(git, timeout_s) as repository:
        commit = _fetch(repository, spec)
        say(f"reading commit {commit[:12]}")
        files = _read_tree(repository, commit)
    return Fetched(spec=spec, bundle=files.bundle(), resolved=commit, url=spec.target)


def resolve_ref(spec: Spec, *, git: Git, timeout_s: float) -> str | None:
    """The commit that a spec's ref has at the remote now, None where it has none. Raises SourceError."""
    _check_credentials(spec)
    with _bare(git, timeout_s) as repository:
        names = _remote_names(spec.ref)
        listed = repository.run("ls-remote", "--", spec.target, *names, limit=_MAX_LISTING)
        if listed.exit_status != 0:
            raise _failed("cannot be asked", spec, listed)
    found = dict(
        _pair(line) for line in listed.stdout.decode("ascii", "replace").splitlines() if "\t" in line
    )
    return next((found[name] for name in names if name in found), None)


def _pair(line: str) -> tuple[str, str]:
    commit, _, name = line.partition("\t")
    return name, commit


def _remote_names(ref: str | None) -> tuple[str, ...]:
    """The names that a ref can have at a remote, a tag's own commit before the tag object."""
    if ref is None:
        return ("HEAD",)
    tag = ref.removeprefix("tag:")
    names = (f"refs/tags/{tag}^{{}}", f"refs/tags/{tag}")
    return names if ref.startswith("tag:") else (f"refs/heads/{ref}", *names)


def _check_credentials(spec: Spec) -> None:
    parts = urlsplit(spec.target) if "://" in spec.target else None
    if parts is not None and (
        parts.password is not None or (parts.scheme != "ssh" and parts.username is not None)
    ):
        raise SourceError(
            f"{plain(spec.raw)} holds credentials, which would be written into the ledger",
            hint="leave them to git's credential helper, or to an ssh key",
        )


@contextlib.contextmanager
def _bare(git: Git, timeout_s: float) -> Iterator[_Repository]:
    with tempfile.TemporaryDirectory(prefix="msd-git-", ignore_cleanup_errors=True) as name:
        folder = Path(name) / "repository"
        repository = _Repository(git=git, folder=folder, deadline=clock.monotonic() + timeout_s)
        folder.mkdir(mode=0o700)
        made = repository.run("init", "--quiet", "--bare", "--template=", "--", str(folder))
        if made.exit_status != 0:
            raise SourceError(f"git cannot be used: {_words(made)}")
        yield repository


def _fetch(repository: _Repository, spec: Spec) -> str:
    wanted = _wanted_commit(spec.ref)
    if wanted is not None:
        _fetch_commit(repository, spec, wanted)
        return wanted
    ref = spec.ref or "HEAD"
    name = f"refs/tags/{ref.removeprefix('tag:')}" if ref.startswith("tag:") else ref
    got = _fetch_refs(repository, spec, ("--depth=1",), (name,))
    if got.exit_status != 0:
        raise _failed(f"has no {plain(ref)}, or cannot be read", spec, got)
    return _commit(repository, "FETCH_HEAD")


def _wanted_commit(ref: str | None) -> str | None:
    digits = (ref or "").removeprefix("sha:")
    is_commit = len(digits) == 40 and not digits.strip("0123456789abcdefABCDEF")
    return digits.lower() if is_commit else None


def _fetch_commit(repository: _Repository, spec: Spec, commit: str) -> None:
    """By its id where the remote gives it so, else by fetching every branch and tag within the limits."""
    got = _fetch_refs(repository, spec, ("--depth=1",), (commit,))
    if got.exit_status != 0 and not got.timed_out:
        got = _fetch_refs(repository, spec, (), ("+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"))
    if got.exit_status != 0:
        raise _failed("cannot be read", spec, got)
    if repository.run("cat-file", "-e", f"{commit}^{{commit}}").exit_status != 0:
        raise SourceError(
            f"{plain(spec.target)} does not give commit {commit}, by its id or on any branch or tag"
        )
    if _commit(repository, commit) != commit:
        raise SourceError(f"{commit} is no commit")


def _fetch_refs(repository: _Repository, spec: Spec, options: Sequence[str], refs: Sequence[str]) -> Captured:
    fixed = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-gc", "--update-head-ok")
    return repository.run(*fixed, *options, "--", spec.target, *refs)


def _commit(repository: _Repository, name: str) -> str:
    found = repository.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    commit = found.stdout.decode("ascii", "replace").strip()
    if found.exit_status != 0 or not commit:
        raise SourceError("what was fetched is no commit")
    return commit


def _read_tree(repository: _Repository, commit: str) -> FileSet:
    listed = repository.run("ls-tree", "-r", "-z", "-l", "--full-tree", commit, limit=_MAX_LISTING)
    if listed.exit_status != 0 or len(listed.stdout) >= _MAX_LISTING:
        raise SourceError(f"commit {commit} cannot be listed, or holds more than {MAX_ENTRIES:,} entries")
    files, wanted = FileSet(), list(_entries(listed.stdout))
    for _, size, _ in wanted:
        files.entry()
        files.take_size(size)
    ids = b"".join(identity + b"\n" for identity, _, _ in wanted)
    got = repository.run("cat-file", "--batch", stdin=ids, limit=_MAX_OBJECTS)
    for path, content in _contents(got.stdout, wanted):
        files.add(path, content)
    return files


def _entries(listing: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    """(object id, size, path) of every file in a tree."""
    for line in listing.split(b"\0"):
        head, tab, path = line.partition(b"\t")
        if not tab:
            continue
        mode, kind, identity, size = head.split()
        what = {b"120000": "a link", b"160000": "a submodule"}.get(mode)
        if what is not None or kind != b"blob":
            shown = plain(path.decode("utf-8", "backslashreplace"))
            raise SourceError(
                f'the repository\'s "{shown}" is {what or "no file"}; a capability holds plain files alone'
            )
        yield identity, int(size), path


def _contents(batch: bytes, wanted: Sequence[tuple[bytes, int, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    for identity, size, path in wanted:
        header = b"%s blob %d\n" % (identity, size)
        start, end = at + len(header), at + len(header) + size
        if batch[at:start] != header or batch[end : end + 1] != b"\n":
            raise SourceError("the repository's objects cannot be read")
        yield path, batch[start:end]
        at = end + 1


def _failed(what: str, spec: Spec, captured: Captured) -> SourceError:
    return SourceError(f"{plain(spec.target)} {what}: {_words(captured)}")


def _words(captured: Captured) -> str:
    if captured.timed_out:
        return "it took too long"
    if captured.problem:
        return plain(captured.problem)
    lines = [line for line in captured.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    shown = next(
        (line for line in lines if line.startswith(("fatal:", "error:"))),
        lines[-1] if lines else "no reason given",
    )
    said = plain(shown.partition(": ")[2] or shown)[:300]
    return f"{said} (a redirect, which is not followed)" if "returned error: 30" in said else said


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(place) / name).lstat().st_size
    return total
