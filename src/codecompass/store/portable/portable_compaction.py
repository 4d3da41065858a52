"""Portable compaction: rewrites a portable file, compares the copy row by row, and swaps it in atomically."""

import os
from collections.abc import Callable
from pathlib import Path

from codecompass.atomic import move_into_place, reserve_temporary
from codecompass.store.embedded.databases.database_compaction import check_free_space, rewrite
from codecompass.store.portable.portable_connection import check_portable_schema, open_readonly
from codecompass.store.portable_port import CompactionResult

BACKUP = ".bak"
_TEMPORARY_MARK = ".compacting-"


def compact_portable_file(path: Path, check: Callable[[], None], *, keep_backup: bool) -> CompactionResult:
    """Rewrite a file without free pages. Call it under the file's lock. FileNotFoundError if there is no file."""
    before = path.stat().st_size
    check_free_space(path.parent, before)
    aside = reserve_temporary(path, _TEMPORARY_MARK)
    try:
        connection = open_readonly(path)
        try:
            check_portable_schema(connection, path.name)
            count = rewrite(connection, aside, path.name, check)
        finally:
            connection.close()
        backup = _make_backup(path) if keep_backup else None
        move_into_place(aside, path)
    finally:
        aside.unlink(missing_ok=True)
    return CompactionResult(path, before, path.stat().st_size, count, backup)


def _make_backup(path: Path) -> Path:
    """Link the old file to a backup name, so that a file exists under the original name at all times."""
    backup = path.with_name(path.name + BACKUP)
    backup.unlink(missing_ok=True)
    os.link(path, backup)
    return backup
