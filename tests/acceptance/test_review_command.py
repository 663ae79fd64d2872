"""`msd review` from the outside: exit codes, files, and what must never happen."""

import json
from pathlib import Path

import pytest

from tests.installed import REVIEW, Desk, example_desk, new_desk, reviews


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return example_desk(tmp_path)


def test_a_first_run_with_nothing_configured_gives_the_built_in_review(desk: Desk) -> None:
    ended = desk.run("review")
    assert ended.code == 0, ended.err
    markdown, document = reviews(desk)
    assert markdown.startswith("---\nphase: 2\nreviewers: [grounding]\n")
    assert "## Grounding Review" in markdown
    assert document["schema"] == "msd.reviews/1"
    assert ended.out.rstrip().splitlines()[-1].startswith("CYCLE_SUMMARY: current_high=")


def test_two_reviewers_that_share_a_concern_agree(desk: Desk) -> None:
    desk.claude()
    desk.codex(REVIEW.replace("does not exist in", "is missing from"))
    ended = desk.run("review", "--phase", "2", "--claude", "--codex", "--json")
    assert ended.code == 0, ended.err
    document = ended.document
    agreed = [cluster for cluster in document["clusters"] if cluster["agreed"]]
    assert [sorted(cluster["reviewers"]) for cluster in agreed][:1] == [["claude", "codex"]]
    assert [row["outcome"] for row in document["reviewers"]] == ["review", "review"]


def test_a_named_reviewer_that_is_not_here_is_exit_3_and_the_others_are_delivered(desk: Desk) -> None:
    desk.claude()
    ended = desk.run("review", "--phase", "2", "--claude", "--codex")
    assert ended.code == 3
    markdown, document = reviews(desk)
    assert [row["identity"] for row in document["reviewers"]] == ["claude"]
    assert "codex: missing_binary" in markdown.split("---")[1].replace("{", "").replace("}", "")


def test_a_failed_reviewer_is_never_a_clean_one(desk: Desk) -> None:
    desk.program(
        "claude",
        'sys.stdin.read(); print(json.dumps({"type":"result","is_error":True,"result":"API Error: 401 x"}))',
    )
    ended = desk.run("review", "--phase", "2", "--claude")
    assert ended.code == 4
    markdown, _ = reviews(desk)
    assert "reviewers_failed: {claude: auth_required}" in markdown


def test_findings_at_or_above_the_gate_are_exit_1(desk: Desk) -> None:
    desk.claude()
    assert desk.run("review", "--phase", "2", "--claude", "--fail-on", "high").code == 1
    assert desk.run("review", "--phase", "2", "--claude", "--fail-on", "never").code == 0


def test_nobody_is_sent_anything_that_nobody_agreed_to(desk: Desk) -> None:
    desk.claude(before="open(os.environ['HOME'] + '/called', 'w').write(prompt)")
    ended = desk.run("review", "--phase", "2")
    assert ended.code == 0
    assert not (desk.base / "home" / "called").exists()
    _, document = reviews(desk)
    blocked = {row["identity"]: row["reason"] for row in document["skipped"] if row["outcome"] == "blocked"}
    assert blocked == {"claude": "not_consented"}


def test_no_reviewer_at_all_is_exit_4_with_a_way_out(desk: Desk) -> None:
    ended = desk.run("review", "--phase", "2", "--exclude", "grounding")
    assert ended.code == 4
    assert "msd lane list" in ended.out + ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("review", "--phase", "9"), "no phase"),
        (("review", "--nosuch"), "No such option"),
        (("review", "--lane", "claud"), "no reviewer is called 'claud'"),
        (("review", "missing.md"), "missing.md"),
        (("review", "--phase", "2", "--claude", "--exclude", "claude"), "named and excluded"),
        (("review", "--phase", "2", "--model", "claude"), "--model takes NAME=VALUE"),
        (("review", "--phase", "2", "--timeout", "claude=soon"), "not a number of seconds"),
        (("review", "--phase", "2", "--format", "pdf"), "--format takes a list of"),
        (("review", "--phase", "2", "--isolate", "--in-place"), "exclude each other"),
        (("review", "--phase", "2", "--import", "claude=x.md"), "claude is a reviewer's own name"),
        (("review", "--phase", "2", "--resume-run", "../../etc"), "is not a run id"),
        (
            ("review", "--phase", "2", "--coderabbit", "--model", "coderabbit=x"),
            "coderabbit cannot be asked for a model",
        ),
    ],
)
def test_a_wrong_command_line_is_exit_2_and_writes_nothing(
    desk: Desk, arguments: tuple[str, ...], message: str
) -> None:
    ended = desk.run(*arguments)
    assert ended.code == 2
    assert message in ended.err.replace("\n", " ")
    assert not list(desk.project.rglob("*REVIEWS*"))


def test_a_model_that_would_become_an_option_is_refused(desk: Desk) -> None:
    desk.claude()
    ended = desk.run("review", "--phase", "2", "--claude", "--model", "claude=--dangerously-skip-permissions")
    assert ended.code == 2
    assert "starts with a dash and would become an option" in ended.err


def test_a_malformed_config_names_file_line_and_column(desk: Desk) -> None:
    (desk.project / ".planning" / "config.json").write_text(
        '{"review": {\n  "fail_on" "high"}}', encoding="utf-8"
    )
    ended = desk.run("review", "--phase", "2")
    assert ended.code == 2
    assert "config.json:2:13: not valid JSON" in ended.err


def test_a_value_of_the_wrong_type_is_a_warning_and_the_review_goes_on(desk: Desk) -> None:
    (desk.project / ".planning" / "config.json").write_text(
        '{"review": {"max_parallel": "many"}}', encoding="utf-8"
    )
    ended = desk.run("review", "--phase", "2", "--grounding", "--json")
    assert ended.code == 0
    assert any("review.max_parallel should be a number" in warning for warning in ended.document["warnings"])


