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

from codecompass.errors import Failure
from codecompass.store.embedded.databases.database_schema import INDEX, INDEX_VERSION, VECTORS_VERSION
from codecompass.store.embedded.databases.database_schema import VECTORS as VECTOR_TABLES
from codecompass.store.embedded.databases.page_checksums import LAYER_NAME
from codecompass.store.embedded.databases.sqlite_connection import let_go, open_database, rows, transaction, translated
from codecompass.store.embedded.files.index_swap import DATABASE, TEXT, VECTORS
from codecompass.store.embedded.files.tarball import CHUNK, Reading, add_bytes, add_file, damaged, writing
from codecompass.store.embedded.text.text_index import WORK, file_digest, lay_out, link_file
from codecompass.store.embedded.vectors.vector_export import unload
from codecompass.store.portable_port import BUNDLE_FORMAT, BUNDLE_VERSION, OLDEST_BUNDLE, Manifest, Member, Received

MANIFEST = "manifest.json"
MOST_MEMBERS = 2_048
MOST_BYTES = 16 * 2**30
LARGEST_MANIFEST = 2**20
MARGIN = 64 * 2**20
"""Bytes that must remain free after unpacking."""
LIVE = "live:"
"""The name of the exported working tree inside a bundle."""
Step = Callable[[str, int, int], None]


# -- writing -----------------------------------------------------------------------------------------------------------


def collect(connection: apsw.Connection, text: Path, staged: Path, view: str, step: Step) -> None:
    """Copy a pinned generation into a directory. Concurrent writers are neither blocked nor visible."""
    segments, generation = _text_of(connection)
    (staged / TEXT).mkdir()
    # Link the text files first: they are deleted when the second generation after this one is published.
    for name in segments:
        link_file(text / f"g{generation}" / name, staged / TEXT / name)
    with translated(DATABASE):
        target = apsw.Connection(str(staged / DATABASE), vfs=LAYER_NAME)
        target.pragma("synchronous", "off")
        with target.backup("main", connection, "main") as backup:
            while not backup.done:
                backup.step(500)
                step("copy", backup.page_count - backup.remaining, backup.page_count)
        target.close()
    _make_foreign(staged / DATABASE, view)


def _make_foreign(database: Path, view: str) -> None:
    """Delete working trees other than the exported one, and rename that one: do not export paths of this machine."""
    connection = open_database(database, write=True)
    try:
        connection.pragma("secure_delete", "on")
        with transaction(connection, DATABASE, write=True):
            foreign = rows(connection, "SELECT id FROM views WHERE name LIKE 'live:%' AND name != ?", (view,))
            for table in ("entries", "skips"):
                connection.executemany(f"DELETE FROM {table} WHERE view = ?", foreign)
            connection.executemany("DELETE FROM views WHERE id = ?", foreign)
            connection.execute("UPDATE views SET name = ?, scanned_ns = 0 WHERE name LIKE 'live:%'", (LIVE,))
            # Reset file times, which mean nothing on another machine: there every file is read and hashed once.
            connection.execute(
                "UPDATE entries SET mtime_ns = 0, ctime_ns = 0 WHERE view IN (SELECT id FROM views WHERE name = ?)",
                (LIVE,),
            )
    finally:
        with translated(DATABASE):
            connection.close()


def pack(staged: Path, target: Path, facts: Mapping[str, Any], step: Step) -> Manifest:
    """Write the copied generation as a bundle; the file gets its name when it is complete."""
    vectors = (VECTORS,) if (staged / VECTORS).exists() else ()
    names = (DATABASE, *vectors, *(f"{TEXT}/{path.name}" for path in sorted((staged / TEXT).iterdir())))
    members = []
    for done, name in enumerate(names):
        step("hash", done, len(names))
        path = staged / name
        members.append(Member(name, path.stat().st_size, _sha256(path)))
    manifest = msgspec.convert(
        {**facts, "format": BUNDLE_FORMAT, "version": BUNDLE_VERSION, "index_version": INDEX_VERSION,
         "members": tuple(members)}, Manifest)  # fmt: skip
    aside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with aside.open("xb") as file:
            with writing(file) as archive:
                add_bytes(archive, MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
                for done, member in enumerate(members):
                    step("write", done, len(members))
                    add_file(archive, member.name, staged / member.name)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, target)
    except OSError as error:
        code = "DISK_FULL" if error.errno == 28 else "INVALID_REQUEST"
        raise Failure(code, f"{target.name} cannot be written: {error.strerror}.") from error
    finally:
        aside.unlink(missing_ok=True)
    return manifest


