"""Leaves a daemon behind: own session, forked twice, and, with `bare`, without a word in its environment."""

import os
import sys

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        bare = "bare" in sys.argv
        os.execve("/bin/sleep", ["sleep", sys.argv[1]], {} if bare else dict(os.environ))
    os._exit(0)
os.wait()
print("the daemon is off", flush=True)
