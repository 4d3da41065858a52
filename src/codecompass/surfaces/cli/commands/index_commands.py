"""Commands `init`, `index`, `sync` and `jobs`, which work on the index in this process."""

import argparse
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.queries.results import ProjectStatus
from codecompass.surfaces.cli.output import print_line, print_note, show_failure, write_json
from codecompass.surfaces.cli.views.index_progress import BarFactory, PhaseClock, open_reporter
from codecompass.surfaces.cli.views.terminal_text import escape

ACTIVE = "active"
SIGNAL_EXIT_BASE = 128
"""Added to the number of the signal that ended the command, as shells do."""


@dataclass(frozen=True, slots=True)
class JobSession:
    """The dependencies of these commands: functions of the engine, and a progress bar on a terminal."""

    init: Callable[[str], ProjectStatus]
    index: Callable[..., Job]
    status: Callable[[str | None, str | None], ProjectStatus]
    cancel: Callable[[str | None, str | None], Job]
    workspace: str
    bar: BarFactory | None
    started: float = field(default_factory=time.monotonic)
    """When the command started, by the monotonic clock."""


def run_init(args: argparse.Namespace, session: JobSession) -> int:
    status = session.init(session.workspace)
    if args.json:
        project = {"project_id": status.project_id, "repo_root": status.repo_root}
        write_json(project | {"index_status": status.state.indexing})
        return 0
    print_line(f"Registered {escape(status.repo_root)} as {status.project_id}.")
    if status.state.indexing == "not_indexed":
        print_note("Run 'codecompass index' to index it.")
    return 0


def run_sync(args: argparse.Namespace, session: JobSession) -> int:
    # `index` registers a project; `sync` requires a registered one.
    return _index(args, session, workspace=None, register=False)


def run_index(args: argparse.Namespace, session: JobSession) -> int:
    return _index(args, session, workspace=session.workspace, register=True)


def _index(args: argparse.Namespace, session: JobSession, *, workspace: str | None, register: bool) -> int:
    clock = PhaseClock(session.started)
    with open_reporter(as_json=args.json, bar=session.bar) as report:
        call = Call(id=args.job_id or "cli", report=clock.listen(report))
        signals = cancel_on_signal(call)
        try:
            job = session.index(workspace, args.ref, force=args.force, call=call, job_id=args.job_id, register=register)
        except Failure as failure:
            if failure.code != "CANCELLED" or not signals:
                raise
            show_failure(failure)
            return SIGNAL_EXIT_BASE + signals[0]
    if args.json:
        write_json(_shape_job(job))
    elif job.status == "published":
        counts = f"{job.file_count or 0:,} files, {job.symbol_count or 0:,} symbols"
        print_line(
            f"Indexed {escape(job.ref)}: {counts}, {job.changed_files or 0:,} changed, {clock.format_summary()}."
        )
    if job.status != "published":
        return show_failure(Failure("INTERNAL", f"The job ended as {job.status}: {job.error or 'no reason given'}."))
    return 0


def cancel_on_signal(call: Call) -> list[int]:
    """Cancel the call at a safe point on the first signal; interrupt it at once on a second Ctrl-C."""
    received: list[int] = []

    def ask(number: int, _frame: object) -> None:
        received.append(number)
        if call.cancelled.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        call.cancelled.set()

    signal.signal(signal.SIGINT, ask)
    signal.signal(signal.SIGTERM, ask)
    return received


def run_jobs(args: argparse.Namespace, session: JobSession) -> int:
    """List the jobs of a project, newest first; with --cancel, cancel that job and show it."""
    if args.cancel is not None:
        found = [session.cancel(None, None if args.cancel == ACTIVE else args.cancel)]
    else:
        found = list(session.status(None, None).recent_jobs)
    if args.json:
        write_json([_shape_job(job) for job in found])
        return 0
    for job in found:
        done = f"{job.files_done}/{job.files_total} files" if job.active and job.files_total else ""
        changed = f"{job.changed_files:,} changed" if job.changed_files is not None else ""
        words = (job.job_id, f"{job.status:<11}", f"{job.mode:<11}", escape(job.ref), job.created_at, done or changed)
        print_line("  ".join((*words, escape(job.error))).rstrip())
    if not found:
        print_note("No job has run yet.")
    return 0


def _shape_job(job: Job) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(job)
    hidden = ("pid", "start_time", "heartbeat_at")
    return {key: value for key, value in fields.items() if key not in hidden and value != ""}


JOB_COMMANDS: dict[str, Callable[[argparse.Namespace, JobSession], int]] = {
    "init": run_init, "index": run_index, "sync": run_sync, "jobs": run_jobs,
}  # fmt: skip
