"""Index swap: replaces a whole index so that a kill at any instant leaves either the old or the new one.

The new index is built and verified in its own directory. Renaming that directory to `incoming` is the commit point:
before it the old index is valid, after it the new one, even if the process dies, because every process that finds
`incoming` finishes the swap first. Finishing is idempotent.
"""

import os
import shutil
from pathlib import Path

from codecompass.atomic import sync_directory, sync_file

DATABASE = "index.db"
TEXT = "text"
VECTORS = "vectors.db"
INCOMING = "incoming"
_STAGING = ".staging-"


def create_staging(directory: Path) -> Path:
    """Create an empty directory to build an index in; remove those of dead processes. Call it under the lock."""
    for left in directory.glob(f"{_STAGING}*"):
        shutil.rmtree(left, ignore_errors=True)
    staged = directory / f"{_STAGING}{os.getpid()}"
    staged.mkdir(mode=0o700)
    return staged


def swap_in(directory: Path, staged: Path) -> None:
    """Swap in a built index: `index.db`, with `text/` and `vectors.db` if it has them. Call it under the lock."""
    for name in (DATABASE, VECTORS):
        if (staged / name).exists():
            sync_file(staged / name)
    sync_directory(staged)
    finish_swap(directory)
    os.rename(staged, directory / INCOMING)
    sync_directory(directory)
    finish_swap(directory)


def is_swap_pending(directory: Path) -> bool:
    """Whether a swap was started and not finished."""
    return (directory / INCOMING).is_dir()


def finish_swap(directory: Path) -> None:
    """Finish a pending swap, if there is one. Call it under the lock."""
    incoming = directory / INCOMING
    if not incoming.is_dir():
        return
    if (incoming / DATABASE).exists():
        # The journal of the old file must be deleted before the new file gets its name.
        _remove(directory / DATABASE)
        if (incoming / TEXT).exists():
            shutil.rmtree(directory / TEXT, ignore_errors=True)
            _move(incoming / TEXT, directory / TEXT)
        if (incoming / VECTORS).exists():
            _remove(directory / VECTORS)
            _move(incoming / VECTORS, directory / VECTORS)
        _move(incoming / DATABASE, directory / DATABASE)
    shutil.rmtree(incoming, ignore_errors=True)
    sync_directory(directory)


def _remove(database: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


def _move(source: Path, target: Path) -> None:
    os.rename(source, target)
