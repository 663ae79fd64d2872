"""Sums and lists that stay small, whatever is put into them, and come out the same in whatever order it was put in."""

import hashlib
import heapq
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

_Row = TypeVar("_Row")


class Tally:
    """Whole numbers in named columns, summed by key: exact for at most `limit` keys.

    Of more keys those with the smallest hashes keep a row of their own, and all the others are summed in `other`:
    which ones they are follows from the keys, never from their order.
    """

    def __init__(self, limit: int, columns: tuple[str, ...]) -> None:
        self.columns = columns
        self._limit = limit
        self._at = {name: at for at, name in enumerate(columns)}
        self._rows: dict[str, list[int]] = {}
        self._largest: list[tuple[int, str]] = []
        self._other: list[int] | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, key: str, amounts: Mapping[str, int]) -> None:
        """Adds amounts to the columns of a key's row."""
        row = self._rows.get(key) or self._row_for(key)
        for name, amount in amounts.items():
            row[self._at[name]] += amount

    def rows(self) -> Iterator[tuple[str, dict[str, int]]]:
        """Every key that has a row of its own, in order, and its sums."""
        for key in sorted(self._rows):
            yield key, dict(zip(self.columns, self._rows[key], strict=True))

    @property
    def other(self) -> dict[str, int] | None:
        """The sums of all keys without a row of their own; None where there are none."""
        return None if self._other is None else dict(zip(self.columns, self._other, strict=True))

    def totals(self) -> dict[str, int]:
        """The sums over all keys."""
        every = [*self._rows.values(), *([self._other] if self._other else [])]
        return {name: sum(row[at] for row in every) for name, at in self._at.items()}

    def _row_for(self, key: str) -> list[int]:
        entry = (-_hash(key), key)
        if len(self._rows) < self._limit:
            heapq.heappush(self._largest, entry)
        elif entry > self._largest[0]:
            _, evicted = heapq.heapreplace(self._largest, entry)
            self._fold(self._rows.pop(evicted))
        else:
            return self._fold([0] * len(self.columns))
        self._rows[key] = row = [0] * len(self.columns)
        return row

    def _fold(self, row: list[int]) -> list[int]:
        self._other = [one + more for one, more in zip(self._other or [0] * len(row), row, strict=True)]
        return self._other


class Leading(Generic[_Row]):
    """The first `limit` rows in the order of `key`, of however many are offered; `offered` counts them all.

    No two rows have the same key.
    """

    def __init__(self, limit: int, key: Callable[[_Row], Any]) -> None:
        self.offered = 0
        self._limit = limit
        self._key = key
        self._kept: list[_Row] = []

    def offer(self, row: _Row) -> None:
        """Takes the row in; what can not be among the first any more is let go."""
        self.offered += 1
        self._kept.append(row)
        if len(self._kept) >= 2 * self._limit:
            self._kept = self.rows()

    def rows(self) -> list[_Row]:
        """The first rows, in order."""
        return heapq.nsmallest(self._limit, self._kept, key=self._key)


def _hash(key: str) -> int:
    return int.from_bytes(hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=8).digest(), "big")
