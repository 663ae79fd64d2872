"""Planted-fault bench of the built-in reviewer: true and mutated claims about real and generated repositories.

Prints, for each kind of claim and each language, how many false claims were found and how many true ones were flagged.
A claim stands on a line of its own; it is flagged when a concern of the review names that line.
"""

import argparse
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import phrasing
import unseen
import unseen_1
import unseen_2
from repositories import Fact, Repository, repositories

from msd_review.grounding.lane import review_of

_CLAIMS_PER_PLAN = 14


@dataclass(frozen=True, kw_only=True)
class Planted:
    """One claim in a plan: its kind, its text, whether it is true, and the part that it stands in."""

    kind: str
    text: str
    true: bool
    part: str = "action"


def _mutated_path(rng: random.Random, path: str, taken: set[str]) -> str:
    folder, _, name = path.rpartition("/")
    stem, dot, end = name.rpartition(".")
    words = ["helper", "utils", "manager", "v2", "core", "main", "legacy"]
    choices = [
        f"{folder}/{stem}_{rng.choice(words)}{dot}{end}", f"{folder}/{rng.choice(words)}/{name}", f"{folder}/{stem}s{dot}{end}",
        f"{folder}x/{name}", f"{folder}/{stem[::-1]}q{dot}{end}", f"src2/{rng.choice(words)}_{stem}{dot}{end}", f"{folder}/{stem[:-1] or 'z'}{dot}{end}",
    ]  # fmt: skip
    found = [
        choice.lstrip("/")
        for choice in choices
        if choice.lstrip("/") not in taken and not any(t.endswith("/" + choice.lstrip("/")) for t in taken)
    ]
    return rng.choice(found)


def _mutated_name(rng: random.Random, name: str, words: str) -> str:
    camel = bool(re.search(r"[a-z][A-Z]", name)) or name[:1].isupper()
    choices = [
        f"{name}Async" if camel else f"{name}_async",
        f"do{name[:1].upper()}{name[1:]}" if camel else f"do_{name}",
        name[:-2] + "zq",
        name + "2",
        "handle" + name[:1].upper() + name[1:],
        "frobnicate" + name[-4:],
    ]
    return rng.choice([choice for choice in choices if not re.search(rf"\b{re.escape(choice)}\b", words)])


def _declared(fact: Fact, parameters: str) -> str:
    return f"{fact.name}({parameters})"


_PREFIX = {
    "python": "def ",
    "go": "func ",
    "rust": "fn ",
    "java": "boolean ",
    "typescript": "function ",
    "javascript": "function ",
    "c": "int ",
    "ruby": "def ",
}


