"""Status service: reports workspaces, their disk usage and capabilities, and writes portable files."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from codecompass.engine.index.linter import find_program
from codecompass.engine.maintenance.health.project_health import project_status, unreadable
from codecompass.engine.maintenance.storage.artifacts import part_sizes, total_size, troubles_of
from codecompass.engine.maintenance.storage.garbage_collection import holdings
from codecompass.engine.maintenance.storage.portable_build import build, portable_report
from codecompass.engine.options import EngineOptions
from codecompass.engine.search.retrieval.backends import BACKENDS
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.channel_health import meaning_of
from codecompass.engine.workspace.output_directories import check_destination
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_registry import Projects
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.maintenance.portable_index import PortableOrder, PortableReport
from codecompass.model.maintenance.workspace_usage import Abilities, IndexedRef, Inventory, Workplace
from codecompass.model.queries.vector_state import SemanticState
from codecompass.store.ports import ViewRow
from codecompass.text.documents import EXTRA, KINDS, can_read

SHELVES = ("models", "dictionaries", "extensions")
_SUFFIXES = (".sqlite", ".sqlite3", ".db")


class Custody:
    """Every public method is one lease, as in the engine."""

    def __init__(self, projects: Projects, options: EngineOptions, registry: Registry) -> None:
        self._projects = projects
        self._options = options
        self._registry = registry

    # -- the portable file -----------------------------------------------------------------------------------------

    def build_portable(self, workspace: str | None, order: PortableOrder, call: Call) -> PortableReport:
        """Write a view as one SQLite file, verified before it replaces the old one."""
        with self._projects.lease():
            project = self._projects.get(workspace)
            ref = project.effective_ref(order.ref)
            target = self._target(project, order.out) if order.out is not None else None
            with project.pinned(ref) as view:
                return build(project, view, ref, order, target, call)

    def portable(self, workspace: str | None) -> PortableReport:
        """Report the project's own portable file, and whether it is current."""
        with self._projects.lease():
            return portable_of(self._projects.find(workspace))

    def _target(self, project: Project, out: str) -> Path:
        """Return a path that may be written to: inside the workspace or an allowed root, outside any repository."""
        if "\0" in out or not out.endswith(_SUFFIXES):
            raise Failure("INVALID_REQUEST", f"out must name a file that ends in one of {', '.join(_SUFFIXES)}.")
        root = project.workspace.root
        named = Path(os.path.normpath(root / out))
        roots = (root, *map(Path, self._options.allowed_roots))
        parent = check_destination(named.parent, roots, self._projects.data_directory, "out")
        if (parent / named.name).is_symlink():
            raise Failure("INVALID_REQUEST", "out must not be a symbolic link.")
        return parent / named.name

    # -- status ----------------------------------------------------------------------------------------------------

    def workplaces(self, workspace: str | None) -> tuple[Workplace, ...]:
        """Return one workspace, or every registered one that is allowed."""
        if workspace is not None:
            return (self._workplace(workspace),)
        return tuple(self._workplace(root) for root in self._projects.registered())

    def _workplace(self, root: str) -> Workplace:
        default = self._options.default_workspace
        open_before = {str(project.workspace.root) for project in self._projects.open_projects()}
        with self._projects.lease():
            try:
                project = self._projects.find(root)
                real = str(project.workspace.root)
                place = (default is not None and real == os.path.realpath(default), real in open_before)
                status = project_status(project, project.effective_ref(None), counts=False)
                refs = _refs(project) if status.state.schema == "compatible" else ()
            except Failure as failure:
                if failure.code in ("WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INVALID_REQUEST"):
                    raise
                return Workplace(unreadable(root, failure), is_default=False, is_open=False)
            return Workplace(status, *place, refs, total_size(project.directory), portable_of(project))

    def inventory(self, workspace: str | None, *, everything: bool = False) -> Inventory:
        """Return the bytes and problems of every part of a project; with `everything` also the other projects."""
        with self._projects.lease():
            project = self._projects.find(workspace)
            status = project_status(project, project.effective_ref(None))
            portable = portable_of(project)
            issues, hints = troubles_of(status, portable)
            data = self._projects.data_directory
            parts = part_sizes(project.directory)
            downloads = {name: total_size(data / name) for name in SHELVES}
            others = holdings(self._projects, Call()) if everything else ()
            return Inventory(
                status, str(project.directory), parts, portable, str(data), total_size(data), issues, hints, downloads,
                others,
            )  # fmt: skip

    def abilities(self) -> Abilities:
        """Return what this installation can do."""
        documents = {kind.name: can_read(kind.name) for kind in KINDS}
        linter, git = find_program() is not None, shutil.which("git") is not None
        vectors, model = find_spec("sqlite_vec") is not None, self._projects.semantics.model()
        missing = {} if all(documents.values()) else {"documents": f"pip install 'codecompass[{EXTRA}]'"}
        missing |= {} if linter else {"linter": "pip install ruff"}
        missing |= {} if git else {"git": "install git to index branches"}
        return Abilities(
            documents, linter, git, BACKENDS, len(self._registry.languages), vectors, model.name if model else "",
            extra=missing,
        )  # fmt: skip


def portable_of(project: Project) -> PortableReport:
    """Report the portable file, compared with the view it was built from if that still exists."""
    try:
        state = project.store.portable.state()
        if state is None:
            return portable_report(project, None)
        with project.store.pin() as snapshot:
            row = snapshot.view(str(state.meta.get("view")))
            return portable_report(project, PinnedView(snapshot, row, project.registry) if row else None)
    except Failure:
        # Without an index there is nothing to compare with; a damaged file is still described.
        return portable_report(project, None)


def semantic_of(project: Project, ref: str) -> SemanticState:
    """Return whether the view of a ref has vectors, or why not."""
    try:
        with project.pinned(ref) as view:
            return meaning_of(project, view)
    except Failure:
        # Nothing is published, so nothing can be searched.
        return SemanticState("off", note=project.semantics.trouble or "Nothing is indexed yet.")


def _refs(project: Project) -> tuple[IndexedRef, ...]:
    with project.store.pin() as snapshot:
        rows = tuple(snapshot.views())
    return tuple(_ref(project, row) for row in rows)


def _ref(project: Project, row: ViewRow) -> IndexedRef:
    name = row.name.removeprefix("ref:")
    if row.name == project.view_name("live"):
        name = "live"
    elif row.name.startswith("live:"):
        # The working tree of another worktree; only its own workspace can determine its freshness.
        return IndexedRef("live", row.commit, row.generation, row.indexed_at, row.files, row.symbols, "")
    with project.pinned(name) as view:
        state = project.state_of(view, name)
    return IndexedRef(name, row.commit, row.generation, row.indexed_at, row.files, row.symbols, state.freshness)
