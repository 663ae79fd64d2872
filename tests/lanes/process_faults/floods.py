"""Writes without end to stdout, or to stderr when told."""

import os
import sys

where = 2 if "stderr" in sys.argv else 1
block = b"x" * 1048576
while True:
    os.write(where, block)
