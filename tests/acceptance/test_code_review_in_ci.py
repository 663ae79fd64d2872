"""The formats that CI systems take, each against its grammar, and the hooks under the real pre-commit."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from pre_commit.clientlib import load_manifest

from msd_review.report.annotations import step_annotations
from tests.change_samples import FOUND, Reviewers, feature, reviewed
from tests.git_samples import commit, git
from tests.installed import new_desk

ROOT = Path(__file__).parents[2]
ALL = ("md", "json", "sarif", "html", "codequality", "rdjson", "annotations")

# reviewdog's DiagnosticResult, as its definition in protobuf maps to JSON: unknown fields are errors.
RDJSON: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "source": {"type": "object", "additionalProperties": False, "properties": {"name": {"type": "string"}, "url": {"type": "string"}}},
        "severity": {"enum": ["UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO"]},
        "diagnostics": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["message", "location"],
                "properties": {
                    "message": {"type": "string", "minLength": 1},
                    "severity": {"enum": ["UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO"]},
                    "code": {"type": "object", "additionalProperties": False, "properties": {"value": {"type": "string"}, "url": {"type": "string"}}},
                    "location": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["path"],
                        "properties": {
                            "path": {"type": "string"},
                            "range": {
                                "type": "object",
                                "additionalProperties": False,
                                "properties": {"start": {"$ref": "#/$defs/position"}, "end": {"$ref": "#/$defs/position"}},
                            },
                        },
                    },
                },
            },
        },
    },
    "$defs": {"position": {"type": "object", "additionalProperties": False, "properties": {"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer"}}}},
}  # fmt: skip
CODE_QUALITY: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string"},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": "^[^/]"},
                    "lines": {"type": "object", "required": ["begin"], "properties": {"begin": {"type": "integer", "minimum": 1}}},
                },
            },
        },
    },
}  # fmt: skip
COMMAND = re.compile(r"::(error|warning|notice) ((?:file|line|endLine|title)=[^,:\r\n]*,?)+::[^\r\n]+")


@pytest.fixture
def lanes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reviewers:
    return Reviewers(tmp_path / "lanes", monkeypatch)


@pytest.fixture
def written(tmp_path: Path, lanes: Reviewers) -> Path:
    root = feature(tmp_path / "r", {"app.py": b"1\n2\n3\n", "a b.py": b"1\n"})
    lanes.claude("""## Concerns
