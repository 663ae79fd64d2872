"""A finding while it is being read: the nodes that belong to it, and how its parts are told apart."""

import re
from dataclasses import dataclass, field

from msd_review.lazy import regex
from msd_review.review.headings import plan_of
from msd_review.review.label_places import identifier_severity, inline_field
from msd_review.review.labels import Label
from msd_review.review.model import FindingStatus, Severity
from msd_review.review.severities import severity_of_cell
from msd_review.review.structure import Document, Node
from msd_review.review.vocabulary import BODY_LABELS, NOTHING, SEVERITY_FIELDS, SUGGESTION_LABELS

TITLE_LIMIT = 160
BODY_LIMIT = 20_000

_LABELLED = regex(
    r"^\s*(?:[-*+]\s+)?(?:\*\*|__|`|_|\*)?(?P<label>[^\n:：*_`]{2,40}?)(?:(?:\*\*|__|`|_|\*)\s?[:：]|[:：](?:\*\*|__|`|_|\*)|[:：](?=\s|[^\x00-\x7f])|(?:\*\*|__)\s?[—–-](?=\s)|\.(?:\*\*|__))\s*(?P<value>.*)",
    re.DOTALL,
)  # fmt: skip
_BOLD_LEAD = regex(
    r"^\s*(?:[^\w\s*]{1,3}\s?)?(?:\*\*|__)(?P<title>[^\n]{2,300}?)(?:\*\*|__)\s*[:：.—–-]*\s*(?P<rest>.*)",
    re.DOTALL,
)
_SENTENCE_END = regex(
    r"(?<=[\w`)\]\"'’”»*])[.!?](?=\s+[^\sa-z])|[。！？](?=.)|\s[—–]\s|:\s(?=[A-Z`])|：|\n|;\s"
)
_NUMBER = regex(r"^\s*(?:\(?(?:\d{1,3}|[a-z])[.)]\s+|#\d{1,3}\b[.:)]?\s*|[①-⑳]\s*|(?:Finding|Concern|Issue|Problem|Risk)\s#?\d{1,3}\s*[:.—–-]\s*|[A-Z]{1,4}-?\d{1,3}(?:\.\d{1,2})?\s*(?:[:.)]|[—–-](?=\s))\s*)", re.IGNORECASE)  # fmt: skip
_KEPT = regex(
    r"(`[^`\n]{0,400}`|(?<![^\W_])__[a-z0-9_]{1,40}?__(?![^\W_]))"
)  # code, and names such as __init__
_MARKUP = regex(r"\*\*|__|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")


@dataclass(slots=True)
class Draft:
    """One concern being read. `head` says that blocks that follow belong to it."""

    text: str
    line: int
    end: int
    severity: Severity | None
    plan: str | None
    head: bool = False
    from_table: bool = False
    section: int = 0  # the line of the heading that it stands below
    status: FindingStatus = FindingStatus.OPEN
    prior_word: str | None = None
    title: str | None = None
    more: list[str] = field(default_factory=list)
    suggestions: list[str] = field(default_factory=list)

    def add(self, node: Node, document: Document) -> None:
        """Take a following block in as body, suggestion or severity."""
        self.end = max(self.end, node.end)
        self._take_attributes(node)
        source = document.source(node.line, node.end)
        labelled = attribute(node.text)
        if labelled and labelled[0] == "suggestion":
            self.suggestions.append(labelled[1] or source)
        elif not (labelled and labelled[0] == "severity" and len(source) < 80):
            self.more.append(source)

    def add_children(self, node: Node, document: Document) -> None:
        """Take the children of the item that the finding is."""
        for child in node.children:
            self.add(child, document)

    def _take_attributes(self, node: Node) -> None:
        for text in (node.text, *(child.text for child in node.children[:12])):
            label = attribute(text)
            if label and label[0] == "severity":
                self.severity = self.severity or severity_of_cell(_first_value(label[1]))
        if self.severity is None and (inline := inline_field(node.text)):
            self.severity = inline.severity
        if self.plan is None and (labelled := _LABELLED.match(node.text)) and labelled["label"].strip().lower() in {"plan", "plans", "task"}:  # fmt: skip
            self.plan = plan_of(labelled["value"]) or labelled["value"].strip()[:40]


def attribute(text: str) -> tuple[str, str] | None:
    """`(kind, value)` when a text is an attribute of a finding: body, suggestion or severity."""
    found = _LABELLED.match(text)
    if not found:
        return None
    name = re.sub(r"\s*[(（].*", "", found["label"]).strip().lower()
    value = found["value"].strip()
    if name in SUGGESTION_LABELS:
        return "suggestion", value
    if (
        name in SEVERITY_FIELDS
        and not _SCALE.match(value)
        and severity_of_cell(_first_value(value)) is not None
    ):
        return "severity", value
    if name in BODY_LABELS or name in SEVERITY_FIELDS:
        return "body", value
    return None


_SCALE = regex(
    r"\W*\w{2,9}\s?[|/,]\s?\w{2,9}\s?[|/,]\s?(?:or )?\w{2,9}\b"
)  # "HIGH | MEDIUM | LOW": no rating


def _first_value(value: str) -> str:
    return re.split(r"\n|\||\.\s|\s[—–]\s", value.strip(), maxsplit=1)[0].strip()[:80]


def is_nothing(text: str) -> bool:
    """Whether a text only says that there is nothing to say."""
    plain = _MARKUP.sub("", text).strip().strip("-–—*• ").strip()
    if not plain:
        return True
    first = re.split(r"(?<=[.!。])\s|\s[—–(]|\n|;|,\s", plain, maxsplit=1)[0]
    return bool(NOTHING.match(plain[:160])) or (
        len(first) < 80 and len(plain) < 400 and bool(NOTHING.match(first))
    )


def plain_text(text: str) -> str:
    """Without emphasis marks and line breaks; code marks stay."""
    pieces = _KEPT.split(text)
    told = "".join(_MARKUP.sub("", piece) if at % 2 == 0 else piece for at, piece in enumerate(pieces))
    return re.sub(r"\s+", " ", told).strip(" :：—–-|")


def split_title(text: str) -> tuple[str, str]:
    """A title of one line, and the text that is left for the body."""
    stripped = _without_number(text.strip())
    bold = _BOLD_LEAD.match(stripped)
    if bold and len(plain_text(bold["title"])) >= 3:
        inner = _without_number(bold["title"])
        return _bounded(plain_text(inner)), bold["rest"].strip()
    end = next((hit for hit in _SENTENCE_END.finditer(stripped[:400]) if hit.start() >= 12), None)
    head = stripped[: end.start()] if end else stripped
    if len(plain_text(head)) <= TITLE_LIMIT:
        rest = stripped[end.end() :].strip() if end else ""
        return _bounded(plain_text(head)), rest
    return _bounded(plain_text(head)), stripped


def _without_number(text: str) -> str:
    return _NUMBER.sub("", text, count=1) if not re.match(r"\s*[A-Z]{2,4}-?\d{1,3}\s", text) else text


def _bounded(title: str) -> str:
    if len(title) <= TITLE_LIMIT:
        return title
    return title[: TITLE_LIMIT - 1].rsplit(" ", 1)[0] + "…"


def severity_from(label: Label | None, group: Severity | None, text: str) -> Severity | None:
    """The severity of a text: its own label, else that of its group, else that of its identifier."""
    if label is not None:
        return label.severity
    return group or identifier_severity(text)
