import signal
import sys
import time


def leave(*_):
    print("goodbye", flush=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, leave)
print("hello", flush=True)
time.sleep(300)
