"""The job board: every job of a project, who runs it, and what became of those that never said."""

import os
import secrets
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from codecompass.errors import Failure
from codecompass.model.call import Progress
from codecompass.model.job import TRANSITIONS, Job
from codecompass.model.result import RecoveryReport
from codecompass.repo.process import is_alive, process_start_time
from codecompass.store.ports import Records

RECENT = 20
_WRITE_EVERY = 0.25
_STARTING_GRACE = 30.0
"""Seconds a queued job may wait for its process to say who it is."""


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class JobBoard:
    records: Records
    _written: float = 0.0
    _current: dict[str, Job] = field(default_factory=dict)

    def create(self, ref: str, mode: str) -> Job:
        job = Job(secrets.token_hex(6), ref, mode, "queued", now())
        self.records.put_job(job)
        return job

    def adopt(self, job_id: str | None, ref: str, mode: str) -> Job:
        """Start a job in this process: the queued one that was announced, or a new one."""
        known = self.records.job(job_id) if job_id else None
        job = known if known is not None and known.status == "queued" else self.create(ref, mode)
        pid = os.getpid()
        return self.move(
            replace(job, pid=pid, start_time=process_start_time(pid), started_at=now(), heartbeat_at=now()), "running"
        )

    def move(self, job: Job, status: str) -> Job:
        """Change the state along a legal edge and write it down."""
        if status not in TRANSITIONS.get(job.status, ()):
            raise Failure("INTERNAL", f"A job cannot go from {job.status} to {status}.")
        moved = replace(job, status=status)
        self.records.put_job(moved)
        return moved

    def note_child(self, job: Job, pid: int, start_time: str) -> Job:
        """Record the child that will run a queued job, unless it has already said so itself."""
        current = self.records.job(job.job_id) or job
        if current.pid:
            return current
        noted = replace(current, pid=pid, start_time=start_time)
        self.records.put_job(noted)
        return noted

    def progress(self, job: Job, progress: Progress) -> Job:
        """Keep the row current, a few times a second at most; also its heartbeat."""
        moved = replace(job, files_done=progress.done, files_total=progress.total, heartbeat_at=now())
        if time.monotonic() - self._written > _WRITE_EVERY:
            self._written = time.monotonic()
            self.records.put_job(moved)
        return moved

    def finish(self, job: Job, status: str, **facts: object) -> Job:
        ended = replace(job, ended_at=now(), **facts)  # type: ignore[arg-type]
        return self.move(ended, status)

    def active(self) -> Job | None:
        """The newest job whose process lives; dead ones are marked interrupted on the way."""
        found = None
        for job in self.records.jobs(RECENT):
            if not job.active:
                continue
            if self._lives(job):
                found = found or job
            else:
                self.records.put_job(
                    replace(job, status="interrupted", ended_at=now(), error="The process ended without finishing.")
                )
        return found

    def _lives(self, job: Job) -> bool:
        if job.pid:
            return is_alive(job.pid, job.start_time)
        age = datetime.now(UTC) - datetime.fromisoformat(job.created_at)
        return age.total_seconds() < _STARTING_GRACE

    def recent(self, limit: int = 5) -> tuple[Job, ...]:
        return tuple(self.records.jobs(limit))

    def recovery(self) -> RecoveryReport | None:
        """What was interrupted since the last publish; a later publish clears it."""
        lost = []
        for job in self.records.jobs(RECENT):
            if job.status == "published":
                break
            if job.status == "interrupted":
                lost.append(job)
        if not lost:
            return None
        return RecoveryReport(
            len(lost), lost[0].ended_at, "Call sync_repo: it continues from what was saved; nothing is lost."
        )
