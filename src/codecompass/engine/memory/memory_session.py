"""Memory session: the project, view, corpus and claim checker of one memory query."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.memory.claims.claim_checker import Judge
from codecompass.engine.memory.claims.tree_snapshot import PresentScene
from codecompass.engine.memory.corpus import Corpus, Kept
from codecompass.engine.memory.corpus_cache import Library
from codecompass.engine.memory.time_budget import Budget, Late
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import Opener
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.memory_values import Searched
from codecompass.model.queries.results import ViewState

MINING = 0.45
"""Share of a query's time for mining. Cached results cost little; the rest is for checking."""
JUDGE_S = 0.5
"""Minimum seconds for checking claims. Claims that are not checked in time are reported as such."""
JUDGING = 0.35
"""Maximum share of a query's time for checking. Results are cached, so the next query continues."""


@dataclass
class Desk:
    """Everything that one memory query needs."""

    project: Project
    view: PinnedView
    ref: str
    judge: Judge
    call: Call
    library: Library
    clock: Budget

    @cached_property
    def corpus(self) -> Corpus:
        """All discoveries of the view, built at first use."""
        return self.library.corpus(self.project, self.view, self.clock.part(MINING))

    def lines(self, path: str, first: int, last: int) -> list[str]:
        """Read lines of a file as they were indexed, counted from 1; empty if they are not available."""
        return self.project.reader(self.view).span(self.view, path, first, last) if path in self.view.entries else []

    def kept(self, discovery_id: str) -> Kept:
        """Return a discovery that is not forgotten; raise RESULT_NOT_FOUND otherwise."""
        found = self.corpus.by_id.get(discovery_id)
        if found is None or found.discovery.state == "forgotten":
            raise not_found(discovery_id)
        return found

    def searched(self) -> Searched:
        counts = self.corpus.counts(entry for entry in self.corpus.items if entry.discovery.state != "forgotten")
        return Searched(counts, self.corpus.complete, self.corpus.notes)


@dataclass
class Desks:
    """Opens memory sessions; shared by the services that use memory."""

    opener: Opener
    pool: WorkerPool
    library: Library

    @contextmanager
    def at(self, workspace: str | None, ref: str | None, call: Call, patience: float) -> Iterator[Desk]:
        project = self.opener.project(workspace)
        effective = project.effective_ref(ref)
        with project.pinned(effective) as view:
            present = PresentScene(project, view, self.library.shared(project, view))
            budget = Budget.of(patience, call)
            checker = Judge(project, view, self.pool, present, Late(budget, JUDGE_S, patience * JUDGING))
            yield Desk(project, view, effective, checker, call, self.library, budget)

    def state(self, session: Desk, policy: str, paths: tuple[str, ...]) -> ViewState:
        return self.opener.state(session.project, session.view, session.ref, policy, paths)


def not_found(discovery_id: str) -> Failure:
    return Failure("RESULT_NOT_FOUND", f"Discovery not found: '{discovery_id[:60]}'.",
                   hint="List discoveries with `codecompass context list`.")  # fmt: skip
