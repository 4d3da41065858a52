"""Project health: the state of a project, from checks that read no whole file; `doctor` reads all."""

from dataclasses import replace

from codecompass.engine.workspace.channel_health import get_vector_state, get_word_state
from codecompass.engine.workspace.project import Project, make_damaged_state
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.job import Job
from codecompass.model.queries.results import ProjectStatus, ViewState
from codecompass.model.queries.vector_state import SemanticState, TextIndexState
from codecompass.model.states import HealthState, parse_schema_state
from codecompass.repo.git.repository import read_head
from codecompass.repo.workspace import TargetRef
from codecompass.store.ports import StoreState

UNUSABLE = ("reindex_required", "corrupt_manifest")


def project_status(project: Project, target: TargetRef, *, counts: bool = True) -> ProjectStatus:
    """Return the status of a project: its index, the view of a ref, and its jobs; without `counts` only cheap parts."""
    ref = target.name
    active = project.jobs.find_active()
    found = _read_store_state(project)
    files = symbols = size = 0
    skipped: dict[str, int] = {}
    languages: dict[str, int] = {}
    modes: dict[str, int] = {}
    refs: tuple[str, ...] = ()
    state: ViewState | None = None
    words, meaning = TextIndexState("off"), SemanticState("off")
    if found.schema == "compatible":
        try:
            with project.open_view(target) as view:
                state = project.get_view_state(view, ref)
                files, symbols = project.summaries.count_files(view), view.row.symbols
                words, meaning = get_word_state(view), get_vector_state(project, view)
                if counts:
                    summary = project.summaries.get(view, project.store.size)
                    skipped, languages, size = summary.skipped, summary.languages, summary.index_bytes
                    modes = summary.modes
                    refs = tuple(_to_ref_name(row.name) for row in view.snapshot.views())
        except Failure as failure:
            if failure.code not in ("REF_NOT_INDEXED", "NO_INDEX"):
                raise
            refs = _list_refs(project) if counts else ()
    if state is None:
        state = _make_blank_state(project, ref, found)
    return ProjectStatus(
        project_id=project.id,
        repo_root=str(project.workspace.root),
        state=_with_job_state(project, state, target, active),
        schema_version=found.version,
        required_schema_version=found.required,
        file_count=files,
        symbol_count=symbols,
        active_job=active,
        recent_jobs=project.jobs.list_recent(),
        recovery=project.jobs.build_recovery_report(),
        refs=refs,
        skipped=skipped,
        languages=languages,
        index_bytes=size,
        modes=modes,
        is_repository=project.workspace.git is not None,
        branch=(read_head(project.workspace.git).branch or "") if project.workspace.git else "",
        damaged=_find_damaged_part(found, words),
        words=words,
        semantic=meaning,
    )


def describe_view(project: Project, target: TargetRef) -> ViewState:
    """Return the state of a ref for an answer about something else; never raises."""
    try:
        if (damage := project.get_damage()) is not None:
            return make_damaged_state(target.name, damage)
        with project.open_view(target) as view:
            return project.get_view_state(view, target.name)
    except Failure:
        return project.get_unindexed_state(target.name)


def _find_damaged_part(found: StoreState, words: TextIndexState) -> str:
    if found.schema == "corrupt_manifest":
        return str(found.details.get("part", "catalog"))
    return "text" if words.state == "damaged" else ""


def _read_store_state(project: Project) -> StoreState:
    """Return the store state, and damage that queries found since the last publish."""
    found = project.store.state()
    damage = project.get_damage() if found.schema == "compatible" else None
    if damage is None:
        return found
    schema = parse_schema_state(damage.details.get("schema_status"), "corrupt_manifest")
    return replace(found, schema=schema, message=damage.message, details=damage.details)


def _make_blank_state(project: Project, ref: str, found: StoreState) -> ViewState:
    if found.schema not in UNUSABLE:
        return project.get_unindexed_state(ref)
    return ViewState(ref, "stale", "failed", found.schema, warnings=(found.message,))


def _with_job_state(project: Project, state: ViewState, target: TargetRef, active: Job | None) -> ViewState:
    """Set the indexing status from the jobs: `indexing` during a job, `failed` after a failed one."""
    if active is not None and project.view_name(active.ref) == project.view_name(target):
        return replace(state, indexing="indexing")
    if active is None and project.jobs.has_failed(target.name):
        return replace(state, indexing="failed")
    return state


def _list_refs(project: Project) -> tuple[str, ...]:
    with project.store.pin() as snapshot:
        return tuple(_to_ref_name(view.name) for view in snapshot.views())


def _to_ref_name(view: str) -> str:
    return "live" if view.startswith("live:") else view.removeprefix("ref:")


def make_unreadable_status(root: str, failure: Failure) -> ProjectStatus:
    """Return the status of a registered project that cannot be opened."""
    state = ViewState("live", "stale", "failed", "corrupt_manifest", warnings=(failure.message,))
    return ProjectStatus("", root, state, 0, 0, 0, 0, None, (), None, damaged="catalog")


def load_grammars(registry: Registry, *, compile_queries: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the languages whose grammar loads, and the others; compiling the queries too takes seconds."""
    available, missing = [], []
    for name, language in sorted(registry.languages.items()):
        try:
            if language.spec.grammar:
                _ = language.parser
            if language.spec.grammar and compile_queries:
                _ = language.query
            available.append(name)
        except (LookupError, OSError, ValueError, SyntaxError):
            missing.append(name)
    return tuple(available), tuple(missing)


def combine_status(projects: tuple[ProjectStatus, ...], prewarm: str) -> HealthState:
    """Return the worst status: `error`, `warming`, `indexing`, `not_indexed`, then `ready`.

    `ready` means that every project is indexed; a project that was never indexed is not an error.
    """
    if any(_has_error(item) for item in projects):
        return "error"
    if prewarm == "warming":
        return "warming"
    if any(item.active_job for item in projects):
        return "indexing"
    if not projects or any(item.state.indexing == "not_indexed" for item in projects):
        return "not_indexed"
    return "ready"


def _has_error(item: ProjectStatus) -> bool:
    """Whether a project failed, is unusable or lacks documents; a running job is about to repair these."""
    return item.active_job is None and (item.state.indexing == "failed" or item.words.missing > 0)
