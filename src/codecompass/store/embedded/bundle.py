"""Bundles: one published generation as one file that another machine can begin from.

A Zstandard tar of `manifest.json`, `index.db`, `vectors.db` where there are vectors, and the files of the text index.
The manifest comes first and says of each member its size and SHA-256. Reading unpacks into a directory beside the
index, checks everything there, and only then puts it in place (`placement.py`). What a project owns is neither in a
bundle nor touched by one.
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
from codecompass.store.embedded.connect import let_go, open_database, rows, transaction, translated
from codecompass.store.embedded.pages import LAYER_NAME
from codecompass.store.embedded.placement import DATABASE, TEXT, VECTORS
from codecompass.store.embedded.schema import INDEX, INDEX_VERSION, VECTORS_VERSION
from codecompass.store.embedded.schema import VECTORS as VECTOR_TABLES
from codecompass.store.embedded.tarball import CHUNK, Reading, add_bytes, add_file, damaged, writing
from codecompass.store.embedded.text import WORK, file_digest, lay_out, link_file
from codecompass.store.embedded.vectorcargo import unload
from codecompass.store.exchange import BUNDLE_FORMAT, BUNDLE_VERSION, OLDEST_BUNDLE, Manifest, Member, Received

MANIFEST = "manifest.json"
MOST_MEMBERS = 2_048
MOST_BYTES = 16 * 2**30
LARGEST_MANIFEST = 2**20
MARGIN = 64 * 2**20
"""Bytes that must stay free beyond what is unpacked."""
LIVE = "live:"
"""The name of the exported working tree inside a bundle."""
Step = Callable[[str, int, int], None]


# -- writing -----------------------------------------------------------------------------------------------------------


def collect(connection: apsw.Connection, text: Path, made: Path, view: str, step: Step) -> None:
    """Copy a pinned generation into a directory; whoever writes meanwhile is not held up and not seen."""
    segments, generation = _text_of(connection)
    (made / TEXT).mkdir()
    # First, and by links: the files of a generation go when the second after it is published.
    for name in segments:
        link_file(text / f"g{generation}" / name, made / TEXT / name)
    with translated(DATABASE):
        target = apsw.Connection(str(made / DATABASE), vfs=LAYER_NAME)
        target.pragma("synchronous", "off")
        with target.backup("main", connection, "main") as backup:
            while not backup.done:
                backup.step(500)
                step("copy", backup.page_count - backup.remaining, backup.page_count)
        target.close()
    _make_foreign(made / DATABASE, view)


def _make_foreign(database: Path, view: str) -> None:
    """Drop working trees other than the one exported, and the name of that one: paths of this machine are nobody's."""
    connection = open_database(database, write=True)
    try:
        connection.pragma("secure_delete", "on")
        with transaction(connection, DATABASE, write=True):
            foreign = rows(connection, "SELECT id FROM views WHERE name LIKE 'live:%' AND name != ?", (view,))
            for table in ("entries", "skips"):
                connection.executemany(f"DELETE FROM {table} WHERE view = ?", foreign)
            connection.executemany("DELETE FROM views WHERE id = ?", foreign)
            connection.execute("UPDATE views SET name = ?, scanned_ns = 0 WHERE name LIKE 'live:%'", (LIVE,))
            # Times of another machine prove nothing: every file is read once, and what is known is not parsed.
            connection.execute(
                "UPDATE entries SET mtime_ns = 0, ctime_ns = 0 WHERE view IN (SELECT id FROM views WHERE name = ?)",
                (LIVE,),
            )
    finally:
        with translated(DATABASE):
            connection.close()


def pack(made: Path, target: Path, facts: Mapping[str, Any], step: Step) -> Manifest:
    """Write what was collected; the file has its name when it is whole."""
    vectors = (VECTORS,) if (made / VECTORS).exists() else ()
    names = (DATABASE, *vectors, *(f"{TEXT}/{path.name}" for path in sorted((made / TEXT).iterdir())))
    members = []
    for done, name in enumerate(names):
        step("hash", done, len(names))
        path = made / name
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
                    add_file(archive, member.name, made / member.name)
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


def unpack(source: BinaryIO, made: Path, accept: Callable[[Manifest], str], step: Step) -> Received:
    """Read a bundle into a directory, byte for byte what its manifest says; nothing of it is in use yet."""
    reading = Reading(source)
    manifest = _manifest(reading)
    note = _left_out(manifest, accept(manifest))
    _check_members(manifest, made)
    (made / TEXT).mkdir()
    for done, member in enumerate(manifest.members):
        step("unpack", done, len(manifest.members))
        head = reading.next()
        if head is None or (head.name, head.size) != (member.name, member.size):
            raise damaged(f"{member.name} is not where its manifest says")
        _unpack(reading, made / member.name, member)
    if reading.next() is not None:
        raise damaged("it holds more than its manifest says")
    reading.finish()
    if note:
        (made / VECTORS).unlink(missing_ok=True)
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
    """Why the vectors of a bundle are of no use here; empty where they are, and where nobody misses them."""
    if not any(member.name == VECTORS for member in manifest.members):
        return "The bundle holds no vectors; they are made here." if model else ""
    if not model:
        return "The vectors of the bundle were left out, since no model is in use here."
    if manifest.model != model:
        return "The vectors of the bundle were made by another model and left out; they are made here."
    if manifest.vectors_version != VECTORS_VERSION:
        return "The vectors of the bundle are of another version and were left out; they are made here."
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
        raise damaged("it is no bundle of this program")
    if version > BUNDLE_VERSION or raw.get("index_version", 0) > INDEX_VERSION:
        said = "The bundle was made by a newer version of codecompass."
        raise Failure("INDEX_INCOMPATIBLE", said, {"schema_status": "reindex_required"}, "Upgrade codecompass.")
    if version < OLDEST_BUNDLE or raw.get("index_version", 0) < INDEX_VERSION:
        said = "The bundle was made by an older version of codecompass, whose index has another schema."
        hint = "Export it again with this version, or run 'codecompass index'."
        raise Failure("INDEX_INCOMPATIBLE", said, {"schema_status": "reindex_required"}, hint)
    try:
        return msgspec.convert(raw, Manifest)
    except msgspec.ValidationError as error:
        raise damaged("its manifest does not say what it must") from error


