"""Which of what is installed has a newer version: every look-up bounded, none hiding the others."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

from msd_review.errors import MsdError
from msd_review.lifecycle.fetch import needed_git
from msd_review.lifecycle.ledger import Entry
from msd_review.lifecycle.places import Place, ScopeName
from msd_review.lifecycle.surroundings import Surroundings
from msd_review.manifest.engines import is_version
from msd_review.sources.git import resolve_ref
from msd_review.sources.npm import choose_version, read_metadata
from msd_review.sources.policy import check_source
from msd_review.sources.spec import Spec, parse_spec, split_npm

State = Literal["outdated", "current", "pinned", "manual", "unknown"]
LOOK_UP_S = 10.0
AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where one capability stands. `latest` is a commit or a version; `detail` says why a state is unknown."""

    id: str
    scope: ScopeName
    version: str
    state: State
    resolved: str
    latest: str | None = None
    detail: str = ""


def find_outdated(entries: tuple[tuple[Place, Entry], ...], around: Surroundings) -> tuple[Standing, ...]:
    """The standing of every entry, in the order given; several are looked up at once."""
    with ThreadPoolExecutor(max_workers=AT_ONCE) as pool:
        return tuple(pool.map(lambda pair: _look_up(pair[0], pair[1], around), entries))


def _look_up(place: Place, entry: Entry, around: Surroundings) -> Standing:
    def standing(state: State, latest: str | None = None, detail: str = "") -> Standing:
        return Standing(
            id=entry.id,
            scope=place.name,
            version=entry.version,
            state=state,
            resolved=entry.resolved,
            latest=latest,
            detail=detail,
        )

    try:
        allow_file = around.git is not None and around.git.allow_file
        spec = parse_spec(entry.spec, allow_file=allow_file)
        if spec.kind in {"local", "tarball"}:
            return standing("manual", detail="install it again to have what is there now")
        if _is_pinned(spec):
            return standing("pinned")
        check_source(spec, around.policies)
        latest = _LATEST[spec.kind](spec, around)
    except MsdError as problem:
        return standing("unknown", detail=problem.message)
    if latest is None:
        return standing("unknown", detail="its source no longer has what was asked for")
    if latest != entry.resolved:
        return standing("outdated", latest)
    return standing("pinned" if (spec.ref or "").startswith("tag:") else "current", latest)


def _is_pinned(spec: Spec) -> bool:
    if spec.kind == "npm":
        return is_version(split_npm(spec.target)[1] or "")
    ref = (spec.ref or "").removeprefix("sha:")
    return len(ref) == 40 and not ref.strip("0123456789abcdefABCDEF")


def _latest_git(spec: Spec, around: Surroundings) -> str | None:
    return resolve_ref(spec, git=needed_git(around), timeout_s=LOOK_UP_S)


def _latest_npm(spec: Spec, around: Surroundings) -> str | None:
    name, selector = split_npm(spec.target)
    metadata = read_metadata(
        name, registry=around.npm_registry, download=around.download, timeout_s=LOOK_UP_S
    )
    return choose_version(metadata, selector)[0]


_LATEST: dict[str, Callable[[Spec, Surroundings], str | None]] = {"git": _latest_git, "npm": _latest_npm}
