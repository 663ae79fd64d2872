"""What a command line needs to be there, read without a shell.

Pure. Nothing is ever run. A command that cannot be read without a shell's rules (substitutions, loops, variables) is
left alone.
"""

import html
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

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
    "read-file",
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
_UNREADABLE = regex(
    r"\$\(|\$\{|\$\w|<<|\bfor\s.*\bdo\b|\bwhile\b|\bif\s+\[|<[A-Za-z_ -]+>|(?<!/)\.\.\.|…|\{[^}]*,"
)
_BLOCK = regex(r"\b(?:for|while|if|case)\b.*\b(?:do|then|in)\b|<<|\bcd\s+\"?\$")
_REDIRECT = "\0redirect"  # stands for a redirection, so that its target is not taken for an argument
_SCRIPT = regex(r"[\w@./+-]+\.(?:py|sh|js|mjs|cjs|ts|tsx|rb|php|pl|bash)")
_READERS = frozenset({"git", "cp", "mv", "cat", "head", "tail", "sed", "wc", "less", "grep", "rg", "awk"})
_VALUE_OPTIONS = frozenset(["-k", "-m", "-p", "-n", "-c", "-o", "-W", "-r", "--maxfail", "--tb", "--timeout", "--cov", "--ignore", "--rootdir", "--deselect", "--durations", "-x=", "--cov-report", "--junitxml", "--confcutdir", "--basetemp"])  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a command needs: `name` is a script, target, path or module; `folder` is where it runs ("" is the root)."""

    kind: NeedKind
    name: str
    folder: str = ""
    symbol: str = ""  # of a test: `path::Class::test`


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
    if program in _PROGRAMS:
        yield from _PROGRAMS[program](program, arguments)
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


def _make(program: str, arguments: list[str]) -> Iterator[Need]:
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


def _pytest(program: str, arguments: list[str]) -> Iterator[Need]:
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


def _python(program: str, arguments: list[str]) -> Iterator[Need]:
    if arguments[:1] == ["-m"]:
        yield from _python_module(arguments[1:])
    elif arguments and _SCRIPT.fullmatch(arguments[0]):
        yield Need(kind="file", name=arguments[0])


def _npx(program: str, arguments: list[str]) -> Iterator[Need]:
    if arguments[:1] and arguments[0] in {
        "jest",
        "vitest",
        "mocha",
        "tsx",
        "ts-node",
        "playwright",
        "eslint",
    }:
        yield from _files(program, arguments[1:])


def _python_module(arguments: list[str]) -> Iterator[Need]:
    if not arguments:
        return
    module, rest = arguments[0], arguments[1:]
    if module == "pytest":
        yield from _pytest(module, rest)
    elif module == "unittest":
        for word in rest:
            if not word.startswith("-") and re.fullmatch(r"\w+(?:\.\w+)+", word):
                yield Need(kind="module", name=word)
            elif word in {"discover"}:
                return
    elif re.fullmatch(r"\w+(?:\.\w+)+", module):
        yield Need(kind="module", name=module)


def _read(program: str, arguments: list[str]) -> Iterator[Need]:
    """The files that a tool reads, as far as they are sure to be files: paths with a folder and an ending."""
    words = [word for word in arguments if not word.startswith("-")]
    if program == "git":
        words = words[1:] if words[:1] and words[0] in {"diff", "log", "blame", "show"} else []
    elif program in {"cp", "mv"}:
        words = words[:1]
    elif program in {"grep", "rg", "sed", "awk"}:
        words = words[1:]
    for word in words:
        if re.fullmatch(r"(?:\./)?[\w.-]+(?:/[\w.-]+)+\.\w{1,6}", word):
            yield Need(kind="read-file", name=word)


def _go(program: str, arguments: list[str]) -> Iterator[Need]:
    if arguments[:1] and arguments[0] in {"test", "vet", "build", "run", "list"}:
        ran = re.sub(r"[\^$]", "", _value_of(arguments, "-run"))
        for word in arguments[1:]:
            if word.startswith("./") and not re.search(r"[*?\[]", word):
                yield Need(
                    kind="go-package",
                    name=word.removesuffix("...").rstrip("/"),
                    symbol=ran if re.fullmatch(r"Test\w+", ran) else "",
                )


def _cargo(program: str, arguments: list[str]) -> Iterator[Need]:
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


def _files(program: str, arguments: list[str]) -> Iterator[Need]:
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


_PROGRAMS: Mapping[str, Callable[[str, list[str]], Iterator[Need]]] = {
    **dict.fromkeys(_RUNNERS, _npm), **dict.fromkeys(("make", "gmake"), _make), **dict.fromkeys(("pytest", "py.test"), _pytest),
    **dict.fromkeys(("python", "python3"), _python), **dict.fromkeys(("jest", "vitest", "mocha"), _files),
    **dict.fromkeys(("tox", "nox", "just"), _listed), **dict.fromkeys(_READERS, _read), "npx": _npx, "go": _go, "cargo": _cargo,
}  # fmt: skip
