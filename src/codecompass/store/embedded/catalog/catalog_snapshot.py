"""Catalog snapshot: one published generation, pinned by a read transaction for the duration of a call."""

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence, Set
from typing import TypeVar

import apsw

from codecompass.model.code.facets import FacetQuery
from codecompass.model.code.facts import Facts, Heads, Uses, Values
from codecompass.model.code.risk_facts import Risks
from codecompass.model.code.traits import Diagnostic, Insight
from codecompass.model.ids import lookup_key
from codecompass.model.queries.grep_query import Grams
from codecompass.store.embedded.catalog.byte_lru import Kept
from codecompass.store.embedded.catalog.entry_rows import read_entries
from codecompass.store.embedded.catalog.facet_sql import facet_terms
from codecompass.store.embedded.catalog.index_agreement import PUBLISHED, compare, lacking
from codecompass.store.embedded.catalog.index_writer import VIEW_COLUMNS
from codecompass.store.embedded.catalog.snapshot_caches import Shared
from codecompass.store.embedded.catalog.symbol_queries import blobs_noted, blobs_referring, symbols_named
from codecompass.store.embedded.databases.sqlite_connection import rows, translated
from codecompass.store.embedded.text.text_reader import BlobFilter, Terms, TextReader
from codecompass.store.fact_codec import (
    name_key,
    unpack_facts,
    unpack_heads,
    unpack_insight,
    unpack_lint,
    unpack_mentions,
    unpack_rendition,
    unpack_risks,
    unpack_uses,
    unpack_values,
)
from codecompass.store.ports import Entry, Segment, SymbolRow, ViewRow
from codecompass.store.text_query import TextAgreement, TextHit, TextQuery
from codecompass.store.vector_port import VectorField
from codecompass.text.trigrams import literal_trigrams

T = TypeVar("T")
_UNPACKED = 14
"""Approximate bytes in memory per packed byte."""
_CHOSEN_ROOM = 100_000
"""Maximum blobs in all cached blob sets; each takes some hundred bytes in a set and its filter."""


