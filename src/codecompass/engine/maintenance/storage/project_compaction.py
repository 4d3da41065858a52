"""Project compaction: rewrite the portable file, the catalog and the text index without free space."""

from pathlib import Path

from codecompass.engine.maintenance.storage.artifacts import measure_directory
from codecompass.engine.workspace.lock_owner import make_lock_owner
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import CompactedDatabase, CompactReport, CompactRequest
from codecompass.model.states import MODES
from codecompass.store.portable_port import CompactionResult

SQLITE, CATALOG, TEXT = "sqlite", "catalog", "text"


def compact_project(project: Project, order: CompactRequest, call: Call) -> CompactReport:
    """Compact the whole index for all modes; for some modes only a portable file that contains any of them."""
    parts, warnings = [_compact_portable(project, order, call)], []
    if set(order.modes) == set(MODES):
        # Compact the text first: it deletes the rows of unused content, whose pages the catalog then frees.
        text = _compact_text(project, order, call)
        parts += [_compact_catalog(project, order, call), text]
    for part in parts:
        if part.status == "missing":
            tool = "build_sqlite_index" if part.part == SQLITE else "build_index"
            kind = "" if set(order.modes) == set(MODES) else f" with {' and '.join(order.modes)}"
            warnings.append(f"There is no {part.part} database{kind}; {tool} makes it.")
    return CompactReport(str(project.workspace.root), order.dry_run, tuple(parts), tuple(warnings))


def _compact_portable(project: Project, order: CompactRequest, call: Call) -> CompactedDatabase:
    portable = project.store.portable
    state = portable.state()
    if state is None or not set(str(state.meta["modes"]).split()) & set(order.modes):
        return CompactedDatabase(SQLITE, str(portable.path), "missing")
    if order.dry_run:
        return _make_plan(SQLITE, portable.path, order)
    call.step("compact", 0, 3)
    done = portable.compact(make_lock_owner("compact"), call.check, keep_backup=order.keep_backup)
    return _make_report(SQLITE, portable.path, done)


def _compact_catalog(project: Project, order: CompactRequest, call: Call) -> CompactedDatabase:
    path = project.directory / "index.db"
    if not path.exists():
        return CompactedDatabase(CATALOG, str(path), "missing")
    if order.dry_run:
        return _make_plan(CATALOG, path, order)
    call.step("compact", 2, 3)
    try:
        done = project.store.maintenance.compact_catalog(
            make_lock_owner("compact"), call.check, keep_backup=order.keep_backup
        )
    except Failure as failure:
        if failure.code != "NO_INDEX":
            raise
        done = None
    return _make_report(CATALOG, path, done)


def _compact_text(project: Project, order: CompactRequest, call: Call) -> CompactedDatabase:
    path = project.directory / "text"
    if not path.exists():
        return CompactedDatabase(TEXT, str(path), "missing")
    if order.dry_run:
        return CompactedDatabase(TEXT, str(path), "planned", measure_directory(path))
    call.step("compact", 1, 3)
    try:
        done = project.store.maintenance.compact_text(make_lock_owner("compact"))
    except Failure as failure:
        if failure.code != "NO_INDEX":
            raise
        done = None
    return _make_report(TEXT, path, done)


def _make_plan(part: str, path: Path, order: CompactRequest) -> CompactedDatabase:
    backup = f"{path}.bak" if order.keep_backup else ""
    return CompactedDatabase(part, str(path), "planned", path.stat().st_size, backup=backup)


def _make_report(part: str, path: Path, done: CompactionResult | None) -> CompactedDatabase:
    if done is None:
        return CompactedDatabase(part, str(path), "missing")
    backup = str(done.backup) if done.backup else ""
    return CompactedDatabase(part, str(path), "compacted", done.before, done.after, done.rows, backup)
