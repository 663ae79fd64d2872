"""docs/reference/capabilities.md: what `msd capability matrix` prints."""

from msd_review.app.capability import matrix

_HEAD = """\
# Capabilities

Every capability that ships with msd, as `msd capability matrix` prints it. `msd capability list` adds what is
installed on your machine, and says why something is not active.

"""


def page() -> str:
    """The whole page."""
    return _HEAD + matrix()
