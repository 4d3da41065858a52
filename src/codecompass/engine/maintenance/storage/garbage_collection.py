"""Garbage collection: delete derived data of unused projects; owned data is never deleted."""

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from codecompass.engine.maintenance.storage.artifacts import size_of, total_size
from codecompass.engine.workspace.lock_owner import this_process
from codecompass.engine.workspace.project import ROOT_KEY, Project
from codecompass.engine.workspace.project_registry import Projects
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import CleanOrder, Removal, Spared, SweepOrder, SweepReport
from codecompass.model.maintenance.workspace_usage import Holding
from codecompass.store.ports import Store

DAY = 86_400.0
GONE, AGE, QUOTA, ASKED = "gone", "age", "quota", "asked"
LIVE = "live:"
USE_MARK = "use"
"""The file whose mtime is the time of the last query."""
CURRENT = "it is the current repository or one that is served here"


@dataclass(frozen=True, slots=True)
class _Place:
    """One project in the data directory."""

    home: Path
    bytes: int
    used: float
    """Time of the last query or write, in seconds since the epoch."""
    root: str
    """Its root, if the caller may know it."""
    gone: bool
    """Whether neither its root nor any other of its working trees exists."""


def sweep(projects: Projects, current: Project, order: SweepOrder, call: Call) -> SweepReport:
    """Delete derived data of projects whose repository is gone, of old ones, then the oldest until the rest fits."""
    stored_projects = sorted(_places(projects, call), key=lambda stored: (stored.used, stored.home.name))
    protected = _protected(projects, current)
    removals: list[Removal] = []
    spared: list[Spared] = []
    failed: list[Spared] = []
    now, total = time.time(), sum(stored.bytes for stored in stored_projects)
    kept = total
    for stored in stored_projects:
        call.check()
        reason = _reason(stored, order, now, kept)
        if not reason or not stored.bytes:
            continue
        if stored.home in protected:
            spared.append(Spared(stored.home.name, CURRENT, stored.root))
            continue
        try:
            with _opened(projects, stored.home) as store:
                freed = _cleared(store, stored.home, dry_run=order.dry_run, alone=True)
        except Failure as failure:
            (spared if failure.code == "INDEX_IN_PROGRESS" else failed).append(
                Spared(stored.home.name, failure.message, stored.root)
            )
            continue
        kept -= freed
        removals.append(Removal(stored.home.name, str(stored.home), freed, reason, stored.root))
    return SweepReport(
        str(current.workspace.root), str(projects.data_directory), order.dry_run, len(stored_projects), total,
        tuple(removals), tuple(spared), tuple(failed),
    )  # fmt: skip


def holdings(projects: Projects, call: Call) -> tuple[Holding, ...]:
    """List the disk usage of every project, largest first."""
    found = []
    for stored in _places(projects, call):
        used_at = datetime.fromtimestamp(stored.used, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        owned = max(0, total_size(stored.home) - stored.bytes)
        found.append(Holding(stored.home.name, stored.bytes, owned, used_at, stored.root))
    return tuple(sorted(found, key=lambda item: (-item.bytes, item.id)))


def _reason(stored: _Place, order: SweepOrder, now: float, kept: int) -> str:
    if stored.gone:
        return GONE
    if order.max_age_days is not None and now - stored.used > order.max_age_days * DAY:
        return AGE
    if order.max_bytes is not None and kept > order.max_bytes:
        return QUOTA
    return ""


def clean(projects: Projects, current: Project, order: CleanOrder, call: Call) -> SweepReport:
    """Delete the derived data of the named project, or of all. Running calls of other processes still finish."""
    if order.everything and not (order.confirmed or order.dry_run):
        raise Failure("INVALID_REQUEST", "all removes the indexes of every repository and needs confirm: true.",
                      hint="Call it with dryRun: true first to see what would be removed.")  # fmt: skip
    homes = projects.homes() if order.everything else (current.directory,)
    removals: list[Removal] = []
    failed: list[Spared] = []
    total = 0
    for home in homes:
        call.check()
        root = ""
        try:
            with _opened(projects, home) as store:
                root = _root(projects, store)
                total += size_of(store.upkeep.derived_files())
                freed = _cleared(store, home, dry_run=order.dry_run, alone=False)
        except Failure as failure:
            if not order.everything:
                raise
            failed.append(Spared(home.name, failure.message, root))
            continue
        if freed:
            removals.append(Removal(home.name, str(home), freed, ASKED, root))
    return SweepReport(
        str(current.workspace.root), str(projects.data_directory), order.dry_run, len(homes), total,
        tuple(removals), failed=tuple(failed),
    )  # fmt: skip


def _cleared(store: Store, home: Path, *, dry_run: bool, alone: bool) -> int:
    """Clear a store and return the bytes freed, or that would be."""
    before = size_of(store.upkeep.derived_files())
    store.upkeep.clear(this_process("clean"), alone=alone, rehearse=dry_run)
    return before if dry_run else before - size_of(store.upkeep.derived_files())


def _protected(projects: Projects, current: Project) -> set[Path]:
    served = (projects.home_of(root) for root in projects.served())
    return {current.directory, *(home for home in served if home)}


def _places(projects: Projects, call: Call) -> Iterator[_Place]:
    for home in projects.homes():
        call.check()
        try:
            with _opened(projects, home) as store:
                files = store.upkeep.derived_files()
                used = _last_written((*files, home / "records.db", home / USE_MARK))
                root, gone = _root(projects, store), _is_gone(store)
        except Failure:
            # Unreadable owned data: `doctor` reports it, and nothing of it is touched.
            continue
        yield _Place(home, size_of(files), used, root, gone)


def _root(projects: Projects, store: Store) -> str:
    root = store.records.get(ROOT_KEY) or ""
    return root if projects.may_know(root) else ""


def _is_gone(store: Store) -> bool:
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


def _last_written(files: Iterable[Path]) -> float:
    times = []
    for path in files:
        try:
            times.append(path.stat().st_mtime)
        except FileNotFoundError:
            continue
    return max(times, default=0.0)


@contextmanager
def _opened(projects: Projects, home: Path) -> Iterator[Store]:
    """Yield the store of a project: the open one, else one opened for the block."""
    for project in projects.open_projects():
        if project.directory == home:
            yield project.store
            return
    store = projects.store_at(home)
    try:
        yield store
    finally:
        store.close()
