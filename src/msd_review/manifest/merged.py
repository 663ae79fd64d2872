"""The rules that join several manifests: what must be unique, who requires whom, who waits for whom.

Works on the JSON of valid manifests, so that a thousand of them cost no decoding. Nothing here depends on
the order of its input: of those who claim one name, the first by (rank, id) wins.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msd_review.manifest.build import section_title
from msd_review.manifest.loop_order import cycle_of
from msd_review.manifest.messages import say
from msd_review.manifest.problems import Problem, plain, quoted
from msd_review.manifest.vocabulary import BUDGET_KEY_PREFIX, LOOP_POINTS

_TIER_ORDER = {"core": 0, "standard": 1, "full": 2}
_HOOK_KINDS = ("steps", "contributions")
_TEMPLATES = {
    "merge.id": "merge id",
    "merge.slug": "merge slug",
    "merge.flag": "merge flag",
    "merge.section": "merge section",
    "merge.skill": "merge skill",
    "merge.agent": "merge agent",
    "merge.artifact": "merge artifact",
    "config.owned": "config owned",
}
_CODE_ORDER = {code: place for place, code in enumerate(_TEMPLATES)}


class Member(NamedTuple):
    """One capability of a set; the lower `rank` wins (first-party 0, global 1, project 2)."""

    order: tuple[int, str, str]  # rank, id, and where the id can stand twice, what tells them apart
    value: Mapping[str, Any]
    label: str  # how messages name it

    @property
    def rank(self) -> int:
        return self.order[0]

    @property
    def id(self) -> str:
        return self.order[1]


class Claim(NamedTuple):
    """A name that one capability alone may hold; `key` is how it is compared, `at` where it stands."""

    code: str
    key: str
    shown: str
    at: str


class Clash(NamedTuple):
    """A violation that several capabilities share; `members` are all of them, the winner first."""

    problem: Problem
    members: tuple[Member, ...]


def claims(value: Mapping[str, Any]) -> Iterator[Claim]:
    """Every name that a valid manifest claims, once each."""
    yield Claim("merge.id", value["id"], value["id"], "/id")
    lane = value.get("reviewer")
    if lane is not None:
        yield from _lane_claims(lane)
    for key in value.get("config", ()):
        yield Claim("config.owned", key, key, "/config")
    if value["role"] == "feature":
        yield from _feature_claims(value)


def _lane_claims(lane: Mapping[str, Any]) -> Iterator[Claim]:
    slug = lane["slug"]
    yield Claim("merge.slug", slug, slug, "/reviewer/slug")
    for flag in lane["flags"]:
        yield Claim("merge.flag", flag, flag, "/reviewer/flags")
    section = section_title(lane["reviewsSection"])
    yield Claim("merge.section", section.casefold(), section, "/reviewer/reviewsSection")
    budget = BUDGET_KEY_PREFIX + slug
    yield Claim("config.owned", budget, budget, "/reviewer/slug")


def _feature_claims(value: Mapping[str, Any]) -> Iterator[Claim]:
    for kind in ("skill", "agent"):
        for stem in dict.fromkeys(value[f"{kind}s"]):
            yield Claim(f"merge.{kind}", stem, stem, f"/{kind}s")
    made = {(step["point"], name) for step in value.get("steps", ()) for name in step["produces"]}
    for point, name in sorted(made):
        yield Claim("merge.artifact", f"{point}\0{name}", f"{name} at {point}", "/steps")


def find_clashes(members: Iterable[Member]) -> tuple[Clash, ...]:
    """Every name that several members claim, each once with all of them, in a stable order."""
    first: dict[tuple[str, str], tuple[Member, Claim]] = {}
    shared: dict[tuple[str, str], list[tuple[Member, Claim]]] = {}
    for member in sorted(members, key=lambda member: member.order):
        for claim in claims(member.value):
            holder = first.setdefault(claim[:2], (member, claim))
            if holder[0] is not member:
                shared.setdefault(claim[:2], [holder]).append((member, claim))
    told = [name for name in sorted(shared, key=_code_order) if not _follows_from_slug(name, shared)]
    return (*(_clash(shared[name]) for name in told), *_nested_keys(first))


def _code_order(name: tuple[str, str]) -> tuple[int, str]:
    return (_CODE_ORDER[name[0]], name[1])


def _follows_from_slug(name: tuple[str, str], shared: Mapping[tuple[str, str], Sequence[Any]]) -> bool:
    """Two lanes of one slug share the key of its prompt budget too; that need not be said as well."""
    code, key = name
    slug = ("merge.slug", key.removeprefix(BUDGET_KEY_PREFIX))
    return code == "config.owned" and slug in shared and len(shared[slug]) == len(shared[name])


def _clash(group: Sequence[tuple[Member, Claim]]) -> Clash:
    members = tuple({member.order: member for member, _ in group}.values())
    claim = group[0][1]
    owners = quoted(member.label for member in members)
    template = _TEMPLATES[claim.code]
    return Clash(problem=say(template, claim.at, value=plain(claim.shown), owners=owners), members=members)


def _nested_keys(holders: Mapping[tuple[str, str], tuple[Member, Claim]]) -> Iterator[Clash]:
    """A key of one that lies inside a key of another would be a value and an object at once."""
    owned = {key: holder[0] for (code, key), holder in holders.items() if code == "config.owned"}
    inner: dict[str, list[Member]] = {}
    for key, member in owned.items():
        for outer in _outer_names(key):
            if outer in owned and owned[outer] is not member:
                inner.setdefault(outer, []).append(member)
    for outer in sorted(inner):
        for one, other in _pairs(owned[outer], inner[outer]):
            problem = say(
                "config owned", "/config", value=plain(outer), owners=quoted((one.label, other.label))
            )
            yield Clash(problem=problem, members=(one, other))


def _pairs(owner: Member, others: Iterable[Member]) -> Iterator[tuple[Member, Member]]:
    """The owner against each that comes after it, and against the first that comes before it."""
    ordered = sorted({other.order: other for other in others}.items())
    earlier = [other for order, other in ordered if order < owner.order]
    yield from ((first, owner) for first in earlier[:1])
    yield from ((owner, other) for order, other in ordered if order > owner.order)


def _outer_names(key: str) -> Iterator[str]:
    end = key.rfind(".")
    while end > 0:
        yield key[:end]
        end = key.rfind(".", 0, end)


def find_unmet(members: Sequence[Member], *, available: Iterable[Member]) -> tuple[Clash, ...]:
    """What `requires` asks of the `available` members and does not get: unknown ids, tiers, circles."""
    by_id = {member.id: member for member in sorted(available, key=lambda one: one.order, reverse=True)}
    found = [
        Clash(problem=problem, members=(member,))
        for member in sorted(members, key=lambda member: member.order)
        for problem in _unmet(member, by_id)
    ]
    return (*found, *_circles(members, by_id))


def _unmet(member: Member, by_id: Mapping[str, Member]) -> Iterator[Problem]:
    tier = member.value["tier"]
    for index, name in enumerate(member.value["requires"]):
        at = f"/requires/{index}"
        if name not in by_id:
            yield say("requires unknown", at, name=plain(name))
            continue
        other = by_id[name].value["tier"]
        if tier != "full" and _TIER_ORDER[other] > _TIER_ORDER[tier]:
            yield say("requires tier", at, tier=tier, name=plain(name), other=other)


def _circles(members: Sequence[Member], by_id: Mapping[str, Member]) -> Iterator[Clash]:
    """Each circle of `requires` once; a circle's members are taken out before the next is looked for."""
    left = {
        member.id: member for member in members if member.value["requires"] and by_id.get(member.id) is member
    }
    while True:
        entries = [
            (name, [name], [r for r in left[name].value["requires"] if r in left]) for name in sorted(left)
        ]
        own = sorted(name for name, _, needs in entries if name in needs)
        circle = [own[0], own[0]] if own else cycle_of(entries)
        if not circle:
            return
        problem = say("requires cycle", "/requires", circle=" → ".join(map(plain, circle)))
        yield Clash(problem=problem, members=tuple(left.pop(name) for name in circle[:-1]))


