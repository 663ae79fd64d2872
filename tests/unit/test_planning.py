"""What a lane's declarations, the configuration and the command line together amount to: one exact call, or a reason."""

from pathlib import Path
from typing import Any

import pytest

from msd_review.config.layers import Config, Layer
from msd_review.config.schema import build_schema
from msd_review.errors import ConfigError, UsageError
from msd_review.invocation import HttpInvocation, NotPlanned, SpawnInvocation
from msd_review.lane_shape import base_url, shape_problem
from msd_review.manifest.model import CommandExists, ConfigKey, HttpInvoke, Lane, SpawnInvoke
from msd_review.outcomes import Outcome, Reason
from msd_review.planning import (
    MAX_ARGUMENT_BYTES,
    MAX_TIMEOUT_MS,
    Ask,
    Overrides,
    Places,
    native_timeout,
    plan,
    value_problem,
)
from msd_review.selection import Reviewer
from tests.lane_samples import lane as spawn_lane

MODEL, EFFORT, TIMEOUT = "review.models.acme", "review.effort.acme", "review.timeouts.acme"
BUDGET, HOST = "review.max_prompt_tokens_per_reviewer.acme", "review.acme_host"
KEYS = (
    ConfigKey(key=MODEL, type="string", default="", description="Model."),
    ConfigKey(key=EFFORT, type="string", default="", description="Effort."),
    ConfigKey(key=TIMEOUT, type="number", default=0, description="Seconds."),
    ConfigKey(key=HOST, type="string", default="", description="Server."),
)
FULL_ARGS = ("review", "{{model}}", "{{effort}}", "--limit", "{{nativeTimeout}}", "{{output}}", "{{prompt}}")


def invoke(**fields: Any) -> SpawnInvoke:
    given: dict[str, Any] = {
        "binary": "acme",
        "args": FULL_ARGS,
        "prompt_channel": "argv",
        "output_channel": "file-arg",
        "output_arg": "-o",
        "model_arg": "--model",
        "effort_channel": "argv",
        "effort_args": ("-c", "effort={{level}}"),
    }
    return SpawnInvoke(**(given | fields))


def acme(how: SpawnInvoke | None = None, **fields: Any) -> Lane:
    given: dict[str, Any] = {
        "invoke": how or invoke(),
        "timeout_floor_ms": 600_000,
        "model_config_key": MODEL,
        "effort_config_key": EFFORT,
        "timeout_config_key": TIMEOUT,
    }
    return spawn_lane("acme", **(given | fields))


def server(**fields: Any) -> Lane:
    given: dict[str, Any] = {
        "host_config_key": HOST,
        "path": "/v1/chat/completions",
        "model_discovery": "first-from-models-endpoint",
        "default_host": "http://localhost:11434",
        "fallback_model": "tiny",
    }
    return acme(transport="openai-http", invoke=HttpInvoke(**(given | fields)), handler="openai-compatible")


def ask(
    lane: Lane,
    config: dict[str, Any] | None = None,
    *,
    overrides: Overrides | None = None,
    reviewer: Reviewer | None = None,
    prompt: str | None = "Review this.",
) -> Ask:
    schema = build_schema([("acme", key) for key in KEYS], [("acme", lane)])
    return Ask(
        reviewer=reviewer or Reviewer(identity="acme", kind="lane", slug="acme"),
        lane=lane,
        config=Config(schema=schema, layers=(Layer(name="user", path=None, data=config or {}),)),
        overrides=overrides or Overrides(),
        places=Places(
            prompt_path=Path("/run/prompt.md"),
            prompt_text=prompt,
            lane_folder=Path("/run/acme"),
            working_folder=Path("/tree"),
        ),
    )


def spawned(what: Ask) -> SpawnInvocation:
    made = plan(what)
    assert isinstance(made, SpawnInvocation)
    return made


def requested(what: Ask) -> HttpInvocation:
    made = plan(what)
    assert isinstance(made, HttpInvocation)
    return made


def refused(what: Ask) -> NotPlanned:
    made = plan(what)
    assert isinstance(made, NotPlanned)
    assert made.outcome is Outcome.UNAVAILABLE
    return made


# The arguments


