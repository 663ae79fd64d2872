"""What the phase's plans promise, held against a change: which promise it does not show.

Mechanical and modest: a requirement or must-have is shown by an id in a commit message or a changed file, by a promised
file that the change touches and that holds what was promised. What only a reader can judge is `not told`, never shown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from msd_review.change.model import Change
from msd_review.change.repository import Checkout
from msd_review.grounding.claims_front import artifacts, file_entries, key_links, requirement_ids
from msd_review.grounding.index import Tree
from msd_review.grounding.plan import Plan, read_plan
from msd_review.lazy import regex
from msd_review.prompt.model import ReviewSubject
from msd_review.report.change_model import Promise

_MAX_PROMISES = 500
_MAX_READ = 500  # changed files that are looked through for an id
_MAX_TEXT = 1024 * 1024
_NAME = regex(r"`([^`\n]{3,120})`")


@dataclass(frozen=True)
class _Shown:
    """What the change shows: its files, their texts, and the messages of its commits."""

    change: Change
    tree: Tree
    checkout: Checkout

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(file.path for file in self.change.files if file.kind != "deleted")

    @cached_property
    def messages(self) -> str:
        if self.change.head is None or self.change.staged:
            return ""
        done = self.checkout.run(
            "log", "--format=%B", "--max-count=1000", f"{self.change.base}..{self.change.head}"
        )
        return done.stdout[:_MAX_TEXT].decode("utf-8", "replace") if done.exit_status == 0 else ""

    @cached_property
    def texts(self) -> dict[str, str]:
        names = sorted(path for path in self.paths if not path.startswith(".planning/"))[:_MAX_READ]
        return {path: text[:_MAX_TEXT] for path in names if isinstance(text := self.tree.read(path), str)}

    def text_of(self, path: str) -> str:
        text = self.tree.read(path)
        return text if isinstance(text, str) else ""

    def where(self, name: str) -> str | None:
        """Where an id or name stands whole in the change: a path, or the commits' messages."""
        pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        if pattern.search(self.messages):
            return "a commit message"
        return next((path for path, text in self.texts.items() if pattern.search(text)), None)


def promises_of(
    subject: ReviewSubject, change: Change, *, tree: Tree, checkout: Checkout
) -> tuple[Promise, ...]:
    """Every requirement and must-have of the phase with what the change shows of it; at most 500."""
    shown = _Shown(change, tree, checkout)
    plans = [read_plan(plan.name.rsplit("/", 1)[-1], plan.text, path=plan.name) for plan in subject.plans]
    found = list(_requirements(subject, plans, shown))
    for plan in plans:
        found += [*_artifacts(plan, shown), *_links(plan, shown), *_prose(plan, shown)]
    return tuple(found[:_MAX_PROMISES])


def _requirements(subject: ReviewSubject, plans: Sequence[Plan], shown: _Shown) -> Iterator[Promise]:
    owners: dict[str, list[Plan]] = {name: [] for name in subject.requirement_ids}
    for plan in plans:
        for name, _ in requirement_ids(plan):
            owners.setdefault(name, []).append(plan)
    for name, owning in owners.items():
        verdict, why = _requirement(name, owning, shown)
        yield Promise(
            kind="requirement", text=name, plan=", ".join(p.name for p in owning), shown=verdict, why=why
        )


def _requirement(name: str, owning: Sequence[Plan], shown: _Shown) -> tuple[bool, str]:
    place = shown.where(name)
    if place is not None:
        return True, f"{name} stands in {place}"
    if not owning:
        return False, "no plan of the phase names it, and the change does not either"
    files = {entry.path for plan in owning for entry in file_entries(plan)}
    files |= {artifact.path for plan in owning for artifact in artifacts(plan)}
    touched = sorted(files & shown.paths)
    if touched:
        return True, f"its plan's file {touched[0]} is changed"
    return False, "neither its id nor a file of its plan is in the change"


def _artifacts(plan: Plan, shown: _Shown) -> Iterator[Promise]:
    for artifact in artifacts(plan):
        text = f"{artifact.path} {artifact.provides}".strip()
        verdict, why = _artifact(artifact.path, [artifact.contains, *artifact.exports], shown)
        yield Promise(kind="artifact", text=text, plan=plan.name, shown=verdict, why=why)


def _artifact(path: str, wanted: Sequence[str], shown: _Shown) -> tuple[bool, str]:
    if path not in shown.paths:
        there = "is in the tree and not in the change" if shown.tree.has(path) else "is nowhere"
        return False, f"the file {there}"
    text = shown.text_of(path)
    missing = [word for word in wanted if word and word not in text]
    if missing:
        return False, f"the file does not hold {missing[0]!r}"
    return True, "the file is changed" + (" and holds what was promised" if any(wanted) else "")


def _links(plan: Plan, shown: _Shown) -> Iterator[Promise]:
    for link in key_links(plan):
        text = f"{link.source} → {link.target} {link.via}".strip()
        verdict, why = _link(link.source, link.pattern, shown)
        yield Promise(kind="link", text=text, plan=plan.name, shown=verdict, why=why)


def _link(source: str, pattern: str, shown: _Shown) -> tuple[bool | None, str]:
    if not shown.tree.is_file(source):
        return None, "it names no file of the tree to look in"
    if source not in shown.paths:
        return False, f"{source} is not in the change"
    # The plan's pattern is looked for as written: a stranger's regular expression is not run.
    if pattern and pattern not in shown.text_of(source):
        return (
            (None, "its pattern is a regular expression")
            if _is_regex(pattern)
            else (False, f"{source} does not hold {pattern!r}")
        )
    return (True, f"{source} holds {pattern!r}") if pattern else (None, "it has no pattern to look for")


def _is_regex(pattern: str) -> bool:
    return re.search(r"[\\\[\](){}|*+?^$]", pattern) is not None


def _prose(plan: Plan, shown: _Shown) -> Iterator[Promise]:
    must = plan.front.get("must_haves")
    kinds = (("truths", "truth"), ("prohibitions", "prohibition"))
    for key, kind in kinds:
        items = must.get(key) if isinstance(must, dict) else None
        for item in items if isinstance(items, list) else []:
            if not isinstance(item, str) or not item.strip():
                continue
            verdict, why = _truth(item, shown) if kind == "truth" else (None, "a reader has to judge")
            yield Promise(
                kind="truth" if kind == "truth" else "prohibition",
                text=item.strip(),
                plan=plan.name,
                shown=verdict,
                why=why,
            )


def _truth(text: str, shown: _Shown) -> tuple[bool | None, str]:
    names = _NAME.findall(text)
    absent = [name for name in names if shown.where(name) is None and name not in shown.paths]
    if names and len(absent) == len(names):
        return False, f"the change names nothing of it: {absent[0]}"
    return None, "a reader has to judge"
