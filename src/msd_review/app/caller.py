"""Who asks for a review: never a reviewer that msd itself is running.

Tools that reviewers are may know msd as a server or as a command, since their users put it there. A reviewer that
asks for reviews would be paid for twice, and could go on for ever.
"""

from msd_review.edges import process_table
from msd_review.errors import UsageError


def check_caller() -> None:
    """Raises UsageError when this process was started by a reviewer, however many processes lie between."""
    if process_table.is_inside_a_run():
        raise UsageError(
            "a reviewer that msd runs asked for a review, and reviewers do not have others review",
            hint="if you are that reviewer: write your own review, and answer with it alone",
        )
