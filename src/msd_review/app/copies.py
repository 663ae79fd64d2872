"""The throw-away copies of one run: made before the lanes start, always removed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from msd_review.manifest.model import Lane
from msd_review.run.workspace import Copy, CopyFailed, make_copy, remove_copy


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What became of the copies: identity → why there is none, and a note for each that was made."""

    failed: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Copies:
    """Makes and removes the copies of a run. Agent configuration of every lane is left out of each of them."""

    root: Path
    lanes: Sequence[Lane]
    keep_agent_config: bool
    plans: Sequence[Path] = ()
    made: list[Copy] = field(default_factory=list)

    def make(self, wanted: Mapping[str, Path], users: Mapping[str, Sequence[str]]) -> Copied:
        """`wanted` is copy → folder, `users` is copy → the identities that work in it."""
        declared = tuple(dict.fromkeys(entry for lane in self.lanes for entry in lane.agent_config))
        failed: dict[str, str] = {}
        notes: list[str] = []
        for name, folder in wanted.items():
            result = make_copy(
                self.root,
                folder,
                agent_config=declared,
                keep_agent_config=self.keep_agent_config,
                also=self.plans,
            )
            if isinstance(result, CopyFailed):
                failed |= dict.fromkeys(users[name], result.detail)
            else:
                self.made.append(result)
                notes.append(_note(result, users[name]))
        return Copied(failed=failed, notes=tuple(notes))

    def remove(self) -> None:
        """Removes every copy that was made, whatever happened in it."""
        for copy in self.made:
            remove_copy(copy)
        self.made.clear()


def _note(copy: Copy, users: Sequence[str]) -> str:
    size = f"{copy.bytes / 1e6:.1f} MB" if copy.bytes >= 100_000 else f"{copy.bytes / 1e3:.0f} KB"
    return f"{', '.join(users)} worked in a throw-away copy ({copy.files:,} files, {size}, {copy.duration_ms / 1000:.1f} s)"
