"""A link, and what makes two links the same."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit, urlunsplit

ALLOWED_SCHEMES = {"http", "https"}


class BadLink(ValueError):
    """The text is no link that can be kept."""


@dataclass(slots=True)
class Link:
    """One entry of the shelf. `url` is canonical; `number` is what the command line calls it by."""

    number: int
    url: str
    title: str = ""
    tags: list[str] = field(default_factory=list)
    added: str = ""

    def matches(self, words: str) -> bool:
        """Whether every word occurs in the URL, the title or a tag, without regard to case."""
        text = " ".join([self.url, self.title, *self.tags]).lower()
        return all(word in text for word in words.lower().split())


def canonical_url(text: str) -> str:
    """The one spelling of a URL: lower-case scheme and host, no default port, no fragment, no trailing slash.

    Raises BadLink for another scheme than http and https, or without a host.
    """
    try:
        parts = urlsplit(text.strip())
        port = parts.port
    except ValueError as problem:
        raise BadLink(f"not a URL: {text!r} ({problem})") from problem
    scheme = parts.scheme.lower()
    if scheme not in ALLOWED_SCHEMES or not parts.hostname:
        raise BadLink(f"not an http(s) URL: {text!r}")
    host = parts.hostname
    if port and (scheme, port) not in {("http", 80), ("https", 443)}:
        host = f"{host}:{port}"
    return urlunsplit((scheme, host, parts.path.rstrip("/"), parts.query, ""))


def clean_tags(tags: list[str]) -> list[str]:
    """Tags in lower case, without blanks and repeats, in order of first use."""
    return list(dict.fromkeys(tag.strip().lower() for tag in tags if tag.strip()))


def now() -> str:
    """The current time as ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
