"""The shelf on disk: one JSON file, read whole and written whole."""

import json
from dataclasses import asdict
from pathlib import Path

from linkshelf.links import Link, canonical_url, clean_tags, now

FORMAT = 1


class BrokenShelf(Exception):
    """The file is there and is no shelf."""


class Duplicate(Exception):
    """The link is on the shelf already; `existing` is the entry."""

    def __init__(self, existing: Link) -> None:
        super().__init__(f"already on the shelf as {existing.number}: {existing.url}")
        self.existing = existing


class Shelf:
    """The links of one file, in the order in which they were added."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.links: list[Link] = []

    @classmethod
    def open(cls, path: Path) -> "Shelf":
        """The shelf at `path`; an empty one where there is no file. Raises BrokenShelf."""
        shelf = cls(path)
        if not path.exists():
            return shelf
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if data["format"] != FORMAT:
                raise BrokenShelf(f"{path}: format {data['format']} is not known")
            shelf.links = [Link(**entry) for entry in data["links"]]
        except (ValueError, KeyError, TypeError) as problem:
            raise BrokenShelf(f"{path}: {problem}") from problem
        return shelf

    def save(self) -> None:
        """Writes the whole shelf over the old file."""
        data = {"format": FORMAT, "links": [asdict(link) for link in self.links]}
        self.path.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")

    def add(self, url: str, *, title: str = "", tags: list[str] | None = None) -> Link:
        """Puts a link on the shelf. Raises BadLink or Duplicate."""
        canonical = canonical_url(url)
        existing = self.find(canonical)
        if existing:
            raise Duplicate(existing)
        link = Link(self._next_number(), canonical, title.strip(), clean_tags(tags or []), now())
        self.links.append(link)
        return link

    def find(self, canonical: str) -> Link | None:
        """The entry with this canonical URL."""
        return next((link for link in self.links if link.url == canonical), None)

    def remove(self, number: int) -> Link:
        """Takes a link off the shelf. Raises KeyError for a number that is not there."""
        for at, link in enumerate(self.links):
            if link.number == number:
                return self.links.pop(at)
        raise KeyError(number)

    def search(self, words: str = "", *, tag: str | None = None) -> list[Link]:
        """The links that hold every word, and the tag where one is given."""
        return [
            link
            for link in self.links
            if link.matches(words) and (tag is None or tag.lower() in link.tags)
        ]

    def _next_number(self) -> int:
        return max((link.number for link in self.links), default=0) + 1