- **HIGH**: the total loses its last item (app.py:2-3).
- **MEDIUM**: a name with a space: odd, 100 % (`a b.py:1`).
- **LOW**: the constant has no comment (lib.py:1).
- **HIGH**: nowhere to be found (gone.py:1).
""")
    reviewed(root, options={"formats": ALL})
    return root


def test_every_format_is_written_and_none_holds_an_unverified_claim(written: Path) -> None:
    names = sorted(path.name for path in written.glob("REVIEW.*"))
    assert names == [
        "REVIEW.annotations.txt", "REVIEW.codequality.json", "REVIEW.html", "REVIEW.json", "REVIEW.md", "REVIEW.rdjson.json",
        "REVIEW.sarif",
    ]  # fmt: skip
    for name in ("REVIEW.annotations.txt", "REVIEW.codequality.json", "REVIEW.rdjson.json", "REVIEW.sarif"):
        assert "gone.py" not in (written / name).read_text()


def test_rdjson_is_what_reviewdog_takes(written: Path) -> None:
    result = json.loads((written / "REVIEW.rdjson.json").read_text())
    Draft202012Validator(RDJSON).validate(result)
    first = result["diagnostics"][0]
    assert first["location"] == {"path": "app.py", "range": {"start": {"line": 2}, "end": {"line": 3}}}
    assert first["severity"] == "ERROR"


def test_code_quality_is_what_gitlab_takes_and_fingerprints_are_stable(written: Path) -> None:
    issues = json.loads((written / "REVIEW.codequality.json").read_text())
    Draft202012Validator(CODE_QUALITY).validate(issues)
    marks = [issue["fingerprint"] for issue in issues]
    assert len(set(marks)) == len(marks) == 3
    reviewed(written, options={"formats": ("codequality",), "output": str(written / "again.json")})
    assert [issue["fingerprint"] for issue in json.loads((written / "again.json").read_text())] == marks


def test_annotations_follow_the_grammar_of_workflow_commands(written: Path) -> None:
    lines = (written / "REVIEW.annotations.txt").read_text().splitlines()
    assert len(lines) == 3
    assert all(COMMAND.fullmatch(line) for line in lines)
    assert lines[0].startswith(
        "::error file=app.py,line=2,endLine=3,title=msd%3A HIGH::the total loses its last item"
    )


def test_sarif_points_at_verified_places_alone_and_says_who_found_what(written: Path) -> None:
    log = json.loads((written / "REVIEW.sarif").read_text())
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert run["automationDetails"]["id"] == "msd/code-review/"
    rules = run["tool"]["driver"]["rules"]
    assert not [rule for rule in rules if "plan" in json.dumps(rule)]
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert (written / place["artifactLocation"]["uri"].replace("%20", " ")).is_file()
        assert result["ruleId"] == rules[result["ruleIndex"]]["id"]
        assert result["properties"]["provenance"] == ["external: claude"]
        assert "baselineState" not in result
    placements = {r["properties"]["placement"] for r in run["results"]}
    assert placements == {"changed", "elsewhere"}


def test_sarif_says_which_results_a_baseline_knew(written: Path, lanes: Reviewers, tmp_path: Path) -> None:
    (written / "REVIEW.json").rename(tmp_path / "baseline.json")
    lanes.claude(
        "## Concerns\n- **HIGH**: the total loses its last item (app.py:2-3).\n- **LOW**: empty input is not handled at all (app.py:1).\n"
    )
    reviewed(written, baseline=tmp_path / "baseline.json", options={"formats": ("sarif",)})
    results = json.loads((written / "REVIEW.sarif").read_text())["runs"][0]["results"]
    assert sorted((result["level"], result["baselineState"]) for result in results) == [
        ("error", "unchanged"),
        ("note", "new"),
    ]


def test_only_ten_annotations_of_a_level_are_printed_and_the_rest_is_counted(
    tmp_path: Path, lanes: Reviewers
) -> None:
    words = [f"{one}{two}" for one in ("alpha", "bravo", "delta", "golf") for two in ("cat", "dog", "owl")]
    root = feature(tmp_path / "r", {f"{word}.py": b"1\n" for word in words})
    lanes.claude(
        "## Concerns\n"
        + "".join(f"- **HIGH**: the {word} module mishandles {word} ({word}.py:1).\n" for word in words)
    )
    lines = step_annotations(reviewed(root).report)
    assert [line.split(" ")[0] for line in lines] == ["::error"] * 10 + ["::notice"]
    assert lines[-1] == "::notice title=msd::2 further concerns in the job summary"


class TestAction:
    """The composite action, read as the runner reads it."""

    @pytest.fixture
    def action(self) -> Any:
        return yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))

    def test_it_is_a_composite_action_that_puts_no_input_into_a_script(self, action: Any) -> None:
        assert action["runs"]["using"] == "composite"
        for step in action["runs"]["steps"]:
            assert "${{" not in step["run"]
            assert step["shell"] == "bash"
        assert {"reviewers", "base", "fail-on", "depth", "baseline", "output"} <= set(action["inputs"])

    def test_its_script_runs_a_review_and_fails_with_it(self, action: Any, tmp_path: Path) -> None:
        desk = new_desk(tmp_path)
        desk.project.rmdir()
        feature(desk.project)
        desk.claude(FOUND)
        (desk.bin / "msd").symlink_to(Path(sys.executable).parent / "msd")
        outputs = tmp_path / "outputs"
        script = action["runs"]["steps"][1]["run"]
        env = {**desk.env(), "REVIEWERS": "claude", "BASE": "", "FAIL_ON": "high", "DEPTH": "quick", "BASELINE": "", "OUTPUT": "out",
               "GITHUB_OUTPUT": str(outputs), "GITHUB_ACTIONS": "true", "GITHUB_BASE_REF": "main"}  # fmt: skip
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=desk.project,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 1, done.stderr
        assert "::error file=app.py" in done.stdout
        assert outputs.read_text().splitlines()[0] == f"sarif={desk.project}/out/REVIEW.sarif"
        assert (desk.project / "out" / "REVIEW.sarif").is_file()


class TestPreCommit:
    """The hooks, under the real pre-commit."""

    def test_the_manifest_is_one_that_pre_commit_takes(self) -> None:
        hooks = load_manifest(str(ROOT / ".pre-commit-hooks.yaml"))
        assert [hook["id"] for hook in hooks] == ["msd-code-review", "msd-review"]
        assert all(hook["language"] == "python" for hook in hooks)

    def test_a_commit_with_a_finding_is_stopped_and_one_without_goes_through(self, tmp_path: Path) -> None:
        desk = new_desk(tmp_path)
        desk.project.rmdir()
        feature(desk.project)
        (desk.bin / "msd").symlink_to(Path(sys.executable).parent / "msd")
        # Nothing is installed here: the hooks run the msd that is on PATH, else as they are published.
        manifest = (
            (ROOT / ".pre-commit-hooks.yaml").read_text().replace("language: python", "language: system")
        )
        hooks = tmp_path / "hooks"
        hooks.mkdir()
        git(hooks, "init", "--quiet", "--initial-branch=main")
        revision = commit(hooks, {".pre-commit-hooks.yaml": manifest.encode()})
        config = {"repos": [{"repo": str(hooks), "rev": revision, "hooks": [{"id": "msd-code-review", "args": ["--claude", "--fail-on", "high", "--output", str(tmp_path / "out") + "/"]}]}]}  # fmt: skip
        commit(desk.project, {".pre-commit-config.yaml": yaml.safe_dump(config).encode()})
        (desk.project / "app.py").write_text("def total(items):\n    return 0\n")
        git(desk.project, "add", "app.py")
        (desk.project / "app.py").write_text("def total(items):\n    return 0  # not staged\n")
        desk.claude(FOUND)
        stopped = self.run_hooks(desk.project, desk.env(), tmp_path)
        assert stopped.returncode == 1, stopped.stdout + stopped.stderr
        assert "the total loses its last item" in stopped.stdout
        report = json.loads((tmp_path / "out" / "REVIEW.json").read_text())
        assert (report["change"]["until"], [file["path"] for file in report["change"]["files"]]) == (
            "the index",
            ["app.py"],
        )
        desk.claude("## Summary\nFine.\n\n## Concerns\nNone.\n\n## Risk\nLOW\n")
        passed = self.run_hooks(desk.project, desk.env(), tmp_path)
        assert passed.returncode == 0, passed.stdout + passed.stderr

    def run_hooks(self, project: Path, env: dict[str, str], base: Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--color=never"],
            cwd=project,
            env={
                **env,
                "PRE_COMMIT_HOME": str(base / "pre-commit"),
                "PATH": os.pathsep.join((env["PATH"], "/usr/bin")),
            },
            capture_output=True,
            text=True,
            check=False,
        )
