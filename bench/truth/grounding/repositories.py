"""Repositories to make plans about: packages as they are installed, and small generated projects in other languages.

The facts about each (files, lines, definitions with parameters) come from Python's own `ast` or from the generator
itself, never from the product's parsers.
"""

import ast
import json
import random
import shutil
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

PACKAGES = ("click", "markdown_it", "rich", "jinja2", "filelock", "platformdirs", "packaging", "anyio", "pluggy", "iniconfig", "toolz", "tornado", "requests", "yaml")  # fmt: skip
_MAX_FILES = 40


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One definition: its bare name, owner, file, line, last line, and parameters as they stand (None: no function)."""

    name: str
    path: str
    line: int
    end_line: int
    owner: str = ""
    parameters: str | None = None

    @property
    def dotted(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


@dataclass(kw_only=True)
class Repository:
    """One project on disk, with what is true about it."""

    name: str
    language: str
    root: Path
    lengths: dict[str, int] = field(default_factory=dict)  # path → lines
    facts: list[Fact] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)  # commands that work
    requirements: list[str] = field(default_factory=list)

    def add(self, path: str, text: str) -> None:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        self.lengths[path] = text.count("\n")


def repositories(folder: Path, seed: int) -> Iterator[Repository]:
    """Every repository of the bench, made below `folder`."""
    rng = random.Random(seed)
    for package in PACKAGES:
        yield _finished(_installed(folder / package, package), rng)
    for language, write in _WRITERS.items():
        for number in range(2):
            name = f"{language}{number}"
            repository = Repository(name=name, language=language, root=folder / name)
            repository.root.mkdir(parents=True)
            write(repository, rng)
            yield _finished(repository, rng)


def _finished(repository: Repository, rng: random.Random) -> Repository:
    """Adds what every project has: a Makefile, scripts, a requirements document."""
    targets = rng.sample(["lint", "test", "check", "docs", "format", "release", "bench"], 4)
    makefile = "".join(f"{target}:\n\techo {target}\n\n" for target in targets)
    repository.add("Makefile", f".PHONY: {' '.join(targets)}\n\n{makefile}")
    scripts = rng.sample(["build", "lint", "typecheck", "test:unit", "e2e", "format"], 4)
    repository.add(
        "package.json",
        json.dumps({"name": repository.name, "scripts": dict.fromkeys(scripts, "true")}, indent=2) + "\n",
    )
    repository.scripts = [f"make {target}" for target in targets] + [
        f"npm run {script}" for script in scripts
    ]
    prefix = rng.choice(["CORE", "PARSE", "IO"])
    repository.requirements = [f"{prefix}-{number:02d}" for number in range(1, 6)]
    lines = "".join(
        f"- [ ] **{name}**: The thing numbered {name} works\n" for name in repository.requirements
    )
    repository.add(".planning/REQUIREMENTS.md", "# Requirements\n\n" + lines)
    return repository


def _installed(root: Path, package: str) -> Repository:
    source = Path(sysconfig.get_paths()["purelib"]) / package
    repository = Repository(name=package, language="python", root=root)
    files = sorted(path for path in source.rglob("*.py") if path.stat().st_size > 400)[:_MAX_FILES]
    for path in files:
        text = path.read_text(encoding="utf-8")
        relative = f"{package}/{path.relative_to(source).as_posix()}"
        repository.add(relative, text)
        repository.facts += _python_facts(relative, text)
    for extra in source.parent.glob("LICENSE*"):
        shutil.copy(extra, root)
    return repository


def _python_facts(path: str, text: str) -> Iterator[Fact]:
    tree = ast.parse(text)
    bodies: list[tuple[str, list[ast.stmt]]] = [("", tree.body)]
    bodies += [(node.name, node.body) for node in tree.body if isinstance(node, ast.ClassDef)]
    for owner, body in bodies:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                parameters = ast.unparse(node.args) if len(ast.unparse(node.args)) < 120 else None
                yield Fact(
                    name=node.name,
                    path=path,
                    line=node.lineno,
                    end_line=node.end_lineno or node.lineno,
                    owner=owner,
                    parameters=parameters,
                )
            elif isinstance(node, ast.ClassDef):
                yield Fact(
                    name=node.name,
                    path=path,
                    line=node.lineno,
                    end_line=node.end_lineno or node.lineno,
                    owner=owner,
                )


_NOUNS = [
    "invoice",
    "order",
    "session",
    "cursor",
    "packet",
    "ledger",
    "ticket",
    "socket",
    "route",
    "batch",
    "token",
    "widget",
    "parcel",
    "sensor",
    "quota",
]
_VERBS = [
    "load",
    "parse",
    "merge",
    "render",
    "resolve",
    "encode",
    "refresh",
    "commit",
    "collect",
    "validate",
    "archive",
    "split",
]


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def _modules(rng: random.Random, folders: list[str], count: int = 8) -> list[tuple[str, str]]:
    return [(rng.choice(folders), noun) for noun in rng.sample(_NOUNS, count)]


def _write(repository: Repository, path: str, pieces: list[tuple[str, Fact | None]]) -> None:
    """Joins pieces of source, setting each fact's lines from where its piece stands."""
    line, texts = 1, []
    for text, fact in pieces:
        if fact is not None:
            first = line + next(at for at, row in enumerate(text.split("\n")) if fact.name in row)
            repository.facts.append(
                Fact(
                    name=fact.name,
                    path=path,
                    line=first,
                    end_line=line + text.rstrip().count("\n"),
                    owner=fact.owner,
                    parameters=fact.parameters,
                )
            )
        texts.append(text)
        line += text.count("\n")
    repository.add(path, "".join(texts))


