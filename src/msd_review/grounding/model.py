"""What a plan claims, and what became of each claim."""

from dataclasses import dataclass
from typing import Literal

from msd_review.grounding.prose import Mode
from msd_review.grounding.relations import Weight
from msd_review.review.model import Severity

ClaimKind = Literal[
    "path",
    "lines",
    "symbol",
    "signature",
    "parameter",
    "quote",
    "command",
    "dependency",
    "artifact",
    "link",
    "requirement",
    "structure",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One thing that a plan says about what is there, or will be.

    `text` is as written; `line` is the line of the plan (1-based); `tag` and `task` say where in the plan. `path`,
    `first`/`last` (lines), `symbol`, `parameters` are set as the kind needs. `tied` is True where the sentence itself
    joins the symbol to the path.
    """

    kind: ClaimKind
    plan: str
    line: int
    text: str
    mode: Mode = "unsure"
    tag: str = ""
    task: int | None = None
    path: str | None = None
    first: int | None = None
    last: int | None = None
    symbol: str | None = None
    parameters: str | None = None
    tied: bool = False
    strict: bool = False  # the wording leaves no room: "defined at line 12", "create the file"
    called: bool = False  # written as a call: `name()`
    as_call: bool = False  # parameters are written as a call's, not as a declaration's
    weight: Weight = ""  # how firmly the wording joins the symbol to the path
    bare: bool = False  # not marked as code
    apart: bool = False  # the path stands in another sentence, or above


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A claim that does not hold, or a plan that does not fit together.

    `key` names the fault once, whatever repeats it; `spots` are (plan, line) pairs; `truth` says what is there
    instead; `places` are `path:line` citations in the tree.
    """

    key: tuple[str, ...]
    kind: str
    severity: Severity
    title: str
    body: str
    spots: tuple[tuple[str, int], ...]
    truth: str = ""
    places: tuple[str, ...] = ()
    suggestion: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What became of one claim: it held, it is a fault, or it could not be told (`why`)."""

    claim: Claim
    outcome: Literal["held", "fault", "unsure"]
    why: str = ""
    fault: Fault | None = None