def find_waiting(members: Sequence[Member]) -> tuple[Clash, ...]:
    """Circles of produces and consumes among the steps, contributions and gates of several features."""
    features = [member for member in members if member.value["role"] == "feature"]
    return tuple(clash for point in LOOP_POINTS for clash in _waiting_at(point, features))


def _waiting_at(point: str, features: Sequence[Member]) -> Iterator[Clash]:
    here = list(_hooks_at(point, features))
    owners = {label: member for label, member, _ in here}
    circle = cycle_of([(label, entry["produces"], entry["consumes"]) for label, _, entry in here])
    if circle:
        members = sorted({owners[label].order: owners[label] for label in circle}.items())
        problem = say("feature cycle", "/steps", point=point, circle=" → ".join(map(plain, circle)))
        yield Clash(problem=problem, members=tuple(member for _, member in members))


def _hooks_at(point: str, features: Sequence[Member]) -> Iterator[tuple[str, Member, Mapping[str, Any]]]:
    kinds = [(member, kind) for member in sorted(features, key=lambda one: one.order) for kind in _HOOK_KINDS]
    for member, kind in kinds:
        for index, entry in enumerate(member.value.get(kind, ())):
            if entry["point"] == point:
                yield f"{member.id} {kind}[{index}]", member, entry


def check_set(members: Sequence[Member]) -> tuple[Clash, ...]:
    """Everything that is wrong with a set of valid manifests as a set, in a stable order."""
    return (*find_clashes(members), *find_unmet(members, available=members), *find_waiting(members))
