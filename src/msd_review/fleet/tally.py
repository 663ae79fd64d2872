"""Which exit code a fleet run has: told from what its items came to."""

from dataclasses import dataclass

from msd_review.app.exits import BLOCKED, DONE, FINDINGS, INTERRUPTED, NAMED_FAILED, NONE_RAN
from msd_review.fleet.model import ItemOutcome, ItemReason


@dataclass(slots=True)
class Codes:
    """What was seen so far, over all items."""

    items: int = 0
    delivered: int = 0
    not_done: int = 0
    blocked: int = 0
    with_findings: int = 0

    def add(self, outcome: ItemOutcome) -> None:
        """Counts one item."""
        self.items += 1
        self.delivered += outcome.state == "done" or any(lane.outcome == "review" for lane in outcome.lanes)
        self.not_done += outcome.state != "done"
        self.blocked += outcome.reason == ItemReason.BLOCKED.value
        self.with_findings += outcome.exit_code == FINDINGS

    def exit_code(self, *, interrupted: bool) -> int:
        """0 every item is done; 1 so, and an item trips `--fail-on`; 3 an item is not done; 4 no item has a review;
        5 consent was missing for a lane that an item names, or for all of an item's; 130 interrupted."""
        if interrupted:
            return INTERRUPTED
        if self.blocked:
            return BLOCKED
        if self.items and not self.delivered:
            return NONE_RAN
        if self.not_done:
            return NAMED_FAILED
        return FINDINGS if self.with_findings else DONE
