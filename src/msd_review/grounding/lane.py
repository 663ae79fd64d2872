"""`msd-grounding`: the built-in reviewer. A prompt (or a bare plan) on stdin, a review in Markdown on stdout.

It needs no model, no key and no network, reads the working folder and changes nothing. Exit status: 0 for a review,
2 for input that cannot be reviewed.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from msd_review import __version__
from msd_review.errors import InputError, MsdError
from msd_review.grounding.examine import examine
from msd_review.grounding.index import open_tree
from msd_review.grounding.markdown import review_text
from msd_review.grounding.plan import Plan, read_plan
from msd_review.prompt.parse import ParsedPart, split_prompt
from msd_review.prompt.reading import decode

MAX_INPUT_BYTES = 64 * 1024 * 1024
MAX_PLAN = 1024 * 1024  # characters of one plan; the longest real ones have 154,000
_HELP = """\
Usage: msd-grounding [--help] [--version] < PROMPT

Checks what a plan claims against the files of the current folder: paths, lines, names, signatures, commands, promised
artifacts, dependencies, waves, requirements. Reads a prompt as `msd prompt` prints it, or a bare plan, on stdin and
prints a review in Markdown. Needs no model, no key and no network; runs nothing and changes nothing.

Exit status: 0 a review was printed, 2 the input cannot be reviewed.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the reviewer; returns the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments and arguments[0] in {"--help", "-h"}:
        print(_HELP, end="")
        return 0
    if arguments == ["--version"]:
        print(f"msd-grounding {__version__}")
        return 0
    try:
        if arguments:
            raise InputError(
                f"unexpected argument {arguments[0]!r}", hint="the prompt comes on stdin; see --help"
            )
        sys.stdout.write(review_of(sys.stdin.buffer.read(MAX_INPUT_BYTES + 1), _working_folder()))
        sys.stdout.flush()
    except MsdError as problem:
        print(f"msd-grounding: error: {problem.message}", file=sys.stderr)
        if problem.hint:
            print(f"hint: {problem.hint}", file=sys.stderr)
        return problem.exit_code
    return 0


def review_of(content: bytes, root: Path) -> str:
    """The review of a prompt against the tree at `root`. Raises InputError for input that cannot be reviewed."""
    if len(content) > MAX_INPUT_BYTES:
        raise InputError(f"the prompt is larger than {MAX_INPUT_BYTES // 2**20} MiB")
    text, _ = decode(content, "the prompt")
    plans = tuple(_plans(text))
    if not plans:
        raise InputError(
            "the prompt holds no plan", hint="pipe a plan, or the output of `msd prompt`, into it"
        )
    return review_text(examine(root, open_tree(root), plans))


def _plans(text: str) -> Iterator[Plan]:
    parts = split_prompt(text) or (ParsedPart(kind="plan", name="", path="", text=text),)
    for part in parts:
        if part.kind == "plan" and part.text.strip():
            cut = part.kept != "whole" or len(part.text) > MAX_PLAN
            yield read_plan(part.name or "PLAN.md", part.text[:MAX_PLAN], path=part.path, cut=cut)


def _working_folder() -> Path:
    try:
        return Path.cwd()
    except OSError:
        raise InputError("the current folder no longer exists", hint="cd into a folder that does") from None