def test_every_placeholder_expands_to_what_holds_for_this_run() -> None:
    made = spawned(ask(acme(), {MODEL: "m1", EFFORT: "high"}))
    assert made.argv == (
        "acme", "review", "--model", "m1", "-c", "effort=high", "--limit", "540s", "-o", "/run/acme/review.out",
        "Review this.",
    )  # fmt: skip
    assert (made.model, made.effort, made.output_path) == ("m1", "high", Path("/run/acme/review.out"))
    assert not made.stdin


def test_a_placeholder_for_which_nothing_holds_vanishes() -> None:
    how = invoke(args=("a", "{{model}}", "{{effort}}", "{{output}}", "{{prompt}}", "z"), prompt_channel="stdin",
                 output_channel="stdout", output_arg=None)  # fmt: skip
    made = spawned(ask(acme(how)))
    assert made.argv == ("acme", "a", "z")
    assert made.stdin
    assert (made.model, made.effort, made.output_path) == (None, None, None)


def test_a_placeholder_inside_a_longer_text_and_an_unknown_one_stay_as_they_are() -> None:
    how = invoke(args=("--m={{model}}", "{{MODEL}}", "{{other}}", "{{prompt}}", "{{output}}"))
    made = spawned(ask(acme(how), {}))
    assert made.argv[1:4] == ("--m={{model}}", "{{MODEL}}", "{{other}}")


def test_a_repeated_placeholder_expands_each_time() -> None:
    how = invoke(args=("{{model}}", "{{prompt}}", "{{model}}", "{{output}}"))
    assert spawned(ask(acme(how), {MODEL: "m"})).argv[1:6] == ("--model", "m", "Review this.", "--model", "m")


def test_what_a_placeholder_expands_to_is_not_expanded_again() -> None:
    how = invoke(args=("{{prompt}}", "{{output}}", "{{model}}"))
    made = spawned(ask(acme(how), {MODEL: "{{prompt}}"}, prompt="{{model}}"))
    assert made.argv == ("acme", "{{model}}", "-o", "/run/acme/review.out", "--model", "{{prompt}}")


def test_a_prompt_by_reference_is_one_instruction_that_names_the_file_and_the_tree() -> None:
    made = spawned(ask(acme(invoke(prompt_channel="argv-file-ref"))))
    assert "/run/prompt.md" in made.argv[-1]
    assert "/tree" in made.argv[-1]
    assert "Review this." not in made.argv[-1]


def test_only_planning_shows_a_stand_in_for_the_prompt() -> None:
    assert spawned(ask(acme(), prompt=None)).argv[-1] == "<prompt>"


@pytest.mark.parametrize(
    ("timeout_ms", "shown"),
    [(600_000, "540s"), (1, "1s"), (1_999, "1s"), (61_000, "54s"), (10**10, "9000000s")],
)
def test_a_tool_gets_nine_tenths_of_the_time_in_whole_seconds(timeout_ms: int, shown: str) -> None:
    assert native_timeout(timeout_ms) == shown


@pytest.mark.parametrize("letter", ["x", "ä", "漢"])
def test_the_largest_argument_is_counted_in_bytes_and_passes_at_the_limit(letter: str) -> None:
    size = len(letter.encode())
    fits, over = MAX_ARGUMENT_BYTES // size, MAX_ARGUMENT_BYTES // size + 1
    assert spawned(ask(acme(), prompt=letter * fits)).argv[-1] == letter * fits
    no = refused(ask(acme(), prompt=letter * over))
    assert no.reason is Reason.PROMPT_TOO_LARGE
    assert no.detail == f"one argument would be {over * size:,} bytes; a system takes 122,880 at most"


def test_a_large_prompt_on_stdin_or_by_reference_is_no_argument() -> None:
    large = "x" * (MAX_ARGUMENT_BYTES + 1)
    for channel in ("stdin", "argv-file-ref"):
        spawned(ask(acme(invoke(prompt_channel=channel)), prompt=large))


# Lanes that validate and cannot be called


@pytest.mark.parametrize(
    ("lane", "reason", "detail"),
    [
        (acme(handler="nobody"), Reason.UNKNOWN_HANDLER, "this version has no handler called 'nobody'"),
        (acme(handler="openai-compatible"), Reason.MALFORMED_LANE,
         "the handler 'openai-compatible' does not fit the transport 'spawn'"),
        (server()._replace(handler="opencode"), Reason.MALFORMED_LANE,
         "the handler 'opencode' does not fit the transport 'openai-http'"),
        (acme(invoke(args=("{{output}}",))), Reason.MALFORMED_LANE,
         "its prompt goes into the arguments, which have no {{prompt}}"),
        (acme(invoke(args=("x{{prompt}}", "{{output}}"))), Reason.MALFORMED_LANE,
         "its prompt goes into the arguments, which have no {{prompt}}"),
        (acme(invoke(args=("{{prompt}}",))), Reason.MALFORMED_LANE,
         "its review goes to a file, and its arguments have no {{output}}"),
    ],
)  # fmt: skip
def test_a_lane_that_cannot_be_called_says_why(lane: Lane, reason: Reason, detail: str) -> None:
    assert shape_problem(lane) == (reason, detail)
    no = refused(ask(lane))
    assert (no.reason, no.detail) == (reason, detail)


