"""What a person writes to name a capability to install → where it comes from.

Pure: nothing is looked up or contacted. What is refused here never reaches git, a registry or a server:
options in disguise, transports that are not encrypted or run commands, and text that readers of URLs
disagree about.
"""

import unicodedata
from dataclasses import dataclass
from pathlib import PureWindowsPath
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from msd_review.errors import SourceError
from msd_review.lazy import regex
from msd_review.trust.visible import plain

Kind = Literal["local", "git", "npm", "tarball"]

FORMS = (
    "./folder, ../folder or /folder · https://host/path.git[#ref] · git+https://host/path[#ref] · "
    "git@host:path[#ref] · npm:name[@version] · https://host/file.tgz; "
    "a ref is a branch or tag, tag:NAME, or sha:40-HEX-DIGITS"
)
MAX_LENGTH = 4096

_ARCHIVES = (".tgz", ".tar.gz")
_SSH_SHORT = regex(r"git@(?P<host>[A-Za-z0-9][A-Za-z0-9.-]*):(?P<path>[^-/][^\s]*|/[^\s]+)")
_NPM_NAME = r"(?:@[A-Za-z0-9][A-Za-z0-9._~-]*/)?[A-Za-z0-9][A-Za-z0-9._~-]*"
_NPM = regex(rf"(?P<name>{_NPM_NAME})(?:@(?P<selector>[A-Za-z0-9.^~<>=|*+-]+))?")
_SHA = regex(r"[0-9a-fA-F]{40}")
_NOT_IN_REFS = regex(r"[\s~^:?*\[\\]|\.\.|@\{|//|\.lock(?:/|$)|(?:^|/)\.|[./]$")
_NPM_NAME_LENGTH = 214


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One source. `target` is a path, a git address, a package with its selector, or the archive's URL.

    `ref` is what stood behind `#` for git: a branch or tag, `tag:NAME` or `sha:HEX`; None elsewhere.
    """

    kind: Kind
    raw: str
    target: str
    ref: str | None = None


def parse_spec(text: str, *, allow_file: bool = False) -> Spec:
    """The source that `text` names; `allow_file` lets git read `file://` addresses, for tests.

    Raises SourceError, with the forms there are as its hint.
    """
    if not text or len(text) > MAX_LENGTH or text != text.strip() or _has_invisible(text):
        raise _not_understood(text)
    if _is_local(text):
        return Spec(kind="local", raw=text, target=text)
    if any(character.isspace() or character == "\\" for character in text):
        raise _not_understood(text)
    if text.startswith("npm:"):
        return _npm(text)
    if text.startswith("git@"):
        return _git(text, text, allow_file=allow_file)
    if text.startswith("git+"):
        return _git(text, text.removeprefix("git+"), allow_file=allow_file)
    return _by_url(text, allow_file=allow_file)


def split_npm(target: str) -> tuple[str, str | None]:
    """`name@selector` → both; the selector is None where there is none. Raises SourceError."""
    match = _NPM.fullmatch(target)
    if match is None or len(match["name"]) > _NPM_NAME_LENGTH:
        raise SourceError(f"npm:{plain(target)} names no npm package", hint=FORMS)
    return match["name"], match["selector"]


def host_of(spec: Spec) -> str | None:
    """The host that is contacted, lower-case; None for a local folder and for npm."""
    short = _SSH_SHORT.fullmatch(spec.target)
    if spec.kind == "git" and short is not None:
        return short["host"].lower()
    if spec.kind in {"git", "tarball"}:
        return _split(spec.target).hostname
    return None


def _has_invisible(text: str) -> bool:
    return any(unicodedata.category(character)[0] == "C" for character in text)


def _is_local(text: str) -> bool:
    starts = ("./", "../", "/", ".\\", "..\\")
    return text in {".", ".."} or text.startswith(starts) or PureWindowsPath(text).drive[1:] == ":"


def _not_understood(text: str) -> SourceError:
    shown = plain(text[:200]) + ("…" if len(text) > 200 else "")
    return SourceError(f'"{shown}" names no source', hint=FORMS)


def _npm(text: str) -> Spec:
    target = text.removeprefix("npm:")
    split_npm(target)
    return Spec(kind="npm", raw=text, target=target)


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        if parts.port == 0 or not parts.hostname or parts.hostname.startswith("-"):
            raise ValueError(url)
    except ValueError:
        raise SourceError(f"{plain(url)} is no usable address", hint=FORMS) from None
    return parts


def _by_url(text: str, *, allow_file: bool) -> Spec:
    address, hash_mark, _ = text.partition("#")
    scheme = address.partition(":")[0].lower()
    if scheme == "http":
        raise _plain_http(text)
    if scheme == "https" and not hash_mark and address.partition("?")[0].lower().endswith(_ARCHIVES):
        _split(text)
        return Spec(kind="tarball", raw=text, target=text)
    known = scheme in {"https", "ssh"} or (allow_file and scheme == "file")
    if "://" in address and known and (hash_mark or address.endswith(".git")):
        return _git(text, text, allow_file=allow_file)
    raise _not_understood(text)


def _plain_http(text: str) -> SourceError:
    return SourceError(
        f"{plain(text)} is plain http: what is fetched could be changed on its way",
        hint="use its https address",
    )


def _git(raw: str, rest: str, *, allow_file: bool) -> Spec:
    address, hash_mark, ref = rest.partition("#")
    scheme = address.partition(":")[0].lower()
    if scheme == "http":
        raise _plain_http(raw)
    if not _is_git_address(address, scheme, allow_file=allow_file):
        raise SourceError(
            f"{plain(raw)} is no git address over https or ssh; no other transport is used", hint=FORMS
        )
    if hash_mark:
        _check_ref(ref)
    return Spec(kind="git", raw=raw, target=address, ref=ref if hash_mark else None)


def _is_git_address(address: str, scheme: str, *, allow_file: bool) -> bool:
    if address.startswith("git@"):
        return _SSH_SHORT.fullmatch(address) is not None
    if scheme == "file":
        return allow_file and address.lower().startswith("file:///")
    return scheme in {"https", "ssh"} and "://" in address and bool(_split(address).path.strip("/"))


def _check_ref(ref: str) -> None:
    kind, colon, name = ref.partition(":")
    if kind == "sha" and colon:
        if _SHA.fullmatch(name) is None:
            raise SourceError(
                f"sha:{plain(name)} is no commit id: 40 hexadecimal digits are needed", hint=FORMS
            )
        return
    name = name if kind == "tag" and colon else ref
    if not name or name[0] in "-/+" or _NOT_IN_REFS.search(name):
        raise SourceError(f'"{plain(ref)}" is no usable git ref', hint=FORMS)
