"""A reviewer that calls msd is refused, by whatever way it comes: nothing is paid for twice, nothing goes on for ever."""

import json
from pathlib import Path

import pytest

from tests.installed import MSD, REVIEW, example_desk

CALL = """
import subprocess
env = {{k: v for k, v in os.environ.items() if {kept}}} | {{"HOME": {home!r}, "MSD_HOME": {msd_home!r}, "MSD_STATE_DIR": {state!r}}}
done = subprocess.run({words!r}, cwd={project!r}, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
open({report!r}, "w").write(json.dumps([done.returncode, done.stderr]))
"""


@pytest.mark.parametrize("command", [("review", "--phase", "2", "--claude"), ("code-review", "--claude")])
@pytest.mark.parametrize("kept", ["True", "k == 'PATH'"], ids=["whole environment", "emptied environment"])
def test_a_reviewer_that_asks_for_a_review_is_refused(
    tmp_path: Path, command: tuple[str, ...], kept: str
) -> None:
    desk = example_desk(tmp_path)
    (desk.project / "new.py").write_text("answer = 42\n", encoding="utf-8")
    report = tmp_path / "report.json"
    before = CALL.format(
        kept=kept,
        home=str(tmp_path / "home"),
        msd_home=str(desk.msd_home),
        state=str(desk.state),
        words=[*MSD, *command],
        project=str(desk.project),
        report=str(report),
    )
    desk.claude(REVIEW, before=before)
    ended = desk.run("review", "--phase", "2", "--claude", "--json")
    assert ended.code == 0, ended.err
    code, told = json.loads(report.read_text(encoding="utf-8"))
    assert code == 2
    assert told == (
        "msd: error: a reviewer that msd runs asked for a review, and reviewers do not have others review\n"
        "hint: if you are that reviewer: write your own review, and answer with it alone\n"
    )
