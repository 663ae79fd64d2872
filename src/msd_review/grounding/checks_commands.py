"""Checks of commands: is the script, target, test or module there that a command needs? Nothing is run."""

import re
from collections.abc import Callable, Mapping

from msd_review.grounding.claims_commands import Command
from msd_review.grounding.ground import Ground, held, unsure, wrong
from msd_review.grounding.locate import locate
from msd_review.grounding.model import Claim, Fault, Judged
from msd_review.grounding.nearest import is_close, nearest_name
from msd_review.grounding.needs import Need
from msd_review.grounding.paths import base_name, folder_of
from msd_review.grounding.plan import Plan
from msd_review.grounding.project import Offer
from msd_review.lazy import regex
from msd_review.review.model import Severity

_GENERATED_MAKEFILE = (
    "CMakeLists.txt",
    "configure",
    "configure.ac",
    "meson.build",
    "Makefile.in",
    "Makefile.am",
    "Makefile.PL",
)
_WRITES_TESTS = regex(
    r"\b(?:add|adds|write|writes|new|create|extend|cover|implement|failing|red)\b[^.\n]{0,60}\btests?\b|\btests?\b[^.\n]{0,40}\b(?:first|to write|are added|for the new)\b|tdd=\"true\"",
    re.IGNORECASE,
)
_ROOTS = ("", "src/", "lib/", "python/")


def check_command(ground: Ground, plan: Plan, command: Command) -> list[Judged]:
    """Judges each thing that a command needs."""
    return [_need(ground, _claim(plan, command), need, command) for need in command.needs]


def _claim(plan: Plan, command: Command) -> Claim:
    mode = "unsure" if command.negated else "exists"
    return Claim(kind="command", plan=plan.name, line=command.line, text=command.text, tag=command.tag, task=command.task,
                 mode="unsure" if mode == "unsure" else "exists")  # fmt: skip


def _need(ground: Ground, claim: Claim, need: Need, command: Command) -> Judged:
    judged = _CHECKS[need.kind](ground, claim, need)
    if judged.outcome == "held" and need.symbol and not judged.why:
        judged = _test_named(ground, claim, need)
    if judged.outcome == "fault" and not command.certain and "nearest" not in judged.why:
        return unsure(claim, "it may be prose")
    if judged.outcome == "fault" and command.negated:
        return unsure(claim, "the plan says that it is to be made, or that it is not there")
    return judged


def _offered(
    ground: Ground, claim: Claim, need: Need, *, offer: Offer, what: str, files: tuple[str, ...]
) -> Judged:
    if need.name in offer.names:
        return held(claim)
    if need.name in ground.survey.names:
        return held(claim, "a plan makes it")
    if offer.open:
        return unsure(claim, f"`{offer.source}` may offer more than can be read")
    if any(ground.survey.is_listed(path) or path in ground.survey.made for path in files):
        return unsure(claim, f"a plan changes `{files[0]}`, where `{need.name}` may come in")
    return wrong(claim, _not_offered(claim, need, offer=offer, what=what, missing=files[0]))


def _npm(ground: Ground, claim: Claim, need: Need) -> Judged:
    folder = "" if need.folder in {"?", "~"} else need.folder
    offer = ground.project.scripts(folder)
    if need.name in offer.names:
        return held(claim)
    elsewhere = ground.project.scripts_anywhere(need.name)
    if elsewhere and (need.folder == "?" or not offer.source):
        return held(claim, f"in `{elsewhere[0]}`")
    if need.folder == "~" and not elsewhere and _slipped(need.name, offer):
        return wrong(claim, _not_offered(claim, need, offer=offer, what="script", missing="package.json"))
    if need.folder in {"?", "~"} or elsewhere:
        return unsure(claim, "it may be another folder's script, or an installed program")
    if not offer.source and ground.tree.by_name.get("package.json") and not need.folder:
        return unsure(claim, "there is no `package.json` at the root, and others elsewhere")
    path = f"{folder}/package.json" if folder else "package.json"
    return _offered(ground, claim, need, offer=offer, what="script", files=(path,))


def _slipped(name: str, offer: Offer) -> bool:
    """Whether a name is a script's with a slip of the pen or a suffix, and so no installed program's."""
    return any(len(known) >= 4 and known in name and name != known for known in offer.names)


