"""One entry put into the text of a JSON document, or taken out, with every other character left as it was.

People write comments, trailing commas, tabs and Windows line ends into their settings, and a parser that writes the
document anew loses them. So the text is read twice: once by the standard parser, for what it means (comments blanked
out first, so that its answer about a mistake names the right place), and once along one path, for where things stand.

Invariants
- What is inserted is one piece of text at one place; nothing else of the document changes.
- An insertion is returned only when the new text means the old document plus the entry, a removal only when it means
  the document without it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]  # typeshed leaves it out; the scanner of the parser itself
from typing import Any

from msd_review.hosts.edit import Edit, NotEditable, apply_edit, splice
from msd_review.hosts.values import holds, with_entry, without_entry
from msd_review.lazy import regex

_TOKENS = regex(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|,', 16)  # re.DOTALL
_NOT_LINE_END = regex(r"[^\r\n]")
_BLANK = " \t\r\n"
_CLOSING, _OPENING = "}]", "{[,:"
_DECODER = json.JSONDecoder()
_DEFAULT_INDENT = "  "
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class _Member:
    """One key and its value: offsets of the key's quote, of the value, and of its end."""

    key: str
    at: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Object:
    """One object: offsets of its braces, and its members."""

    open: int
    close: int
    members: tuple[_Member, ...]


def parse(text: str) -> Any:
    """What the document means; {} for one of white space alone. Raises NotEditable, which names the place."""
    plain = _plain(text)
    if not plain.strip(_BLANK):
        return {}
    try:
        value = json.loads(plain, parse_constant=_no_number)
    except json.JSONDecodeError as problem:
        raise NotEditable(f"line {problem.lineno}, column {problem.colno}: {problem.msg}") from None
    except (RecursionError, ValueError):
        raise NotEditable("it is nested too deeply, or holds a number that is too long") from None
    if not isinstance(value, dict):
        raise NotEditable("its outermost value is not an object")
    return value


def _no_number(name: str) -> Any:
    raise NotEditable(f"{name} is no number of JSON")


def insert(text: str, path: Sequence[str], value: Any) -> Edit:
    """The edit that sets the entry at `path` to `value`; the entry is not there yet, its parents need not be.

    Raises NotEditable where a parent is no object, or the document cannot be read.
    """
    before = parse(text)
    if holds(before, path):
        raise NotEditable(f"it holds {'.'.join(path)} already")
    wanted = with_entry(before, path, value)
    plain = _plain(text)
    if not plain.strip(_BLANK):
        edit = _whole(text, wanted)
    else:
        edit = _insert_below(text, plain, path, value)
    if parse(apply_edit(text, edit)) != wanted:
        raise NotEditable("the entry cannot be added without changing what else it says")
    return edit


def remove(text: str, path: Sequence[str], *, parents: int) -> str:
    """The text without the entry at `path`, and without those of its `parents` innermost parents that are then empty.

    Raises NotEditable where that cannot be done without changing what else the document says.
    """
    wanted = without_entry(parse(text), path, parents=parents)
    depth = len(path)
    while depth > 1 and not holds(wanted, path[: depth - 1]):
        depth -= 1
    result = _without_member(text, path[:depth])
    if depth < len(path) and _comments(result) < _comments(text):
        return remove(text, path, parents=0)
    if parse(result) != wanted:
        raise NotEditable("the entry cannot be removed without changing what else it says")
    return result


def _comments(text: str) -> int:
    return sum(found[0][0] == "/" for found in _TOKENS.finditer(text))


def _plain(text: str) -> str:
    """The same text, same length, with comments, a byte order mark and trailing commas blanked out."""
    if text.startswith(_BOM):
        text = " " + text[1:]
    if _is_strict(text):
        return text
    characters = list(_without_comments(text))
    for at in _trailing_commas(text):
        characters[at] = " "
    return "".join(characters)


