"""Whatever manifest validates also plans: to a call, or to a reason why there is none, and never to a crash.

MSD_EXAMPLES sets how many examples each property is tried with.
"""

import copy
import json
import os
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msd_review import planning
from msd_review.config.layers import Config, Layer, LayerName
from msd_review.config.schema import budget_key, build_schema
from msd_review.errors import ConfigError, UsageError
from msd_review.invocation import HttpInvocation, Invocation, NotPlanned, SpawnInvocation
from msd_review.manifest.decode import decode
from msd_review.manifest.model import ConfigKey, Lane
from msd_review.registry.first_party import first_party
from msd_review.selection import Reviewer

EXAMPLES = int(os.environ.get("MSD_EXAMPLES", "200"))
SETTINGS = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
CASES = Path(__file__).parent.parent / "data" / "cases" / "manifests.json"
PLACES = planning.Places(
    prompt_path=Path("/runs/1/prompt.md"),
    prompt_text="Review this plan.",
    lane_folder=Path("/runs/1/lane"),
    working_folder=Path("/tree"),
)


def _manifests() -> list[dict[str, Any]]:
    handed = [
        case["input"]["manifest"]
        for case in json.loads(CASES.read_bytes())
        if isinstance(case["input"].get("manifest"), dict)
    ]
    found = [*handed, *(json.loads(json.dumps(capability.raw)) for capability in first_party())]
    return [raw for raw in found if decode(raw, third_party=False).manifest and raw.get("reviewer")]


MANIFESTS = _manifests()
PLACEHOLDERS = (
    "{{model}}",
    "{{effort}}",
    "{{output}}",
    "{{prompt}}",
    "{{nativeTimeout}}",
    "{{other}}",
    "a{{model}}",
)
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.just(10**400), st.just(-(10**400)),
    st.sampled_from(
        ["", "null", "-x", " padded ", "a\nb", "a\u202eb", "high", "inherit", "bogus", "http://[", "ftp://x", "http://x:99999/",
         "http://host/v1", "https://u:p@exämple.com/?q#f", "\ud800", "0x7f.1:80", "http://127.1:1"]
    ),
    st.lists(st.integers(), max_size=2), st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)  # fmt: skip
# Fields that a mutation sets, with values that often validate.
MUTATIONS: dict[str, st.SearchStrategy[Any]] = {
    "/invoke/args": st.lists(st.sampled_from(PLACEHOLDERS) | st.text(max_size=6), max_size=6),
    "/invoke/promptChannel": st.sampled_from(["stdin", "argv", "argv-file-ref", "none"]),
    "/invoke/modelArg": st.none() | st.sampled_from(["-m", "--model"]),
    "/invoke/effortChannel": st.sampled_from(["none", "argv", "env"]),
    "/invoke/effortArgs": st.lists(st.sampled_from(["-e", "{{level}}", "x={{level}}"]), max_size=3),
    "/invoke/defaultHost": st.sampled_from(["http://localhost:1", "https://h/v1", "http://[::1]/a/"]),
    "/invoke/path": st.sampled_from(["/v1/chat/completions", "/", "/a?b", "//x", "/\u00e4", "/../x"]),
    "/timeoutFloorMs": st.integers(min_value=1) | st.sampled_from([1, 2**53 - 1, 1000.0]),
    "/idleTimeoutMs": st.none() | st.integers(min_value=1),
    "/handler": st.sampled_from([None, "opencode", "antigravity", "openai-compatible", "nobody"]),
    "/promptBudgetKey": st.sampled_from([None, "review.own", "review.max_prompt_tokens", "review.models.gemini"]),
    "/modelConfigKey": st.sampled_from([None, "review.own", "review.max_parallel", "nobody.declares"]),
    "/timeoutConfigKey": st.sampled_from([None, "review.own", "review.fail_on", "nobody.declares"]),
    "/effortConfigKey": st.sampled_from([None, "review.own", "review.max_parallel", "nobody.declares"]),
    "/defaultEffort": st.sampled_from(["low", "inherit", "max"]),
}  # fmt: skip
HTTP_ONLY = {"/invoke/defaultHost", "/invoke/path"}
SPAWN_ONLY = {pointer for pointer in MUTATIONS if pointer.startswith("/invoke/")} - HTTP_ONLY
SLICES: tuple[dict[str, Any], ...] = (
    {"type": "string", "default": "", "description": "x"},
    {"type": "string", "default": "-x", "description": "x"},
    {"type": "number", "default": 1e308, "description": "x"},
    {"type": "number", "default": 0.0001, "description": "x"},
    {"type": "boolean", "default": True, "description": "x"},
    {"type": "enum", "values": ["a", "b"], "default": "a", "description": "x"},
)


