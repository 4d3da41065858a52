"""Garbage collection: delete derived data of unused projects; owned data is never deleted."""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from codecompass.engine.maintenance.storage.artifacts import measure_directory, measure_paths
from codecompass.engine.workspace.lock_owner import make_lock_owner
from codecompass.engine.workspace.project import ROOT_KEY, Project
from codecompass.engine.workspace.project_registry import ProjectRegistry
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import (
    CleanRequest,
    GcRemoval,
    GcReport,
    GcRequest,
    SkippedProject,
)
from codecompass.model.maintenance.workspace_usage import ProjectUsage
from codecompass.model.timestamp import utc_timestamp
from codecompass.store.ports import Store

DAY = 86_400.0
GONE, AGE, QUOTA, REQUESTED = "gone", "age", "quota", "asked"
LIVE = "live:"
LAST_USE_FILE = "use"
"""The file whose mtime is the time of the last query."""
PROTECTED_REASON = "it is the current repository or one that is served here"
OUTSIDE_REASON = "it lies outside the allowed roots"


@dataclass(frozen=True, slots=True)
class _StoredProject:
    """One project in the data directory."""

    home: Path
    bytes: int
    used: float
    """Time of the last query or write, in seconds since the epoch."""
    root: str
    """Its root, if the caller may know it."""
    gone: bool
    """Whether neither its root nor any other of its working trees exists."""
    outside: bool
    """Whether it lies outside the roots that the caller may name: then nothing of it is deleted."""


def collect_garbage(projects: ProjectRegistry, current: Project, order: GcRequest, call: Call) -> GcReport:
    """Delete derived data of projects whose repository is gone, of old ones, then the oldest until the rest fits."""
    stored_projects = sorted(_list_projects(projects, call), key=lambda stored: (stored.used, stored.home.name))
    protected = _list_protected(projects, current)
    removals: list[GcRemoval] = []
    spared: list[SkippedProject] = []
    failed: list[SkippedProject] = []
    now, total = time.time(), sum(stored.bytes for stored in stored_projects)
    kept = total
    for stored in stored_projects:
        call.check()
        reason = _choose_reason(stored, order, now, kept)
        if not reason or not stored.bytes:
            continue
        if stored.outside or stored.home in protected:
            reason = OUTSIDE_REASON if stored.outside else PROTECTED_REASON
            spared.append(SkippedProject(stored.home.name, reason, stored.root))
            continue
        try:
            with open_project_store(projects, stored.home) as store:
                freed = _clear_store(store, stored.home, dry_run=order.dry_run, alone=True)
        except Failure as failure:
            (spared if failure.code == "INDEX_IN_PROGRESS" else failed).append(
                SkippedProject(stored.home.name, failure.message, stored.root)
            )
            continue
        kept -= freed
        removals.append(GcRemoval(stored.home.name, str(stored.home), freed, reason, stored.root))
    return GcReport(
        str(current.workspace.root), str(projects.data_directory), order.dry_run, len(stored_projects), total,
        tuple(removals), tuple(spared), tuple(failed),
    )  # fmt: skip


def list_usage(projects: ProjectRegistry, call: Call) -> tuple[ProjectUsage, ...]:
    """List the disk usage of every project, largest first."""
    found = []
    for stored in _list_projects(projects, call):
        used_at = utc_timestamp(stored.used)
        owned = max(0, measure_directory(stored.home) - stored.bytes)
        found.append(ProjectUsage(stored.home.name, stored.bytes, owned, used_at, stored.root))
    return tuple(sorted(found, key=lambda item: (-item.bytes, item.id)))


def _choose_reason(stored: _StoredProject, order: GcRequest, now: float, kept: int) -> str:
    if stored.gone:
        return GONE
    if order.max_age_days is not None and now - stored.used > order.max_age_days * DAY:
        return AGE
    if order.max_bytes is not None and kept > order.max_bytes:
        return QUOTA
    return ""


