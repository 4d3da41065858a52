"""Catalog snapshot: one published generation, pinned by a read transaction for the duration of a call."""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence, Set
from typing import TypeVar

import apsw

from codecompass.cache import LRU
from codecompass.model.code.facets import FacetQuery
from codecompass.model.code.facts import Bindings, DefinitionHeaders, Facts, References
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Analysis, Diagnostic
from codecompass.model.ids import hash_lookup_key
from codecompass.model.queries.grep_query import TrigramQuery
from codecompass.store.embedded.catalog.entry_rows import read_entries
from codecompass.store.embedded.catalog.facet_sql import build_facet_condition
from codecompass.store.embedded.catalog.index_agreement import (
    PUBLISHED_DOCUMENTS_KEY,
    compare_with_catalog,
    make_missing_row_failure,
)
from codecompass.store.embedded.catalog.index_writer import VIEW_COLUMNS
from codecompass.store.embedded.catalog.snapshot_caches import MAX_FILTERED_BLOBS, SnapshotCaches
from codecompass.store.embedded.catalog.symbol_queries import (
    find_blobs_mentioning,
    find_blobs_with_note,
    find_similar_names,
    find_symbols,
)
from codecompass.store.embedded.databases.sqlite_connection import map_sqlite_errors, query_rows
from codecompass.store.embedded.text.text_reader import BlobFilter, TextReader, WordForms
from codecompass.store.fact_codec import (
    hash_name,
    unpack_analysis,
    unpack_bindings,
    unpack_definition_headers,
    unpack_document_text,
    unpack_facts,
    unpack_lint,
    unpack_mentions,
    unpack_references,
    unpack_risks,
)
from codecompass.store.ports import SymbolRow, TextSegment, ViewEntry, ViewRow
from codecompass.store.text_query import TextAgreement, TextHit, TextQuery
from codecompass.store.vector_port import VectorIndex
from codecompass.text.trigram_code import literal_trigrams

T = TypeVar("T")
_UNPACKED_RATIO = 14
"""Approximate bytes in memory per packed byte."""


