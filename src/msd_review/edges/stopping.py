"""A person's wish to stop, as a value that running work can look at and be told about."""

from collections.abc import Callable

POLITELY, AT_ONCE = 1, 2


class StopSignal:
    """Starts at level 0; the first `ask` raises it to POLITELY, the second to AT_ONCE.

    Not bound to an event loop; `ask` must be called in the thread where the listeners live.
    """

    def __init__(self) -> None:
        self.level = 0
        self._listeners: list[Callable[[], None]] = []

    def asked(self) -> bool:
        """True once anybody asked."""
        return self.level > 0

    def ask(self) -> None:
        """One more wish to stop; listeners are told when it raises the level."""
        if self.level == AT_ONCE:
            return
        self.level += 1
        for listener in tuple(self._listeners):
            listener()

    def listen(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` at each rise, and at once when the level is above 0; returns how to leave."""
        self._listeners.append(listener)
        if self.level:
            listener()
        return lambda: self._listeners.remove(listener)
