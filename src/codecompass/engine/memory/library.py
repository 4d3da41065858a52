"""Library: the corpora of the views that were asked for, made when a question needs them and kept while they hold."""

from collections import OrderedDict
from threading import Lock

from codecompass.engine.memory.annals import Annals
from codecompass.engine.memory.budget import Budget
from codecompass.engine.memory.corpus import Corpus, assemble
from codecompass.engine.memory.mining import Miner
from codecompass.engine.project import Project
from codecompass.engine.triage.rulings import decisions
from codecompass.engine.view import PinnedView
from codecompass.errors import Failure

_KEPT = 4
"""Corpora held in memory: two refs of two projects, or so."""


class Library:
    """Thread-safe; two questions about one view may both make its corpus, and both make the same."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: OrderedDict[tuple[str, str], tuple[tuple[int, str, int, int], Corpus]] = OrderedDict()

    def corpus(self, project: Project, view: PinnedView, budget: Budget) -> Corpus:
        """All that is known of a view; as much as the time allows, and it says when that was not all."""
        key = (str(project.directory), view.row.name)
        state = (view.row.generation, view.row.commit, project.store.recollections.change(), project.triage.records()[0])
        with self._lock:
            known = self._held.get(key)
            if known is not None and known[0] == state and known[1].complete:
                self._held.move_to_end(key)
                return known[1]
        made = gather(project, view, budget)
        with self._lock:
            self._held[key] = (state, made)
            self._held.move_to_end(key)
            while len(self._held) > _KEPT:
                self._held.popitem(last=False)
        return made


def gather(project: Project, view: PinnedView, budget: Budget) -> Corpus:
    """Mine what is not mined yet, and put everything together."""
    store, notes, complete = project.store, list[str](), True
    annals, closed, commits = [], [], 0
    miner = Miner(view, project.reader(view), store.memory, budget)
    mined = list(miner.mine())
    if miner.left:
        complete = False
        notes.append(f"{miner.left} files were not mined in time; ask again.")
    if miner.unreadable:
        complete = False
        notes.append(f"{miner.unreadable} files changed since they were indexed.")
    if project.workspace.git is None:
        notes.append("This directory is no git repository: there are no commits to look at.")
    elif view.row.commit:
        try:
            reader = Annals(project.git(), store.memory, project.options.history_commits, budget)
            annals, closed = reader.entries(view.row.commit)
            commits, complete = reader.commits, complete and reader.complete
            notes += reader.notes
        except Failure as failure:
            if failure.code == "CANCELLED":
                raise
            complete = False
            notes.append(failure.message)
    records = store.recollections
    items = assemble(mined, annals, closed, records.recorded(), dict(records.marks()), decisions(project))
    return Corpus(items, len(view.entries), commits, complete, tuple(dict.fromkeys(notes)))
