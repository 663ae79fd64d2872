"""The nearest thing that does exist, to show beside one that does not. Bounded: after 300 paths none is looked for."""

from rapidfuzz import fuzz, process

from msd_review.grounding.index import Tree
from msd_review.grounding.paths import base_name, folder_of

_ALIKE = 72.0  # per cent of similarity from which a name is worth showing
_MAX_COMPARED = 50_000
_MAX_LOOKUPS = 300


class NearestPaths:
    """The listed files most like paths that are not there; each path is compared once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[str, str | None] = {}

    def to(self, path: str) -> str | None:
        """The listed file most like `path`, or None where nothing is alike."""
        if path not in self._known and len(self._known) < _MAX_LOOKUPS:
            self._known[path] = nearest_path(self._tree, path)
        return self._known.get(path)


def nearest_path(tree: Tree, path: str) -> str | None:
    """The listed file most like `path`: same name elsewhere, else a like name in the same folder, else a like path."""
    same_name = tree.by_name.get(base_name(path), ())
    if same_name:
        return _best(path, same_name, 0.0)
    folder = folder_of(path)
    beside = [base_name(other) for other in tree.files if folder_of(other) == folder]
    alike = _best(base_name(path), beside, _ALIKE)
    if alike is not None:
        return f"{folder}/{alike}" if folder else alike
    return _best(path, tree.files[:_MAX_COMPARED], 80.0)


def is_close(tree: Tree, path: str, other: str) -> bool:
    """Whether `path` is so like `other` that one was most likely meant for the other."""
    if base_name(path) == base_name(other):
        return len(tree.by_name.get(base_name(path), ())) == 1
    if folder_of(path) == folder_of(other):
        return fuzz.ratio(base_name(path), base_name(other)) >= 80.0
    return fuzz.ratio(path, other) >= 92.0


def nearest_name(name: str, names: list[str]) -> str | None:
    """The name most like `name`, if any is alike."""
    found = process.extractOne(name, names, scorer=fuzz.ratio, score_cutoff=60.0)
    return str(found[0]) if found else None


def _best(text: str, choices: tuple[str, ...] | list[str], cutoff: float) -> str | None:
    found = process.extractOne(text, choices, scorer=fuzz.ratio, score_cutoff=cutoff)
    return str(found[0]) if found else None