class EmbeddedSnapshot:
    """Reads one generation over one connection that is in a read transaction."""

    def __init__(self, connection: apsw.Connection, name: str, shared: Shared) -> None:
        self._connection = connection
        self._name = name
        self._shared = shared
        with translated(name):
            meta = dict(rows(connection, "SELECT key, value FROM meta"))
        self.generation = int(meta["generation"])
        self.store_id = str(meta["store_id"])
        self._text_generation = int(meta["text_generation"])
        with shared.lock:
            shared.turn_to(self.store_id, self.generation)
            self._text = self._open_text()
            if self._text is not None and self._text.documents != meta.get(PUBLISHED):
                # Written by a version that did not count, or damaged: filter by an explicit list of allowed blobs.
                shared.distrusted = self._text_generation

    @property
    def connection(self) -> apsw.Connection:
        """The pinned connection, for copying the whole generation."""
        return self._connection

    def _open_text(self) -> TextReader | None:
        shared = self._shared
        if self._text_generation == 0:
            return None
        if shared.text is None or shared.text_generation != self._text_generation:
            with translated(self._name):
                found = rows(self._connection, "SELECT name, size, xxh3 FROM segments")
            segments = [Segment(*row) for row in found]
            shared.text = TextReader(shared.text_directory, self._text_generation, segments, shared.verified)
            shared.text_generation = self._text_generation
        return shared.text

    def views(self) -> Sequence[ViewRow]:
        with translated(self._name):
            found = rows(self._connection, f"SELECT {VIEW_COLUMNS} FROM views ORDER BY name")
        return [ViewRow(*row) for row in found]

    def view(self, name: str) -> ViewRow | None:
        with translated(self._name):
            found = rows(self._connection, f"SELECT {VIEW_COLUMNS} FROM views WHERE name = ?", (name,))
        return ViewRow(*found[0]) if found else None

    def entries(self, view: ViewRow) -> dict[str, Entry]:
        with self._shared.lock:
            # Another thread may have switched the shared caches to a newer generation; then do not use them.
            current = self._shared.generation == self.generation
            known = self._shared.entries.get(view.id) if current else None
            if known is None:
                with translated(self._name):
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
        with translated(self._name):
            return {str(reason): int(count) for reason, count in rows(self._connection, query, (view.id,))}

    def skipped_files(self, view: ViewRow, reasons: Collection[str]) -> dict[str, str]:
        with translated(self._name):
            found = rows(self._connection, "SELECT path, reason FROM skips WHERE view = ?", (view.id,))
        return {path.decode("utf-8", "surrogateescape"): reason for path, reason in found if reason in reasons}

    def facts(self, blob: int) -> Facts:
        return self._kept(self._shared.facts, blob, "pack", unpack_facts)

    def _kept(
        self,
        cache: Kept[T],
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
        pack = self._pack(blob, column, table)
        found = unpack(pack)
        with shared.lock:
            if shared.store_id == self.store_id:
                cache.put(blob, found, size(found) if size else _UNPACKED * len(pack))
        return found

    def _pack(self, blob: int, column: str, table: str = "facts") -> bytes:
        """Read a packed column of a blob that a view references; a missing row is damage."""
        with translated(self._name):
            found = rows(self._connection, f'SELECT "{column}" FROM {table} WHERE blob = ?', (blob,))
        if not found:
            raise lacking(table)
        return bytes(found[0][0])

    def heads(self, blob: int) -> Heads:
        return self._kept(self._shared.heads, blob, "pack", unpack_heads, Heads.size, table="heads")

    def uses(self, blob: int) -> Uses:
        return unpack_uses(self._pack(blob, "uses"))

    def values(self, blob: int) -> Values:
        return self._kept(self._shared.values, blob, "values", unpack_values)

    def risks(self, blob: int) -> Risks:
        return unpack_risks(self._pack(blob, "insight"))

    def insight(self, blob: int) -> Insight:
        return self._kept(self._shared.insights, blob, "insight", unpack_insight)

    def rendition(self, blob: int) -> str:
        with translated(self._name):
            found = rows(self._connection, "SELECT pack FROM renditions WHERE blob = ?", (blob,))
        return unpack_rendition(bytes(found[0][0])) if found else ""

    def lint(self, blob: int) -> tuple[Diagnostic, ...] | None:
        with translated(self._name):
            found = rows(self._connection, "SELECT pack FROM lint WHERE blob = ?", (blob,))
        return unpack_lint(bytes(found[0][0])) if found else None

    def identity(self, blob: int) -> tuple[bytes, bytes]:
        with translated(self._name):
            found = rows(self._connection, "SELECT hash, oid FROM blobs WHERE id = ?", (blob,))
        if not found:
            raise lacking("blobs")
        return bytes(found[0][0]), bytes(found[0][1] or b"")

    def identities(self, view: ViewRow) -> dict[int, tuple[bytes, str]]:
        query = "SELECT id, hash, language FROM blobs WHERE id IN (SELECT DISTINCT blob FROM entries WHERE view = ?)"
        with translated(self._name):
            found = rows(self._connection, query, (view.id,))
        return {int(blob): (bytes(digest), str(language)) for blob, digest, language in found}

    def noted(self, view: ViewRow, note: str) -> frozenset[int]:
        query = "SELECT id, notes FROM blobs WHERE notes LIKE ? AND id IN (SELECT blob FROM entries WHERE view = ?)"
        with translated(self._name):
            found = rows(self._connection, query, (f"%{note}%", view.id))
        return frozenset(int(blob) for blob, notes in found if note in str(notes).split())

    def language_counts(self, view: ViewRow) -> dict[str, int]:
        query = (
            "SELECT CASE language WHEN '' THEN 'text' ELSE language END AS name, count(*) FROM entries"
            " JOIN blobs ON blobs.id = entries.blob WHERE view = ? GROUP BY name ORDER BY 2 DESC, 1"
        )
        with translated(self._name):
            return {str(name): int(count) for name, count in rows(self._connection, query, (view.id,))}

    def symbols_named(self, folded: str, *, prefix: bool, limit: int) -> list[SymbolRow]:
        with translated(self._name):
            return symbols_named(self._connection, folded, prefix=prefix, limit=limit)

    def names_keyed(self, key: str) -> Sequence[str]:
        shared = self._shared
        with translated(self._name):
            last = int(rows(self._connection, "SELECT ifnull(max(id), 0) FROM blobs")[0][0])
        with shared.lock:
            if shared.store_id != self.store_id:
                # A rebuild replaced the store during this read; the cached names belong to the new one.
                with translated(self._name):
                    every = rows(self._connection, "SELECT DISTINCT name FROM symbols")
                return tuple(name for (name,) in every if lookup_key(name) == key)
            # Blob ids only increase, so later generations are added incrementally. Names of deleted blobs may
            # remain: callers look up the definitions anyway.
            if shared.named < last:
                with translated(self._name):
                    found = rows(self._connection, "SELECT DISTINCT name FROM symbols WHERE blob > ?", (shared.named,))
                for (name,) in found:
                    known = shared.names.setdefault(lookup_key(name), [])
                    if name not in known:
                        known.append(name)
                shared.named = last
            return tuple(shared.names.get(key, ()))

    def mentions(self, name: str) -> Iterator[tuple[int, list[tuple[str, int, int, int, str]]]]:
        with translated(self._name):
            found = rows(self._connection, "SELECT blob, places FROM mentions WHERE key = ?", (name_key(name),))
        for blob, places in found:
            yield int(blob), unpack_mentions(bytes(places))

    def blobs_referring(self, names: Collection[str], within: Container[int], rare: int) -> dict[str, set[int]]:
        with translated(self._name):
            return blobs_referring(self._connection, names, within, rare)

    def search_text(self, query: TextQuery, view: ViewRow) -> tuple[list[TextHit], int]:
        if self._text is None:
            return [], 0
        words = [Terms(whole, parts) for whole, parts in query.words]
        allowed: Container[int] = self.paths(view) if query.only is None else query.only
        for _ in range(2):
            found, total = self._text.search(
                words,
                every=query.every,
                blobs=self._filter(view) if query.only is None else self._only(query.only),
                language=query.language,
                limit=query.limit,
                clause=query.clause,
                prose=query.prose,
            )
            hits = [TextHit(blob, ordinal, score) for score, blob, ordinal in found if blob in allowed]
            if len(hits) == len(found):
                break
            self._distrust(len(found) - len(hits))
        return hits, total

    def _distrust(self, dropped: int) -> None:
        """Count hits on blobs that are not in the catalog, and filter by allowed blobs from now on."""
        with self._shared.lock:
            self._shared.dropped_hits += dropped
            self._shared.distrusted = self._text_generation
            self._shared.filters.clear()
            self._shared.chosen.clear()

    def text_agreement(self) -> TextAgreement | None:
        if self._text is None:
            return None
        with self._shared.lock:
            known = self._shared.agreement
        if known is None or known[0] != self.generation:
            with translated(self._name):
                known = self.generation, compare(self._connection, self._text.documents, self._text.blobs())
            with self._shared.lock:
                self._shared.agreement = known
        return known[1]

    @property
    def dropped_hits(self) -> int:
        return self._shared.dropped_hits

    def blobs_like(self, query: FacetQuery) -> set[int]:
        where, bindings = facet_terms(query)
        with translated(self._name):
            return {int(row[0]) for row in rows(self._connection, f"SELECT blob FROM facets WHERE {where}", bindings)}

    def blobs_containing(self, literal: str, view: ViewRow, most: int) -> set[int] | None:
        grams = literal_trigrams(literal)
        if self._text is None or not grams:
            return None
        found, total = self._text.files_with_trigrams(grams, blobs=self._filter(view), limit=most)
        return set(found) & self.paths(view).keys() if total <= most else None

    def blobs_fulfilling(self, grams: Grams, view: ViewRow) -> set[int]:
        if grams.is_everything or self._text is None:
            return set(self.paths(view))
        if grams.is_nothing:
            return set()
        return set(self._text.files_fulfilling(grams, blobs=self._filter(view))) & self.paths(view).keys()

    def word_counts(self, words: Iterable[str]) -> tuple[dict[str, int], int]:
        return self._text.counts(words) if self._text is not None else ({}, 0)

    def languages(self) -> dict[int, str]:
        with self._shared.lock:
            current = self._shared.generation == self.generation
            if current and self._shared.languages:
                return self._shared.languages
            with translated(self._name):
                found = dict(rows(self._connection, "SELECT id, language FROM blobs"))
            if current:
                self._shared.languages = found
            return found

    def blobs_noted(self, note: str) -> set[int]:
        with translated(self._name):
            return blobs_noted(self._connection, note)

    def vectors(self, view: ViewRow, model: str) -> VectorField | None:
        return self._shared.vectors.field(self.store_id, model, view, self.entries(view))

    def check_pages(self) -> None:
        """Read every page of the database, which verifies its checksum."""
        tables = [row[0] for row in rows(self._connection, "SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for _ in rows(self._connection, f"SELECT * FROM {table}"):
                pass
        rows(self._connection, "SELECT count(*) FROM blobs INDEXED BY blobs_by_oid WHERE oid IS NOT NULL")

    def _only(self, chosen: frozenset[int]) -> BlobFilter:
        """Return a cached filter for a set of blobs; searches often use the same sets."""
        with self._shared.lock:
            current = self._shared.generation == self.generation
            known = self._shared.chosen.get(chosen) if current else None
        if known is None:
            known = self._smaller(chosen)
            with self._shared.lock:
                if self._shared.generation == self.generation:
                    kept = self._shared.chosen
                    kept[chosen] = known
                    while len(kept) > 1 and sum(map(len, kept)) > _CHOSEN_ROOM:
                        del kept[next(iter(kept))]
        return known

    def _smaller(self, inside: Set[int]) -> BlobFilter:
        with translated(self._name):
            every = {int(row[0]) for row in rows(self._connection, "SELECT id FROM blobs")}
        outside = every - inside
        exclude = len(outside) <= len(inside) and self._shared.distrusted != self._text_generation
        return BlobFilter(tuple(sorted(outside if exclude else inside)), exclude)

    def _filter(self, view: ViewRow) -> BlobFilter:
        """Return a cached filter for a view: the smaller of the included and the excluded blobs."""
        with self._shared.lock:
            known = self._shared.filters.get(view.id) if self._shared.generation == self.generation else None
        if known is None:
            known = self._smaller(self.paths(view).keys())
            with self._shared.lock:
                if self._shared.generation == self.generation:
                    self._shared.filters[view.id] = known
        return known