# -- reading -----------------------------------------------------------------------------------------------------------


def unpack(source: BinaryIO, staged: Path, accept: Callable[[Manifest], str], step: Step) -> Received:
    """Unpack a bundle into a directory and verify it against its manifest; nothing of it is in use yet."""
    reading = Reading(source)
    manifest = _manifest(reading)
    note = _left_out(manifest, accept(manifest))
    _check_members(manifest, staged)
    (staged / TEXT).mkdir()
    for done, member in enumerate(manifest.members):
        step("unpack", done, len(manifest.members))
        head = reading.next()
        if head is None or (head.name, head.size) != (member.name, member.size):
            raise damaged(f"{member.name} is not where its manifest lists it")
        _unpack(reading, staged / member.name, member)
    if reading.next() is not None:
        raise damaged("it contains more files than its manifest lists")
    reading.finish()
    if note:
        (staged / VECTORS).unlink(missing_ok=True)
    return Received(manifest, note)


def _unpack(reading: Reading, path: Path, member: Member) -> None:
    state = hashlib.sha256()
    with path.open("xb") as file:
        for data in reading.blocks():
            state.update(data)
            file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if state.hexdigest() != member.sha256:
        raise damaged(f"{member.name} does not match its checksum")


def _left_out(manifest: Manifest, model: str) -> str:
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


def _manifest(reading: Reading) -> Manifest:
    head = reading.next()
    if head is None or head.name != MANIFEST:
        raise damaged("it does not begin with a manifest")
    if head.size > LARGEST_MANIFEST:
        raise Failure("ARCHIVE_TOO_LARGE", f"The manifest is larger than {LARGEST_MANIFEST:,} bytes.")
    data = b"".join(reading.blocks())
    try:
        raw = msgspec.json.decode(data)
        version = raw["version"] if raw["format"] == BUNDLE_FORMAT else None
    except (msgspec.MsgspecError, KeyError, TypeError) as error:
        raise damaged("its manifest cannot be read") from error
    if not isinstance(version, int):
        raise damaged("it is not a bundle of this program")
    if version > BUNDLE_VERSION or raw.get("index_version", 0) > INDEX_VERSION:
        message = "The bundle was made by a newer version of codecompass."
        raise Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "reindex_required"}, "Upgrade codecompass.")
    if version < OLDEST_BUNDLE or raw.get("index_version", 0) < INDEX_VERSION:
        message = "The bundle was made by an older version of codecompass, whose index has another schema."
        hint = "Export it again with this version, or run 'codecompass index'."
        raise Failure("INDEX_INCOMPATIBLE", message, {"schema_status": "reindex_required"}, hint)
    try:
        return msgspec.convert(raw, Manifest)
    except msgspec.ValidationError as error:
        raise damaged("its manifest is invalid") from error


def _check_members(manifest: Manifest, staged: Path) -> None:
    names = [member.name for member in manifest.members]
    total = sum(member.size for member in manifest.members)
    if len(names) > MOST_MEMBERS or total > MOST_BYTES:
        raise Failure("ARCHIVE_TOO_LARGE", f"The bundle has {len(names):,} files of {total:,} bytes; at most "
                      f"{MOST_MEMBERS:,} of {MOST_BYTES:,} are read.")  # fmt: skip
    if names[:1] != [DATABASE] or len(set(names)) != len(names) or any(not _is_ours(name) for name in names[1:]):
        raise Failure("ARCHIVE_UNSAFE", "The bundle contains files that do not belong to an index.")
    if shutil.disk_usage(staged).free < total + MARGIN:
        raise Failure("DISK_FULL", f"Unpacking the bundle needs {(total + MARGIN) // 2**20:,} MiB.")


