"""Turns what was found on disk into the parts of a prompt, in the order in which they are sent."""

from collections.abc import Callable, Iterator

from msd_review.prompt.mentions import existing_in, harmless
from msd_review.prompt.model import ReviewSubject, Section, SectionKind
from msd_review.prompt.render import template

PROJECT_LINES = 80
INSTRUCTIONS = "Review instructions"


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, estimated as a third of its UTF-8 bytes, rounded up."""
    return tokens_of_bytes(byte_length(text))


def tokens_of_bytes(count: int) -> int:
    """The same estimate for a text of `count` bytes of UTF-8."""
    return -(-count // 3)


def byte_length(text: str) -> int:
    """Bytes of `text` in UTF-8, without making a copy where it is plain ASCII."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def first_lines(text: str, count: int) -> str:
    """The first `count` lines of `text`, without a trailing line end."""
    return "\n".join(text.split("\n", count)[:count]).rstrip("\n")


def sections_of(subject: ReviewSubject) -> tuple[Section, ...]:
    """Every part of the prompt, whole: project, roadmap, requirements, context, research, plans, instructions.

    A part whose text is missing on disk is left out. File mentions are made harmless here, once for all lanes.
    """
    exists = existing_in(subject.root)
    return tuple(_safe(section, exists) for section in _documents(subject)) + (_instructions(),)


def section(kind: SectionKind, name: str, text: str, *, path: str = "") -> Section:
    """A whole section with its estimate."""
    return Section(kind=kind, name=name, text=text, tokens=estimate_tokens(text), path=path)


def _documents(subject: ReviewSubject) -> Iterator[Section]:
    phase = f"Phase {subject.phase}" if subject.phase else "Phase"
    background: tuple[tuple[SectionKind, str, str], ...] = (
        ("project", "PROJECT.md", first_lines(subject.project, PROJECT_LINES)),
        ("roadmap", f"ROADMAP.md, {phase}", subject.roadmap_section),
        ("requirements", "REQUIREMENTS.md, entries of this phase", subject.requirements),
        ("context", "CONTEXT.md", subject.context),
        ("research", "RESEARCH.md", subject.research),
    )
    for kind, name, text in background:
        if text.strip():
            yield section(kind, name, text.strip("\n"))
    for plan in subject.plans:
        yield section("plan", plan.name.rsplit("/", 1)[-1], plan.text, path=plan.name)


def _instructions() -> Section:
    return section("instructions", INSTRUCTIONS, template("instructions.md"))


def _safe(part: Section, exists: Callable[[str], bool]) -> Section:
    name = part.name.encode("utf-8", "replace").decode()
    return section(part.kind, harmless(name, exists), harmless(part.text, exists), path=part.path)