def test_a_refusal_keeps_who_asked_and_the_manifests_own_way_out() -> None:
    lane = acme(handler="nobody", hints={"unknown_handler": "update msd"})
    reviewer = Reviewer(identity="acme-fast", kind="instance", slug="acme", named=True)
    no = refused(ask(lane, reviewer=reviewer))
    assert (no.identity, no.named, no.hint) == ("acme-fast", True, "update msd")


# The model


def test_the_command_line_beats_the_instance_and_the_instance_beats_the_configuration() -> None:
    own = Reviewer(identity="acme-fast", kind="instance", slug="acme", model="own")
    configured = {MODEL: "configured"}
    said = Overrides(models={"acme-fast": "said"})
    assert spawned(ask(acme(), configured)).model == "configured"
    assert spawned(ask(acme(), configured, reviewer=own)).model == "own"
    assert spawned(ask(acme(), configured, reviewer=own, overrides=said)).model == "said"


def test_an_instance_is_named_before_its_lane() -> None:
    own = Reviewer(identity="acme-fast", kind="instance", slug="acme")
    both = Overrides(models={"acme": "lane", "acme-fast": "instance"})
    assert spawned(ask(acme(), overrides=both, reviewer=own)).model == "instance"
    assert spawned(ask(acme(), overrides=Overrides(models={"acme": "lane"}), reviewer=own)).model == "lane"


@pytest.mark.parametrize(
    "args", [("{{prompt}}", "{{output}}"), ("--m={{model}}", "{{prompt}}", "{{output}}")]
)
def test_a_model_for_a_lane_that_takes_none_is_an_error_and_not_silence(args: tuple[str, ...]) -> None:
    lane = acme(invoke(args=args))
    with pytest.raises(UsageError) as said:
        plan(ask(lane, overrides=Overrides(models={"acme": "m"})))
    assert (said.value.message, said.value.hint) == (
        "acme cannot be asked for a model",
        "leave --model out for it",
    )
    with pytest.raises(ConfigError) as configured:
        plan(ask(lane, {MODEL: "m"}))
    assert configured.value.message == "acme cannot be asked for a model, and 'm' is configured for it"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("", "is empty"),
        ("-x", "starts with a dash and would become an option"),
        ("--help", "starts with a dash and would become an option"),
        (" m", "has white space at its ends"),
        ("m\u00a0", "has white space at its ends"),
        ("a\tb", "holds control characters"),
        ("a\x7fb", "holds control characters"),
        ("a\u202eb", "holds control characters"),
        ("a b", None),
        ("openai/gpt-x:free", None),
    ],
)
def test_a_value_that_would_become_an_option_is_refused(value: str, problem: str | None) -> None:
    assert value_problem(value) == problem


def test_a_bad_model_is_a_usage_error_where_it_was_typed_and_a_lost_lane_where_it_is_configured() -> None:
    with pytest.raises(UsageError) as problem:
        plan(ask(acme(), overrides=Overrides(models={"acme": "-x"})))
    assert problem.value.message == (
        "--model acme=-x: the value starts with a dash and would become an option"
    )
    no = refused(ask(acme(), {MODEL: "-x"}))
    assert no.reason is Reason.MALFORMED_LANE
    assert no.detail == "the configured model '-x' starts with a dash and would become an option"


# The effort


def test_the_effort_is_the_asked_one_then_the_configured_then_the_lanes_own() -> None:
    lane = acme(default_effort="low")
    said = Overrides(efforts={"acme": "max"})
    assert spawned(ask(lane)).effort == "low"
    assert spawned(ask(lane, {EFFORT: "medium"})).effort == "medium"
    assert spawned(ask(lane, {EFFORT: "medium"}, overrides=said)).effort == "max"