def _check_members(manifest: Manifest, made: Path) -> None:
    names = [member.name for member in manifest.members]
    total = sum(member.size for member in manifest.members)
    if len(names) > MOST_MEMBERS or total > MOST_BYTES:
        raise Failure("ARCHIVE_TOO_LARGE", f"The bundle has {len(names):,} files of {total:,} bytes; at most "
                      f"{MOST_MEMBERS:,} of {MOST_BYTES:,} are read.")  # fmt: skip
    if names[:1] != [DATABASE] or len(set(names)) != len(names) or any(not _is_ours(name) for name in names[1:]):
        raise Failure("ARCHIVE_UNSAFE", "The bundle names files that an index does not have.")
    if shutil.disk_usage(made).free < total + MARGIN:
        raise Failure("DISK_FULL", f"Unpacking the bundle needs {(total + MARGIN) // 2**20:,} MiB.")


def _is_ours(name: str) -> bool:
    """The vectors, or a file of the text index: one name below `text/`, of letters and digits around one dot."""
    if name == VECTORS:
        return True
    directory, _, file = name.partition("/")
    stem, dot, ending = file.partition(".")
    return directory == TEXT and bool(dot) and stem.isalnum() and ending.isalnum() and file.isascii()


def adopt(made: Path, manifest: Manifest, view: str, above: int) -> None:
    """Make what was unpacked an index of this machine: its view under our name, a generation above those seen here."""
    _check_shape(made / DATABASE, INDEX, INDEX_VERSION, "index")
    store_id = uuid.uuid4().hex
    if (made / VECTORS).exists():
        _check_shape(made / VECTORS, VECTOR_TABLES, VECTORS_VERSION, "file of vectors")
        unload(made, manifest.model, store_id)
    generation = max(above, manifest.generation) + 1
    connection = open_database(made / DATABASE, write=True)
    try:
        with transaction(connection, DATABASE, write=True):
            segments, frozen = _text_of(connection)
            _check_text(made / TEXT, segments)
            connection.execute("UPDATE views SET name = ? WHERE name = ?", (view, LIVE))
            values = {"store_id": store_id, "generation": generation}
            values |= {"text_generation": generation} if frozen else {}
            connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", list(values.items()))
    finally:
        with translated(DATABASE):
            connection.close()
    if frozen:
        _lay_out(made, generation)
    else:
        shutil.rmtree(made / TEXT)
        (made / TEXT).mkdir()


def _check_shape(database: Path, tables: str, version: int, what: str) -> None:
    """Refuse a database that is damaged or holds anything but the tables we make: a trigger would run as ours."""
    fresh = apsw.Connection(":memory:")
    fresh.execute(tables)
    query = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
    try:
        connection = open_database(database, write=False)
        try:
            with translated(database.name):
                if int(connection.pragma("user_version")) != version:
                    raise damaged(f"its {what} has another schema than its manifest says")
                if rows(connection, query) != rows(fresh, query):
                    raise damaged(f"its {what} holds other tables than ours")
                said = connection.pragma("integrity_check")
        finally:
            let_go(connection)
    except Failure as failure:
        if failure.code == "DOWNLOAD_VERIFY_FAILED":
            raise
        raise damaged(failure.message) from failure
    finally:
        fresh.close()
    if said != "ok":
        raise damaged(f"its {what} is not sound")


def _text_of(connection: apsw.Connection) -> tuple[dict[str, tuple[int, str]], int]:
    """The files of the text index with size and checksum, and the generation they belong to."""
    with translated(DATABASE):
        found = rows(connection, "SELECT name, size, xxh3 FROM segments")
        generation = int(rows(connection, "SELECT value FROM meta WHERE key = 'text_generation'")[0][0])
    return {str(name): (int(size), str(digest)) for name, size, digest in found}, generation


def _check_text(text: Path, segments: Mapping[str, tuple[int, str]]) -> None:
    here = {path.name: (path.stat().st_size, file_digest(path)) for path in text.iterdir()}
    if here != segments:
        raise damaged("its text index is not the one its catalog names")


def _lay_out(made: Path, generation: int) -> None:
    """The text files as a frozen generation, and the same as the place a writer goes on from."""
    frozen, work = made / TEXT / f"g{generation}", made / TEXT / WORK
    files = list((made / TEXT).iterdir())
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
