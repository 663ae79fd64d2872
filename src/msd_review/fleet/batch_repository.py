"""How a line of a batch names a repository: a folder, or an address that git may read.

What is refused here never reaches git, a worker or a journal. An address with a name and a password, or with a
token in its place, is refused without being shown: what a batch says is written down on several machines.
"""

import os
import unicodedata
from pathlib import Path
from urllib.parse import urlsplit

from msd_review.errors import SourceError
from msd_review.fleet.batch_fields import MAX_TEXT
from msd_review.lazy import regex
from msd_review.manifest.problems import shown
from msd_review.sources.spec import parse_spec

_ADDRESS = regex(r"[A-Za-z][A-Za-z0-9+.-]*:(?::|//)|git\+|[^/:]+@[^/]*:|[^/\\]{2,}:(?!\\)")
_SCHEME = regex(r"([A-Za-z][A-Za-z0-9+.-]*):/+")
_PASSWORD = regex(r"[:%][^/]*@")
_NOT_IN_REVISIONS = regex(r"[\s:?*\[\\]|\.\.|@\{|^[-+/]")
_FORMS = "write https://host/path or git@host:path"
_CREDENTIALS = (
    "leave them to git's credential helper or to an ssh key: a batch and its journal are kept in the clear"
)


class BadField(ValueError):
    """A field's value cannot be used; `str()` says why and what to do."""


def clean_text(value: object, what: str) -> str:
    """`value` as a text that can stand in a path or an argument. Raises BadField."""
    if not isinstance(value, str):
        raise BadField(f"must be {what}, not {shown(value)}")
    if not value or value != value.strip():
        raise BadField(
            f"must be {what}, not {shown(value)}: nothing may be empty or have white space at its ends"
        )
    if len(value) > MAX_TEXT:
        raise BadField(f"is longer than {MAX_TEXT:,} characters")
    is_plain = value.isascii() and value.isprintable()
    if not is_plain and any(unicodedata.category(character)[0] == "C" for character in value):
        raise BadField(f"{shown(value)} holds control or invisible characters")
    return value


def is_address(text: str) -> bool:
    """Whether `text` means something that git fetches, and no folder."""
    return not text.startswith((".", "/")) and _ADDRESS.match(text) is not None


def repository(value: object, *, folder: Path, allow_file: bool) -> str:
    """An absolute path, or an address without `git+`. Raises BadField."""
    if isinstance(value, str) and _holds_credentials(value):
        raise BadField(f"the address holds credentials: {_CREDENTIALS}")
    text = clean_text(value, "a path or a git address")
    if text.startswith("-"):
        raise BadField(
            f"{shown(text)} begins with a dash and could become an option; write ./{text[:40]} for a folder"
        )
    if is_address(text):
        return _address(text, allow_file=allow_file)
    if text.startswith("~"):
        raise BadField(f"{shown(text)}: ~ is not expanded here; write the whole path, or ./{text[:40]}")
    return os.path.normpath(folder / text)


def revision(value: object, *, repository: str | None) -> str:
    """A branch, tag or commit; for an address one that can be fetched by its name. Raises BadField."""
    text = clean_text(value, "a branch, a tag or a commit")
    if len(text) > 255 or _NOT_IN_REVISIONS.search(text):
        raise BadField(f"{shown(text)} names no branch, tag or commit")
    if repository is not None and is_address(repository):
        try:
            parse_spec(f"git+{repository}#{text}", allow_file=True)
        except SourceError:
            raise BadField(
                f"{shown(text)} cannot be fetched by name; write a branch, a tag or a whole commit id"
            ) from None
    return text


def _holds_credentials(text: str) -> bool:
    """A user beside https is a token as a rule; beside ssh a user alone is none."""
    if not is_address(text):
        return False
    address = text.removeprefix("git+")
    scheme = _SCHEME.match(address)
    rest = address[scheme.end() :] if scheme else address
    is_web = scheme is not None and scheme[1].lower() in {"http", "https"}
    return _PASSWORD.search(rest) is not None or (is_web and "@" in rest.partition("/")[0])


def _address(text: str, *, allow_file: bool) -> str:
    address = text.removeprefix("git+")
    if "#" in address:
        raise BadField("an address has no `#` here; write what stands behind it as `revision`")
    if "?" in address:
        raise BadField("an address with a query is not read: " + _FORMS)
    try:
        spec = parse_spec(address if address.startswith("git@") else f"git+{address}", allow_file=allow_file)
    except SourceError as problem:
        raise BadField(f"{problem.message.replace('git+', '', 1)}; {_FORMS}") from None
    if "://" in spec.target and urlsplit(spec.target).path.strip("/").startswith("-"):
        raise BadField(f"{shown(text)} begins its path with a dash and could become an option")
    return spec.target
