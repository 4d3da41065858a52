"""Cancellation: stop a job's whole process tree and update its row."""

import os
import signal
import time

from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.job import Job
from codecompass.repo.process.child_process import SUPERVISOR, SpawnedProcess, is_alive, stop_tree
from codecompass.repo.process.process_tree import read_stat

_POLL = 0.02
_HERE_SECONDS = 30.0
"""Seconds that a job of this process may take to reach a cancellation point."""


def cancel_job(project: Project, job_id: str | None, grace: float | None = None) -> Job:
    """Cancel the named job, or the running one; return its final row."""
    board = project.jobs
    active = board.find_active()
    job = board.records.job(job_id) if job_id is not None else active
    if job is None:
        message = f"There is no job '{job_id[:40]}'." if job_id is not None else "No job is running."
        raise Failure("JOB_NOT_FOUND", message)
    if not job.active:
        details: dict[str, object] = {"job_id": job.job_id, "status": job.status}
        raise Failure("JOB_NOT_FOUND", f"The job {job.job_id} has already ended: it is {job.status}.", details)
    switch = board.get_cancel_event(job.job_id)
    owner = board.find_owner(job)
    if switch is not None:
        switch.set()
        _wait_for_end(project, job)
    elif owner is not None:
        _stop_process(owner, SUPERVISOR.grace if grace is None else grace)
        if is_alive(*owner):
            raise Failure("INTERNAL", "The job's process could not be stopped.", {"job_id": job.job_id})
    return _mark_cancelled(project, job)


def _wait_for_end(project: Project, job: Job) -> None:
    deadline = time.monotonic() + _HERE_SECONDS
    while project.jobs.get_cancel_event(job.job_id) is not None:
        if time.monotonic() > deadline:
            raise Failure("TOOL_TIMEOUT", "The job was asked to stop and has not done so yet.", {"job_id": job.job_id})
        time.sleep(_POLL)


def _stop_process(owner: SpawnedProcess, grace: float) -> None:
    """TERM, `grace` seconds, KILL, for the process and all its descendants; nothing to a later owner of its number."""
    stat = read_stat(owner.pid)
    if stat is not None and stat.group != owner.pid:
        # Started by a user in a foreign process group, which must not be signalled: signal only the process itself.
        _signal(owner, signal.SIGTERM)
        deadline = time.monotonic() + grace
        while is_alive(*owner) and time.monotonic() < deadline:
            time.sleep(_POLL)
        if not is_alive(*owner):
            return
        stop_tree(*owner, grace=0.0)
        _signal(owner, signal.SIGKILL)
        deadline = time.monotonic() + 1.0
        while is_alive(*owner) and time.monotonic() < deadline:
            time.sleep(_POLL)
        return
    stop_tree(*owner, grace=grace)


def _signal(owner: SpawnedProcess, number: int) -> None:
    if not is_alive(*owner):
        return
    try:
        os.kill(owner.pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _mark_cancelled(project: Project, job: Job) -> Job:
    """Return the final row: as the job wrote it, or cancelled when it was killed before it could."""
    row = project.jobs.records.job(job.job_id) or job
    return project.jobs.finish(row, "cancelled", error="The job was cancelled.") if row.active else row
