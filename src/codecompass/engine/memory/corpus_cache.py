"""Corpus cache: build the corpus of a view when a query needs it, and reuse it while the view does not change."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import NamedTuple, TypeVar

from codecompass.engine.memory.corpus import Corpus, assemble
from codecompass.engine.memory.manifests.package_manifest import Manifest
from codecompass.engine.memory.mining.commit_miner import RULES as COMMIT_RULES
from codecompass.engine.memory.mining.commit_miner import Annals, Closed, Entry
from codecompass.engine.memory.mining.mined_item import Item
from codecompass.engine.memory.mining.miner import CODE, SPOKEN, Miner
from codecompass.engine.memory.mining.miner import RULES as FILE_RULES
from codecompass.engine.memory.time_budget import Budget
from codecompass.engine.triage.decisions import decisions
from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_DOCUMENTS = 0.4
_COMMITS = 0.8
"""Shares of time: of the whole budget for documents, then of the remaining time for commits."""
EDITION = f"{FILE_RULES}.{COMMIT_RULES.decode()}"
"""Version of the mining rules; views mined by another version are mined again."""
_KEPT = 4
"""Corpora held in memory: for example two refs of two projects."""


class Library:
    """Thread-safe cache of corpora. Two concurrent queries may both build the corpus of a view, with equal results."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._mined: OrderedDict[tuple[str, str], tuple[tuple[int, str], Mined]] = OrderedDict()
        self._held: OrderedDict[tuple[str, str], tuple[tuple[int, str, int, int], Corpus]] = OrderedDict()
        self._shared: OrderedDict[tuple[str, str, int], dict[str, dict[str, Manifest]]] = OrderedDict()

    def corpus(self, project: Project, view: PinnedView, budget: Budget) -> Corpus:
        """Return the corpus of a view, as complete as the time allows; `complete` tells whether anything is missing."""
        key, state = (str(project.directory), view.row.name), (view.row.generation, view.row.commit)
        written = (project.store.recollections.change(), get_record_store(project).records()[0])
        with self._lock:
            known = self._held.get(key)
            if known is not None and known[0] == (*state, *written) and known[1].complete:
                self._held.move_to_end(key)
                return known[1]
            mined = self._mined.get(key)
        if mined is None or mined[0] != state or not mined[1].complete:
            mined = (state, gather(project, view, budget, mined[1].chronicle if mined else None))
        made = join(project, mined[1])
        if known is not None and "index" in known[1].extra:
            # An edit changes few files, so the new index reuses most of the old one.
            made.extra["index"] = known[1].extra["index"]
        with self._lock:
            _keep(self._mined, key, mined)
            _keep(self._held, key, ((*state, *written), made))
        return made

    def shared(self, project: Project, view: PinnedView) -> dict[str, dict[str, Manifest]]:
        """Return the manifests that queries about one published view share."""
        key = (str(project.directory), view.row.name, view.row.generation)
        with self._lock:
            found = self._shared.get(key, {})
            _keep(self._shared, key, found)
            return found


def _keep(held: OrderedDict[_Key, _Value], key: _Key, value: _Value) -> None:
    held[key] = value
    held.move_to_end(key)
    while len(held) > _KEPT:
        held.popitem(last=False)


class Chronicle(NamedTuple):
    """What was mined from the ancestors of a commit."""

    commit: str = ""
    entries: Sequence[Entry] = ()
    closed: Sequence[Closed] = ()
    commits: int = 0
    notes: tuple[str, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Mined:
    """What was mined from a view, without recorded discoveries."""

    files: Sequence[tuple[str, Item]]
    chronicle: Chronicle
    count: int
    complete: bool
    notes: tuple[str, ...]


def gather(project: Project, view: PinnedView, budget: Budget, before: Chronicle | None = None) -> Mined:
    """Mine what is not cached: documents, then commits, then comments, because the time may not suffice for all.

    Findings of an earlier view of the same commit are reused: edits do not change commits.
    """
    miner = Miner(view, project.reader(view), project.store.memory)
    miner.mine(SPOKEN, budget.part(_DOCUMENTS), "documents")
    if before is not None and before.complete and before.commit == view.row.commit:
        commits = before
    else:
        commits = _chronicled(project, view, budget.part(_COMMITS))
    miner.mine(CODE, budget, "comments")
    notes, complete = list(commits.notes), commits.complete
    if miner.left:
        complete = False
        notes.insert(0, f"{miner.left} files were not mined in time; ask again.")
    if miner.unreadable:
        complete = False
        notes.insert(0, f"{miner.unreadable} files changed since they were indexed.")
    files = list(miner.items())
    return Mined(files, commits, len(view.entries), complete, tuple(dict.fromkeys(notes)))


def _chronicled(project: Project, view: PinnedView, budget: Budget) -> Chronicle:
    """Mine the ancestors of the view's commit."""
    if project.workspace.git is None:
        return Chronicle(notes=("Not a git repository: there are no commits to read.",))
    if not view.row.commit:
        return Chronicle()
    try:
        reader = Annals(project.git(), project.store.memory, project.options.history_commits, budget)
        entries, closed = reader.entries(view.row.commit)
        return Chronicle(view.row.commit, entries, closed, reader.commits, tuple(reader.notes), reader.complete)
    except Failure as failure:
        if failure.code == "CANCELLED":
            raise
        return Chronicle(notes=(failure.message,), complete=False)


def join(project: Project, mined: Mined) -> Corpus:
    """Combine mined, recorded and triage discoveries into a corpus."""
    records, commits = project.store.recollections, mined.chronicle
    items = assemble(
        mined.files, commits.entries, commits.closed, records.recorded(), dict(records.marks()), decisions(project)
    )
    return Corpus(items, mined.count, commits.commits, mined.complete, mined.notes)


def make_ready(project: Project, corpus: Corpus, budget: Budget) -> None:
    """Compute the index rows of a corpus ahead of the next query."""
    from codecompass.engine.memory.search.index_builder import Shelver  # noqa: PLC0415 - loads numpy

    Shelver(project.store.memory, budget).fill(corpus.items)
