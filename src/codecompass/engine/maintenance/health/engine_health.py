"""Engine health: the state of the whole engine, as `health_check` shows it."""

import time
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

from codecompass import __version__
from codecompass.engine.maintenance.health.project_health import (
    UNUSABLE,
    combine_status,
    load_grammars,
    make_unreadable_status,
    project_status,
)
from codecompass.engine.maintenance.storage.warm_set import WarmSet
from codecompass.engine.triage.record_store import get_record_store
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.errors import ErrorCode, Failure
from codecompass.languages.registry import Registry
from codecompass.model.queries.results import Health, ProjectStatus

_UNKNOWN: tuple[ErrorCode, ...] = ("PROJECT_NOT_FOUND", "WORKSPACE_NOT_REGISTERED", "INVALID_REQUEST", "FORBIDDEN")
REMEDY = "Run 'codecompass index --force' to rebuild it from the sources; records are kept."
INDEX_MISMATCH = (
    "The text index and the catalog differ ({:,} contents unknown to the catalog, {:,} without documents). It is"
    " repaired in the background, or by 'codecompass sync'."
)
FIRST_STEP = "Nothing has been indexed yet: call index_repo, or run 'codecompass index'."


class EngineHealth:
    """Collects the health of all projects. Thread-safe; the uptime counts from its creation."""

    def __init__(self, access: ProjectAccess, warmset: WarmSet, registry: Registry) -> None:
        self._access = access
        self._warmset = warmset
        self._registry = registry
        self._started = time.monotonic()

    @cached_property
    def _grammars(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Available and missing grammars; checked once, because a loaded grammar stays loaded."""
        return load_grammars(self._registry, compile_queries=False)

    def check(self, workspace: str | None) -> Health:
        """Check one workspace, or without one all that the server was started with and all open ones."""
        access, warmset = self._access, self._warmset
        found = (
            (_check_project(access, workspace),)
            if workspace
            else tuple(_check_projects(access, access.projects.list_served()))
        )
        available, missing = self._grammars
        return Health(
            status=combine_status(found, warmset.status),
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
            message=_choose_message(found),
        )


def _check_project(access: ProjectAccess, root: str) -> ProjectStatus:
    # One lease per project: a server of many workspaces must not keep them all open at once.
    try:
        with access.registered_project(root) as project:
            status = project_status(project, project.resolve_ref(None), counts=False)
            return replace(status, records_damage=" ".join(get_record_store(project).describe_damage()))
    except Failure as failure:
        if failure.code in _UNKNOWN:
            raise
        return make_unreadable_status(root, failure)


def _check_projects(access: ProjectAccess, roots: Iterable[str]) -> Iterable[ProjectStatus]:
    for root in roots:
        try:
            yield _check_project(access, root)
        except Failure:
            # A workspace of the server that was never registered, or no longer exists.
            continue


def _choose_message(found: tuple[ProjectStatus, ...]) -> str:
    """Return the worst problem of any project and its remedy; empty when there is none."""
    for item in found:
        if item.state.schema in UNUSABLE:
            problem = item.state.warnings[0] if item.state.warnings else "The index cannot be used."
            return f"{problem} {REMEDY}"
    for item in found:
        if item.words.state == "damaged":
            return INDEX_MISMATCH.format(item.words.strays, item.words.missing)
    if not found:
        return "No project is registered here: run 'codecompass init', then 'codecompass index'."
    return FIRST_STEP if any(item.state.schema == "not_indexed" for item in found) else ""
