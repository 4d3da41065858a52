"""Auto sync: update the live view of one project in the background.

A file change wakes the thread. It waits until changes pause, asks the freshness probe whether the view is stale, and
runs one sync; later changes wake it again. It uses the same check as every answer, so a touched or ignored file costs
a check and no sync.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from codecompass.engine.jobs.job_runner import run_job, start_child
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import ErrorCode, Failure
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.maintenance.sync_attempt import SyncAttempt
from codecompass.repo.workspace import LIVE

DEBOUNCE_S = 0.2
MAX_DEBOUNCE_S = 2.0
"""A sync starts after files were quiet for DEBOUNCE_S, or MAX_DEBOUNCE_S after the first change."""
WATCHED_POLL_S = 60.0
"""Seconds between checks without change events: some changes cause no event."""
POLL_S = 2.0
"""Seconds between checks without a file watch; longer where a check is slow."""
POLL_SHARE = 20
MAX_INTERVAL_S = 60.0
DERIVED_S = 60.0
"""Seconds between checks for missing derived data: vectors, or documents of the text index."""
_JOB_POLL_S = 0.1
_BUSY_S = 0.25
_JOIN_S = 5.0
_BUSY: tuple[ErrorCode, ...] = ("INDEX_IN_PROGRESS", "SYNC_IN_PROGRESS")

SyncListener = Callable[[SyncAttempt], None]


@dataclass
class AutoSync:
    """One background thread for one project; only projects with a live view have one."""

    project: Project
    sync: Callable[[threading.Event], Job]
    """Runs one sync and waits for it. The event is set when the thread stops."""
    on_attempt: SyncListener
    stopping: threading.Event = field(default_factory=threading.Event)
    _wake_event: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _failures: int = 0
    _syncs_in_a_row: int = 0
    _is_debouncing: bool = False
    _check_s: float = 0.0
    _next_repair_check: float = 0.0
    _repair_not_before: float = 0.0
    _repairs: int = 0
    """Consecutive syncs that were meant to rebuild missing data."""

    def start(self) -> None:
        self._thread = threading.Thread(target=self.run, name="keeper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread; may be called twice, and before `start`."""
        self.stopping.set()
        self._wake_event.set()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(_JOIN_S)

    def notify_change(self) -> None:
        """Wake the thread after a file change."""
        self._wake_event.set()

    def request(self) -> None:
        """Request a check because an answer was stale. Unlike changes, repeated requests do not delay the sync."""
        if not self._is_debouncing:
            self._wake_event.set()

    def request_repair(self) -> None:
        """Request a repair because an answer lacked derived data, unless one was just tried."""
        if time.monotonic() >= self._repair_not_before:
            self._next_repair_check = 0.0
            self.request()

    def run(self) -> None:
        """Update the view until `stop`."""
        watch = self.project.watch
        if watch is not None:
            watch.set_listener(self.notify_change)
        # Check for changes from before the watch started.
        self._wake_event.set()
        while not self.stopping.is_set():
            if self._wake_event.wait(self._poll_interval()):
                self._debounce()
            if not self.stopping.is_set():
                done = self._sync_if_needed()
                if done is not None:
                    self.on_attempt(done)
                    self.stopping.wait(done.retry_s)
        if watch is not None:
            watch.set_listener(None)

    def _poll_interval(self) -> float:
        watch = self.project.watch
        return WATCHED_POLL_S if watch is not None and watch.active else max(POLL_S, POLL_SHARE * self._check_s)

    def _debounce(self) -> None:
        """Wait until changes, and a running git command, pause.

        The wait grows with consecutive syncs, so that a sync cannot trigger the next one in a loop.
        """
        until = time.monotonic() + MAX_DEBOUNCE_S
        quiet = min(MAX_DEBOUNCE_S, DEBOUNCE_S * 2**self._syncs_in_a_row)
        self._is_debouncing = True
        while not self.stopping.is_set():
            self._wake_event.clear()
            left = until - time.monotonic()
            changed = self._wake_event.wait(min(quiet, max(0.0, left)))
            if _is_git_busy(self.project):
                until = time.monotonic() + MAX_DEBOUNCE_S
            elif not changed or left <= 0:
                break
        self._is_debouncing = False

    def _sync_if_needed(self) -> SyncAttempt | None:
        """Check, and sync if needed; None when there is nothing to report."""
        try:
            if not self._is_stale() and not self._needs_repair():
                self._failures = self._syncs_in_a_row = 0
                return None
            if self._is_busy():
                # That job may do it: check again when it ends.
                self._wait_for_jobs()
                return None
            return self._handle_success(self.sync(self.stopping))
        except Failure as failure:
            if failure.code in _BUSY:
                self._wait_for_jobs()
                return None
            return None if self.stopping.is_set() else self._handle_failure(failure)
        except Exception as error:  # broad: a thread loop; it reports the error and retries later.
            if self.stopping.is_set():
                return None
            return self._handle_failure(Failure("INTERNAL", f"The sync failed unexpectedly ({type(error).__name__})."))

    def _handle_success(self, job: Job) -> SyncAttempt:
        self._syncs_in_a_row = min(self._syncs_in_a_row + 1, 8)
        # A change during the sync may have been too late for it.
        self._wake_event.set()
        if job.changed_files or not self._is_stale():
            self._failures = 0
            return SyncAttempt(job)
        # The sync found nothing to do, but the view is still stale: retrying at once would loop for ever.
        return SyncAttempt(job, retry_s=self._next_delay())

    def _handle_failure(self, failure: Failure) -> SyncAttempt:
        self._wake_event.set()
        return SyncAttempt(failure=failure, retry_s=self._next_delay())

    def _next_delay(self) -> float:
        self._failures += 1
        return min(MAX_INTERVAL_S, 2.0 ** (self._failures - 1))

    def _is_stale(self) -> bool:
        began = time.monotonic()
        try:
            with self.project.open_view(LIVE) as view:
                # A first index that was interrupted is continued.
                return bool(self.project.summaries.count_pending(view)) or not self.project.probe.is_fresh(view)
        except Failure as failure:
            # An index of another version, or a damaged one, is rebuilt: it was requested once. A project without
            # an index is left alone.
            return failure.code == "INDEX_INCOMPATIBLE"
        finally:
            self._check_s = time.monotonic() - began

    def _needs_repair(self) -> bool:
        """Whether derived data is missing or inconsistent that a sync repairs; checked now and then."""
        now = time.monotonic()
        if now < max(self._next_repair_check, self._repair_not_before):
            return False
        self._next_repair_check = now + DERIVED_S
        try:
            with self.project.open_view(LIVE) as view:
                lacks = self._needs_vectors(view) or _has_text_mismatch(view)
        except Failure:
            return False
        self._repairs = self._repairs + 1 if lacks else 0
        # Failing repairs are tried less and less often.
        self._repair_not_before = now + min(MAX_INTERVAL_S, 2.0**self._repairs) if lacks else 0.0
        return lacks

    def _needs_vectors(self, view: PinnedView) -> bool:
        project = self.project
        if not (project.options.build_vectors and project.embedder.enabled) or project.store.vectors.is_building():
            return False
        return project.embedder.state(view).state == "building"

    def _is_busy(self) -> bool:
        return self.project.jobs.find_active() is not None or self.project.store.get_active_writer() is not None

    def _wait_for_jobs(self) -> None:
        pause = _BUSY_S
        while not self.stopping.wait(pause) and self._is_busy():
            pause = min(MAX_DEBOUNCE_S, pause * 2)
        self._wake_event.set()


