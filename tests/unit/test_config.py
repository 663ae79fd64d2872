"""Layers of configuration: precedence, origins, what is refused, and edits that lose nothing."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from msd_review.config.edit import parse_value, set_key, unset_key
from msd_review.config.layers import Config, Layer, load_layer, parse_config
from msd_review.config.schema import Schema, build_schema
from msd_review.errors import ConfigError, UsageError
from msd_review.manifest.model import ConfigKey

MODEL = ConfigKey(key="review.models.acme", type="string", default="", description="Model of the Acme lane.")
SCHEMA: Schema = build_schema([("acme", MODEL)], [])


def config(user: dict[str, Any] | None = None, project: dict[str, Any] | None = None) -> Config:
    layers = (
        Layer(name="user", path=Path("user.json"), data=user or {}),
        Layer(name="project", path=Path("project.json"), data=project or {}),
    )
    return Config(schema=SCHEMA, layers=layers)


def test_the_project_is_stronger_than_the_user_and_both_than_the_default() -> None:
    both = config({"review": {"fail_on": "low"}}, {"review": {"fail_on": "high"}})
    assert (both.get("review.fail_on").value, both.get("review.fail_on").origin) == ("high", "project")
    assert config({"review": {"fail_on": "low"}}).get("review.fail_on").origin == "user"
    assert config().get("review.fail_on").value == "never"


def test_a_key_may_be_written_flat_or_nested() -> None:
    for data in (
        {"review.models.acme": "m"},
        {"review": {"models.acme": "m"}},
        {"review": {"models": {"acme": "m"}}},
    ):
        assert config(data).text("review.models.acme") == "m"


@pytest.mark.parametrize("value", ["", "  ", "null", "undefined", None])
def test_a_blank_or_null_string_counts_as_unset(value: str | None) -> None:
    layered = config({"review": {"models": {"acme": "user-model"}}}, {"review": {"models": {"acme": value}}})
    assert layered.text("review.models.acme") == "user-model"


def test_a_value_of_the_wrong_type_is_never_coerced() -> None:
    wrong = config(project={"review": {"max_parallel": "4", "models": {"acme": 5}}})
    assert wrong.get("review.max_parallel").value == 0
    assert wrong.text("review.models.acme") is None
    assert wrong.warnings() == (
        'project.json: review.max_parallel should be a number, found "4"; the default is used',
        "project.json: review.models.acme should be a string, found 5; the default is used",
    )


def test_a_project_cannot_name_the_variable_that_holds_a_key() -> None:
    hostile = config(project={"review": {"api_key_env": {"ollama": "AWS_SECRET_ACCESS_KEY"}}})
    assert hostile.text("review.api_key_env.ollama") is None
    assert hostile.warnings() == (
        "project.json: review.api_key_env.ollama cannot be decided by a project; ignored",
    )


def test_a_project_can_tighten_the_environment_policy_and_not_loosen_it() -> None:
    assert config({}, {"review": {"env_policy": "minimal"}}).get("review.env_policy").value == "minimal"
    loosened = config({"review": {"env_policy": "minimal"}}, {"review": {"env_policy": "inherit"}})
    assert loosened.get("review.env_policy").value == "minimal"


def test_a_key_of_ours_that_nobody_declares_is_named() -> None:
    orphan = config({"review": {"models": {"gone": "m"}}, "theirs": {"x": 1}})
    assert orphan.warnings() == ("user.json: nothing declares review.models.gone; it has no effect",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n "b" 2}', "f.json:2:6: not valid JSON: Expecting ':' delimiter"),
        ('{"a": 1, "a": 2}', "f.json: the key 'a' stands twice in one object"),
        ('{"a": NaN}', "f.json: NaN is not JSON"),
        ("[1]", "f.json: expected an object at the top, found list"),
        ("{" + '"a":{' * 40 + "}" * 41, "f.json: nested more than 32 levels deep"),
    ],
)
def test_a_malformed_file_is_named_with_its_place(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_config(text, where="f.json")
    assert caught.value.message == message


def test_a_file_that_is_not_utf_8_is_named_with_its_byte(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b'{"a": "\xff"}')
    with pytest.raises(ConfigError, match="not UTF-8 at byte 7"):
        load_layer("user", path)


def test_an_edit_keeps_every_other_key_its_order_and_the_files_style(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(
        '{\n    "z": 1,\n    "review": {"fail_on": "low"},\n    "a": [1, 2]\n}\n', encoding="utf-8"
    )
    set_key(path, "review.max_parallel", 3)
    text = path.read_text(encoding="utf-8")
    assert list(json.loads(text)) == ["z", "review", "a"]
    assert json.loads(text)["review"] == {"fail_on": "low", "max_parallel": 3}
    assert text.startswith('{\n    "z"')
    assert unset_key(path, "review.max_parallel") is True
    assert unset_key(path, "review.max_parallel") is False
    assert json.loads(path.read_text(encoding="utf-8"))["review"] == {"fail_on": "low"}


def test_setting_below_a_value_that_is_no_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"review": 5}', encoding="utf-8")
    with pytest.raises(ConfigError, match="'review' holds 5, so nothing can be set below it"):
        set_key(path, "review.fail_on", "high")
    assert path.read_text(encoding="utf-8") == '{"review": 5}'


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("review.fail_on", "hihg", "review.fail_on takes one of never, high, medium, low, not 'hihg'"),
        ("review.max_parallel", "many", "review.max_parallel takes a number, not 'many'"),
        (
            "review.parallel_per_provider",
            "0",
            "review.parallel_per_provider takes a number of at least 1, not '0'",
        ),
    ],
)
def test_a_value_that_does_not_fit_is_refused_before_anything_is_written(
    key: str, text: str, message: str
) -> None:
    spec = SCHEMA.find(key)
    assert spec is not None
    with pytest.raises(UsageError) as caught:
        parse_value(spec, text)
    assert caught.value.message == message


def test_a_list_may_be_typed_with_commas() -> None:
    spec = SCHEMA.find("review.default_reviewers")
    assert spec is not None
    assert parse_value(spec, "codex, gemini") == ["codex", "gemini"]
    assert parse_value(spec, '["codex"]') == ["codex"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["review", "capabilities", "review.fail_on", "x"]), _JSON, max_size=4))
def test_no_json_value_in_a_layer_raises(data: dict[str, Any]) -> None:
    layered = config(data, data)
    layered.warnings()
    for key in SCHEMA.keys:
        layered.get(key)
