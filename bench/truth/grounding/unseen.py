"""Measures the reader of plans on sets of wordings, each of which was measured before the reader was changed for it.

A set is a table of templates by kind. Each is filled with what is true of a repository, and with one part of it made
wrong; it stands in a plan of one of four shapes, and counts as flagged when a concern names one of its lines.
"""

import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from repositories import Fact, Repository, repositories
from surroundings import Around, surround

from msd_review.grounding.lane import review_of

Wordings = Mapping[str, tuple[str, ...]]
_HEADS = {
    "python": ("def ", ":\n    ..."), "go": ("func ", " error {"), "rust": ("fn ", ";"), "java": ("boolean ", ";"), "typescript": ("function ", ": void;"),
    "javascript": ("function ", " {}"), "c": ("int ", ";"), "ruby": ("def ", "\nend"),
}  # fmt: skip
_COMMENTS = {"python": "#", "ruby": "#"}
_LIBRARY = {
    "python": "functools.lru_cache", "go": "errors.Join", "rust": "Vec::with_capacity", "java": "Collections.emptyList", "typescript": "structuredClone",
    "javascript": "Promise.allSettled", "c": "memmove", "ruby": "Comparable",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Wording:
    """One filled wording."""

    kind: str
    text: str
    true: bool


class Filler:
    """Fills the wordings of a set with what is true of one repository, or nearly."""

    def __init__(self, repository: Repository, around: Around, rng: random.Random) -> None:
        self.repository, self.around, self.rng = repository, around, rng
        self.texts = {
            path: (repository.root / path).read_text(encoding="utf-8") for path in repository.lengths
        }
        self.words = set(re.findall(r"\w+", "\n".join(self.texts.values())))
        counts = Counter(fact.name for fact in repository.facts)
        self.facts = [
            f
            for f in repository.facts
            if counts[f.name] == 1 and len(f.name) > 3 and not f.name.startswith("__")
        ]
        self.sources = sorted({fact.path for fact in self.facts})

    def fill(self, kind: str, template: str, true: bool) -> Wording | None:
        """The wording with values put in; None where the repository has nothing to fill it with."""
        values = getattr(self, f"_{kind.partition('/')[0]}")(true, template)
        if values is None:
            return None
        text = re.sub(r"\{(\w+)\}", lambda match: str(values[match[1]]), template)
        return Wording(kind=kind.partition("/")[0], text=text, true=true)

    def _common(self, fact: Fact) -> dict[str, object]:
        head, tail = _HEADS[self.repository.language]
        return {
            "path": fact.path, "base": fact.path.rpartition("/")[2], "symbol": fact.name, "name": fact.name, "owner": fact.owner, "line": fact.line,
            "head": head, "tail": tail, "fence": self.repository.language, "comment": _COMMENTS.get(self.repository.language, "//"),
            "params": fact.parameters or "",
        }  # fmt: skip

    def _path(self, true: bool, template: str) -> dict[str, object]:
        path = self.rng.choice(self.sources)
        return {"path": path if true else self._wrong_path(path)}

    def _wrong_path(self, path: str) -> str:
        folder, _, name = path.rpartition("/")
        stem, dot, end = name.rpartition(".")
        at = self.rng.randrange(1, len(stem)) if len(stem) > 2 else 0
        first, _, rest = path.partition("/")
        choices = [
            f"{folder}/{stem[:at] + stem[at + 1 :]}{dot}{end}", f"{folder}/{stem}s{dot}{end}", f"{folder}/{stem}_impl{dot}{end}",
            f"{first}/internals/{rest}", f"lib2/{path}", f"{folder}/{stem}{dot}{end}x", f"{first}s/{rest}", f"{folder}/new_{name}",
        ]  # fmt: skip
        known = set(self.repository.lengths)
        fine = [
            c
            for c in choices
            if c not in known and not any(c.endswith("/" + k) or k.endswith("/" + c) for k in known)
        ]
        return self.rng.choice(fine or [f"{first}/internals/zz_{rest}"])

    def _lines(self, true: bool, template: str) -> dict[str, object]:
        path = self.rng.choice(self.sources)
        length = self.repository.lengths[path]
        first = self.rng.randint(1, max(1, length - 2)) if true else length + self.rng.randint(4, 300)
        last = min(length, first + self.rng.randint(1, 30)) if true else first + self.rng.randint(1, 30)
        return {
            "path": path,
            "line": first,
            "first": first,
            "last": max(first + 1, last) if not true else last,
        }

    def _symbol(self, true: bool, template: str) -> dict[str, object]:
        fact = self.rng.choice(self.facts)
        name = fact.name if true else self._wrong_name(fact)
        return {**self._common(fact), "symbol": name, "name": name}

    def _member(self, true: bool, template: str) -> dict[str, object] | None:
        owned = [fact for fact in self.facts if fact.owner and "." not in fact.owner]
        if not owned:
            return None
        fact = self.rng.choice(owned)
        return {**self._common(fact), "name": fact.name if true else self._wrong_name(fact)}

    def _wrong_name(self, fact: Fact) -> str:
        name = fact.name
        at = self.rng.randrange(1, len(name))
        swap = name[:at] + name[at + 1 :]
        choices = [swap, name + "s", name + ("Async" if re.search("[A-Z]", name) else "_async"), "get_" + name if "_" in name else "get" + name[:1].upper() + name[1:], name[:-1] + "x"]  # fmt: skip
        here = set(re.findall(r"\w+", self.texts[fact.path]))
        others = [other.name for other in self.facts if other.path != fact.path and other.name not in here]
        fine = [choice for choice in choices if choice not in self.words]
        return self.rng.choice(others) if others and self.rng.random() < 0.3 else self.rng.choice(fine)

    def _symbol_line(self, true: bool, template: str) -> dict[str, object] | None:
        fact = self.rng.choice(self.facts)
        rows = self.texts[fact.path].split("\n")
        near = {n for n, row in enumerate(rows, 1) if re.search(rf"\b{fact.name}\b", row)}
        far = [
            n
            for n in range(1, len(rows))
            if not fact.line - 8 <= n <= fact.end_line + 8 and not any(abs(n - m) < 8 for m in near)
        ]
        if not true and not far:
            return None
        return {**self._common(fact), "line": fact.line if true else self.rng.choice(far)}

    def _signature(self, true: bool, template: str) -> dict[str, object] | None:
        fact = self._function()
        return (
            None
            if fact is None
            else {**self._common(fact), "params": fact.parameters if true else self._wrong_parameters(fact)}
        )

    def _function(self) -> Fact | None:
        usable = [
            fact
            for fact in self.facts
            if fact.parameters
            and fact.parameters != "void"
            and "\n" not in fact.parameters
            and self._arguments(fact)
        ]
        return self.rng.choice(usable) if usable else None

    def _arguments(self, fact: Fact) -> list[str]:
        parts = re.split(r",\s*(?![^\[(<]*[\])>])", fact.parameters or "")
        parts = [
            p
            for p in parts
            if not re.match(r"&?(?:mut )?(?:self|cls|this)\b", p) and p.strip() not in {"/", "*"}
        ]
        if self.repository.language in {"java", "c"}:
            return [re.findall(r"\w+", part)[-1] for part in parts]
        return [re.findall(r"\w+", part)[0] for part in parts if re.findall(r"\w+", part)]

    def _wrong_parameters(self, fact: Fact) -> str:
        language, parameters = self.repository.language, fact.parameters or ""
        extra = {
            "go": "extra string",
            "java": "String extra",
            "c": "int extra",
            "rust": "extra: u8",
            "typescript": "extra: string",
        }.get(language, "extra")
        names = self._arguments(fact)
        renamed = re.sub(rf"\b{names[0]}\b", names[0] + "_value", parameters, count=1)
        return self.rng.choice(
            [
                f"{parameters}, {extra}" if "*" not in parameters and "=" not in parameters else renamed,
                renamed,
            ]
        )

    def _arity(self, true: bool, template: str) -> dict[str, object] | None:
        fact = self._function()
        if (
            fact is None
            or "*" in (fact.parameters or "").replace("*,", "")
            and self.repository.language in {"python", "ruby"}
        ):
            return None
        names = self._arguments(fact)
        shown = names if true else [*names, "extra_thing"]
        return {
            **self._common(fact), "args": ", ".join(shown), "count": len(names) if true else len(names) + 2,
            "args_ticked": " and ".join(f"`{name}`" for name in shown[-2:]), "arg": self.rng.choice(names) if true else names[0] + "_limit",
        }  # fmt: skip

    def _command(self, true: bool, template: str) -> dict[str, object] | None:
        made = [c.split()[-1] for c in self.repository.scripts if c.startswith("make")]
        scripts = [c.split()[-1] for c in self.repository.scripts if c.startswith("npm")]
        wrong = (
            (lambda name: name)
            if true
            else (lambda name: self.rng.choice([name + "-all", name + "x", "pre" + name]))
        )
        around = self.around
        values: dict[str, object] = {
            "target": wrong(self.rng.choice(made)),
            "script": wrong(self.rng.choice(scripts)),
            "recipe": wrong(self.rng.choice(around.recipes)),
        }
        if around.environments:
            values["env"] = wrong(self.rng.choice(around.environments))
        if around.modules:
            values["module"] = wrong(self.rng.choice(around.modules))
        if around.crates:
            values["crate"] = wrong(self.rng.choice(around.crates))
        if around.tests:
            path, name = self.rng.choice(around.tests)
            by_name = not true and "{testname}" in template and self.rng.random() < 0.5
            values |= {
                "test": path if true or by_name else path.replace("part", "piece"),
                "testname": name + "_twice" if by_name else name,
            }
            values["gopkg"] = path if true or by_name else path + "x"
        return values if all(key in values for key in re.findall(r"\{(\w+)\}", template)) else None

    def _requirement(self, true: bool, template: str) -> dict[str, object]:
        name = self.rng.choice(self.repository.requirements)
        return {"req": name if true else f"{name[:-2]}{self.rng.randint(31, 99)}"}

    def _dependency(self, true: bool, template: str) -> dict[str, object]:
        name, version, manifest = self.rng.choice(self.around.dependencies)
        return {
            "dep": name if true else name + self.rng.choice(["-client", "x", "2"]),
            "version": version,
            "manifest": manifest,
        }

    def _config(self, true: bool, template: str) -> dict[str, object]:
        path, section, leaf = self.rng.choice(self.around.settings)
        wrong = leaf + self.rng.choice(["s", "_ms", "x"])
        return {
            "config": path,
            "section": section,
            "leaf": leaf if true else wrong,
            "key": f"{section}.{leaf if true else wrong}",
        }

    def _innocent(self, true: bool, template: str) -> dict[str, object]:
        fact = self.rng.choice(self.facts)
        new = f"{self.rng.choice(['snapshot', 'replay', 'compact'])}_{self.rng.choice(['index', 'frame', 'bundle'])}{self.rng.randint(2, 99)}"
        folder, _, name = fact.path.rpartition("/")
        return {
            **self._common(fact), "new": new, "New": new.title().replace("_", ""), "NEW": new.upper(), "option": new.replace("_", "-"),
            "new_path": f"{folder}/{new}.{name.rpartition('.')[2]}", "lib": _LIBRARY[self.repository.language], "config": self.around.settings[0][0],
            "manifest": self.around.dependencies[0][2], "number": self.rng.randint(10, 999), "params": "value",
        }  # fmt: skip


_BOUNDARY = "\n\n"


def _gsd(wordings: list[Wording]) -> str:
    body = _BOUNDARY.join(f"{wording.text}" for wording in wordings)
    return f"---\nphase: 03-work\nplan: 01\nwave: 1\ndepends_on: []\nautonomous: true\n---\n\n<objective>\nMake it better.\n</objective>\n\n<tasks>\n<task type=\"auto\">\n  <name>Task 1: The work</name>\n  <action>\n\n{body}\n\n  </action>\n  <done>It works</done>\n</task>\n</tasks>\n"  # fmt: skip


def _headed(wordings: list[Wording]) -> str:
    body = "".join(f"### Task {n}: Part {n}\n\n{wording.text}\n\n" for n, wording in enumerate(wordings, 1))
    return f"# Plan\n\n## Goal\n\nLess code.\n\n## Tasks\n\n{body}"


def _prose(wordings: list[Wording]) -> str:
    return "# Proposal: less code\n\nStatus: draft\n\n" + "".join(
        f"{wording.text}\n\n" for wording in wordings
    )


def _ticket(wordings: list[Wording]) -> str:
    body = "".join(f"**{n}.**\n\n{wording.text}\n\n" for n, wording in enumerate(wordings, 1))
    return f"PROJ-77: Less code\n=================\n\nDescription\n-----------\n\n{body}\nPriority: medium\n"


_SHAPES = (_gsd, _headed, _prose, _ticket)


def judged(wordings: Wordings, seed: int, rounds: int = 1) -> Iterator[tuple[str, Wording, bool]]:
    """(language, wording, was it flagged) of every wording of a set, true and made wrong, in a repository each."""
    with tempfile.TemporaryDirectory() as folder:
        known = _fillers(Path(folder), seed)
        rng = random.Random(seed)
        waiting: dict[str, list[Wording]] = {filler.repository.name: [] for filler in known}
        for kind, template, true in list(_cases(wordings)) * rounds:
            filler, wording = _filled(known, rng, kind, template, true)
            waiting[filler.repository.name] += [wording] if wording is not None else []
        for filler in known:
            yield from _judged_in(filler.repository, waiting[filler.repository.name], rng)


def _fillers(folder: Path, seed: int) -> list[Filler]:
    known = []
    for repository in repositories(folder, seed):
        rng = random.Random(f"{seed}-{repository.name}")
        known.append(Filler(repository, surround(repository, rng), rng))
    return known


def _cases(wordings: Wordings) -> Iterator[tuple[str, str, bool]]:
    for kind, templates in wordings.items():
        for template in templates:
            yield kind, template, True
            if kind != "innocent":
                yield kind, template, False


def _filled(
    known: list[Filler], rng: random.Random, kind: str, template: str, true: bool
) -> tuple[Filler, Wording | None]:
    language = kind.partition("/")[2]
    fitting = [filler for filler in known if not language or filler.repository.language == language]
    for filler in rng.sample(fitting, len(fitting)):
        wording = filler.fill(kind, template, true)
        if wording is not None:
            return filler, wording
    return known[0], None


def _judged_in(
    repository: Repository, wordings: list[Wording], rng: random.Random
) -> Iterator[tuple[str, Wording, bool]]:
    rng.shuffle(wordings)
    for at in range(0, len(wordings), 8):
        chosen = wordings[at : at + 8]
        text = rng.choice(_SHAPES)(chosen)
        flagged = flagged_lines(review_of(text.encode(), repository.root))
        place = 0
        for wording in chosen:
            place = text.index(wording.text, place)
            first = text.count("\n", 0, place) + 1
            place += len(wording.text)
            lines = range(first, first + wording.text.count("\n") + 1)
            yield repository.language, wording, any(line in flagged for line in lines)


def flagged_lines(review: str) -> set[int]:
    """The lines of the plan that the review's concerns name."""
    concerns = review.split("## Concerns\n", 1)[1].split("\n## Suggestions", 1)[0]
    stated = re.findall(r"Stated in ((?:`[^`]+`(?:, | and \d+ more)?)+)", concerns)
    return {int(line) for names in stated for line in re.findall(r":(\d+)`", names)}


def measured(
    wordings: Wordings, seed: int, *, rounds: int = 1, show: bool = False
) -> dict[str, Counter[str]]:
    """Counts by kind: `false`, `found`, `true`, `flagged`; with `show`, what was judged wrongly is printed."""
    kinds: dict[str, Counter[str]] = {}
    for language, wording, flagged in judged(wordings, seed, rounds):
        counts = kinds.setdefault(wording.kind, Counter())
        counts["true" if wording.true else "false"] += 1
        counts["flagged" if wording.true else "found"] += flagged
        if show and flagged == wording.true:
            print(
                f"{'FALSE ALARM' if wording.true else 'MISSED':<12} {language:<11} {wording.kind:<11} {wording.text!r}"
            )
    return kinds
