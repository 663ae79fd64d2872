"""What the pages under docs/ and README say to type: their fences, their files, their commands."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

_MARK = "@@step@@"
ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
HOW_TO = DOCS / "how-to"

_FENCE = re.compile(
    r"(?:^<!-- file: (?P<file>\S+) -->\n)?^(?P<indent> *)```(?P<language>[a-z]*)\n(?P<body>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)


class Fence(NamedTuple):
    """One fenced block; `file` is the path that the page tells to write it to."""

    language: str
    body: str
    file: str | None


class Step(NamedTuple):
    """One command of a console block, and the lines that the page shows under it."""

    command: str
    shown: tuple[str, ...]


def pages() -> tuple[Path, ...]:
    """README and every page of docs but the decisions, which speak of the past."""
    found = (path for path in DOCS.rglob("*.md") if "adr" not in path.relative_to(DOCS).parts)
    return (ROOT / "README.md", *sorted(found))


def fences(text: str) -> tuple[Fence, ...]:
    """Every fenced block, in order."""
    return tuple(
        Fence(language=found["language"], body=found["body"], file=found["file"])
        for found in _FENCE.finditer(text)
    )


def without_fences(text: str) -> str:
    """The prose of a page."""
    return _FENCE.sub("", text)


def steps(fence: Fence) -> Iterator[Step]:
    """The commands of a console block, each with what it is shown to print."""
    command = ""
    shown: list[str] = []
    for line in fence.body.splitlines():
        if line.startswith("$ "):
            if command:
                yield Step(command, tuple(shown))
            command, shown = line[2:], []
        else:
            shown.append(line)
    if command:
        yield Step(command, tuple(shown))


def shows(printed: str, shown: tuple[str, ...]) -> bool:
    """Whether what was printed is what the page shows; `…` stands for anything, also for lines."""
    pattern = r"\n".join(
        r"(?:.*\n)*.*" if line == "…" else re.escape(line).replace("…", ".*").replace(r"\…", ".*")
        for line in shown
    )
    return re.search(rf"(?:\A|\n){pattern}(?:\n|\Z)", printed) is not None or not shown


def _script(text: str) -> tuple[str, list[Step]]:
    """One shell script that writes the files and types the commands, in the order of the page; and the commands."""
    parts = ["set -euo pipefail\n"]
    told: list[Step] = []
    for fence in fences(text):
        if fence.file is not None:
            parts.append(f'mkdir -p "$(dirname {fence.file})"\n')
            parts.append(f'cat > {fence.file} <<"END_OF_FILE"\n{fence.body}END_OF_FILE\n')
        elif fence.language == "console":
            typed = list(steps(fence))
            parts.extend(f"{step.command}\necho {_MARK}\n" for step in typed)
            told.extend(typed)
    return "".join(parts), told


def follow(
    text: str, folder: Path, *, instead: Mapping[str, str] | None = None, env: Mapping[str, str] | None = None
) -> None:
    """Types what a page says into one shell in `folder`, and asserts that it prints what the page shows.

    `instead` maps what the page writes to what is typed: an address of the page to one that exists here. The home
    folder and msd's own folders lie beside `folder`.
    """
    for written, meant in (instead or {}).items():
        text = text.replace(written, meant)
    script, told = _script(text)
    base = folder.parent
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(base),
            "MSD_HOME": str(base / "msd-home"),
            "MSD_STATE_DIR": str(base / "state"),
            "LANG": "C.UTF-8",
            **(env or {}),
        },
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    outputs = done.stdout.split(f"{_MARK}\n")
    for output, step in zip(outputs, told, strict=False):
        assert shows(output, step.shown), (
            f"$ {step.command}\nprinted:\n{output}\nshown: {step.shown}\n{done.stderr}"
        )
    assert (done.returncode, len(outputs)) == (0, len(told) + 1), f"{done.stdout}\n{done.stderr}"
