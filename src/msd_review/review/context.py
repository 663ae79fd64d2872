"""What a block of a review inherits from what stands around it, and the rating that an item carries."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from msd_review.review.drafts import attribute
from msd_review.review.label_places import find_label, inline_field
from msd_review.review.labels import Label, leading_label
from msd_review.review.model import Severity
from msd_review.review.roles import Role
from msd_review.review.structure import Document, Node

SILENT: frozenset[Role] = frozenset(
    {"strengths", "suggestions", "verdict", "recap", "checked", "risk", "summary"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The document that is read, and what its coloured marks mean."""

    document: Document
    emoji: dict[str, Severity]
    callouts: dict[str, Severity] = field(default_factory=dict)  # GitHub alerts that are findings here


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a block inherits from the sections around it."""

    role: Role | None = None
    severity: Severity | None = None
    plan: str | None = None
    recap: bool = False  # read recaps and summaries too: nothing else was found

    @property
    def silent(self) -> bool:
        """Whether findings are not looked for here."""
        return self.role in SILENT and not (self.recap and self.role in {"recap", "summary", "risk"})


def label_of_item(node: Node, emoji: dict[str, Severity]) -> Label | None:
    """An item's own label, or the one that a `Severity:` item below it gives."""
    label = find_label(node.text, emoji)
    if label is not None:
        return label
    rated = next((child for child in node.children[:10] if _rates(child)), None)
    label = (inline_field(rated.text) or leading_label(rated.text, emoji)) if rated else None
    return replace(label, rest=node.text) if label else None


def _rates(node: Node) -> bool:
    found = attribute(node.text)
    return bool(found and found[0] == "severity")


def rated_blocks(nodes: Sequence[Node]) -> int:
    """How many blocks do nothing but give a severity."""
    return sum(1 for node in nodes if _rates(node))
