"""Runs `python ARGUMENT …` in this process and writes what it cost: own CPU s, children's CPU s, peak MiB.

python bench/counted.py COUNTS -m msd_review review …
"""

import atexit
import resource
import runpy
import sys
from pathlib import Path


def _write(path: str) -> None:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu, waited = own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime
    Path(path).write_text(f"{cpu} {waited} {own.ru_maxrss / 1024}", encoding="ascii")


def main() -> None:
    """Takes the interpreter's place for `-m` and for `-c`."""
    _, counts, kind, what, *rest = sys.argv
    atexit.register(_write, counts)
    sys.argv = [what, *rest]
    if kind == "-m":
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        exec(what, {"__name__": "__main__"})  # the bench's own text


if __name__ == "__main__":
    main()
