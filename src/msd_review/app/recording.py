"""Records a run as it goes, without letting a full disk cost what the reviewers deliver.

Before the first reviewer starts a run that cannot be recorded is refused. Once reviewers are paid for, what cannot
be recorded is told as a warning, and the review is written all the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from msd_review.app.events import RunEvent, Watcher
from msd_review.errors import StoreError
from msd_review.run import store
from msd_review.run.journal import Journal
from msd_review.run.kept import Kept
from msd_review.run.result import LaneResult
from msd_review.run.store import RunInfo


@dataclass(slots=True)
class Record:
    """The journal of a run that is going on, and the delivered texts, held so that no reviewer can remove them."""

    journal: Journal
    kept: Kept = field(default_factory=Kept)
    problems: dict[str, None] = field(default_factory=dict)

    def begin(self, fields: Mapping[str, object]) -> None:
        """Records the start. Raises StoreError."""
        for name in store.RECORDS:
            self.kept.hold(self.journal.folder / name)
        self.journal.append("run_started", fields, sync=True)

    def note(self, event: str, fields: Mapping[str, object], *, sync: bool = False) -> None:
        """Records an event; never raises StoreError."""
        try:
            self.journal.append(event, fields, sync=sync)
        except StoreError as problem:
            self.problems[str(problem)] = None

    def finished(self, key: str, result: LaneResult) -> None:
        """Records a lane's result; never raises StoreError. One that is not recorded is run again by a resume."""
        if result.text_path is not None:
            self.kept.hold(result.text_path)
        try:
            self.journal.lane_finished(key, result)
        except StoreError as problem:
            self.problems[str(problem)] = None

    def close(self) -> None:
        """Puts back what a reviewer removed, and closes the journal."""
        self.kept.release()
        self.journal.close()


def record_end(
    info: RunInfo,
    *,
    state: Literal["finished", "interrupted", "failed"],
    exit_code: int | None,
    progress: Watcher | None = None,
) -> None:
    """Records how a run ended. That it cannot be recorded is told, where somebody watches, and changes nothing."""
    try:
        store.end_run(info, state=state, exit_code=exit_code)
    except StoreError as problem:
        if progress is not None:
            progress(RunEvent(kind="note", text=f"warning: {problem}"))
