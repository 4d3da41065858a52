"""Damage on disk: bytes that change, files that are emptied or gone. Whoever needs them notices.

SQLite promises nothing where a file changes under an open connection, so it happens between two runs of the program.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from tests.simulation.world import Violation, World

DERIVED = ("vectors.db", "vectors.db", "history.db", "memory.db", "shadow.git/HEAD", "shadow.git/config")
HARMS = ("delete", "empty", "flip")
SQLITE = b"SQLite format 3\0"
"""The first bytes of a database: without them it is none."""
SEGMENT = "????????????????????????????????.*"
"""A file of the text index is called by the number of its segment."""


def damage(world: World, rng: Random) -> str | None:
    """Something derived is gone, empty or has a wrong byte: whoever needs it makes it anew."""
    name, how = rng.choice(DERIVED), rng.choice(HARMS)
    path = world.home / name
    if world.unusable or world.disk.is_full or not path.exists() or not path.stat().st_size:
        return None
    with _between_runs(world):
        _harm(path, how, rng)
    if name == "vectors.db":
        world.doubts.update(world.shown)
    # A wrong byte is noticed by whoever reads it, perhaps by nobody for long; the rest by the next who comes.
    world.damaged = world.damaged or (how == "flip" and name.endswith(".db"))
    return f"{how} {name}"


def damage_cache(world: World, rng: Random) -> str | None:
    """A cache of history or memory is no database any more: the next question that needs it makes it anew."""
    name, tool = rng.choice((("memory.db", "context_search"), ("history.db", "inspect_symbol")))
    path, (state, *more) = world.home / name, world.shown.get(world.view_of(None), (None,))
    usable = not (world.unusable or world.disk.is_full or world.servers or more)
    if not usable or state is None or not state.names or not path.exists() or not path.stat().st_size:
        return None
    with _between_runs(world):
        _harm(path, "flip", rng, within=len(SQLITE))
    words = {"query": rng.choice(state.words)} if tool == "context_search" else {"name": rng.choice(state.names)}
    told = rng.choice(world.seats).ask(tool, **words)
    if not told.code and path.exists() and not path.read_bytes().startswith(SQLITE):
        raise Violation(f"{name} is damaged, and {tool} {words} left it so: {str(told.payload)[:200]}")
    return name


def damage_text(world: World, rng: Random) -> str | None:
    """The text index lost a file: it says so or answers rightly, and the next sync makes all of the index anew."""
    found = sorted((world.home / "text").glob(f"g*/{SEGMENT}"))
    if world.unusable or world.servers or world.disk.is_full or not found:
        return None
    path = rng.choice(found)
    with _between_runs(world):
        for name in (world.home / "text").glob(f"*/{path.name}"):
            name.unlink()
    world.unusable = "damaged"
    return path.suffix


def damage_record(world: World, rng: Random) -> str | None:
    """A finding has a wrong byte, until its file comes back from a backup."""
    if world.disk.is_full:
        return None
    if world.spoiled:
        path, data = world.spoiled.popitem()
        spare = path.with_name(".restored")
        spare.write_bytes(data)
        os.replace(spare, path)
        return f"{path.stem} restored"
    found = sorted((world.home / "triage" / "records").glob("*.json"))
    if not found:
        return None
    path = rng.choice(found)
    world.spoiled[path] = path.read_bytes()
    with _between_runs(world):
        _harm(path, "flip", rng)
    return path.stem


@contextmanager
def _between_runs(world: World) -> Iterator[None]:
    for seat in world.seats:
        seat.close()
    yield
    for at in range(len(world.seats)):
        world.reopen(at)


def _harm(path: Path, how: str, rng: Random, *, within: int = sys.maxsize) -> None:
    for beside in (f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(beside).unlink(missing_ok=True)
    if how == "delete":
        path.unlink()
    elif how == "empty":
        path.write_bytes(b"")
    else:
        with path.open("r+b") as file:
            at = rng.randrange(min(path.stat().st_size, within))
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ 0x40]))
