"""Index writer: stores blobs in batches, then publishes a view in one transaction.

Order of durability, which makes a kill at any instant harmless:
  1. the range of blob ids about to be used is reserved on disk, so no id is ever used twice;
  2. a batch's text documents are committed before its rows, so rows never lack their documents;
  3. the text files are frozen under the next generation's name;
  4. one transaction writes the view's rows and the generation. Readers see nothing before it and everything after it.

The catalog stores how many documents every blob has. The total is compared with the text index whenever that is
opened and after every commit, which detects documents that were not deleted and documents that were lost.
"""

import shutil
import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from codecompass.errors import Failure
from codecompass.model.code.traits import Diagnostic
from codecompass.store.embedded.catalog.blob_queries import find_orphans, find_unlinted
from codecompass.store.embedded.catalog.entry_rows import encode_path, read_entries
from codecompass.store.embedded.catalog.index_agreement import (
    PUBLISHED_DOCUMENTS_KEY,
    delete_blobs,
    delete_views,
    has_matching_text,
    make_miscount_failure,
    remove_unknown_blobs,
    repair_text_index,
)
from codecompass.store.embedded.catalog.symbol_queries import find_blobs_with_note
from codecompass.store.embedded.databases.database_schema import INDEX, INDEX_VERSION
from codecompass.store.embedded.databases.sqlite_connection import (
    check_schema,
    close_quietly,
    map_sqlite_errors,
    open_database,
    query_rows,
    transaction,
)
from codecompass.store.embedded.files.writer_lock import WriterLock
from codecompass.store.embedded.text.text_index import TextWriter, verify_work
from codecompass.store.fact_codec import pack_lint
from codecompass.store.ports import NewBlob, NewView, TextSegment, ViewEntry, ViewRow

BATCH_BYTES = 16 * 2**20
"""Source bytes after which a batch is made durable, so that a killed run does not start from scratch."""
RESERVED_IDS = 1_000_000
FLUSH_ROWS = 60_000
GARBAGE_FLOOR = 50
"""Unreferenced blobs tolerated before a sweep: this many, or a tenth of all if that is more, since a sweep is costly.
Until then they take space and count in word statistics."""

_PUT_FACETS = "INSERT INTO facets VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
VIEW_COLUMNS = "id, name, commit_id, head, generation, indexed_at, scanned_ns, files, symbols"
_PUT_VIEW = (
    "INSERT INTO views (name, commit_id, head, generation, indexed_at, scanned_ns, files, symbols)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET commit_id = excluded.commit_id,"
    " head = excluded.head, generation = excluded.generation, indexed_at = excluded.indexed_at,"
    " scanned_ns = excluded.scanned_ns, files = excluded.files, symbols = excluded.symbols"
)


