"""`msd code-review`: real repositories, real reviewers on PATH, what is written and how it ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from msd_review.change.model import NEAR_LINES
from msd_review.errors import ConfigError, UsageError
from tests.change_samples import FOUND, Reviewers, feature, project, reviewed
from tests.git_samples import commit, git
from tests.installed import Desk, new_desk

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.fixture
def lanes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reviewers:
    return Reviewers(tmp_path / "lanes", monkeypatch)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return feature(tmp_path / "r")


def concerns(*items: str) -> str:
    return (
        "## Summary\nIt breaks.\n\n## Concerns\n"
        + "\n".join(f"- {item}" for item in items)
        + "\n\n## Risk\nHIGH\n"
    )


def written(root: Path, name: str = "REVIEW.md") -> str:
    return (root / name).read_text(encoding="utf-8")


def document(root: Path) -> Any:
    return json.loads(written(root, "REVIEW.json"))


def test_a_finding_in_the_change_is_told_with_its_place_and_who_said_it(root: Path, lanes: Reviewers) -> None:
    lanes.claude()
    ended = reviewed(root, options={"fail_on": "high"})
    assert ended.exit_code == 1
    text = written(root)
    assert "# Code Review — change since main\n" in text
    assert "| `app.py` | modified | +1 −1 |  |" in text
    assert (
        "### In the Change\n\n- **HIGH** the total loses its last item (app.py:2). (in changed lines)" in text
    )
    assert "[claude](#claude-review) (external: claude) · `app.py:2`" in text
    data = document(root)
    (finding,) = data["findings"]
    assert (finding["provenance"], finding["verified"]) == ("external: claude", True)
    assert finding["citations"][0]["placement"] == "changed"
    assert data["change"]["files"][0]["path"] == "app.py"
    schema = json.loads((SCHEMAS / "msd.reviews-1.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(data)


def test_what_the_reviewer_is_sent_holds_names_and_no_line_of_any_file(root: Path, lanes: Reviewers) -> None:
    lanes.claude()
    reviewed(root, depth="deep")
    prompt = lanes.prompt()
    assert '{"path": "app.py", "change": "modified", "added": 1, "removed": 1}' in prompt
    assert f'"root": "{root}"' in prompt
    assert f'"base": "{git(root, "merge-base", "main", "HEAD")}"' in prompt
    assert '"depth": "deep",\n"depth_means": "Read the changed files whole and follow every effect' in prompt
    assert "return sum" not in prompt
    for prohibition in (
        "Edit nothing",
        "Run no tests",
        "Start nothing in the background",
        "Work in one pass",
    ):
        assert prohibition in prompt


def test_a_claim_whose_places_are_not_there_is_set_apart_and_fails_no_gate(
    root: Path, lanes: Reviewers
) -> None:
    lanes.claude(
        concerns(
            "**HIGH**: it leaks keys (vault.py:9).", "**HIGH**: it is slow.", "**LOW**: naming (app.py:1)."
        )
    )
    ended = reviewed(root, options={"fail_on": "medium"})
    assert ended.exit_code == 0
    text = written(root)
    assert "## Unverified Claims\n" in text
    assert "- HIGH it leaks keys (vault.py:9). — claude (external: claude) · `vault.py:9` (missing)" in text
    assert "- HIGH it is slow. — claude (external: claude) · cites nothing" in text
    assert "findings: {high: 0, medium: 0, low: 1}" in text
    assert document(root)["summary"]["unverified"] == 2


def test_an_unverified_claim_makes_no_verified_concern_graver(root: Path, lanes: Reviewers) -> None:
    lanes.claude(concerns("**LOW**: the total loses its last item (app.py:2)."))
    lanes.codex(concerns("**HIGH**: the total loses its last item (nowhere.py:2)."))
    ended = reviewed(root, named=("claude", "codex"), options={"fail_on": "medium"})
    assert ended.exit_code == 0
    (cluster,) = document(root)["clusters"]
    assert (cluster["severity"], cluster["reviewers"], cluster["agreed"]) == ("low", ["claude"], False)


def test_a_place_outside_the_change_is_told_as_such(root: Path, lanes: Reviewers) -> None:
    lanes.claude(concerns("**MEDIUM**: the constant is unused (lib.py:1)."))
    ended = reviewed(root, options={"fail_on": "medium"})
    assert ended.exit_code == 1
    assert (
        "### Outside the Change\n\n- **MEDIUM** the constant is unused (lib.py:1). (outside the change)"
        in written(root)
    )


def test_near_a_change_is_ten_lines(tmp_path: Path, lanes: Reviewers) -> None:
    lines = [b"line %d\n" % number for number in range(60)]
    root = project(tmp_path / "n", {"app.py": b"".join(lines)})
    git(root, "switch", "--quiet", "--create", "f")
    lines[29] = b"changed\n"
    commit(root, {"app.py": b"".join(lines)})
    near, far = 30 + NEAR_LINES, 31 + NEAR_LINES
    lanes.claude(
        concerns(
            f"**LOW**: first thing is odd (app.py:{near}).",
            f"**LOW**: another matter altogether (app.py:{far}).",
        )
    )
    reviewed(root)
    placements = {
        row["citations"][0]["line"]: row["citations"][0]["placement"] for row in document(root)["findings"]
    }
    assert placements == {near: "near", far: "elsewhere"}


def test_files_that_the_change_deletes_or_renames_are_no_inventions(tmp_path: Path, lanes: Reviewers) -> None:
    root = project(tmp_path / "r", {"gone.py": b"1\n2\n", "old.py": b"line\n" * 20})
    git(root, "switch", "--quiet", "--create", "f")
    git(root, "rm", "--quiet", "gone.py")
    git(root, "mv", "old.py", "new.py")
    git(root, "commit", "--quiet", "-m", "tidy")
    lanes.claude(
        concerns(
            "**HIGH**: its callers are left behind (gone.py:2).",
            "**LOW**: stale name in the docs (old.py:3).",
            "**LOW**: beyond its end (gone.py:9).",
        )
    )
    reviewed(root)
    verdicts = {
        row["title"].split(" (")[0]: row["citations"][0]["verdict"] for row in document(root)["findings"]
    }
    assert verdicts == {
        "its callers are left behind": "verified",
        "stale name in the docs": "moved",
        "beyond its end": "missing",
    }


@pytest.mark.parametrize("name", ["a b.py", "src/ümlaut.py", "new\nline.py"])
def test_a_name_that_is_hard_to_cite_hides_no_finding(tmp_path: Path, lanes: Reviewers, name: str) -> None:
    root = feature(tmp_path / "odd", {name: b"1\n2\n"})
    cited = json.dumps(name, ensure_ascii=False)[1:-1]
    block = {
        "schema": "msd.findings/1",
        "findings": [{"severity": "high", "title": "It breaks", "citations": [f"{cited}:2"]}],
    }
    for text in (
        concerns(f"**HIGH**: it breaks (`{cited}:2`)."),
        f"## Concerns\n- **HIGH**: It breaks\n\n```json\n{json.dumps(block)}\n```\n",
    ):
        lanes.claude(text)
        assert reviewed(root, options={"fail_on": "high"}).exit_code == 1
        (finding,) = document(root)["findings"]
        (citation,) = finding["citations"]
        assert (citation["resolved"], citation["line"], citation["placement"]) == (name, 2, "changed")


def test_two_reviewers_corroborate_the_internal_review_and_one_claim_stands_alone(
    root: Path, lanes: Reviewers, tmp_path: Path
) -> None:
    own = tmp_path / "own.md"
    own.write_text(
        concerns(
            "**HIGH**: the total loses its last item (app.py:2).",
            "**LOW**: the constant has no comment (lib.py:1).",
        )
    )
    lanes.claude()
    reviewed(root, internal=own)
    told = {row["title"].split(" (")[0]: row["corroboration"] for row in document(root)["clusters"]}
    assert told == {
        "the total loses its last item": "corroborated by claude",
        "the constant has no comment": "raised by the internal review alone",
    }
    assert "corroborated by claude" in written(root)
    assert "## internal Review (imported)" in written(root)


@pytest.mark.parametrize(
    "text",
    [
        {"schema": "msd.findings/1", "findings": [{"severity": "high", "title": "It loses one", "body": "b", "citations": ["app.py:2"]}]},
        {"findings": [{"severity": "error", "title": "It loses one", "file": "app.py", "line": 2}]},
        [{"severity": "critical", "message": "It loses one", "path": "app.py", "line": 2, "endLine": 2}],
    ],
)  # fmt: skip
def test_the_internal_review_may_be_json(root: Path, lanes: Reviewers, tmp_path: Path, text: Any) -> None:
    own = tmp_path / "own.json"
    own.write_text(json.dumps(text))
    lanes.claude(concerns("**LOW**: naming (app.py:1)."))
    ended = reviewed(root, internal=own, options={"fail_on": "high"})
    assert ended.exit_code == 1
    (row,) = [row for row in document(root)["findings"] if row["identity"] == "internal"]
    assert (row["title"], row["severity"], row["citations"][0]["line"], row["provenance"]) == (
        "It loses one",
        "high",
        2,
        "internal",
    )


def test_a_lane_that_says_otherwise_contradicts_the_internal_review(
    root: Path, lanes: Reviewers, tmp_path: Path
) -> None:
    own = tmp_path / "own.md"
    own.write_text(concerns("**HIGH**: the total loses its last item (app.py:2)."))
    lanes.claude(concerns("**LOW**: the total loses its last item (app.py:2)."))
    lanes.codex(
        "## Summary\nFine.\n\n## Strengths\n- The total loses no item, its last item is summed (app.py:2).\n\n## Concerns\nNone.\n"
    )
    reviewed(root, internal=own)
    (cluster,) = document(root)["clusters"]
    assert (
        cluster["corroboration"]
        == "corroborated by claude, contradicted: internal says HIGH, claude says LOW"
    )
    (root / "REVIEW.json").unlink()
    reviewed(root, named=("codex",), internal=own)
    (cluster,) = document(root)["clusters"]
    assert cluster["corroboration"].startswith(
        "raised by the internal review alone, contradicted: internal says HIGH, codex praises it"
    )


def test_a_lane_that_takes_no_prompt_is_evidence_of_the_diff_alone(root: Path, lanes: Reviewers) -> None:
    lanes.coderabbit()
    lanes.claude()
    ended = reviewed(root, named=("claude", "coderabbit"))
    rows = {row["identity"]: row for row in document(root)["reviewers"]}
    assert ended.exit_code == 0
    assert rows["coderabbit"]["marks"] == ["diff_only"]
    assert rows["coderabbit"]["counted"] is False
    assert lanes.prompt("coderabbit") == ""
    assert document(root)["clusters"][0]["agreed"] is False


def test_a_prompt_beyond_a_lanes_budget_is_told_and_never_cut(root: Path, lanes: Reviewers) -> None:
    lanes.claude()
    (root / ".planning").mkdir()
    (root / ".planning" / "config.json").write_text(
        '{"review": {"max_prompt_tokens_per_reviewer": {"claude": 100}}}'
    )
    git(root, "add", "-A")
    git(root, "commit", "--quiet", "-m", "budget")
    git(root, "branch", "--force", "main", "HEAD")
    (root / "app.py").write_bytes(b"changed\n")
    ended = reviewed(root)
    assert ended.exit_code == 4
    (row,) = [row for row in document(root)["skipped"] if row["identity"] == "claude"]
    assert row["reason"] == "prompt_too_large"
    assert not lanes.was_asked()


def test_nothing_changed_asks_nobody_and_leaves_an_earlier_review_alone(
    tmp_path: Path, lanes: Reviewers
) -> None:
    lanes.claude()
    root = project(tmp_path / "r")
    ended = reviewed(root)
    assert (ended.exit_code, ended.document["change"]["files"], ended.document["reviewers"]) == (0, [], [])
    assert not lanes.was_asked()
    assert not (root / "REVIEW.md").exists()


def test_the_report_itself_is_no_part_of_the_next_change(root: Path, lanes: Reviewers) -> None:
    lanes.claude()
    reviewed(root)
    reviewed(root)
    data = document(root)
    assert [file["path"] for file in data["change"]["files"]] == ["app.py"]
    assert data["cycle"] == 2
    assert data["clusters"][0]["status"] == "open"


def test_without_a_phase_the_reviewer_that_checks_plans_is_left_out_and_that_is_said(
    root: Path, lanes: Reviewers
) -> None:
    lanes.claude()
    reviewed(root, named=("claude", "grounding"))
    (row,) = [row for row in document(root)["skipped"] if row["identity"] == "grounding"]
    assert (row["outcome"], row["detail"]) == ("skipped", "it checks plans, and no phase was named")


class TestPolicyOfTheGate:
    """The gate is what the base revision says, whatever the reviewed range says."""

    @pytest.fixture
    def strict(self, root: Path) -> Path:
        git(root, "switch", "--quiet", "main")
        commit(
            root,
            {".planning/config.json": b'{"review": {"fail_on": "high", "excluded_reviewers": ["codex"]}}'},
        )
        git(root, "switch", "--quiet", "feature")
        git(root, "rebase", "--quiet", "main")
        return root

    def test_a_change_does_not_loosen_the_gate_that_judges_it(self, strict: Path, lanes: Reviewers) -> None:
        lanes.claude()
        commit(
            strict,
            {".planning/config.json": b'{"review": {"fail_on": "never", "default_reviewers": ["claude"]}}'},
        )
        ended = reviewed(strict)
        assert ended.exit_code == 1
        told = document(strict)["change"]["policy_changes"]
        assert told[:3] == [
            "The reviewed range sets review.default_reviewers to ['claude']; main has nothing, and that holds for this review.",
            "The reviewed range sets review.excluded_reviewers to nothing; main has ['codex'], and that holds for this review.",
            "The reviewed range sets review.fail_on to 'never'; main has 'high', and that holds for this review.",
        ]
        assert "**The reviewed range sets review.fail\\_on" in written(strict) or "review.fail_on" in written(
            strict
        )

    def test_an_uncommitted_change_of_the_policy_does_not_count_either(
        self, strict: Path, lanes: Reviewers
    ) -> None:
        lanes.claude()
        (strict / ".planning" / "config.json").write_text('{"review": {"fail_on": "never"}}')
        assert reviewed(strict).exit_code == 1

    def test_a_new_policy_file_decides_nothing(self, root: Path, lanes: Reviewers) -> None:
        lanes.claude()
        commit(root, {".planning/config.json": b'{"review": {"fail_on": "high"}}'})
        assert reviewed(root).exit_code == 0

    def test_who_is_excluded_at_the_base_cannot_be_let_in(self, strict: Path, lanes: Reviewers) -> None:
        lanes.codex()
        commit(strict, {".planning/config.json": b"{}"})
        with pytest.raises(UsageError) as told:
            reviewed(strict, named=("codex",))
        assert told.value.message == "codex is named and excluded at once"

    def test_a_model_that_the_change_configures_is_not_used(self, strict: Path, lanes: Reviewers) -> None:
        lanes.claude()
        commit(
            strict,
            {
                ".planning/config.json": b'{"review": {"fail_on": "high", "excluded_reviewers": ["codex"], "models": {"claude": "tiny"}}}'
            },
        )
        reviewed(strict)
        assert document(strict)["reviewers"][0]["model"] is None

    def test_a_broken_policy_at_the_base_is_an_error(self, root: Path, lanes: Reviewers) -> None:
        lanes.claude()
        git(root, "switch", "--quiet", "main")
        commit(root, {".planning/config.json": b"{"})
        git(root, "switch", "--quiet", "feature")
        with pytest.raises(ConfigError):
            reviewed(root)

    def test_the_users_own_config_and_the_command_line_still_count(
        self, strict: Path, lanes: Reviewers
    ) -> None:
        lanes.claude()
        assert reviewed(strict, options={"fail_on": "never"}).exit_code == 0

    def test_a_dismissal_in_the_reviewed_range_is_not_honoured_and_one_of_the_base_is(
        self, root: Path, lanes: Reviewers
    ) -> None:
        lanes.claude()
        reviewed(root)
        identity = document(root)["clusters"][0]["id"]
        dismissals = {
            "schema": "msd.dismissals/1",
            "dismissals": [{"id": identity, "because": "fine", "title": "", "fingerprints": {}}],
        }
        commit(root, {"REVIEW.DISMISSALS.json": json.dumps(dismissals).encode()})
        (root / "REVIEW.json").unlink()
        git(root, "rm", "--quiet", "--cached", "--ignore-unmatch", "REVIEW.json", "REVIEW.md")
        ended = reviewed(root, options={"fail_on": "high"})
        assert ended.exit_code == 1
        assert (
            "The reviewed range adds REVIEW.DISMISSALS.json; for this review what main has holds."
            in document(root)["change"]["policy_changes"]
        )
        git(root, "branch", "--force", "main", "HEAD")
        (root / "app.py").write_bytes(b"def total(items):\n    return sum(items[1:])\n")
        assert reviewed(root, options={"fail_on": "high"}).exit_code == 0
        assert document(root)["clusters"][0]["status"] == "dismissed"


class TestBaseline:
    """Only concerns that the baseline does not hold fail."""

    @pytest.fixture
    def known(self, root: Path, lanes: Reviewers, tmp_path: Path) -> Path:
        lanes.claude()
        reviewed(root)
        (root / "REVIEW.json").rename(tmp_path / "baseline.json")
        return tmp_path / "baseline.json"

    def test_a_known_concern_is_shown_and_fails_nothing_and_a_new_one_fails(
        self, root: Path, lanes: Reviewers, known: Path
    ) -> None:
        assert reviewed(root, baseline=known, options={"fail_on": "low"}).exit_code == 0
        assert "### Known Before\n\n- **HIGH** the total loses its last item" in written(root)
        lanes.claude(
            concerns(
                "**HIGH**: the total loses its last item (app.py:2).",
                "**LOW**: the constant has no comment (lib.py:1).",
            )
        )
        assert reviewed(root, baseline=known, options={"fail_on": "low"}).exit_code == 1
        assert reviewed(root, baseline=known, options={"fail_on": "high"}).exit_code == 0

    def test_a_known_concern_that_became_worse_is_new(
        self, root: Path, lanes: Reviewers, known: Path
    ) -> None:
        known.write_text(
            known.read_text()
            .replace('"severity": "high"', '"severity": "low"')
            .replace('"claude": "high"', '"claude": "low"')
        )
        assert reviewed(root, baseline=known, options={"fail_on": "high"}).exit_code == 1

    def test_a_baseline_that_the_change_brings_is_not_read(
        self, root: Path, lanes: Reviewers, known: Path
    ) -> None:
        commit(root, {"baseline.json": known.read_bytes()})
        ended = reviewed(root, baseline=root / "baseline.json", options={"fail_on": "high"})
        assert ended.exit_code == 1
        assert ended.document["change"]["policy_changes"] == [
            "The baseline baseline.json is not in main, so every concern counts as new."
        ]

    def test_a_baseline_of_the_base_holds_although_the_change_empties_it(
        self, root: Path, lanes: Reviewers, known: Path
    ) -> None:
        git(root, "switch", "--quiet", "main")
        commit(root, {"baseline.json": known.read_bytes()})
        git(root, "switch", "--quiet", "feature")
        ended = reviewed(root, baseline=root / "baseline.json", options={"fail_on": "high"})
        assert ended.exit_code == 0
        assert ended.document["change"]["policy_changes"] == [
            "The reviewed range removes baseline.json; for this review what main has holds."
        ]


PLAN = b"""---
phase: 1
plan: 01-01
requirements: [CORE-01]
files_modified: [app.py]
must_haves:
  truths:
    - "`total` counts every item"
    - "The page is fast"
  artifacts:
    - path: app.py
      provides: the sum
      contains: "def total"
    - path: export.py
      provides: the export
  key_links:
    - from: app.py
      to: lib.py
      pattern: import lib
