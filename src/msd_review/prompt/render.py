"""Writes the parts of a prompt down between boundary lines that no part's text can forge."""

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from msd_review.prompt.model import Section

_BOUNDARY_DIGITS = 24


@cache
def template(name: str) -> str:
    """One of the texts of ours that stand in every prompt, by file name."""
    return (
        resources.files("msd_review.prompt").joinpath("templates", name).read_text(encoding="utf-8").strip()
    )


def render(sections: Sequence[Section], preamble: str) -> str:
    """The whole prompt: a header line, `preamble`, and each section between its two boundary lines.

    The boundary is derived from what is sent, so the same content gives the same bytes.
    """
    boundary = _boundary([preamble, *(section.text for section in sections)])
    lines = [f"<!-- msd-prompt/1 boundary={boundary} -->", preamble, ""]
    for section in sections:
        lines += (
            f"<!-- msd:{boundary} {_attributes(section)} -->",
            section.text,
            f"<!-- /msd:{boundary} -->",
            "",
        )
    return "\n".join(lines)


def wrapper_bytes(section: Section) -> int:
    """How many bytes of UTF-8 `render` adds around the section's own text."""
    digits = "0" * _BOUNDARY_DIGITS
    frame = f"<!-- msd:{digits} {_attributes(section)} -->\n\n<!-- /msd:{digits} -->\n\n"
    return len(frame.encode())


def header_bytes(preamble: str) -> int:
    """How many bytes `render` writes before the first section."""
    return len(f"<!-- msd-prompt/1 boundary={'0' * _BOUNDARY_DIGITS} -->\n{preamble}\n\n".encode())


def file_reference_instruction(prompt_path: Path, repo_root: Path) -> str:
    """The one short argument for a tool that reads its prompt from a file.

    Names the prompt file and the repository's absolute root, asks for Markdown alone, forbids edits.
    """
    return template("file_reference.txt").format(prompt=prompt_path, root=repo_root)


def _boundary(texts: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    boundary = digest.hexdigest()[:_BOUNDARY_DIGITS]
    while any(boundary in text for text in texts):
        boundary = hashlib.sha256(boundary.encode()).hexdigest()[:_BOUNDARY_DIGITS]
    return boundary


def _attributes(section: Section) -> str:
    kept = "" if section.kept == "whole" else section.kept
    pairs = {"kind": section.kind, "name": section.name, "path": section.path, "kept": kept}
    return " ".join(f"{name}={quoted(value)}" for name, value in pairs.items() if value or name == "name")


def quoted(value: str) -> str:
    """A JSON string on one line that cannot end the comment it stands in, and mentions no file."""
    shown = json.dumps(value, ensure_ascii=False)
    for char in "<>@":
        shown = shown.replace(char, f"\\u{ord(char):04x}")
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in shown)
