"""Bundle file: export and import of one published generation as one file, for use on another machine.

A Zstandard tar of `manifest.json`, `index.db`, `vectors.db` if there are vectors, and the files of the text index.
The manifest comes first and lists the size and SHA-256 of each member. An import unpacks into a directory next to the
index, verifies everything there, and only then swaps it in (`index_swap.py`). Owned data of a project is neither
exported nor changed by an import.
"""

import hashlib
import os
import shutil
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import apsw
import msgspec

from codecompass.atomic import open_file
from codecompass.errors import ErrorCode, Failure
from codecompass.store.embedded.databases.database_schema import INDEX, INDEX_VERSION, VECTORS_VERSION
from codecompass.store.embedded.databases.database_schema import VECTORS as VECTOR_TABLES
from codecompass.store.embedded.databases.sqlite_connection import (
    VFS_NAME,
    close_quietly,
    map_sqlite_errors,
    open_database,
    query_rows,
    transaction,
)
from codecompass.store.embedded.files.index_swap import DATABASE, TEXT, VECTORS
from codecompass.store.embedded.files.tarball import (
    CHUNK,
    TarballReader,
    add_bytes,
    add_file,
    make_bundle_failure,
    open_tar_writer,
)
from codecompass.store.embedded.text.text_index import WORK, hash_file, link_file, seed_work_directory
from codecompass.store.embedded.vectors.vector_export import adopt_vectors
from codecompass.store.portable_port import (
    BUNDLE_FORMAT,
    BUNDLE_VERSION,
    OLDEST_BUNDLE,
    BundleManifest,
    BundleMember,
    ImportedBundle,
)

MANIFEST = "manifest.json"
MAX_MEMBERS = 2_048
MAX_BYTES = 16 * 2**30
MAX_MANIFEST_BYTES = 2**20
MAX_EXPANSION = 100
"""Most bytes that a byte of a bundle may stand for; those of real indexes stand for less than ten."""
MIN_EXPANDED = 8 * 2**20
"""A bundle may always expand to this size: an index of nothing has free space of its own."""
FREE_SPACE_MARGIN = 64 * 2**20
"""Bytes that must remain free after unpacking."""
LIVE_VIEW = "live:"
"""The name of the exported working tree inside a bundle."""
ProgressCallback = Callable[[str, int, int], None]


# -- writing -----------------------------------------------------------------------------------------------------------


def copy_generation(connection: apsw.Connection, text: Path, staged: Path, view: str, step: ProgressCallback) -> None:
    """Copy a pinned generation into a directory. Concurrent writers are neither blocked nor visible."""
    segments, generation = _read_text_segments(connection)
    (staged / TEXT).mkdir()
    # Link the text files first: they are deleted when the second generation after this one is published.
    for name in segments:
        link_file(text / f"g{generation}" / name, staged / TEXT / name)
    with map_sqlite_errors(DATABASE):
        target = apsw.Connection(str(staged / DATABASE), vfs=VFS_NAME)
        target.pragma("synchronous", "off")
        with target.backup("main", connection, "main") as backup:
            while not backup.done:
                backup.step(500)
                step("copy", backup.page_count - backup.remaining, backup.page_count)
        target.close()
    _strip_local_views(staged / DATABASE, view)


def _strip_local_views(database: Path, view: str) -> None:
    """Delete working trees other than the exported one, and rename that one: do not export paths of this machine."""
    connection = open_database(database, write=True)
    try:
        connection.pragma("secure_delete", "on")
        with transaction(connection, DATABASE, write=True):
            foreign = query_rows(connection, "SELECT id FROM views WHERE name LIKE 'live:%' AND name != ?", (view,))
            for table in ("entries", "skips"):
                connection.executemany(f"DELETE FROM {table} WHERE view = ?", foreign)
            connection.executemany("DELETE FROM views WHERE id = ?", foreign)
            connection.execute("UPDATE views SET name = ?, scanned_ns = 0 WHERE name LIKE 'live:%'", (LIVE_VIEW,))
            # Reset file times, which mean nothing on another machine: there every file is read and hashed once.
            connection.execute(
                "UPDATE entries SET mtime_ns = 0, ctime_ns = 0 WHERE view IN (SELECT id FROM views WHERE name = ?)",
                (LIVE_VIEW,),
            )
    finally:
        with map_sqlite_errors(DATABASE):
            connection.close()


