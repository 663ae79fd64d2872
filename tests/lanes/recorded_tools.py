"""Makes executables that say, byte for byte, what a real tool said in one of the recordings."""

import shlex
from pathlib import Path

OUTPUTS = Path(__file__).parents[1] / "data" / "outputs"


def install(
    folder: Path, tool: str, case: str, *, exit_status: int, hangs: bool = False, writes: str | None = None
) -> Path:
    """A program named as `tool` that reads its stdin to the end, speaks and exits, or `hangs` instead of exiting.

    `writes` is what it puts into the file behind its `-o`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / tool
    speech = [shlex.quote(str(OUTPUTS / tool / f"{case}.{stream}")) for stream in ("stdout", "stderr")]
    lines = ["#!/bin/sh", "cat > /dev/null", f"cat {speech[0]}", f"cat {speech[1]} >&2"]
    if writes is not None:
        kept = folder / f"{tool}-{case}.written"
        kept.write_text(writes, encoding="utf-8")
        copy = f'cat {shlex.quote(str(kept))} > "$2"'
        lines.append(f'while [ $# -gt 0 ]; do if [ "$1" = "-o" ]; then {copy}; fi; shift; done')
    lines.append("exec sleep 600" if hangs else f"exit {exit_status}")
    program.write_text("\n".join(lines) + "\n", encoding="utf-8")
    program.chmod(0o755)
    return program
