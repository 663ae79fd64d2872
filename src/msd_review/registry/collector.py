"""The garbage collector, held still while many objects that live as long as the process are made.

A thousand manifests are some hundred thousand of them; walked again and again while they grow, they cost
as much time as reading them does.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pauses the collector, and leaves it as it was."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
