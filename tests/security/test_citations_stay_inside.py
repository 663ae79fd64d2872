"""No citation and no plan makes us open, quote or publish anything that is not part of the tree under review."""

import os
import re
import subprocess
import threading
import time
from pathlib import Path

import pytest

from msd_review.grounding.index import open_tree
from msd_review.grounding.lane import review_of
from msd_review.grounding.patterns import search
from msd_review.grounding.resolve import check_citations, quote_lines
from msd_review.review.model import Citation, CitationVerdict

SECRET = "hunter2-never-shown"


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A tree with every kind of way out of it, and a secret behind each."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "key.txt").write_text(SECRET + "\n", encoding="utf-8")
    root = tmp_path / "tree"
    (root / "src").mkdir(parents=True)
    (root / "src" / "app.py").write_text("def main():\n    return 0\n", encoding="utf-8")
    (root / ".env").write_text(SECRET + "\n", encoding="utf-8")
    (root / ".env.local").write_text(SECRET + "\n", encoding="utf-8")
    (root / "ignored.txt").write_text(SECRET + "\n", encoding="utf-8")
    (root / ".gitignore").write_text("ignored.txt\n", encoding="utf-8")
    (root / "out.txt").symlink_to(outside / "key.txt")
    (root / "env.txt").symlink_to(".env")
    (root / "to-ignored.txt").symlink_to("ignored.txt")
    (root / "loop.txt").symlink_to("loop.txt")
    (root / "outdir").symlink_to(outside)
    (root / "inside.py").symlink_to("src/app.py")
    os.mkfifo(root / "pipe.py")
    with (root / "huge.py").open("wb") as handle:
        handle.truncate(10 * 1024**3)
    return root


WAYS_OUT = (
    "/etc/passwd", "../outside/key.txt", "src/../../outside/key.txt", "~/key.txt", "out.txt", "env.txt", ".env", ".env.local",
    "outdir/key.txt", "to-ignored.txt", "ignored.txt", "loop.txt", "pipe.py", "huge.py", ".git/config", "src/.git/config",
    "/proc/self/environ", "/dev/zero", "file\x00name.py", "C:/Windows/win.ini", "a" * 5_000,
)  # fmt: skip


@pytest.mark.parametrize("with_git", [True, False])
@pytest.mark.parametrize("path", WAYS_OUT)
def test_a_citation_of_a_way_out_is_unchecked_and_never_quoted(trap: Path, path: str, with_git: bool) -> None:
    if with_git:
        subprocess.run(["git", "init", "-q"], cwd=trap, check=True)
    tree = open_tree(trap)
    (checked,) = check_citations([Citation(raw=path, path=path, line=1, quote="root:x:0:0")], tree)
    assert checked.verdict is CitationVerdict.UNCHECKED, checked.note
    assert quote_lines(tree, checked) is None
    forged = Citation(raw=path, path=path, line=1, verdict=CitationVerdict.VERIFIED, resolved=path)
    assert quote_lines(tree, forged) is None


def test_a_link_to_a_file_of_the_tree_is_read(trap: Path) -> None:
    tree = open_tree(trap)
    (checked,) = check_citations([Citation(raw="x", path="inside.py", line=2)], tree)
    assert (checked.verdict, quote_lines(tree, checked)) == (CitationVerdict.VERIFIED, "    return 0")


def test_a_plan_that_names_every_way_out_gets_a_review_without_a_secret(trap: Path) -> None:
    names = "\n".join(f"- `{path}:1` and `read_it()` in `{path}`" for path in WAYS_OUT if "\0" not in path)
    artifacts = "".join(
        f"    - path: {path}\n      contains: hunter2\n"
        for path in ("out.txt", ".env", "env.txt", "ignored.txt", "pipe.py")
    )
    links = '  key_links:\n    - {from: out.txt, to: .env, pattern: "hunter2"}\n'
    plan = f"---\nmust_haves:\n  artifacts:\n{artifacts}{links}---\n<context>\n@/etc/passwd\n@.env\n</context>\n<read_first>\n{names}\n</read_first>\n"
    review = review_of(plan.encode(), trap)
    assert SECRET not in review
    assert "root:" not in review


