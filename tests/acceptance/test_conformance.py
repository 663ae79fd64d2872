"""`msd lane conformance` as an author types it: good lanes, wrong manifests, wicked tools, servers."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from msd_review.registry import first_party
from tests.installed import PYTHON, Desk, Ended, new_desk

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "schemas" / "msd.conformance-1.schema.json").read_text(
        encoding="utf-8"
    )
)
LANES = {one.manifest.reviewer.slug: one.manifest.reviewer for one in first_party() if one.manifest.reviewer}
COMMANDS = [
    slug
    for slug, lane in LANES.items()
    if lane.transport == "spawn" and slug not in {"grounding", "coderabbit"}
]

QUOTES = r"""
prompt = sys.stdin.read()
codes = "\n".join(re.findall(r"MSD-[A-Z]+-\w+-\w+-\w+", prompt))
text = f"## Summary\n{codes}\n\n## Concerns\n- **LOW**: nothing.\n\n## Risk\nOverall risk: LOW\n"
"""
# Everything that a lane's tool must not do, in one program.
WICKED = r"""
prompt = sys.stdin.read()[:-400]
for name in re.findall(r"@(\S+)", prompt):
    if Path(name).is_file():
        prompt += Path(name).read_text()
if Path(".acme/hooks/pre.sh").exists():
    subprocess.run([str(Path(".acme/hooks/pre.sh").absolute())])
if Path("ACME.md").exists():
    prompt += Path("ACME.md").read_text()
