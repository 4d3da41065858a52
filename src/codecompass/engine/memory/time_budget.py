"""Time budget: how long a query may mine and check before it returns what it has."""

import time
from dataclasses import dataclass

from codecompass.model.call import Call


@dataclass(slots=True)
class Budget:
    """A monotonic deadline for work; never later than the deadline of the call."""

    until: float
    call: Call

    @staticmethod
    def of(seconds: float, call: Call) -> "Budget":
        until = time.monotonic() + seconds
        # Reserve some of the call's time for building the answer.
        return Budget(until if call.deadline is None else min(until, call.deadline - 0.3), call)

    def left(self) -> float:
        self.call.check()
        return self.until - time.monotonic()

    def over(self) -> bool:
        return self.left() <= 0

    def step(self, phase: str, done: int, total: int = 0) -> None:
        self.call.step(phase, done, total)

    def part(self, share: float) -> "Budget":
        """Return a budget with a share of the remaining time."""
        return Budget(time.monotonic() + max(self.left(), 0.0) * share, self.call)


class Late(Budget):
    """A budget that starts at its first use, with the time that remains then, clamped to given limits."""

    __slots__ = ("_limits",)

    def __init__(self, budget: Budget, least: float, most: float) -> None:
        super().__init__(budget.until, budget.call)
        self._limits: tuple[float, float] | None = (least, most)

    def left(self) -> float:
        if self._limits is not None:
            least, most = self._limits
            self._limits = None
            now = time.monotonic()
            self.until = Budget.of(min(max(self.until - now, least), most), self.call).until
        return super().left()
