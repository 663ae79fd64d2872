"""The prompt of a source review: metadata of a change, and what to do with it; never a line of any file.

A file's name is data like everything between the boundaries: it is written as a JSON string on one line, in which no
line break, boundary, heading or file mention can stand. So the prompt grows with the number of files alone.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msd_review.change.model import Change, ChangedFile, Depth
from msd_review.prompt.model import Prompt, ReviewSubject, Section
from msd_review.prompt.render import quoted, render, template
from msd_review.prompt.sections import INSTRUCTIONS, estimate_tokens, section, sections_of

DEPTH_MEANS: dict[Depth, str] = {
    "quick": "Read the changed files where they changed. Report what is plainly wrong there.",
    "standard": "Read the changed files whole, and the code that they call or that calls them. Report what is wrong in them or breaks because of them.",
    "deep": "Read the changed files whole and follow every effect through the repository: callers, data, configuration, tests, documents, security. Report what is wrong in them or breaks because of them, however far away.",
}
_WITH_PLAN = ("roadmap", "requirements", "plan")


def change_prompt(change: Change, *, depth: Depth, root: str, plan: ReviewSubject | None = None) -> Prompt:
    """The prompt for one working folder, which `root` names as the reviewer sees it. Same input, same bytes."""
    name = "Change under review"
    parts = [section("change", name, metadata(change, depth=depth, root=root)), *_of_plan(plan)]
    parts.append(section("instructions", INSTRUCTIONS, _instructions(plan)))
    text = render(parts, template("change_preamble.md"))
    return Prompt(text=text, sections=tuple(parts), tokens=estimate_tokens(text), budget=None, trimmed=False)


def source_prompt(paths: Sequence[str], *, root: Path, depth: Depth, base: str) -> Prompt:
    """The prompt of a step that names its files itself: metadata alone, of paths that were checked before."""
    files = tuple(ChangedFile(path=path, kind="modified") for path in paths)
    change = Change(
        root=root, base=base, base_name=base, policy_commit=None, head=None, staged=False, files=files
    )
    return change_prompt(change, depth=depth, root=str(root))


def metadata(change: Change, *, depth: Depth, root: str) -> str:
    """The change as one JSON object, a file a line."""
    head = {
        "root": root,
        "base": change.base,
        "base_name": change.base_name,
        "until": change.until,
        "head": change.head or "",
        "depth": depth,
        "depth_means": DEPTH_MEANS[depth],
    }
    facts = [f"{quoted(key)}: {quoted(value)}," for key, value in head.items()]
    rows = ",\n".join(_row(file) for file in change.files)
    return "\n".join(["{", *facts, f'"files": [\n{rows}\n]', "}"])


def _row(file: ChangedFile) -> str:
    return "{" + ", ".join(_facts(file)) + "}"


def _facts(file: ChangedFile) -> Iterator[str]:
    yield f'"path": {quoted(file.path)}'
    yield f'"change": {quoted(file.kind)}'
    if file.old_path is not None:
        yield f'"from": {quoted(file.old_path)}'
    if file.added is not None and file.removed is not None:
        yield f'"added": {file.added}, "removed": {file.removed}'
    if file.note:
        yield f'"note": {quoted(file.note)}'


def _of_plan(plan: ReviewSubject | None) -> list[Section]:
    if plan is None:
        return []
    return [part for part in sections_of(plan) if part.kind in _WITH_PLAN]


def _instructions(plan: ReviewSubject | None) -> str:
    text = template("change_instructions.md")
    return text if plan is None else f"{text}\n\n{template('change_with_plan.md')}"
