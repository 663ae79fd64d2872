"""Acceptance checks that pass before anything is done: `grep -q` for a text that stands there, `test -f` of a file that exists.

Only checks that can be decided by reading are judged, and a task is reported only where all of its checks pass already.
"""

from collections.abc import Iterator

from msd_review.grounding.ground import Ground
from msd_review.grounding.model import Fault
from msd_review.grounding.needs import simple_commands
from msd_review.grounding.plan import Plan
from msd_review.review.model import Severity

_SPECIAL = set(".*[]^$+?(){}|\\")
_QUIET = {"-q", "-qF", "-Fq", "-F", "-n", "-l", "-s", "-qs", "--quiet", "--fixed-strings"}


def check_static(ground: Ground, plan: Plan) -> Iterator[Fault]:
    """One fault for each task all of whose automated checks are true of the tree as it stands."""
    for at, task in enumerate(plan.tasks):
        checks = [segment for segment in plan.within("automated", task=at) if plan.said(segment).strip()]
        if checks and all(_passes(ground, plan.said(segment)) for segment in checks):
            command = " ".join(plan.said(checks[0]).split())
            yield Fault(
                key=("passes-already", plan.name, str(task.line)),
                kind="check-passes-already",
                severity=Severity.LOW,
                title=f"`{command[:120]}` passes before anything is done",
                body=f"It is the only check of “{task.name}”, and it is true of the tree as it stands.",
                spots=((plan.name, plan.line_at(checks[0].start)),),
                suggestion="check for something that only the finished task brings about",
            )


def _passes(ground: Ground, text: str) -> bool:
    if any(sign in text for sign in ("|", "!", ";", "$", ">")):
        return False
    found = [_is_true(ground, words) for words in simple_commands(text.strip())]
    return bool(found) and all(found)


def _is_true(ground: Ground, words: list[str]) -> bool:
    if words[:1] == ["test"] and len(words) == 3 and words[1] in {"-f", "-e", "-d"}:
        return ground.tree.has(words[2].removeprefix("./"))
    if words[:1] != ["grep"]:
        return False
    options = [word for word in words[1:] if word.startswith("-")]
    rest = [word for word in words[1:] if not word.startswith("-")]
    if (
        len(rest) != 2
        or not set(options) <= _QUIET
        or set(rest[0]) & _SPECIAL
        and not any("F" in option for option in options)
    ):
        return False
    text = ground.tree.read(rest[1].removeprefix("./"))
    return isinstance(text, str) and rest[0] in text
