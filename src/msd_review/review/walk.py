"""From sections to drafts: which headings are findings, which only group them, and which hold none.

In a section of concerns every item, heading, table row, bold paragraph or (where there is nothing else)
paragraph is a finding. In a section of unknown meaning only what carries an unmistakable severity label
is. Strengths, suggestions, verdicts, risk assessments and summaries hold none; what is said about
earlier findings is read with its status; recaps are read only when nothing else was found.
"""

import re
from dataclasses import dataclass, field, replace

from msd_review.lazy import regex
from msd_review.review.context import SILENT, Context, Source, label_of_item, rated_blocks
from msd_review.review.drafts import Draft, attribute, is_nothing, plain_text, severity_from
from msd_review.review.headings import Meaning, is_plan_heading, plan_of
from msd_review.review.label_places import find_label
from msd_review.review.labels import leading_label
from msd_review.review.model import FindingStatus
from msd_review.review.runs import BOLD_START, PASS, RISK_LINE, read_run
from msd_review.review.sections import Section
from msd_review.review.statuses import RESOLVED_MARK, status_in_prior_section, status_of, status_word
from msd_review.review.structure import Node
from msd_review.review.tables import findings_in_table, table_kind

_FAULT_IN_TITLE = regex(
    r"(?i)\b(?:does not|doesn't|is not|isn't|never|cannot|missing|misses|lacks|breaks|fails|omits|ignores|conflicts|wrong|without|no)\b"
)
_PLAN_FIRST = regex(
    r"(?i)\W*(?:plans?|план|计划|計画|계획|plano|task|wave|phase|\d{1,3}[a-z]?(?:\.\d+)?-\d{1,3})\b"
)
_RATING_LINE = regex(r"(?i)\W*(?:severity|priority|status|verdict)\W{1,6}(?P<value>[^\n]{1,60})")
_TOPIC_WORDS = 5


@dataclass(slots=True)
class Walk:
    """One pass over a document. `prior` drafts come from sections about earlier findings."""

    source: Source
    drafts: list[Draft] = field(default_factory=list)
    prior: list[Draft] = field(default_factory=list)

    def visit(self, section: Section, context: Context) -> None:
        """Read a section and everything below it."""
        if self._is_finding(section, context):
            self._heading_finding(section, context)
            return
        inner = _inherit(section, context)
        run: list[Node] = []
        for part in section.parts:
            if isinstance(part, Node):
                run.append(part)
                continue
            self._read(run, inner, section)
            run = []
            self.visit(part, inner)
        self._read(run, inner, section)

    def _read(self, nodes: list[Node], context: Context, section: Section) -> None:
        if context.role == "prior":
            self._read_prior(nodes, context)
            return
        found = read_run(nodes, context, source=self.source, title=section.meaning.title)
        for draft in found:
            draft.section = section.heading.line if section.heading else 0
        self.drafts += found

    def _is_finding(self, section: Section, context: Context) -> bool:
        meaning = section.meaning
        if section.heading is None or meaning.role is not None or meaning.group or is_nothing(meaning.title):
            return False
        if context.role in SILENT - {"risk", "summary"} and not context.recap:
            return False
        if (meaning.strong or meaning.named) and context.role != "prior":
            return not self._groups(section, context) and not RISK_LINE.match(plain_text(meaning.title))
        if context.role in {"concerns", "prior"}:
            return not _names_a_plan(meaning) and not self._groups(section, context)
        rated_once = context.role is None and rated_blocks(section.nodes()) == 1
        return rated_once and all(below.run_in for below in section.subsections())

    def _groups(self, section: Section, context: Context) -> bool:
        """Whether a heading only groups findings that stand below it."""
        nodes, meaning = section.nodes(), section.meaning
        if any(_is_finding_below(below, context) for below in section.subsections()):
            return True
        if any(node.kind == "table" and table_kind(node) == "findings" for node in nodes):
            return True
        items = [node for node in nodes if node.kind == "item"]
        labelled = [
            node for node in items if label_of_item(node, self.source.emoji) and attribute(node.text) is None
        ]
        if labelled and len(labelled) * 2 >= len(items):
            return True
        led = sum(1 for node in nodes if node.kind == "text" and self._leads(node))
        if led >= (2 if meaning.strong else 1):
            return True
        return not (meaning.strong or meaning.named) and _topic_over_items(section, nodes, items)

    def _leads(self, node: Node) -> bool:
        label = leading_label(node.text, self.source.emoji)
        return (
            label is not None and label.strong and bool(label.rest.strip()) and attribute(node.text) is None
        )

    def _heading_finding(self, section: Section, context: Context) -> None:
        heading, meaning = section.heading, section.meaning
        if heading is None or (meaning.severity is None and _passes(section)):
            return
        if context.role == "prior":
            self._prior(heading, context, body=section)
            return
        draft = Draft(
            text=meaning.title or heading.text,
            line=heading.line,
            end=section.end(),
            severity=meaning.severity or severity_from(None, context.severity, heading.text),
            plan=meaning.plan or context.plan,
            head=True,
            section=section.level,
            title=meaning.title,
            status=status_of(status_word(heading.text), heading.text, quoted=False),
        )
        self._take_all(draft, section)
        self.drafts.append(draft)

    def _take_all(self, draft: Draft, section: Section) -> None:
        for part in section.parts:
            if isinstance(part, Node):
                draft.add(part, self.source.document)
            else:
                self._take_subsection(draft, part)

    def _take_subsection(self, draft: Draft, section: Section) -> None:
        heading = section.heading
        if heading is not None and (section.meaning.role == "suggestions" or _names_suggestion(heading.text)):
            own_line = [node.text for node in section.nodes() if node.line <= heading.end]
            draft.suggestions.append(
                "\n".join([*own_line, self.source.document.source(heading.end + 1, section.end())]).strip()
            )
            return
        if heading is not None:
            draft.more.append(self.source.document.source(heading.line, heading.end))
        if not section.run_in:
            self._take_all(draft, section)

    def _read_prior(self, nodes: list[Node], context: Context) -> None:
        told = any(status_in_prior_section(node.text) for node in nodes if node.kind == "item")
        for node in nodes:
            label = leading_label(node.text, self.source.emoji) if told and node.kind == "item" else None
            if label is not None and label.strong and not _state_of(node):
                self._read([node], replace(context, role="concerns"), Section(Meaning(), 0))
                continue
            if node.kind == "table":
                for draft in findings_in_table(node, group=context.severity, plan=context.plan):
                    self._add_prior(draft, status_in_prior_section(draft.text) or draft.prior_word)
            elif node.kind == "item" or (
                node.kind == "text" and (BOLD_START.match(node.text) or self._leads(node))
            ):
                self._prior(node, context, body=None)
            elif node.kind == "text" and self.prior and (word := status_in_prior_section(node.text[:80])):
                self._state(self.prior[-1], word)

    def _prior(self, node: Node, context: Context, *, body: Section | None) -> None:
        text = node.text
        if is_nothing(text):
            return
        label = find_label(text, self.source.emoji)
        draft = Draft(
            text=label.rest if label else text,
            line=node.line,
            end=node.end,
            severity=severity_from(label, context.severity, text),
            plan=plan_of(text) or context.plan,
        )
        draft.add_children(node, self.source.document)
        if body is not None:
            self._take_all(draft, body)
        self._add_prior(
            draft, status_in_prior_section(text) or status_in_prior_section("\n".join(draft.more)[:300])
        )

    def _add_prior(self, draft: Draft, word: str | None) -> None:
        self._state(draft, word)
        self.prior.append(draft)

    def _state(self, draft: Draft, word: str | None) -> None:
        draft.prior_word = word
        draft.status = FindingStatus.RESOLVED if word == RESOLVED_MARK else FindingStatus.QUOTED


