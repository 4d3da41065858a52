"""Warm set: load a few recent workspaces in the background after the start, so that their first query is fast.

Loading reads what every first search needs: the catalog's rows, the path index, the text reader and a few of its terms,
and the first comparison with the files on disk.
"""

from collections.abc import Callable, Iterator
from threading import Event, Thread

from codecompass.engine.search.paths.path_index import get_path_index
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.errors import ErrorCode, Failure
from codecompass.store.text_query import TextQuery

_WARMUP_TERMS = ("main", "init", "error")
_NOTHING_TO_LOAD: tuple[ErrorCode, ...] = (
    "NO_INDEX",
    "REF_NOT_INDEXED",
    "PROJECT_NOT_FOUND",
    "WORKSPACE_NOT_REGISTERED",
)
_STOP_SECONDS = 1.0


class WarmSet:
    """One per engine. `status` is `pending`, `warming`, `complete`, `failed` or `skipped`."""

    def __init__(self, access: ProjectAccess, default: str | None, capacity: int) -> None:
        self._access = access
        self._projects = access.projects
        self._default = default
        self.capacity = capacity
        self.status = "pending"
        self.members: tuple[str, ...] = ()
        self._stop = Event()
        self._thread: Thread | None = None

    def skip(self) -> None:
        self.status = "skipped"

    def start(self) -> None:
        """Choose the members and load them on a thread: a root on a slow disk must not delay the start."""
        if self.capacity <= 0:
            self.skip()
            return
        self.status = "warming"
        self._thread = Thread(target=self._run, name="prewarm", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop loading at the next step; may be called twice, and before `start`."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(_STOP_SECONDS)

    def _choose_members(self) -> tuple[str, ...]:
        """Return the default workspace, then the most recent ones: registered, allowed and existing."""
        wanted = (*((self._default,) if self._default else ()), *self._projects.recent.list_roots())
        known = (root for root in dict.fromkeys(wanted) if self._projects.is_registered(root))
        return tuple(root for root, _ in zip(known, range(self.capacity), strict=False))

    def _run(self) -> None:
        outcome = "failed"
        try:
            self.members = self._choose_members()
            # Load every member, even if others fail.
            results = [self._warm_member(root) for root in self.members]
            outcome = "complete" if all(results) else "failed"
        finally:
            self.status = outcome

    def _warm_member(self, root: str) -> bool:
        try:
            with self._access.registered_project(root) as project:
                load(project, self._stop.is_set)
        except Failure as failure:
            return failure.code in _NOTHING_TO_LOAD
        except OSError:
            return False
        return True


def load(project: Project, stopped: Callable[[], bool]) -> None:
    """Read what a first query needs, step by step."""
    target = project.resolve_ref(None)
    with project.open_view(target) as view:
        for step in _list_steps(project, view, target.name):
            if stopped():
                return
            step()


def _list_steps(project: Project, view: PinnedView, ref: str) -> Iterator[Callable[[], object]]:
    yield lambda: view.entries
    yield lambda: view.paths
    yield lambda: get_path_index(project, view).postings
    words = tuple((term, ()) for term in _WARMUP_TERMS)
    yield lambda: view.snapshot.search_text(TextQuery(words, require_all=False, limit=10), view.row)
    for term in _WARMUP_TERMS:
        yield lambda term=term: view.snapshot.find_symbols(term, prefix=False, limit=10)  # type: ignore[misc]
    yield lambda: project.get_view_state(view, ref)
