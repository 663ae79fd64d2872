"""Notes that it was started, in the file it is told, then answers; with `slow` it takes a moment."""

import os
import sys
import time

descriptor = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
os.write(descriptor, f"{sys.argv[2]}\n".encode())
if "slow" in sys.argv:
    time.sleep(0.3)
print(f"a review by {sys.argv[2]}")
