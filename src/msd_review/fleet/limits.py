"""How many lanes of one provider run at once, over the whole cluster, and how long a provider asked us to wait."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field

from msd_review.edges import clock

LONGEST_PAUSE_S = 15 * 60.0
_FIRST_PAUSE_S = 5.0
_LOOK_S = 1.0


@dataclass(slots=True)
class _Provider:
    most: int
    running: int = 0
    not_before: float = 0.0
    pauses: int = 0


@dataclass(slots=True)
class Limits:
    """The places of every provider. A lane without a provider needs none."""

    default: int
    by_name: Mapping[str, int] = field(default_factory=dict)
    providers: dict[str, _Provider] = field(default_factory=dict)
    is_stopping: Callable[[], bool] = lambda: False
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    @contextlib.asynccontextmanager
    async def place(self, provider: str | None) -> AsyncIterator[None]:
        """Waits for a place, and for the end of a pause, and holds the place while the block runs.

        A run that is being stopped waits for nothing; whoever holds the place must look.
        """
        if provider is None:
            yield
            return
        one = self._of(provider)
        await self._wait(one)
        one.running += 1
        try:
            yield
        finally:
            one.running -= 1
            async with self.changed:
                self.changed.notify_all()

    async def _wait(self, one: _Provider) -> None:
        async with self.changed:
            while True:
                pause = one.not_before - clock.monotonic()
                if (one.running < one.most and pause <= 0) or self.is_stopping():
                    return
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.changed.wait(), min(pause, _LOOK_S) if pause > 0 else _LOOK_S)

    def _of(self, provider: str) -> _Provider:
        if provider not in self.providers:
            self.providers[provider] = _Provider(most=max(1, self.by_name.get(provider, self.default)))
        return self.providers[provider]

    def pause(self, provider: str | None, told_s: float | None) -> float:
        """Lets nobody begin with a provider for a while, longer each time that it asks again; how long, in seconds."""
        if provider is None:
            return 0.0
        one = self._of(provider)
        one.pauses += 1
        backoff = _FIRST_PAUSE_S * 2.0 ** min(one.pauses - 1, 8)
        pause = min(LONGEST_PAUSE_S, backoff if told_s is None else max(told_s, 0.1))
        one.not_before = max(one.not_before, clock.monotonic() + pause)
        return pause

    def delivered(self, provider: str | None) -> None:
        """The provider answers again."""
        if provider is not None:
            self._of(provider).pauses = 0

    def running(self) -> dict[str, int]:
        """How many lanes run now, by provider."""
        return {name: one.running for name, one in self.providers.items() if one.running}
