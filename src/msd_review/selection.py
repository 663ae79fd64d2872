"""Who reviews, and why each of the others does not.

Pure: what exists, what was detected, what was named and what is configured go in; a Selection comes
out. Precedence: named lanes, then `--all`, then `review.default_reviewers`, then every lane that was
detected. Names are compared without case.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from msd_review.lazy import regex

Source = Literal["explicit", "all", "default_reviewers", "detected"]
_INSTANCE_NAME = regex(r"[a-z0-9][a-z0-9-]*")
_ENTRY = regex(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """A named reviewer that shares a lane, with its own model and agent."""

    name: str
    cli: str  # the lane's slug
    model: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """One chosen reviewer: a lane, or an instance of one."""

    identity: str
    kind: Literal["lane", "instance"]
    slug: str
    model: str | None = None
    agent: str | None = None
    named: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NotChosen:
    """A reviewer that was looked at and left out."""

    identity: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a review would run, sorted by identity; `errors` are each about one name or entry."""

    source: Source
    reviewers: tuple[Reviewer, ...]
    skipped: tuple[NotChosen, ...] = ()
    warnings: tuple[str, ...] = ()
    infos: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    shared_adapters: tuple[tuple[str, ...], ...] = ()

    @property
    def selected(self) -> tuple[str, ...]:
        """The identities, sorted."""
        return tuple(reviewer.identity for reviewer in self.reviewers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was asked for.

    `known` are the slugs of all lanes; `detected` those that can run here; `named` come from flags and
    `--lane`; `default_reviewers` and `instances` are the configured values, as found; `excluded` are
    names; `own` are slugs of the tool that we run inside of.
    """

    known: frozenset[str]
    detected: frozenset[str]
    named: tuple[str, ...] = ()
    all: bool = False
    default_reviewers: Any = None
    instances: Any = None
    excluded: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    unavailable: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # slug → (reason, detail)


def _instance_problem(name: str, spec: Any, known: frozenset[str]) -> str | None:
    if not _INSTANCE_NAME.fullmatch(name):
        return f"the instance name {name!r} must be lower-case letters, digits and hyphens"
    if name in known:
        return f"the instance name {name!r} is a lane's slug"
    if not isinstance(spec, dict):
        return f"instance {name!r}: expected an object with `cli`"
    cli = spec.get("cli")
    if not isinstance(cli, str) or cli.lower() not in known:
        return f"instance {name!r}: `cli` must be the slug of a lane, found {cli!r}"
    for key in ("model", "agent"):
        if key in spec and spec[key] is not None and not isinstance(spec[key], str):
            return f"instance {name!r}: `{key}` must be a string"
    return None


def parse_instances(raw: Any, known: Iterable[str]) -> tuple[dict[str, Instance], tuple[str, ...]]:
    """The usable instances of `review.reviewer_instances`, and an error for each unusable one."""
    if raw is None:
        return {}, ()
    if not isinstance(raw, dict):
        return {}, ("review.reviewer_instances must be an object",)
    slugs = frozenset(known)
    instances: dict[str, Instance] = {}
    errors: list[str] = []
    for name, spec in raw.items():
        problem = _instance_problem(name, spec, slugs)
        if problem is not None:
            errors.append(problem)
            continue
        instances[name] = Instance(
            name=name,
            cli=spec["cli"].lower(),
            model=spec.get("model") or None,
            agent=spec.get("agent") or None,
        )
    return instances, tuple(errors)


def parse_default_reviewers(raw: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The usable entries of `review.default_reviewers` in lower case, and an error for each malformed one."""
    if raw is None:
        return (), ()
    if not isinstance(raw, list):
        return (), (f"review.default_reviewers must be a list of names, found {type(raw).__name__}",)
    if not raw:
        return (), ("review.default_reviewers is an empty list; remove it, or name reviewers",)
    entries: list[str] = []
    errors: list[str] = []
    for entry in raw:
        if isinstance(entry, str) and _ENTRY.fullmatch(entry):
            entries.append(entry.lower())
        else:
            errors.append(f"review.default_reviewers: {entry!r} is not a reviewer's name")
    return tuple(dict.fromkeys(entries)), tuple(errors)


def candidates(wanted: Wanted) -> frozenset[str]:
    """The slugs that are worth probing for this selection."""
    if wanted.named:
        return frozenset(name.lower() for name in wanted.named) & wanted.known
    if wanted.all or wanted.default_reviewers is None:
        return wanted.known
    instances, _ = parse_instances(wanted.instances, wanted.known)
    entries, _ = parse_default_reviewers(wanted.default_reviewers)
    slugs = (instances[entry].cli if entry in instances else entry for entry in entries)
    return frozenset(slugs) & wanted.known


def _lane(slug: str, *, named: bool = False) -> Reviewer:
    return Reviewer(identity=slug, kind="lane", slug=slug, named=named)


def _from_instance(instance: Instance) -> Reviewer:
    return Reviewer(
        identity=instance.name, kind="instance", slug=instance.cli, model=instance.model, agent=instance.agent
    )


@dataclass(slots=True)
class _Notes:
    warnings: list[str] = field(default_factory=list)
    infos: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    skipped: list[NotChosen] = field(default_factory=list)


def _why(wanted: Wanted, slug: str) -> tuple[str, str]:
    return wanted.unavailable.get(slug, ("missing_binary", "not found on this machine"))


def _choose_named(wanted: Wanted, instances: Mapping[str, Instance], notes: _Notes) -> list[Reviewer]:
    chosen = []
    for slug in dict.fromkeys(name.lower() for name in wanted.named):
        if slug in wanted.detected:
            chosen.append(_lane(slug, named=True))
        elif slug in wanted.known:
            reason, detail = _why(wanted, slug)
            notes.errors.append(f"{slug} was named and cannot run: {detail}")
            notes.skipped.append(NotChosen(identity=slug, reason=reason, detail=detail))
        elif slug in instances:
            notes.errors.append(
                f"{slug} is an instance; instances are chosen through review.default_reviewers"
            )
        else:
            notes.errors.append(f"no reviewer is called {slug!r}")
    return chosen


def _choose_defaults(
    wanted: Wanted, entries: Iterable[str], instances: Mapping[str, Instance], notes: _Notes
) -> list[Reviewer]:
    chosen = []
    for entry in entries:
        slug = instances[entry].cli if entry in instances else entry
        if entry not in instances and slug not in wanted.known | wanted.detected:
            unknown = f"review.default_reviewers: no reviewer is called {entry!r}"
            (notes.errors if instances else notes.warnings).append(unknown)
        elif slug not in wanted.detected:
            reason, detail = _why(wanted, slug)
            notes.infos.append(f"{entry} is a default reviewer and cannot run here: {detail}")
            notes.skipped.append(NotChosen(identity=entry, reason=reason, detail=detail))
        else:
            chosen.append(_from_instance(instances[entry]) if entry in instances else _lane(slug))
    if not chosen:
        notes.errors.append("none of review.default_reviewers can run here")
    return chosen


def _choose_detected(wanted: Wanted, notes: _Notes) -> list[Reviewer]:
    for slug in sorted(wanted.known - wanted.detected):
        reason, detail = _why(wanted, slug)
        notes.skipped.append(NotChosen(identity=slug, reason=reason, detail=detail))
    return [_lane(slug) for slug in wanted.detected]


def _left_out(wanted: Wanted, reviewer: Reviewer) -> NotChosen | None:
    if reviewer.identity in wanted.excluded:
        return NotChosen(identity=reviewer.identity, reason="excluded", detail="left out on request")
    if reviewer.slug in wanted.own and not reviewer.named:
        detail = "this is the tool that asked for the review; name it to run it all the same"
        return NotChosen(identity=reviewer.identity, reason="self_skipped", detail=detail)
    return None


def _shared(reviewers: Iterable[Reviewer]) -> tuple[tuple[str, ...], ...]:
    by_slug: dict[str, list[str]] = {}
    for reviewer in reviewers:
        by_slug.setdefault(reviewer.slug, []).append(reviewer.identity)
    return tuple(tuple(sorted(group)) for _, group in sorted(by_slug.items()) if len(group) > 1)


def select(wanted: Wanted) -> Selection:
    """The selection for what was asked, over what was detected."""
    folded = Wanted(
        known=wanted.known,
        detected=frozenset(slug.lower() for slug in wanted.detected),
        named=wanted.named,
        all=wanted.all,
        default_reviewers=wanted.default_reviewers,
        instances=wanted.instances,
        excluded=frozenset(name.lower() for name in wanted.excluded),
        own=wanted.own,
        unavailable=wanted.unavailable,
    )
    notes = _Notes()
    instances, instance_errors = parse_instances(folded.instances, folded.known | folded.detected)
    entries, entry_errors = parse_default_reviewers(folded.default_reviewers)
    notes.errors.extend(instance_errors + entry_errors)
    source: Source
    if folded.named:
        source, chosen = "explicit", _choose_named(folded, instances, notes)
    elif folded.all:
        source, chosen = "all", _choose_detected(folded, notes)
    elif folded.default_reviewers is not None:
        source, chosen = "default_reviewers", _choose_defaults(folded, entries, instances, notes)
    else:
        source, chosen = "detected", _choose_detected(folded, notes)
    kept = []
    for reviewer in sorted(chosen, key=lambda one: one.identity):
        left_out = _left_out(folded, reviewer)
        if left_out is None:
            kept.append(reviewer)
        else:
            notes.skipped.append(left_out)
    return Selection(
        source=source,
        reviewers=tuple(kept),
        skipped=tuple(notes.skipped),
        warnings=tuple(notes.warnings),
        infos=tuple(notes.infos),
        errors=tuple(notes.errors),
        shared_adapters=_shared(kept),
    )
