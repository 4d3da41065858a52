"""Engine health: the state of the whole engine, as `health_check` shows it."""

import time
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from codecompass import __version__
from codecompass.engine.maintenance.health.project_health import UNUSABLE, grammars, overall, project_status, unreadable
from codecompass.engine.maintenance.storage.warm_set import Warmset
from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.workspace.project_registry import Projects
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.queries.results import Health, ProjectStatus

_UNKNOWN = ("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "INVALID_REQUEST", "FORBIDDEN")
REMEDY = "Run 'codecompass index --force' to rebuild it from the sources; records are kept."
DISAGREES = (
    "The text index and the catalog differ ({:,} contents unknown to the catalog, {:,} without documents). It is"
    " repaired in the background, or by 'codecompass sync'."
)
FIRST_STEP = "Nothing has been indexed yet: call index_repo, or run 'codecompass index'."


class Survey:
    """Collects the health of all projects. Thread-safe; the uptime counts from its creation."""

    def __init__(self, projects: Projects, warmset: Warmset, registry: Registry) -> None:
        self._projects = projects
        self._warmset = warmset
        self._registry = registry
        self._started = time.monotonic()

    @cached_property
    def _grammars(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Available and missing grammars; checked once, because a loaded grammar stays loaded."""
        return grammars(self._registry, compile_queries=False)

    def take(self, workspace: str | None) -> Health:
        """Check one workspace, or without one all that the server was started with and all open ones."""
        projects, warmset = self._projects, self._warmset
        found = (_one(projects, workspace),) if workspace else tuple(_all(projects, projects.served()))
        available, missing = self._grammars
        return Health(
            status=overall(found, warmset.status),
            version=__version__,
            uptime_seconds=int(time.monotonic() - self._started),
            tantivy_ok=all(item.damaged != "text" for item in found),
            sqlite_ok=all(item.damaged != "catalog" for item in found),
            grammars_available=available,
            grammars_missing=missing,
            prewarm_status=warmset.status,
            projects=found,
            warmset=warmset.members,
            warmset_capacity=warmset.capacity,
            message=_message(found),
        )


def _one(projects: Projects, root: str) -> ProjectStatus:
    # One lease per project: a server of many workspaces must not keep them all open at once.
    with projects.lease():
        try:
            project = projects.find(root)
            status = project_status(project, project.effective_ref(None), counts=False)
            return replace(status, records_damage=" ".join(get_record_store(project).warnings()))
        except Failure as failure:
            if failure.code in _UNKNOWN:
                raise
            return unreadable(root, failure)


def _all(projects: Projects, roots: Iterable[str]) -> Iterable[ProjectStatus]:
    for root in roots:
        try:
            yield _one(projects, root)
        except Failure:
            # A workspace of the server that was never registered, or no longer exists.
            continue


def _message(found: tuple[ProjectStatus, ...]) -> str:
    """Return the worst problem of any project and its remedy; empty when there is none."""
    for item in found:
        if item.state.schema in UNUSABLE:
            problem = item.state.warnings[0] if item.state.warnings else "The index cannot be used."
            return f"{problem} {REMEDY}"
    for item in found:
        if item.words.state == "damaged":
            return DISAGREES.format(item.words.strays, item.words.missing)
    if not found:
        return "No project is registered here: run 'codecompass init', then 'codecompass index'."
    return FIRST_STEP if any(item.state.schema == "not_indexed" for item in found) else ""
