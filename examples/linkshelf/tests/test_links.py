import unittest

from linkshelf.links import BadLink, Link, canonical_url, clean_tags


class CanonicalUrl(unittest.TestCase):
    def test_spellings_of_one_address_are_one(self) -> None:
        for text in ("https://Example.org/a/", "HTTPS://example.org:443/a", " https://example.org/a#top "):
            self.assertEqual(canonical_url(text), "https://example.org/a")

    def test_query_and_odd_ports_stay(self) -> None:
        self.assertEqual(canonical_url("http://example.org:8080/?q=1"), "http://example.org:8080?q=1")

    def test_other_schemes_are_refused(self) -> None:
        for text in ("javascript:alert(1)", "file:///etc/passwd", "example.org", "http://", "http://[", "http://x:y"):
            with self.assertRaises(BadLink):
                canonical_url(text)


class Links(unittest.TestCase):
    def test_every_word_must_occur_somewhere(self) -> None:
        link = Link(1, "https://example.org", "Python docs", ["reference"])
        self.assertTrue(link.matches("DOCS refer"))
        self.assertFalse(link.matches("docs rust"))

    def test_tags_are_cleaned(self) -> None:
        self.assertEqual(clean_tags([" Python", "python", "", "Web "]), ["python", "web"])
