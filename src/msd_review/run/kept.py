"""Holds on to files of a run, so that a reviewer that removes them takes nothing from the others.

An open file outlives its name. What is gone from its place once the reviewers have ended is put back.
"""

import contextlib
import os
from dataclasses import dataclass, field
from pathlib import Path

from msd_review.edges import files


@dataclass(slots=True)
class Kept:
    """The files that are held, by path. Costs one descriptor each, until `release`."""

    held: dict[Path, int] = field(default_factory=dict)

    def hold(self, path: Path) -> None:
        """Holds on to `path` as it is now; a file that cannot be opened is not held."""
        with contextlib.suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
            previous = self.held.pop(path, None)
            if previous is not None:
                os.close(previous)
            self.held[path] = descriptor

    def release(self) -> None:
        """Puts back what is gone or was replaced, and lets go of everything."""
        for path, descriptor in self.held.items():
            with contextlib.suppress(OSError):
                files.put_back(path, descriptor)
            os.close(descriptor)
        self.held.clear()