def _filler(rng: random.Random, comment: str) -> str:
    return (
        "".join(
            f"{comment} {' '.join(rng.choices(_VERBS + _NOUNS, k=6))}\n" for _ in range(rng.randint(1, 6))
        )
        + "\n"
    )


def _function_names(rng: random.Random, noun: str, count: int = 4) -> list[str]:
    return [f"{verb}_{noun}" for verb in rng.sample(_VERBS, count)]


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(_capital(word) for word in rest)


def _go(repository: Repository, rng: random.Random) -> None:
    repository.add("go.mod", "module example.test/app\n\ngo 1.22\n")
    for folder, noun in _modules(rng, ["internal/store", "internal/api", "pkg/core", "cmd/app"]):
        kind = _capital(noun)
        pieces: list[tuple[str, Fact | None]] = [
            (f"package {folder.rsplit('/', 1)[-1]}\n\n" + _filler(rng, "//"), None)
        ]
        pieces.append(
            (
                f"type {kind} struct {{\n\tName string\n\tcount int\n}}\n\n",
                Fact(name=kind, path="", line=0, end_line=0),
            )
        )
        for name in _function_names(rng, noun):
            method, parameters = (
                _capital(_camel(name)),
                rng.choice(["ctx context.Context, id string", "name string, limit int", "data []byte"]),
            )
            pieces.append(
                (
                    f"func (s *{kind}) {method}({parameters}) error {{\n\ts.count++\n\treturn nil\n}}\n\n",
                    Fact(name=method, owner=kind, path="", line=0, end_line=0, parameters=parameters),
                )
            )
            free = f"New{kind}{method}"
            pieces.append(
                (
                    f"func {free}({parameters}) *{kind} {{\n\treturn &{kind}{{}}\n}}\n\n"
                    + _filler(rng, "//"),
                    Fact(name=free, path="", line=0, end_line=0, parameters=parameters),
                )
            )
        _write(repository, f"{folder}/{noun}.go", pieces)


def _rust(repository: Repository, rng: random.Random) -> None:
    repository.add("Cargo.toml", '[package]\nname = "app"\nversion = "0.1.0"\n')
    for folder, noun in _modules(rng, ["src", "src/net", "crates/core/src", "src/model"]):
        kind = _capital(noun)
        pieces: list[tuple[str, Fact | None]] = [
            (
                f"use std::io;\n\npub struct {kind} {{\n    pub name: String,\n}}\n\n",
                Fact(name=kind, path="", line=0, end_line=0),
            )
        ]
        pieces.append((f"impl {kind} {{\n", None))
        for name in _function_names(rng, noun, 2):
            parameters = rng.choice(["&self, limit: usize", "&mut self, name: &str, data: Vec<u8>"])
            pieces.append(
                (
                    f"    pub fn {name}({parameters}) -> io::Result<()> {{\n        Ok(())\n    }}\n\n",
                    Fact(name=name, owner=kind, path="", line=0, end_line=0, parameters=parameters),
                )
            )
        pieces.append(("}\n\n" + _filler(rng, "//"), None))
        for verb in rng.sample(_VERBS, 3):
            name, parameters = (
                f"{verb}_all_{noun}",
                rng.choice(["items: &[String], limit: usize", "path: &str"]),
            )
            pieces.append(
                (
                    f"pub fn {name}({parameters}) -> usize {{\n    0\n}}\n\n" + _filler(rng, "//"),
                    Fact(name=name, path="", line=0, end_line=0, parameters=parameters),
                )
            )
        _write(repository, f"{folder}/{noun}.rs", pieces)