def write_bundle(staged: Path, target: Path, facts: Mapping[str, Any], step: ProgressCallback) -> BundleManifest:
    """Write the copied generation as a bundle; the file gets its name when it is complete."""
    vectors = (VECTORS,) if (staged / VECTORS).exists() else ()
    names = (DATABASE, *vectors, *(f"{TEXT}/{path.name}" for path in sorted((staged / TEXT).iterdir())))
    members = []
    for done, name in enumerate(names):
        step("hash", done, len(names))
        path = staged / name
        members.append(BundleMember(name, path.stat().st_size, _sha256(path)))
    manifest = msgspec.convert(
        {**facts, "format": BUNDLE_FORMAT, "version": BUNDLE_VERSION, "index_version": INDEX_VERSION,
         "members": tuple(members)}, BundleManifest)  # fmt: skip
    try:
        with open_file(target, 0o666) as file, open_tar_writer(file) as archive:
            add_bytes(archive, MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
            for done, member in enumerate(members):
                step("write", done, len(members))
                add_file(archive, member.name, staged / member.name)
    except OSError as error:
        code: ErrorCode = "DISK_FULL" if error.errno == 28 else "INVALID_REQUEST"
        raise Failure(code, f"{target.name} cannot be written: {error.strerror}.") from error
    return manifest


# -- reading -----------------------------------------------------------------------------------------------------------


def read_bundle(
    source: BinaryIO, staged: Path, accept: Callable[[BundleManifest], str], step: ProgressCallback
) -> ImportedBundle:
    """Unpack a bundle into a directory and verify it against its manifest; nothing of it is in use yet."""
    reading = TarballReader(source)
    manifest = _read_manifest(reading)
    note = _explain_dropped_vectors(manifest, accept(manifest))
    _check_members(manifest, staged, os.fstat(source.fileno()).st_size)
    (staged / TEXT).mkdir()
    for done, member in enumerate(manifest.members):
        step("unpack", done, len(manifest.members))
        head = reading.next_file()
        if head is None or (head.name, head.size) != (member.name, member.size):
            raise make_bundle_failure(f"{member.name} is not where its manifest lists it")
        _extract_member(reading, staged / member.name, member)
    if reading.next_file() is not None:
        raise make_bundle_failure("it contains more files than its manifest lists")
    reading.check_end()
    if note:
        (staged / VECTORS).unlink(missing_ok=True)
    return ImportedBundle(manifest, note)


def _extract_member(reading: TarballReader, path: Path, member: BundleMember) -> None:
    state = hashlib.sha256()
    with path.open("xb") as file:
        for data in reading.read_blocks():
            state.update(data)
            file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if state.hexdigest() != member.sha256:
        raise make_bundle_failure(f"{member.name} does not match its checksum")


def _explain_dropped_vectors(manifest: BundleManifest, model: str) -> str:
    """Return why the vectors of a bundle are not imported; empty if they are, or if none are needed."""
    if not any(member.name == VECTORS for member in manifest.members):
        return "The bundle contains no vectors; they are built here." if model else ""
    if not model:
        return "The vectors of the bundle were not imported, because no model is configured here."
    if manifest.model != model:
        return "The vectors of the bundle are from another model and were not imported; they are built here."
    if manifest.vectors_version != VECTORS_VERSION:
        return "The vectors of the bundle have another version and were not imported; they are built here."
    return ""


def _read_manifest(reading: TarballReader) -> BundleManifest:
    head = reading.next_file()
    if head is None or head.name != MANIFEST:
        raise make_bundle_failure("it does not begin with a manifest")
    if head.size > MAX_MANIFEST_BYTES:
        raise Failure("ARCHIVE_TOO_LARGE", f"The manifest is larger than {MAX_MANIFEST_BYTES:,} bytes.")
    data = b"".join(reading.read_blocks())
    try:
        raw = msgspec.json.decode(data)
        version = raw["version"] if raw["format"] == BUNDLE_FORMAT else None
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise make_bundle_failure("its manifest cannot be read") from error
    if not isinstance(version, int):
        raise make_bundle_failure("it is not a bundle of this program")
    if version > BUNDLE_VERSION or raw.get("index_version", 0) > INDEX_VERSION:
        message = "The bundle was made by a newer version of codecompass."
        raise Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "reindex_required"}, "Upgrade codecompass.")
    if version < OLDEST_BUNDLE or raw.get("index_version", 0) < INDEX_VERSION:
        message = "The bundle was made by an older version of codecompass, whose index has another schema."
        hint = "Export it again with this version, or run 'codecompass index'."
        raise Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "reindex_required"}, hint)
    try:
        return msgspec.convert(raw, BundleManifest)
    except msgspec.ValidationError as error:
        raise make_bundle_failure("its manifest is invalid") from error


def _check_members(manifest: BundleManifest, staged: Path, packed: int) -> None:
    names = [member.name for member in manifest.members]
    total = sum(member.size for member in manifest.members)
    if len(names) > MAX_MEMBERS or total > MAX_BYTES:
        raise Failure("ARCHIVE_TOO_LARGE", f"The bundle has {len(names):,} files of {total:,} bytes; at most "
                      f"{MAX_MEMBERS:,} of {MAX_BYTES:,} are read.")  # fmt: skip
    if total > max(MIN_EXPANDED, MAX_EXPANSION * packed):
        raise Failure("ARCHIVE_TOO_LARGE", f"The bundle has {packed:,} bytes and declares {total:,}: more than "
                      f"{MAX_EXPANSION} times its size.")  # fmt: skip
    if names[:1] != [DATABASE] or len(set(names)) != len(names) or any(not _is_index_file(name) for name in names[1:]):
        raise Failure("ARCHIVE_UNSAFE", "The bundle contains files that do not belong to an index.")
    if shutil.disk_usage(staged).free < total + FREE_SPACE_MARGIN:
        raise Failure("DISK_FULL", f"Unpacking the bundle needs {(total + FREE_SPACE_MARGIN) // 2**20:,} MiB.")


