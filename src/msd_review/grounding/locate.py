"""Where in the tree a written path points: exactly, by a unique suffix, to several files, outside, or nowhere."""

from dataclasses import dataclass
from typing import Literal

from msd_review.grounding.index import Tree
from msd_review.grounding.paths import base_name, folder_of, is_private, read_path, remainders

LocationKind = Literal[
    "exact",
    "folder",
    "suffix",
    "foreign",
    "ambiguous",
    "unlisted",
    "private",
    "outside",
    "missing",
    "unusable",
]


@dataclass(frozen=True, slots=True)
class Location:
    """`paths` are listed files, relative to the root; `path` is the one, or the normalised form of what was written.

    `foreign`: the tree's path is the end of the written one (another machine's root, a diff prefix). `unlisted`:
    something is there, and it is ignored or no file.
    """

    kind: LocationKind
    path: str
    paths: tuple[str, ...] = ()

    @property
    def is_there(self) -> bool:
        """Whether the written path means something in the tree."""
        return self.kind in {"exact", "folder", "suffix", "foreign", "ambiguous", "unlisted"}


def locate(tree: Tree, written: str) -> Location:
    """Looks a path up without opening anything, and without a look outside the tree."""
    read = read_path(written)
    if read.kind in {"outside", "unusable"}:
        return Location(read.kind, read.path) if read.kind == "outside" else Location("unusable", read.path)
    if read.kind == "absolute":
        return _absolute(tree, read.path)
    return _inside(tree, read.path)


def _inside(tree: Tree, path: str) -> Location:
    if is_private(path):
        return Location("private", path)
    if tree.is_file(path):
        return Location("exact", path, (path,))
    if tree.has(path):
        return Location("folder", path)
    found = tree.ending_in(path)
    if len(found) == 1:
        return Location("suffix", found[0], found)
    if found:
        return Location("ambiguous", path, found)
    if tree.on_disk(path):
        return Location("unlisted", path)
    return _foreign(tree, path)


def _foreign(tree: Tree, path: str) -> Location:
    first, _, rest = path.partition("/")
    if first in {"a", "b", tree.root.name} and tree.is_file(rest):
        return Location("foreign", rest, (rest,))
    for tail in remainders(path):
        if "/" in tail and tree.is_file(tail):
            return Location("foreign", tail, (tail,))
    return Location("missing", path)


def _absolute(tree: Tree, path: str) -> Location:
    root = tree.root.as_posix()
    if path == root or path.startswith(root + "/"):
        inner = read_path(path[len(root) :].lstrip("/"))
        return _inside(tree, inner.path) if inner.kind == "inside" else Location("outside", path)
    for tail in remainders(path):
        prefix = path[: len(path) - len(tail)].rstrip("/")
        if is_private(tail):
            return Location("outside", path)
        if tree.is_file(tail) and ("/" in tail or base_name(prefix) == tree.root.name):
            return Location("foreign", tail, (tail,))
    return Location("outside", path)


def in_known_folder(tree: Tree, path: str) -> bool:
    """Whether the top folder of a path exists; a path without a folder counts as known."""
    top = path.split("/", 1)[0] if "/" in path else ""
    return not top or top in tree.folders or folder_of(path) in tree.folders
