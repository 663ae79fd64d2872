"""Parameters as a plan writes them, compared with parameters as the source has them.

Pure. Names in their order are compared, and types only where both sides write one. What a language allows to be left
out (the receiver, defaults, markers) is left out on both sides.
"""

import re
from dataclasses import dataclass

from msd_review.lazy import regex

_OPEN, _CLOSE = "([{<", ")]}>"
_RECEIVERS = frozenset({"self", "cls", "this", "&self", "&mut self", "mut self", "$this"})
_MODIFIERS = frozenset(
    ["final", "const", "mut", "ref", "out", "in", "params", "private", "public", "protected", "readonly", "static", "volatile", "register",
     "unsigned", "signed", "struct", "enum", "union", "inout", "var", "let", "restrict", "async", "override"]
)  # fmt: skip
_TYPE_FIRST = frozenset({"java", "c", "cpp", "c_sharp", "php"})
_COMMENT = regex(r"/\*.*?\*/|//[^\n]*|(?:^|(?<=[\s,(]))#(?!\[)[^\n]*", re.S)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name, and its type without white space ("" where none is written)."""

    name: str
    kind: str = ""


def split_parameters(text: str) -> list[str]:
    """The parameters of a list, split at commas outside brackets and quotes."""
    parts, depth, start, quote = [], 0, 0, ""
    text = text.replace("->", "\0\0").replace("=>", "\0\0")
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'`" and not (
            char == "'" and text[:at].rstrip()[-1:] in {"&", "<", "+"}
        ):  # a lifetime
            quote = char
        elif char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            depth -= 1
        elif char == "," and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def parameters_of(text: str, language: str) -> list[Parameter]:
    """The named parameters of a list, receivers and markers left out."""
    parts = split_parameters(text)
    if language == "go":
        return _go(parts)
    read = [_parameter(part, language) for part in parts]
    return [parameter for parameter in read if parameter is not None]


def _parameter(part: str, language: str) -> Parameter | None:
    part = re.sub(r"^(?:@\w+(?:\([^)]*\))?\s+|#\[[^\]]*\]\s*)*", "", part)
    if part.strip() in _RECEIVERS | {"*", "/", "...", "void"} or re.match(r"(?:self|this)\s*:", part):
        return None
    part = re.split(r"(?<![=!<>])=(?![=>])", part)[0].strip()
    if language in _TYPE_FIRST:
        return _type_first(part)
    if language == "ruby":
        return Parameter(part.strip("*&: ").split(":")[0])
    if language == "swift":
        label, _, kind = part.partition(":")
        return Parameter((label.split() or [""])[-1], _tight(kind))
    name, _, kind = part.partition(":")
    words = [word for word in name.replace("?", "").split() if word not in _MODIFIERS]
    return Parameter(words[-1].lstrip("*&.$") if words else "", _tight(kind))


def _type_first(part: str) -> Parameter | None:
    match = re.search(r"(?:\(\s*\*\s*)?([$]?[A-Za-z_]\w*)\s*(?:\)\s*\(.*\)|\[[^\]]*\])*$", part)
    if match is None:
        return None
    kind = part[: match.start()].strip(" *&.")
    if not kind and not match[1].startswith("$"):
        return Parameter(match[1])
    return Parameter(match[1].lstrip("$"), _tight(part[: match.start()]))


def _go(parts: list[str]) -> list[Parameter]:
    """`a, b int` gives both the type."""
    found: list[Parameter] = []
    waiting: list[str] = []
    for part in parts:
        words = part.split(None, 1)
        if len(words) == 1:
            waiting.append(words[0])
            continue
        kind = _tight(words[1])
        found += [Parameter(name, kind) for name in waiting] + [Parameter(words[0], kind)]
        waiting = []
    return found + [Parameter(name) for name in waiting]


def _tight(kind: str) -> str:
    kept = [
        word for word in re.findall(r"[\w.]+|[^\s\w.]", kind) if word not in {"const", "final", "readonly"}
    ]
    return "".join(kept).strip("'\"")


def differs(claimed: str, actual: str, language: str) -> str | None:
    """How a written parameter list differs from the real one, in a few words; None where it agrees or cannot be told."""
    actual = _COMMENT.sub("", actual)
    if _tight(claimed) == _tight(actual):
        return None
    ours, theirs = parameters_of(claimed, language), parameters_of(actual, language)
    ours_names, theirs_names = [p.name for p in ours], [p.name for p in theirs]
    if re.search(r"\.\.\.|…", claimed) and not re.search(r"\.\.\.\s*\w", claimed):
        extra = [
            name for name in ours_names if name and name not in theirs_names and name not in {"...", "…"}
        ]
        return f"it has no {_quoted(extra)}" if extra else None
    if ours_names == theirs_names:
        return _types_differ(ours, theirs)
    unnamed = language in _TYPE_FIRST | {"go"} and not any(p.kind for p in ours)
    if unnamed and len(ours) == len(theirs):
        return None  # types alone, or names alone: nothing to compare
    added = [name for name in ours_names if name not in theirs_names]
    left_out = [name for name in theirs_names if name not in ours_names]
    if added:
        return f"it has no parameter {_quoted(added)}"
    if left_out:
        return f"the parameter {_quoted(left_out)} is left out"
    return "its parameters stand in another order"


def _types_differ(ours: list[Parameter], theirs: list[Parameter]) -> str | None:
    for mine, real in zip(ours, theirs, strict=True):
        if mine.kind and real.kind and not _same_type(mine.kind, real.kind):
            return f"the type of `{mine.name}` is `{real.kind[:80]}`"
    return None


def _same_type(mine: str, real: str) -> bool:
    short = [re.sub(r"\b\w+(?:\.|::)", "", kind).replace('"', "").replace("'", "") for kind in (mine, real)]
    loose = [re.sub(r"\bOptional\[(.*)\]$", r"\1|None", kind).rstrip("?").strip("&*") for kind in short]
    return loose[0] == loose[1] or loose[0] in loose[1] or loose[1] in loose[0]


def _quoted(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names[:4])


def call_differs(claimed: str, actual: str, language: str) -> str | None:
    """How a call cannot be one of the function: too many arguments, or a keyword that it has not; None where it can, or it cannot be told."""
    if re.search(r"\.\.\.|…", claimed) or _is_open(actual):
        return None
    known = parameters_of(_COMMENT.sub("", actual), language)
    names = [parameter.name for parameter in known]
    given = split_parameters(claimed)
    keywords = [match[1] for part in given if (match := re.match(r"(\w+)\s*=(?!=)", part))]
    if language == "python" and (unknown := [name for name in keywords if name not in names]):
        return f"it has no parameter {_quoted(unknown)}"
    count = len([part for part in given if part not in _RECEIVERS])
    return f"it takes {len(names)}, and {count} are given" if count > len(names) else None


def has_no_parameter(name: str, actual: str, language: str) -> bool:
    """Whether a function certainly has no parameter of this name."""
    names = {parameter.name for parameter in parameters_of(_COMMENT.sub("", actual), language)}
    return name not in names and not _is_open(actual) and not re.search(rf"\b{re.escape(name)}\b", actual)


def _is_open(actual: str) -> bool:
    """Whether a parameter list takes more than it names."""
    return any(
        part.startswith("*") and len(part) > 1 and part[1:2].isidentifier() or "..." in part
        for part in split_parameters(actual)
    ) or bool(re.search(r"\*\*\w", actual))
