"""What is done to an index: synced, rebuilt, compacted, cleaned, and disturbed while it is written."""

import io
import json
from contextlib import ExitStack
from random import Random
from typing import Any

import apsw

from codecompass.engine.view import tree_sources
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.maintenance.maintenance_orders import CleanRequest, CompactRequest, GcRequest
from codecompass.model.triage_values import IngestRequest
from codecompass.repo.files.path_guard import TreeReader
from codecompass.store.embedded.databases.database_schema import INDEX_VERSION
from codecompass.store.embedded.databases.sqlite_connection import VFS_NAME
from tests.simulation.content import invent
from tests.simulation.file_clock import Times, read_times
from tests.simulation.fileacts import change_words
from tests.simulation.forked import Order
from tests.simulation.run_limits import replaced
from tests.simulation.world import Violation, World

LONGEST_RUN = 60_000
"""Calls of functions that an index run makes, about; a later kill never comes."""
MOST_NOTES = 30


def sync(world: World, rng: Random) -> str | None:
    at = rng.randrange(len(world.seats))
    world.sync(at=at)
    return world.seats[at].name


def save_while_indexing(world: World, rng: Random) -> str | None:
    """A file is saved twice with equal size, before and after a sync reads it, within one step of the clock."""
    path = None if world.unusable else change_words(world, rng)
    if path is None:
        return None
    target, first = world.root / path, (world.root / path).read_bytes()
    saved: list[Times] = []
    with ExitStack() as stack:
        walk, read = vars(tree_sources)["walk_tree"], TreeReader.read

        def save_and_walk(*arguments: Any) -> object:  # noqa: ANN401 - those of the walk
            if not saved:
                target.write_bytes(first)
                saved.append(read_times(target))
            return walk(*arguments)

        def read_and_save(self: TreeReader, name: str, limit: int) -> object:
            found = read(self, name, limit)
            if name == path:
                change_words(world, rng, path)
                world.clock.keep(target, saved[0])
            return found

        stack.enter_context(replaced(tree_sources, "walk_tree", save_and_walk))
        stack.enter_context(replaced(TreeReader, "read", read_and_save))
        world.sync()
    # What was indexed is on disk no more when vectors are made of it.
    world.doubts.add(world.view_of(None))
    return path


def sync_worktree(world: World, rng: Random) -> str | None:
    if len(world.places) < 2:
        return None
    place = rng.choice(world.places[1:])
    world.sync(place=place)
    return place.name


def index_force(world: World, rng: Random) -> str:
    world.sync(force=True, at=rng.randrange(len(world.seats)))
    if not world.disk.is_full:
        world.damaged = False
    return "everything"


def index_ref(world: World, rng: Random) -> str | None:
    """A branch, a tag or a commit that is not checked out."""
    names = sorted(set(world.refs()) - {world.branch()})
    if rng.random() < 0.2 and world.commit_of("HEAD~1"):
        names = [world.commit_of("HEAD~1")]
    if not names:
        return None
    ref = rng.choice(names)
    world.sync(ref)
    return ref


def reopen(world: World, rng: Random) -> str:
    at = rng.randrange(len(world.seats))
    world.reopen(at)
    return world.seats[at].name


def compact(world: World, rng: Random) -> str:
    at = rng.randrange(len(world.seats))
    try:
        world.seats[at].engine.compact(None, CompactRequest(keep_backup=rng.random() < 0.3), Call())
    except Failure as failure:
        _allow(world, failure, "INDEX_INCOMPATIBLE" if world.unusable else "")
        return failure.code
    return world.seats[at].name


def collect_garbage(world: World, rng: Random) -> str:
    order = GcRequest(max_bytes=rng.choice((None, 0)), max_age_days=rng.choice((None, 0.0)), dry_run=False)
    report = world.seats[0].engine.sweep(None, order, Call())
    if report.removals:
        raise Violation("the collection of garbage removed the index of the project that is being asked")
    return "spared"


def clean(world: World, rng: Random) -> str | None:
    """All that is derived goes; what is owned stays."""
    if world.disk.is_full:
        return None
    world.seats[rng.randrange(len(world.seats))].engine.clean(None, CleanRequest(), Call())
    world.lose_index("absent")
    return "everything derived"


def change_format(world: World, rng: Random) -> str | None:
    """The index on disk is one that another version of the program made."""
    path = world.home / "index.db"
    if world.unusable or world.servers or world.disk.is_full or not path.exists():
        return None
    version = INDEX_VERSION + rng.choice((-3, -1, 1, 40))
    connection = apsw.Connection(str(path), vfs=VFS_NAME)
    connection.pragma("user_version", version)
    connection.close()
    world.lose_index("format")
    return f"version {version}"


