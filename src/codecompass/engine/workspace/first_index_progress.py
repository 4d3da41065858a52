"""Progress of a first index: what is published of it, how far its job is, and what answers say until it is finished."""

from codecompass.errors import Failure
from codecompass.model.job import Job
from codecompass.model.queries.results import IndexProgress


def measure_progress(total: int, pending: int, job: Job | None) -> IndexProgress:
    """Return the progress of a view with `pending` of `total` files missing, and of the job that adds them."""
    ready = total - pending
    to_read = job.files_total if job is not None else None
    # A job that continues an interrupted one reads only what is left.
    done = total - to_read + job.files_done if job is not None and to_read and to_read <= total else ready
    return IndexProgress(ready, max(ready, done), total)


def describe_pending(progress: IndexProgress, *, running: bool) -> str:
    """Return the warning of an answer from a view whose first index is not finished."""
    state = "is running" if running else "was interrupted"
    way = "" if running else " sync_repo continues it."
    return (
        f"The first index {state}: {progress.ready:,} of {progress.total:,} files are indexed (code before tests, "
        f"documents and data), so something may be missing here; grep_codebase searches every file.{way}"
    )


def make_unfinished_failure(progress: IndexProgress) -> Failure:
    """Build the failure of a call that needs the whole view."""
    message = f"The first index is not finished: {progress.ready:,} of {progress.total:,} files are indexed."
    details: dict[str, object] = {"indexing_progress": progress.percent}
    hint = "index_status shows its progress; sync_repo continues it if it stopped."
    return Failure("NO_INDEX", message, details, hint=hint)