def _java(repository: Repository, rng: random.Random) -> None:
    for folder, noun in _modules(
        rng, ["src/main/java/org/demo/app", "src/main/java/org/demo/io", "src/main/java/org/demo/model"]
    ):
        kind = _capital(noun) + "Service"
        package = folder.removeprefix("src/main/java/").replace("/", ".")
        pieces: list[tuple[str, Fact | None]] = [
            (f"package {package};\n\nimport java.util.List;\n\n" + _filler(rng, "//"), None)
        ]
        pieces.append(
            (
                f"public class {kind} {{\n    private int count;\n\n",
                Fact(name=kind, path="", line=0, end_line=0),
            )
        )
        for name in _function_names(rng, noun, 5):
            method, parameters = (
                _camel(name),
                rng.choice(["String id, int limit", "List<String> names", "final long from, long to"]),
            )
            pieces.append(
                (
                    f"    public boolean {method}({parameters}) {{\n        count++;\n        return true;\n    }}\n\n"
                    + _filler(rng, "    //"),
                    Fact(name=method, owner=kind, path="", line=0, end_line=0, parameters=parameters),
                )
            )
        pieces.append(("}\n", None))
        _write(repository, f"{folder}/{kind}.java", pieces)


def _script(repository: Repository, rng: random.Random, *, typed: bool) -> None:
    end = "ts" if typed else "js"
    for folder, noun in _modules(rng, ["src/lib", "src/routes", "src/services", "packages/core/src"]):
        kind = _capital(noun) + rng.choice(["Client", "Store", "Parser"])
        pieces: list[tuple[str, Fact | None]] = [
            (f"import {{ log }} from './log.{end}';\n\n" + _filler(rng, "//"), None)
        ]
        pieces.append((f"export class {kind} {{\n", Fact(name=kind, path="", line=0, end_line=0)))
        for name in _function_names(rng, noun, 3):
            method = _camel(name)
            parameters = (
                rng.choice(["id: string, limit: number", "items: string[]"])
                if typed
                else rng.choice(["id, limit", "items"])
            )
            pieces.append(
                (
                    f"  {method}({parameters}) {{\n    return null;\n  }}\n\n",
                    Fact(name=method, owner=kind, path="", line=0, end_line=0, parameters=parameters),
                )
            )
        pieces.append(("}\n\n", None))
        for verb in rng.sample(_VERBS, 3):
            name = _camel(f"{verb}_every_{noun}")
            parameters = "options: Options, depth = 1" if typed else "options, depth = 1"
            head = (
                f"export const {name} = ({parameters}) => {{"
                if rng.random() < 0.4
                else f"export function {name}({parameters}) {{"
            )
            pieces.append(
                (
                    f"{head}\n  return [];\n}}\n\n" + _filler(rng, "//"),
                    Fact(name=name, path="", line=0, end_line=0, parameters=parameters),
                )
            )
        if typed:
            pieces.append(
                (
                    f"export interface {kind}Options {{\n  depth?: number;\n}}\n",
                    Fact(name=f"{kind}Options", path="", line=0, end_line=0),
                )
            )
        _write(repository, f"{folder}/{noun}.{end}", pieces)


def _c(repository: Repository, rng: random.Random) -> None:
    for folder, noun in _modules(rng, ["src", "lib", "src/util"]):
        pieces: list[tuple[str, Fact | None]] = [(f'#include "{noun}.h"\n\n' + _filler(rng, "//"), None)]
        pieces.append(
            (
                f"struct {noun}_state {{\n    int count;\n    char *name;\n}};\n\n",
                Fact(name=f"{noun}_state", path="", line=0, end_line=0),
            )
        )
        for name in _function_names(rng, noun, 6):
            parameters = rng.choice(
                ["const char *name, int limit", "struct state *self, size_t length", "void"]
            )
            head = rng.choice(["static int ", "char *", "int\n"])
            pieces.append(
                (
                    f"{head}{name}({parameters})\n{{\n    return 0;\n}}\n\n" + _filler(rng, "//"),
                    Fact(name=name, path="", line=0, end_line=0, parameters=parameters),
                )
            )
        _write(repository, f"{folder}/{noun}.c", pieces)


def _ruby(repository: Repository, rng: random.Random) -> None:
    for folder, noun in _modules(rng, ["lib/app", "app/models", "app/services"]):
        kind = _capital(noun)
        pieces: list[tuple[str, Fact | None]] = [
            ("# frozen_string_literal: true\n\n" + _filler(rng, "#"), None),
            (f"class {kind}\n", Fact(name=kind, path="", line=0, end_line=0)),
        ]
        for name in _function_names(rng, noun, 5):
            parameters = rng.choice(["id, limit: 10", "names", "from, to = nil"])
            pieces.append(
                (
                    f"  def {name}({parameters})\n    @count += 1\n  end\n\n" + _filler(rng, "  #"),
                    Fact(name=name, owner=kind, path="", line=0, end_line=0, parameters=parameters),
                )
            )
        pieces.append(("end\n", None))
        _write(repository, f"{folder}/{noun}.rb", pieces)


_WRITERS: dict[str, Callable[[Repository, random.Random], None]] = {
    "go": _go,
    "rust": _rust,
    "java": _java,
    "typescript": lambda repository, rng: _script(repository, rng, typed=True),
    "javascript": lambda repository, rng: _script(repository, rng, typed=False),
    "c": _c,
    "ruby": _ruby,
}
