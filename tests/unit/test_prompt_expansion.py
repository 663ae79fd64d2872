"""Tools that put a mentioned file's content into the prompt find nothing to put in."""

import subprocess
import sys
from pathlib import Path

import pytest

from msd_review.prompt.artifacts import subject_from_plans
from msd_review.prompt.budget import assemble
from msd_review.prompt.model import Prompt

# Two ways in which real tools read mentions: after white space alone, anywhere on disk, `~` and quotes included;
# or after any character, inside the working folder, with escaped spaces, up to a delimiter.
EXPANDING_TOOL = r"""
import os, re, sys
from pathlib import Path

text = sys.stdin.buffer.read().decode()
kinds = {
    "word": r'(?:^|(?<=\s))@("[^"\n]+"|[^\s]+)',
    "anywhere": r'(?<!\\)@((?:\\.|[^\s,;!?()\[\]{}<>`\x27"|:#])+)',
}
for match in re.finditer(kinds[sys.argv[1]], text, re.M):
    name = re.sub(r"\\(.)", r"\1", match.group(1).strip('"')).rstrip(".")
    for candidate in dict.fromkeys((name, re.split(r"[#:]", name)[0])):
        path = Path(os.path.expanduser(candidate))
        if candidate and path.is_file():
            sys.stdout.write(path.read_text())
        elif candidate and path.is_dir():
            sys.stdout.write("".join(p.read_text() for p in sorted(path.iterdir()) if p.is_file()))
"""

SECRET = "the content of a file"


@pytest.fixture
def tree(tmp_path: Path, empty_home: Path) -> Path:
    for path in (
        tmp_path / "src/app.py",
        tmp_path / "docs/my notes.md",
        empty_home / ".ssh/id",
        tmp_path / "top",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
    return tmp_path


def expanded(kind: str, prompt: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", EXPANDING_TOOL, kind],
        input=prompt.encode(),
        cwd=folder,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode()


@pytest.mark.parametrize("kind", ["word", "anywhere"])
@pytest.mark.parametrize(
    "mention",
    [
        "@src/app.py",
        "x\n@src/app.py\n",
        "see @src/app.py.",
        "(@src/app.py)",
        "@src/app.py:1",
        "@src/app.py#L1",
        "@src",
        "@./src/app.py",
        "@~/.ssh/id",
        '@"docs/my notes.md"',
        "@docs/my\\ notes.md",
        "me@top",
        "@{root}/src/app.py",
        "<context>\n@src/app.py\n@top\n</context>",
    ],
)
def test_no_mention_of_a_plan_is_expanded(tree: Path, kind: str, mention: str) -> None:
    plan = tree / "PLAN.md"
    plan.write_text(mention.replace("{root}", str(tree)))
    made = assemble(subject_from_plans(tree, [plan]), budget=None)
    assert isinstance(made, Prompt)
    assert expanded(kind, made.text, tree) == ""


def test_the_tool_of_these_tests_does_expand(tree: Path) -> None:
    assert expanded("word", "@src/app.py", tree) == SECRET
    assert expanded("word", "@~/.ssh/id", tree) == SECRET
    assert expanded("word", '@"docs/my notes.md"', tree) == SECRET
    assert expanded("anywhere", "me@top and @docs/my\\ notes.md", tree) == 2 * SECRET
