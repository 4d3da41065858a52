"""Keeper: keeps the live view of one project current, beside whoever asks.

Changes ring a bell. The keeper waits until they pause, asks the probe whether the view is behind, and runs one sync;
what changes meanwhile rings again. It decides by the same look as every answer, so a touched file or an ignored one
costs a glance and no sync.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from codecompass.engine.jobs.job_runner import run_job, start_child
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.maintenance.sync_attempt import Round
from codecompass.repo.workspace import LIVE

QUIET_S = 0.2
MOST_S = 2.0
"""A sync starts when the files were quiet for the first, or this long after the first change."""
IDLE_S = 60.0
"""How often to look although the bell is silent: some changes make no event."""
POLL_S = 2.0
"""How often to look where there is no bell; more rarely where a look is slow."""
POLL_SHARE = 20
LONGEST_S = 60.0
DERIVED_S = 60.0
"""How often to look whether something derived is missing that nobody makes: vectors, or documents of the text index."""
_JOB_POLL_S = 0.1
_BUSY_S = 0.25
_JOIN_S = 5.0
_BUSY = ("INDEX_IN_PROGRESS", "SYNC_IN_PROGRESS")

Told = Callable[[Round], None]


@dataclass
class Keeper:
    """One thread of work for one project; only a project with a live view is kept."""

    project: Project
    sync: Callable[[threading.Event], Job]
    """Runs one sync to its end. The event says that nobody waits for it any more."""
    told: Told
    stopping: threading.Event = field(default_factory=threading.Event)
    _bell: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _setbacks: int = 0
    _in_a_row: int = 0
    _is_settling: bool = False
    _look_s: float = 0.0
    _next_look: float = 0.0
    _not_before: float = 0.0
    _repairs: int = 0
    """Syncs in a row that were to bring back what is missing."""

    def start(self) -> None:
        self._thread = threading.Thread(target=self.run, name="keeper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; may be called twice, and before `start`."""
        self.stopping.set()
        self._bell.set()
        thread, self._thread = self._thread, None
        if thread is not None and thread is not threading.current_thread():
            thread.join(_JOIN_S)

    def ring(self) -> None:
        """Something changed."""
        self._bell.set()

    def nudge(self) -> None:
        """An answer was stale: do not wait for the next look. Many of these put nothing off, as changes do."""
        if not self._is_settling:
            self._bell.set()

    def restore(self) -> None:
        """An answer lacked something derived: look soon, though not while an attempt is fresh."""
        if time.monotonic() >= self._not_before:
            self._next_look = 0.0
            self.nudge()

    def run(self) -> None:
        """Keep the view current until `stop`."""
        watch = self.project.watch
        if watch is not None:
            watch.tell(self.ring)
        # What happened before anybody listened.
        self._bell.set()
        while not self.stopping.is_set():
            if self._bell.wait(self._interval()):
                self._settle()
            if not self.stopping.is_set():
                done = self._attempt()
                if done is not None:
                    self.told(done)
                    self.stopping.wait(done.retry_s)
        if watch is not None:
            watch.tell(None)

    def _interval(self) -> float:
        watch = self.project.watch
        return IDLE_S if watch is not None and watch.active else max(POLL_S, POLL_SHARE * self._look_s)

    def _settle(self) -> None:
        """Let the changes, and a git that makes them, come to rest.

        Longer when one sync follows another, so that no sync can feed the next.
        """
        until = time.monotonic() + MOST_S
        quiet = min(MOST_S, QUIET_S * 2**self._in_a_row)
        self._is_settling = True
        while not self.stopping.is_set():
            self._bell.clear()
            left = until - time.monotonic()
            rang = self._bell.wait(min(quiet, max(0.0, left)))
            if _is_git_at_work(self.project):
                until = time.monotonic() + MOST_S
            elif not rang or left <= 0:
                break
        self._is_settling = False

    def _attempt(self) -> Round | None:
        """Look, and sync if that is needed; None when there is nothing to tell."""
        try:
            if not self._is_behind() and not self._lacks_derived():
                self._setbacks = self._in_a_row = 0
                return None
            if self._is_busy():
                # Perhaps that job does it: look again when it is done.
                self._wait_for_others()
                return None
            return self._synced(self.sync(self.stopping))
        except Failure as failure:
            if failure.code in _BUSY:
                self._wait_for_others()
                return None
            return None if self.stopping.is_set() else self._setback(failure)
        except Exception as error:  # broad: the loop of a thread. It says what happened and tries again later.
            if self.stopping.is_set():
                return None
            return self._setback(Failure("INTERNAL", f"The sync failed unexpectedly ({type(error).__name__})."))

    def _synced(self, job: Job) -> Round:
        self._in_a_row = min(self._in_a_row + 1, 8)
        # What changed while the sync ran may have been too late for it.
        self._bell.set()
        if job.changed_files or not self._is_behind():
            self._setbacks = 0
            return Round(job)
        # It found nothing to do and the view is behind all the same: asking again at once would go on for ever.
        return Round(job, retry_s=self._delay())

    def _setback(self, failure: Failure) -> Round:
        self._bell.set()
        return Round(failure=failure, retry_s=self._delay())

    def _delay(self) -> float:
        self._setbacks += 1
        return min(LONGEST_S, 2.0 ** (self._setbacks - 1))

    def _is_behind(self) -> bool:
        began = time.monotonic()
        try:
            with self.project.pinned(LIVE) as view:
                return not self.project.probe.is_fresh(view)
        except Failure as failure:
            # An index of another version, or one that is damaged, is made anew: it was wanted once. What nobody
            # indexed is not for the keeper to change.
            return failure.code == "INDEX_INCOMPATIBLE"
        finally:
            self._look_s = time.monotonic() - began

    def _lacks_derived(self) -> bool:
        """Whether something is missing, or doubtful, that a sync makes right; looked at now and then."""
        now = time.monotonic()
        if now < max(self._next_look, self._not_before):
            return False
        self._next_look = now + DERIVED_S
        try:
            with self.project.pinned(LIVE) as view:
                lacks = self._lacks_vectors(view) or _has_doubtful_text(view)
        except Failure:
            return False
        self._repairs = self._repairs + 1 if lacks else 0
        # What cannot be brought back is tried more and more rarely.
        self._not_before = now + min(LONGEST_S, 2.0**self._repairs) if lacks else 0.0
        return lacks

    def _lacks_vectors(self, view: PinnedView) -> bool:
        project = self.project
        if not (project.options.build_vectors and project.semantics.wanted) or project.store.vectors.building():
            return False
        return project.semantics.state(view).state == "building"

    def _is_busy(self) -> bool:
        return self.project.board.active() is not None or self.project.store.writing() is not None

    def _wait_for_others(self) -> None:
        pause = _BUSY_S
        while not self.stopping.wait(pause) and self._is_busy():
            pause = min(MOST_S, pause * 2)
        self._bell.set()


