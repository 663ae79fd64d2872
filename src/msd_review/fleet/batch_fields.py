"""The fields that a line of a batch may have, as a table: the reader names them, the reference page is made of them."""

from dataclasses import dataclass
from typing import Any

from msd_review.fleet.model import ItemKind

MAX_LINE_BYTES = 1024 * 1024
MAX_ITEMS = 1_000_000
MAX_ENTRIES = 1_000
"""How many plans or paths one line may name."""
MAX_LANES = 64
MAX_TEXT = 4_096
"""How many characters a path, an address or another text of a line may have."""
MAX_TIMEOUT_SECONDS = 10_000_000

KINDS: tuple[ItemKind, ...] = ("phase", "plans", "change")


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchField:
    """One field: what it may hold, what it is for, and an example; `required` as people read it."""

    name: str
    value: str
    required: str
    doc: str
    example: Any


FIELDS = (
    BatchField(
        name="id",
        value="letters, digits, `.`, `_` and `-`, beginning with a letter or digit; at most 100",
        required="no",
        doc="names the item and its folder; unique in the batch, compared without case. Left out, it is made from "
        "the line's content, so that it stays the same when other lines come or go",
        example="billing-phase-3",
    ),
    BatchField(
        name="repository",
        value="a path or a git address",
        required="yes",
        doc="a folder, absolute or relative to the folder of the batch file; or an address that git reads over https or ssh",
        example="https://git.example.org/team/billing.git",
    ),
    BatchField(
        name="revision",
        value="a branch, a tag or a commit",
        required="no",
        doc="what to review the repository at; left out, a folder is reviewed as it stands and an address at its default branch",
        example="v2.4.0",
    ),
    BatchField(
        name="phase",
        value="a string, or a whole number",
        required="exactly one of the three",
        doc="reviews a phase of `.planning/`, named as `--phase` takes it",
        example="3",
    ),
    BatchField(
        name="plans",
        value="a list of paths",
        required="exactly one of the three",
        doc="reviews plan files, relative to the repository",
        example=["PLAN.md"],
    ),
    BatchField(
        name="change",
        value="an object",
        required="exactly one of the three",
        doc="reviews a change; `{}` is the change against the default branch",
        example={"base": "origin/main", "paths": ["src"]},
    ),
    BatchField(
        name="lanes",
        value="a list of lanes, by slug",
        required="no",
        doc="who reviews; left out, every lane that can run",
        example=["acme", "grounding"],
    ),
    BatchField(
        name="models",
        value="an object: lane → model",
        required="no",
        doc="the model of a lane, for this item",
        example={"acme": "large"},
    ),
    BatchField(
        name="timeout",
        value=f"a number of seconds above 0 and below {MAX_TIMEOUT_SECONDS:,}",
        required="no",
        doc="how long each lane of this item may run",
        example=900,
    ),
)

CHANGE_FIELDS = (
    BatchField(
        name="base",
        value="a branch, a tag or a commit",
        required="no",
        doc="what the change is held against, as `--base` takes it",
        example="origin/main",
    ),
    BatchField(
        name="paths",
        value="a list of paths",
        required="no",
        doc="narrows the change to these files and folders, relative to the repository",
        example=["src", "pyproject.toml"],
    ),
)

NAMES = tuple(field.name for field in FIELDS)
CHANGE_NAMES = tuple(field.name for field in CHANGE_FIELDS)
