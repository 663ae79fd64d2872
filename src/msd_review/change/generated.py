"""Which files of a change nobody wrote by hand: told by the base revision's attributes, and by the names of lock files.

The attributes are read from the base revision: a change that could declare its own files generated would hide them
from its reviewers.
"""

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from msd_review.change.repository import Checkout

LOCK_FILES = frozenset(
    ["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
     "poetry.lock", "uv.lock", "pdm.lock", "pylock.toml", "Pipfile.lock", "conda-lock.yml", "Cargo.lock", "go.sum",
     "go.work.sum", "Gemfile.lock", "composer.lock", "mix.lock", "pubspec.lock", "Podfile.lock", "Package.resolved",
     "gradle.lockfile", "packages.lock.json", "flake.lock", ".terraform.lock.hcl", "Chart.lock", "Manifest.toml",
     "stack.yaml.lock", "cabal.project.freeze", "MODULE.bazel.lock"]
)  # fmt: skip
_ATTRIBUTE = "linguist-generated"


def generated_files(checkout: Checkout, paths: Sequence[str], *, commit: str | None) -> Mapping[str, str]:
    """Path → why it counts as generated, for those that do."""
    found = {path: "lock file" for path in paths if path.rpartition("/")[2] in LOCK_FILES}
    if commit is not None and paths:
        found |= dict.fromkeys(_declared(checkout, paths, commit), f"{_ATTRIBUTE} in .gitattributes")
    return found


def _declared(checkout: Checkout, paths: Sequence[str], commit: str) -> list[str]:
    # An index of its own, made of the commit: this git may not know `check-attr --source` yet.
    with tempfile.TemporaryDirectory(prefix="msd-attributes-") as folder:
        env = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        if checkout.run("read-tree", commit, env=env).exit_status != 0:
            return []
        told = checkout.run(
            "check-attr",
            "--cached",
            "--stdin",
            "-z",
            _ATTRIBUTE,
            stdin=os.fsencode("\0".join(paths) + "\0"),
            env=env,
        )
    fields = os.fsdecode(told.stdout).split("\0")
    values = {"set", "true"}
    return [path for path, value in zip(fields[::3], fields[2::3], strict=False) if value in values]