def _state_of(node: Node) -> str | None:
    """What an item of a section about earlier concerns says of its state, in itself or right below."""
    below = "\n".join(child.text for child in node.children[:4])
    return status_in_prior_section(node.text) or status_in_prior_section(below[:300])


def _is_finding_below(section: Section, context: Context) -> bool:
    meaning = section.meaning
    if meaning.group or meaning.role == "concerns" or meaning.strong or meaning.named:
        return True
    if meaning.role is not None or section.heading is None:
        return False
    return context.role == "concerns" and re.match(r"\s*\d{1,2}[.)]\s", section.heading.text) is not None


def _inherit(section: Section, context: Context) -> Context:
    meaning = section.meaning
    role, severity = context.role, context.severity
    if meaning.role is not None:
        role = "prior" if meaning.group and role == "prior" else meaning.role
        severity = meaning.severity
    elif is_plan_heading(meaning) and role not in {"concerns", "prior"}:
        role, severity = None, None
    elif section.heading is not None and role in {"summary", "risk"}:
        role = None
    elif meaning.severity is not None:
        severity = meaning.severity
    return replace(context, role=role, severity=severity, plan=meaning.plan or context.plan)


def _names_a_plan(meaning: Meaning) -> bool:
    """Whether a heading names a plan first and foremost, rather than a fault in it."""
    first = bool(_PLAN_FIRST.match(meaning.title)) and not _FAULT_IN_TITLE.search(meaning.title)
    return is_plan_heading(meaning) and first


def _passes(section: Section) -> bool:
    """Whether a heading's own rating says that there is nothing wrong."""
    ratings = [_RATING_LINE.match(node.text) for node in section.nodes()[:3]]
    return any(found and PASS.match(found["value"]) for found in ratings)


def _names_suggestion(text: str) -> bool:
    found = attribute(re.sub(r"[*_:：]+$", "", text.strip()) + ": x")
    return bool(found and found[0] == "suggestion")


def _topic_over_items(section: Section, nodes: list[Node], items: list[Node]) -> bool:
    """A short heading such as "Security" over items that are no attributes."""
    title = plain_text(section.meaning.title)
    numbered = section.heading is not None and re.match(r"\W*\d", section.heading.text) is not None
    if len(items) < 2 or len(title.split()) > _TOPIC_WORDS or numbered:
        return False
    if any(node.kind == "text" and node.line < items[0].line for node in nodes):
        return False
    return not any(attribute(node.text) for node in items)
