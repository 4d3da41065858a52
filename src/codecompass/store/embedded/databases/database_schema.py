"""Database schemas. Every change raises the version; an index of another version is rebuilt."""

INDEX_VERSION = 8

INDEX = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- One row per unique content and language. `oid` is the content's git object name, so that a branch finds blobs that
-- the working tree already brought in. `epoch` rises when everything is to be parsed anew; ids are never used twice.
CREATE TABLE blobs (
    id INTEGER PRIMARY KEY, hash BLOB NOT NULL, language TEXT NOT NULL, epoch INTEGER NOT NULL, oid BLOB,
    size INTEGER NOT NULL, symbols INTEGER NOT NULL, notes TEXT NOT NULL, UNIQUE (hash, language, epoch));
CREATE INDEX blobs_by_oid ON blobs (oid);

CREATE TABLE facts (
    blob INTEGER PRIMARY KEY, pack BLOB NOT NULL, uses BLOB NOT NULL, "values" BLOB NOT NULL, insight BLOB NOT NULL);

-- The part of facts that ranking needs of hundreds of files: apart, because a page holds those of a dozen.
CREATE TABLE heads (blob INTEGER PRIMARY KEY, pack BLOB NOT NULL);

-- The text of documents that are no text themselves.
CREATE TABLE renditions (blob INTEGER PRIMARY KEY, pack BLOB NOT NULL);

-- What a linter said of a blob; no row where none looked at it.
CREATE TABLE lint (blob INTEGER PRIMARY KEY, pack BLOB NOT NULL);

-- What filters ask of a blob before its facts are unpacked: `Facets` of the ports.
CREATE TABLE facets (
    blob INTEGER PRIMARY KEY, kinds INTEGER NOT NULL, visibilities INTEGER NOT NULL, marks INTEGER NOT NULL,
    branches INTEGER NOT NULL, loops INTEGER NOT NULL, breaks INTEGER NOT NULL, continues INTEGER NOT NULL,
    types TEXT NOT NULL, risks TEXT NOT NULL, languages TEXT NOT NULL, short_words TEXT NOT NULL);

-- Where a name is defined: case-folded name, then the definition's position in the blob's facts.
CREATE TABLE symbols (
    folded TEXT NOT NULL, blob INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
    PRIMARY KEY (folded, blob, position)) WITHOUT ROWID;

-- Where a name is mentioned: a 63-bit hash of the name, and the packed places in that blob.
CREATE TABLE mentions (
    key INTEGER NOT NULL, blob INTEGER NOT NULL, places BLOB NOT NULL, PRIMARY KEY (key, blob)) WITHOUT ROWID;

CREATE TABLE views (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, commit_id TEXT NOT NULL, head TEXT NOT NULL,
    generation INTEGER NOT NULL, indexed_at TEXT NOT NULL, scanned_ns INTEGER NOT NULL,
    files INTEGER NOT NULL, symbols INTEGER NOT NULL);
CREATE TABLE entries (
    view INTEGER NOT NULL, path BLOB NOT NULL, blob INTEGER NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, ctime_ns INTEGER NOT NULL, PRIMARY KEY (view, path)) WITHOUT ROWID;
-- Why a file was left out; `pending` where an unfinished first index has not reached it.
CREATE TABLE skips (
    view INTEGER NOT NULL, path BLOB NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (view, path)) WITHOUT ROWID;

-- The files of the published text generation and what they must hash to.
CREATE TABLE segments (name TEXT PRIMARY KEY, size INTEGER NOT NULL, xxh3 TEXT NOT NULL) WITHOUT ROWID;
"""

VECTORS_VERSION = 1

VECTORS = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
-- The vectors of a blob's chunks, one after the other; `norm` is the length of their mean.
CREATE TABLE chunks (
    number INTEGER PRIMARY KEY, blob INTEGER NOT NULL UNIQUE, scales BLOB NOT NULL, rows BLOB NOT NULL,
    norm REAL NOT NULL);
-- Of a file at its path: its outline, and the path alone.
CREATE TABLE places (
    number INTEGER PRIMARY KEY, path BLOB NOT NULL, blob INTEGER NOT NULL, scales BLOB NOT NULL, rows BLOB NOT NULL,
    UNIQUE (path, blob));
"""

_JOBS = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE jobs (
    job_id TEXT PRIMARY KEY, ref TEXT NOT NULL, mode TEXT NOT NULL, status TEXT NOT NULL, created_at TEXT NOT NULL,
    started_at TEXT NOT NULL DEFAULT '', ended_at TEXT NOT NULL DEFAULT '', heartbeat_at TEXT NOT NULL DEFAULT '',
    pid INTEGER NOT NULL DEFAULT 0, start_time TEXT NOT NULL DEFAULT '', files_total INTEGER,
    files_done INTEGER NOT NULL DEFAULT 0, changed_files INTEGER, file_count INTEGER, symbol_count INTEGER,
    duration_ms INTEGER, error TEXT NOT NULL DEFAULT '');
CREATE INDEX jobs_by_time ON jobs (created_at);
"""

# `pack` is a whole discovery as it was recorded, `anchors` the anchors of its claims at that time. A mark is the state
# of a discovery, also of a mined one, and outlives every index, so that a forgotten discovery stays forgotten.
_MEMORY = """
CREATE TABLE discoveries (id TEXT PRIMARY KEY, moment TEXT NOT NULL, pack BLOB NOT NULL, anchors BLOB NOT NULL);
CREATE TABLE marks (id TEXT PRIMARY KEY, state TEXT NOT NULL, by TEXT NOT NULL, moment TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, client TEXT NOT NULL, started TEXT NOT NULL, ended TEXT NOT NULL DEFAULT '',
    calls INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE session_events (
    number INTEGER PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL,
    moment TEXT NOT NULL);
CREATE INDEX events_by_session ON session_events (session, number);
CREATE TABLE access (path TEXT PRIMARY KEY, count INTEGER NOT NULL, first TEXT NOT NULL, last TEXT NOT NULL)
    WITHOUT ROWID;
"""

RECORDS = (_JOBS, _MEMORY)
"""Migrations of owned data, which is never rebuilt: each script upgrades from the previous version. Append only."""
RECORDS_VERSION = len(RECORDS)
