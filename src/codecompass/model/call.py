"""Call: identity, deadline, cancellation and progress of one request, passed through all layers."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

from codecompass.errors import Failure


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a task: `done` of `total` units in a named phase; a total of 0 means unknown."""

    phase: str
    done: int
    total: int
    message: str = ""


def _ignore_progress(_: Progress) -> None:
    """Discard a progress report."""


@dataclass(frozen=True, slots=True)
class Call:
    """Identity, deadline (monotonic seconds), cancellation and progress of one request."""

    id: str = ""
    deadline: float | None = None
    cancelled: Event = field(default_factory=Event)
    report: Callable[[Progress], None] = _ignore_progress
    client: str = ""
    """The client, as far as the surface can tell clients apart; limits are counted per client."""
    session: str = ""
    """The session id of the connection in the project's memory; empty if there is none."""
    trusted: bool = True
    """Whether the call may write: false for an HTTP request without the token."""

    def check(self) -> None:
        """Raise if the call was cancelled or its deadline has passed; long loops call this."""
        if self.cancelled.is_set():
            raise Failure("CANCELLED", "The call was cancelled.")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise Failure("TOOL_TIMEOUT", "The call ran out of time.")

    def step(self, phase: str, done: int, total: int = 0) -> None:
        """Check for cancellation, then report progress if there is a listener; called on each step of a long loop."""
        self.check()
        if self.report is not _ignore_progress:
            self.report(Progress(phase, done, total))
