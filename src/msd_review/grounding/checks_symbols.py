"""Checks of names: is what a plan counts on defined where it says, with the parameters that it writes?

A name is wrong only where it stands nowhere that could define it and the plan counts on it. Names of libraries,
inherited members and whatever a plan itself makes are left alone.
"""

import re
from collections.abc import Sequence

from msd_review.grounding.checks_settings import check_setting, is_settings
from msd_review.grounding.definitions import Definition
from msd_review.grounding.evidence import counts_on, has_bases, is_defined_elsewhere, may_inherit
from msd_review.grounding.faults_symbols import (
    elsewhere_in_file,
    missing_symbol,
    other_owner,
    wrong_signature,
)
from msd_review.grounding.ground import Ground, held, unsure, wrong
from msd_review.grounding.languages import language_of
from msd_review.grounding.locate import locate
from msd_review.grounding.model import Claim, Judged
from msd_review.grounding.signatures import call_differs, differs, has_no_parameter, parameters_of
from msd_review.lazy import regex

_NEAR = 4  # lines by which a cited line may miss
_IMPLICIT = frozenset(
    {
        "__init__",
        "constructor",
        "new",
        "init",
        "default",
        "prototype",
        "__call__",
        "toString",
        "clone",
        "length",
        "name",
        "self",
        "cls",
    }
)
_STAR = regex(r"import\s+\*|export\s+\*|pub\s+use\s+[\w:]+::\*|#include")
_GATHERS = regex(
    r"(?:^|/)(?:__init__\.pyi?|index\.[cm]?[jt]sx?|mod\.rs|lib\.rs|prelude\.rs|[\w-]+\.(?:h|hpp|hh|hxx))$"
)


def check_symbol(ground: Ground, claim: Claim) -> Judged:
    """Judges one name that a plan mentions."""
    parts = [part.rstrip("!?=") for part in (claim.symbol or "").split(".") if part]
    if not parts:
        return unsure(claim, "not a name")
    if claim.path is None:
        return _untied(ground, claim, parts)
    place = locate(ground.tree, claim.path)
    readable = [path for path in place.paths if isinstance(ground.tree.read(path), str)]
    if not readable:
        return unsure(claim, "its file is not there or cannot be read")
    if all(is_settings(path) for path in readable):
        return check_setting(ground, claim, parts=parts, paths=readable)
    return _tied(ground, claim, parts=parts, paths=readable)


def _tied(ground: Ground, claim: Claim, *, parts: list[str], paths: list[str]) -> Judged:
    name = parts[-1]
    here = [path for path in paths if ground.symbols.occurs(path, name)]
    if not here:
        return _not_in_file(ground, claim, parts=parts, paths=paths)
    owner = parts[-2] if len(parts) > 1 else ""
    if (
        owner
        and claim.mode == "exists"
        and all(_belongs_elsewhere(ground, path, owner=owner, name=name) for path in here)
    ):
        return wrong(claim, other_owner(ground, claim, path=here[0], name=name))
    if (
        len(here) == 1
        and claim.tied
        and claim.strict
        and (other := is_defined_elsewhere(ground, here[0], name))
    ):
        return wrong(claim, missing_symbol(ground, claim, name=name, paths=here, elsewhere=other))
    plain = claim.bare and re.fullmatch(r"[a-z]+|[A-Z]?[a-z]+", name)
    return (
        _at_line(ground, claim, path=here[0], name=name)
        if len(here) == 1 and claim.first and not plain
        else held(claim)
    )


def _not_in_file(ground: Ground, claim: Claim, *, parts: list[str], paths: list[str]) -> Judged:
    name = parts[-1]
    if claim.mode not in ({"exists"} if claim.weight in {"", "strong"} else {"exists", "stated", "neutral"}):
        return unsure(claim, "not there, and the plan does not say that it is")
    if name in _IMPLICIT:
        return held(claim, "every type has it")
    if _is_made(ground, name):
        return held(claim, "a plan makes it")
    if any(ground.survey.changed_by_earlier_plan(path, claim.plan) for path in paths):
        return unsure(claim, "an earlier plan changes the file")
    known = bool(ground.symbols.files_with(name))
    if not counts_on(ground, claim, name=name, paths=paths):
        return held(claim, "it stands elsewhere") if known else unsure(claim, "not found; it may be new")
    if len(parts) > 1 and any(may_inherit(ground, path, owner=parts[-2], name=name) for path in paths):
        return unsure(claim, "it may be inherited")
    if known and any(_reexports(ground, path) for path in paths):
        return unsure(claim, "it may reach the file through an import of everything")
    elsewhere = ground.symbols.defined(name) if known else ()
    return wrong(claim, missing_symbol(ground, claim, name=name, paths=paths, elsewhere=elsewhere))


