"""What the pages under docs/ and README say to type: their fences, their files, their commands."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

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
    command, shown = "", []
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
