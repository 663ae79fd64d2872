"""What a change is compared with: the merge base with the default branch, unless a person says otherwise."""

from collections.abc import Iterator
from dataclasses import dataclass

from msd_review.change.repository import Checkout
from msd_review.edges import environ
from msd_review.errors import InputError, UsageError

_COMMON_NAMES = ("main", "master", "trunk", "develop")
_FULL_HISTORY = (
    "fetch it: `git fetch --unshallow`, or let CI check out the whole history (fetch-depth: 0, GIT_DEPTH: 0)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """`commit` is compared with, `tip` is the revision itself (the policy's source), None before the first commit."""

    commit: str
    name: str
    tip: str | None


def find_base(checkout: Checkout, revision: str | None, *, staged: bool) -> Base:
    """The base of the change. Raises InputError or UsageError where there is none that can be reached."""
    head = checkout.commit("HEAD")
    if head is None:
        return _before_first_commit(checkout, revision)
    if revision is None and staged:
        return Base(commit=head, name="HEAD", tip=head)
    name, tip = _named(checkout, revision) if revision is not None else _default(checkout)
    merge_base = checkout.line("merge-base", tip, head)
    if merge_base is None:
        raise _no_common_history(checkout, short_name(name))
    return Base(commit=merge_base, name=short_name(name), tip=tip)


def short_name(revision: str) -> str:
    """A revision as people call it: without the folder that its kind of reference lies in."""
    return revision.removeprefix("refs/remotes/").removeprefix("refs/heads/")


def _before_first_commit(checkout: Checkout, revision: str | None) -> Base:
    if revision is not None:
        raise UsageError(f"--base {revision}: this repository has no commit yet")
    empty = checkout.run("hash-object", "-t", "tree", "--stdin", stdin=b"").stdout.decode().strip()
    return Base(commit=empty, name="nothing (no commit yet)", tip=None)


def _named(checkout: Checkout, revision: str) -> tuple[str, str]:
    tip = checkout.commit(revision)
    if tip is not None:
        return revision, tip
    if checkout.is_shallow:
        raise InputError(
            f"--base {revision}: not in this clone, which is shallow: its history was cut", hint=_FULL_HISTORY
        )
    raise UsageError(
        f"--base {revision}: there is no such revision", hint="`git branch -a` lists the branches"
    )


def _default(checkout: Checkout) -> tuple[str, str]:
    told = _told_by_ci()
    for name in (*told, *([] if told else _usual(checkout))):
        tip = checkout.commit(name)
        if tip is not None:
            return name, tip
    if told:
        raise InputError(
            f"the branch that this change goes into, {told[-1]}, is not in this clone", hint=_FULL_HISTORY
        )
    if checkout.is_shallow:
        raise InputError(
            "the default branch is not in this clone, which is shallow: its history was cut",
            hint=_FULL_HISTORY,
        )
    raise InputError("no default branch was found", hint="say what to compare with: --base REV")


def _told_by_ci() -> list[str]:
    """The base that GitHub or GitLab announces for a pull or merge request."""
    if branch := environ.get("GITHUB_BASE_REF"):
        return [f"refs/remotes/origin/{branch}", branch]
    names = [environ.get("CI_MERGE_REQUEST_DIFF_BASE_SHA")]
    if branch := environ.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"):
        names = [f"refs/remotes/origin/{branch}", *names, branch]
    return [name for name in names if name]


def _usual(checkout: Checkout) -> Iterator[str]:
    remote_head = checkout.line("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
    if remote_head:
        yield remote_head
    configured = checkout.line("config", "--get", "init.defaultBranch")
    names = (*_COMMON_NAMES[:2], *([configured] if configured else ()), *_COMMON_NAMES[2:])
    for name in names:
        yield f"refs/remotes/origin/{name}"
    for name in names:
        yield f"refs/heads/{name}"


def _no_common_history(checkout: Checkout, name: str) -> InputError:
    if checkout.is_shallow:
        return InputError(
            f"the history that this change shares with {name} is not in this clone, which is shallow",
            hint=_FULL_HISTORY,
        )
    return InputError(
        f"this change shares no history with {name}", hint="say what to compare with: --base REV"
    )
