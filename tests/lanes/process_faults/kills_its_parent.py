import os
import signal
import time

os.kill(os.getppid(), signal.SIGKILL)
if os.fork() == 0:
    os.setsid()
    time.sleep(300)
time.sleep(300)
