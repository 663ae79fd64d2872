"""Everything about an installation that can be known and refused before anything is changed.

In order: the source policy, the fetch, the integrity, the manifest by itself with its version range, the
manifest in the set of what is active, the disclosure. What comes out is what a person is asked about, and
what is put in place is that and nothing else.
"""

import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from msd_review.errors import InputError
from msd_review.lifecycle.fetch import fetch
from msd_review.lifecycle.kept import find_kept
from msd_review.lifecycle.ledger import Entry, load_ledger
from msd_review.lifecycle.places import Place
from msd_review.lifecycle.staging import write_bundle
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.manifest.json_text import parse_bytes
from msd_review.manifest.merged import Member, check_set
from msd_review.manifest.problems import Problem
from msd_review.manifest.vocabulary import ID_PATTERN
from msd_review.registry.cache import Verdict
from msd_review.registry.judging import judge
from msd_review.registry.model import RANK
from msd_review.sources.fetched import Fetched
from msd_review.sources.policy import check_source
from msd_review.sources.spec import Spec
from msd_review.trust.bundle import Bundle, BundleRefused, read_bundle
from msd_review.trust.disclosure import Disclosure, disclose


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """An installation that may be asked about. `previous` and `before` are what is installed now, if anything is."""

    place: Place
    fetched: Fetched
    id: str
    version: str
    manifest: dict[str, Any]
    disclosure: Disclosure
    warnings: tuple[Problem, ...]
    previous: Entry | None
    before: Disclosure | None


class InvalidCapability(InputError):
    """The capability has faults; `problems` are all of them."""

    def __init__(self, message: str, problems: tuple[Problem, ...]) -> None:
        super().__init__(message, hint="tell its author; nothing was installed")
        self.problems = problems


def disclose_bundle(bundle: Bundle, around: Surroundings) -> Disclosure:
    """What a bundle discloses, whatever its manifest is worth."""
    value, _ = parse_bytes(bundle.manifest or b"null")
    return disclose(
        value,
        resolve_host=around.resolve_host,
        content_hash=bundle.content_hash,
        proxy_for=around.proxy_for,
    )


def prepare(
    spec: Spec, around: Surroundings, *, place: Place, integrity: str | None = None, token: str | None = None
) -> Prepared:
    """Fetches, validates and discloses; changes nothing.

    `token` is what the person accepted before: the files that were kept for it are used, if there are any.
    Raises SourceError, InvalidCapability, InputError.
    """
    check_source(spec, around.policies)
    kept = None
    if token is not None and integrity is None:
        kept = find_kept(around.home, spec, lambda one: disclose_bundle(one, around).token == token)
    fetched = kept or fetch(spec, around, integrity=integrity)
    verdict = _judge(fetched.bundle)
    identity = verdict.manifest.id
    check_in_set(verdict.value, around, place=place)
    previous = load_ledger(place.ledger).entry(identity)
    return Prepared(
        place=place,
        fetched=fetched,
        id=identity,
        version=verdict.manifest.version,
        manifest=dict(verdict.value),
        disclosure=disclose_bundle(fetched.bundle, around),
        warnings=verdict.warnings,
        previous=previous,
        before=_before(place, identity, around) if previous is not None else None,
    )


def _judge(bundle: Bundle) -> Verdict:
    """The manifest of a bundle, valid by itself and made for this version. Raises InvalidCapability."""
    if bundle.manifest is None:
        raise InputError(
            "there is no capability.json at its top", hint="a capability is a folder that holds one"
        )
    value, _ = parse_bytes(bundle.manifest)
    name = value.get("id") if isinstance(value, dict) else None
    folder_name = name if isinstance(name, str) and _is_id(name) else "capability"
    with tempfile.TemporaryDirectory(prefix="msd-install-", ignore_cleanup_errors=True) as made:
        folder = Path(made) / folder_name
        write_bundle(bundle, folder)
        judged = judge(bundle.manifest, folder)
    if not isinstance(judged, Verdict):
        _refuse(tuple(problem for problem in judged if not problem.is_warning))
    if judged.misfit is not None:
        _refuse((judged.misfit,))
    return judged


def _is_id(name: str) -> bool:
    return re.fullmatch(ID_PATTERN, name) is not None


def _refuse(problems: tuple[Problem, ...]) -> NoReturn:
    first = problems[0]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    place = f" at {first.path}" if first.path else ""
    raise InvalidCapability(
        f"the capability is not valid: {first.code}{place}: {first.message}{more}", problems
    )


def check_in_set(value: Mapping[str, Any], around: Surroundings, *, place: Place) -> None:
    """Raises InvalidCapability when the manifest cannot stand beside what is active now."""
    others = [
        Member(order=(RANK[one.source], one.id, ""), value=one.raw, label=one.label)
        for one in around.registry().active
        if (one.source, one.id) != (place.name, value["id"])
    ]
    candidate = Member(
        order=(RANK[place.name], value["id"], ""), value=value, label=f"{value['id']} ({place.name})"
    )
    found = tuple(
        dict.fromkeys(
            clash.problem for clash in check_set([*others, candidate]) if candidate in clash.members
        )
    )
    if found:
        _refuse(found)


def _before(place: Place, identity: str, around: Surroundings) -> Disclosure | None:
    """What the installed version discloses, as it lies there now."""
    try:
        return disclose_bundle(read_bundle(place.folder(identity)), around)
    except BundleRefused:
        return None