class EmbeddedSnapshot:
    """Reads one generation over one connection that is in a read transaction."""

    def __init__(self, connection: apsw.Connection, name: str, shared: SnapshotCaches) -> None:
        self._connection = connection
        self._name = name
        self._shared = shared
        with map_sqlite_errors(name):
            meta = dict(query_rows(connection, "SELECT key, value FROM meta"))
        self.generation = int(meta["generation"])
        self.store_id = str(meta["store_id"])
        self._text_generation = int(meta["text_generation"])
        with shared.lock:
            shared.switch_to(self.store_id, self.generation)
            self._text = self._open_text()
            if self._text is not None and self._text.documents != meta.get(PUBLISHED_DOCUMENTS_KEY):
                # Written by a version that did not count, or damaged: filter by an explicit list of allowed blobs.
                shared.distrusted_generation = self._text_generation

    @property
    def connection(self) -> apsw.Connection:
        """The pinned connection, for copying the whole generation."""
        return self._connection

    def _open_text(self) -> TextReader | None:
        shared = self._shared
        if self._text_generation == 0:
            return None
        if shared.text is None or shared.text_generation != self._text_generation:
            with map_sqlite_errors(self._name):
                found = query_rows(self._connection, "SELECT name, size, xxh3 FROM segments")
            segments = [TextSegment(*row) for row in found]
            shared.text = TextReader(shared.text_directory, self._text_generation, segments, shared.verified)
            shared.text_generation = self._text_generation
        return shared.text

    def views(self) -> Sequence[ViewRow]:
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, f"SELECT {VIEW_COLUMNS} FROM views ORDER BY name")
        return [ViewRow(*row) for row in found]

    def view(self, name: str) -> ViewRow | None:
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, f"SELECT {VIEW_COLUMNS} FROM views WHERE name = ?", (name,))
        return ViewRow(*found[0]) if found else None

    def entries(self, view: ViewRow) -> dict[str, ViewEntry]:
        with self._shared.lock:
            # Another thread may have switched the shared caches to a newer generation; then do not use them.
            current = self._shared.generation == self.generation
            known = self._shared.entries.get(view.id) if current else None
            if known is None:
                with map_sqlite_errors(self._name):
                    known = read_entries(self._connection, view.id)
                if current:
                    self._shared.entries[view.id] = known
            return known

    def paths(self, view: ViewRow) -> dict[int, list[str]]:
        with self._shared.lock:
            known = self._shared.paths.get(view.id) if self._shared.generation == self.generation else None
        if known is None:
            known = {}
            for path, entry in self.entries(view).items():
                known.setdefault(entry.blob, []).append(path)
            with self._shared.lock:
                if self._shared.generation == self.generation:
                    self._shared.paths[view.id] = known
        return known

    def skips(self, view: ViewRow) -> dict[str, int]:
        query = "SELECT reason, count(*) FROM skips WHERE view = ? GROUP BY reason ORDER BY reason"
        with map_sqlite_errors(self._name):
            return {str(reason): int(count) for reason, count in query_rows(self._connection, query, (view.id,))}

    def skipped_files(self, view: ViewRow, reasons: Collection[str]) -> dict[str, str]:
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, "SELECT path, reason FROM skips WHERE view = ?", (view.id,))
        return {path.decode("utf-8", "surrogateescape"): reason for path, reason in found if reason in reasons}

    def facts(self, blob: int) -> Facts:
        return self._read_cached(self._shared.facts, blob, "pack", unpack_facts)

    def _read_cached(
        self,
        cache: LRU[int, T],
        blob: int,
        column: str,
        unpack: Callable[[bytes], T],
        size: Callable[[T], int] | None = None,
        table: str = "facts",
    ) -> T:
        """Return an unpacked column, from the cache if possible; `size` estimates its bytes in memory."""
        shared = self._shared
        with shared.lock:
            # Blob ids are valid within one store: after a rebuild the caches belong to another.
            found = cache.get(blob) if shared.store_id == self.store_id else None
            if found is not None:
                return found
        pack = self._read_pack(blob, column, table)
        found = unpack(pack)
        with shared.lock:
            if shared.store_id == self.store_id:
                cache.put(blob, found, size(found) if size else _UNPACKED_RATIO * len(pack))
        return found

    def _read_pack(self, blob: int, column: str, table: str = "facts") -> bytes:
        """Read a packed column of a blob that a view references; a missing row is damage."""
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, f'SELECT "{column}" FROM {table} WHERE blob = ?', (blob,))
        if not found:
            raise make_missing_row_failure(table)
        return bytes(found[0][0])

    def definition_headers(self, blob: int) -> DefinitionHeaders:
        return self._read_cached(
            self._shared.heads, blob, "pack", unpack_definition_headers, DefinitionHeaders.estimate_bytes, table="heads"
        )

    def references(self, blob: int) -> References:
        return unpack_references(self._read_pack(blob, "uses"))

    def bindings(self, blob: int) -> Bindings:
        return self._read_cached(self._shared.values, blob, "values", unpack_bindings)

    def risks(self, blob: int) -> Risks:
        return unpack_risks(self._read_pack(blob, "insight"))

    def analysis(self, blob: int) -> Analysis:
        return self._read_cached(self._shared.insights, blob, "insight", unpack_analysis)

    def document_text(self, blob: int) -> str:
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, "SELECT pack FROM renditions WHERE blob = ?", (blob,))
        return unpack_document_text(bytes(found[0][0])) if found else ""

    def lint(self, blob: int) -> tuple[Diagnostic, ...] | None:
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, "SELECT pack FROM lint WHERE blob = ?", (blob,))
        return unpack_lint(bytes(found[0][0])) if found else None

    def identity(self, blob: int) -> tuple[bytes, bytes]:
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, "SELECT hash, oid FROM blobs WHERE id = ?", (blob,))
        if not found:
            raise make_missing_row_failure("blobs")
        return bytes(found[0][0]), bytes(found[0][1] or b"")

    def identities(self, view: ViewRow) -> dict[int, tuple[bytes, str]]:
        query = "SELECT id, hash, language FROM blobs WHERE id IN (SELECT DISTINCT blob FROM entries WHERE view = ?)"
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, query, (view.id,))
        return {int(blob): (bytes(digest), str(language)) for blob, digest, language in found}

    def find_view_blobs_with_note(self, view: ViewRow, note: str) -> frozenset[int]:
        query = "SELECT id, notes FROM blobs WHERE notes LIKE ? AND id IN (SELECT blob FROM entries WHERE view = ?)"
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, query, (f"%{note}%", view.id))
        return frozenset(int(blob) for blob, notes in found if note in str(notes).split())

    def language_counts(self, view: ViewRow) -> dict[str, int]:
        query = (
            "SELECT CASE language WHEN '' THEN 'text' ELSE language END AS name, count(*) FROM entries"
            " JOIN blobs ON blobs.id = entries.blob WHERE view = ? GROUP BY name ORDER BY 2 DESC, 1"
        )
        with map_sqlite_errors(self._name):
            return {str(name): int(count) for name, count in query_rows(self._connection, query, (view.id,))}

    def find_symbols(self, folded: str, *, prefix: bool, limit: int) -> list[SymbolRow]:
        with map_sqlite_errors(self._name):
            return find_symbols(self._connection, folded, prefix=prefix, limit=limit)

    def find_similar_names(self, folded: str) -> Sequence[str]:
        with map_sqlite_errors(self._name):
            return find_similar_names(self._connection, folded)

    def find_names_by_key(self, key: str) -> Sequence[str]:
        shared = self._shared
        with map_sqlite_errors(self._name):
            last = int(query_rows(self._connection, "SELECT ifnull(max(id), 0) FROM blobs")[0][0])
        with shared.lock:
            if shared.store_id != self.store_id:
                # A rebuild replaced the store during this read; the cached names belong to the new one.
                with map_sqlite_errors(self._name):
                    every = query_rows(self._connection, "SELECT DISTINCT name FROM symbols")
                return tuple(name for (name,) in every if hash_lookup_key(name) == key)
            # Blob ids only increase, so later generations are added incrementally. Names of deleted blobs may
            # remain: callers look up the definitions anyway.
            if shared.last_named_blob < last:
                with map_sqlite_errors(self._name):
                    found = query_rows(
                        self._connection, "SELECT DISTINCT name FROM symbols WHERE blob > ?", (shared.last_named_blob,)
                    )
                for (name,) in found:
                    known = shared.names_by_key.setdefault(hash_lookup_key(name), [])
                    if name not in known:
                        known.append(name)
                shared.last_named_blob = last
            return tuple(shared.names_by_key.get(key, ()))

    def mentions(self, name: str) -> Iterator[tuple[int, list[tuple[str, int, int, int, str]]]]:
        with map_sqlite_errors(self._name):
            found = query_rows(self._connection, "SELECT blob, places FROM mentions WHERE key = ?", (hash_name(name),))
        for blob, places in found:
            yield int(blob), unpack_mentions(bytes(places))

    def find_blobs_mentioning(self, names: Collection[str], within: Container[int], rare: int) -> dict[str, set[int]]:
        with map_sqlite_errors(self._name):
            return find_blobs_mentioning(self._connection, names, within, rare)

    def search_text(self, query: TextQuery, view: ViewRow) -> tuple[list[TextHit], int]:
        if self._text is None:
            return [], 0
        words = [WordForms(whole, parts) for whole, parts in query.words]
        allowed: Container[int] = self.paths(view) if query.only is None else query.only
        for _ in range(2):
            found, total = self._text.search(
                words,
                require_all=query.require_all,
                blobs=self._filter_for_view(view) if query.only is None else self._filter_for_blobs(query.only),
                language=query.language,
                limit=query.limit,
                clause=query.clause,
                prose=query.prose,
            )
            hits = [TextHit(blob, ordinal, score) for score, blob, ordinal in found if blob in allowed]
            if len(hits) == len(found):
                break
            self._distrust_text(len(found) - len(hits))
        return hits, total

    def _distrust_text(self, dropped: int) -> None:
        """Count hits on blobs that are not in the catalog, and filter by allowed blobs from now on."""
        with self._shared.lock:
            self._shared.dropped_hits += dropped
            self._shared.distrusted_generation = self._text_generation
            self._shared.filters.clear()
            self._shared.blob_set_filters.clear()

    def text_agreement(self) -> TextAgreement | None:
        if self._text is None:
            return None
        with self._shared.lock:
            known = self._shared.agreement
        if known is None or known[0] != self.generation:
            with map_sqlite_errors(self._name):
                known = (
                    self.generation,
                    compare_with_catalog(self._connection, self._text.documents, self._text.find_blobs()),
                )
            with self._shared.lock:
                self._shared.agreement = known
        return known[1]

    @property
    def dropped_hits(self) -> int:
        return self._shared.dropped_hits

    def find_blobs_by_facets(self, query: FacetQuery) -> set[int]:
        where, bindings = build_facet_condition(query)
        with map_sqlite_errors(self._name):
            return {
                int(row[0]) for row in query_rows(self._connection, f"SELECT blob FROM facets WHERE {where}", bindings)
            }

    def find_blobs_containing(self, literal: str, view: ViewRow, most: int) -> set[int] | None:
        grams = literal_trigrams(literal)
        if self._text is None or not grams:
            return None
        found, total = self._text.find_files_with_trigrams(grams, blobs=self._filter_for_view(view), limit=most)
        return set(found) & self.paths(view).keys() if total <= most else None

    def find_blobs_by_trigrams(self, grams: TrigramQuery, view: ViewRow) -> set[int]:
        if grams.matches_all or self._text is None:
            return set(self.paths(view))
        if grams.matches_none:
            return set()
        return (
            set(self._text.find_files_by_trigrams(grams, blobs=self._filter_for_view(view))) & self.paths(view).keys()
        )

    def document_frequencies(self, words: Iterable[str]) -> tuple[dict[str, int], int]:
        return self._text.document_frequencies(words) if self._text is not None else ({}, 0)

    def languages(self) -> dict[int, str]:
        with self._shared.lock:
            current = self._shared.generation == self.generation
            if current and self._shared.languages:
                return self._shared.languages
            with map_sqlite_errors(self._name):
                found = dict(query_rows(self._connection, "SELECT id, language FROM blobs"))
            if current:
                self._shared.languages = found
            return found

    def find_blobs_with_note(self, note: str) -> set[int]:
        with map_sqlite_errors(self._name):
            return find_blobs_with_note(self._connection, note)

    def vectors(self, view: ViewRow, model: str) -> VectorIndex | None:
        return self._shared.vectors.view_vectors(self.store_id, model, view, self.entries(view))

    def check_pages(self) -> None:
        """Read every page of the database, which verifies its checksum."""
        tables = [row[0] for row in query_rows(self._connection, "SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for _ in query_rows(self._connection, f"SELECT * FROM {table}"):
                pass
        query_rows(self._connection, "SELECT count(*) FROM blobs INDEXED BY blobs_by_oid WHERE oid IS NOT NULL")

    def _filter_for_blobs(self, chosen: frozenset[int]) -> BlobFilter:
        """Return a cached filter for a set of blobs; searches often use the same sets."""
        with self._shared.lock:
            current = self._shared.generation == self.generation
            known = self._shared.blob_set_filters.get(chosen) if current else None
        if known is None:
            known = self._build_filter(chosen)
            with self._shared.lock:
                if self._shared.generation == self.generation:
                    # A set above the limit is cached alone.
                    self._shared.blob_set_filters.put(chosen, known, min(len(chosen), MAX_FILTERED_BLOBS))
        return known

    def _build_filter(self, inside: Set[int]) -> BlobFilter:
        with map_sqlite_errors(self._name):
            every = {int(row[0]) for row in query_rows(self._connection, "SELECT id FROM blobs")}
        outside = every - inside
        exclude = len(outside) <= len(inside) and self._shared.distrusted_generation != self._text_generation
        return BlobFilter(tuple(sorted(outside if exclude else inside)), exclude)

    def _filter_for_view(self, view: ViewRow) -> BlobFilter:
        """Return a cached filter for a view: the smaller of the included and the excluded blobs."""
        with self._shared.lock:
            known = self._shared.filters.get(view.id) if self._shared.generation == self.generation else None
        if known is None:
            known = self._build_filter(self.paths(view).keys())
            with self._shared.lock:
                if self._shared.generation == self.generation:
                    self._shared.filters[view.id] = known
        return known
