"""Memory session: the project, view, corpus and claim checker of one memory query."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.memory.claims.claim_checker import ClaimChecker
from codecompass.engine.memory.claims.tree_snapshot import ViewTreeSnapshot
from codecompass.engine.memory.corpus import Corpus, CorpusEntry
from codecompass.engine.memory.corpus_cache import CorpusCache
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import OpenedView, ProjectAccess
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.memory_values import SearchCoverage
from codecompass.model.queries.results import ViewState
from codecompass.model.time_budget import ANSWER_RESERVE_S, DeferredBudget, TimeBudget
from codecompass.repo.workspace import TargetRef

MINING_SHARE = 0.45
"""Share of a query's time for mining. Cached results cost little; the rest is for checking."""
MIN_CHECK_S = 0.5
"""Minimum seconds for checking claims. Claims that are not checked in time are reported as such."""
MAX_CHECK_SHARE = 0.35
"""Maximum share of a query's time for checking. Results are cached, so the next query continues."""


@dataclass
class MemorySession:
    """Everything that one memory query needs."""

    opened: OpenedView
    checker: ClaimChecker
    call: Call
    corpus_cache: CorpusCache
    budget: TimeBudget

    @property
    def project(self) -> Project:
        return self.opened.project

    @property
    def view(self) -> PinnedView:
        return self.opened.view

    @cached_property
    def corpus(self) -> Corpus:
        """All discoveries of the view, built at first use."""
        return self.corpus_cache.get_corpus(self.project, self.view, self.budget.take_share(MINING_SHARE))

    def read_lines(self, path: str, first: int, last: int) -> list[str]:
        """Read lines of a file as they were indexed, counted from 1; empty if they are not available."""
        return (
            self.project.reader(self.view).read_span(self.view, path, first, last) if path in self.view.entries else []
        )

    def get_entry(self, discovery_id: str) -> CorpusEntry:
        """Return a discovery that is not forgotten; raise RESULT_NOT_FOUND otherwise."""
        found = self.corpus.by_id.get(discovery_id)
        if found is None or found.discovery.state == "forgotten":
            raise make_not_found_failure(discovery_id)
        return found

    def summarize_search(self) -> SearchCoverage:
        counts = self.corpus.count_by_source(
            entry for entry in self.corpus.items if entry.discovery.state != "forgotten"
        )
        return SearchCoverage(counts, self.corpus.complete, self.corpus.notes)


@dataclass
class MemorySessions:
    """Opens memory sessions; shared by the services that use memory."""

    access: ProjectAccess
    pool: WorkerPool
    corpus_cache: CorpusCache

    @contextmanager
    def open_session(
        self, workspace: str | None, ref: str | TargetRef | None, call: Call, patience: float
    ) -> Iterator[MemorySession]:
        with self.access.view(workspace, ref) as opened:
            project, view = opened.project, opened.view
            # A discovery must not be called outdated because the file it names is not indexed yet.
            project.require_finished(view)
            present = ViewTreeSnapshot(project, view, self.corpus_cache.get_shared_lookups(project, view))
            budget = TimeBudget.start(patience, call, ANSWER_RESERVE_S)
            checker = ClaimChecker(
                project, view, self.pool, present, DeferredBudget(budget, MIN_CHECK_S, patience * MAX_CHECK_SHARE)
            )
            yield MemorySession(opened, checker, call, self.corpus_cache, budget)

    def get_view_state(self, session: MemorySession, policy: str, paths: tuple[str, ...]) -> ViewState:
        return self.access.state(session.opened, policy, paths)


def make_not_found_failure(discovery_id: str) -> Failure:
    return Failure("RESULT_NOT_FOUND", f"Discovery not found: '{discovery_id[:60]}'.",
                   hint="List discoveries with `codecompass context list`.")  # fmt: skip
