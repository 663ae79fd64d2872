"""Never stops replacing itself: each generation starts the next and dies."""

import os
import time

print("forking", flush=True)
for _ in range(3):
    if os.fork() == 0:
        break
while True:
    if os.fork():
        os._exit(0)
    os.setsid()
    time.sleep(0.001)
