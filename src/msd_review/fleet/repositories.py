"""An item's repository as a tree on this machine: a folder that is there, or a checkout of ours.

Invariants
- A folder of the machine's is read and never written.
- Only https and ssh are fetched, and a file:// URL where the worker's operator asked for that.
- All lanes of an item see one commit: a branch is resolved once, before any lane runs.
"""

from pathlib import Path
from urllib.parse import urlsplit

from msd_review.edges import files
from msd_review.fleet import checkouts
from msd_review.fleet.checkouts import Repositories, RepositoryProblem, no_revision
from msd_review.fleet.model import FleetItem, ItemReason
from msd_review.lazy import regex
from msd_review.run.git import find_git
from msd_review.trust.visible import plain

_LISTING = 64 * 1024 * 1024
_SCP = regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[^:].*")
_COMMIT = regex(r"[0-9a-f]{40}|[0-9a-f]{64}")


def is_local(repository: str) -> bool:
    """Whether a repository is a folder of the machine rather than an address."""
    return Path(repository).is_absolute()


def is_commit(revision: str | None) -> bool:
    """Whether a revision is a whole commit id, which means the same everywhere and always."""
    return revision is not None and _COMMIT.fullmatch(revision) is not None


def needs_resolving(item: FleetItem) -> bool:
    """Whether all lanes of the item must first agree on one commit."""
    if is_local(item.repository) and item.revision is None:
        return False
    return not is_commit(item.revision)


def check_address(repository: str, *, allow_file: bool) -> None:
    """Raises RepositoryProblem for what is never fetched."""
    if is_local(repository) or _SCP.fullmatch(repository):
        return
    parts = urlsplit(repository)
    allowed = {"https", "ssh", *(("file",) if allow_file else ())}
    if parts.scheme not in allowed or (parts.scheme != "file" and not parts.hostname):
        raise _refused(repository, "is neither a folder, nor an https or ssh address")
    if (parts.hostname or "").startswith("-") or "\n" in repository:
        raise _refused(repository, "is no address")
    if parts.password is not None or (parts.scheme == "https" and parts.username is not None):
        raise _refused(f"{parts.scheme}://…@{parts.hostname}", "holds credentials; leave them to git")


def _refused(repository: str, why: str) -> RepositoryProblem:
    return RepositoryProblem(ItemReason.REPOSITORY_REFUSED, f"{plain(repository)} {why}")


def resolve(place: Repositories, repository: str, revision: str | None) -> str:
    """The commit that a revision means now (the default branch without one). Raises RepositoryProblem."""
    check_address(repository, allow_file=place.allow_file)
    if not is_local(repository):
        return _resolve_remote(place, repository, revision)
    folder = _existing(repository)
    git = find_git(folder)
    wanted = revision or "HEAD"
    arguments = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{wanted}^{{commit}}")
    commit = git.ask(folder, *arguments) if git is not None else None
    if commit is None or not is_commit(commit):
        raise no_revision(repository, wanted)
    return commit


def _resolve_remote(place: Repositories, repository: str, revision: str | None) -> str:
    names = (
        ("HEAD",)
        if revision is None
        else (f"refs/heads/{revision}", f"refs/tags/{revision}^{{}}", f"refs/tags/{revision}")
    )
    folder = files.make_private(place.folder)
    git = checkouts.find_source_git(place, repository)
    told = checkouts.run(git, folder, ("ls-remote", "--", repository, *names), cwd=folder, limit=_LISTING)
    if told.exit_status != 0:
        raise checkouts.fetch_failed(repository, told)
    lines = told.stdout.decode("utf-8", "replace").splitlines()
    found = {name: commit for commit, tab, name in (line.partition("\t") for line in lines) if tab}
    commit = next((found[name] for name in names if name in found), None)
    if commit is None or not is_commit(commit):
        raise no_revision(repository, revision or "HEAD")
    return commit


def _existing(repository: str) -> Path:
    folder = Path(repository)
    if not folder.is_dir():
        raise RepositoryProblem(
            ItemReason.REPOSITORY_MISSING, f"{plain(repository)} is no folder on this worker"
        )
    return folder


def tree_of(place: Repositories, item: FleetItem) -> Path:
    """The tree to review; a revision must be a commit by now. Raises RepositoryProblem."""
    check_address(item.repository, allow_file=place.allow_file)
    if is_local(item.repository):
        folder = _existing(item.repository)
        if item.revision is None:
            return folder
    if item.revision is None or not is_commit(item.revision):
        raise RuntimeError(f"the revision {item.revision} of {item.id} was not resolved")
    return checkouts.checked_out(place, item.repository, item.revision, whole=item.kind == "change")


def tree_name(item: FleetItem) -> str | None:
    """The name of the folder that keeps an item's checkout; None for a folder of the machine's."""
    if item.revision is None:
        return None
    return checkouts.tree_key(item.repository, item.revision, whole=item.kind == "change")
