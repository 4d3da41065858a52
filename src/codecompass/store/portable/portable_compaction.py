"""Portable compaction: rewrites a portable file, compares the copy row by row, and swaps it in atomically."""

import os
from collections.abc import Callable
from pathlib import Path

from codecompass.store.embedded.databases.database_compaction import check_free_space, rewrite
from codecompass.store.portable.portable_connection import check_portable_schema, open_readonly
from codecompass.store.portable_port import CompactionResult

BACKUP = ".bak"
_TEMPORARY_MARK = ".compacting-"


def compact_portable_file(path: Path, check: Callable[[], None], *, keep_backup: bool) -> CompactionResult:
    """Rewrite a file without free pages. Call it under the file's lock. FileNotFoundError if there is no file."""
    before = path.stat().st_size
    check_free_space(path.parent, before)
    for left in path.parent.glob(f".{path.name}{_TEMPORARY_MARK}*"):
        left.unlink(missing_ok=True)
    aside = path.with_name(f".{path.name}{_TEMPORARY_MARK}{os.getpid()}")
    try:
        connection = open_readonly(path)
        try:
            check_portable_schema(connection, path.name)
            count = rewrite(connection, aside, path.name, check)
        finally:
            connection.close()
        _sync(aside)
        backup = _make_backup(path) if keep_backup else None
        os.replace(aside, path)
        _sync(path.parent)
    finally:
        aside.unlink(missing_ok=True)
    return CompactionResult(path, before, path.stat().st_size, count, backup)


def _make_backup(path: Path) -> Path:
    """Link the old file to a backup name, so that a file exists under the original name at all times."""
    backup = path.with_name(path.name + BACKUP)
    backup.unlink(missing_ok=True)
    os.link(path, backup)
    return backup


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
