"""Health: the state of projects, from real checks."""

from codecompass.engine.project import Project
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.result import ProjectStatus, ViewState


def project_status(project: Project, ref: str) -> ProjectStatus:
    """One project: its index, the view of a ref, and its jobs."""
    found = project.store.state()
    active = project.board.active()
    files = symbols = 0
    skipped: dict[str, int] = {}
    languages: dict[str, int] = {}
    refs: tuple[str, ...] = ()
    state: ViewState = project.blank_state(ref)
    if found.schema == "compatible":
        try:
            with project.store.pin() as snapshot:
                refs = tuple(_ref_name(view.name) for view in snapshot.views())
            with project.pinned(ref) as view:
                state = project.state_of(view, ref)
                files, symbols = sum(1 for entry in view.entries.values() if entry.blob), view.row.symbols
                skipped = view.snapshot.skips(view.row)
                languages = view.snapshot.language_counts(view.row)
        except Failure as failure:
            if failure.code not in ("REF_NOT_INDEXED", "NO_INDEX"):
                raise
    return ProjectStatus(
        project_id=project.id,
        repo_root=str(project.workspace.root),
        state=state,
        schema_version=found.version,
        required_schema_version=found.required,
        file_count=files,
        symbol_count=symbols,
        active_job=active,
        recent_jobs=project.board.recent(),
        recovery=project.board.recovery(),
        refs=refs,
        skipped=skipped,
        languages=languages,
        index_bytes=project.store.size(),
        damaged=str(found.details.get("part", "catalog")) if found.schema == "corrupt_manifest" else "",
    )


def _ref_name(view: str) -> str:
    return "live" if view.startswith("live:") else view.removeprefix("ref:")


def grammars(registry: Registry, *, compile_queries: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Languages whose grammar loads, and those that do not; compiling the queries as well takes seconds."""
    available, missing = [], []
    for name, language in sorted(registry.languages.items()):
        try:
            _ = language.parser
            if compile_queries:
                _ = language.query
            available.append(name)
        except (LookupError, OSError, ValueError, SyntaxError):
            missing.append(name)
    return tuple(available), tuple(missing)


def overall(projects: tuple[ProjectStatus, ...], prewarm: str) -> str:
    """`error` before `warming` before `indexing` before `ready`."""
    if any(
        item.state.indexing == "failed" or item.state.schema in ("reindex_required", "corrupt_manifest")
        for item in projects
    ):
        return "error"
    if prewarm == "warming":
        return "warming"
    if any(item.active_job for item in projects):
        return "indexing"
    return "ready"
