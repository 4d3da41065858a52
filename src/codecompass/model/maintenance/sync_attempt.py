"""Keeping a view current: one attempt, and what came of it."""

from dataclasses import dataclass

from codecompass.errors import Failure
from codecompass.model.job import Job


@dataclass(frozen=True, slots=True)
class Round:
    """One attempt to bring the live view up to the files: the job that did it, or why there was none."""

    job: Job | None = None
    failure: Failure | None = None
    retry_s: float = 0.0
    """After a failure, how long it is left alone."""
