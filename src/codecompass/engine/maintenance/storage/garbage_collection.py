"""Sweeping: derived data of projects that nobody uses goes; what a project owns stays, whatever is asked."""

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
"""The file whose time says when a project was last asked."""
CURRENT = "it is the current repository or one that is served here"


@dataclass(frozen=True, slots=True)
class _Place:
    """One project of the data directory."""

    home: Path
    bytes: int
    used: float
    """When somebody last asked it or wrote to it, in seconds of the epoch."""
    root: str
    """Where it was registered, if whoever asks may know that."""
    gone: bool
    """Whether neither the directory it was registered by nor any other of its working trees is there."""


def sweep(projects: Projects, current: Project, order: SweepOrder, call: Call) -> SweepReport:
    """Over all projects: those whose repository is gone, those too old, then the oldest until the rest fits."""
    places = sorted(_places(projects, call), key=lambda place: (place.used, place.home.name))
    protected = _protected(projects, current)
    removals: list[Removal] = []
    spared: list[Spared] = []
    failed: list[Spared] = []
    now, total = time.time(), sum(place.bytes for place in places)
    kept = total
    for place in places:
        call.check()
        reason = _reason(place, order, now, kept)
        if not reason or not place.bytes:
            continue
        if place.home in protected:
            spared.append(Spared(place.home.name, CURRENT, place.root))
            continue
        try:
            with _opened(projects, place.home) as store:
                freed = _cleared(store, place.home, dry_run=order.dry_run, alone=True)
        except Failure as failure:
            (spared if failure.code == "INDEX_IN_PROGRESS" else failed).append(
                Spared(place.home.name, failure.message, place.root)
            )
            continue
        kept -= freed
        removals.append(Removal(place.home.name, str(place.home), freed, reason, place.root))
    return SweepReport(
        str(current.workspace.root), str(projects.data_directory), order.dry_run, len(places), total,
        tuple(removals), tuple(spared), tuple(failed),
    )  # fmt: skip


def holdings(projects: Projects, call: Call) -> tuple[Holding, ...]:
    """What is kept for every project, the largest first."""
    found = []
    for place in _places(projects, call):
        used_at = datetime.fromtimestamp(place.used, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        owned = max(0, total_size(place.home) - place.bytes)
        found.append(Holding(place.home.name, place.bytes, owned, used_at, place.root))
    return tuple(sorted(found, key=lambda item: (-item.bytes, item.id)))


def _reason(place: _Place, order: SweepOrder, now: float, kept: int) -> str:
    if place.gone:
        return GONE
    if order.max_age_days is not None and now - place.used > order.max_age_days * DAY:
        return AGE
    if order.max_bytes is not None and kept > order.max_bytes:
        return QUOTA
    return ""


def clean(projects: Projects, current: Project, order: CleanOrder, call: Call) -> SweepReport:
    """The derived data of the named project, or of all of them. Readers elsewhere go on to the end of their call."""
    if order.everything and not (order.confirmed or order.dry_run):
        raise Failure("INVALID_REQUEST", "all removes the indexes of every repository and needs confirm: true.",
                      hint="Call it with dryRun: true first to see what would go.")  # fmt: skip
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
    """Bytes that went, or would: what lay there before, less what lies there afterwards."""
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
            # Owned data that cannot be read: the doctor speaks of it, and nothing of it is touched.
            continue
        yield _Place(home, size_of(files), used, root, gone)


def _root(projects: Projects, store: Store) -> str:
    root = store.records.get(ROOT_KEY) or ""
    return root if projects.may_know(root) else ""


def _is_gone(store: Store) -> bool:
    """Any working tree may have been the one that was registered; the others are known by their views."""
    root = store.records.get(ROOT_KEY) or ""
    if not root or os.path.isdir(root):
        return False
    try:
        with store.pin() as snapshot:
            names = [row.name for row in snapshot.views()]
    except Failure:
        # No index that could be read: then nobody else is known.
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
    """The store of a project: the one that is open here, else one for the moment."""
    for project in projects.open_projects():
        if project.directory == home:
            yield project.store
            return
    store = projects.store_at(home)
    try:
        yield store
    finally:
        store.close()