def _reexports(ground: Ground, path: str) -> bool:
    return bool(_GATHERS.search(path) and _STAR.search(str(ground.tree.read(path))))


def _is_made(ground: Ground, name: str) -> bool:
    return name in ground.survey.names or name in ground.survey.coded


def _belongs_elsewhere(ground: Ground, path: str, *, owner: str, name: str) -> bool:
    """Whether `owner` is a type of this file without bases, and `name` is defined here for other types alone."""
    definitions = ground.symbols.in_file(path)
    types = [item for item in definitions if item.name == owner and item.kind in {"type", "extension"}]
    members = [item for item in definitions if item.name == name]
    if not types or not members or any(has_bases(ground, path, item) for item in types):
        return False
    if any(owner in item.owner.split(".") or item.name == owner for item in members):
        return False
    return all(item.owner for item in members) and not _assigned(ground, path, types=types, name=name)


def _assigned(ground: Ground, path: str, *, types: Sequence[Definition], name: str) -> bool:
    lines = ground.symbols.lines_with(path, name)
    return any(item.line <= line <= item.end_line for item in types for line in lines)


def _at_line(ground: Ground, claim: Claim, *, path: str, name: str) -> Judged:
    first, last = claim.first or 1, claim.last or claim.first or 1
    count = ground.tree.line_count(path)
    if isinstance(count, int) and first > count:
        return unsure(claim, "its lines lie beyond the end of the file")
    lines = ground.symbols.lines_with(path, name, most=2_000)
    if any(first - _NEAR <= line <= last + _NEAR for line in lines):
        return held(claim)
    defined = [item for item in ground.symbols.in_file(path) if item.name == name]
    if any(_spans(item, claim) for item in defined):
        return held(claim)
    if claim.mode != "exists" or not lines:
        return unsure(claim, "it does not stand at these lines")
    return wrong(
        claim, elsewhere_in_file(claim, path, name=name, line=defined[0].line if defined else lines[0])
    )


def _spans(item: Definition, claim: Claim) -> bool:
    """Whether the cited lines lie in a definition's body, where the wording allows that."""
    first, last = claim.first or 1, claim.last or claim.first or 1
    inside = item.line - _NEAR <= first and last <= item.end_line + _NEAR
    whole = first <= item.line and item.end_line <= last
    if item.kind in {"type", "module", "extension"} or claim.strict:
        return whole or inside and last > first
    return whole or inside


def _untied(ground: Ground, claim: Claim, parts: list[str]) -> Judged:
    name = parts[-1]
    if len(parts) > 1 and (path := _module_path(ground, parts)):
        return _tied(ground, claim, parts=[name], paths=[path])
    if ground.symbols.files_with(name):
        return _of_owner(ground, claim, parts) if len(parts) > 1 else held(claim)
    if not ground.symbols.complete:
        return unsure(claim, "the tree is too large to be searched whole")
    if _is_made(ground, name):
        return held(claim, "a plan makes it")
    if name in _IMPLICIT:
        return held(claim, "every type has it")
    if len(parts) > 1:
        return _member(ground, claim, parts)
    if claim.mode == "exists" and claim.strict:
        return wrong(claim, missing_symbol(ground, claim, name=name, paths=[], elsewhere=()))
    return unsure(claim, "not found; it may be a library's, or new")


def _module_path(ground: Ground, parts: list[str]) -> str | None:
    """The one Python file that `pkg.module` in `pkg.module.name` means."""
    if len(parts) < 3 or not all(re.fullmatch(r"[a-z_]\w*", part) for part in parts[:-1]):
        return None
    found = ground.tree.ending_in("/".join(parts[:-1]) + ".py")
    return found[0] if len(found) == 1 else None


