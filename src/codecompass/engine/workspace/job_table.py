"""Job table: every job of a project, the process that runs it, and detection of jobs whose process died."""

import os
import secrets
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import Event

from codecompass.errors import Failure
from codecompass.model.call import Progress
from codecompass.model.job import TRANSITIONS, Job
from codecompass.model.queries.results import RecoveryReport
from codecompass.model.states import JobMode, JobState
from codecompass.model.timestamp import utc_timestamp
from codecompass.repo.process.child_process import SpawnedProcess, is_alive, read_start_time
from codecompass.store.ports import ProjectRecords

RECENT_JOBS = 20
CHILD_KEY = "job_child"
"""Record of the child started last: its job, pid and start time. It is separate from the job's row, which the
child writes as soon as it runs: two writers of one row would overwrite each other.
"""
_WRITE_EVERY = 0.25
_STARTING_GRACE = 30.0
"""Seconds that a queued job may wait until its process is known."""


def format_now() -> str:
    return utc_timestamp(timespec="milliseconds")


@dataclass
class JobTable:
    records: ProjectRecords
    _written_at: float = 0.0
    _cancel_events: dict[str, Event] = field(default_factory=dict)
    """Jobs that run in this process, each with the event that cancels it."""
    _latest_progress: dict[str, Job] = field(default_factory=dict)
    """The same jobs with their latest progress, which is written to disk less often."""

    # -- job lifecycle ---------------------------------------------------------------------------------------------

    def create(self, ref: str, mode: JobMode, job_id: str | None = None) -> Job:
        job = Job(job_id or secrets.token_hex(6), ref, mode, "queued", format_now())
        self.records.put_job(job)
        return job

    def start(self, job_id: str | None, ref: str, mode: JobMode, cancel: Event) -> Job:
        """Start a job in this process: the queued one with this id, or a new one."""
        known = self.records.job(job_id) if job_id else None
        if known is not None and known.status != "queued":
            raise Failure("CANCELLED", f"The job {known.job_id} was {known.status} before it began.")
        job = known or self.create(ref, mode, job_id)
        self._cancel_events[job.job_id] = cancel
        pid = os.getpid()
        return self.transition(
            replace(job, pid=pid, start_time=read_start_time(pid), started_at=format_now(), heartbeat_at=format_now()),
            "running",
        )

    def transition(self, job: Job, status: JobState) -> Job:
        """Change the status along a legal transition and store it."""
        if status not in TRANSITIONS.get(job.status, ()):
            raise Failure("INTERNAL", f"A job cannot go from {job.status} to {status}.")
        latest = self._latest_progress.get(job.job_id, job) if job.files_total is None else job
        moved = replace(job, status=status, files_done=latest.files_done, files_total=latest.files_total)
        self.records.put_job(moved)
        return moved

    def record_child(self, job: Job, child: SpawnedProcess) -> None:
        """Record the child that will run a queued job, until the child writes the row itself."""
        self.records.set(CHILD_KEY, f"{job.job_id} {child.pid} {child.start_time}")

    def update_progress(self, job: Job, progress: Progress) -> Job:
        """Update the progress and heartbeat of the row, a few times a second at most."""
        moved = replace(job, files_done=progress.done, files_total=progress.total, heartbeat_at=format_now())
        self._latest_progress[job.job_id] = moved
        if time.monotonic() - self._written_at > _WRITE_EVERY:
            self._written_at = time.monotonic()
            self.records.put_job(moved)
        return moved

    def finish(self, job: Job, status: JobState, **facts: object) -> Job:
        ended = self.transition(replace(job, ended_at=format_now(), **facts), status)  # type: ignore[arg-type]
        self._latest_progress.pop(job.job_id, None)
        self._cancel_events.pop(job.job_id, None)
        return ended

    def update(self, job: Job, **facts: object) -> Job:
        """Update the row of a job that has ended."""
        amended = replace(job, **facts)  # type: ignore[arg-type]
        self.records.put_job(amended)
        return amended

    # -- queries ---------------------------------------------------------------------------------------------------

    def find_active(self) -> Job | None:
        """Return the newest job whose process is alive; mark jobs with a dead process as interrupted."""
        found = None
        for job in self.records.jobs(RECENT_JOBS):
            if not job.active:
                continue
            if self._is_alive(job):
                found = found or self._with_running_status(job)
            else:
                self._mark_interrupted(job)
        return found

    def _mark_interrupted(self, job: Job) -> None:
        """Mark a job as interrupted; a full disk must not make queries fail."""
        lost = replace(job, status="interrupted", ended_at=format_now(), error="The process ended without finishing.")
        try:
            self.records.put_job(lost)
        except Failure as failure:
            if failure.code != "DISK_FULL":
                raise

    def find_owner(self, job: Job) -> SpawnedProcess | None:
        """Return the process that runs a job, or will; None while it is not known."""
        if job.pid:
            return SpawnedProcess(job.pid, job.start_time)
        job_id, pid, start_time = ((self.records.get(CHILD_KEY) or "").split(" ", 2) + ["", "", ""])[:3]
        return SpawnedProcess(int(pid), start_time) if job_id == job.job_id and pid.isdigit() else None

    def get_cancel_event(self, job_id: str) -> Event | None:
        """Return the event that cancels a job of this process."""
        return self._cancel_events.get(job_id)

    def _is_alive(self, job: Job) -> bool:
        owner = self.find_owner(job)
        if owner is not None:
            return is_alive(*owner)
        age = datetime.now(UTC) - datetime.fromisoformat(job.created_at)
        return age.total_seconds() < _STARTING_GRACE

    def _with_running_status(self, job: Job) -> Job:
        """Return a job with the status to report: a queued job whose process has started counts as running."""
        return replace(job, status="running") if job.status == "queued" and self.find_owner(job) is not None else job

    def list_recent(self, limit: int = 5) -> tuple[Job, ...]:
        return tuple(self._with_running_status(job) for job in self.records.jobs(limit))

    def find_last_published(self) -> str:
        """Return the id of the newest published job; empty when no recent job published."""
        return next((job.job_id for job in self.records.jobs(RECENT_JOBS) if job.status == "published"), "")

    def has_failed(self, ref: str) -> bool:
        """Whether the last job of a ref that published or failed has failed."""
        ended = (
            job for job in self.records.jobs(RECENT_JOBS) if job.ref == ref and job.status in ("published", "failed")
        )
        return next((job.status == "failed" for job in ended), False)

    def build_recovery_report(self) -> RecoveryReport | None:
        """Report jobs interrupted since the last publish; None when there are none."""
        lost = []
        for job in self.records.jobs(RECENT_JOBS):
            if job.status == "published":
                break
            if job.status == "interrupted":
                lost.append(job)
        if not lost:
            return None
        return RecoveryReport(
            len(lost), lost[0].ended_at, "Call sync_repo: it continues from what was saved; nothing is lost."
        )
