"""Commands `init`, `index`, `sync` and `jobs`, which work on the index in this process."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from codecompass.model.job import Job
from codecompass.model.queries.results import ProjectStatus
from codecompass.surfaces.cli.output import format_moment, print_line, print_note, write_json
from codecompass.surfaces.cli.readiness.index_run import IndexSession, run_index_job, shape_job
from codecompass.surfaces.cli.views.terminal import console, print_hanging
from codecompass.surfaces.cli.views.terminal_text import escape

ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class JobSession:
    """The dependencies of these commands: functions of the engine, and what an index run needs."""

    init: Callable[[str], ProjectStatus]
    cancel: Callable[[str | None, str | None], Job]
    workspace: str
    run: IndexSession


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
    code = run_index_job(
        session.run, workspace=workspace, register=register, ref=args.ref, force=args.force, job_id=args.job_id,
        as_json=args.json,
    )  # fmt: skip
    return code or 0


def run_jobs(args: argparse.Namespace, session: JobSession) -> int:
    """List the jobs of a project, newest first; with --cancel, cancel that job and show it."""
    if args.cancel is not None:
        found = [session.cancel(None, None if args.cancel == ACTIVE else args.cancel)]
    else:
        found = list(session.run.status(None, None).recent_jobs)
    if args.json:
        write_json([shape_job(job) for job in found])
        return 0
    _show_jobs(console(), found)
    if not found:
        print_note("No job has run yet.")
    return 0


def _show_jobs(out: Console, jobs: list[Job]) -> None:
    """Print jobs as a table: id, state, kind, ref, when, and what was done."""
    widths = [
        max((len(text) for text in column), default=0) for column in zip(*map(_list_job_words, jobs), strict=True)
    ]
    for job in jobs:
        done = f"{job.files_done:,} of {job.files_total:,} files" if job.active and job.files_total else ""
        changed = f"{job.changed_files:,} changed" if job.changed_files is not None else ""
        words = [f"{word:<{width}}" for word, width in zip(_list_job_words(job), widths, strict=True)]
        line = "  ".join((*words, done or changed, escape(job.error))).rstrip()
        print_hanging(out, Text(line), len(job.job_id) + 2)


def _list_job_words(job: Job) -> tuple[str, ...]:
    return (job.job_id, job.status, job.mode, escape(job.ref), format_moment(job.created_at))


JOB_COMMANDS: dict[str, Callable[[argparse.Namespace, JobSession], int]] = {
    "init": run_init, "index": run_index, "sync": run_sync, "jobs": run_jobs,
}  # fmt: skip
