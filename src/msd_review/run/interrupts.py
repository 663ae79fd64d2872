"""Turns a person's Ctrl-C, and TERM, into a wish to stop: the first politely, the second at once.

The third one is the platform's own: it ends msd on the spot, and the keepers end what is left.
"""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from msd_review.edges.stopping import AT_ONCE, StopSignal

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@asynccontextmanager
async def stop_on_signals(stop: StopSignal) -> AsyncIterator[StopSignal]:
    """While the block runs, signals raise `stop`; afterwards they mean what they meant before.

    Where handlers cannot be installed (not the main thread, or Windows' event loop for TERM) the platform's
    behaviour stays.
    """
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in _SIGNALS}
    installed: list[signal.Signals] = []

    def ask() -> None:
        stop.ask()
        if stop.level == AT_ONCE:
            leave()

    def leave() -> None:
        while installed:
            number = installed.pop()
            loop.remove_signal_handler(number)
            signal.signal(number, before[number] if stop.level < AT_ONCE else signal.SIG_DFL)

    for number in _SIGNALS:
        if before[number] == signal.SIG_IGN:  # nohup: a closed terminal is no wish to stop
            continue
        try:
            loop.add_signal_handler(number, ask)
        except (NotImplementedError, RuntimeError, ValueError):
            continue
        installed.append(number)
    try:
        yield stop
    finally:
        leave()
        _restore(before)


@contextmanager
def term_as_interrupt() -> Iterator[None]:
    """Before and after the lanes run, TERM is what Ctrl-C is: KeyboardInterrupt, so that everything is cleared up.

    Where somebody else decided what TERM means, or outside the main thread, nothing changes.
    """
    is_ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if not is_ours:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _restore(before: dict[Any, Any]) -> None:
    for number, handler in before.items():
        if handler is not None and signal.getsignal(number) != handler:
            signal.signal(number, handler)