class Planter:
    """Plants claims about one repository."""

    def __init__(self, repository: Repository, rng: random.Random) -> None:
        self.repository = repository
        self.rng = rng
        self.words = "\n".join(
            (repository.root / path).read_text(encoding="utf-8") for path in repository.lengths
        )
        self.sources = [
            path for path in repository.lengths if not path.startswith(".planning") and "/" in path
        ]
        unique = Counter(fact.name for fact in repository.facts)
        self.facts = [
            fact
            for fact in repository.facts
            if unique[fact.name] == 1 and len(fact.name) > 3 and not fact.name.startswith("__")
        ]

    def claim(self, kind: str, true: bool) -> Planted:
        return getattr(self, f"_{kind}")(true)  # type: ignore[no-any-return]

    def _path(self, true: bool) -> Planted:
        path = self.rng.choice(self.sources)
        path = path if true else _mutated_path(self.rng, path, set(self.repository.lengths))
        part = self.rng.choice(["action", "action", "read_first", "context"])
        text = {
            "action": self.rng.choice(phrasing.PATH),
            "read_first": self.rng.choice(
                ["- {path}", "- `{path}` (the whole file)", "- {path} - how errors are raised"]
            ),
            "context": "@{path}",
        }[part]
        return Planted(kind="path", text=text.format(path=path), true=true, part=part)

    def _lines(self, true: bool) -> Planted:
        path = self.rng.choice(self.sources)
        length = self.repository.lengths[path]
        first = self.rng.randint(1, max(1, length - 1)) if true else length + self.rng.randint(3, 400)
        last = min(length, first + self.rng.randint(1, 30)) if true else first + self.rng.randint(1, 30)
        part = self.rng.choice(["action", "action", "read_first"])
        text = (
            self.rng.choice(phrasing.LINES)
            if part == "action"
            else self.rng.choice(
                ["- {path}:{first}-{last} (what is retried)", "- `{path}` lines {first}-{last}"]
            )
        )
        return Planted(
            kind="line",
            text=text.format(path=path, line=first, first=first, last=max(first, last)),
            true=true,
            part=part,
        )

    def _symbol(self, true: bool) -> Planted:
        fact = self.rng.choice(self.facts)
        name = fact.name if true else _mutated_name(self.rng, fact.name, self.words)
        symbol = f"{fact.owner}.{name}" if fact.owner and self.rng.random() < 0.6 else name
        if not true and self.rng.random() < 0.25:
            others = [
                other
                for other in self.facts
                if other.path != fact.path
                and not re.search(rf"\b{other.name}\b", (self.repository.root / fact.path).read_text())
            ]
            symbol = self.rng.choice(others).name if others else symbol
        part = self.rng.choice(["action", "action", "action", "read_first"])
        text = (
            self.rng.choice(phrasing.SYMBOL)
            if part == "action"
            else self.rng.choice(
                ["- {path} (`{symbol}`)", "- `{path}` — the `{symbol}` definition", "- {path} ({symbol})"]
            )
        )
        return Planted(kind="symbol", text=text.format(path=fact.path, symbol=symbol), true=true, part=part)

    def _symbol_line(self, true: bool) -> Planted:
        fact = self.rng.choice(self.facts)
        length = self.repository.lengths[fact.path]
        far = [
            line
            for line in range(1, length + 1)
            if not fact.line - 8 <= line <= fact.end_line + 8 and not self._stands_near(fact, line)
        ]
        line = fact.line if true or not far else self.rng.choice(far)
        text = self.rng.choice(phrasing.SYMBOL_AT).format(path=fact.path, symbol=fact.dotted, line=line)
        return Planted(kind="symbol line", text=text, true=line == fact.line)

    def _stands_near(self, fact: Fact, line: int) -> bool:
        rows = (
            (self.repository.root / fact.path)
            .read_text(encoding="utf-8")
            .split("\n")[max(0, line - 8) : line + 8]
        )
        return any(re.search(rf"\b{fact.name}\b", row) for row in rows)

    def _signature(self, true: bool) -> Planted:
        fact = self.rng.choice([fact for fact in self.facts if fact.parameters])
        parameters = fact.parameters or ""
        if not true:
            extra = {
                "go": "extra string",
                "java": "String extra",
                "c": "int extra",
                "rust": "extra: u8",
                "typescript": "extra: string",
                "python": "extra",
            }.get(self.repository.language, "extra")
            names = re.findall(r"[a-z]\w+", parameters)
            parameters = (
                self.rng.choice(
                    [
                        f"{extra}, {parameters}"
                        if not parameters.startswith(("self", "&", "cls"))
                        else f"{parameters.split(',')[0]}, {extra}",
                        "unrelated_thing"
                        if self.repository.language in {"python", "javascript", "ruby"}
                        else extra,
                    ]
                )
                if names
                else extra
            )
            parameters = "value_thing" if parameters == fact.parameters else parameters
        declared = _PREFIX[self.repository.language] + _declared(fact, parameters)
        return Planted(
            kind="signature",
            text=self.rng.choice(phrasing.SIGNATURE).format(declared=declared, path=fact.path),
            true=true,
        )

    def _command(self, true: bool) -> Planted:
        command = self.rng.choice(self.repository.scripts)
        if not true:
            command = (
                command + self.rng.choice(["-all", ":fast", "s", "x"])
                if self.rng.random() < 0.6
                else command.rsplit(" ", 1)[0] + " frobnicate"
            )
        return Planted(
            kind="command",
            text=self.rng.choice(phrasing.COMMAND).format(command=command)
            if self.rng.random() < 0.5
            else command,
            true=true,
            part="automated",
        )

    def _requirement(self, true: bool) -> Planted:
        name = self.rng.choice(self.repository.requirements)
        return Planted(
            kind="requirement",
            text=name if true else f"{name[:-2]}{self.rng.randint(41, 99)}",
            true=true,
            part="requirements",
        )

    def _innocent(self, true: bool) -> Planted:
        fact = self.rng.choice(self.facts)
        new = f"{self.rng.choice(['snapshot', 'replay', 'compact'])}_{self.rng.choice(['index', 'frame', 'bundle'])}{self.rng.randint(2, 99)}"
        values = {
            "path": fact.path,
            "symbol": fact.dotted,
            "new": new,
            "New": new.title().replace("_", ""),
            "option": new.replace("_", "-"),
            "new_path": fact.path.rpartition("/")[0] + f"/{new}." + fact.path.rpartition(".")[2],
        }
        return Planted(kind="innocent", text=self.rng.choice(phrasing.INNOCENT).format(**values), true=True)


KINDS = ("path", "lines", "symbol", "symbol_line", "signature", "command", "requirement", "innocent")


