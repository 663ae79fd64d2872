"""The things that a sentence names: paths with or without lines, symbols with or without parameters, commands.

Pure. A code span is read as one of these or left alone; outside code spans only paths count.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from msd_review.grounding.prose import MASK, Sentence, code_spans
from msd_review.lazy import regex
from msd_review.review.line_words import lines_after, lines_before
from msd_review.review.places import Place, place_of

_NAME = r"[A-Za-z_$][\w$]{0,100}[!?]?"
_NO_TYPE = "new|await|return|yield|throw|raise|assert|if|while|for|in|not|and|or|delete|typeof|go|defer|else|case|the|a|an|to|of|with|from|import"
_SYMBOL = regex(
    rf"(?P<lead>(?:(?:async|def|func|fun|fn|function|class|struct|enum|interface|trait|type|const|static|public|private|protected|export|pub|void|method|sub|impl)\s+)*)"
    rf"(?P<type>(?:(?!(?:{_NO_TYPE})\b)[\w:<>,\[\].?]{{1,60}}\s*[*&]*\s+[*&]*){{0,4}}(?<![^\s*&])(?=[\w~:.]+\())?"
    rf"(?:\((?P<receiver>[^()]{{1,60}})\)\s*)?(?P<name>[@#&*]?{_NAME}(?:(?:\.|::|->|#){_NAME}){{0,6}})"
    r"(?P<generic><[^<>()]{1,60}>)?(?P<call>\((?P<parameters>.{0,400})\))?(?P<rest>\s*(?:->|:|=>|throws\b).{0,120}|\s+[\w.*\[\]()<>, ]{1,60}|\s*\{.{0,20})?",
    re.DOTALL,
)
_BARE_PATH = regex(
    r"(?<![\w`/@.~-])(?:\.{1,2}/|/|~/)?[\w.@+~-]{1,100}(?:/[\w.@+~\[\]()-]{1,100}){1,20}(?:(?::|#L)\d{1,7}(?:[-–]L?\d{1,7})?|(?:::|#)[A-Za-z_]\w{0,80}(?:(?:\.|::|#)\w{1,80}){0,4}(?:\(\))?)?"
)
_BARE_FILE = regex(r"(?<![\w`/@.~-])[\w-]{1,80}(?:\.[\w-]{1,40}){1,3}:\d{1,7}(?:[-–]\d{1,7})?(?![\w])")
_FILE_NAME = regex(
    r"(?<![\w`/@.~-])(?:(?:[Mm]akefile|justfile|Dockerfile|Gemfile|Pipfile|go\.mod)(?![\w/.]|\s(?:target|recipe)s?\b(?! of))|[A-Za-z_][\w-]{1,60}(?:\.[\w-]{1,30})?\.(?:ya?ml|toml|json|ini|cfg|py|tsx?|jsx?|go|rs|java|rb|cpp|hpp|cs|php|sql|csproj|gradle)(?![\w/(]|\.\w))"
)
_KEY = regex(r"\[{0,2}[\"']?([A-Za-z_][\w:-]{0,80}(?:\.[\w-]{1,80}){0,8})[\"']?\]{0,2}:?")
_ODD_PATH = regex(r"(?:\.{1,2}/)?(?:[A-Za-z_][\w-]{0,60}/){1,12}[\w-]{2,80}\.[a-z]\w{0,4}")
_DOMAIN = regex(r"[\w-]+\.(?:com|org|io|net|dev|in|sh)/")
_COMMANDS = frozenset(
    ["npm", "npx", "pnpm", "yarn", "bun", "make", "gmake", "pytest", "python", "python3", "tox", "nox", "just", "cargo", "go", "node",
     "bash", "sh", "poetry", "uv", "pdm", "hatch", "grep", "rg", "test", "ls", "cat", "git", "mvn", "gradle", "dotnet", "ruby", "bundle",
     "rake", "php", "composer", "swift", "cd", "export", "echo", "docker", "curl", "deno", "jest", "vitest", "tsc", "eslint", "ruff", "mypy",
     "head", "tail", "sed", "awk", "find", "wc", "jq", "sudo", "source", "pip", "task", "poe", "rustc", "gcc", "cmake", "ctest", "!"]
)  # fmt: skip
_KEYWORDS = frozenset(
    ["if", "for", "while", "switch", "return", "catch", "true", "false", "null", "none", "self", "this", "super", "new", "try", "else", "and",
     "or", "not", "in", "is", "import", "from", "class", "def", "function", "const", "let", "var", "async", "await", "string", "number", "boolean",
     "int", "str", "bool", "float", "list", "dict", "set", "tuple", "bytes", "object", "void", "any", "unknown", "never", "undefined", "nil",
     "error", "type", "enum", "struct", "interface", "public", "private", "static", "print", "len", "todo", "tbd", "yes", "no", "ok", "get", "post",
     "put", "delete", "patch", "head", "options"]
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """One thing named in a sentence, at `start`…`end` inside it. Exactly one of place, symbol, command is set, or none."""

    start: int
    end: int
    text: str
    place: Place | None = None
    symbol: str | None = None
    parameters: str | None = None
    called: bool = False
    declared: bool = False  # written as a declaration: `def name(…)`
    command: str | None = None
    code: bool = True
    key: str | None = None  # a name as settings have it: `line-length`, `[tool.ruff]`
    arguments: str | None = None  # parameters that stand alone: `(path, limit)`
    more: tuple[tuple[int, int | None], ...] = field(default=())


def mentions(sentence: Sentence) -> tuple[Mention, ...]:
    """What a sentence names, in the order of the text."""
    found = [mention for match in code_spans(sentence.text) for mention in _code_mentions(match)]
    found += list(_bare_mentions(sentence))
    placed = [_with_lines(mention, sentence) for mention in found]
    return tuple(sorted(placed, key=lambda mention: mention.start))


def symbol_in(text: str) -> tuple[str, str | None, bool, bool] | None:
    """(dotted name, parameters or None, written as a call, written as a declaration) of a code span that is a symbol."""
    text = re.sub(r"^(?:await|return|yield|new|go|defer|throw|raise)\s+(?=\S)", "", text.strip())
    match = _SYMBOL.fullmatch(text) if len(text) <= 500 else None
    if match is None:
        return None
    name = re.sub(r"::|->|#", ".", match["name"].lstrip("@#&*"))
    lead = match["lead"].strip()
    if match["rest"] and not (match["call"] or lead):
        return None
    if name.lower() in _KEYWORDS or len(name) < 2 and not match["call"]:
        return None
    if match["receiver"] and (owner := re.search(r"(\w+)\s*(?:\[.*)?$", match["receiver"].replace("*", " "))):
        name = f"{owner[1]}.{name}"
    declared = bool(lead or match["rest"] or match["type"])
    return name, match["parameters"], match["call"] is not None, declared


def is_command(code: str) -> bool:
    """Whether a code span is a command line: a known program and what it is given."""
    first, _, rest = code.partition(" ")
    return first.removeprefix("./") in _COMMANDS and bool(
        rest or first in {"pytest", "tox", "nox", "jest", "vitest"}
    )


def _code_mentions(match: re.Match[str]) -> Iterator[Mention]:
    """What a code span names: one thing, or a path and a declaration in it (`path::name(parameters)`)."""
    both = re.fullmatch(
        r"(?P<path>[\w./@-]+\.\w{1,8})(?:::|#)(?P<rest>[A-Za-z_][\w.:#]*\(.+\))", match["code"]
    )
    place = place_of(both["path"]) if both is not None else None
    symbol = symbol_in(both["rest"]) if both is not None else None
    if both is None or place is None or symbol is None:
        yield _code_mention(match)
        return
    cut = match.start("code") + both.end("path")
    yield Mention(start=match.start(), end=cut, text=both["path"], place=place)
    yield Mention(
        start=cut, end=match.end(), text=both["rest"], symbol=symbol[0], parameters=symbol[1], called=True
    )


def _code_mention(match: re.Match[str]) -> Mention:
    code = " ".join(match["code"].split())
    named = partial(Mention, start=match.start(), end=match.end(), text=code)
    place = place_of(code) or _unusual_place(code)
    if place is not None:
        return named(place=place)
    if is_command(code):
        return named(command=code)
    symbol = symbol_in(code)
    if symbol is None:
        alone = re.fullmatch(r"\((.{1,400})\)", code)
        key = _KEY.fullmatch(code)
        return named(arguments=alone[1] if alone else None, key=key[1] if key else None)
    name, parameters, called, declared = symbol
    return named(symbol=name, parameters=parameters, called=called, declared=declared)


def _unusual_place(code: str) -> Place | None:
    """`path#name`, and a path whose ending is not one of the known."""
    hashed = re.fullmatch(r"([\w./@-]+\.\w{1,8})#([A-Za-z_]\w*(?:(?:\.|::|#)\w+)*)(?:\(\))?", code)
    if hashed is not None and (place := place_of(hashed[1])) is not None and place.line is None:
        return Place(path=place.path, symbol=re.sub(r"::|#", ".", hashed[2]))
    if _ODD_PATH.fullmatch(code) and not _DOMAIN.match(code):
        return Place(path=code.removeprefix("./"))
    return None


def _bare_mentions(sentence: Sentence) -> Iterator[Mention]:
    taken = [match.span() for match in code_spans(sentence.text)]
    for pattern in (_BARE_PATH, _BARE_FILE, _FILE_NAME):
        for match in pattern.finditer(sentence.masked):
            if MASK in match.group() or any(start <= match.start() < end for start, end in taken):
                continue
            text = re.sub(r"\]\(.*|\(\d+\)?$", "", match.group()).rstrip(".,;:)]")
            place = place_of(text) or _unusual_place(text)
            if place is not None and not _in_link(sentence.masked, match.start()):
                end = match.start() + len(text)
                taken.append((match.start(), end))
                yield Mention(start=match.start(), end=end, text=text, place=place, code=False)


def _in_link(text: str, at: int) -> bool:
    return bool(re.search(r"(?:https?:|www\.|://)[^\s]{0,200}$", text[max(0, at - 200) : at]))


def _with_lines(mention: Mention, sentence: Sentence) -> Mention:
    """Lines that stand in words beside a path: "(line 12)", "lines 3-9 of"."""
    place = mention.place
    if place is None or place.line is not None:
        return mention
    after = lines_after(sentence.text[mention.end : mention.end + 60].removeprefix("`"))
    before = lines_before(sentence.text[max(0, mention.start - 48) : mention.start + 1])
    if after is not None:
        (first, last), *more = after[0]
        lines = Place(path=place.path, line=first, end_line=last, symbol=place.symbol, more=tuple(more))
    elif before is not None:
        lines = Place(path=place.path, line=before[0], end_line=before[1], symbol=place.symbol)
    else:
        return mention
    return Mention(start=mention.start, end=mention.end, text=mention.text, place=lines, code=mention.code)
