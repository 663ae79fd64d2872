"""Commands in a plan, taken apart without a shell: what each one needs to be there.

Pure. Nothing is ever run. A command that cannot be read without a shell's rules (substitutions, loops, variables) is
left alone.
"""

import html
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from msd_review.grounding.bare_commands import bare_commands
from msd_review.grounding.mentions import is_command
from msd_review.grounding.plan import Plan, Segment
from msd_review.grounding.prose import code_spans, fenced_blocks, sentences
from msd_review.lazy import regex

NeedKind = Literal[
    "npm-script",
    "make-target",
    "file",
    "test",
    "module",
    "tox-env",
    "nox-session",
    "just-recipe",
    "task",
    "go-package",
    "crate",
]
_RUNNERS = {"npm", "pnpm", "yarn", "bun"}
_NPM_OWN = frozenset(
    ["install", "i", "ci", "init", "exec", "publish", "version", "audit", "outdated", "update", "uninstall", "link", "pack", "login",
     "config", "cache", "add", "remove", "dlx", "create", "why", "list", "ls", "view", "x", "up", "upgrade", "set", "help", "info",
     "workspace", "workspaces", "node", "import", "dedupe", "prune", "rebuild", "root", "prefix", "bin", "pkg", "fund", "store", "--version", "-v"]
)  # fmt: skip
_WRAPPERS = {
    "sudo": 1, "time": 1, "env": 1, "command": 1, "exec": 1, "!": 1, "xvfb-run": 1,
    "poetry": 2, "uv": 2, "pdm": 2, "pipenv": 2, "hatch": 2, "bundle": 2, "rye": 2,
}  # fmt: skip
_SHELLS = {
    "bash",
    "sh",
    "zsh",
    "node",
    "python",
    "python3",
    "ruby",
    "php",
    "deno",
    "tsx",
    "ts-node",
    "source",
    ".",
}
_UNREADABLE = regex(r"\$\(|\$\{|\$\w|<<|\bfor\s.*\bdo\b|\bwhile\b|\bif\s+\[|<[A-Za-z_ -]+>|\.\.\.|…|\{[^}]*,")
_PROSE_WORDS = regex(
    r"(?<![-\w/.=])(?:the|that|is|are|it|sure|should|to|of|with|and|an?|on|for|all|passes|exits|succeeds|works)(?![-\w/.=:])",
    re.I,
)
_BLOCK = regex(r"\b(?:for|while|if|case)\b.*\b(?:do|then|in)\b|<<|\bcd\s+\"?\$")
_MAX_COMMANDS = 2_000
_REDIRECT = "\0redirect"  # stands for a redirection, so that its target is not taken for an argument
_SCRIPT = regex(r"[\w@./+-]+\.(?:py|sh|js|mjs|cjs|ts|tsx|rb|php|pl|bash)")
_VALUE_OPTIONS = frozenset(["-k", "-m", "-p", "-n", "-c", "-o", "-W", "-r", "--maxfail", "--tb", "--timeout", "--cov", "--ignore", "--rootdir", "--deselect", "--durations", "-x=", "--cov-report", "--junitxml", "--confcutdir", "--basetemp"])  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a command needs: `name` is a script, target, path or module; `folder` is where it runs ("" is the root)."""

    kind: NeedKind
    name: str
    folder: str = ""
    symbol: str = ""  # of a test: `path::Class::test`


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One command of a plan as written, and what it needs."""

    text: str
    line: int
    tag: str
    task: int | None
    needs: tuple[Need, ...]
    certain: bool = True  # False for a line of prose that may only look like a command
    negated: bool = False  # the sentence says that it is to be made, or is an example


def commands(plan: Plan) -> Iterator[Command]:
    """The commands in verification parts, in fenced shell blocks and in code spans; at most 2,000."""
    found = (command for segment in plan.segments for command in _in_segment(plan, segment))
    for count, command in enumerate(found):
        if count >= _MAX_COMMANDS:
            return
        yield command


def _in_segment(plan: Plan, segment: Segment) -> Iterator[Command]:
    text = plan.said(segment)
    if segment.tag == "automated":
        yield from _lines(plan, segment, text, 0)
        return
    if segment.tag == "verify":
        yield from (found for found in _lines(plan, segment, text, 0) if is_command(found.text))
    for start, end, info in fenced_blocks(text):
        if info.lower() in {"bash", "sh", "shell", "console", "zsh"}:
            yield from _lines(plan, segment, text[start:end], start)
        elif not info:
            yield from _prompted(plan, segment, text[start:end], start)
    yield from _spans(plan, segment, text)


def _spans(plan: Plan, segment: Segment, text: str) -> Iterator[Command]:
    for sentence in sentences(text):
        for span in code_spans(sentence.text):
            code = " ".join(span["code"].split())
            if is_command(code):
                line = plan.line_at(segment.start + sentence.start + span.start())
                made = _is_made(sentence.masked[: span.start()], sentence.masked[span.end() :])
                yield _command(code, segment, line, negated=made)
        if segment.tag in {"automated", "verify"}:
            continue
        for code, start, certain in bare_commands(sentence):
            made = _is_made(sentence.masked[:start], sentence.masked[start + len(code) :])
            found = _command(
                code, segment, plan.line_at(segment.start + sentence.start + start), negated=made
            )
            yield replace(found, certain=certain)