def plan_of(claims: list[Planted]) -> tuple[str, dict[int, Planted]]:
    """A plan that holds the claims, and the line that each stands on."""
    requirements = [claim for claim in claims if claim.part == "requirements"]
    lines = ["---", "phase: 03-work", "plan: 01", "wave: 1", "depends_on: []", "requirements:"]
    where: dict[int, Planted] = {}

    def put(claim: Planted, text: str) -> None:
        lines.append(text)
        where[len(lines)] = claim

    for claim in requirements:
        put(claim, f"  - {claim.text}")
    lines += [
        "autonomous: true",
        "---",
        "",
        "<objective>",
        "Make it better.",
        "</objective>",
        "",
        "<context>",
    ]
    for claim in (claim for claim in claims if claim.part == "context"):
        put(claim, claim.text)
    lines += [
        "</context>",
        "",
        "<tasks>",
        '<task type="auto">',
        "  <name>Task 1: The work</name>",
        "  <read_first>",
    ]
    for claim in (claim for claim in claims if claim.part == "read_first"):
        put(claim, f"    {claim.text}")
    lines += ["  </read_first>", "  <action>"]
    for number, claim in enumerate(claim for claim in claims if claim.part == "action"):
        put(claim, f"    {number + 1}. {claim.text}")
        lines.append("")
    lines += ["  </action>", "  <verify>"]
    for claim in (claim for claim in claims if claim.part == "automated"):
        bare = re.match(r"(?:make|npm) ", claim.text)
        put(claim, f"    <automated>{claim.text}</automated>" if bare else f"    - {claim.text}")
    lines += ["  </verify>", "  <done>It works</done>", "</task>", "</tasks>", ""]
    return "\n".join(lines), where


def flagged_lines(review: str) -> set[int]:
    """The lines of the plan that the review's concerns name."""
    concerns = review.split("## Concerns\n", 1)[1].split("\n## Suggestions", 1)[0]
    stated = re.findall(r"Stated in ((?:`[^`]+`(?:, | and \d+ more)?)+)", concerns)
    return {int(line) for names in stated for line in re.findall(r":(\d+)`", names)}


def plants(seed: int, plans: int) -> Iterator[tuple[str, Planted, bool]]:
    """(language, claim, was it flagged) for every planted claim."""
    with tempfile.TemporaryDirectory() as folder:
        for repository in repositories(Path(folder), seed):
            rng = random.Random(f"{seed}-{repository.name}")
            planter = Planter(repository, rng)
            for _ in range(plans):
                yield from _judged_plan(repository, planter, rng)


def _judged_plan(
    repository: Repository, planter: Planter, rng: random.Random
) -> Iterator[tuple[str, Planted, bool]]:
    claims = [planter.claim(rng.choice(KINDS), rng.random() < 0.6) for _ in range(_CLAIMS_PER_PLAN)]
    text, where = plan_of(claims)
    flagged = flagged_lines(review_of(text.encode(), repository.root))
    for line, claim in where.items():
        yield repository.language, claim, line in flagged


def table(title: str, rows: dict[str, Counter[str]]) -> str:
    lines = [f"{title:<14} {'false':>6} {'found':>6} {'recall':>7}   {'true':>6} {'flagged':>7} {'rate':>7}"]
    for name, counts in rows.items():
        false, true = counts["false"], counts["true"]
        recall = f"{counts['found'] / false:.3f}" if false else "–"
        rate = f"{counts['flagged'] / true:.4f}" if true else "–"
        lines.append(
            f"{name:<14} {false:>6} {counts['found']:>6} {recall:>7}   {true:>6} {counts['flagged']:>7} {rate:>7}"
        )
    return "\n".join(lines)


def unseen_tables(seed: int, *, show: bool) -> Iterator[str]:
    """For each set of wordings: what was measured before the reader was changed for it, and what is measured now."""
    for number, chosen in enumerate((unseen_1, unseen_2), 1):
        names = ("false", "found", "true", "flagged")
        first = {
            kind: Counter(dict(zip(names, row, strict=True))) for kind, row in chosen.FIRST_CONTACT.items()
        }
        yield table(f"set {number}, first", _with_total(first))
        yield table(f"set {number}, now", _with_total(unseen.measured(chosen.WORDINGS, seed, show=show)))


def _with_total(rows: dict[str, Counter[str]]) -> dict[str, Counter[str]]:
    return {**rows, "all": sum(rows.values(), Counter())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plans", type=int, default=4, help="plans for each repository")
    parser.add_argument("--show", action="store_true", help="print every claim that was judged wrongly")
    options = parser.parse_args()
    kinds: dict[str, Counter[str]] = {}
    languages: dict[str, Counter[str]] = {}
    total: Counter[str] = Counter()
    for language, claim, flagged in plants(options.seed, options.plans):
        for counts in (
            kinds.setdefault(claim.kind, Counter()),
            languages.setdefault(language, Counter()),
            total,
        ):
            counts["true" if claim.true else "false"] += 1
            counts["flagged" if claim.true else "found"] += flagged
        if options.show and flagged == claim.true:
            print(
                f"{'FALSE ALARM' if claim.true else 'MISSED':<12} {language:<11} {claim.kind:<12} {claim.part:<10} {claim.text}"
            )
    print(table("kind", kinds), table("language", languages), table("all", {"all": total}), sep="\n\n")
    print("", *unseen_tables(options.seed, show=options.show), sep="\n\n")


if __name__ == "__main__":
    main()
