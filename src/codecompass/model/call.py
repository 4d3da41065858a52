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
    searchable: bool = False
    """What is done so far can be searched from now on, and more follows."""


def _ignore_progress(_: Progress) -> None:
    """Discard a progress report."""


@dataclass(frozen=True, slots=True)
class ListRange:
    """The part of a list that a caller in this process wants; the limits of a message do not apply to it."""

    offset: int = 0
    limit: int | None = None
    """Items at most; 0: all of them, None: as many as the tool shows by default."""
    source_lines: int = 0
    """Lines of source on both sides of a hit, to show with it; 0: no source."""


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
    wanted: ListRange | None = None
    """The part of a list to return, for commands; other callers have the parameters `limit` and `cursor`."""

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