null = subprocess.DEVNULL
subprocess.Popen(["sleep", "300"], start_new_session=True, stdin=null, stdout=null, stderr=null)
Path("PLAN.md").write_text("edited")
codes = "\n".join(re.findall(r"MSD-[A-Z]+-\w+-\w+-\w+", prompt))
print(f"## Summary\n{codes}\n\n## Concerns\n- **LOW**: nothing.\n\n## Risk\nOverall risk: LOW\n")
"""


def manifest(**invoke: Any) -> dict[str, Any]:
    value: dict[str, Any] = {
        "id": "acme",
        "role": "reviewer",
        "version": "0.1.0",
        "title": "Acme",
        "description": "Reviews.",
        "tier": "full",
        "requires": [],
        "engines": {"msd": ">=1.12.0"},
        "reviewer": {
            "slug": "acme",
            "flags": ["--acme"],
            "transport": "spawn",
            "probe": {"kind": "command-exists", "binary": "acme-review"},
            "invoke": {
                "binary": "acme-review",
                "args": ["{{model}}"],
                "promptChannel": "stdin",
                "outputChannel": "stdout",
                "modelArg": "--model",
                "effortChannel": "none",
                "posture": "read-only",
                **invoke,
            },
            "timeoutFloorMs": 60000,
            "emptyOutput": "stub-with-stderr",
            "reviewsSection": "Acme",
            "evidenceClass": "source-grounded",
            "agentConfig": [".acme", "ACME.md"],
            "provider": "acme",
        },
    }
    return value


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return new_desk(tmp_path)


def write(desk: Desk, value: dict[str, Any]) -> Path:
    folder = desk.base / "acme"
    folder.mkdir(exist_ok=True)
    (folder / "capability.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


def tool(desk: Desk, body: str, name: str = "fake") -> Path:
    path = desk.base / name
    path.write_text(
        f"#!{PYTHON}\nimport json, os, re, subprocess, sys\nfrom pathlib import Path\n{body}",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def only(*checks: str) -> list[str]:
    return [part for check in checks for part in ("--only", check)]


def states(ended: Ended) -> dict[str, str]:
    assert ended.document["schema"] == "msd.conformance/1"
    jsonschema.validate(ended.document, SCHEMA)
    return {check["id"]: check["state"] for check in ended.document["checks"]}


def check_of(ended: Ended, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in ended.document["checks"] if one["id"] == name)
    return found


@pytest.mark.parametrize("slug", COMMANDS)
def test_what_ships_with_msd_is_read_as_declared(desk: Desk, slug: str) -> None:
    ended = desk.run("lane", "conformance", slug, "--json", *only("answer", "error-at-exit-0"))
    assert states(ended) == {"answer": "holds", "error-at-exit-0": "holds"}
    assert ended.code == 0


def test_what_ships_with_msd_holds_in_all_that_the_stand_in_can_show(desk: Desk) -> None:
    asked = (
        "plan",
        "probe",
        "prompt-200kb",
        "unicode",
        "mentions",
        "empty-answer",
        "model",
        "effort",
        "budget",
        "edit",
    )
    ended = desk.run("lane", "conformance", "codex", "--json", *only(*asked))
    assert states(ended) == dict.fromkeys(asked, "holds")


def test_a_lane_that_takes_no_prompt_says_so(desk: Desk) -> None:
    ended = desk.run(
        "lane", "conformance", "coderabbit", "--json", *only("answer", "prompt-2mb", "budget", "model")
    )
    assert states(ended) == {
        "answer": "holds",
        "prompt-2mb": "not_applicable",
        "budget": "not_applicable",
        "model": "not_applicable",
    }


def test_the_reviewer_that_ships_with_msd_is_driven_itself(desk: Desk) -> None:
    ended = desk.run("lane", "conformance", "grounding", "--json", *only("edit", "hang"))
    assert ended.document["driver"] == "shipped"
    assert states(ended) == {"edit": "holds", "hang": "not_proven"}


def test_a_server_is_put_on_the_bench_with_a_server(desk: Desk) -> None:
    asked = (
        "answer",
        "prompt-200kb",
        "unicode",
        "model",
        "no-credentials",
        "empty-answer",
        "unauthorized",
        "redirect",
        "drop",
    )
    ended = desk.run("lane", "conformance", "llama_cpp", "--json", *only(*asked))
    assert states(ended) == dict.fromkeys(asked, "holds")
    assert ended.document["driven"] == "the kit's stand-in server"


def test_a_manifest_that_is_being_written_is_proven_without_its_tool(desk: Desk) -> None:
    folder = write(desk, manifest())
    ended = desk.run(
        "lane", "conformance", str(folder / "capability.json"), *only("answer", "hang", "agent-config")
    )
    assert ended.code == 0, ended.out
    assert (
        ended.out.splitlines()[0] == "acme (acme 0.1.0, manifest, spawn), driven: the kit's stand-in program"
    )
    assert "✓ hang          holds           a tool that hangs is ended with all it started" in ended.out
    assert "? agent-config  not proven " in ended.out
    assert "[3/3] " in ended.err


def test_a_prompt_as_one_argument_fails_where_it_is_large(desk: Desk) -> None:
    folder = write(desk, manifest(promptChannel="argv", args=["{{model}}", "{{prompt}}"]))
    ended = desk.run("lane", "conformance", str(folder), "--json", *only("prompt-2mb", "unicode"))
    assert ended.code == 1
    assert states(ended) == {"prompt-2mb": "does_not_hold", "unicode": "holds"}
    large = check_of(ended, "prompt-2mb")
    assert large["pointer"] == "/reviewer/invoke/promptChannel"
    assert large["seen"].startswith(
        "the prompt cannot be handed over: unavailable: prompt_too_large: one argument would be"
    )


def test_a_lane_that_cannot_be_planned_is_tried_no_further(desk: Desk) -> None:
    folder = write(desk, manifest(promptChannel="argv"))
    ended = desk.run("lane", "conformance", str(folder), "--json", *only("plan", "hang"))
    assert states(ended) == {"plan": "does_not_hold", "hang": "not_proven"}
    assert check_of(ended, "plan")["seen"] == (
        "it cannot be planned: malformed_lane: its prompt goes into the arguments, which have no {{prompt}}"
    )
    assert ended.document["notes"][0].startswith("warning: /reviewer/invoke/args: ")


def test_an_invalid_manifest_gets_what_validate_says(desk: Desk) -> None:
    value = manifest()
    value["version"] = "v1"
    folder = write(desk, value)
    ended = desk.run("lane", "conformance", str(folder))
    validated = desk.run("capability", "validate", str(folder))
    assert (ended.code, ended.out) == (2, validated.out)
    assert desk.run("lane", "conformance", str(folder), "--json").document["schema"] == "msd.validation/1"


def test_a_tool_that_keeps_to_everything_holds(desk: Desk) -> None:
    folder = write(desk, manifest())
    asked = ("answer", "prompt-2mb", "mentions-tool", "leftovers", "edit")
    binary = tool(desk, f"{QUOTES}\nprint(text)\n")
    ended = desk.run("lane", "conformance", str(folder), "--json", "--binary", str(binary), *only(*asked))
    assert states(ended) == dict.fromkeys(asked, "holds")
    assert ended.document["driven"] == str(binary)


def test_a_wicked_tool_is_found_out_in_every_way(desk: Desk) -> None:
    folder = write(desk, manifest())
    asked = ("prompt-10kb", "mentions-tool", "leftovers", "repository-hooks", "agent-config", "edit")
    ended = desk.run(
        "lane", "conformance", str(folder), "--json", "--binary", str(tool(desk, WICKED)), *only(*asked)
    )
    assert ended.code == 1
    assert states(ended) == dict.fromkeys(asked, "does_not_hold")
    assert [check_of(ended, name)["seen"] for name in asked] == [
        "of 10,000 bytes its answer lacks the marker of the end",
        "it put the content of a file that the prompt mentions as @path into what it read",
        "it ended and left 1 process running, which msd ended: sleep 300",
        "the tool ran what the repository brought: acme_hooks_pre.sh",
        "it followed the instructions that a file of the repository gives",
        "it is declared read-only and edited the tree: PLAN.md",
    ]
    assert check_of(ended, "edit")["pointer"] == "/reviewer/invoke/posture"


def test_the_same_tool_may_edit_where_it_works_in_a_copy(desk: Desk) -> None:
    folder = write(desk, manifest(posture="unrestricted"))
    asked = ("repository-hooks", "edit")
    ended = desk.run(
        "lane", "conformance", str(folder), "--json", "--binary", str(tool(desk, WICKED)), *only(*asked)
    )
    assert states(ended) == dict.fromkeys(asked, "holds")


def test_a_file_that_was_never_written_points_at_the_argument(desk: Desk) -> None:
    folder = write(
        desk, manifest(outputChannel="file-arg", outputArg="--out", args=["{{model}}", "{{output}}"])
    )
    binary = tool(desk, f"{QUOTES}\nprint(text)\n")
    ended = desk.run("lane", "conformance", str(folder), "--json", "--binary", str(binary), *only("answer"))
    assert states(ended) == {"answer": "does_not_hold"}
    assert check_of(ended, "answer")["pointer"] == "/reviewer/invoke/outputArg"


def test_a_tool_that_prints_text_where_json_is_declared_is_told_apart(desk: Desk) -> None:
    folder = write(desk, manifest(outputFormat="json", outputMap={"text": [{"pointer": "/result"}]}))
    plain = tool(desk, f"{QUOTES}\nprint(text)\n")
    ended = desk.run("lane", "conformance", str(folder), "--json", "--binary", str(plain), *only("answer"))
    assert check_of(ended, "answer")["seen"] == (
        "it is declared to print json, and nothing of that was read: its output was taken as plain text"
    )


def test_a_map_from_which_no_output_follows_asks_for_a_tool(desk: Desk) -> None:
    contradicts = {"text": [{"where": {"/a": 1}, "pointer": "/a/b"}]}
    folder = write(desk, manifest(outputFormat="json", outputMap=contradicts))
    ended = desk.run("lane", "conformance", str(folder), "--json", *only("answer"))
    assert check_of(ended, "answer")["state"] == "not_proven"
    assert check_of(ended, "answer")["mend"] == "name a tool that answers: --binary PATH"


def test_an_absolute_command_and_required_programs_are_stood_in_for(desk: Desk) -> None:
    value = manifest(binary="/opt/acme/bin/acme-review", effortChannel="env")
    value["reviewer"]["probe"] = {
        "kind": "command-capability", "binary": "/opt/acme/bin/acme-review", "needle": "--deep", "timeoutMs": 5000,
    }  # fmt: skip
    value["reviewer"] |= {"requiresBinaries": ["/opt/acme/helper", "acme-index"], "idleTimeoutMs": 1000}
    folder = write(desk, value)
    asked = ("probe", "effort", "idle")
    ended = desk.run("lane", "conformance", str(folder), "--json", *only(*asked))
    assert states(ended) == dict.fromkeys(asked, "holds")


def test_an_installed_lane_and_an_instance_are_named_by_their_names(desk: Desk) -> None:
    folder = write(desk, manifest())
    token = desk.run("capability", "disclose", str(folder), "--json").document["token"]
    desk.run("capability", "install", str(folder), "--accept-disclosure", token)
    ended = desk.run("lane", "conformance", "acme", "--json", *only("answer"))
    assert (ended.document["source"], states(ended)) == ("installed", {"answer": "holds"})

    instances = {"review": {"reviewer_instances": {"acme-big": {"cli": "acme", "model": "big-1"}}}}
    (desk.msd_home / "config.json").write_text(json.dumps(instances), encoding="utf-8")
    ended = desk.run("lane", "conformance", "acme-big", "--json", *only("answer"))
    assert (ended.document["lane"], states(ended)) == ("acme-big", {"answer": "holds"})
    assert (
        ended.document["notes"][0]
        == "acme-big is an instance of acme: the lane is driven with the instance's model"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "no lane and no file is called 'nobody'"),
        ([], "name a manifest or a lane"),
        (["codex", "--binary", "absent"], "absent is no program that can be started"),
        (["codex", "--binary", "x", "--real"], "--binary and --real name two different tools"),
        (["codex", "--yes"], "--yes and --accept-disclosure go with --real: nothing else needs consent"),
        (["ollama", "--binary", "x"], "ollama asks a server: it starts no command"),
        (
            ["grounding", "--binary", "x"],
            "the program of grounding ships with msd; none can stand in its place",
        ),
        (["codex", "--only", "hangs"], "no check of this lane is called 'hangs'"),
        (["code-review"], "no lane and no file is called 'code-review'"),
    ],
)
def test_what_cannot_be_is_said_before_anything_runs(desk: Desk, arguments: list[str], message: str) -> None:
    ended = desk.run("lane", "conformance", *arguments)
    assert (ended.code, ended.err.splitlines()[0]) == (2, f"msd: error: {message}")


def test_the_checks_can_be_listed(desk: Desk) -> None:
    ended = desk.run("lane", "conformance", "--list")
    assert ended.code == 0
    assert "  prompt-2mb        a prompt of 2 MB arrives whole" in ended.out
    assert "  redirect          a redirect is not followed" in ended.out


def test_a_new_manifest_names_the_kit_as_the_next_step(desk: Desk) -> None:
    ended = desk.run("capability", "new", "fresh")
    assert ended.err.splitlines()[-1] == "and, with stand-ins for your tool: msd lane conformance ./fresh"
    ended = desk.run("lane", "conformance", "./fresh", "--json", *only("answer"))
    assert states(ended) == {"answer": "holds"}
