"""Placement: a whole index takes the place of the one that is there, so that a kill at any instant leaves old or new.

What is to come is made in a directory of its own and checked there. Renaming that directory to `incoming` is the one
step that counts: before it the old index stands, after it the new one does, even if whoever placed it dies, because
everybody who meets `incoming` finishes the work first. The steps of finishing may be done any number of times.
"""

import os
import shutil
from pathlib import Path

DATABASE = "index.db"
TEXT = "text"
VECTORS = "vectors.db"
INCOMING = "incoming"
_STAGING = ".staging-"


def staging(directory: Path) -> Path:
    """An empty directory to make an index in; those of processes that died are removed. Call it under the lock."""
    for left in directory.glob(f"{_STAGING}*"):
        shutil.rmtree(left, ignore_errors=True)
    made = directory / f"{_STAGING}{os.getpid()}"
    made.mkdir(mode=0o700)
    return made


def place(directory: Path, made: Path) -> None:
    """Put what was made in place: `index.db`, with `text/` and `vectors.db` if it has them. Call it under the lock."""
    for name in (DATABASE, VECTORS):
        if (made / name).exists():
            _sync(made / name)
    _sync(made)
    settle(directory)
    os.rename(made, directory / INCOMING)
    _sync(directory)
    settle(directory)


def waits(directory: Path) -> bool:
    """Whether a placement was begun and not finished."""
    return (directory / INCOMING).is_dir()


def settle(directory: Path) -> None:
    """Finish a placement that was begun; nothing to do is the usual case. Call it under the lock."""
    incoming = directory / INCOMING
    if not incoming.is_dir():
        return
    if (incoming / DATABASE).exists():
        # The journal of the old file must be gone before the new one has its name.
        _remove(directory / DATABASE)
        if (incoming / TEXT).exists():
            shutil.rmtree(directory / TEXT, ignore_errors=True)
            _move(incoming / TEXT, directory / TEXT)
        if (incoming / VECTORS).exists():
            _remove(directory / VECTORS)
            _move(incoming / VECTORS, directory / VECTORS)
        _move(incoming / DATABASE, directory / DATABASE)
    shutil.rmtree(incoming, ignore_errors=True)
    _sync(directory)


def _remove(database: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        database.with_name(database.name + suffix).unlink(missing_ok=True)


def _move(source: Path, target: Path) -> None:
    os.rename(source, target)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
