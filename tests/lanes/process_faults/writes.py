"""Writes so many bytes without a line end."""

import os
import sys

left = int(sys.argv[1])
while left:
    left -= os.write(1, b"y" * min(left, 1048576))
