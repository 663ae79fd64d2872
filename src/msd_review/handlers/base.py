"""What a handler may own: behaviour of a tool that its manifest cannot declare.

A handler is a module named in a closed table; no installed capability can bring one. Each module binds every
member of `SpawnHandler`: what its tool does not need it takes from the defaults below.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from msd_review.manifest.model import Transport
from msd_review.run.result import Reading

SELF_REPORT = "REVIEWED-WITHOUT-REPO-ACCESS"
_SELF_REPORT_LINES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """What a tool printed, as text without terminal sequences.

    `exit_status` is None while the tool runs, and when it did not end by itself.
    """

    stdout: str
    stderr: str = ""
    exit_status: int | None = None


class SpawnHandler(Protocol):
    """The members of a handler for spawned lanes; all of them are total: they never raise."""

    @property
    def TRANSPORT(self) -> Transport:
        """The only lanes that it fits."""
        ...

    @property
    def WANTS_HELP(self) -> bool:
        """Whether `start_argv` reads what the tool's `--help` prints."""
        ...

    def plan_argv(self, argv: tuple[str, ...], agent: str) -> tuple[str, ...]:
        """The arguments with an agent put in; unchanged where the tool has no agents."""
        ...

    def before_start(self, home: Path, workspace: Path) -> object | None:
        """What `read` must know of the time before the start; `workspace` is where the tool will work."""
        ...

    def start_argv(self, argv: tuple[str, ...], repo: Path, help_text: str) -> tuple[str, ...]:
        """The arguments with what only this machine's version of the tool can tell."""
        ...

    def read(self, printed: Printed, note: object | None) -> Reading | None:
        """What the tool said; `note` is what `before_start` returned. None: as the manifest declares."""
        ...


def without_agent(argv: tuple[str, ...], agent: str) -> tuple[str, ...]:
    """The default of `plan_argv`."""
    return argv


def no_note(home: Path, workspace: Path) -> object | None:
    """The default of `before_start`."""
    return None


def same_argv(argv: tuple[str, ...], repo: Path, help_text: str) -> tuple[str, ...]:
    """The default of `start_argv`."""
    return argv


def reports_no_access(text: str) -> bool:
    """Whether one of the first five lines is the admission that the repository could not be read."""
    head = text.lstrip("\ufeff\r\n").split("\n", _SELF_REPORT_LINES)[:_SELF_REPORT_LINES]
    return any(line.strip(" \t\r*_`#>") == SELF_REPORT for line in head)