def _is_ours(name: str) -> bool:
    """Whether a name is the vectors or a file of the text index: below `text/`, letters and digits around one dot."""
    if name == VECTORS:
        return True
    directory, _, file = name.partition("/")
    stem, dot, ending = file.partition(".")
    return directory == TEXT and bool(dot) and stem.isalnum() and ending.isalnum() and file.isascii()


def adopt(staged: Path, manifest: Manifest, view: str, above: int) -> None:
    """Turn the unpacked files into a local index: rename its view, and use a higher generation than seen here."""
    _check_shape(staged / DATABASE, INDEX, INDEX_VERSION, "index")
    store_id = uuid.uuid4().hex
    if (staged / VECTORS).exists():
        _check_shape(staged / VECTORS, VECTOR_TABLES, VECTORS_VERSION, "file of vectors")
        unload(staged, manifest.model, store_id)
    generation = max(above, manifest.generation) + 1
    connection = open_database(staged / DATABASE, write=True)
    try:
        with transaction(connection, DATABASE, write=True):
            segments, frozen = _text_of(connection)
            _check_text(staged / TEXT, segments)
            connection.execute("UPDATE views SET name = ? WHERE name = ?", (view, LIVE))
            values = {"store_id": store_id, "generation": generation}
            values |= {"text_generation": generation} if frozen else {}
            connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))
    finally:
        with translated(DATABASE):
            connection.close()
    if frozen:
        _lay_out(staged, generation)
    else:
        shutil.rmtree(staged / TEXT)
        (staged / TEXT).mkdir()


def _check_shape(database: Path, tables: str, version: int, what: str) -> None:
    """Reject a database that is damaged or has a different schema: a foreign trigger would run with our rights."""
    fresh = apsw.Connection(":memory:")
    fresh.execute(tables)
    query = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
    try:
        connection = open_database(database, write=False)
        try:
            with translated(database.name):
                if int(connection.pragma("user_version")) != version:
                    raise damaged(f"its {what} has another schema version than its manifest")
                if rows(connection, query) != rows(fresh, query):
                    raise damaged(f"its {what} has an unexpected schema")
                message = connection.pragma("integrity_check")
        finally:
            let_go(connection)
    except Failure as failure:
        if failure.code == "DOWNLOAD_VERIFY_FAILED":
            raise
        raise damaged(failure.message) from failure
    finally:
        fresh.close()
    if message != "ok":
        raise damaged(f"its {what} is damaged")


def _text_of(connection: apsw.Connection) -> tuple[dict[str, tuple[int, str]], int]:
    """Return the files of the text index with size and checksum, and their generation."""
    with translated(DATABASE):
        found = rows(connection, "SELECT name, size, xxh3 FROM segments")
        generation = int(rows(connection, "SELECT value FROM meta WHERE key = 'text_generation'")[0][0])
    return {str(name): (int(size), str(digest)) for name, size, digest in found}, generation


def _check_text(text: Path, segments: Mapping[str, tuple[int, str]]) -> None:
    here = {path.name: (path.stat().st_size, file_digest(path)) for path in text.iterdir()}
    if here != segments:
        raise damaged("its text index does not match its catalog")


def _lay_out(staged: Path, generation: int) -> None:
    """Lay out the text files as a frozen generation, and as the working directory of the next writer."""
    frozen, work = staged / TEXT / f"g{generation}", staged / TEXT / WORK
    files = list((staged / TEXT).iterdir())
    frozen.mkdir()
    work.mkdir()
    for path in files:
        os.rename(path, frozen / path.name)
    lay_out(frozen, work)


def _sha256(path: Path) -> str:
    state = hashlib.sha256()
    with path.open("rb") as file:
        while data := file.read(CHUNK):
            state.update(data)
    return state.hexdigest()