def crash(world: World, rng: Random) -> str:
    """Another process indexes and is killed at some instant."""
    ref, force = _wanted(world, rng), rng.random() < 0.2
    count = int(LONGEST_RUN ** rng.uniform(0.3, 1.0))
    return _disturbed(world, Order(str(world.root), ref, force, kill_at=count))


def crash_between_stores(world: World, rng: Random) -> str:
    """Another process is killed when the text of a batch is durable and its rows are not."""
    return _disturbed(world, Order(str(world.root), force=rng.random() < 0.3, kill_text=rng.choice((1, 1, 2, 4))))


def stop_first_index(world: World, rng: Random) -> str | None:
    """Everything derived goes, and the index that is made anew is killed between two of its parts."""
    if world.disk.is_full or world.servers or clean(world, rng) is None:
        return None
    told = _disturbed(world, Order(str(world.root), kill_part=rng.choice((1, 1, 2))))
    if " killed " in told:
        world.unusable = ""  # a part is published
    return told


def command(world: World, rng: Random) -> str:
    """Another process indexes, as a command beside a server does."""
    return _disturbed(world, Order(str(world.root), _wanted(world, rng), rng.random() < 0.1))


def short_of_room(world: World, rng: Random) -> str:
    """Another process indexes and may not make its files as long as it needs."""
    return _disturbed(world, Order(str(world.root), file_bytes=int(2 ** rng.uniform(12, 24)), force=rng.random() < 0.3))


def short_of_handles(world: World, rng: Random) -> str:
    return _disturbed(world, Order(str(world.root), handles=rng.randrange(1, 30), force=rng.random() < 0.3))


def _disturbed(world: World, order: Order) -> str:
    view = world.view_of(order.ref)
    wanted = world.current(view)
    assert wanted is not None
    fate = world.fork().run(order)
    if fate.end == "done":
        # A job succeeds without vectors that it could not write; the next one adds them.
        world.after_sync(view, wanted, disturbed=bool(order.file_bytes or order.handles))
    elif fate.code == "INDEX_IN_PROGRESS" and world.servers:
        pass  # a server is at work, and goes first
    elif fate.end == "killed" and not (order.kill_at or order.kill_part or order.kill_text):
        raise Violation("a process was killed that nobody wanted to kill")
    elif fate.end == "killed" or order.file_bytes or order.handles or world.disk.is_full:
        world.after_crash(view, wanted)
    else:
        raise Violation(f"a command failed: {fate.code}: {fate.message}")
    if fate.end == "broken" and not (order.file_bytes or order.handles):
        raise Violation(f"a command ended with {fate.code}: {fate.message}")
    return f"{order.ref or 'live'}{' force' if order.force else ''} {order.kill_at or ''} {fate.end} {fate.code}"


def _wanted(world: World, rng: Random) -> str | None:
    names = sorted(set(world.refs()) - {world.branch()})
    return rng.choice(names) if names and rng.random() < 0.25 else None


def fill_disk(world: World, rng: Random) -> str | None:
    return "full" if not world.disk.is_full and world.disk.fill() else None


def restart_without_room(world: World, rng: Random) -> str | None:
    """Everybody ends, what that gave back is taken too, and new readers begin on a disk without a free byte."""
    if world.servers or not world.disk.fill():
        return None
    for seat in world.seats:
        seat.close()
    world.disk.fill()
    for at in range(len(world.seats)):
        world.reopen(at)
    return "full"


def empty_disk(world: World, rng: Random) -> str | None:
    if not world.disk.is_full:
        return None
    world.disk.empty()
    return "room again"


def record(world: World, rng: Random) -> str | None:
    """Something is written down that must never be lost."""
    if world.disk.is_full or len(world.notes) >= MOST_NOTES:
        return None
    word = invent(rng)
    told = world.seats[0].ask("context_record", content=f"We decided that {word} is the way to go.", type="decision")
    if told.code:
        raise Violation(f"context_record failed: {told.payload}")
    world.notes[str(told.payload["discovery"]["id"])] = word
    return word


def take_finding(world: World, rng: Random) -> str | None:
    if world.disk.is_full or len(world.findings) >= MOST_NOTES:
        return None
    word = invent(rng)
    row = {"id": f"F-{word}", "title": f"finding {word}", "severity": "high", "package": word}
    stream = io.BytesIO(json.dumps([row]).encode())
    report = world.seats[0].engine.triage_ingest(None, IngestRequest("generic"), Call(), stream)
    if report.total != 1:
        raise Violation(f"a finding was not taken in: {report}")
    listed = world.seats[0].engine.triage_findings(None, "", "", word, 2).entries
    (world.findings[word],) = (one.record for one in listed)
    return word


def _allow(world: World, failure: Failure, *codes: str) -> None:
    if failure.code == "DISK_FULL" and (world.disk.is_full or world.disk.mounted):
        return
    if failure.code not in codes:
        raise Violation(f"{failure.code}: {failure.message}") from failure