---
<objective>Sum.</objective>
"""


def test_with_a_phase_the_report_says_which_promise_the_change_does_not_show(
    root: Path, lanes: Reviewers
) -> None:
    git(root, "switch", "--quiet", "main")
    commit(root, {
        ".planning/phases/01-core/01-01-PLAN.md": PLAN,
        ".planning/ROADMAP.md": b"### Phase 1: Core\n**Requirements**: CORE-01, CORE-02\n",
        ".planning/REQUIREMENTS.md": b"- [ ] **CORE-01**: sums\n- [ ] **CORE-02**: exports\n",
    })  # fmt: skip
    git(root, "switch", "--quiet", "feature")
    git(root, "rebase", "--quiet", "main")
    lanes.claude()
    reviewed(root, options={"phase": "1"})
    folder = root / ".planning" / "phases" / "01-core"
    data = json.loads((folder / "01-REVIEW.json").read_text())
    standings = {(row["kind"], row["text"].split(" ")[0]): row["standing"] for row in data["coverage"]}
    assert standings == {
        ("requirement", "CORE-01"): "shown",
        ("requirement", "CORE-02"): "not shown",
        ("artifact", "app.py"): "shown",
        ("artifact", "export.py"): "not shown",
        ("link", "app.py"): "not shown",
        ("truth", "`total`"): "not told",
        ("truth", "The"): "not told",
    }
    assert (
        "## Plan Coverage\n\n3 promises of the phase's plans are not shown by this change."
        in (folder / "01-REVIEW.md").read_text()
    )
    prompt = lanes.prompt()
    assert "CORE-02" in prompt
    assert "<objective>Sum.</objective>" in prompt
    assert "The plan behind the change" in prompt


class TestFromTheOutside:
    """The installed command, as CI runs it."""

    @pytest.fixture
    def desk(self, tmp_path: Path) -> Desk:
        desk = new_desk(tmp_path)
        desk.project.rmdir()
        feature(desk.project)
        return desk

    def test_github_gets_annotations_and_a_job_summary(self, desk: Desk, tmp_path: Path) -> None:
        desk.claude(FOUND)
        summary = tmp_path / "summary.md"
        ended = desk.run(
            "code-review", "--claude", "--fail-on", "high", "--format", "sarif,md", "--json",
            env={"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(summary), "CI": "true"},
        )  # fmt: skip
        assert ended.code == 1, ended.err
        assert ended.document["schema"] == "msd.reviews/1"
        assert (
            "::error file=app.py,line=2,endLine=2,title=msd%3A HIGH::the total loses its last item (app.py:2) (external: claude)"
            in ended.err.splitlines()
        )
        assert summary.read_text().startswith("# Code Review — change since main\n")
        assert sorted(path.name for path in desk.project.glob("REVIEW.*")) == ["REVIEW.md", "REVIEW.sarif"]

    def test_without_a_terminal_nobody_is_asked_and_nobody_unnamed_is_sent_anything(self, desk: Desk) -> None:
        desk.claude(before="open(os.environ['HOME'] + '/called', 'w').write(prompt)")
        ended = desk.run("code-review")
        assert ended.code == 5, ended.err
        assert not (desk.base / "home" / "called").exists()

    def test_a_rehearsal_says_what_would_be_sent_and_starts_nothing(self, desk: Desk) -> None:
        desk.claude(before="open(os.environ['HOME'] + '/called', 'w').write(prompt)")
        ended = desk.run("code-review", "--claude", "--dry-run")
        assert ended.code == 0, ended.err
        assert "would be sent (service: anthropic): names of the changed files; about" in ended.out
        assert not (desk.base / "home" / "called").exists()
        assert not (desk.project / "REVIEW.md").exists()

    def test_no_git_is_one_line_and_a_way_out(self, tmp_path: Path) -> None:
        desk = new_desk(tmp_path, {"a.py": "1\n"})
        ended = desk.run("code-review")
        assert ended.code == 2
        assert ended.err.splitlines() == [
            f"msd: error: {desk.project} is not in a git repository, so there is no change to review",
            "hint: a plan can be reviewed without git: msd review PLAN.md",
        ]