def _is_strict(text: str) -> bool:
    """Whether the parser takes the text as it is: settings of many megabytes are looked through but once."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _without_comments(text: str) -> str:
    return _TOKENS.sub(
        lambda found: _NOT_LINE_END.sub(" ", found[0]) if found[0][0] == "/" else found[0], text
    )


def _trailing_commas(text: str) -> list[int]:
    """Where commas stand that close a list or an object: behind a value, before a bracket."""
    bare = _without_comments(text)
    commas = [found.start() for found in _TOKENS.finditer(text) if found[0] == ","]
    return [at for at in commas if _next(bare, at + 1) in _CLOSING and _before(bare, at) not in _OPENING]


def _next(bare: str, at: int) -> str:
    at = _skip(bare, at)
    return bare[at : at + 1] or " "


def _before(bare: str, at: int) -> str:
    while at and bare[at - 1] in _BLANK:
        at -= 1
    return bare[at - 1] if at else ","


def _skip(plain: str, at: int) -> int:
    while at < len(plain) and plain[at] in _BLANK:
        at += 1
    return at


def _object_at(plain: str, at: int) -> _Object:
    """The object whose brace is at `at`, in text that is known to parse."""
    members: list[_Member] = []
    here = _skip(plain, at + 1)
    while plain[here] != "}":
        key, end = scanstring(plain, here + 1, True)
        value = _skip(plain, _skip(plain, end) + 1)
        _, stop = _DECODER.raw_decode(plain, value)
        members.append(_Member(key, here, value, stop))
        here = _skip(plain, stop)
        if plain[here] == ",":
            here = _skip(plain, here + 1)
    return _Object(at, here, tuple(members))


def _find(plain: str, path: Sequence[str]) -> tuple[_Object, int]:
    """The innermost object along `path` that is there, and how many steps lead to it."""
    found = _object_at(plain, _skip(plain, 0))
    for depth, key in enumerate(path):
        named = [member for member in found.members if member.key == key]
        if len(named) > 1:
            raise NotEditable(f"it holds the key {key!r} twice")
        if not named or plain[named[0].value] != "{":
            return found, depth
        found = _object_at(plain, named[0].value)
    return found, len(path)


def _insert_below(text: str, plain: str, path: Sequence[str], value: Any) -> Edit:
    holder, depth = _find(plain, path[:-1])
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    style = _Style.of(text, plain)
    return _insert_member(text, plain, holder, style=style, key=path[depth], value=value)


@dataclass(frozen=True, slots=True)
class _Style:
    """How the document is written: its indentation, its line ends, and whether it is all on one line."""

    indent: str
    newline: str
    is_tight: bool
    is_one_line: bool

    @classmethod
    def of(cls, text: str, plain: str) -> "_Style":
        root = _object_at(plain, _skip(plain, 0))
        first = root.members[0] if root.members else None
        return cls(
            indent=(None if first is None else _line_lead(text, first.at)) or _DEFAULT_INDENT,
            newline=_newline(text),
            is_tight=first is not None and plain[first.value - 1] == ":",
            is_one_line=first is not None and "\n" not in text[root.open : root.close],
        )

    def member(self, key: str, value: Any, lead: str) -> str:
        """A member over several lines, its first one not indented."""
        shown = json.dumps(value, ensure_ascii=False, indent=self.indent)
        return f"{json.dumps(key, ensure_ascii=False)}: " + shown.replace("\n", self.newline + lead)

    def inline(self, key: str, value: Any) -> str:
        """A member on one line."""
        separators = (",", ":") if self.is_tight else (", ", ": ")
        shown = json.dumps({key: value}, ensure_ascii=False, separators=separators)
        return shown[1:-1]


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _line_lead(text: str, at: int) -> str | None:
    """The white space before `at`, where nothing else stands before it on its line; else None."""
    start = _line_start(text, at)
    lead = text[start:at]
    return lead if start and not lead.strip(" \t") else None


def _insert_member(text: str, plain: str, holder: _Object, *, style: _Style, key: str, value: Any) -> Edit:
    if not holder.members:
        return _fill_empty(text, holder, style, key=key, value=value)
    place = holder.open + 1
    if len(holder.members) > 1:  # the first one stays first: it is `$schema` as a rule
        place = plain.index(",", holder.members[0].end) + 1
    line_end = _rest_of_line(text, place)
    lead = _line_lead(text, holder.members[-1].at)
    if line_end is None or lead is None:
        return Edit(place, "", _beside(text, place, style, style.inline(key, value)))
    return Edit(line_end, "", style.newline + lead + style.member(key, value, lead) + ",")


def _beside(text: str, place: int, style: _Style, member: str) -> str:
    """A member and its comma, for a place on a line that goes on."""
    end = place
    while text[end] in " \t":
        end += 1
    gap = text[place:end]
    return gap + member + "," + ("" if gap or style.is_tight or text[end] in "\r\n" else " ")


def _rest_of_line(text: str, at: int) -> int | None:
    """Where the line of `at` ends, when nothing but white space and comments follows on it; else None."""
    end = min((found for mark in "\r\n" if (found := text.find(mark, at)) >= 0), default=-1)
    return end if end >= 0 and not _without_comments(text[at:end]).strip(" \t") else None


def _fill_empty(text: str, holder: _Object, style: _Style, *, key: str, value: Any) -> Edit:
    inside = text[holder.open + 1 : holder.close]
    if style.is_one_line and not inside.strip(_BLANK):
        return Edit(holder.open + 1, inside, style.inline(key, value))
    outer = _lead_of_line(text, holder.open)
    lead = outer + style.indent
    member = style.newline + lead + style.member(key, value, lead)
    if not inside.strip(_BLANK):
        return Edit(holder.open + 1, inside, member + style.newline + outer)
    line_end = _rest_of_line(text, holder.open + 1)
    if line_end is not None and line_end < holder.close:
        return Edit(line_end, "", member)
    return Edit(holder.close, "", member + style.newline + outer)


def _lead_of_line(text: str, at: int) -> str:
    line = text[_line_start(text, at) : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _whole(text: str, wanted: Any) -> Edit:
    newline = _newline(text)
    shown = json.dumps(wanted, ensure_ascii=False, indent=_DEFAULT_INDENT).replace("\n", newline) + newline
    if not text.strip(_BLANK + _BOM):
        kept = len(text) - len(text.removeprefix(_BOM))
        return Edit(kept, text[kept:], shown)
    gap = "" if text.endswith("\n") else newline
    return Edit(len(text), "", gap + shown)


def _without_member(text: str, path: Sequence[str]) -> str:
    plain = _plain(text)
    holder, depth = _find(plain, path[:-1])
    if depth < len(path) - 1:
        raise NotEditable(f"it does not hold {'.'.join(path)}")
    number = next(at for at, member in enumerate(holder.members) if member.key == path[-1])
    member = holder.members[number]
    comma = _next_comma(text, plain, member.end)
    start, end = _span(text, member, comma)
    pieces = [(start, end)]
    if comma is not None and comma >= end:
        pieces.append((comma, comma + 1))
    elif comma is None and number:
        before = plain.index(",", holder.members[number - 1].end)
        pieces.append((before, before + 1))
    return splice(text, pieces)


def _next_comma(text: str, plain: str, at: int) -> int | None:
    """The comma behind a value, one that closes the object (which `plain` blanks out) included."""
    found = _skip(plain, at)
    if plain[found] == ",":
        return found
    if "," not in text[at:found]:
        return None
    return next((comma for comma in _trailing_commas(text) if at <= comma < found), None)


def _span(text: str, member: _Member, comma: int | None) -> tuple[int, int]:
    """What goes with a member: the line's white space before it, and the comma right behind it."""
    start, end = member.at, member.end
    if comma is not None and not text[end:comma].strip(_BLANK):
        end = comma + 1
    lead = _line_lead(text, start)
    stop = end
    while text[stop] in " \t":
        stop += 1
    if lead is not None and text[stop] in "\r\n":  # the line is the member's alone
        start -= len(lead)
        start -= 2 if text[start - 2 : start] == "\r\n" else 1
        return start, end
    return start, min(stop, end + 1)
