"""Makes executables of the programs in `process_faults/`: each behaves as some reviewer in the field did."""

import sys
from pathlib import Path

_SOURCES = Path(__file__).parent / "process_faults"


def install(folder: Path, name: str) -> Path:
    """The program `name` as an executable in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    if program.exists():  # never rewritten: somebody may be running it
        return program
    source = (_SOURCES / f"{name}.py").read_text(encoding="utf-8")
    program.write_text(f"#!{sys.executable} -IS\n{source}", encoding="utf-8")
    program.chmod(0o755)
    return program
