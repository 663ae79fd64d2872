"""How long a large repository takes to be indexed, cold and again, and what a review of a plan about it costs.

Makes a tree of about a million lines out of the installed packages, then runs the built-in reviewer on it in a process
of its own: first without a kept index, then with it. Prints wall and processor seconds and peak memory.
"""

import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

_LINES = 1_000_000
_PLAN = """\
<task type="auto">
<name>Task 1: Everything</name>
<action>
{claims}
</action>
<done>Done</done>
</task>
"""


def _make_tree(root: Path) -> tuple[int, list[str]]:
    source = Path(sysconfig.get_paths()["purelib"])
    files = sorted(path for path in source.rglob("*.py") if path.is_file())
    lines, made, copy = 0, [], 0
    while lines < _LINES:
        for path in files:
            text = path.read_text(encoding="utf-8", errors="replace")
            target = f"part{copy}/{path.relative_to(source).as_posix()}"
            (root / target).parent.mkdir(parents=True, exist_ok=True)
            (root / target).write_text(text, encoding="utf-8")
            made.append(target)
            lines += text.count("\n")
            if lines >= _LINES:
                break
        copy += 1
    return lines, made


def _plan(files: list[str]) -> str:
    step = max(1, len(files) // 100)
    claims = [
        f"- Update `{path}` and call `frobnicate_{number}()` in `{path}`; `Client.request_{number}()` stays."
        for number, path in enumerate(files[::step])
    ]
    return _PLAN.format(claims="\n".join(claims))


def _run(root: Path, plan: str, state: Path) -> tuple[float, float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.monotonic()
    command = [
        sys.executable,
        "-c",
        "import sys; from msd_review.grounding.lane import main; sys.exit(main())",
    ]
    done = subprocess.run(
        command,
        input=plan.encode(),
        cwd=root,
        capture_output=True,
        check=True,
        env={**os.environ, "MSD_STATE_DIR": str(state)},
    )
    assert b"## Concerns" in done.stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - started, cpu, after.ru_maxrss / 1024


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, state = Path(folder) / "tree", Path(folder) / "state"
        root.mkdir()
        lines, files = _make_tree(root)
        if shutil.which("git"):
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
        print(
            f"{lines:,} lines in {len(files):,} files\n{'run':<28} {'wall s':>8} {'cpu s':>8} {'peak MB':>8}"
        )
        for name in ("cold, no kept index", "again, nothing changed"):
            wall, cpu, peak = _run(root, _plan(files), state)
            print(f"{name:<28} {wall:>8.2f} {cpu:>8.2f} {peak:>8.0f}")
        for path in files[:20]:
            (root / path).write_text("changed = 1\n", encoding="utf-8")
        wall, cpu, peak = _run(root, _plan(files), state)
        print(f"{'again, 20 files changed':<28} {wall:>8.2f} {cpu:>8.2f} {peak:>8.0f}")


if __name__ == "__main__":
    main()