def _make(ground: Ground, claim: Claim, need: Need) -> Judged:
    folder = "" if need.folder == "?" else need.folder
    offer = ground.project.make_targets(folder)
    if not offer.source and (
        need.folder == "?" or any(name in ground.tree.by_name for name in _GENERATED_MAKEFILE)
    ):
        return unsure(claim, "the Makefile may be generated")
    if ground.tree.has(f"{folder}/{need.name}".strip("/")):
        return held(claim)
    path = f"{folder}/Makefile" if folder else "Makefile"
    return _offered(ground, claim, need, offer=offer, what="target", files=(path,))


def _just(ground: Ground, claim: Claim, need: Need) -> Judged:
    return _offered(ground, claim, need, offer=ground.project.recipes(), what="recipe", files=("justfile",))


def _tox(ground: Ground, claim: Claim, need: Need) -> Judged:
    offer = ground.project.tox_environments()
    if re.fullmatch(r"py\d*|pypy\d*", need.name.split("-")[0]) and offer.source:
        return held(claim)
    return _offered(ground, claim, need, offer=offer, what="environment", files=("tox.ini", "pyproject.toml"))


def _nox(ground: Ground, claim: Claim, need: Need) -> Judged:
    plain = Need(kind=need.kind, name=re.split(r"[(-]", need.name)[0]) if "(" in need.name else need
    return _offered(
        ground, claim, plain, offer=ground.project.nox_sessions(), what="session", files=("noxfile.py",)
    )


def _file(ground: Ground, claim: Claim, need: Need) -> Judged:
    if need.folder == "?" or need.name.startswith(("/", "~", "..")):
        return unsure(claim, "its folder cannot be told")
    path = f"{need.folder}/{need.name.removeprefix('./')}".strip("/")
    place = locate(ground.tree, path)
    if place.is_there or place.kind in {"private", "outside"} or path == ".":
        return held(claim)
    if path in ground.survey.made or ground.survey.is_listed(path):
        return held(claim, "a plan makes it")
    if re.search(r"(?:^|/)(?:dist|build|out|target|node_modules|tmp|coverage|vendor|bin)/", path):
        return unsure(claim, "made by a build")
    return wrong(claim, _no_file(claim, path, ground.nearest.to(path)))


def _read_file(ground: Ground, claim: Claim, need: Need) -> Judged:
    """A file that a tool only looks at: wrong where it is plainly another's name with a slip of the pen."""
    path = need.name.removeprefix("./")
    near = ground.nearest.to(path)
    if (
        claim.tag
        in {"automated", "verify", "verification", "done", "acceptance_criteria", "success_criteria"}
        or near is None
    ):
        return unsure(claim, "what it reads may be made before")
    judged = _file(ground, claim, need)
    if judged.outcome == "fault" and not is_close(ground.tree, path, near):
        return unsure(claim, "what it reads may be made before")
    return judged


def _module(ground: Ground, claim: Claim, need: Need) -> Judged:
    parts = need.name.split(".")
    base = "" if need.folder in {"", "?"} else need.folder + "/"
    roots = [base + root for root in _ROOTS]
    if not any(
        ground.tree.has(f"{root}{parts[0]}") or ground.tree.is_file(f"{root}{parts[0]}.py") for root in roots
    ):
        return unsure(claim, "a module of a library, or one that the plan makes")
    for root in roots:
        for count in range(len(parts), 0, -1):
            path = root + "/".join(parts[:count])
            if ground.tree.is_file(f"{path}.py") or count == len(parts) and ground.tree.has(path):
                return held(claim)
            if any(
                f"{path}{end}" in ground.survey.made or ground.survey.is_listed(f"{path}{end}")
                for end in (".py", "/__init__.py", "/__main__.py")
            ):
                return held(claim, "a plan makes it")
    path = "/".join(parts) + ".py"
    return wrong(claim, _no_file(claim, path, ground.nearest.to(path)))


def _go_package(ground: Ground, claim: Claim, need: Need) -> Judged:
    folder = "" if need.folder == "?" else need.folder
    path = f"{folder}/{need.name.removeprefix('./').removeprefix('.')}".strip("/")
    if need.folder == "?" or not path or ground.tree.has(path):
        return held(claim)
    if any(made.startswith(path + "/") for made in (*ground.survey.made, *ground.survey.listed)):
        return held(claim, "a plan makes it")
    if not any(other.endswith(".go") for other in ground.tree.files):
        return unsure(claim, "no Go source here")
    return wrong(claim, _no_file(claim, path, _nearest_folder(ground, path)))


def _nearest_folder(ground: Ground, path: str) -> str | None:
    return nearest_name(
        path, sorted({folder_of(other) for other in ground.tree.files if other.endswith(".go")} - {""})
    )


