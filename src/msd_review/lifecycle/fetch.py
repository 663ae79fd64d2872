"""A spec → its files: the policy first, then the one source that the spec is for."""

from msd_review.errors import SourceError
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.sources.archive import check_integrity_text
from msd_review.sources.fetched import Fetched
from msd_review.sources.git import Git, fetch_git
from msd_review.sources.local import fetch_local
from msd_review.sources.npm import fetch_npm
from msd_review.sources.policy import check_source
from msd_review.sources.spec import Spec
from msd_review.sources.tarball import fetch_tarball


def fetch(spec: Spec, around: Surroundings, *, integrity: str | None = None) -> Fetched:
    """Fetches what a spec names. Raises SourceError, before anything is contacted where the policy forbids it."""
    check_source(spec, around.policies)
    if integrity is not None:
        check_integrity_text(integrity)
        if spec.kind in {"git", "local"}:
            raise SourceError(
                f"--integrity is for archives, and {spec.kind} has none",
                hint="name a commit instead: #sha:…" if spec.kind == "git" else "leave --integrity out",
            )
    match spec.kind:
        case "local":
            return fetch_local(spec, base=around.working_folder)
        case "git":
            return fetch_git(spec, git=needed_git(around), say=around.say)
        case "npm":
            return fetch_npm(
                spec,
                registry=around.npm_registry,
                integrity=integrity,
                download=around.download,
                say=around.say,
            )
        case "tarball":
            return _fetch_archive(spec, around, integrity)


def _fetch_archive(spec: Spec, around: Surroundings, integrity: str | None) -> Fetched:
    def check(url: str) -> None:
        check_source(Spec(kind="tarball", raw=url, target=url), around.policies)

    return fetch_tarball(spec, integrity=integrity, download=around.download, check=check, say=around.say)


def needed_git(around: Surroundings) -> Git:
    """The git to use. Raises SourceError where there is none."""
    if around.git is None:
        raise SourceError("git was not found on PATH", hint="install git, or use npm: or an archive")
    return around.git
