"""Stock-taking: what lies on disk, read apart from the program's own readers, and what must hold of it.

The catalog, the text index and the vectors hold the same contents; nothing dead beyond what is tolerated; logs are
short; and the doctor says `fail` exactly when that is not so.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import apsw
import tantivy

from codecompass.engine.maintenance.health.doctor import check_project
from codecompass.store.embedded.catalog import index_writer
from codecompass.store.embedded.databases.sqlite_connection import open_database, query_rows
from codecompass.store.embedded.text.text_index import FILE_DOCUMENT
from codecompass.store.embedded.vectors import vector_writer
from tests.simulation.dispatch_client import Seat
from tests.simulation.world import Violation, World

SLACK = 150
"""What crashes may leave behind until the next sweep, in contents."""
LONGEST_LOG = 4_500_000
"""Bytes; SQLite writes the log of a database back when it has two million, or soon afterwards."""
DATABASES = ("index.db", "vectors.db", "records.db", "memory.db", "history.db")
_TABLES = ("facts", "heads", "facets")


@dataclass(frozen=True, slots=True)
class Stock:
    """Contents by number, as each part has them."""

    blobs: frozenset[int]
    views: dict[str, frozenset[tuple[str, int]]]
    """View → (path, blob) of what it shows."""
    documents: Counter[int]
    """Blob → how many whole files stand for it in the text index; one is right."""
    chunks: frozenset[int]
    places: frozenset[tuple[str, int]]
    missing: tuple[str, ...]
    """What the catalog lacks of itself."""
    contents: dict[tuple[str, int], bytes]
    """Store and number → hash of the content: a number never means another."""
    unfinished: bool
    """Whether a first index waits to be continued; until then nothing is swept."""

    @property
    def live(self) -> frozenset[int]:
        return frozenset(blob for held in self.views.values() for _, blob in held)


def take_stock(world: World, seat: Seat) -> None:
    """Raise where something does not hold, or where the doctor says otherwise."""
    check_logs(world.home)
    if world.disk.is_full or world.unusable in ("absent", "unsure", "damaged") or world.damaged:
        return
    trouble = [] if world.unusable else list(troubles(world, read_stock(world.home)))
    with seat.engine._projects.lease():
        project = seat.engine._projects.open_for_query(str(world.root))
        said = check_project(project, None, read_data=True)
    # A small disk may really have too little room left, which says nothing of the stores.
    spared = (*(("disk",) if world.around.small_disk else ()), *(("triage",) if world.spoiled else ()))
    failed = [f"{one.name}: {one.detail}" for one in said if one.status == "fail" and one.name not in spared]
    if trouble:
        raise Violation(f"the stores disagree: {'; '.join(trouble)}; the doctor says {failed or 'all is well'}")
    if failed and not world.unusable:
        raise Violation(f"the stores agree, and the doctor says {failed}")
    if world.unusable and not failed:
        raise Violation("the index is of another format, and the doctor says that all is well")


def check_logs(home: Path) -> None:
    """The logs of databases are written back before they grow long."""
    for name in DATABASES:
        log = home / f"{name}-wal"
        if log.exists() and log.stat().st_size > LONGEST_LOG:
            raise Violation(f"the log of {name} takes {log.stat().st_size:,} bytes")


def troubles(world: World, stock: Stock) -> Iterator[str]:
    live, texts = stock.live, frozenset(stock.documents)
    yield from stock.missing
    known = world.contents
    if reused := [number for number in stock.contents.keys() & known.keys() if stock.contents[number] != known[number]]:
        yield f"numbers meant other contents before: {sorted(number for _, number in reused)[:5]}"
    known.update(stock.contents)
    if lost := live - stock.blobs:
        yield f"views show contents that the catalog lacks: {sorted(lost)[:5]}"
    if lost := live - texts:
        yield f"the text index lacks {len(lost)} contents that views show: {sorted(lost)[:5]}"
    if extra := texts - stock.blobs:
        yield f"the text index holds {len(extra)} contents that the catalog has not: {sorted(extra)[:5]}"
    if twice := [blob for blob, count in stock.documents.items() if count != 1]:
        yield f"the text index holds contents twice: {sorted(twice)[:5]}"
    most = max(index_writer.GARBAGE_FLOOR, len(stock.blobs) // 10) + SLACK
    if len(dead := stock.blobs - live) > most and not stock.unfinished:
        yield f"{len(dead)} contents that no view shows were not swept, of {len(stock.blobs)}"
    if world.around.vectors:
        yield from _vector_troubles(world, stock)


def _vector_troubles(world: World, stock: Stock) -> Iterator[str]:
    for view, held in stock.views.items():
        if view in world.shown and view not in world.doubts:
            lost = {path for path, blob in held if blob not in stock.chunks or (path, blob) not in stock.places}
            if lost:
                yield f"{view.partition(':')[0]} lacks the vectors of {sorted(lost)[:5]}"
    held = frozenset(place for places in stock.views.values() for place in places)
    slack = 0 if world.swept else SLACK
    if len(dead := stock.places - held) > max(vector_writer.GARBAGE_FLOOR, len(stock.places) // 10) + slack:
        yield f"{len(dead)} places that no view has still have vectors, of {len(stock.places)}"
    if len(gone := stock.chunks - stock.live) > max(vector_writer.GARBAGE_FLOOR, len(stock.chunks) // 10) + SLACK:
        yield f"{len(gone)} contents that no view shows still have vectors, of {len(stock.chunks)}"


def read_stock(home: Path) -> Stock:
    connection = open_database(home / "index.db", write=False)
    try:
        blobs = frozenset(int(row[0]) for row in query_rows(connection, "SELECT id FROM blobs"))
        names = [str(row[0]) for row in query_rows(connection, "SELECT name FROM views")]
        views: dict[str, set[tuple[str, int]]] = {name: set() for name in names}
        query = "SELECT name, path, blob FROM entries JOIN views ON views.id = view WHERE blob != 0"
        for view, path, blob in query_rows(connection, query):
            views[str(view)].add((bytes(path).decode("utf-8", "surrogateescape"), int(blob)))
        generation = int(query_rows(connection, "SELECT value FROM meta WHERE key = 'text_generation'")[0][0])
        missing = tuple(_gaps(connection, blobs))
        store = str(query_rows(connection, "SELECT value FROM meta WHERE key = 'store_id'")[0][0])
        hashed = query_rows(connection, "SELECT id, hash FROM blobs")
        contents = {(store, int(blob)): bytes(digest) for blob, digest in hashed}
        unfinished = bool(query_rows(connection, "SELECT 1 FROM skips WHERE reason = 'pending' LIMIT 1"))
    finally:
        connection.close()
    chunks, places = _read_vectors(home / "vectors.db")
    held = {view: frozenset(rows_of) for view, rows_of in views.items()}
    texts = _read_text(home / "text" / f"g{generation}")
    return Stock(blobs, held, texts, chunks, places, missing, contents, unfinished)


def _gaps(connection: apsw.Connection, blobs: frozenset[int]) -> Iterator[str]:
    for table in _TABLES:
        held = {int(row[0]) for row in query_rows(connection, f"SELECT blob FROM {table}")}
        if held != blobs:
            yield f"{table} and blobs differ by {sorted(held ^ blobs)[:5]}"
    for table in ("symbols", "mentions", "lint", "renditions"):
        held = {int(row[0]) for row in query_rows(connection, f"SELECT DISTINCT blob FROM {table}")}
        if held - blobs:
            yield f"{table} speaks of contents that are gone: {sorted(held - blobs)[:5]}"


def _read_text(directory: Path) -> Counter[int]:
    """Blob → documents that stand for whole files, over all segments, those marked as deleted left out."""
    if not directory.exists():
        return Counter()
    searcher = tantivy.Index.open(str(directory)).searcher()
    found = searcher.search(tantivy.Query.all_query(), limit=max(searcher.num_docs, 1), count=False)
    addresses = [address for _, address in found.hits]
    blobs = searcher.fast_field_values("blob", addresses)
    ordinals = searcher.fast_field_values("ordinal", addresses)
    counted: Counter[int] = Counter(int(blob or 0) for blob in blobs)
    whole = Counter(int(blob or 0) for blob, ordinal in zip(blobs, ordinals, strict=True) if ordinal == FILE_DOCUMENT)
    return Counter({blob: whole[blob] for blob in counted})


def _read_vectors(path: Path) -> tuple[frozenset[int], frozenset[tuple[str, int]]]:
    if not path.exists() or not path.stat().st_size:
        return frozenset(), frozenset()
    connection = open_database(path, write=False)
    try:
        chunks = frozenset(int(row[0]) for row in query_rows(connection, "SELECT blob FROM chunks"))
        found = query_rows(connection, "SELECT path, blob FROM places")
    finally:
        connection.close()
    return chunks, frozenset((bytes(where).decode("utf-8", "surrogateescape"), int(blob)) for where, blob in found)
