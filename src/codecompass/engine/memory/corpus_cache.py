"""Corpus cache: build the corpus of a view when a query needs it, and reuse it while the view does not change."""

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple

from codecompass.cache import LRU
from codecompass.engine.memory.claims.tree_snapshot import SharedLookups
from codecompass.engine.memory.corpus import Corpus, assemble_entries
from codecompass.engine.memory.mining.commit_miner import RULES_VERSION as COMMIT_RULES
from codecompass.engine.memory.mining.commit_miner import CommitMiner, MinedCommit, ResolvedTask
from codecompass.engine.memory.mining.mined_item import MinedItem
from codecompass.engine.memory.mining.miner import CODE_TREATMENTS, DOCUMENT_TREATMENTS, ViewMiner
from codecompass.engine.memory.mining.miner import RULES_VERSION as FILE_RULES
from codecompass.engine.triage.decisions import list_decisions
from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.time_budget import TimeBudget

_DOCUMENTS_SHARE = 0.4
_COMMITS_SHARE = 0.8
"""Shares of time: of the whole budget for documents, then of the remaining time for commits."""
MINING_VERSION = f"{FILE_RULES}.{COMMIT_RULES.decode()}"
"""Version of the mining rules; views mined by another version are mined again."""
_MAX_CORPORA = 4
"""Corpora held in memory: for example two refs of two projects."""


class CorpusCache:
    """Thread-safe cache of corpora. Two concurrent queries may both build the corpus of a view, with equal results."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._mined: LRU[tuple[str, str], tuple[tuple[int, str], MinedView]] = LRU(_MAX_CORPORA)
        self._corpora: LRU[tuple[str, str], tuple[tuple[int, str, int, int], Corpus]] = LRU(_MAX_CORPORA)
        self._shared_lookups: LRU[tuple[str, str, int], SharedLookups] = LRU(_MAX_CORPORA)

    def get_corpus(self, project: Project, view: PinnedView, budget: TimeBudget) -> Corpus:
        """Return the corpus of a view, as complete as the time allows; `complete` tells whether anything is missing."""
        key, state = (str(project.directory), view.row.name), (view.row.generation, view.row.commit)
        written = (project.store.memory_records.read_change_counter(), get_record_store(project).get_records()[0])
        known = self._corpora.get(key)
        if known is not None and known[0] == (*state, *written) and known[1].complete:
            return known[1]
        mined = self._mined.get(key)
        if mined is None or mined[0] != state or not mined[1].complete:
            mined = (state, mine_view(project, view, budget, mined[1].commit_findings if mined else None))
        made = build_corpus(project, mined[1])
        if known is not None and "index" in known[1].derived_data:
            # An edit changes few files, so the new index reuses most of the old one.
            made.derived_data["index"] = known[1].derived_data["index"]
        self._mined.put(key, mined)
        self._corpora.put(key, ((*state, *written), made))
        return made

    def get_shared_lookups(self, project: Project, view: PinnedView) -> SharedLookups:
        """Return what queries about one published view share."""
        key = (str(project.directory), view.row.name, view.row.generation)
        with self._lock:
            found = self._shared_lookups.get(key)
            if found is None:
                found = SharedLookups()
                self._shared_lookups.put(key, found)
            return found


class CommitFindings(NamedTuple):
    """What was mined from the ancestors of a commit."""

    commit: str = ""
    entries: Sequence[MinedCommit] = ()
    resolved_tasks: Sequence[ResolvedTask] = ()
    commits: int = 0
    notes: tuple[str, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class MinedView:
    """What was mined from a view, without recorded discoveries."""

    files: Sequence[tuple[str, MinedItem]]
    commit_findings: CommitFindings
    count: int
    complete: bool
    notes: tuple[str, ...]


def mine_view(
    project: Project, view: PinnedView, budget: TimeBudget, before: CommitFindings | None = None
) -> MinedView:
    """Mine what is not cached: documents, then commits, then comments, because the time may not suffice for all.

    Findings of an earlier view of the same commit are reused: edits do not change commits.
    """
    miner = ViewMiner(view, project.reader(view), project.store.memory_cache)
    miner.mine(DOCUMENT_TREATMENTS, budget.take_share(_DOCUMENTS_SHARE), "documents")
    if before is not None and before.complete and before.commit == view.row.commit:
        commits = before
    else:
        commits = _mine_commits(project, view, budget.take_share(_COMMITS_SHARE))
    miner.mine(CODE_TREATMENTS, budget, "comments")
    notes, complete = list(commits.notes), commits.complete
    if miner.remaining_files:
        complete = False
        notes.insert(0, f"{miner.remaining_files} files were not mined in time; ask again.")
    if miner.unreadable:
        complete = False
        notes.insert(0, f"{miner.unreadable} files changed since they were indexed.")
    files = list(miner.iter_items())
    return MinedView(files, commits, len(view.entries), complete, tuple(dict.fromkeys(notes)))


def _mine_commits(project: Project, view: PinnedView, budget: TimeBudget) -> CommitFindings:
    """Mine the ancestors of the view's commit."""
    if project.workspace.git is None:
        return CommitFindings(notes=("Not a git repository: there are no commits to read.",))
    if not view.row.commit:
        return CommitFindings()
    try:
        reader = CommitMiner(project.git(), project.store.memory_cache, project.options.history_commits, budget)
        entries, closed = reader.mine(view.row.commit)
        return CommitFindings(view.row.commit, entries, closed, reader.commits, tuple(reader.notes), reader.complete)
    except Failure as failure:
        if failure.code == "CANCELLED":
            raise
        return CommitFindings(notes=(failure.message,), complete=False)


def build_corpus(project: Project, mined: MinedView) -> Corpus:
    """Combine mined, recorded and triage discoveries into a corpus."""
    records, commits = project.store.memory_records, mined.commit_findings
    items = assemble_entries(
        mined.files,
        commits.entries,
        commits.resolved_tasks,
        records.read_discoveries(),
        dict(records.read_marks()),
        list_decisions(project),
    )
    return Corpus(items, mined.count, commits.commits, mined.complete, mined.notes)


def warm_index(project: Project, corpus: Corpus, budget: TimeBudget) -> None:
    """Compute the index rows of a corpus ahead of the next query."""
    from codecompass.engine.memory.search.index_builder import IndexBuilder  # noqa: PLC0415 - loads numpy

    IndexBuilder(project.store.memory_cache, budget).add_missing(corpus.items)