def _of_owner(ground: Ground, claim: Claim, parts: list[str]) -> Judged:
    """`Owner.name` where both are known: wrong only where `Owner` is one type without open bases that never says `name`."""
    owner, name = parts[-2], parts[-1]
    types = [
        (path, item) for path, item in ground.symbols.defined(owner) if item.kind in {"type", "extension"}
    ]
    if (
        len(types) != 1
        or claim.mode not in {"exists", "neutral", "stated"}
        or _is_made(ground, name)
        or name in _IMPLICIT
    ):
        return held(claim)
    path, item = types[0]
    if ground.symbols.occurs(path, name) or may_inherit(ground, path, owner=owner, name=name):
        return held(claim)
    return wrong(
        claim, missing_symbol(ground, claim, name=name, paths=[path], elsewhere=ground.symbols.defined(name))
    )


def _member(ground: Ground, claim: Claim, parts: list[str]) -> Judged:
    """`Owner.name` where `name` stands nowhere in the tree: wrong if `Owner` is a type of ours without bases."""
    owner, name = parts[-2], parts[-1]
    types = [
        (path, item) for path, item in ground.symbols.defined(owner) if item.kind in {"type", "extension"}
    ]
    if not types or claim.mode not in {"exists", "neutral", "stated"}:
        return unsure(claim, "not found; its owner is not a type of this tree")
    if any(has_bases(ground, path, item) for path, item in types):
        return unsure(claim, "it may be inherited")
    return wrong(claim, missing_symbol(ground, claim, name=name, paths=[types[0][0]], elsewhere=()))


def check_signature(ground: Ground, claim: Claim) -> Judged:
    """Judges a name that is written with its parameters."""
    judged = check_symbol(ground, claim)
    if (
        judged.outcome != "held"
        or judged.why
        or claim.mode not in {"exists", "neutral", "stated"}
        or claim.parameters is None
    ):
        return judged
    found = _functions(ground, claim)
    if not found or any(item.parameters is None or _language(path) in {"", "bash"} for path, item in found):
        return judged
    compare = call_differs if claim.as_call else differs
    results = [
        (compare(claim.parameters, item.parameters or "", _language(path)), path, item)
        for path, item in found
    ]
    if any(result is None for result, _, _ in results) or claim.path is None and len(results) > 1:
        return judged
    if _is_made_anew(ground, claim):
        return unsure(claim, "the plan may be changing the signature")
    difference, path, item = results[0]
    return wrong(claim, wrong_signature(claim, path, item=item, difference=difference or ""))


def _is_made_anew(ground: Ground, claim: Claim) -> bool:
    return (claim.symbol or "").rsplit(".", 1)[-1] in ground.survey.names


def _language(path: str) -> str:
    language = language_of(path)
    return language.name if language else ""


def _functions(ground: Ground, claim: Claim) -> list[tuple[str, Definition]]:
    parts = (claim.symbol or "").split(".")
    paths = locate(ground.tree, claim.path).paths if claim.path else ()
    everywhere = (
        ((path, item) for path in paths for item in ground.symbols.in_file(path))
        if paths
        else ground.symbols.defined(parts[-1])
    )
    named = [
        (path, item)
        for path, item in everywhere
        if item.name == parts[-1] and item.kind in {"function", "value", "field"}
    ]
    found = [pair for pair in named if pair[1].kind == "function"] or named
    if len(parts) > 1 and (
        owned := [(path, item) for path, item in found if parts[-2] in item.owner.split(".")]
    ):
        return owned
    return found


def check_parameter(ground: Ground, claim: Claim) -> Judged:
    """Judges what a plan says of one parameter of a function, or of their number."""
    found = _functions(ground, claim)
    said = claim.parameters or ""
    if not found or any(item.kind != "function" or item.parameters is None for _, item in found):
        return unsure(claim, "its function is not there, or has parameters that cannot be read")
    if all(_lacks(said, item.parameters or "", _language(path)) for path, item in found):
        path, item = found[0]
        difference = (
            f"it takes another number than {said[1:]}"
            if said.startswith("#")
            else f"it has no parameter `{said}`"
        )
        return wrong(claim, wrong_signature(claim, path, item=item, difference=difference))
    return held(claim)


def _lacks(said: str, actual: str, language: str) -> bool:
    if said.startswith("#"):
        return call_differs(",".join("x" * int(said[1:])), actual, language) is not None or int(
            said[1:]
        ) < _required(actual, language)
    return has_no_parameter(said, actual, language)


def _required(actual: str, language: str) -> int:
    """How many parameters a call must give at least; 0 where that cannot be told."""
    return (
        0
        if re.search(r"[=?*:]|\.\.\.", actual) and language in {"ruby", "python"}
        else len(parameters_of("" if "=" in actual or "?" in actual else actual, language))
    )