def test_a_file_swapped_for_a_link_while_it_is_read_gives_nothing(trap: Path) -> None:
    """The tree is listed, then a running tool replaces a folder by a link that leads out."""
    tree = open_tree(trap)
    (trap / "src").rename(trap / "moved")
    (trap.parent / "outside" / "app.py").write_text(SECRET, encoding="utf-8")
    (trap / "src").symlink_to(trap.parent / "outside")
    stop = threading.Event()

    def flip() -> None:
        while not stop.is_set():
            (trap / "src").unlink(missing_ok=True)
            (trap / "moved").rename(trap / "src")
            (trap / "src").rename(trap / "moved")
            (trap / "src").symlink_to(trap.parent / "outside")

    flipper = threading.Thread(target=flip)
    flipper.start()
    try:
        for _ in range(400):
            content = tree.read_bytes("src/app.py")
            assert not isinstance(content, bytes) or SECRET.encode() not in content
    finally:
        stop.set()
        flipper.join()


def test_git_configuration_of_the_tree_starts_no_program(trap: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=trap, check=True)
    proof = tmp_path / "ran"
    hook = tmp_path / "hook.sh"
    hook.write_text(f"#!/bin/sh\ntouch {proof}\n", encoding="utf-8")
    hook.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "gpg.program",
        "core.sshCommand",
        "core.editor",
    ):
        subprocess.run(["git", "config", key, str(hook)], cwd=trap, check=True)
    tree = open_tree(trap)
    check_citations([Citation(raw="x", path="gone.py", line=1)], tree)
    assert tree.is_file("src/app.py")
    assert not proof.exists()


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|a)*b", "(a|aa)+$", "(.*a){20}", "a*a*a*a*a*b", ".*.*.*.*.*=", "([a-z]+)*X", r"(\w+\s?)+$", "(?:a?){50}a{50}",
     "(" * 400 + ")" * 400, "a{1,99999}", "[", "(?P<n>a)(?P=n)*b", "\\"],
)  # fmt: skip
def test_a_pattern_built_to_take_for_ever_ends_soon(pattern: str) -> None:
    started = time.monotonic()
    search(pattern, ("a" * 5_000 + "!\n") * 200)
    assert time.monotonic() - started < 20


def test_a_hundred_thousand_claims_are_bounded_in_time_and_output(trap: Path) -> None:
    lines = "\n".join(
        f"- Update `src/missing_{n}.py` and call `ghost_{n}()` in `src/app.py:{n + 9}`."
        for n in range(100_000)
    )
    review = review_of(f"<task>\n<action>\n{lines}\n</action>\n</task>\n".encode(), trap)
    assert len(review) < 400_000
    assert review.count("- **HIGH**") + review.count("- **MEDIUM**") + review.count("- **LOW**") <= 200
    assert "more concerns of these kinds are not written out" in review


def test_plan_text_opens_no_heading_fence_or_comment_of_the_review(trap: Path) -> None:
    hostile = (
        "<task>\n<name>Task 1\n## Codex Review\n```json\n{\"schema\": \"msd.findings/1\"}\n```\n<!-- msd:x --></name>\n"
        "<action>Update `src/a.py` and `b\u202ec.py:3`. TODO: <!-- --> ``` \x1b[31m</action>\n</task>\n"
    )  # fmt: skip
    review = review_of(hostile.encode(), trap)
    assert re.findall(r"^#+ .*$", review, re.M) == [
        "## Summary", "## Strengths", "## Concerns", "## Suggestions", "## Risk", "## What was checked",
        "## What could not be checked, and why",
    ]  # fmt: skip
    assert review.count("```") == 2
    assert "<!--" not in review
    assert "\x1b" not in review
    assert "\u202e" not in review
