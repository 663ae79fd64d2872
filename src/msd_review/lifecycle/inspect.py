"""What a folder, a file, an installed capability or a source discloses, whatever it is worth."""

import os
from dataclasses import dataclass
from pathlib import Path

from msd_review.edges import files
from msd_review.errors import InputError, SourceError
from msd_review.lifecycle import kept
from msd_review.lifecycle.allow import find_installed
from msd_review.lifecycle.fetch import fetch
from msd_review.lifecycle.prepare import disclose_bundle
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.manifest.json_text import parse_bytes
from msd_review.manifest.vocabulary import MANIFEST_NAME, MAX_MANIFEST_BYTES
from msd_review.sources.local import fetch_local
from msd_review.sources.spec import Spec, parse_spec
from msd_review.trust.disclosure import Disclosure, disclose


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A disclosure and where it was found: a path, a scope with an id, or a spec.

    `problem` says why there is no hash of the whole: then the token buys no installation.
    """

    where: str
    disclosure: Disclosure
    problem: str = ""


def disclose_named(text: str, around: Surroundings) -> tuple[Shown, ...]:
    """What `text` discloses: a path that is there, else an id that is known, else a source.

    A source is fetched and kept for the installation that may follow; nothing of it is run. Raises
    InputError, SourceError.
    """
    path = around.working_folder / text
    if os.path.lexists(path):
        return (_of_path(path, around),)
    known = _known(text, around)
    if known:
        return known
    fetched = fetch(parse_spec(text, allow_file=around.git is not None and around.git.allow_file), around)
    kept.keep(around.home, fetched)
    return (Shown(where=text, disclosure=disclose_bundle(fetched.bundle, around)),)


def _known(text: str, around: Surroundings) -> tuple[Shown, ...]:
    shipped = around.registry().capability(text)
    if shipped is not None and shipped.source == "first-party":
        return (_of_path(shipped.folder, around),)
    if shipped is None:
        return ()
    return tuple(
        Shown(where=f"{found.place.name} {text}", disclosure=found.disclosure)
        for found in find_installed(text, around)
    )


def _of_path(path: Path, around: Surroundings) -> Shown:
    if not path.is_dir():
        return _of_manifest(path, around, problem="a file alone cannot be installed")
    spec = Spec(kind="local", raw=str(path), target=str(path))
    try:
        bundle = fetch_local(spec, base=around.working_folder).bundle
    except SourceError as refused:
        return _of_manifest(path / MANIFEST_NAME, around, problem=refused.message)
    if bundle.manifest is None:
        raise InputError(f"{path} holds no {MANIFEST_NAME}", hint="a capability is a folder that holds one")
    return Shown(where=str(path), disclosure=disclose_bundle(bundle, around))


def _of_manifest(path: Path, around: Surroundings, *, problem: str) -> Shown:
    try:
        value, _ = parse_bytes(files.read_bounded(path, MAX_MANIFEST_BYTES))
    except OSError as refused:
        raise InputError(f"{path} cannot be read: {refused.strerror or refused}") from None
    shown = disclose(value, resolve_host=around.resolve_host, proxy_for=around.proxy_for)
    return Shown(where=str(path), disclosure=shown, problem=problem)