def _prompted(plan: Plan, segment: Segment, text: str, offset: int) -> Iterator[Command]:
    """The lines of a plain sample that a prompt marks as typed."""
    for match in re.finditer(r"^[ \t]*\$ (?P<command>[^\n]+)", text, re.M):
        yield _command(
            match["command"], segment, plan.line_at(segment.start + offset + match.start("command"))
        )


def _is_made(before: str, after: str) -> bool:
    made = r"\b(?:add|adds|create|creates|introduce|define|new|expose|provide|register|no|not|without|never|instead of|missing|replace|remove|e\.g\.)\b"
    return bool(
        re.search(made, before[-80:], re.I)
        or re.match(r"\s*(?:is|are|will be|\()?\s*(?:new|added|created|missing)\b", after, re.I)
    )


def _lines(plan: Plan, segment: Segment, text: str, offset: int) -> Iterator[Command]:
    joined = re.sub(r"\\\n", "  ", text)
    for match in re.finditer(r"[^\n]+", joined):
        line = match.group().strip().strip("`").removeprefix("$ ").strip()
        line = re.sub(r"^(?:[-*+]|\d+[.)])\s+`?", "", line).rstrip("`")
        if line and not line.startswith("#") and not _is_prose(line):
            at = plan.line_at(
                segment.start + offset + match.start() + len(match.group()) - len(match.group().lstrip())
            )
            yield _command(line, segment, at)


def _is_prose(line: str) -> bool:
    """Whether a line only starts like a command: "make sure that …", "go to the page", "`make test` passes"."""
    unquoted = re.sub(r"\"[^\"]*\"|'[^']*'", "", line)
    return "`" in line or bool(_PROSE_WORDS.search(unquoted))


def _command(text: str, segment: Segment, line: int, *, negated: bool = False) -> Command:
    return Command(
        text=text[:400], line=line, tag=segment.tag, task=segment.task, needs=needs_of(text), negated=negated
    )


def needs_of(text: str) -> tuple[Need, ...]:
    """What a command line needs; () for what cannot be read with certainty.

    >>> [(n.kind, n.name) for n in needs_of("cd web && npm run lint")]
    [('npm-script', 'lint')]
    """
    folder, needs = "", []
    for words in simple_commands(html.unescape(text[:2_000])):
        if words[0] == "cd" and len(words) > 1:
            folder = (
                "?"
                if words[1].startswith(("/", "~", "..", "-"))
                else f"{folder}/{words[1]}".strip("/").removeprefix("./")
            )
            continue
        needs += [
            Need(kind=n.kind, name=n.name, folder=n.folder or folder, symbol=n.symbol) for n in _needs(words)
        ]
    return tuple(needs)


def simple_commands(text: str) -> Iterator[list[str]]:
    """The words of each simple command of a line; parts that need a shell to be read are left out."""
    for part in re.split(r"&&|;", text) if _UNREADABLE.search(text) and not _BLOCK.search(text) else [text]:
        if not _UNREADABLE.search(part):
            yield from _words(part)


def _words(text: str) -> Iterator[list[str]]:
    words: list[str] = []
    for token in _tokens(text):
        if re.fullmatch(r"[|&;]+", token):
            yield from [words] if words else []
            words = []
        else:
            words.append(_REDIRECT if re.fullmatch(r"\d?[<>]+&?", token) else token)
    if words:
        yield words


