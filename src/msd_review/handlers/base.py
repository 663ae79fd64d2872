"""What a handler may own: behaviour of a tool that its manifest cannot declare.

A handler is a module named in a closed table; a third party cannot ship one. Each function is optional but
`TRANSPORT`; what a module lacks, the declared vocabulary does.

TRANSPORT                      "spawn" or "openai-http": the only lanes it fits
plan_argv(args, agent)         the arguments with an agent put in, where the tool knows agents
read(stdout, stderr)           what the tool said, as a `Reading`
before_start(home, workspace)  a value noted before the start, handed back to `recover`
start_args(args, repo, help)   the arguments with what only this machine's tool can tell
recover(...)                   a reading taken from elsewhere when the tool printed nothing
"""

from typing import Protocol

from msd_review.run.result import Reading


class StreamReader(Protocol):
    """Reads a tool's raw output."""

    def __call__(self, stdout: bytes, stderr: bytes) -> Reading:
        """The reading of one run; never raises on any bytes."""
        ...