@pytest.mark.parametrize("where", ["configured", "asked", "default"])
def test_inherit_gives_no_argument(where: str) -> None:
    lane = acme(default_effort="inherit" if where == "default" else "low")
    config = {EFFORT: "inherit"} if where == "configured" else {}
    overrides = Overrides(efforts={"acme": "inherit"} if where == "asked" else {})
    made = spawned(ask(lane, config, overrides=overrides))
    assert made.effort is None
    assert "-c" not in made.argv


def test_an_unknown_configured_level_never_reaches_the_tool() -> None:
    made = spawned(ask(acme(default_effort="low"), {EFFORT: "turbo"}))
    assert made.effort == "low"
    assert made.notices == (f"{EFFORT} is 'turbo', which is no effort level; the default is used",)


def test_an_unknown_asked_level_is_a_usage_error_that_lists_the_levels() -> None:
    with pytest.raises(UsageError) as problem:
        plan(ask(acme(), overrides=Overrides(efforts={"acme": "turbo"})))
    assert problem.value.message == (
        "--effort acme=turbo: the levels are minimal, low, medium, high, xhigh, max, inherit"
    )


def test_an_effort_for_a_lane_that_takes_none_is_a_usage_error_and_a_configured_one_is_left_out() -> None:
    for lane in (acme(invoke(effort_channel="none")), server()):
        with pytest.raises(UsageError) as problem:
            plan(ask(lane, overrides=Overrides(efforts={"acme": "high"})))
        assert problem.value.message == "acme cannot be asked for an effort"
        assert plan(ask(lane, {EFFORT: "high"})).notices == ()


def test_an_effort_by_environment_goes_there_and_nowhere_else() -> None:
    how = invoke(effort_channel="env", effort_args=(), env={"ACME": "1"})
    made = spawned(ask(acme(how), {EFFORT: "high"}))
    assert made.env == {"ACME": "1", "MSD_EFFORT": "high"}
    assert "high" not in made.argv
    assert spawned(ask(acme(how))).env == {"ACME": "1"}


# The time


@pytest.mark.parametrize("value", [None, 0, -5, "900", True, [900], {}])
def test_a_timeout_that_is_no_positive_number_is_unset(value: object) -> None:
    made = spawned(ask(acme(), {TIMEOUT: value}))
    assert (made.timeout_ms, made.notices) == (600_000, ())


def test_a_configured_timeout_below_the_floor_is_raised_to_it_and_said() -> None:
    made = spawned(ask(acme(), {TIMEOUT: 1.5}))
    assert made.timeout_ms == 600_000
    assert made.notices == (f"{TIMEOUT} is 1.5 s, below this lane's floor of 600 s; the floor holds",)


def test_a_configured_timeout_above_the_floor_holds() -> None:
    made = spawned(ask(acme(), {TIMEOUT: 900.0005}))
    assert (made.timeout_ms, made.notices) == (900_000, ())


@pytest.mark.parametrize(
    ("seconds", "milliseconds"), [(2, 2000), (0.5, 500), (0.00001, 1), (1200, 1_200_000)]
)
def test_the_command_line_alone_goes_below_the_floor(seconds: float, milliseconds: int) -> None:
    made = spawned(ask(acme(), {TIMEOUT: 900}, overrides=Overrides(timeouts={"acme": seconds})))
    assert (made.timeout_ms, made.notices) == (milliseconds, ())


def test_a_time_beyond_what_a_clock_counts_is_cut_to_that() -> None:
    assert spawned(ask(acme(), {TIMEOUT: 1e15})).timeout_ms == MAX_TIMEOUT_MS
    assert spawned(ask(acme(timeout_floor_ms=2**53 - 1))).timeout_ms == MAX_TIMEOUT_MS


@pytest.mark.parametrize("value", [1e308, 10**400, -(10**400)])
def test_a_number_too_large_for_arithmetic_is_the_default_with_a_warning(value: float) -> None:
    what = ask(acme(), {TIMEOUT: value, BUDGET: value})
    made = spawned(what)
    assert (made.timeout_ms, made.prompt_budget) == (600_000, None)
    assert [warning.split(",")[0] for warning in what.config.warnings()] == [
        f"user: {key} should be a number of at most 1e+15" for key in (TIMEOUT, BUDGET)
    ]


# The budget