def _has_doubtful_text(view: PinnedView) -> bool:
    agreement = view.snapshot.text_agreement()
    return agreement is not None and not agreement.holds


def _is_git_at_work(project: Project) -> bool:
    """Whether git is in the middle of changing files: a sync now would have to be done again.

    A lock that stays is no reason: it was left by a crash, or belongs to a commit that waits for its message.
    """
    git = project.workspace.git
    try:
        return git is not None and 0 <= time.time() - (git.git_dir / "index.lock").lstat().st_mtime < LONGEST_S
    except OSError:
        return False


def keep_by_children(project: Project, environment: Mapping[str, str], told: Told) -> Keeper:
    """A keeper whose syncs run in child processes, so that a server goes on answering."""

    def sync(stopping: threading.Event) -> Job:
        job = start_child(project, LIVE, environment, mode="incremental", force=False)
        while job.active and not stopping.wait(_JOB_POLL_S):
            project.board.active()  # marks the job of a process that died
            job = project.store.records.job(job.job_id) or job
        if job.status == "published":
            return job
        if job.status == "cancelled" and project.store.writing() is not None:
            raise Failure("INDEX_IN_PROGRESS", "Another process was first.")
        raise Failure("INTERNAL", job.error or f"The sync ended as {job.status}.")

    return Keeper(project, sync, told)


def follow(project: Project, call: Call, told: Told) -> None:
    """Keep a project current in this process until the call is cancelled."""

    def sync(_: threading.Event) -> Job:
        return run_job(project, LIVE, call, force=False, job_id=None)

    keeper = Keeper(project, sync, told, call.cancelled)

    def wake() -> None:
        call.cancelled.wait()
        keeper.ring()

    threading.Thread(target=wake, name="wake", daemon=True).start()
    keeper.run()
