"""How much speaks for a name being counted on in a file where it does not stand.

A wording that joins the two by itself is enough. A looser one needs more: a name so like one that is there that it was
meant, or a definition in another file.
"""

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from msd_review.grounding.definitions import Definition
from msd_review.grounding.ground import Ground
from msd_review.grounding.languages import language_of
from msd_review.grounding.model import Claim

_ALIKE = 78.0  # per cent of similarity from which one name was most likely meant for the other
_MAX_BASES = 6


def counts_on(ground: Ground, claim: Claim, *, name: str, paths: Sequence[str]) -> bool:
    """Whether the plan counts on the name being in one of the files."""
    if claim.bare and re.fullmatch(r"[a-z]+", claim.symbol or ""):
        return False  # a word
    if claim.bare:
        defined = bool(ground.symbols.defined(name))
        return is_like_one(ground, name, paths) or claim.tied and _looks_like_code(claim, defined)
    if claim.tied:
        return True
    if claim.apart:
        return (
            is_like_one(ground, name, paths) or claim.mode == "exists" and bool(ground.symbols.defined(name))
        )
    if claim.weight == "weak":
        return is_like_one(ground, name, paths)
    return claim.weight == "loose" and (
        claim.mode == "exists" or is_like_one(ground, name, paths) or bool(ground.symbols.defined(name))
    )


def _looks_like_code(claim: Claim, is_defined: bool) -> bool:
    """Whether a name without backticks is code beyond doubt, and no product's name."""
    name = claim.symbol or ""
    return (
        claim.called
        or bool(re.search(r"\w_|\.|^[a-z]+[A-Z]", name))
        or is_defined
        and bool(re.search(r"[a-z][A-Z]", name))
    )


def is_like_one(ground: Ground, name: str, paths: Sequence[str]) -> bool:
    """Whether the name is nearly one that the files define."""
    if name.isupper():
        return any(_alike(name, item.name) for path in paths for item in ground.symbols.in_file(path))
    plain = name.lower().strip("_")
    return any(
        _alike(plain, item.name.lower().strip("_")) for path in paths for item in ground.symbols.in_file(path)
    )


def _alike(one: str, two: str) -> bool:
    shorter, longer = sorted((one, two), key=len)
    return len(shorter) >= 4 and (fuzz.ratio(one, two) >= _ALIKE or len(shorter) >= 6 and shorter in longer)


def is_defined_elsewhere(ground: Ground, path: str, name: str) -> tuple[tuple[str, Definition], ...]:
    """The definitions of a name in other files, where this one can be read by a parser and only uses it."""
    if language_of(path) is None or any(item.name == name for item in ground.symbols.in_file(path)):
        return ()
    text = str(ground.tree.read(path))
    if re.search(
        rf"\b{re.escape(name)}\b\s*(?::[^=\n]+)?=(?!=)|\bas\s+{re.escape(name)}\b|#\s*define\s+{re.escape(name)}\b",
        text,
    ):
        return ()
    found = ground.symbols.defined(name)
    return found if found and all(not item.owner for _, item in found) else ()


def has_bases(ground: Ground, path: str, item: Definition) -> bool:
    """Whether a type may have members that its own text does not show."""
    language = language_of(path)
    if language is None:
        return True
    if language.name == "python":
        return bool(re.match(r"\(\s*\w", item.header)) and not re.match(
            r"\(\s*(?:object|metaclass\s*=.*)?\s*\)", item.header
        )
    if language.name == "go":
        text = str(ground.tree.read(path)).split("\n")[item.line : item.end_line]
        return any(re.fullmatch(r"\s*\*?(?:\w+\.)?[A-Z]\w*\s*(?:`.*)?", line) for line in text)
    if language.name in {"rust", "c"}:
        return language.name == "rust"  # traits give methods that stand elsewhere
    return (
        bool(re.search(r"\bextends\b|\bimplements\b|\bwith\b|<\s*\w|:\s*\w|\buse\b|\binclude\b", item.header))
        or item.kind == "extension"
    )


def may_inherit(ground: Ground, path: str, *, owner: str, name: str) -> bool:
    """Whether a type of this file may have the member from a base: one that is not of this tree, or one that has it."""
    types = [
        item
        for item in ground.symbols.in_file(path)
        if item.name == owner and item.kind in {"type", "extension"}
    ]
    if not any(has_bases(ground, path, item) for item in types):
        return False
    defined = ground.symbols.defined(name)
    if defined and all(not item.owner for _, item in defined):
        return False  # a free function is not inherited
    if _is_compound(name) and is_like_one(ground, name, [path]) and not defined:
        return False  # a slip of the pen, not a member that nobody here has
    language = language_of(path)
    if language is None or language.name != "python":
        return True
    bases = {base for item in types for base in _bases(item)}
    if _is_compound(name) and defined and not any(bases & _all_bases(ground, other) for _, other in defined):
        return any(_has_member(ground, base, name, depth=0, foreign=False) for base in bases)
    return any(_has_member(ground, base, name, depth=0, foreign=True) for base in bases)


def _is_compound(name: str) -> bool:
    return bool(re.search(r"[a-z0-9]_[a-z]|[a-z][A-Z]", name))


def _all_bases(ground: Ground, member: Definition) -> set[str]:
    """The bases of the types that have a member."""
    owner = member.owner.rsplit(".", 1)[-1]
    return {base for _, item in ground.symbols.defined(owner) for base in _bases(item)} if owner else set()


def _bases(item: Definition) -> list[str]:
    if not item.header.lstrip().startswith("("):
        return []
    inner = re.match(r"\(([^()]*(?:\[[^\]]*\])?[^()]*)\)", re.sub(r"\[[^\[\]]*\]", "", item.header))
    words = [part.strip() for part in inner[1].split(",")] if inner else ["?"]
    return [
        word.rsplit(".", 1)[-1]
        for word in words
        if word and "=" not in word and word not in {"object", "Generic", "Protocol"}
    ]


def _has_member(ground: Ground, base: str, name: str, *, depth: int, foreign: bool) -> bool:
    """Whether a base has the member; of one that is not of this tree, `foreign` says what is assumed."""
    types = [(path, item) for path, item in ground.symbols.defined(base) if item.kind == "type"]
    if not types or depth >= _MAX_BASES:
        return foreign
    return any(
        ground.symbols.occurs(path, name)
        or any(_has_member(ground, other, name, depth=depth + 1, foreign=foreign) for other in _bases(item))
        for path, item in types
    )