@st.composite
def manifests(draw: st.DrawFn) -> dict[str, Any]:
    raw: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(MANIFESTS)))
    body = raw["reviewer"]
    foreign = HTTP_ONLY if body.get("transport") == "spawn" else SPAWN_ONLY
    choice = st.sampled_from(sorted(set(MUTATIONS) - foreign))
    for pointer in draw(st.lists(choice, max_size=4, unique=True)):
        *above, name = pointer.strip("/").split("/")
        holder = body.get(above[0]) if above else body
        if isinstance(holder, dict):
            holder[name] = draw(MUTATIONS[pointer])
    if draw(st.booleans()):
        raw["config"] = {"review.own": draw(st.sampled_from(SLICES))}
    return raw


def _config(keys: tuple[ConfigKey, ...], lane: Lane, values: dict[str, Any], layer: LayerName) -> Config:
    schema = build_schema([("acme", key) for key in keys], [("acme", lane)])
    return Config(schema=schema, layers=(Layer(name=layer, path=None, data=values),))


def _keys_of(lane: Lane) -> list[str]:
    host = getattr(lane.invoke, "host_config_key", None)
    named = (lane.model_config_key, lane.timeout_config_key, lane.effort_config_key, host)
    central = ("review.max_prompt_tokens", f"review.api_key_env.{lane.slug}", budget_key(lane))
    return [key for key in (*named, *central) if key]


def _assert_whole(made: Invocation | NotPlanned) -> None:
    if isinstance(made, NotPlanned):
        assert made.detail
        return
    assert 1 <= made.timeout_ms <= planning.MAX_TIMEOUT_MS
    assert made.prompt_budget is None or made.prompt_budget >= 0
    if isinstance(made, HttpInvocation):
        assert made.host.startswith(("http://", "https://"))
        assert made.url.startswith(made.host.split("/v1")[0].rstrip("/"))
        return
    assert isinstance(made, SpawnInvocation)
    assert made.argv[0] == made.invoke.binary
    assert all(
        len(arg.encode("utf-8", "surrogatepass")) <= planning.MAX_ARGUMENT_BYTES for arg in made.argv[1:]
    )
    assert not any(
        arg in {"{{effort}}", "{{output}}", "{{prompt}}", "{{nativeTimeout}}", "{{model}}"}
        for arg in made.argv[1:]
    )


@SETTINGS
@given(data=st.data(), raw=manifests())
def test_a_manifest_that_validates_also_plans_whatever_is_configured_and_asked_for(
    data: st.DataObject, raw: dict[str, Any]
) -> None:
    decoded = decode(raw, third_party=False)
    if decoded.manifest is None or decoded.manifest.reviewer is None:
        return
    lane = decoded.manifest.reviewer
    values = data.draw(
        st.dictionaries(st.sampled_from(_keys_of(lane)), ODD, max_size=4), label="configuration"
    )
    layer: LayerName = data.draw(st.sampled_from(["user", "project", "command line"]))
    none: st.SearchStrategy[dict[str, str]] = st.just({})
    asked = none | st.dictionaries(
        st.just(lane.slug), st.text(max_size=6) | st.sampled_from(["high", "m", "-x"]), max_size=1
    )
    overrides = planning.Overrides(
        models=data.draw(asked, label="--model"),
        efforts=data.draw(asked, label="--effort"),
        timeouts=data.draw(
            st.dictionaries(st.just(lane.slug), st.floats(min_value=1e-6, max_value=1e300), max_size=1)
        ),
    )
    reviewer = Reviewer(
        identity=lane.slug,
        kind="lane",
        slug=lane.slug,
        model=data.draw(st.none() | st.text(max_size=6), label="instance's model"),
        agent=data.draw(st.none() | st.text(max_size=6), label="instance's agent"),
    )
    config = _config(decoded.manifest.config, lane, values, layer)
    ask = planning.Ask(reviewer=reviewer, lane=lane, config=config, overrides=overrides, places=PLACES)
    try:
        made = planning.plan(ask)
    except (UsageError, ConfigError) as problem:
        assert problem.message
        return
    _assert_whole(made)
    config.warnings()


@SETTINGS
@given(
    st.dictionaries(st.sampled_from(["review.max_prompt_tokens", "review.timeouts.gemini"]), ODD, min_size=1)
)
def test_a_first_party_lane_plans_under_any_configured_number(values: dict[str, Any]) -> None:
    found = next(capability.decoded for capability in first_party() if capability.id == "gemini")
    assert found is not None and found.reviewer is not None
    config = _config(found.config, found.reviewer, values, "user")
    reviewer = Reviewer(identity="gemini", kind="lane", slug="gemini")
    made = planning.plan(
        planning.Ask(
            reviewer=reviewer,
            lane=found.reviewer,
            config=config,
            overrides=planning.Overrides(),
            places=PLACES,
        )
    )
    assert isinstance(made, SpawnInvocation)
    _assert_whole(made)
