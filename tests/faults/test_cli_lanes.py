"""`msd review` with reviewers that break, beside one that does not: each has an outcome, and nobody loses a review."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.cli_cases import counting, is_quiet, is_root, lanes, marked, written
from tests.installed import REVIEW, Desk, example_desk

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

RUN_FOLDER = 'os.path.join(os.environ["MSD_STATE_DIR"], "runs", os.environ["MSD_RUN_ID"])'
OF_CLAUDE = json.dumps({"type": "result", "subtype": "success", "is_error": False, "result": REVIEW})
OF_GEMINI = json.dumps({"response": REVIEW, "stats": {}})
OF_QWEN = json.dumps([{"type": "result", "subtype": "success", "is_error": False, "result": REVIEW}])
OF_OPENCODE = "\n".join(
    (
        json.dumps({"type": "text", "part": {"type": "text", "text": REVIEW}}),
        json.dumps({"type": "step_finish", "part": {"reason": "stop", "tokens": {"output": 9}}}),
    )
)
ANSWERS = {"claude": OF_CLAUDE, "gemini": OF_GEMINI, "qwen": OF_QWEN, "opencode": OF_OPENCODE}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return counting(example_desk(tmp_path))


def answers(desk: Desk, name: str, *, before: str = "", after: str = "") -> None:
    desk.program(
        name,
        f"import shutil, signal\nsys.stdin.read()\n{before}\nprint({ANSWERS[name]!r}, flush=True)\n{after}",
    )


def waits_for(path: str) -> str:
    return f"while not os.path.exists({path}): time.sleep(0.02)\n"


def review(desk: Desk, *more: str, named: tuple[str, ...] = ("claude", "gemini"), code: int = 0) -> Any:
    flags = [f"--{name}" for name in named]
    done = desk.run("review", "--phase", "2", "--json", *flags, *more)
    assert done.code == code, done.err
    assert set(lanes(done.document)) == set(named)
    assert written(desk)["run"] == done.document["run"]
    is_quiet(desk)
    return done.document


def row(document: Any, identity: str) -> Any:
    return next(one for one in document["reviewers"] if one["identity"] == identity)


STATUSES = {"gemini": 1, "qwen": 2, "opencode": 55, "codex": 126, "cursor-agent": 127}
KILLED = {"gemini": 137, "qwen": 139, "opencode": -9, "codex": -11}


@pytest.mark.parametrize("statuses", [STATUSES, KILLED])
def test_a_reviewer_that_ends_badly_without_a_word_is_named_as_that(
    desk: Desk, statuses: dict[str, int]
) -> None:
    answers(desk, "claude")
    for name, status in statuses.items():
        end = f"os.kill(os.getpid(), {-status})" if status < 0 else f"sys.exit({status})"
        desk.program(name, end)
    named = ("claude", *(name.removesuffix("-agent") for name in statuses))
    document = review(desk, named=named, code=3)
    told = lanes(document)
    assert told.pop("claude") == ("review", None)
    assert set(told.values()) == {("failed", "exit_status")}
    for name, status in statuses.items():
        assert f"exit status {status}" in row(document, name.removesuffix("-agent"))["detail"]


def test_a_whole_review_counts_after_a_bad_exit_and_a_killed_reviewers_is_partial(desk: Desk) -> None:
    answers(desk, "claude", after="sys.exit(1)")
    answers(desk, "gemini", after="sys.exit(55)")
    desk.program("cursor-agent", f"print({REVIEW!r}, flush=True)\nsys.exit(2)")
    desk.program("coderabbit", f"print({REVIEW!r}, flush=True)\nos.kill(os.getpid(), 9)")
    document = review(desk, named=("claude", "gemini", "cursor", "coderabbit"), code=3)
    told = lanes(document)
    assert told.pop("coderabbit") == ("partial", "exit_status")
    assert set(told.values()) == {("review", None)}
    for name in told:
        assert "nonzero_exit" in row(document, name)["marks"]


def test_a_reviewer_that_deletes_the_run_takes_nothing_from_the_others(desk: Desk) -> None:
    """One that has delivered, and one that is still at it; and the run can be listed, shown and resumed."""
    done = f"os.path.join({RUN_FOLDER}, 'lanes', 'claude', 'review.md')"
    answers(desk, "claude")
    answers(
        desk,
        "qwen",
        before=f"open('begun', 'w').close()\nwhile os.path.exists({RUN_FOLDER}): time.sleep(0.02)",
    )
    answers(
        desk,
        "gemini",
        before=waits_for(done) + waits_for("'begun'") + f"os.remove('begun')\nshutil.rmtree({RUN_FOLDER})",
    )
    named = ("claude", "gemini", "qwen")
    document = review(desk, named=named)
    assert set(lanes(document).values()) == {("review", None)}
    rows = desk.run("runs", "list", "--json").document["runs"]
    assert [(one["run"], one["state"]) for one in rows] == [(document["run"], "finished")]
    desk.program("claude", "sys.exit(9)")
    again = desk.run("review", "--phase", "2", "--json", "--claude", "--resume")
    assert lanes(again.document) == {"claude": ("review", None)}, again.err


def test_a_reviewer_that_deletes_or_rewrites_every_prompt_leaves_the_next_one_its_own(desk: Desk) -> None:
    prompts = f"os.path.join({RUN_FOLDER}, 'prompts')"
    answers(desk, "claude", before=f"shutil.rmtree({prompts})")
    desk.program(
        "gemini",
        f"assert 'Import' in sys.stdin.read()\nfor one in os.listdir({prompts}):\n"
        f"    open(os.path.join({prompts}, one), 'w').write('say yes')\nprint({OF_GEMINI!r})",
    )
    desk.program("qwen", f"assert 'Import' in sys.stdin.read()\nprint({OF_QWEN!r})")
    document = review(desk, "--jobs", "1", named=("claude", "gemini", "qwen"))
    assert set(lanes(document).values()) == {("review", None)}


def test_a_reviewer_that_deletes_its_working_folder_deletes_a_copy(desk: Desk) -> None:
    answers(desk, "claude", before="os.chdir('/')\nshutil.rmtree(os.environ['PWD'], ignore_errors=True)")
    answers(desk, "gemini", before="time.sleep(0.3)")
    document = review(desk, "--isolate")
    assert set(lanes(document).values()) == {("review", None)}
    assert desk.git("status", "--porcelain", "--", "linkshelf").strip() == ""


def test_what_a_reviewer_changes_in_the_tree_is_told_with_the_way_back(desk: Desk) -> None:
    answers(
        desk,
        "claude",
        before="open('linkshelf/links.py', 'a').write('# mine\\n')\nopen('new.txt', 'w').write('x')\n"
        "os.remove('linkshelf/cli.py')",
    )
    document = review(desk, named=("claude",))
    mine = row(document, "claude")
    assert mine["marks"] == ["workspace_changed"]
    (told,) = (warning for warning in document["warnings"] if "by claude" in warning)
    for name, way_back in (("links.py", "git "), ("new.txt", "remove"), ("cli.py", "git ")):
        assert name in told
        assert way_back in told


def test_a_reviewer_that_prints_its_answer_and_stays_is_ended_and_counted(desk: Desk) -> None:
    for name in ("claude", "gemini", "qwen", "opencode"):
        answers(desk, name, after="time.sleep(600)")
    document = review(desk, named=("claude", "gemini", "qwen", "opencode"))
    assert set(lanes(document).values()) == {("review", None)}
    for one in document["reviewers"]:
        assert one["marks"] == ["killed_after_reply"]


def test_a_question_a_drip_and_a_flood_end_for_what_they_are(desk: Desk) -> None:
    answers(desk, "claude")
    desk.program(
        "gemini",
        "sys.stderr.write('Opening authentication page in your browser. Do you want to continue? [Y/n]: ')\n"
        "sys.stderr.flush()\ntime.sleep(600)",
    )
    desk.program("qwen", "while True:\n    sys.stdout.write('x'); sys.stdout.flush(); time.sleep(1)")
    desk.program("opencode", "chunk = 'y' * 1_000_000\nfor _ in range(100): sys.stdout.write(chunk)")
    named = ("claude", "gemini", "qwen", "opencode")
    document = review(desk, "--timeout", "qwen=4", named=named, code=3)
    told = lanes(document)
    assert told["claude"] == ("review", None)
    assert told["gemini"] == ("failed", "auth_required")
    assert told["qwen"][1] == "timeout"
    assert told["opencode"][1] == "output_limit"


def test_a_reviewer_replaced_before_its_start_is_run_as_it_was_approved_or_refused(desk: Desk) -> None:
    """One reviewer replaces the program of the next, and the configuration, while both are already approved."""
    answers(desk, "qwen")
    config = desk.project / ".planning/config.json"
    answers(
        desk,
        "claude",
        before=f"os.remove({str(desk.bin / 'qwen')!r})\nopen({str(config)!r}, 'w').write('{{ not json')",
    )
    answers(desk, "gemini")
    document = review(desk, "--jobs", "1", named=("claude", "gemini", "qwen"), code=3)
    told = lanes(document)
    assert told == {
        "claude": ("review", None),
        "gemini": ("review", None),
        "qwen": ("failed", "spawn_failed"),
    }


@pytest.fixture
def small_disk(desk: Desk) -> Any:
    """The state folder on a disk of 3 MB."""
    if not is_root():
        pytest.skip("a small disk can be mounted by root alone: a full disk is NOT tested here")
    desk.state.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(desk.state)], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(
            f"no small disk could be mounted, a full disk is NOT tested here: {mounted.stderr.strip()}"
        )
    yield desk
    subprocess.run(["umount", "-l", str(desk.state)], check=True)


def test_a_reviewer_that_fills_the_disk_costs_the_others_nothing(small_disk: Desk) -> None:
    desk = small_disk
    done = f"os.path.join({RUN_FOLDER}, 'lanes', 'claude', 'review.md')"
    answers(desk, "claude")
    desk.program(
        "gemini", waits_for(done) + "chunk = 'y' * 1_000_000\nfor _ in range(12): sys.stdout.write(chunk)"
    )
    ended = desk.run("review", "--phase", "2", "--json", "--claude", "--gemini")
    assert ended.code == 3, ended.err
    assert lanes(ended.document) == {"claude": ("review", None), "gemini": ("failed", "resources")}
    assert lanes(written(desk))["claude"] == ("review", None)
    assert marked(desk) == []
    assert len(desk.run("runs", "list", "--json").document["runs"]) == 1
