"""Index run: run an index job in this process, show its progress and its result, and stop it at Ctrl-C."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.queries.results import ProjectStatus
from codecompass.model.skipped_files import format_skipped
from codecompass.surfaces.cli.output import print_line, print_note, show_failure, write_json
from codecompass.surfaces.cli.views.index_progress import BarFactory, PhaseClock, open_reporter
from codecompass.surfaces.cli.views.terminal_text import escape

SIGNAL_EXIT_BASE = 128
"""Added to the number of the signal that ended the command, as shells do."""
UNFINISHED = ("cancelled", "interrupted")


@dataclass(frozen=True, slots=True)
class IndexSession:
    """The dependencies of an index run: functions of the engine, and a progress bar on a terminal."""

    index: Callable[..., Job]
    status: Callable[[str | None, str | None], ProjectStatus]
    bar: BarFactory | None
    started: float = field(default_factory=time.monotonic)
    """When the command started, by the monotonic clock."""


def run_index_job(
    session: IndexSession, *, workspace: str | None, register: bool, ref: str | None = None, force: bool = False,
    job_id: str | None = None, as_json: bool = False, is_answer: bool = True,
) -> int | None:  # fmt: skip
    """Index and show the result: on stdout if that is what was asked for, else on stderr.

    Return an exit code if the job failed or was interrupted, else None.
    """
    if not as_json and _was_interrupted(session, workspace, force=force):
        print_note("The last run was interrupted; this one goes on with what it finished.")
    clock = PhaseClock(session.started)
    with open_reporter(as_json=as_json, bar=session.bar, announces_search=True) as report:
        call = Call(id=job_id or "cli", report=clock.listen(report))
        with cancel_on_signals(call) as signals:
            try:
                job = session.index(workspace, ref, force=force, call=call, job_id=job_id, register=register)
            except Failure as failure:
                if failure.code != "CANCELLED" or not signals:
                    raise
                job = None
    if job is None:
        return _show_interrupted(clock, signals[0], "What was finished is kept; run the command again to go on.")
    if job.status != "published":
        return show_failure(Failure("INTERNAL", f"The job ended as {job.status}: {job.error or 'no reason given'}."))
    if as_json:
        write_json(shape_job(job))
    elif not signals:
        _show_result(session, workspace, job, clock, print_line if is_answer else print_note)
    if signals:
        rest = "Words can be searched already; run 'codecompass index' again for the rest."
        return _show_interrupted(clock, signals[0], rest)
    return None


def _was_interrupted(session: IndexSession, workspace: str | None, *, force: bool) -> bool:
    """Whether the last job ended before it published, so that its parsed files are used again."""
    if force:
        return False
    try:
        last = next(iter(session.status(workspace, None).recent_jobs), None)
    except Failure:
        return False
    return last is not None and last.status in UNFINISHED and last.files_done > 0


def _show_interrupted(clock: PhaseClock, number: int, rest: str) -> int:
    print_note(f"Interrupted after {clock.format_total()}. {rest}")
    return SIGNAL_EXIT_BASE + number


def _show_result(
    session: IndexSession, workspace: str | None, job: Job, clock: PhaseClock, show: Callable[[str], None]
) -> None:
    files, changed = job.file_count or 0, job.changed_files or 0
    counts = f"{files:,} files, {job.symbol_count or 0:,} symbols"
    if changed < files:  # of a first index nothing is old, and skipped files count as read
        counts += f", {changed:,} changed"
    show(f"Indexed {escape(job.ref)}: {counts}, {clock.format_summary()}.")
    try:
        skipped = session.status(workspace, job.ref).skipped
    except Failure:
        return  # another process changed the index meanwhile
    if skipped:
        show(format_skipped(skipped))


@contextmanager
def cancel_on_signals(call: Call) -> Iterator[list[int]]:
    """Inside the block the first signal cancels the call at a safe point; a second Ctrl-C interrupts it at once."""
    received: list[int] = []

    def cancel(number: int, _frame: object) -> None:
        received.append(number)
        if call.cancelled.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        call.cancelled.set()

    before = [(number, signal.signal(number, cancel)) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield received
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def shape_job(job: Job) -> dict[str, Any]:
    """Shape a job for JSON output, without the fields that only this machine can use."""
    fields: dict[str, Any] = msgspec.to_builtins(job)
    hidden = ("pid", "start_time", "heartbeat_at")
    return {key: value for key, value in fields.items() if key not in hidden and value != ""}
