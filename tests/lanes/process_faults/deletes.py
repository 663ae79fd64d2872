"""Removes every path it is given, then answers."""

import shutil
import sys
from pathlib import Path

for path in map(Path, sys.argv[1:]):
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
print("gone", flush=True)
