"""Sync attempt: the outcome of one attempt to update the live view."""

from dataclasses import dataclass

from codecompass.errors import Failure
from codecompass.model.job import Job


@dataclass(frozen=True, slots=True)
class SyncAttempt:
    """One attempt to update the live view: its job, or the failure."""

    job: Job | None = None
    failure: Failure | None = None
    retry_s: float = 0.0
    """Delay in seconds before the next attempt after a failure."""