@pytest.mark.parametrize(
    ("own", "central", "budget"),
    [
        (None, None, None),
        (None, 5000, 5000),
        (-1, 5000, 5000),
        (0, 5000, None),
        (800, 5000, 800),
        (800.9, None, 800),
        (None, 0, None),
        (None, -1, None),
    ],
)
def test_a_lanes_own_budget_wins_zero_is_no_trimming_and_unset_falls_through(
    own: float | None, central: float | None, budget: int | None
) -> None:
    made = spawned(ask(acme(), {BUDGET: own, "review.max_prompt_tokens": central}))
    assert made.prompt_budget == budget


def test_a_budget_key_that_its_capability_declares_as_text_is_unset() -> None:
    lane = acme(prompt_budget_key=MODEL, model_config_key=None)
    assert spawned(ask(lane, {MODEL: "m", "review.max_prompt_tokens": 7})).prompt_budget == 7


# Servers


def test_a_server_without_configuration_is_the_manifests_own() -> None:
    made = requested(ask(server()))
    assert (made.host, made.host_origin) == ("http://localhost:11434", "manifest")
    assert made.url == "http://localhost:11434/v1/chat/completions"
    assert made.models_url == "http://localhost:11434/v1/models"
    assert (made.model, made.fallback_model) == (None, "tiny")


def test_a_configured_base_that_ends_in_v1_does_not_double_the_declared_path() -> None:
    made = requested(ask(server(), {HOST: "HTTPS://Example.com:443/v1/"}))
    assert (made.host, made.host_origin) == ("https://example.com/v1", "user")
    assert made.url == "https://example.com/v1/chat/completions"
    assert made.models_url == "https://example.com/v1/models"


def test_a_server_that_lists_no_models_is_not_asked_for_them() -> None:
    assert requested(ask(server(model_discovery="none"))).models_url is None


def test_no_server_anywhere_names_the_key_to_set() -> None:
    lane = server(default_host=None)
    no = refused(ask(lane, {HOST: "  "}))
    assert no.reason is Reason.HOST_UNREACHABLE
    assert no.detail == f"no server is configured for acme: set {HOST}"


@pytest.mark.parametrize("base", ["ftp://h", "localhost:11434", "http://", "http://["])
def test_a_base_url_that_is_none_loses_the_lane_and_names_its_key(base: str) -> None:
    no = refused(ask(server(), {HOST: base}))
    assert no.reason is Reason.MALFORMED_LANE
    assert HOST in no.detail


def test_a_host_key_that_nobody_declares_leaves_the_manifests_own() -> None:
    lane = server(host_config_key="nobody.declares")
    assert isinstance(lane.invoke, HttpInvoke)
    config = ask(lane, {"nobody": {"declares": "http://elsewhere"}}).config
    assert base_url(lane, lane.invoke, config) == ("http://localhost:11434", "manifest")


def test_a_request_takes_a_model_a_time_and_a_budget_as_a_command_does() -> None:
    said = Overrides(models={"acme": "m"}, timeouts={"acme": 3})
    made = requested(ask(server(), {BUDGET: 900}, overrides=said))
    assert (made.model, made.timeout_ms, made.prompt_budget) == ("m", 3000, 900)


def test_the_variable_that_holds_a_key_is_the_users_own_word() -> None:
    assert requested(ask(server(), {"review.api_key_env.acme": "ACME_KEY"})).api_key_env == "ACME_KEY"


# The agent


def test_an_agent_reaches_only_a_tool_that_has_agents() -> None:
    how = invoke(args=("run", "{{model}}"), prompt_channel="stdin", output_channel="stdout", output_arg=None)
    reviewer = Reviewer(identity="acme-plan", kind="instance", slug="acme", agent="plan")
    assert spawned(ask(acme(how, handler="opencode"), reviewer=reviewer)).argv == (
        "acme", "run", "--agent", "plan",
    )  # fmt: skip
    assert spawned(ask(acme(how), reviewer=reviewer)).argv == ("acme", "run")


def test_an_agent_that_would_become_an_option_loses_the_instance() -> None:
    reviewer = Reviewer(identity="acme-x", kind="instance", slug="acme", agent="--yolo")
    no = refused(ask(acme(), reviewer=reviewer))
    assert no.reason is Reason.MALFORMED_LANE
    assert no.detail == "the configured agent '--yolo' starts with a dash and would become an option"


def test_a_probe_is_no_part_of_a_plan() -> None:
    assert spawned(ask(acme(probe=CommandExists(binary="somebody-else")))).argv[0] == "acme"
