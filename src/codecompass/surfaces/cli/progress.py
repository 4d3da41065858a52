"""Progress of indexing: a bar on a terminal, a plain line now and then in a log, JSON lines for programs."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from codecompass.contract.codec import encode
from codecompass.model.call import Progress
from codecompass.surfaces.cli.output import note
from codecompass.surfaces.cli.render import console
from codecompass.surfaces.cli.visible import visible

Report = Callable[[Progress], None]
PLAIN_EVERY_S = 3.0
JSON_EVERY_S = 0.25


@contextmanager
def reporter(*, as_json: bool, terminal: bool) -> Iterator[Report]:
    """The listener that suits whoever reads stderr."""
    if as_json:
        yield _throttled(JSON_EVERY_S, lambda event: note(encode(_event(event)).decode()))
    elif not terminal:
        yield _throttled(PLAIN_EVERY_S, lambda event: note(_line(event)))
    else:
        columns = (TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Bar(*columns, console=console(stderr=True), transient=True) as bar:
            task = bar.add_task("starting", total=None)

            def show(event: Progress) -> None:
                bar.update(task, description=visible(event.phase), completed=event.done, total=event.total or None)

            yield show


def _event(event: Progress) -> dict[str, object]:
    fields = {"event": "progress", "phase": event.phase, "done": event.done, "total": event.total}
    return fields | ({"message": event.message} if event.message else {})


def _line(event: Progress) -> str:
    of = f" {event.done}/{event.total} files" if event.total else ""
    return f"{visible(event.phase)}{of}{' ' + visible(event.message) if event.message else ''}"


def _throttled(seconds: float, emit: Report) -> Report:
    """Lets a report through when its phase is new or enough time has passed."""
    last_phase, last_time = "", 0.0

    def report(event: Progress) -> None:
        nonlocal last_phase, last_time
        now = time.monotonic()
        if event.phase != last_phase or now - last_time >= seconds:
            last_phase, last_time = event.phase, now
            emit(event)

    return report
