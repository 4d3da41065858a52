"""Command `watch`: keep the index current and print one line for each sync."""

import argparse
import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.maintenance.sync_attempt import SyncAttempt
from codecompass.surfaces.cli.output import write_json
from codecompass.surfaces.cli.views.index_progress import BarFactory, open_reporter
from codecompass.surfaces.cli.views.terminal import console
from codecompass.surfaces.cli.views.terminal_text import escape

OnAttempt = Callable[[SyncAttempt], None]


@dataclass(frozen=True, slots=True)
class WatchSession:
    """The dependencies of the command: functions of the engine, the directory, and a progress bar on a terminal."""

    index: Callable[..., Job]
    follow: Callable[[str, Call, OnAttempt], None]
    workspace: str
    bar: BarFactory | None


def run_watch(args: argparse.Namespace, session: WatchSession) -> int:
    """Index if needed, then sync after every change until a signal arrives."""
    call = Call(id="cli")
    ended, waker = os.pipe()
    received: list[int] = []

    def leave(number: int, _frame: object) -> None:
        received.append(number)
        if len(received) > 1 and number == signal.SIGINT:
            raise KeyboardInterrupt
        call.cancelled.set()

    signal.signal(signal.SIGINT, leave)
    signal.signal(signal.SIGTERM, leave)
    # The kernel may deliver the signal to any thread, which would not interrupt this one; the byte in the pipe does.
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    # The work runs on its own thread, so that this one only waits for that byte.
    with ThreadPoolExecutor(1, "watch") as work:
        following = work.submit(_follow, args, session, call)
        following.add_done_callback(lambda _: os.write(waker, b".") and None)
        os.read(ended, 1)
        signal.set_wakeup_fd(-1)
        call.cancelled.set()
        try:
            following.result()
        except Failure as failure:
            if failure.code != "CANCELLED":
                raise
    return 0


def _follow(args: argparse.Namespace, session: WatchSession, call: Call) -> None:
    show = _EventPrinter(as_json=args.json)
    try:
        with open_reporter(as_json=args.json, bar=session.bar) as report:
            first = Call(id=call.id, cancelled=call.cancelled, report=report)
            job = session.index(session.workspace, "live", force=False, call=first, job_id=None, register=True)
        show.show_ready(session.workspace, job)
    except Failure as failure:
        if failure.code != "INDEX_IN_PROGRESS":
            raise
        show.show_attempt(SyncAttempt(failure=failure))
    session.follow(session.workspace, call, show.show_attempt)


class _EventPrinter:
    """Prints each event as one line: text on a console, or JSON."""

    def __init__(self, *, as_json: bool) -> None:
        self._out: Console | None = None if as_json else console()

    def show_ready(self, workspace: str, job: Job) -> None:
        if self._out is None:
            self._write_event("watching", path=workspace, file_count=job.file_count, changed_files=job.changed_files,
                        duration_ms=job.duration_ms)  # fmt: skip
            return
        line = Text("Watching ")
        line.append(escape(Path(workspace).name or workspace), style="bold")
        line.append(f": {job.file_count or 0:,} files, {(job.duration_ms or 0) / 1000:.1f} s. Ctrl-C ends it.")
        self._print(line)

    def show_attempt(self, done: SyncAttempt) -> None:
        if done.failure is not None:
            self._show_failure(done.failure, done.retry_s)
        elif done.job is not None:
            self._show_sync(done.job)

    def _show_sync(self, job: Job) -> None:
        changed = job.changed_files or 0
        if self._out is None:
            self._write_event("sync", job_id=job.job_id, changed_files=changed, file_count=job.file_count,
                        duration_ms=job.duration_ms)  # fmt: skip
            return
        line = self._format_time()
        line.append(f"{changed:,} {'file' if changed == 1 else 'files'} changed", style="green")
        line.append(f"  {job.duration_ms or 0} ms", style="cyan")
        self._print(line)

    def _show_failure(self, failure: Failure, retry_s: float) -> None:
        if self._out is None:
            self._write_event("failed", code=failure.code, message=failure.message, retry_s=retry_s)
            return
        line = self._format_time()
        line.append(escape(failure.message), style="yellow")
        line.append(f"  again in {retry_s:.0f} s" if retry_s else "  waiting for it", style="dim")
        self._print(line)

    def _format_time(self) -> Text:
        return Text(f"{datetime.now():%H:%M:%S}  ", style="dim")

    def _print(self, line: Text) -> None:
        assert self._out is not None
        self._out.print(line)
        self._out.file.flush()

    def _write_event(self, name: str, **fields: object) -> None:
        write_json({"event": name, "at": datetime.now().astimezone().isoformat(timespec="milliseconds"), **fields})
