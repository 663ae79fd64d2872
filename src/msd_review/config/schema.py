"""The keys that exist: the central ones, and those that capabilities own.

A capability owns the keys of its `config` slice, exclusively; what is here is policy across lanes,
which no single lane may own. Every lane also has a prompt budget key, declared or not.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from msd_review.manifest.model import ConfigKey, Lane

KeyType = Literal["boolean", "string", "number", "enum", "list", "object"]
Who = Literal["anyone", "user only", "project may tighten"]

BUDGET_PREFIX = "review.max_prompt_tokens_per_reviewer."
API_KEY_PREFIX = "review.api_key_env."
CENTRAL = "msd"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySpec:
    """One key that can be set: its type, its default (None = unset) and who may decide it.

    `key` ends in `*` for a family of keys with a common prefix. `values` are the members of an enum,
    ordered from loose to strict where a project may only tighten. `minimum` bounds a number.
    """

    key: str
    type: KeyType
    default: Any
    description: str
    owner: str = CENTRAL
    values: tuple[str, ...] = ()
    minimum: float | None = None
    who: Who = "anyone"


CENTRAL_KEYS: tuple[KeySpec, ...] = (
    KeySpec(
        key="review.default_reviewers",
        type="list",
        default=None,
        description="Reviewers of a review that names none: slugs or instance names.",
    ),
    KeySpec(
        key="review.excluded_reviewers",
        type="list",
        default=None,
        description="Reviewers that are left out of every review.",
    ),
    KeySpec(
        key="review.reviewer_instances",
        type="object",
        default=None,
        description="Named reviewers that share a lane: {name: {cli, model, agent}}.",
    ),
    KeySpec(
        key="review.max_prompt_tokens",
        type="number",
        default=-1,
        minimum=-1,
        description="Prompt budget in estimated tokens for lanes without one of their own; -1 is no limit.",
    ),
    KeySpec(
        key="review.max_parallel",
        type="number",
        default=0,
        minimum=0,
        description="Lanes that run at the same time; 0 is all of them.",
    ),
    KeySpec(
        key="review.parallel_per_provider",
        type="number",
        default=1,
        minimum=1,
        description="Lanes of one provider that run at the same time, whatever the other limit says.",
    ),
    KeySpec(
        key="review.fail_on",
        type="enum",
        default="never",
        values=("never", "high", "medium", "low"),
        description="Exit 1 when an open finding is at or above this severity.",
    ),
    KeySpec(
        key="review.env_policy",
        type="enum",
        default="inherit",
        values=("inherit", "minimal"),
        who="project may tighten",
        description="What a lane sees of the environment: all of it, or only what it needs.",
    ),
    KeySpec(
        key=API_KEY_PREFIX + "*",
        type="string",
        default="",
        who="user only",
        description="Environment variable that holds the bearer token of an http lane, by slug.",
    ),
    KeySpec(
        key="plan_review.source_grounding",
        type="boolean",
        default=True,
        description="Check every citation against the source; false only marks them unchecked.",
    ),
    KeySpec(
        key="capabilities.strict_known_registries",
        type="list",
        default=None,
        who="project may tighten",
        description="Hosts that capabilities may be installed from; absent is any, [] is local folders only.",
    ),
)


def _from_slice(key: ConfigKey, owner: str) -> KeySpec:
    return KeySpec(
        key=key.key,
        type=key.type,
        default=key.default,
        description=key.description,
        values=key.values,
        owner=owner,
    )


def budget_key(lane: Lane) -> str:
    """The key of a lane's prompt budget: the declared one, else the one that every lane has."""
    return lane.prompt_budget_key or BUDGET_PREFIX + lane.slug


@dataclass(frozen=True, slots=True)
class Schema:
    """Every key of this installation, by name; families apart."""

    keys: Mapping[str, KeySpec]
    families: tuple[KeySpec, ...]

    def find(self, key: str) -> KeySpec | None:
        """The spec of `key`, or None where nobody declares it."""
        if key in self.keys:
            return self.keys[key]
        for family in self.families:
            prefix = family.key[:-1]
            if key.startswith(prefix) and len(key) > len(prefix):
                return family
        return None


def build_schema(slices: Iterable[tuple[str, ConfigKey]], lanes: Iterable[tuple[str, Lane]]) -> Schema:
    """The schema of a registry: `slices` are (owner, key), `lanes` are (owner, lane)."""
    keys = {spec.key: spec for spec in CENTRAL_KEYS if not spec.key.endswith("*")}
    for owner, key in slices:
        keys.setdefault(key.key, _from_slice(key, owner))
    for owner, lane in lanes:
        name = budget_key(lane)
        keys.setdefault(
            name,
            KeySpec(
                key=name,
                type="number",
                default=-1,
                minimum=-1,
                owner=owner,
                description="Prompt budget of this lane in estimated tokens; -1 is unset, 0 is no trimming.",
            ),
        )
    return Schema(keys=keys, families=tuple(spec for spec in CENTRAL_KEYS if spec.key.endswith("*")))
