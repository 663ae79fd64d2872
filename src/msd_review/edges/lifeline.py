"""The other end of a line process: our stdin, whose end means that whoever started us is gone."""

import os
import sys
import threading
from collections.abc import Callable, Iterator


def private_stdout() -> int:
    """A descriptor for what we say to our parent; whatever else prints to stdout goes to stderr from now on."""
    mine = os.dup(1)
    os.set_inheritable(mine, False)
    sys.stdout.flush()
    os.dup2(2, 1)
    return mine


def say(descriptor: int, line: bytes) -> None:
    """Writes one line whole. Raises OSError when nobody reads any more."""
    rest = memoryview(line + b"\n")
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def listen(on_line: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
    """Reads our stdin in a thread of its own and returns at once."""
    descriptor = os.dup(0)
    os.set_inheritable(descriptor, False)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)  # what we start must not read what is meant for us
    os.close(null)

    def read() -> None:
        for line in _lines(descriptor):
            on_line(line)
        on_end()

    threading.Thread(target=read, name="lifeline", daemon=True).start()


def _lines(descriptor: int) -> Iterator[bytes]:
    held = b""
    while True:
        try:
            chunk = os.read(descriptor, 1024 * 1024)
        except OSError:
            return
        if not chunk:
            return
        *lines, held = (held + chunk).split(b"\n")
        yield from lines


def interrupt_ourselves() -> None:
    """What a Ctrl-C does, for the main thread."""
    import signal  # only a process that is being stopped needs it

    os.kill(os.getpid(), signal.SIGINT)


def leave_at_once(status: int) -> None:
    """Ends this process without clearing up: what it started has keepers of its own."""
    os._exit(status)
