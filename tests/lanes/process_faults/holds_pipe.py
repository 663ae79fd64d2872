"""Ends at once, while a grandchild keeps the pipes open."""

import os
import time

if os.fork() == 0:
    time.sleep(300)
print("done", flush=True)