def _tokens(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return []


def _needs(words: list[str]) -> Iterator[Need]:
    words = _unwrapped(_without_redirects(words))
    if not words:
        return
    program, arguments = words[0], words[1:]
    if program in _RUNNERS:
        yield from _npm(program, arguments)
    elif program in {"make", "gmake"}:
        yield from _make(arguments)
    elif program in {"pytest", "py.test"}:
        yield from _pytest(arguments)
    elif program in {"python", "python3"} and arguments[:1] == ["-m"]:
        yield from _python_module(arguments[1:])
    elif (
        program == "npx"
        and arguments
        and arguments[0] in {"jest", "vitest", "mocha", "tsx", "ts-node", "playwright", "eslint"}
    ):
        yield from _files(arguments[1:])
    elif program in {"jest", "vitest", "mocha"}:
        yield from _files(arguments)
    elif program in {"go", "cargo"}:
        yield from (_go if program == "go" else _cargo)(arguments)
    elif program in {"tox", "nox", "just"}:
        yield from _listed(program, arguments)
    elif program in _SHELLS and arguments and _SCRIPT.fullmatch(arguments[0]):
        yield Need(kind="file", name=arguments[0])
    elif "/" in program and _SCRIPT.fullmatch(program):
        yield Need(kind="file", name=program)


def _without_redirects(words: list[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if word == _REDIRECT:
            skip = True
            kept = kept[:-1] if kept and kept[-1] in {"1", "2"} else kept
        elif skip:
            skip = False
        else:
            kept.append(word)
    return kept


def _unwrapped(words: list[str]) -> list[str]:
    for _ in range(4):
        while words and re.fullmatch(r"[A-Za-z_]\w*=\S*", words[0]):
            words = words[1:]
        if not words or words[0] not in _WRAPPERS:
            break
        count = _WRAPPERS[words[0]]
        if count == 2 and words[1:2] not in (["run"], ["exec"]):
            return []
        words = words[count:]
        while words and words[0].startswith("-"):
            words = words[1:]
    return words


def _npm(program: str, arguments: list[str]) -> Iterator[Need]:
    folder = ""
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        if word in {"--prefix", "-C", "--dir", "--cwd"}:
            folder = next(words, "?").strip("/").removeprefix("./") or "?"
        elif word in {"-w", "--workspace", "--filter", "-F"} or word.startswith(
            ("--workspace=", "--filter=")
        ):
            folder = "?"
            if "=" not in word:
                next(words, None)
        elif word == "--":
            break
        elif not word.startswith("-"):
            rest.append(word)
    if not rest:
        return
    if rest[0] in {"run", "run-script"} and len(rest) > 1:
        yield Need(kind="npm-script", name=rest[1], folder=folder)
    elif rest[0] in {"test", "t", "start"} and program != "bun":
        yield Need(kind="npm-script", name={"t": "test"}.get(rest[0], rest[0]), folder=folder)
    elif program in {"yarn", "pnpm"} and rest[0] not in _NPM_OWN and re.fullmatch(r"[\w:.-]+", rest[0]):
        yield Need(
            kind="npm-script", name=rest[0], folder=folder or "~"
        )  # may be an installed binary as well


def _make(arguments: list[str]) -> Iterator[Need]:
    folder = ""
    words = iter(arguments)
    for word in words:
        if word == "-C":
            folder = next(words, "?").strip("/").removeprefix("./") or "?"
        elif word in {"-f", "-j", "-o", "-W", "-I", "-l"}:
            value = next(words, "")
            if word == "-f" and value:
                return
        elif not word.startswith("-") and "=" not in word and not word.isdigit():
            yield Need(kind="make-target", name=word, folder=folder)


def _pytest(arguments: list[str]) -> Iterator[Need]:
    words = iter(arguments)
    for word in words:
        if word in _VALUE_OPTIONS:
            next(words, None)
        elif (
            not word.startswith("-")
            and re.search(r"[./]", word)
            and not re.search(r"[*?\[\]]", word.split("::")[0])
        ):
            path, _, symbol = word.partition("::")
            yield Need(
                kind="test", name=path.rstrip("/") or ".", symbol=symbol.split("[")[0].replace("::", ".")
            )


def _python_module(arguments: list[str]) -> Iterator[Need]:
    if not arguments:
        return
    module, rest = arguments[0], arguments[1:]
    if module == "pytest":
        yield from _pytest(rest)
    elif module == "unittest":
        for word in rest:
            if not word.startswith("-") and re.fullmatch(r"\w+(?:\.\w+)+", word):
                yield Need(kind="module", name=word)
            elif word in {"discover"}:
                return
    elif re.fullmatch(r"\w+(?:\.\w+)+", module):
        yield Need(kind="module", name=module)


def _go(arguments: list[str]) -> Iterator[Need]:
    if arguments[:1] and arguments[0] in {"test", "vet", "build", "run", "list"}:
        ran = re.sub(r"[\^$]", "", _value_of(arguments, "-run"))
        for word in arguments[1:]:
            if word.startswith("./") and not re.search(r"[*?\[]", word):
                yield Need(
                    kind="go-package",
                    name=word.removesuffix("...").rstrip("/"),
                    symbol=ran if re.fullmatch(r"Test\w+", ran) else "",
                )


def _cargo(arguments: list[str]) -> Iterator[Need]:
    for option in ("-p", "--package"):
        if name := _value_of(arguments, option):
            yield Need(kind="crate", name=name.split("@")[0])


def _value_of(arguments: list[str], option: str) -> str:
    """What stands behind an option, or after its `=`."""
    found = next((at for at, word in enumerate(arguments) if word.split("=")[0] == option), None)
    if found is None:
        return ""
    given = arguments[found].partition("=")[2]
    return given or "".join(arguments[found + 1 : found + 2])


def _files(arguments: list[str]) -> Iterator[Need]:
    for word in arguments:
        if re.fullmatch(r"[\w@./+-]+\.(?:[cm]?[jt]sx?)", word) and "/" in word:
            yield Need(kind="file", name=word)


def _listed(program: str, arguments: list[str]) -> Iterator[Need]:
    if program == "just":
        recipe = next((word for word in arguments if not word.startswith("-")), None)
        yield from [Need(kind="just-recipe", name=recipe)] if recipe else []
        return
    kind: NeedKind = "tox-env" if program == "tox" else "nox-session"
    for option, value in pairwise(arguments):
        if option in {"-e", "-s", "--session", "--sessions"}:
            yield from (Need(kind=kind, name=name) for name in value.split(",") if name)
