import tempfile
import unittest
from pathlib import Path

from linkshelf.store import BrokenShelf, Duplicate, Shelf


class ShelfTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "shelf.json"

    def test_what_was_saved_is_read_back(self) -> None:
        shelf = Shelf.open(self.path)
        shelf.add("https://example.org/", title="Example", tags=["Web"])
        shelf.save()
        self.assertEqual(Shelf.open(self.path).links, shelf.links)

    def test_the_same_link_is_kept_once(self) -> None:
        shelf = Shelf.open(self.path)
        first = shelf.add("https://example.org")
        with self.assertRaises(Duplicate) as caught:
            shelf.add("HTTPS://EXAMPLE.ORG/")
        self.assertIs(caught.exception.existing, first)

    def test_numbers_of_removed_links_below_the_last_are_not_used_again(self) -> None:
        shelf = Shelf.open(self.path)
        for name in "abc":
            shelf.add(f"https://{name}.example.org")
        shelf.remove(2)
        self.assertEqual(shelf.add("https://d.example.org").number, 4)
        with self.assertRaises(KeyError):
            shelf.remove(2)

    def test_search_takes_words_and_a_tag(self) -> None:
        shelf = Shelf.open(self.path)
        shelf.add("https://a.example.org", title="One thing", tags=["x"])
        shelf.add("https://b.example.org", title="One other thing")
        self.assertEqual([link.number for link in shelf.search("one thing")], [1, 2])
        self.assertEqual([link.number for link in shelf.search("one thing", tag="X")], [1])

    def test_a_file_that_is_no_shelf_is_refused(self) -> None:
        for text in ("", "[]", '{"format": 2, "links": []}', '{"format": 1, "links": [{}]}'):
            self.path.write_text(text)
            with self.assertRaises(BrokenShelf):
                Shelf.open(self.path)
