"""What ships: every capability valid, the lanes declared as they were measured, the roster in its order."""

import subprocess
import sys
from pathlib import Path

import pytest

from msd_review.manifest.decode import decode
from msd_review.manifest.merged import Member, check_set
from msd_review.manifest.model import HttpInvoke, Lane, SpawnInvoke
from msd_review.manifest.vocabulary import BUDGET_KEY_PREFIX
from msd_review.outcomes import Reason
from msd_review.registry import Capability, first_party, load_registry
from msd_review.registry.first_party import FOLDER

ROSTER = (
    "gemini", "claude", "codex", "coderabbit", "opencode", "qwen", "cursor", "antigravity", "ollama", "lm_studio",
    "llama_cpp", "kimi-code", "grounding",
)  # fmt: skip
COMMANDS = {
    "claude": "claude --safe-mode --setting-sources user --no-session-persistence --strict-mcp-config --disable-slash-commands"
    " --tools Read,Glob,Grep {{model}} {{effort}} --output-format json -p",
    "codex": "codex exec --ephemeral --ignore-rules --sandbox read-only -c project_doc_max_bytes=0"
    " -c analytics.enabled=false {{model}} {{effort}} --skip-git-repo-check --json {{output}} -",
    "gemini": "gemini --skip-trust -e none --allowed-mcp-server-names none --approval-mode plan {{model}} -o json",
    "qwen": "qwen --bare --approval-mode plan --chat-recording false --max-wall-time {{nativeTimeout}} {{model}}"
    " -o json",
    "opencode": "opencode run --pure --agent plan --title review {{model}} {{effort}} --format json",
    "kimi-code": "kimi {{model}} --output-format stream-json -p {{prompt}}",
    "cursor": "cursor-agent -p {{model}} --mode ask --trust --output-format json {{prompt}}",
    "antigravity": "agy --print-timeout {{nativeTimeout}} {{model}} -p {{prompt}}",
    "coderabbit": "coderabbit review --plain",
    "grounding": "msd-grounding",
}
TIMEOUTS = {
    "claude": 1_200_000,
    "codex": 1_200_000,
    "antigravity": 600_000,
    "grounding": 120_000,
} | dict.fromkeys(("ollama", "lm_studio", "llama_cpp"), 120_000)
HOSTS = {
    "ollama": "http://localhost:11434",
    "lm_studio": "http://localhost:1234",
    "llama_cpp": "http://localhost:8080",
}
LANES = {entry.slug: entry.lane for entry in load_registry(first_party()).lanes}


@pytest.mark.parametrize("capability", first_party(), ids=lambda capability: capability.id)
def test_a_shipped_manifest_has_no_problem(capability: Capability) -> None:
    decoded = decode(capability.raw, folder=capability.folder.name)
    assert decoded.problems == ()
    assert decoded.manifest == capability.manifest


def test_every_folder_is_in_the_roster() -> None:
    folders = {path.parent.name for path in FOLDER.glob("*/capability.json")}
    assert {capability.id for capability in first_party()} == folders


def test_the_shipped_set_has_no_clash() -> None:
    members = [Member(order=(0, one.id, ""), value=one.raw, label=one.id) for one in first_party()]
    assert check_set(members) == ()


def test_the_roster_stands_in_its_order() -> None:
    assert load_registry(first_party()).slugs == ROSTER


@pytest.mark.parametrize("slug", sorted(COMMANDS))
def test_a_command_is_declared_as_it_was_driven(slug: str) -> None:
    invoke = LANES[slug].invoke
    assert isinstance(invoke, SpawnInvoke)
    assert " ".join((invoke.binary, *invoke.args)) == COMMANDS[slug]


@pytest.mark.parametrize("slug", sorted(HOSTS))
def test_a_server_is_where_it_is_by_default(slug: str) -> None:
    invoke = LANES[slug].invoke
    assert isinstance(invoke, HttpInvoke)
    assert (invoke.default_host, invoke.host_config_key) == (HOSTS[slug], f"review.{slug}_host")
    assert LANES[slug].handler == "openai-compatible"


@pytest.mark.parametrize("slug", ROSTER)
def test_a_lane_has_the_time_and_the_keys_of_its_own(slug: str) -> None:
    lane, keys = LANES[slug], {key.key: owner for owner, key in load_registry(first_party()).config_keys}
    assert lane.timeout_floor_ms == TIMEOUTS.get(slug, 900_000)
    named = (lane.prompt_budget_key, lane.timeout_config_key, lane.model_config_key, lane.effort_config_key)
    assert {key for key in named if key} <= keys.keys()
    assert lane.prompt_budget_key == BUDGET_KEY_PREFIX + slug
    assert set(lane.hints) <= set(Reason)


def test_only_lanes_whose_flags_prevent_edits_are_read_only() -> None:
    loose = {slug for slug, lane in LANES.items() if _posture(lane) == "unrestricted"}
    assert loose == {"antigravity", "kimi-code"}


def _posture(lane: Lane) -> str:
    return lane.invoke.posture if isinstance(lane.invoke, SpawnInvoke) else "read-only"


def test_both_flags_of_one_lane_choose_it() -> None:
    registry = load_registry(first_party())
    assert (
        registry.lane_of_flag("--agy")
        is registry.lane_of_flag("--ANTIGRAVITY")
        is registry.lane("antigravity")
    )


def test_loading_what_ships_imports_nothing_heavy() -> None:
    heavy = "{'pydantic', 'jsonschema', 'rich', 'httpx2', 'jinja2', 'markdown_it', 'yaml', 'nodesemver', 'rapidfuzz'}"
    code = (
        "import sys; from msd_review.registry import first_party, load_registry; load_registry(first_party());"
        f"print(sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path("/")
    )
    assert done.stdout == "[]\n"


def test_a_start_with_nothing_to_judge_does_not_load_the_decoder() -> None:
    code = "import sys, msd_review.registry; print('msd_review.manifest.decode' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path("/")
    )
    assert done.stdout == "False\n"
