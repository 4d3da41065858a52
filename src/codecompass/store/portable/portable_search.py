"""Portable search: full-text search in a portable file over one connection."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import apsw

from codecompass.errors import Failure
from codecompass.store.embedded.databases.database_schema import INDEX_VERSION
from codecompass.store.embedded.databases.sqlite_connection import query_rows
from codecompass.store.portable.fts5_query import (
    NAMES,
    PROSE,
    Fts5Scorer,
    iter_words,
    to_any_word_expression,
    to_fts5_expression,
    to_query_node,
)
from codecompass.store.portable.portable_connection import (
    PART,
    REBUILD_HINT,
    check_portable_schema,
    map_portable_errors,
    open_readonly,
)
from codecompass.store.portable.portable_schema import FIELDS, ORDINAL_BITS
from codecompass.store.text_query import QueryNode, TextQuery
from codecompass.text.bm25 import compute_bm25_idf

RESCORE_FACTOR = 3
"""How many times the limit is rescored, because FTS5's order only approximates ours."""
MIN_RESCORED = 200
_ORDINALS = (1 << ORDINAL_BITS) - 1
_SCORE = "codecompass_score"
_WEIGHTS = "3.0, 1.0, 0.5, 0.0"
_PROSE_WEIGHTS = "0.0, 0.0, 0.0, 1.0"

ScoredChunk = tuple[float, int, int]
"""Score, blob and ordinal of a chunk."""


@dataclass(frozen=True, slots=True)
class PortableContents:
    """Metadata of a file that every search needs."""

    meta: Mapping[str, object]
    blobs: Mapping[tuple[bytes, str], int]
    """Content hash and language → blob."""
    languages: Mapping[int, str]
    """Blob → language name shown in answers."""


class PortableReader:
    """One connection with the scorer of the current query; for one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._scorer: Fts5Scorer | None = None
        self.connection = open_readonly(path)
        try:
            check_portable_schema(self.connection, path.name)
            with map_portable_errors(path.name):
                # Register once per connection: SQLite caches prepared statements together with their functions.
                self.connection.register_fts5_function(_SCORE, self._score)
                self.connection.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, chunks_fts, col)")
                self.connection.execute("CREATE TABLE temp.chosen (blob INTEGER PRIMARY KEY)")
                self.contents = _read_contents(self.connection)
            _check_index_version(self.contents, path.name)
        except BaseException:
            self.connection.close()
            raise

    def close(self) -> None:
        self.connection.close()

    def search(self, query: TextQuery, chosen: frozenset[int] | None) -> tuple[list[ScoredChunk], int]:
        """Return the best chunks among the chosen blobs, and the number of all matches."""
        with map_portable_errors(self._name):
            narrowed = self._store_allowed_blobs(chosen) if chosen is not None else ""
            return self._search(query, narrowed)

    def _store_allowed_blobs(self, chosen: frozenset[int]) -> str:
        """Store the blobs in a temporary table and return a SQL condition that restricts rows to them."""
        self.connection.execute("DELETE FROM temp.chosen")
        self.connection.execute("BEGIN")
        self.connection.executemany("INSERT INTO temp.chosen VALUES (?)", [(blob,) for blob in chosen])
        self.connection.execute("COMMIT")
        return f" AND rowid >> {ORDINAL_BITS} IN temp.chosen"

    def _search(self, query: TextQuery, narrowed: str) -> tuple[list[ScoredChunk], int]:
        clause = to_query_node(query)
        columns, weights = (FIELDS[PROSE], _PROSE_WEIGHTS) if query.prose else (" ".join(FIELDS[:PROSE]), _WEIGHTS)
        match = f"{{{columns}}} : {to_fts5_expression(clause)}"
        where = "FROM main.chunks_fts WHERE chunks_fts MATCH ?"
        total = int(query_rows(self.connection, f"SELECT count(*) {where}{narrowed}", (match,))[0][0])
        if not total:
            return [], 0
        most = max(query.limit * RESCORE_FACTOR, MIN_RESCORED)
        if total > most:
            best = f"SELECT rowid {where}{narrowed} ORDER BY bm25(chunks_fts, {weights}) LIMIT ?"
            found = {str(row[0]) for row in query_rows(self.connection, best, (match, most))}
            if not query.prose:
                # FTS5 ranks all columns as one text, so a match in a name has little effect on its order.
                named = f"{{{FIELDS[NAMES]}}} : {to_any_word_expression(clause)}"
                found |= {str(row[0]) for row in query_rows(self.connection, best, (named, most))}
            # The unary plus keeps SQLite from querying FTS5 again for each row.
            narrowed += f" AND +rowid IN ({', '.join(found)})"
        self._scorer = self._make_scorer(clause, prose=query.prose)
        scored = query_rows(self.connection, f"SELECT {_SCORE}(chunks_fts), rowid {where}{narrowed}", (match,))
        scored.sort(key=lambda row: (-row[0], row[1]))
        return [(float(score), row >> ORDINAL_BITS, row & _ORDINALS) for score, row in scored[: query.limit]], total

    def _score(self, api: apsw.FTS5ExtensionApi, *_: object) -> float:
        assert self._scorer is not None
        return self._scorer(api)

    def _make_scorer(self, clause: QueryNode, *, prose: bool) -> Fts5Scorer:
        # The default index has one more document for each file, and its frequencies count all documents.
        counts = "SELECT (SELECT count(*) FROM passages) + (SELECT count(*) FROM blobs)"
        count = int(query_rows(self.connection, counts)[0][0])
        known: dict[tuple[str, int], float] = {}
        for word in set(iter_words(clause)):
            found = query_rows(self.connection, "SELECT col, doc FROM temp.vocabulary WHERE term = ?", (word,))
            known |= {(word, FIELDS.index(column)): compute_bm25_idf(count, int(holders)) for column, holders in found}
        return Fts5Scorer(clause, count, known, prose)


def _check_index_version(about: PortableContents, name: str) -> None:
    """Reject a file made from another index version, whose chunk numbers may mean other lines."""
    version = about.meta.get("index_version")
    if version != INDEX_VERSION:
        message = f"{name} was made from an index of schema {version}, this program has {INDEX_VERSION}."
        raise Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "reindex_required", "part": PART}, REBUILD_HINT)


def _read_contents(connection: apsw.Connection) -> PortableContents:
    meta = dict(query_rows(connection, "SELECT key, value FROM meta"))
    found = query_rows(connection, "SELECT id, hash, language, shown_language FROM blobs WHERE has_text")
    blobs = {(bytes(digest), str(language)): int(blob) for blob, digest, language, _ in found}
    return PortableContents(meta, blobs, {int(blob): str(shown) for blob, _, _, shown in found})