def _has_text_mismatch(view: PinnedView) -> bool:
    agreement = view.snapshot.text_agreement()
    return agreement is not None and not agreement.is_consistent


def _is_git_busy(project: Project) -> bool:
    """Whether git is changing files now: a sync would have to be repeated.

    An old lock does not count: a crash left it, or it belongs to a commit that waits for its message.
    """
    git = project.workspace.git
    try:
        return git is not None and 0 <= time.time() - (git.git_dir / "index.lock").lstat().st_mtime < MAX_INTERVAL_S
    except OSError:
        return False


def make_child_sync(project: Project, environment: Mapping[str, str], on_attempt: SyncListener) -> AutoSync:
    """Make an auto sync that runs syncs in child processes, so that a server continues to answer."""

    def sync(stopping: threading.Event) -> Job:
        job = start_child(project, LIVE, environment, mode="incremental", force=False)
        while job.active and not stopping.wait(_JOB_POLL_S):
            project.jobs.find_active()  # marks the job as interrupted if its process died
            job = project.store.records.job(job.job_id) or job
        if job.status == "published":
            return job
        if job.status == "cancelled" and project.store.get_active_writer() is not None:
            raise Failure("INDEX_IN_PROGRESS", "Another process is already indexing.")
        raise Failure("INTERNAL", job.error or f"The sync ended as {job.status}.")

    return AutoSync(project, sync, on_attempt)


def sync_until_cancelled(project: Project, call: Call, on_attempt: SyncListener) -> None:
    """Update a project in this process until the call is cancelled."""

    def sync(_: threading.Event) -> Job:
        return run_job(project, LIVE, call, force=False, job_id=None)

    auto_sync = AutoSync(project, sync, on_attempt, call.cancelled)

    def wake() -> None:
        call.cancelled.wait()
        auto_sync.notify_change()

    threading.Thread(target=wake, name="wake", daemon=True).start()
    auto_sync.run()
