"""Status service: reports workspaces, their disk usage and capabilities, and writes portable files."""

import os
import shutil
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from codecompass.engine.index.linter import find_linter
from codecompass.engine.maintenance.health.project_health import describe_view, make_unreadable_status, project_status
from codecompass.engine.maintenance.storage.artifacts import find_issues, measure_directory, measure_parts
from codecompass.engine.maintenance.storage.garbage_collection import list_usage
from codecompass.engine.maintenance.storage.portable_build import build_portable_index, read_portable_report
from codecompass.engine.options import EngineOptions
from codecompass.engine.search.retrieval.backends import BACKENDS
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.channel_health import get_vector_state
from codecompass.engine.workspace.output_directories import check_destination
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.maintenance.portable_index import PortableBuildRequest, PortableReport
from codecompass.model.maintenance.workspace_usage import Capabilities, IndexedRef, ProjectInventory, WorkspaceStatus
from codecompass.model.queries.results import ProjectStatus, ViewState
from codecompass.model.queries.vector_state import SemanticState
from codecompass.repo.workspace import TargetRef
from codecompass.store.ports import ViewRow
from codecompass.text.documents import EXTRA, KINDS, can_read

DOWNLOAD_DIRECTORIES = ("models", "dictionaries", "extensions")
_SUFFIXES = (".sqlite", ".sqlite3", ".db")


class StatusService:
    """Reports what is there; only the portable file is ever written."""

    def __init__(self, access: ProjectAccess, options: EngineOptions, registry: Registry) -> None:
        self._access = access
        self._projects = access.projects
        self._options = options
        self._registry = registry

    # -- the portable file -----------------------------------------------------------------------------------------

    def build_portable(self, workspace: str | None, order: PortableBuildRequest, call: Call) -> PortableReport:
        """Write a view as one SQLite file, verified before it replaces the old one."""
        with self._access.project(workspace) as project:
            out = self._resolve_output(project, order.out) if order.out is not None else None
            with self._access.pin(project, project.resolve_ref(order.ref)) as opened:
                project.require_finished(opened.view)
                return build_portable_index(project, opened.view, opened.ref, order, out, call)

    def portable(self, workspace: str | None) -> PortableReport:
        """Report the project's own portable file, and whether it is current."""
        with self._access.registered_project(workspace) as project:
            return read_portable(project)

    def _resolve_output(self, project: Project, out: str) -> Path:
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

    def status(self, workspace: str | None, ref: str | None) -> ProjectStatus:
        """Return the state of a project at a ref, of its vectors and of its portable file."""
        with self._access.project(workspace) as project:
            target = project.resolve_ref(ref)
            status = project_status(project, target)
            return replace(status, portable=read_portable(project), semantic=read_vector_state(project, target))

    def describe(self, workspace: str | None, ref: str | None) -> ViewState:
        """Return the state of a ref for the metadata of an error answer; never raises."""
        try:
            with self._access.registered_project(workspace) as project:
                return describe_view(project, project.resolve_ref(ref))
        except Failure:
            return ViewState(ref or "live", "stale", "not_indexed", "not_indexed")

    def list_workspaces(self, workspace: str | None) -> tuple[WorkspaceStatus, ...]:
        """Return one workspace, or every registered one that is allowed."""
        if workspace is not None:
            return (self._read_workspace(workspace),)
        return tuple(self._read_workspace(root) for root in self._projects.list_registered())

    def _read_workspace(self, root: str) -> WorkspaceStatus:
        default = self._options.default_workspace
        open_before = {str(project.workspace.root) for project in self._projects.list_open()}
        try:
            with self._access.registered_project(root) as project:
                real = str(project.workspace.root)
                place = (default is not None and real == os.path.realpath(default), real in open_before)
                status = project_status(project, project.resolve_ref(None), counts=False)
                refs = _list_refs(project) if status.state.schema == "compatible" else ()
                size, portable = measure_directory(project.directory), read_portable(project)
        except Failure as failure:
            if failure.code in ("WORKSPACE_NOT_REGISTERED", "FORBIDDEN", "INVALID_REQUEST"):
                raise
            return WorkspaceStatus(make_unreadable_status(root, failure), is_default=False, is_open=False)
        return WorkspaceStatus(status, *place, refs, size, portable)

    def inventory(self, workspace: str | None, *, everything: bool = False) -> ProjectInventory:
        """Return the bytes and problems of every part of a project; with `everything` also the other projects."""
        with self._access.registered_project(workspace) as project:
            status = project_status(project, project.resolve_ref(None))
            portable = read_portable(project)
            issues, hints = find_issues(status, portable)
            data = self._projects.data_directory
            parts = measure_parts(project.directory)
            downloads = {name: measure_directory(data / name) for name in DOWNLOAD_DIRECTORIES}
            others = list_usage(self._projects, Call()) if everything else ()
            return ProjectInventory(
                status,
                str(project.directory),
                parts,
                portable,
                str(data),
                measure_directory(data),
                issues,
                hints,
                downloads,
                others,
            )

    def get_capabilities(self) -> Capabilities:
        """Return what this installation can do."""
        documents = {kind.name: can_read(kind.name) for kind in KINDS}
        linter, git = find_linter() is not None, shutil.which("git") is not None
        vectors, model = find_spec("sqlite_vec") is not None, self._projects.semantics.get_model()
        missing = {} if all(documents.values()) else {"documents": f"pip install 'codecompass[{EXTRA}]'"}
        missing |= {} if linter else {"linter": "pip install ruff"}
        missing |= {} if git else {"git": "install git to index branches"}
        return Capabilities(
            documents, linter, git, BACKENDS, len(self._registry.languages), vectors, model.name if model else "",
            extra=missing,
        )  # fmt: skip


def read_portable(project: Project) -> PortableReport:
    """Report the portable file, compared with the view it was built from if that still exists."""
    try:
        state = project.store.portable.state()
        if state is None:
            return read_portable_report(project, None)
        with project.store.pin() as snapshot:
            row = snapshot.view(str(state.meta.get("view")))
            return read_portable_report(project, PinnedView(snapshot, row, project.registry) if row else None)
    except Failure:
        # Without an index there is nothing to compare with; a damaged file is still described.
        return read_portable_report(project, None)


def read_vector_state(project: Project, ref: str | TargetRef) -> SemanticState:
    """Return whether the view of a ref has vectors, or why not."""
    try:
        with project.open_view(ref) as view:
            return get_vector_state(project, view)
    except Failure:
        # Nothing is published, so nothing can be searched.
        return SemanticState("off", note=project.embedder.error or "Nothing is indexed yet.")


def _list_refs(project: Project) -> tuple[IndexedRef, ...]:
    with project.store.pin() as snapshot:
        rows = tuple(snapshot.views())
    return tuple(_describe_ref(project, row) for row in rows)


def _describe_ref(project: Project, row: ViewRow) -> IndexedRef:
    name = row.name.removeprefix("ref:")
    if row.name == project.view_name("live"):
        name = "live"
    elif row.name.startswith("live:"):
        # The working tree of another worktree; only its own workspace can determine its freshness.
        return IndexedRef("live", row.commit, row.generation, row.indexed_at, row.files, row.symbols, "")
    with project.open_view(name) as view:
        state = project.get_view_state(view, name)
    return IndexedRef(name, row.commit, row.generation, row.indexed_at, row.files, row.symbols, state.freshness)
