"""Progress bar on a terminal. Loaded only when stderr is a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from codecompass.model.call import Progress
from codecompass.surfaces.cli.views.index_progress import Report
from codecompass.surfaces.cli.views.render import console
from codecompass.surfaces.cli.views.terminal_text import escape


@contextmanager
def open_progress_bar() -> Iterator[Report]:
    """Open a listener that moves a bar on stderr; the bar is removed at the end."""
    columns = (TextColumn("{task.description:<10}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def show(event: Progress) -> None:
            bar.update(task, description=escape(event.phase), completed=event.done, total=event.total or None)

        yield show
