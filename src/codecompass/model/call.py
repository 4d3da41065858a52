"""Call: one request on its way through the levels. A plain value every level may receive."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from codecompass.errors import Failure


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a piece of work is: `done` of `total` units in a named phase; a total of 0 is not known."""

    phase: str
    done: int
    total: int
    message: str = ""


def _silent(_: Progress) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class Call:
    """Identity, deadline (monotonic seconds), cancellation and progress of one request."""

    id: str = ""
    deadline: float | None = None
    cancelled: Event = field(default_factory=Event)
    report: Callable[[Progress], None] = _silent
    client: str = ""
    """Who asks, as far as the surface can tell clients apart: limits are counted for each."""
    session: str = ""
    """The connection it came over, as the project's memory knows it; empty where nobody keeps one."""
    trusted: bool = True
    """Whether it may do more than read: false for a request over HTTP that came without the token."""

    def check(self) -> None:
        """Raise when the caller gave up or the time is over; long loops call this."""
        if self.cancelled.is_set():
            raise Failure("CANCELLED", "The call was cancelled.")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Failure("TOOL_TIMEOUT", "The call ran out of time.")

    def step(self, phase: str, done: int, total: int = 0) -> None:
        """One step of a long loop: stop if it must, and tell how far it is where somebody listens."""
        self.check()
        if self.report is not _silent:
            self.report(Progress(phase, done, total))
