"""Findings in running prose: what a letter calls its worry, and what it rates in the middle of a sentence.

The last resort, for texts in which nothing else is found: prose that praises or agrees must stay without findings,
so a paragraph needs a rating that its author marks as one, or the words that open a complaint.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from msd_review.lazy import regex
from msd_review.review.drafts import Draft, is_nothing
from msd_review.review.headings import plan_of
from msd_review.review.labels import leading_label
from msd_review.review.model import Severity
from msd_review.review.sections import Section
from msd_review.review.severities import SEVERITY_WORD, range_severity
from msd_review.review.structure import Node
from msd_review.review.vocabulary import RESOLVED

_BRACKETED = regex(
    r"\s?[(\[](?P<word>CRITICAL|BLOCKER|HIGH|MAJOR|MEDIUM|LOW|MINOR|P[0-3])(?: (?:severity|risk|priority))?[)\]]"
)
_BOLD = regex(r"\*\*(?P<inside>[^*\n]{4,80})\*\*")
_WORD = regex(rf"(?<![\w-])(?P<word>{SEVERITY_WORD})(?![\w])", re.IGNORECASE)
_OPINION = regex(
    r"(?P<word>\b(?:critical|blocker|high|major|medium|low|minor))(?: severity| priority)?,? (?:i['’]d say|i would (?:say|call)|imh?o|for me|from my side|in my (?:book|opinion|eyes))\b",
    re.IGNORECASE,
)
_CALLED = regex(
    rf"\b(?:i['’]d|i would|i) call (?:it|this|that) (?:a |an )?(?P<word>{SEVERITY_WORD})\b|(?:^|[,.]\s)(?:less (?:dramatic|serious|urgent|grave),? )(?P<lesser>{SEVERITY_WORD})\b",
    re.IGNORECASE,
)
_FOUND = regex(
    rf"\b(?P<word>{SEVERITY_WORD}),?\s(?:perhaps|maybe|probably|i think|i guess|at most|finde ich|sehe ich|würde ich sagen|vielleicht|je dirais|diría yo)\b|^\W{{0,4}}(?:(?:and|und|eine|ein|a|an|one|one more|another|noch)\s){{0,3}}(?:(?:small|tiny|little|kleine)\s)?(?P<small>nit|nitpick|kleinigkeit)\b",
    re.IGNORECASE,
)
_WORRY = regex(
    r"(?:^\W{0,4}|[.!?]\s{1,2})(?:(?:and|but|also|so|still|however|that said|then|now|first|second|secondly|finally),? ){0,2}"
    r"(?:(?:my|the|one|another|a|an|what|two|some|our) )?(?:(?:main|biggest|bigger|real|only|other|smaller|small|minor|serious|second|first|third|last|remaining|additional|further|more|one|little|key|big) ){0,3}"
    r"(?:worr(?:y|ies)(?: me)?|concern(?:s me)?|problem|issue|gap|objection|doubt|thing|catch|trouble|question mark|bothers me|troubles me)\b(?:(?: here| with [^.:]{1,40}| about [^.:]{1,40}| that (?:i|bothers|worries)[^.:]{0,30})?(?:,[^,.]{1,60},)?(?: is\b| are\b|\s?[:—–-]|,))",
    re.IGNORECASE,
)
_FAULT = regex(r"\b(?:i(?: am|['’]m) (?:worried|concerned|not (?:sure|convinced|comfortable))|(?:this|that|it|which) (?:will|would|can|could) (?:break|fail|lose|leak|corrupt|deadlock|crash))\b", re.IGNORECASE)  # fmt: skip
_ORDINAL = regex(
    r"(?:(?<=[.!?:])\s+|^)(?:First(?:ly)?|Second(?:ly)?|Third(?:ly)?|Fourth(?:ly)?|Finally|Lastly),\s"
)
_PLAIN_WORD = regex(r"[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SHORTEST = 20


def rated_in_prose(text: str) -> Severity | None:
    """The rating that a sentence gives in passing: "(HIGH)", "medium I'd say", "**Of medium importance** is"."""
    bracket = _BRACKETED.search(text)
    if bracket:
        return range_severity(bracket["word"], None)
    for pattern in (_OPINION, _CALLED, _FOUND):
        said = pattern.search(text[:600])
        if said:
            return range_severity(next(word for word in said.groupdict().values() if word), None)
    led = leading_label(text)
    if led is not None and len(_PLAIN_WORD.findall(led.rest)) >= 3:
        return led.severity
    for bold in _BOLD.finditer(text[:600]):
        word = _WORD.search(bold["inside"])
        if word and not is_nothing(bold["inside"]):
            return range_severity(word["word"], None)
    return None


def read_prose(root: Section) -> list[Draft]:
    """A draft for each paragraph that complains, in the order of the text."""
    return [draft for node, plan in _paragraphs(root, None) for draft in _drafts(node, plan)]


def _drafts(node: Node, plan: str | None) -> list[Draft]:
    """One draft for a paragraph, or one for each of its "First, …", "Second, …"."""
    whole = _draft(node, plan)
    if whole is None:
        return []
    edges = [found.start() for found in _ORDINAL.finditer(node.text)]
    if len(edges) < 2:
        return [whole]
    pieces = [
        node.text[first:behind] for first, behind in zip(edges, [*edges[1:], len(node.text)], strict=True)
    ]
    return [
        replace(whole, text=_ORDINAL.sub("", piece, count=1).strip(), severity=rated_in_prose(piece))
        for piece in pieces
    ]


def _draft(node: Node, plan: str | None) -> Draft | None:
    text = node.text.strip()
    severity = rated_in_prose(text)
    complains = _WORRY.search(text[:300]) or _FAULT.search(text[:400])
    if (
        len(text) < _SHORTEST
        or is_nothing(text)
        or RESOLVED.search(text[:120])
        or not (severity or complains)
    ):
        return None
    told = _BRACKETED.sub("", text, count=1)
    return Draft(text=told, line=node.line, end=node.end, severity=severity, plan=plan_of(text) or plan)


def _paragraphs(section: Section, plan: str | None) -> Iterator[tuple[Node, str | None]]:
    plan = section.meaning.plan or plan
    for part in section.parts:
        if isinstance(part, Section):
            if part.meaning.role in {None, "concerns", "summary", "recap"}:
                yield from _paragraphs(part, plan)
        elif part.kind in {"text", "item"} and not part.quoted:
            yield part, plan
