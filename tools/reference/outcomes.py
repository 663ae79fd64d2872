"""docs/reference/outcomes.md, from the closed lists and the string under each of their members."""

import ast
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from msd_review import outcomes
from reference.markdown import code, table

_HEAD = """\
# Outcomes, reasons and marks

What became of a reviewer is one *outcome*. Unless it is `review`, one *reason* says why. A delivered review may
bear *marks*: what a reader must know before believing it. The three lists are closed, and the same in every
output: on the terminal, in `NN-REVIEWS.md`, in JSON and in SARIF.

This page is generated from `src/msd_review/outcomes.py`.
"""


def _sentences(kind: type[StrEnum]) -> dict[str, str]:
    """What the source says under each member. Raises KeyError for a member without a sentence."""
    tree = ast.parse(Path(outcomes.__file__).read_text(encoding="utf-8"))
    body = next(
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == kind.__name__
    ).body
    said: dict[str, str] = {}
    for member, text in zip(body, body[1:], strict=False):
        if isinstance(member, ast.Assign) and isinstance(text, ast.Expr):
            said[ast.literal_eval(member.value)] = ast.literal_eval(text.value)
    return {member.value: said[member.value] for member in kind}


def _listed(heading: str, sentences: dict[str, str]) -> str:
    return table((heading, "meaning"), ((code(word), text) for word, text in sentences.items()))


def _parts() -> Iterator[str]:
    reasons = _sentences(outcomes.Reason)
    not_run = {word: text for word, text in reasons.items() if word in outcomes.NOT_RUN_REASONS}
    run = {word: text for word, text in reasons.items() if word in outcomes.RUN_REASONS}
    yield _HEAD
    yield "## Outcomes\n\n" + _listed("outcome", _sentences(outcomes.Outcome)) + "\n"
    yield "## Reasons of a reviewer that was not run\n\n" + _listed("reason", not_run) + "\n"
    yield "## Reasons of a reviewer that ran\n\n" + _listed("reason", run) + "\n"
    yield (
        "A first look at a tool or server may also end in `auth_required` or `http_error`, with the outcome\n"
        "`unavailable`; a redirect met while running is `blocked`, `egress_refused`.\n"
    )
    yield "## Marks\n\n" + _listed("mark", _sentences(outcomes.Mark))


def page() -> str:
    """The whole page."""
    return "\n".join(_parts()) + "\n"
