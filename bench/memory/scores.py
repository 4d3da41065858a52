"""Scores of alarms: how many were right, how many stale claims were caught, and what one catch costs in alarms."""

from collections.abc import Iterable
from typing import NamedTuple


class Alarms(NamedTuple):
    """Counts over claims: alarm or not, stale or not."""

    right: int = 0
    false: int = 0
    missed: int = 0
    quiet: int = 0

    @property
    def precision(self) -> float | None:
        return _share(self.right, self.right + self.false)

    @property
    def recall(self) -> float | None:
        return _share(self.right, self.right + self.missed)

    @property
    def youden(self) -> float | None:
        """Recall less the share of sound claims that were suspected: 1 is perfect, 0 is a coin."""
        suspected = _share(self.false, self.false + self.quiet)
        return None if self.recall is None or suspected is None else self.recall - suspected

    @property
    def alarms_per_catch(self) -> float | None:
        return _share(self.right + self.false, self.right)

    @property
    def claims(self) -> int:
        return sum(self)


def count(pairs: Iterable[tuple[bool, bool]]) -> Alarms:
    """Alarms of (alarm, stale) pairs."""
    rows = list(pairs)
    return Alarms(
        right=rows.count((True, True)),
        false=rows.count((True, False)),
        missed=rows.count((False, True)),
        quiet=rows.count((False, False)),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