def remove_derived_data(projects: ProjectRegistry, current: Project, order: CleanRequest, call: Call) -> GcReport:
    """Delete the derived data of the named project, or of all. Running calls of other processes still finish."""
    if order.everything and not (order.confirmed or order.dry_run):
        raise Failure("INVALID_REQUEST", "all removes the indexes of every repository and needs confirm: true.",
                      hint="Call it with dryRun: true first to see what would be removed.")  # fmt: skip
    homes = projects.list_directories() if order.everything else (current.directory,)
    removals: list[GcRemoval] = []
    spared: list[SkippedProject] = []
    failed: list[SkippedProject] = []
    total = 0
    for home in homes:
        call.check()
        root = ""
        try:
            with open_project_store(projects, home) as store:
                root = _get_visible_root(projects, store)
                if order.everything and _is_outside(projects, store):
                    spared.append(SkippedProject(home.name, OUTSIDE_REASON, root))
                    continue
                total += measure_paths(store.maintenance.list_derived_files())
                freed = _clear_store(store, home, dry_run=order.dry_run, alone=False)
        except Failure as failure:
            if not order.everything:
                raise
            failed.append(SkippedProject(home.name, failure.message, root))
            continue
        if freed:
            removals.append(GcRemoval(home.name, str(home), freed, REQUESTED, root))
    return GcReport(
        str(current.workspace.root), str(projects.data_directory), order.dry_run, len(homes), total,
        tuple(removals), tuple(spared), tuple(failed),
    )  # fmt: skip


def _clear_store(store: Store, home: Path, *, dry_run: bool, alone: bool) -> int:
    """Clear a store and return the bytes freed, or that would be."""
    before = measure_paths(store.maintenance.list_derived_files())
    store.maintenance.delete_derived(make_lock_owner("clean"), exclusive=alone, dry_run=dry_run)
    return before if dry_run else before - measure_paths(store.maintenance.list_derived_files())


def _list_protected(projects: ProjectRegistry, current: Project) -> set[Path]:
    served = (projects.find_directory(root) for root in projects.list_served())
    return {current.directory, *(home for home in served if home)}


def _list_projects(projects: ProjectRegistry, call: Call) -> Iterator[_StoredProject]:
    for home in projects.list_directories():
        call.check()
        try:
            with open_project_store(projects, home) as store:
                files = store.maintenance.list_derived_files()
                used = find_last_write((*files, home / "records.db", home / LAST_USE_FILE))
                root, gone = _get_visible_root(projects, store), has_lost_its_directories(store)
                outside = _is_outside(projects, store)
        except Failure:
            # Unreadable owned data: `doctor` reports it, and nothing of it is touched.
            continue
        yield _StoredProject(home, measure_paths(files), used, root, gone, outside)


def _get_visible_root(projects: ProjectRegistry, store: Store) -> str:
    """Return the root of a project; empty if the caller may not learn of it."""
    return "" if _is_outside(projects, store) else store.records.get(ROOT_KEY) or ""


def _is_outside(projects: ProjectRegistry, store: Store) -> bool:
    return not projects.may_disclose(store.records.get(ROOT_KEY) or "")


def has_lost_its_directories(store: Store) -> bool:
    """Whether all known working trees are gone: the registered root and those of live views."""
    root = store.records.get(ROOT_KEY) or ""
    if not root or os.path.isdir(root):
        return False
    try:
        with store.pin() as snapshot:
            names = [row.name for row in snapshot.views()]
    except Failure:
        # Without a readable index no other working tree is known.
        return True
    return not any(os.path.isdir(name.removeprefix(LIVE)) for name in names if name.startswith(LIVE))


def find_last_write(files: Iterable[Path]) -> float:
    times = []
    for path in files:
        try:
            times.append(path.stat().st_mtime)
        except FileNotFoundError:
            continue
    return max(times, default=0.0)


@contextmanager
def open_project_store(projects: ProjectRegistry, home: Path) -> Iterator[Store]:
    """Yield the store of a project: the open one, else one opened for the block."""
    for project in projects.list_open():
        if project.directory == home:
            yield project.store
            return
    store = projects.open_store(home)
    try:
        yield store
    finally:
        store.close()
