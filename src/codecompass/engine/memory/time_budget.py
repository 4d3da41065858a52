"""Time budget: how long a query may mine and check before it returns what it has."""

import time
from dataclasses import dataclass

from codecompass.model.call import Call


@dataclass(slots=True)
class TimeBudget:
    """A monotonic deadline for work; never later than the deadline of the call."""

    deadline: float
    call: Call

    @staticmethod
    def start(seconds: float, call: Call) -> "TimeBudget":
        until = time.monotonic() + seconds
        # Reserve some of the call's time for building the answer.
        return TimeBudget(until if call.deadline is None else min(until, call.deadline - 0.3), call)

    def get_remaining(self) -> float:
        self.call.check()
        return self.deadline - time.monotonic()

    def is_over(self) -> bool:
        return self.get_remaining() <= 0

    def report_progress(self, phase: str, done: int, total: int = 0) -> None:
        self.call.step(phase, done, total)

    def take_share(self, share: float) -> "TimeBudget":
        """Return a budget with a share of the remaining time."""
        return TimeBudget(time.monotonic() + max(self.get_remaining(), 0.0) * share, self.call)


class DeferredBudget(TimeBudget):
    """A budget that starts at its first use, with the time that remains then, clamped to given limits."""

    __slots__ = ("_limits",)

    def __init__(self, budget: TimeBudget, least: float, most: float) -> None:
        super().__init__(budget.deadline, budget.call)
        self._limits: tuple[float, float] | None = (least, most)

    def get_remaining(self) -> float:
        if self._limits is not None:
            least, most = self._limits
            self._limits = None
            now = time.monotonic()
            self.deadline = TimeBudget.start(min(max(self.deadline - now, least), most), self.call).deadline
        return super().get_remaining()
