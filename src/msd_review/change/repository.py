"""The repository under review, asked about its change: bounded, and without running what the repository names.

Beside what every git command of ours switches off (hooks, external diffs, pagers), comparing the working tree could
start a `clean` filter; those that the repository's own configuration defines are switched off here, and those that the
person's does are theirs. Paths are literal, never patterns.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from msd_review.edges.process import Captured
from msd_review.errors import InputError
from msd_review.run.git import Git, find_git, find_repository

_LITERAL = {"GIT_LITERAL_PATHSPECS": "1"}
_MAX_FILTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """A work tree that git knows, and how it is asked. `root` may lie below the work tree's top."""

    git: Git
    root: Path
    prefix: str  # where root lies below the top: "" or "sub/"
    is_shallow: bool
    switched_off: tuple[str, ...] = ()

    def run(
        self, *arguments: str, stdin: bytes | None = None, env: Mapping[str, str] | None = None
    ) -> Captured:
        """One bounded command at the root; a failure is in the result."""
        git = self.git if env is None else replace(self.git, env={**self.git.env, **env})
        return git.run(self.root, *self.switched_off, *arguments, stdin=stdin)

    def fields(self, *arguments: str) -> list[str]:
        """The NUL-separated fields that a command printed. Raises InputError where it failed."""
        done = self.run(*arguments)
        if done.exit_status != 0 or done.is_cut:
            raise InputError(f"git {arguments[0]} failed: {problem_of(done)}")
        return os.fsdecode(done.stdout).split("\0")

    def line(self, *arguments: str) -> str | None:
        """The first line that a command printed; None where it failed or printed nothing."""
        done = self.run(*arguments)
        if done.exit_status != 0:
            return None
        return os.fsdecode(done.stdout).partition("\n")[0] or None

    def commit(self, revision: str) -> str | None:
        """The full id of the commit that a revision names, None where there is none."""
        if not revision or any(ord(char) < 32 or char == "\x7f" for char in revision):
            return None
        return self.line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")

    def file_at(self, commit: str, path: str, *, limit: int) -> bytes | None:
        """A regular file's content at a commit, `path` relative to the root; None where there is none of that size."""
        listed = self.line("ls-tree", "-l", "--full-tree", commit, "--", f"{self.prefix}{path}")
        facts = (listed or "").partition("\t")[0].split()
        if (
            len(facts) != 4
            or not facts[0].startswith("100")
            or not facts[3].isdigit()
            or int(facts[3]) > limit
        ):
            return None
        done = self.run("cat-file", "blob", facts[2])
        return done.stdout if done.exit_status == 0 and not done.is_cut else None


def problem_of(done: Captured) -> str:
    """Why a command failed, on one line."""
    if done.timed_out:
        return "it took too long"
    if done.is_cut:
        return "it printed more than is taken"
    lines = os.fsdecode(done.stderr).strip().split("\n")
    text = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[0])
    return (
        "".join(char if char.isprintable() else " " for char in text)[:300]
        or done.problem
        or "no reason given"
    )


def open_checkout(root: Path) -> Checkout:
    """The work tree at `root`. Raises InputError: no git, no repository, or one that git refuses to read."""
    git = find_git(root)
    if git is None:
        raise InputError("git was not found", hint="install git: a change is what git says has changed")
    git = replace(git, env={**git.env, **_LITERAL})
    repository = find_repository(git, root)
    if repository is None:
        raise InputError(_why_not(git, root), hint="a plan can be reviewed without git: msd review PLAN.md")
    plain = Checkout(git=git, root=root, prefix=repository.prefix, is_shallow=False)
    shallow = plain.line("rev-parse", "--is-shallow-repository") == "true"
    return replace(plain, is_shallow=shallow, switched_off=tuple(_without_filters(plain)))


def _why_not(git: Git, root: Path) -> str:
    told = problem_of(git.run(root, "rev-parse", "--show-toplevel"))
    if "not a git repository" in told:
        return f"{root} is not in a git repository, so there is no change to review"
    return f"git cannot read {root}: {told.removeprefix('fatal: ')}"


def _without_filters(checkout: Checkout) -> Iterable[str]:
    """Options that switch off every filter program that the repository's own configuration defines."""
    done = checkout.run(
        "config", "--show-scope", "-z", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process)$"
    )
    fields = os.fsdecode(done.stdout).split("\0") if done.exit_status == 0 else []
    for scope, name in list(zip(fields[::2], fields[1::2], strict=False))[:_MAX_FILTERS]:
        if scope in {"local", "worktree"}:
            driver = name.rpartition(".")[0]
            yield from ("-c", f"{name}=", "-c", f"{driver}.required=false")
