"""Indexing progress: a bar on a terminal, a few plain lines in a log, or JSON lines; and the words for both."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

from codecompass.contract.encoding import encode
from codecompass.model.call import Progress
from codecompass.surfaces.cli.output import format_bytes, print_note
from codecompass.surfaces.cli.views.terminal_text import escape

Report = Callable[[Progress], None]
PLAIN_EVERY_S = 10.0
JSON_EVERY_S = 0.25
_MIN_REPORTED_S = 1.0
BYTE_PHASES = ("download",)
"""Phases whose unit is bytes."""


class ProgressPrinter(NamedTuple):
    """Where progress goes: events, and sentences that stay on the screen."""

    report: Report
    say: Callable[[str], None]


BarFactory = Callable[[], AbstractContextManager[ProgressPrinter]]


class PhaseWords(NamedTuple):
    """A phase for people: what is being done, and what is counted."""

    title: str
    unit: str = ""


PHASES = {
    "parse": PhaseWords("Reading code", "files"),
    "publish": PhaseWords("Saving the index", "files"),
    "vectors": PhaseWords("Learning meanings", "files"),
    "documents": PhaseWords("Reading documents", "files"),
    "commits": PhaseWords("Reading history", "commits"),
    "comments": PhaseWords("Reading comments", "files"),
    "statements": PhaseWords("Checking statements"),
    "download": PhaseWords("Downloading"),
    "export": PhaseWords("Exporting", "files"),
}
"""Names of phases that a person sees; the others are shown as they are."""
SEARCHABLE_PHASE = "publish"
"""Words and names can be searched when this phase is over."""
SEARCHABLE = "You can search now; the rest follows."


@contextmanager
def open_reporter(*, as_json: bool, bar: BarFactory | None, announces_search: bool = False) -> Iterator[Report]:
    """Open the progress listener for stderr: JSON lines, plain lines or a bar.

    With `announces_search` a line says when the index can be searched, if work follows after that.
    """
    if as_json:
        yield _throttle(JSON_EVERY_S, lambda event: print_note(encode(_shape_event(event)).decode()))
    elif bar is None:
        plain = ProgressPrinter(_throttle(PLAIN_EVERY_S, lambda event: print_note(format_line(event))), print_note)
        yield _announce_search(plain) if announces_search else plain.report
    else:
        with bar() as printer:
            yield _announce_search(printer) if announces_search else printer.report


def _announce_search(printer: ProgressPrinter) -> Report:
    """Wrap a printer: say once when the index can be searched although work goes on."""
    phase, said = "", False

    def report(event: Progress) -> None:
        nonlocal phase, said
        if event.searchable and not said:
            printer.say(f"{SEARCHABLE[:-1]} ({event.done:,} of {event.total:,} files are indexed).")
            said = True
        elif phase == SEARCHABLE_PHASE and event.phase != SEARCHABLE_PHASE and not said:
            printer.say(SEARCHABLE)
            said = True
        phase = event.phase
        printer.report(event)

    return report


class PhaseClock:
    """Measures the wall time of a command, and when the index became searchable."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._phase = ""
        self._first_part: float | None = None
        self._published: float | None = None

    def listen(self, report: Report) -> Report:
        """Wrap a listener: record when a first part and when everything is published, and pass every event on."""

        def on_progress(event: Progress) -> None:
            if self._phase == SEARCHABLE_PHASE and event.phase != SEARCHABLE_PHASE and self._published is None:
                self._published = time.monotonic()
            if event.searchable and self._first_part is None:
                self._first_part = time.monotonic()
            self._phase = event.phase
            report(event)

        return on_progress

    def format_total(self) -> str:
        """Format the seconds since the command started."""
        return f"{time.monotonic() - self._started:.1f} s"

    def format_summary(self) -> str:
        """Format the seconds since the command started, and after how many the index was searchable."""
        now = time.monotonic()
        total = now - self._started
        late = now - self._published if self._published is not None else 0.0
        name = "searchable" if self._first_part is None else "all files"
        after = [f"{name} after {total - late:.1f} s"] if late >= _MIN_REPORTED_S else []
        if self._first_part is not None:
            after.insert(0, f"first answers after {self._first_part - self._started:.1f} s")
        return f"{total:.1f} s" + (f" ({', '.join(after)})" if after else "")


def format_count(event: Progress) -> str:
    """Format how much of a phase is done, with its unit; empty if nothing is counted."""
    if event.phase in BYTE_PHASES:
        return format_bytes(event.done) + (f" of {format_bytes(event.total)}" if event.total else "")
    unit = PHASES.get(event.phase, PhaseWords("")).unit
    count = f"{event.done:,}/{event.total:,}" if event.total else f"{event.done:,}" if event.done else ""
    return f"{count} {unit}".rstrip() if count else ""


def get_title(phase: str) -> str:
    """Return the name of a phase for people."""
    return PHASES[phase].title if phase in PHASES else escape(phase[:1].upper() + phase[1:])


def _shape_event(event: Progress) -> dict[str, object]:
    fields = {"event": "progress", "phase": event.phase, "done": event.done, "total": event.total}
    fields |= {"searchable": True} if event.searchable else {}
    return fields | ({"message": event.message} if event.message else {})


def format_line(event: Progress) -> str:
    """Format an event as a line of a log."""
    return f"{get_title(event.phase)} {format_count(event)}".rstrip()


def _throttle(seconds: float, emit: Report) -> Report:
    """Pass an event on when its phase is new or enough time has passed."""
    last, last_time = Progress("", 0, 0), 0.0

    def report(event: Progress) -> None:
        nonlocal last, last_time
        now = time.monotonic()
        if event.phase != last.phase or event.searchable or now - last_time >= seconds:
            last, last_time = event, now
            emit(event)

    return report
