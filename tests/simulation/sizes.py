"""Sizes: an index that lived for months takes no more room than a new one of the same state, within a stated factor."""

import os
from pathlib import Path

from codecompass.errors import Failure
from codecompass.store.embedded.catalog import index_writer
from tests.simulation.disk_inventory import read_stock
from tests.simulation.dispatch_client import Seat
from tests.simulation.world import Violation, World

FACTOR = 3.0
PER_CONTENT = 12_000
"""Bytes of all parts for one content that may be dead and still be kept."""
FLOOR = 600_000
"""Bytes that no comparison is about: pages and files that are begun."""
PARTS = ("index.db", "text", "vectors.db")


def compare_sizes(world: World) -> dict[str, tuple[int, int]]:
    """Part → bytes that it takes, and bytes that a new index takes; raises where they are too far apart."""
    if world.unusable or world.disk.is_full or world.servers or world.damaged:
        return {}
    world.sync()
    views = read_stock(world.home).views
    fresh = world.base / "fresh"
    seat = Seat("fresh", world.root, fresh, world.around, watch=False)
    try:
        for view in sorted(views):
            _index(seat, world, view)
    finally:
        seat.close()
    (new,) = (fresh / "projects").iterdir()
    allowance = FLOOR + PER_CONTENT * int(index_writer.GARBAGE_FLOOR)
    found = {part: (size_of(world.home / part), size_of(new / part)) for part in PARTS}
    for part, (old, least) in found.items():
        if old > FACTOR * least + allowance:
            raise Violation(f"{part} takes {old:,} bytes; a new one of the same state takes {least:,}")
    return found


def _index(seat: Seat, world: World, view: str) -> None:
    kind, _, name = view.partition(":")
    try:
        if kind == "ref":
            seat.index(world.root, name)
        elif os.path.isdir(name):
            seat.index(Path(name))
    except Failure as failure:
        if kind != "ref" or world.commit_of(name):
            raise Violation(f"a new index of {view} failed: {failure.code}: {failure.message}") from failure


def size_of(path: Path) -> int:
    """Bytes of a file or of all below a directory; one with several names counts once."""
    found = [path.stat()] if path.is_file() else [one.stat() for one in path.rglob("*") if one.is_file()]
    return sum({info.st_ino: info.st_size for info in found}.values())
