"""Portable schema: the tables of the portable file, a public format versioned by `SCHEMA_VERSION`.

`chunks` and `definitions` are the views to query; `chunks_fts` finds chunks by words:

    SELECT path, start_line, end_line, name FROM chunks
    WHERE id IN (SELECT rowid FROM chunks_fts WHERE chunks_fts MATCH 'parse AND config' ORDER BY rank LIMIT 20)

With the extension `sqlite-vec`, `chunks_vec` finds them by a vector of the same model:

    SELECT rowid, distance FROM chunks_vec WHERE vector MATCH vec_int8(:vector) AND k = 20
"""

SCHEMA_VERSION = 2
APPLICATION_ID = 0x43435058
"""Identifies our files in the SQLite header; a file without it is never overwritten."""
ORDINAL_BITS = 20
"""A chunk's id is its blob's id with its number in the blob in the lowest bits."""
FIELDS = ("names", "body", "extras", "prose")
"""Columns of the word index: names defined in a chunk, its words, whole identifiers and their parts, its comments."""

TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- One row per content: the same bytes at several paths are one blob.
CREATE TABLE blobs (
    id INTEGER PRIMARY KEY, hash BLOB NOT NULL, language TEXT NOT NULL, shown_language TEXT NOT NULL,
    lines INTEGER NOT NULL, notes TEXT NOT NULL, has_text INTEGER NOT NULL);
CREATE TABLE files (path TEXT NOT NULL, blob INTEGER NOT NULL, mode TEXT NOT NULL, size INTEGER NOT NULL);
CREATE INDEX files_by_path ON files (path);
CREATE INDEX files_by_blob ON files (blob);

CREATE TABLE symbols (
    blob INTEGER NOT NULL, position INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, scope TEXT NOT NULL,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, signature TEXT NOT NULL, visibility TEXT NOT NULL,
    doc TEXT NOT NULL, facts TEXT NOT NULL, PRIMARY KEY (blob, position)) WITHOUT ROWID;
CREATE TABLE passages (
    id INTEGER PRIMARY KEY, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, owner INTEGER NOT NULL);

CREATE VIRTUAL TABLE chunks_fts USING fts5(
    {", ".join(FIELDS)}, content='', tokenize="unicode61 remove_diacritics 0 tokenchars '_'");

-- What an embedding model made of chunks (their ids) and of files: signed bytes, to be multiplied with the scale. The
-- model and how many numbers a vector has stand in `meta`; without vectors these tables are empty.
CREATE TABLE vectors (id INTEGER PRIMARY KEY, scale REAL NOT NULL, vector BLOB NOT NULL);
CREATE TABLE file_vectors (
    path NOT NULL, blob INTEGER NOT NULL, outline_scale REAL NOT NULL, outline BLOB NOT NULL,
    path_scale REAL NOT NULL, path_vector BLOB NOT NULL, PRIMARY KEY (path, blob)) WITHOUT ROWID;

CREATE VIEW chunks AS
    SELECT passages.id, files.path, passages.start_line, passages.end_line, ifnull(symbols.kind, '') AS kind,
        ifnull(symbols.name, '') AS name, ifnull(symbols.signature, '') AS signature, ifnull(symbols.doc, '') AS doc,
        blobs.shown_language AS language, files.mode, ifnull(symbols.facts, '{{}}') AS facts
    FROM passages JOIN blobs ON blobs.id = passages.id >> {ORDINAL_BITS} JOIN files ON files.blob = blobs.id
    LEFT JOIN symbols ON symbols.blob = blobs.id AND symbols.position = passages.owner;
CREATE VIEW definitions AS
    SELECT files.path, symbols.start_line, symbols.end_line, symbols.kind, symbols.name, symbols.scope,
        symbols.signature, symbols.visibility, symbols.doc, blobs.shown_language AS language, files.mode, symbols.facts
    FROM symbols JOIN blobs ON blobs.id = symbols.blob JOIN files ON files.blob = blobs.id;
"""

VECTOR_INDEX = "CREATE VIRTUAL TABLE chunks_vec USING vec0(vector int8[{}] distance_metric=cosine)"
"""The table of the vector extension; its row ids are chunk ids."""
