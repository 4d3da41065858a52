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


class Deferred(Budget):
    """A budget that begins when it is first asked for: what came before has had its own."""

    __slots__ = ("_seconds",)

    def __init__(self, seconds: float, call: Call) -> None:
        super().__init__(0.0, call)
        self._seconds = seconds

    def left(self) -> float:
        if not self.until:
            self.until = Budget.of(self._seconds, self.call).until
        return super().left()
