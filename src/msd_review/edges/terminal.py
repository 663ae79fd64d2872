"""The person's terminal, given back as it was."""

import contextlib
import sys
from collections.abc import Iterator

if sys.platform != "win32":
    import termios

_SHOW_CURSOR = "\x1b[?25h"


@contextlib.contextmanager
def restored_terminal() -> Iterator[None]:
    """Whatever happens in the block, the terminal's modes are afterwards what they were, its cursor visible.

    Does nothing where stdin is no terminal, or the platform has no modes to keep.
    """
    if sys.platform == "win32" or sys.stdin is None or not sys.stdin.isatty():
        yield
        return
    descriptor = sys.stdin.fileno()
    modes = termios.tcgetattr(descriptor)
    try:
        yield
    finally:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(descriptor, termios.TCSADRAIN, modes)
        if sys.stderr.isatty():
            with contextlib.suppress(OSError):
                sys.stderr.write(_SHOW_CURSOR)
                sys.stderr.flush()
