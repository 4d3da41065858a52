"""Library: the corpora of the views that were asked for, made when a question needs them and kept while they hold."""

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
"""Shares of the time: of all of it for documents, of what is left then for commits."""
EDITION = f"{FILE_RULES}.{COMMIT_RULES.decode()}"
"""The rules by which is mined; what other rules mined is mined again."""
_KEPT = 4
"""Corpora held in memory: two refs of two projects, or so."""


class Library:
    """Thread-safe; two questions about one view may both make its corpus, and both make the same."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._mined: OrderedDict[tuple[str, str], tuple[tuple[int, str], Mined]] = OrderedDict()
        self._held: OrderedDict[tuple[str, str], tuple[tuple[int, str, int, int], Corpus]] = OrderedDict()
        self._shared: OrderedDict[tuple[str, str, int], dict[str, dict[str, Manifest]]] = OrderedDict()

    def corpus(self, project: Project, view: PinnedView, budget: Budget) -> Corpus:
        """All that is known of a view; as much as the time allows, and it says when that was not all."""
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
        if known is not None and "shelf" in known[1].extra:
            # Most of it is as it was: an edit changes a few files, and words are made of what is new.
            made.extra["shelf"] = known[1].extra["shelf"]
        with self._lock:
            _keep(self._mined, key, mined)
            _keep(self._held, key, ((*state, *written), made))
        return made

    def shared(self, project: Project, view: PinnedView) -> dict[str, dict[str, Manifest]]:
        """A place for what questions about one published view may hand on to one another."""
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
    """What the commits say that lead to one."""

    commit: str = ""
    entries: Sequence[Entry] = ()
    closed: Sequence[Closed] = ()
    commits: int = 0
    notes: tuple[str, ...] = ()
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Mined:
    """What a view says by itself, without what was recorded."""

    files: Sequence[tuple[str, Item]]
    chronicle: Chronicle
    count: int
    complete: bool
    notes: tuple[str, ...]


def gather(project: Project, view: PinnedView, budget: Budget, before: Chronicle | None = None) -> Mined:
    """Mine what is not mined yet: documents, then commits, then comments, because the time may not suffice for all.

    Edits change no commit: what an earlier view of the same one has of them is taken as it is.
    """
    miner = Miner(view, project.reader(view), project.store.memory)
    miner.mine(SPOKEN, budget.part(_DOCUMENTS), "documents")
    if before is not None and before.complete and before.commit == view.row.commit:
        annals = before
    else:
        annals = _chronicled(project, view, budget.part(_COMMITS))
    miner.mine(CODE, budget, "comments")
    notes, complete = list(annals.notes), annals.complete
    if miner.left:
        complete = False
        notes.insert(0, f"{miner.left} files were not mined in time; ask again.")
    if miner.unreadable:
        complete = False
        notes.insert(0, f"{miner.unreadable} files changed since they were indexed.")
    files = list(miner.items())
    return Mined(files, annals, len(view.entries), complete, tuple(dict.fromkeys(notes)))


def _chronicled(project: Project, view: PinnedView, budget: Budget) -> Chronicle:
    """What the commits say that lead to a view."""
    if project.workspace.git is None:
        return Chronicle(notes=("This directory is no git repository: there are no commits to look at.",))
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
    """Put what was mined, recorded and decided together."""
    records, told = project.store.recollections, mined.chronicle
    items = assemble(
        mined.files, told.entries, told.closed, records.recorded(), dict(records.marks()), decisions(project)
    )
    return Corpus(items, mined.count, told.commits, mined.complete, mined.notes)


def make_ready(project: Project, corpus: Corpus, budget: Budget) -> None:
    """The words of a corpus, for the next question."""
    from codecompass.engine.memory.search.index_builder import Shelver  # noqa: PLC0415 - loads numpy

    Shelver(project.store.memory, budget).fill(corpus.items)
