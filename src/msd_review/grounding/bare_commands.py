"""Commands that stand in prose without backticks: "then npm run lint should pass", "verify: make check", a line of its own.

Pure. A program whose name is also a word ("make", "just") counts only where something else says that it is run.
"""

import re
from collections.abc import Iterator

from msd_review.grounding.prose import MASK, Sentence
from msd_review.lazy import regex

_START = regex(
    r"(?<![\w./-])(?P<program>(?:npm|pnpm|yarn|bun) run(?:-script)?|tox -e|nox -s|cargo (?:test|run|build|check|clippy|bench)|go (?:test|vet|build|run)|pytest|python3? -m|make|just|npm test)(?=\s)"
)
_WORD = regex(r"\s+(?P<word>[^\s`\"'|<>,;]+)")
_PROSE = frozenset(
    ["is", "are", "and", "at", "should", "must", "on", "in", "to", "the", "it", "that", "passes", "pass", "exits", "succeeds", "fails", "still", "for", "with", "as", "will",
     "stays", "runs", "after", "before", "once", "then", "when", "or", "again", "from", "works", "a", "an", "by", "here", "sure", "this", "these", "them", "all", "its", "of",
     "so", "because", "every", "each", "no", "not", "one", "any", "like", "your", "our", "green", "clean", "how", "which", "both", "two", "them", "calls", "keep", "keeps"]
)  # fmt: skip
_LEADS = regex(
    r"(?:\b(?:run|runs|running|execute|executes|executing|call|calls|calling|via|with|by|then|do a|invoke|invokes|invoking|launch|launches|command|target|use|and)|[:\"'$>(]|&&)\s*$",
    re.I,
)
_AFTERWARDS = regex(r"\s*(?:is|are|should|must|passes|exits|succeeds|fails|stays|still)\b", re.I)
_ALONE = regex(r"[\s\d.)*+>$|-]*(?:\[.\]\s*)?(?:\*\*)?(?:[A-Za-z]+(?: [a-z]+)?\s*:(?:\*\*)?)?[\s\"'$]*")
_WORDLIKE = frozenset({"make", "just"})


def bare_commands(sentence: Sentence) -> Iterator[tuple[str, int, bool]]:
    """(command, offset, whether it is certain to be one) for each command outside code spans."""
    for match in _START.finditer(sentence.masked):
        words, end = _arguments(sentence.masked, match.end())
        if not words:
            continue
        program = match["program"]
        before, after = sentence.masked[: match.start()], sentence.masked[end:]
        is_run = (
            program not in _WORDLIKE
            or len(words) == 1
            and (_leads(before, after) or _AFTERWARDS.match(after))
        )
        alone = _ALONE.fullmatch(before) and not after.strip(" .\"'\n)")
        if (is_run or alone) and MASK not in " ".join(words):
            certain = program not in _WORDLIKE or bool(_LEADS.search(before)) and len(words) == 1
            yield " ".join([program, *words]), match.start(), certain


def _leads(before: str, after: str) -> bool:
    """Whether what stands before says that something is run; behind a colon it has to be the last thing said."""
    return bool(_LEADS.search(before)) and (
        not before.rstrip().endswith(":")
        or not after.strip(" .\"'\n)")
        or re.match(r"[\"'.]?\s+\w+:\s", after) is not None
    )


def _arguments(text: str, at: int) -> tuple[list[str], int]:
    words: list[str] = []
    while len(words) < 12 and (match := _WORD.match(text, at)) is not None:
        word = match["word"]
        bare = word.rstrip(".:)!?") if not word.endswith("...") else word
        if word.lower().strip(".,:)") in _PROSE or not re.fullmatch(r"[\w./:@=*\[\]~^+-]+", bare):
            break
        words.append(bare)
        at = match.end()
        if bare != word or text[at : at + 1] in {",", ";"}:
            break
    return words, at
