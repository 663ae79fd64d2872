"""200 short children, each of which starts one more that leaves the session; then waits."""

import os
import time

for _ in range(200):
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            time.sleep(300)
        os._exit(0)
print("stormed", flush=True)
time.sleep(300)
