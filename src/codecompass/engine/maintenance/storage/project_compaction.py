"""Project compaction: rewrite the portable file, the catalog and the text index without free space."""

from pathlib import Path

from codecompass.engine.maintenance.storage.artifacts import total_size
from codecompass.engine.workspace.lock_owner import this_process
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.code.modes import MODES
from codecompass.model.maintenance.maintenance_orders import Compacted, CompactOrder, CompactReport
from codecompass.store.portable_port import Rewritten

SQLITE, CATALOG, TEXT = "sqlite", "catalog", "text"


def compact(project: Project, order: CompactOrder, call: Call) -> CompactReport:
    """Compact the whole index for all modes; for some modes only a portable file that contains any of them."""
    parts, warnings = [_portable(project, order, call)], []
    if set(order.modes) == set(MODES):
        # Compact the text first: it deletes the rows of unused content, whose pages the catalog then frees.
        text = _text(project, order, call)
        parts += [_catalog(project, order, call), text]
    for part in parts:
        if part.status == "missing":
            tool = "build_sqlite_index" if part.part == SQLITE else "build_index"
            kind = "" if set(order.modes) == set(MODES) else f" with {' and '.join(order.modes)}"
            warnings.append(f"There is no {part.part} database{kind}; {tool} makes it.")
    return CompactReport(str(project.workspace.root), order.dry_run, tuple(parts), tuple(warnings))


def _portable(project: Project, order: CompactOrder, call: Call) -> Compacted:
    portable = project.store.portable
    state = portable.state()
    if state is None or not set(str(state.meta["modes"]).split()) & set(order.modes):
        return Compacted(SQLITE, str(portable.path), "missing")
    if order.dry_run:
        return _planned(SQLITE, portable.path, order)
    call.step("compact", 0, 3)
    done = portable.compact(this_process("compact"), call.check, keep_backup=order.keep_backup)
    return _shown(SQLITE, portable.path, done)


def _catalog(project: Project, order: CompactOrder, call: Call) -> Compacted:
    path = project.directory / "index.db"
    if not path.exists():
        return Compacted(CATALOG, str(path), "missing")
    if order.dry_run:
        return _planned(CATALOG, path, order)
    call.step("compact", 2, 3)
    try:
        done = project.store.upkeep.compact(this_process("compact"), call.check, keep_backup=order.keep_backup)
    except Failure as failure:
        if failure.code != "NO_INDEX":
            raise
        done = None
    return _shown(CATALOG, path, done)


def _text(project: Project, order: CompactOrder, call: Call) -> Compacted:
    path = project.directory / "text"
    if not path.exists():
        return Compacted(TEXT, str(path), "missing")
    if order.dry_run:
        return Compacted(TEXT, str(path), "planned", total_size(path))
    call.step("compact", 1, 3)
    try:
        done = project.store.upkeep.compact_text(this_process("compact"))
    except Failure as failure:
        if failure.code != "NO_INDEX":
            raise
        done = None
    return _shown(TEXT, path, done)


def _planned(part: str, path: Path, order: CompactOrder) -> Compacted:
    backup = f"{path}.bak" if order.keep_backup else ""
    return Compacted(part, str(path), "planned", path.stat().st_size, backup=backup)


def _shown(part: str, path: Path, done: Rewritten | None) -> Compacted:
    if done is None:
        return Compacted(part, str(path), "missing")
    backup = str(done.backup) if done.backup else ""
    return Compacted(part, str(path), "compacted", done.before, done.after, done.rows, backup)
