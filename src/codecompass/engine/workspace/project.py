"""Project: one repository with its store, its views and their freshness."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Protocol

from codecompass.engine.history.file_history import Historian
from codecompass.engine.history.view_history import ViewHistory
from codecompass.engine.options import EngineOptions
from codecompass.engine.view.commit_views import CommitViews, describe_missing
from codecompass.engine.view.content import ContentReader
from codecompass.engine.view.freshness import FreshnessProbe, Watch
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import CommitTree, Source, WorkingTree, live_view
from codecompass.engine.view.view_summary import Summaries
from codecompass.engine.workspace.child_jobs import Children
from codecompass.engine.workspace.dictionary_version import Wordbook
from codecompass.engine.workspace.job_table import JobBoard
from codecompass.engine.workspace.project_caches import ProjectCaches
from codecompass.engine.workspace.query_embedder import Semantics
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.ids import project_id
from codecompass.model.queries.results import ViewState
from codecompass.repo.git.object_reader import ShadowGit
from codecompass.repo.git.repository import Head, head, resolve_ref
from codecompass.repo.process.child_process import Stop
from codecompass.repo.workspace import Workspace, effective_ref, is_working_tree_ref
from codecompass.store.ports import Snapshot, Store, ViewRow
from codecompass.store.vector_port import Likeness

ROOT_KEY = "repo_root"
DEFAULT_REF_KEY = "default_ref"
REGISTERED_BY_KEY = "registered_by"
EMBED_TROUBLE_KEY = "embed.trouble"
"""Why the last job could not build all vectors."""


_OTHER_PARTS = ("portable", "vectors")
"""Parts whose damage does not affect the index itself."""


class Companion(Protocol):
    """Background sync of the live view; `engine/jobs/auto_sync.py` implements it."""

    def nudge(self) -> None: ...

    def restore(self) -> None:
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
    watch: Watch | None = None
    keeper: Companion | None = None
    semantics: Semantics = field(default_factory=Semantics)
    dictionaries: Path | None = None
    """Directory of the word lists."""
    children: Children = field(default_factory=Children)
    uses: int = 0
    """Leases on it; maintained by the pool, which never closes a leased project."""
    starting: Lock = field(default_factory=Lock)
    """Held while a job is started, so that two callers do not start one each."""
    summaries: Summaries = field(default_factory=Summaries)
    caches: ProjectCaches = field(default_factory=ProjectCaches)
    _damage: tuple[Failure, str] | None = None
    _git: ShadowGit | None = None
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self.id = project_id(self.workspace.project_key)
        self.board = JobBoard(self.store.records)
        lists = self.dictionaries or self.directory / "dictionaries"
        self.words = Wordbook(lists, self.directory / "words", enabled=self.options.dictionaries)
        self.probe = FreshnessProbe(self.workspace, self.options.max_file_bytes, self.watch)
        self.commit_views = CommitViews(self.git, self.options.max_file_bytes)
        self.historian = Historian(self.git, self.store.history, self.options)

    # -- refs ------------------------------------------------------------------------------------------------------

    def effective_ref(self, ref: str | None) -> str:
        return ref if ref is not None else effective_ref(self.workspace, self.store.records.get(DEFAULT_REF_KEY))

    def view_name(self, ref: str) -> str:
        """Return the view name of a ref: live for `live` and the checked-out branch, else the view of its commit."""
        return live_view(self.workspace) if is_working_tree_ref(self.workspace, ref) else f"ref:{ref}"

    def source(self, ref: str, stop: Stop | None = None) -> Source:
        if is_working_tree_ref(self.workspace, ref):
            return WorkingTree(self.workspace, self.options.max_file_bytes)
        return CommitTree(self.git(), ref, self.options.max_file_bytes, stop)

    def git(self) -> ShadowGit:
        if self.workspace.git is None:
            raise Failure("REF_NOT_INDEXED", "Not a git repository; the only ref is 'live'.",
                          hint="Leave the ref out, or name 'live'.")  # fmt: skip
        with self._lock:
            if self._git is None:
                self._git = ShadowGit(self.workspace.git, self.directory / "shadow.git")
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
    def pinned(self, ref: str) -> Iterator[PinnedView]:
        """Pin the view of a ref; Failure NO_INDEX before any publish, REF_NOT_INDEXED when other views exist."""
        try:
            with self.store.pin() as snapshot:
                row = self.find_view(snapshot, ref)
                words = next((one.name for one in snapshot.views() if one.id == row.id), row.name)
                yield PinnedView(snapshot, row, self.registry, words=self.words.of(self.store.records, words))
        except Failure as failure:
            if failure.code == "INDEX_INCOMPATIBLE" and failure.details.get("part") not in _OTHER_PARTS:
                self._damage = (failure, self.board.last_publish())
            raise

    def find_view(self, snapshot: Snapshot, ref: str, stop: Stop | None = None) -> ViewRow:
        """Find the view of a ref: the one indexed under this name, or one of the same commit."""
        row = snapshot.view(self.view_name(ref))
        if row is not None:
            return row
        if self.workspace.git is None or is_working_tree_ref(self.workspace, ref):
            raise Failure("REF_NOT_INDEXED", f"The ref '{ref[:100]}' has not been indexed.", {"ref": ref[:200]})
        commit = self.git().resolve(ref, stop)
        found = self.commit_views.find(snapshot, ref, commit, stop)
        if found is None:
            live = snapshot.view(live_view(self.workspace))
            near = live if live is not None and live.commit == commit else None
            differing = self.commit_views.count_differing(snapshot, near, commit, stop) if near else None
            raise describe_missing(ref, commit, differing)
        return found

    def damage(self) -> Failure | None:
        """Return damage that a query found since the last publish; opening the index does not read every page."""
        if self._damage is not None and self._damage[1] != self.board.last_publish():
            self._damage = None
        return self._damage[0] if self._damage else None

    def ask(self, view: PinnedView, question: str) -> Likeness | None:
        """Compare a query with the vectors of a view; None without a model or vectors."""
        field = self.semantics.field(view)
        vector = self.semantics.question(question) if field is not None else None
        return field.ask(vector) if field is not None and vector is not None else None

    def vectors_covered(self, view: PinnedView) -> int:
        """Count the files of a view that have vectors; cached answers depend on this number."""
        field = self.semantics.field(view)
        return field.covered if field is not None else 0

    def state_of(self, view: PinnedView, ref: str, shown_paths: tuple[str, ...] = ()) -> ViewState:
        """Return the state of a view for an answer; the files it shows are checked once more."""
        job = self.board.active()
        live = view.row.name.startswith("live:")
        if live:
            now = head(self.workspace.git) if self.workspace.git else Head(None, None)
            fresh = self.probe.is_fresh(view, shown_paths, now)
            current = now.commit or ""
        else:
            current = resolve_ref(self.workspace.git, ref) or "" if self.workspace.git else ""
            fresh = current == view.row.commit or self._resolves_to(ref, view.row.commit)
        freshness = "fresh" if fresh else "syncing" if job and self.view_name(job.ref) == view.row.name else "stale"
        return ViewState(
            ref, freshness, "ready", "compatible", view.row.generation, view.row.commit, current, view.row.indexed_at,
            gaps=self.summaries.gaps(view),
        )  # fmt: skip

    def _resolves_to(self, ref: str, commit: str) -> bool:
        """Whether git resolves a ref to a commit; a deleted branch resolves to none."""
        try:
            return self.git().resolve(ref) == commit
        except Failure:
            return False

    @property
    def is_indexed(self) -> bool:
        """Whether a readable index is published."""
        return self.store.state().schema == "compatible"

    def _head_commit(self) -> str:
        return (head(self.workspace.git).commit or "") if self.workspace.git else ""

    def blank_state(self, ref: str) -> ViewState:
        """Return the state of a ref without a view, from the store and the jobs."""
        found = self.store.state()
        job = self.board.active()
        if found.schema in ("reindex_required", "corrupt_manifest"):
            return ViewState(ref, "stale", "indexing" if job else "failed", found.schema, warnings=(found.message,))
        indexing = "indexing" if job else "not_indexed"
        if not job:
            last = next((item for item in self.board.recent(1)), None)
            indexing = "failed" if last and last.status == "failed" else indexing
        freshness = "syncing" if job else "stale"
        return ViewState(ref, freshness, indexing, "not_indexed", current_head=self._head_commit())

    def drop_caches(self) -> None:
        """Free everything that only speeds up later queries."""
        self.caches.clear()
        self.store.drop_caches()

    def close(self) -> None:
        if self.keeper is not None:
            self.keeper.stop()
        if self.watch is not None:
            self.watch.stop()
        with self._lock:
            if self._git is not None:
                self._git.close()
                self._git = None
        self.caches.clear()
        self.store.close()


def damaged_state(ref: str, damage: Failure) -> ViewState:
    """Return the state of a ref whose index opens, but was found damaged when it was read."""
    schema = str(damage.details.get("schema_status", "corrupt_manifest"))
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
