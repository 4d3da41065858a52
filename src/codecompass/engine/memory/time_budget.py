"""Budget: how long a question may mine and check before it answers with what there is."""

import time
from dataclasses import dataclass

from codecompass.model.call import Call


@dataclass(slots=True)
class Budget:
    """Monotonic seconds until which work may go on; the call's own end comes first."""

    until: float
    call: Call

    @staticmethod
    def of(seconds: float, call: Call) -> "Budget":
        until = time.monotonic() + seconds
        # Some of the call's time is kept for the answer itself.
        return Budget(until if call.deadline is None else min(until, call.deadline - 0.3), call)

    def left(self) -> float:
        self.call.check()
        return self.until - time.monotonic()

    def over(self) -> bool:
        return self.left() <= 0

    def step(self, phase: str, done: int, total: int = 0) -> None:
        self.call.step(phase, done, total)

    def part(self, share: float) -> "Budget":
        """A share of what is left, for one of several pieces of work."""
        return Budget(time.monotonic() + max(self.left(), 0.0) * share, self.call)


class Late(Budget):
    """What is left when it is first asked, but neither less nor more than stated: what came before took its time."""

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