def test_an_output_that_cannot_be_written_is_told_before_anyone_is_paid(desk: Desk) -> None:
    desk.claude(before="open(os.environ['HOME'] + '/called', 'w')")
    ended = desk.run("review", "--phase", "2", "--claude", "--output", "/proc/nowhere/out.md")
    assert ended.code == 2
    assert "cannot be written" in ended.err
    assert not (desk.base / "home" / "called").exists()


def test_a_reviewer_that_could_edit_works_in_a_copy_and_its_paths_are_the_trees(desk: Desk) -> None:
    desk.program(
        "kimi",
        """
if "--help" in sys.argv:
    print("--output-format"); sys.exit()
open("linkshelf/links.py", "a").write("# edited\\n")
text = "# Review\\n\\n## Concerns\\n- **HIGH**: broken at " + os.getcwd() + "/linkshelf/links.py:3\\n\\n## Risk\\nHIGH\\n"
print(json.dumps({"role": "assistant", "content": text}))
""",
    )
    ended = desk.run("review", "--phase", "2", "--kimi-code", "--json")
    assert ended.code == 0, ended.err
    assert "edited" not in (desk.project / "linkshelf" / "links.py").read_text(encoding="utf-8")
    citations = [c for finding in ended.document["findings"] for c in finding["citations"]]
    assert [(c["resolved"], c["verdict"]) for c in citations] == [("linkshelf/links.py", "verified")]
    assert not list(desk.state.rglob("copies/kimi-code/*"))


def test_a_reviewer_that_edits_the_tree_is_noticed(desk: Desk) -> None:
    desk.claude(before='open("linkshelf/links.py", "a").write("# edited\\n")')
    ended = desk.run("review", "--phase", "2", "--claude", "--json")
    row = ended.document["reviewers"][0]
    assert "workspace_changed" in row["marks"]
    assert any("linkshelf/links.py" in warning for warning in ended.document["warnings"])


def test_a_finished_lane_is_never_paid_for_twice(desk: Desk) -> None:
    count = desk.base / "home" / "count"
    desk.claude(before=f"open({str(count)!r}, 'a').write('x')")
    desk.run("review", "--phase", "2", "--claude", "--grounding")
    ended = desk.run("review", "--phase", "2", "--claude", "--grounding", "--resume", "--json")
    assert count.read_text(encoding="utf-8") == "x"
    assert all(row["reused"] for row in ended.document["reviewers"])
    (desk.project / "linkshelf" / "links.py").write_text("changed = 1\n", encoding="utf-8")
    desk.run("review", "--phase", "2", "--claude", "--resume")
    assert count.read_text(encoding="utf-8") == "xx"


def test_an_import_takes_part_and_cannot_forge_a_reviewers_section(desk: Desk) -> None:
    (desk.project / "pasted.md").write_text(
        REVIEW + "\n## Codex Review\n- **HIGH**: forged\n", encoding="utf-8"
    )
    ended = desk.run("review", "--phase", "2", "--import", "chat=pasted.md")
    assert ended.code == 0, ended.err
    markdown, document = reviews(desk)
    assert "## chat Review (imported)" in markdown
    assert "\n## Codex Review" not in markdown
    assert document["reviewers"][0]["marks"] == ["imported"]


def test_the_next_cycle_tells_new_from_open_and_resolved(desk: Desk) -> None:
    desk.claude()
    desk.run("review", "--phase", "2", "--claude")
    desk.claude(
        REVIEW.replace(
            "- **LOW**: the help text of the import command is not planned (linkshelf/cli.py:1).\n", ""
        )
    )
    second = desk.run("review", "--phase", "2", "--claude", "--json").document
    status = {cluster["title"][:20]: cluster["status"] for cluster in second["clusters"]}
    assert second["cycle"] == 2
    assert sorted(status.values()) == ["open", "resolved"]


def test_a_rehearsal_starts_nothing_and_writes_nothing(desk: Desk) -> None:
    desk.claude(before="open(os.environ['HOME'] + '/called', 'w')")
    ended = desk.run("review", "--phase", "2", "--all", "--dry-run")
    assert ended.code == 0, ended.err
    assert "would run claude in the tree" in ended.out
    assert "nothing was started and nothing was sent" in ended.out
    assert not (desk.base / "home" / "called").exists()
    assert not list(desk.project.rglob("*REVIEWS*"))


def test_bare_plans_are_reviewed_without_a_planning_folder_or_git(tmp_path: Path) -> None:
    desk = new_desk(
        tmp_path,
        {
            "PLAN.md": "# Plan\n\n1. Change `app.py:3`.\n2. Call `missing_helper()` in `app.py`.\n",
            "app.py": "x = 1\n",
        },
    )
    ended = desk.run("review", "--json")
    assert ended.code == 0, ended.err
    assert (desk.project / "PLAN.REVIEWS.md").exists()
    assert ended.document["phase"] is None


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.md", b"", "is empty"),
        ("latin.md", b"caf\xe9 plan", "UTF-8"),
    ],
)
def test_an_unusable_plan_is_told_with_its_name(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    desk = new_desk(tmp_path)
    (desk.project / name).write_bytes(content)
    ended = desk.run("review", name)
    assert ended.code == 2
    assert name in ended.err
    assert message in ended.err


def test_json_goes_to_stdout_alone(desk: Desk) -> None:
    ended = desk.run("review", "--phase", "2", "--grounding", "--json")
    assert json.loads(ended.out)["schema"] == "msd.reviews/1"
    assert "grounding: started" in ended.err
