"""Jobs: the record of an indexing job, its states and the legal transitions."""

from dataclasses import dataclass

from codecompass.model.states import ACTIVE, JobMode, JobState

TRANSITIONS: dict[JobState, tuple[JobState, ...]] = {
    "queued": ("running", "failed", "interrupted", "cancelled"),
    "running": ("validating", "failed", "interrupted", "cancelled"),
    "validating": ("published", "failed", "interrupted", "cancelled"),
}


@dataclass(frozen=True, slots=True)
class Job:
    """One indexing job, owned by the process `pid` that started at `start_time`."""

    job_id: str
    ref: str
    mode: JobMode
    status: JobState
    created_at: str
    started_at: str = ""
    ended_at: str = ""
    heartbeat_at: str = ""
    pid: int = 0
    start_time: str = ""
    files_total: int | None = None
    files_done: int = 0
    changed_files: int | None = None
    file_count: int | None = None
    symbol_count: int | None = None
    duration_ms: int | None = None
    error: str = ""

    @property
    def active(self) -> bool:
        return self.status in ACTIVE
