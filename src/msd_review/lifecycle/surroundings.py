"""Everything that a change of what is installed depends on, handed in by whoever wires it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msd_review.lifecycle.places import Place, ScopeName, find_place, places
from msd_review.registry.model import Registry
from msd_review.sources.fetched import Download, Say
from msd_review.sources.git import Git
from msd_review.trust.disclosure import ResolveHost


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """One machine's side of a change.

    `home` is `$MSD_HOME`, `user_home` the home folder, `project` the project root or None. `policies` are
    the raw values of `capabilities.strict_known_registries`, one for each layer of configuration (None where
    it is unset). `registry` loads what is installed and active now; it is called again under the lock.
    `resolve_host` is None where the configuration could not be read. `git` is None where git is missing.
    """

    home: Path
    user_home: Path
    project: Path | None
    working_folder: Path
    policies: Sequence[Any]
    registry: Callable[[], Registry]
    download: Download
    say: Say
    git: Git | None
    npm_registry: str = ""  # the base address that npm itself is set up for
    resolve_host: ResolveHost | None = None
    proxy_for: ResolveHost | None = None

    def place(self, scope: ScopeName) -> Place:
        """The place of a scope. Raises UsageError where there is none."""
        return find_place(scope, home=self.home, user_home=self.user_home, project=self.project)

    def places(self) -> tuple[Place, ...]:
        """Every place that capabilities can be installed in."""
        return places(home=self.home, user_home=self.user_home, project=self.project)
