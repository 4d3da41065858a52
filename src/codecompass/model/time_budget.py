"""Time budget: how long a part of a call may work before it returns what it has."""

import time
from dataclasses import dataclass

from codecompass.model.call import Call

ANSWER_RESERVE_S = 0.3
"""Seconds of a call's time that are reserved for building its answer."""


@dataclass(slots=True)
class TimeBudget:
    """A monotonic deadline for work; never later than the deadline of the call."""

    deadline: float
    call: Call

    @staticmethod
    def start(seconds: float, call: Call, reserve_s: float = 0.0) -> "TimeBudget":
        """Start a budget of `seconds` that ends at least `reserve_s` before the deadline of the call."""
        until = time.monotonic() + seconds
        return TimeBudget(until if call.deadline is None else min(until, call.deadline - reserve_s), call)

    def get_remaining(self) -> float:
        """Return the remaining seconds; raises if the call was cancelled or its deadline has passed."""
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
            seconds = min(max(self.deadline - time.monotonic(), least), most)
            self.deadline = TimeBudget.start(seconds, self.call, ANSWER_RESERVE_S).deadline
        return super().get_remaining()