def _crate(ground: Ground, claim: Claim, need: Need) -> Judged:
    known = ground.project.crates
    if need.name in known:
        return held(claim)
    if not known or need.name.replace("_", "-") in known or need.name in ground.project.dependencies:
        return unsure(claim, "no manifest names its packages, or it is a dependency")
    if any(base_name(path) == "Cargo.toml" for path in (*ground.survey.made, *ground.survey.listed)):
        return unsure(claim, "a plan changes a `Cargo.toml`")
    source = next(iter(known.values()))
    offer = Offer(source=source, names=dict.fromkeys(known, 1))
    return wrong(claim, _not_offered(claim, need, offer=offer, what="crate", missing=source))


def _test_named(ground: Ground, claim: Claim, need: Need) -> Judged:
    """Whether the one test that a command picks is there: a fault only where no plan may be writing it."""
    name = need.symbol.rsplit(".", 1)[-1]
    place = locate(ground.tree, f"{need.folder}/{need.name.removeprefix('./')}".strip("/"))
    files = place.paths if place.kind == "exact" else _below(ground, place.path)
    if not files or name in ground.survey.names or any(name in str(ground.tree.read(path)) for path in files):
        return held(claim)
    if any(path in ground.survey.listed or path in ground.survey.made for path in files):
        return unsure(claim, "a plan changes its file")
    if any(_WRITES_TESTS.search(plan.text) for plan in ground.survey.plans):
        return unsure(claim, "a plan writes tests")
    near = nearest_name(name, [item.name for path in files for item in ground.symbols.in_file(path)])
    return wrong(claim, _no_test(claim, name, files[0], near))


def _below(ground: Ground, folder: str) -> tuple[str, ...]:
    return tuple(
        path
        for path in ground.tree.files
        if path.startswith(folder + "/") and re.search(r"(?:^|/)test|test\.|_test\b", path)
    )[:200]


def _no_test(claim: Claim, name: str, path: str, near: str | None) -> Fault:
    return Fault(
        key=("test", path, name),
        kind="missing-command",
        severity=Severity.LOW,
        title=f"`{claim.text}` picks no test: `{path}` has no `{name}`",
        body="The check of the plan has nothing to run, and the plan does not say that it writes the test.",
        spots=((claim.plan, claim.line),),
        truth=f"the nearest there is `{near}`" if near else "nothing like it is there",
        places=(f"{path}:1",),
        suggestion="name the test that is meant, or say that it is new",
        files=(path,),
    )


def _unknown(ground: Ground, claim: Claim, need: Need) -> Judged:
    return unsure(claim, "not a kind of command that can be checked")


_CHECKS: Mapping[str, Callable[[Ground, Claim, Need], Judged]] = {
    "npm-script": _npm, "make-target": _make, "file": _file, "test": _file, "module": _module,
    "tox-env": _tox, "nox-session": _nox, "just-recipe": _just, "task": _unknown, "go-package": _go_package, "crate": _crate, "read-file": _read_file,
}  # fmt: skip


def _not_offered(claim: Claim, need: Need, *, offer: Offer, what: str, missing: str) -> Fault:
    near = nearest_name(need.name, list(offer.names))
    if not offer.source:
        truth = f"there is no `{missing}`"
    elif near:
        truth = f"the nearest {what} in `{offer.source}` is `{near}`"
    else:
        shown = ", ".join(f"`{name}`" for name in list(offer.names)[:8] if not name.startswith("."))
        truth = f"`{offer.source}` has {shown or f'no {what}'}"
    return Fault(
        key=("command", need.kind, need.name, need.folder),
        kind="missing-command",
        severity=Severity.MEDIUM,
        title=f"`{claim.text}` cannot run: there is no {what} `{need.name}`",
        body="A step or a check of the plan fails before it starts.",
        spots=((claim.plan, claim.line),),
        truth=truth,
        places=(f"{offer.source}:{offer.names[near] if near else 1}",) if offer.source else (),
        suggestion=f"use `{near}`, or add `{need.name}` in this plan"
        if near
        else f"add `{need.name}`, or name another check",
        files=(offer.source or missing,),
    )


def _no_file(claim: Claim, path: str, near: str | None) -> Fault:
    return Fault(
        key=("command-file", path),
        kind="missing-command",
        severity=Severity.MEDIUM,
        title=f"`{claim.text}` cannot run: there is no `{path}`",
        body="No plan of this review makes that file.",
        spots=((claim.plan, claim.line),),
        truth=f"the nearest is `{near}`" if near else "nothing like it is there",
        places=(f"{near}:1",) if near else (),
        suggestion=f"name `{near}`, or say that the plan makes the file" if near else "",
        files=(path,),
    )
