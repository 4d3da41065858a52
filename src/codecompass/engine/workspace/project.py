"""Project: one repository with its store, its views and their freshness."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Protocol

from codecompass.engine.history.file_history import GitHistory
from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.options import EngineOptions
from codecompass.engine.view.commit_views import CommitViews, make_not_indexed_failure
from codecompass.engine.view.freshness import FreshnessProbe, TreeWatch
from codecompass.engine.view.pinned_view import ContentReader, PinnedView
from codecompass.engine.view.tree_sources import CommitTreeSource, TreeSource, WorkingTreeSource, live_view_name
from codecompass.engine.view.view_summary import ViewSummaryCache
from codecompass.engine.workspace.child_jobs import ChildJobs
from codecompass.engine.workspace.dictionary_version import DictionaryVersions
from codecompass.engine.workspace.first_index_progress import (
    describe_pending,
    make_unfinished_failure,
    measure_progress,
)
from codecompass.engine.workspace.job_table import JobTable
from codecompass.engine.workspace.project_caches import ProjectCaches
from codecompass.engine.workspace.query_embedder import QueryEmbedder
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.ids import make_project_id
from codecompass.model.job import Job
from codecompass.model.queries.results import IndexProgress, ViewState
from codecompass.model.states import FreshnessState, IndexingState, parse_schema_state
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.git.repository import HeadState, read_head, resolve_ref
from codecompass.repo.process.child_process import StopCheck
from codecompass.repo.workspace import LIVE, TargetRef, Workspace, is_working_tree_ref, resolve_target
from codecompass.store.ports import Snapshot, Store, ViewRow
from codecompass.store.vector_port import QuerySimilarity

ROOT_KEY = "repo_root"
DEFAULT_REF_KEY = "default_ref"
REGISTERED_BY_KEY = "registered_by"
EMBED_ERROR_KEY = "embed.trouble"
"""Why the last job could not build all vectors."""


_OTHER_PARTS = ("portable", "vectors")
"""Parts whose damage does not affect the index itself."""


class BackgroundSync(Protocol):
    """Background sync of the live view; `engine/jobs/auto_sync.py` implements it."""

    def request(self) -> None: ...

    def request_repair(self) -> None:
        """Check soon whether derived data is missing that a sync can rebuild."""

    def stop(self) -> None: ...


@dataclass
class Project:
    """Everything the engine has open for one workspace."""

    workspace: Workspace
    store: Store
    registry: Registry
    options: EngineOptions
    directory: Path
    watch: TreeWatch | None = None
    auto_sync: BackgroundSync | None = None
    embedder: QueryEmbedder = field(default_factory=QueryEmbedder)
    dictionaries: Path | None = None
    """Directory of the word lists."""
    children: ChildJobs = field(default_factory=ChildJobs)
    lease_count: int = 0
    """Leases on it; maintained by the pool, which never closes a leased project."""
    start_lock: Lock = field(default_factory=Lock)
    """Held while a job is started, so that two callers do not start one each."""
    summaries: ViewSummaryCache = field(default_factory=ViewSummaryCache)
    caches: ProjectCaches = field(default_factory=ProjectCaches)
    _damage: tuple[Failure, str] | None = None
    _git: ShadowGit | None = None
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.id = make_project_id(self.workspace.project_key)
        self.jobs = JobTable(self.store.records)
        lists = self.dictionaries or self.directory / "dictionaries"
        self.dictionary_versions = DictionaryVersions(
            lists, self.directory / "words", enabled=self.options.dictionaries
        )
        self.probe = FreshnessProbe(self.workspace, self.options.max_file_bytes, self.watch)
        self.commit_views = CommitViews(self.git, self.options.max_file_bytes)
        self.historian = GitHistory(self.git, self.store.history, self.options)

    # -- refs ------------------------------------------------------------------------------------------------------

    def resolve_ref(self, ref: str | TargetRef | None) -> TargetRef:
        """Decide what a ref means; one that is already decided keeps its meaning."""
        if isinstance(ref, TargetRef):
            return ref
        target = resolve_target(self.workspace, ref)
        if ref is not None or target.name != LIVE:
            return target
        # No branch is checked out, so the project's own default counts.
        return resolve_target(self.workspace, None, self.store.records.get(DEFAULT_REF_KEY))

    def effective_ref(self, ref: str | None) -> str:
        return ref if ref is not None else self.resolve_ref(None).name

    def view_name(self, ref: str | TargetRef) -> str:
        """Return the view name of a ref: live for `live` and the checked-out branch, else the view of its commit."""
        target = self.resolve_ref(ref)
        return live_view_name(self.workspace) if target.is_live else f"ref:{target.name}"

    def open_source(self, ref: str, stop: StopCheck | None = None) -> TreeSource:
        if is_working_tree_ref(self.workspace, ref):
            return WorkingTreeSource(self.workspace, self.options.max_file_bytes)
        return CommitTreeSource(self.git(), ref, self.options.max_file_bytes, stop)

    def git(self) -> ShadowGit:
        if self.workspace.git is None:
            raise Failure("REF_NOT_INDEXED", "Not a git repository; the only ref is 'live'.",
                          hint="Leave the ref out, or name 'live'.")  # fmt: skip
        with self._lock:
            if self._git is None:
                roots = self.options.object_roots
                self._git = ShadowGit(self.workspace.git, self.directory / "shadow.git", object_roots=roots)
            return self._git

    def reader(self, view: PinnedView, *, masked: bool = True) -> ContentReader:
        """Return a reader of a view's indexed text; it masks credentials unless `masked` or the settings say no."""
        git = None if view.row.name.startswith("live:") else self.git()
        return ContentReader(self.workspace, git, self.options.max_file_bytes, masked and self.options.mask_secrets)

    def history(self, view: PinnedView, call: Call) -> ViewHistory:
        """Return the git history of a view's files: last change, churn and blame."""
        return ViewHistory(self.historian, view, self.reader(view), call)

    # -- views -----------------------------------------------------------------------------------------------------

    @contextmanager
    def open_view(self, ref: str | TargetRef) -> Iterator[PinnedView]:
        """Pin the view of a ref; Failure NO_INDEX before any publish, REF_NOT_INDEXED when other views exist."""
        try:
            with self.store.pin() as snapshot:
                yield self.make_pinned_view(snapshot, self.find_view(snapshot, ref))
        except Failure as failure:
            if failure.code == "INDEX_INCOMPATIBLE" and failure.details.get("part") not in _OTHER_PARTS:
                self._damage = (failure, self.jobs.find_last_published())
            raise

    def make_pinned_view(self, snapshot: Snapshot, row: ViewRow) -> PinnedView:
        """Join a row of a snapshot with the languages and the dictionary that it was indexed with."""
        words = next((one.name for one in snapshot.views() if one.id == row.id), row.name)
        dictionary = self.dictionary_versions.load_for_view(self.store.records, words)
        return PinnedView(snapshot, row, self.registry, dictionary=dictionary)

    def find_view(self, snapshot: Snapshot, target: str | TargetRef, stop: StopCheck | None = None) -> ViewRow:
        """Find the view of a ref: the one indexed under this name, or one of the same commit."""
        target = self.resolve_ref(target)
        ref = target.name
        row = snapshot.view(self.view_name(target))
        if row is not None:
            return row
        if self.workspace.git is None or target.is_live:
            raise Failure("REF_NOT_INDEXED", f"The ref '{ref[:100]}' has not been indexed.", {"ref": ref[:200]})
        commit = self.git().resolve(ref, stop)
        found = self.commit_views.find(snapshot, ref, commit, stop)
        if found is None:
            live = snapshot.view(live_view_name(self.workspace))
            near = live if live is not None and live.commit == commit else None
            differing = self.commit_views.count_differences(snapshot, near, commit, stop) if near else None
            raise make_not_indexed_failure(ref, commit, differing)
        return found

    def get_damage(self) -> Failure | None:
        """Return damage that a query found since the last publish; opening the index does not read every page."""
        if self._damage is not None and self._damage[1] != self.jobs.find_last_published():
            self._damage = None
        return self._damage[0] if self._damage else None

    def compute_similarity(self, view: PinnedView, question: str) -> QuerySimilarity | None:
        """Compare a query with the vectors of a view; None without a model or vectors."""
        field = self.embedder.vector_index(view)
        vector = self.embedder.embed(question) if field is not None else None
        return field.compare_query(vector) if field is not None and vector is not None else None

    def count_vectors(self, view: PinnedView) -> int:
        """Count the files of a view that have vectors; cached answers depend on this number."""
        field = self.embedder.vector_index(view)
        return field.covered if field is not None else 0

    def get_view_state(self, view: PinnedView, ref: str, shown_paths: tuple[str, ...] = ()) -> ViewState:
        """Return the state of a view for an answer; the files it shows are checked once more."""
        if view.row.name.startswith("live:"):
            now = read_head(self.workspace.git) if self.workspace.git else HeadState(None, None)
            fresh = self.probe.is_fresh(view, shown_paths, now)
            current = now.commit or ""
        else:
            current = resolve_ref(self.workspace.git, ref) or "" if self.workspace.git else ""
            fresh = current == view.row.commit or self._is_ref_at(ref, view.row.commit)
        pending = self.summaries.count_pending(view)
        fresh = fresh and not pending
        job = None if fresh else self._find_active_job(view)
        state = ViewState(
            ref, "fresh" if fresh else "syncing" if job else "stale", "ready", "compatible", view.row.generation,
            view.row.commit, current, view.row.indexed_at, gaps=self.summaries.find_gaps(view),
        )  # fmt: skip
        if not pending:
            return state
        progress = measure_progress(len(view.entries), pending, job)
        warning = describe_pending(progress, running=job is not None)
        return replace(state, indexing="indexing", warnings=(warning,), partial=True, progress=progress)

    def require_finished(self, view: PinnedView) -> None:
        """Raise NO_INDEX while the first index of a view is not finished: for calls that need all of it."""
        pending = self.summaries.count_pending(view)
        if pending:
            raise make_unfinished_failure(measure_progress(len(view.entries), pending, self._find_active_job(view)))

    def _find_active_job(self, view: PinnedView) -> Job | None:
        """Return the job that updates this view now."""
        job = self.jobs.find_active()
        return job if job is not None and self.view_name(job.ref) == view.row.name else None

    def _is_ref_at(self, ref: str, commit: str) -> bool:
        """Whether git resolves a ref to a commit; a deleted branch resolves to none."""
        try:
            return self.git().resolve(ref) == commit
        except Failure:
            return False

    @property
    def is_indexed(self) -> bool:
        """Whether a readable index is published."""
        return self.store.state().schema == "compatible"

    def _read_head_commit(self) -> str:
        return (read_head(self.workspace.git).commit or "") if self.workspace.git else ""

    def get_unindexed_state(self, ref: str) -> ViewState:
        """Return the state of a ref without a view, from the store and the jobs."""
        found = self.store.state()
        job = self.jobs.find_active()
        indexing: IndexingState
        progress = IndexProgress(0, job.files_done, job.files_total or 0) if job else None
        if found.schema in ("reindex_required", "corrupt_manifest"):
            indexing = "indexing" if job else "failed"
            return ViewState(ref, "stale", indexing, found.schema, warnings=(found.message,), progress=progress)
        indexing = "indexing" if job else "not_indexed"
        if not job:
            last = next((item for item in self.jobs.list_recent(1)), None)
            indexing = "failed" if last and last.status == "failed" else indexing
        freshness: FreshnessState = "syncing" if job else "stale"
        return ViewState(
            ref, freshness, indexing, "not_indexed", current_head=self._read_head_commit(), progress=progress
        )

    def drop_caches(self) -> None:
        """Free everything that only speeds up later queries."""
        self.caches.clear()
        self.store.drop_caches()

    def close(self) -> None:
        if self.auto_sync is not None:
            self.auto_sync.stop()
        if self.watch is not None:
            self.watch.stop()
        with self._lock:
            if self._git is not None:
                self._git.close()
                self._git = None
        self.caches.clear()
        self.store.close()


def make_damaged_state(ref: str, damage: Failure) -> ViewState:
    """Return the state of a ref whose index opens, but was found damaged when it was read."""
    schema = parse_schema_state(damage.details.get("schema_status"), "corrupt_manifest")
    return ViewState(ref, "stale", "failed", schema, warnings=(damage.message,))


@dataclass
class SyncThrottle:
    """Limits background syncs to one per project and interval."""

    every: float = 5.0
    _last: dict[str, float] = field(default_factory=dict)

    def allow(self, key: str) -> bool:
        due = time.monotonic() - self._last.get(key, -self.every) >= self.every
        if due:
            self._last[key] = time.monotonic()
        return due