def _is_index_file(name: str) -> bool:
    """Whether a name is the vectors or a file of the text index: below `text/`, letters and digits around dots."""
    if name == VECTORS:
        return True
    directory, _, file = name.partition("/")
    parts = file.split(".")  # a list of deleted documents has three parts, every other file two
    return directory == TEXT and len(parts) in (2, 3) and file.isascii() and all(part.isalnum() for part in parts)


def adopt(staged: Path, manifest: BundleManifest, view: str, above: int) -> None:
    """Turn the unpacked files into a local index: rename its view, and use a higher generation than seen here."""
    _check_schema(staged / DATABASE, INDEX, INDEX_VERSION, "index")
    store_id = uuid.uuid4().hex
    if (staged / VECTORS).exists():
        _check_schema(staged / VECTORS, VECTOR_TABLES, VECTORS_VERSION, "file of vectors")
        adopt_vectors(staged, manifest.model, store_id)
    generation = max(above, manifest.generation) + 1
    connection = open_database(staged / DATABASE, write=True)
    try:
        with transaction(connection, DATABASE, write=True):
            segments, frozen = _read_text_segments(connection)
            _check_text(staged / TEXT, segments)
            connection.execute("UPDATE views SET name = ? WHERE name = ?", (view, LIVE_VIEW))
            values = {"store_id": store_id, "generation": generation}
            values |= {"text_generation": generation} if frozen else {}
            connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))
    finally:
        with map_sqlite_errors(DATABASE):
            connection.close()
    if frozen:
        _lay_out_text(staged, generation)
    else:
        shutil.rmtree(staged / TEXT)
        (staged / TEXT).mkdir()


def _check_schema(database: Path, tables: str, version: int, what: str) -> None:
    """Reject a database that is damaged or has a different schema: a foreign trigger would run with our rights."""
    fresh = apsw.Connection(":memory:")
    fresh.execute(tables)
    query = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
    try:
        connection = open_database(database, write=False)
        try:
            with map_sqlite_errors(database.name):
                if int(connection.pragma("user_version")) != version:
                    raise make_bundle_failure(f"its {what} has another schema version than its manifest")
                if query_rows(connection, query) != query_rows(fresh, query):
                    raise make_bundle_failure(f"its {what} has an unexpected schema")
                message = connection.pragma("integrity_check")
        finally:
            close_quietly(connection)
    except Failure as failure:
        if failure.code == "DOWNLOAD_VERIFY_FAILED":
            raise
        raise make_bundle_failure(failure.message) from failure
    finally:
        fresh.close()
    if message != "ok":
        raise make_bundle_failure(f"its {what} is damaged")


def _read_text_segments(connection: apsw.Connection) -> tuple[dict[str, tuple[int, str]], int]:
    """Return the files of the text index with size and checksum, and their generation."""
    with map_sqlite_errors(DATABASE):
        found = query_rows(connection, "SELECT name, size, xxh3 FROM segments")
        generation = int(query_rows(connection, "SELECT value FROM meta WHERE key = 'text_generation'")[0][0])
    return {str(name): (int(size), str(digest)) for name, size, digest in found}, generation


def _check_text(text: Path, segments: Mapping[str, tuple[int, str]]) -> None:
    here = {path.name: (path.stat().st_size, hash_file(path)) for path in text.iterdir()}
    if here != segments:
        raise make_bundle_failure("its text index does not match its catalog")


def restore_text_layout(staged: Path) -> None:
    """Lay out the text files of a copied generation as a writer expects them."""
    _, generation = _read_staged_segments(staged)
    if generation:
        _lay_out_text(staged, generation)


def flatten_text(staged: Path) -> None:
    """Undo `restore_text_layout`: leave only the files of the published generation, directly below `text/`."""
    segments, generation = _read_staged_segments(staged)
    text = staged / TEXT
    for name in segments:
        os.rename(text / f"g{generation}" / name, text / name)
    for path in text.iterdir():
        if path.is_dir():
            shutil.rmtree(path)


def _read_staged_segments(staged: Path) -> tuple[dict[str, tuple[int, str]], int]:
    connection = open_database(staged / DATABASE, write=False)
    try:
        return _read_text_segments(connection)
    finally:
        close_quietly(connection)


def _lay_out_text(staged: Path, generation: int) -> None:
    """Lay out the text files as a frozen generation, and as the working directory of the next writer."""
    frozen, work = staged / TEXT / f"g{generation}", staged / TEXT / WORK
    files = list((staged / TEXT).iterdir())
    frozen.mkdir()
    work.mkdir()
    for path in files:
        os.rename(path, frozen / path.name)
    seed_work_directory(frozen, work)


def _sha256(path: Path) -> str:
    state = hashlib.sha256()
    with path.open("rb") as file:
        while data := file.read(CHUNK):
            state.update(data)
    return state.hexdigest()
