"""Cycles: dismissals that hold until the code changes, and the loop that ends by itself."""

from pathlib import Path

import pytest

from tests.installed import REVIEW, Desk, example_desk, reviews


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return example_desk(tmp_path)


def _high(desk: Desk) -> str:
    _, document = reviews(desk)
    found: str = next(c["id"] for c in document["clusters"] if c["severity"] == "high")
    return found


def test_a_dismissed_concern_stays_dismissed_until_its_code_changes(desk: Desk) -> None:
    desk.claude()
    desk.run("review", "--phase", "2", "--claude")
    identity = _high(desk)
    ended = desk.run("finding", "dismiss", identity, "--because", "the plan is about the next release")
    assert ended.code == 0, ended.err
    second = desk.run("review", "--phase", "2", "--claude", "--fail-on", "high", "--json")
    status = {c["id"]: c["status"] for c in second.document["clusters"]}
    assert (status[identity], second.code) == ("dismissed", 0)
    source = desk.project / "linkshelf" / "links.py"
    lines = source.read_text(encoding="utf-8").split("\n")
    lines[29] = lines[29] + "  # changed"
    source.write_text("\n".join(lines), encoding="utf-8")
    third = desk.run("review", "--phase", "2", "--claude", "--fail-on", "high", "--json")
    status = {c["id"]: c["status"] for c in third.document["clusters"]}
    assert (status[identity], third.code) == ("reopened", 1)


def test_dismissing_what_is_not_there_is_told(desk: Desk) -> None:
    desk.run("review", "--phase", "2", "--grounding")
    ended = desk.run("finding", "dismiss", "C-00000000", "--because", "x")
    assert ended.code == 2
    assert "no concern of a review in this project has the id 'C-00000000'" in ended.err


def test_convergence_ends_when_the_plan_was_mended(desk: Desk) -> None:
    desk.claude(
        "",
        before=f"""
clean = "# Review\\n\\n## Summary\\nGood.\\n\\n## Strengths\\n- Fine.\\n\\n## Concerns\\nNone.\\n\\n## Risk\\nLOW\\n"
text = clean if "MENDED" in prompt else {REVIEW!r}
print(json.dumps({{"type": "result", "is_error": False, "result": text}})); sys.exit()
""",
    )
    mend = desk.program(
        "mend",
        """
text = open(sys.argv[1]).read()
assert "normalize_url" in text
plan = ".planning/phases/02-import-export/02-01-PLAN.md"
open(plan, "a").write("\\nMENDED\\n")
""",
    )
    ended = desk.run("converge", "--phase", "2", "--claude", "--replan", str(mend), "--json")
    assert ended.code == 0, ended.err
    assert (ended.document["why"], ended.document["cycles"]) == ("converged", 2)


def test_convergence_stops_when_nothing_moves(desk: Desk) -> None:
    desk.claude()
    idle = desk.program("idle", "pass")
    ended = desk.run("converge", "--phase", "2", "--claude", "--replan", f"{idle} {{reviews}}", "--json")
    assert ended.code == 1
    assert (ended.document["why"], ended.document["cycles"]) == ("stalled", 2)


def test_convergence_is_capped(desk: Desk) -> None:
    desk.claude()
    idle = desk.program("idle", "pass")
    ended = desk.run(
        "converge", "--phase", "2", "--claude", "--replan", str(idle), "--max-cycles", "1", "--json"
    )
    assert (ended.code, ended.document["why"]) == (1, "capped")


def test_a_replan_command_that_fails_is_told_with_its_status(desk: Desk) -> None:
    desk.claude()
    broken = desk.program("broken", 'print("no idea", file=sys.stderr); sys.exit(7)')
    ended = desk.run("converge", "--phase", "2", "--claude", "--replan", str(broken))
    assert ended.code == 2
    assert "the replan command ended with status 7: no idea" in ended.err


def test_what_the_replan_command_gets_pulls_no_file_in(desk: Desk) -> None:
    (desk.project / "secret.txt").write_text("x", encoding="utf-8")
    desk.git("add", "-A")
    desk.git("commit", "-qm", "x")
    desk.claude(REVIEW.replace("Name the function", "See @secret.txt and @/etc/passwd. Name the function"))
    seen = desk.base / "home" / "seen"
    keep = desk.program("keep", f"open({str(seen)!r}, 'w').write(open(sys.argv[1]).read())")
    desk.run("converge", "--phase", "2", "--claude", "--replan", str(keep), "--max-cycles", "2")
    text = seen.read_text(encoding="utf-8")
    assert "@ secret.txt" in text
    assert "@ /etc/passwd" in text
    assert "@secret" not in text
