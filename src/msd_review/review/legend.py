"""What the coloured marks of one text mean, from the words that stand beside them and the marks it uses."""

from collections.abc import Iterable, Sequence

from msd_review.lazy import regex
from msd_review.review.model import Severity
from msd_review.review.severities import severity_of_cell
from msd_review.review.structure import Node
from msd_review.review.vocabulary import EMOJI_SEVERITY

_BESIDE = regex(r"(?P<mark>[🔴🟠🟡🟢🔵⚪🟥🟧🟨🟩🟦])\ufe0f?\s?[*_`\[(]{0,3}(?P<word>[^\W\d_]{2,12})")
_MOST_LINES = 20_000


def severity_by_emoji(lines: Sequence[str]) -> dict[str, Severity]:
    """The default meaning of each mark, corrected by what this text shows."""
    meaning = dict(EMOJI_SEVERITY)
    text = "\n".join(
        line for line in lines[:_MOST_LINES] if any(mark in line for mark in "🔴🟠🟡🟢🔵⚪🟥🟧🟨🟩🟦")
    )
    if "🟠" in text and "🟢" not in text and "🔵" not in text and "⚪" not in text:
        meaning["🟡"] = Severity.LOW
    elif "🟠" in text and "🟡" in text:
        meaning["🟠"] = Severity.HIGH
    for found in _BESIDE.finditer(text):
        severity = severity_of_cell(found["word"])
        if severity is not None:
            meaning[found["mark"]] = severity
    return meaning


_ALERTS = {
    "caution": Severity.HIGH,
    "warning": Severity.MEDIUM,
    "important": Severity.MEDIUM,
    "note": Severity.LOW,
}


def severity_by_callout(nodes: Iterable[Node]) -> dict[str, Severity]:
    """What GitHub's alerts mean in a text that lists its findings as alerts; nothing in one that has a lone remark."""
    used = [node.callout for node in nodes if node.callout]
    listed = used.count("caution") + used.count("warning") >= 2 or ("caution" in used and len(used) >= 2)
    return dict(_ALERTS) if listed else {}