class EmbeddedWriter:
    """The single writer of an index; holds the project's lock from construction to `close`."""

    def __init__(self, database: Path, text: Path, lock: WriterLock) -> None:
        self._lock = lock
        self._name = database.name
        self._text_directory = text
        self._connection = open_database(database, write=True, cache_kib=65_536)
        self._text: TextWriter | None = None
        self._mentions: list[tuple[int, int, bytes]] = []
        self._symbols: list[tuple[str, int, int, str, str]] = []
        self._batch_bytes = 0
        self._text_dirty = False
        self._documents = 0
        """The number of documents that the text index must have after the next commit."""
        with transaction(self._connection, self._name, write=True):
            version = int(self._connection.pragma("user_version"))
            if version:
                check_schema(version)
            else:
                # A new catalog numbers blobs from 1 again, so an old text index would be matched to wrong blobs.
                shutil.rmtree(text, ignore_errors=True)
                self._connection.execute(INDEX)
                self._connection.pragma("user_version", INDEX_VERSION)
                self._set("store_id", uuid.uuid4().hex)
                self._set("generation", 0)
                self._set("text_generation", 0)
                self._set("documents", 0)
                self._set("epoch", 1)
        self.epoch = int(self._get("epoch", 1))
        self._unfinished = bool(self._get("unfinished", 0))
        """Whether the previous writer died during a batch."""
        self._next_blob = self._recover()

    # -- meta ------------------------------------------------------------------------------------------------------

    def _get(self, key: str, default: int) -> int:
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, "SELECT value FROM meta WHERE key = ?", (key,))
        return int(found[0][0]) if found else default

    def _set(self, key: str, value: int | str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def _recover(self) -> int:
        """Return the next free blob id; delete text documents that a dead writer left without rows."""
        if self._unfinished:
            self._open_text()
        return max(self._highest_blob(), self._get("reserved", 0)) + 1

    def _highest_blob(self) -> int:
        with map_sqlite_errors(self._name):
            return int(query_rows(self._connection, "SELECT coalesce(max(id), 0) FROM blobs")[0][0])

    def raise_epoch(self) -> None:
        """Treat every content as new; rows of the old epoch serve their views until those are reindexed."""
        self.epoch += 1
        with transaction(self._connection, self._name, write=True):
            self._set("epoch", self.epoch)

    # -- text ------------------------------------------------------------------------------------------------------

    def _open_text(self) -> TextWriter:
        if self._text is None:
            with map_sqlite_errors(self._name):
                found = query_rows(self._connection, "SELECT name, size, xxh3 FROM segments")
            verify_work(self._text_directory, [TextSegment(*row) for row in found])
            self._text = TextWriter(self._text_directory)
            self._sync_text_with_catalog(self._text)
        return self._text

    def _sync_text_with_catalog(self, text: TextWriter) -> None:
        """Make the opened text index match the catalog; repair it if it does not."""
        if self._unfinished:
            text.remove_range(self._highest_blob() + 1, self._get("reserved", 0))
            text.commit()
            self._text_dirty = True
        self._documents = self._get("documents", -1)
        if self._documents != text.count_documents():
            self._repair_text(text)

    def _repair_text(self, text: TextWriter) -> None:
        with map_sqlite_errors(self._name):
            self._documents = repair_text_index(self._connection, text, self._get("text_generation", 0))
        self._text_dirty = True

    def _commit_text(self) -> None:
        """Commit, and verify by the document count that documents were added and deleted as requested."""
        writer = self._open_text()
        writer.commit()
        found = writer.count_documents()
        if found > self._documents:
            found = remove_unknown_blobs(self._connection, writer)
        if found != self._documents:
            raise make_miscount_failure(found, self._documents)
        self._set("documents", self._documents)

    def repair(self) -> bool:
        with map_sqlite_errors(self._name):
            if not self._get("text_generation", 0) or has_matching_text(self._connection, self._text_directory):
                return False
        text = self._open_text()
        if not self._text_dirty:
            # The count was right, but the documents were not.
            self._repair_text(text)
        return True

    def vacuum_text(self, *, thorough: bool = False, purge: bool = False) -> bool:
        generation = self._get("generation", 0)
        if thorough and self._find_orphans():
            self._publish_text(floor=1)
        text = self._open_text() if thorough else self._text
        if text is not None and (text.is_bloated or (thorough and text.has_deleted(every=purge))):
            text.merge(every=purge)
            self._text_dirty = True
        if self._text_dirty:
            self._publish_text()
        return self._get("generation", 0) != generation

    def _publish_text(self, floor: int = GARBAGE_FLOOR) -> None:
        """Publish a new generation with unchanged views; sweep unreferenced blobs if there are at least `floor`."""
        with self._publish_transaction():
            self._sweep_blobs(floor)
            self._put_generation(self._get("generation", 0) + 1)

    # -- blobs -----------------------------------------------------------------------------------------------------

    def find_blobs_by_hash(self, keys: Sequence[tuple[bytes, str]]) -> dict[tuple[bytes, str], int]:
        found = {}
        query = "SELECT id FROM blobs WHERE hash = ? AND language = ? AND epoch = ?"
        with map_sqlite_errors(self._name):
            for digest, language in keys:
                for row in query_rows(self._connection, query, (digest, language, self.epoch)):
                    found[digest, language] = int(row[0])
        return found

    def find_blobs_by_oid(self, oids: Sequence[bytes]) -> dict[tuple[bytes, str], int]:
        found = {}
        query = "SELECT language, id FROM blobs WHERE oid = ? AND epoch = ?"
        with map_sqlite_errors(self._name):
            for oid in oids:
                for language, blob in query_rows(self._connection, query, (oid, self.epoch)):
                    found[oid, str(language)] = int(blob)
        return found

    def add(self, blob: NewBlob) -> int:
        """Store a blob; text first, so that its rows are never durable without its documents."""
        if not self._connection.in_transaction:
            self._begin_batch()
        number = self._next_blob
        self._next_blob += 1
        self._open_text().add(number, blob.shown_language, blob.documents, blob.trigrams)
        self._documents += len(blob.documents) + 1
        self._text_dirty = True
        with map_sqlite_errors(self._name):
            counts = (blob.size, len(blob.symbols), " ".join(blob.notes))
            row = (number, blob.hash, blob.language, self.epoch, blob.oid or None, *counts)
            self._connection.execute("INSERT INTO blobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
            self._connection.execute("INSERT INTO facts VALUES (?, ?, ?, ?, ?)", (number, *blob.packs[:-1]))
            self._connection.execute("INSERT INTO heads VALUES (?, ?)", (number, blob.packs[-1]))
            self._connection.execute(_PUT_FACETS, (number, *blob.facets))
            if blob.document_text:
                self._connection.execute("INSERT INTO renditions VALUES (?, ?)", (number, blob.document_text))
        self._symbols.extend((name.casefold(), number, at, name, kind) for name, at, kind in blob.symbols)
        self._mentions.extend((key, number, places) for key, places in blob.mentions)
        self._batch_bytes += blob.size
        if len(self._mentions) > FLUSH_ROWS:
            self._flush_rows()
        if self._batch_bytes > BATCH_BYTES:
            self._end_batch()
        return number

    def find_unlinted(self, languages: Collection[str]) -> set[int]:
        with map_sqlite_errors(self._name):
            return find_unlinted(self._connection, self.epoch, languages)

    def add_lint(self, blob: int, messages: tuple[Diagnostic, ...]) -> None:
        if not self._connection.in_transaction:
            self._begin_batch()
        with map_sqlite_errors(self._name):
            self._connection.execute("INSERT OR REPLACE INTO lint VALUES (?, ?)", (blob, pack_lint(messages)))

    def _begin_batch(self) -> None:
        with transaction(self._connection, self._name, write=True):
            self._set("reserved", self._next_blob + RESERVED_IDS)
            self._set("unfinished", 1)
        with map_sqlite_errors(self._name):
            self._connection.execute("BEGIN IMMEDIATE")

    def _flush_rows(self) -> None:
        """Write the collected rows in key order, which avoids most random page accesses in the B-tree."""
        self._mentions.sort()
        self._symbols.sort()
        with map_sqlite_errors(self._name):
            self._connection.executemany("INSERT INTO mentions VALUES (?, ?, ?)", self._mentions)
            self._connection.executemany("INSERT INTO symbols VALUES (?, ?, ?, ?, ?)", self._symbols)
        self._mentions.clear()
        self._symbols.clear()

    def _end_batch(self) -> None:
        self._flush_rows()
        self._commit_text()
        with map_sqlite_errors(self._name):
            self._connection.execute("COMMIT")
        self._batch_bytes = 0

    # -- views -----------------------------------------------------------------------------------------------------

    def read_view(self, name: str) -> tuple[ViewRow, dict[str, ViewEntry]] | None:
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, f"SELECT {VIEW_COLUMNS} FROM views WHERE name = ?", (name,))
            if not found:
                return None
            view = ViewRow(*found[0])
            return view, read_entries(self._connection, view.id)

    def read_skips(self, name: str) -> dict[str, str]:
        query = "SELECT path, reason FROM skips WHERE view = (SELECT id FROM views WHERE name = ?)"
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, query, (name,))
        return {bytes(path).decode("utf-8", "surrogateescape"): str(reason) for path, reason in found}

    def find_blobs_with_note(self, note: str) -> set[int]:
        with map_sqlite_errors(self._name):
            return find_blobs_with_note(self._connection, note)

    def count_symbols(self, blobs: Iterable[int]) -> int:
        with map_sqlite_errors(self._name):
            counts = dict(query_rows(self._connection, "SELECT id, symbols FROM blobs"))
        return sum(counts[blob] for blob in blobs)

    def confirm_unchanged(self, name: str, scanned_ns: int) -> None:
        with transaction(self._connection, self._name, write=True):
            self._connection.execute("UPDATE views SET scanned_ns = ? WHERE name = ?", (scanned_ns, name))

    def publish(self, view: NewView) -> int:
        with self._publish_transaction():
            return self._write_view(view)

    @contextmanager
    def _publish_transaction(self) -> Iterator[None]:
        """Run one publishing transaction, then checkpoint the log and delete old text generations."""
        if not self._connection.in_transaction:
            with map_sqlite_errors(self._name):
                self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            with map_sqlite_errors(self._name):
                self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._unfinished = False
        with map_sqlite_errors(self._name):
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        if self._text is not None:
            self._text.sweep(self._get("text_generation", 0))

    def _write_view(self, view: NewView) -> int:
        self._flush_rows()
        generation = self._get("generation", 0) + 1
        before = self.read_view(view.name)
        old = before[1] if before else {}
        counts = (len(view.entries), view.symbols)
        row = (view.name, view.commit, view.head, generation, view.indexed_at, view.scanned_ns, *counts)
        with map_sqlite_errors(self._name):
            self._connection.execute(_PUT_VIEW, row)
            number = int(query_rows(self._connection, "SELECT id FROM views WHERE name = ?", (view.name,))[0][0])
            gone = [(number, encode_path(path)) for path in old if path not in view.entries]
            fresh = [
                (number, encode_path(path), *entry) for path, entry in view.entries.items() if old.get(path) != entry
            ]
            self._connection.executemany("DELETE FROM entries WHERE view = ? AND path = ?", gone)
            self._connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?)", fresh)
            self._connection.execute("DELETE FROM skips WHERE view = ?", (number,))
            skips = [(number, encode_path(path), reason) for path, reason in view.skips]
            self._connection.executemany("INSERT OR REPLACE INTO skips VALUES (?, ?, ?)", skips)
            delete_views(self._connection, view.dropped_views)
            self._sweep_blobs(GARBAGE_FLOOR)
            self._put_generation(generation)
        return generation

    def _put_generation(self, generation: int) -> None:
        if self._text_dirty:
            self._freeze_text(generation)
        self._set("generation", generation)
        self._set("reserved", self._next_blob)
        self._set("unfinished", 0)

    def _freeze_text(self, generation: int) -> None:
        self._commit_text()
        segments = self._open_text().freeze(generation)
        self._connection.execute("DELETE FROM segments")
        self._connection.executemany("INSERT INTO segments VALUES (?, ?, ?)", segments)
        self._set("text_generation", generation)
        self._set(PUBLISHED_DOCUMENTS_KEY, self._documents)
        self._text_dirty = False

    def _sweep_blobs(self, floor: int) -> None:
        """Delete blobs that no view references, once there are enough of them."""
        garbage = self._find_orphans()
        total = int(query_rows(self._connection, "SELECT count(*) FROM blobs")[0][0])
        if len(garbage) < (max(floor, total // 10) if floor > 1 else 1):
            return
        text = self._open_text()
        self._documents -= delete_blobs(self._connection, garbage)
        text.remove(garbage)
        self._text_dirty = True

    def _find_orphans(self) -> list[int]:
        with map_sqlite_errors(self._name):
            return find_orphans(self._connection)

    def write_heartbeat(self) -> None:
        self._lock.write_heartbeat()

    def close(self, *, keep: bool = False) -> None:
        """Close everything; finished batches remain for the next run, with `keep` also the one that was begun."""
        try:
            if keep and self._connection.in_transaction:
                with suppress(Failure):  # the next run parses these files again
                    self._end_batch()
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if self._text is not None:
                self._text.close()
            close_quietly(self._connection)
        finally:
            self._lock.close()
