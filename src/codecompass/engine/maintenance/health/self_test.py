"""Self-test: build and query a tiny index in a temporary directory to check that storage works."""

import tempfile
from pathlib import Path

from codecompass.engine.workspace.lock_owner import make_lock_owner
from codecompass.engine.workspace.project_registry import StoreFactory
from codecompass.errors import Failure
from codecompass.model.queries.results import DoctorCheck
from codecompass.store.ports import Document, NewBlob, NewView, Store, ViewEntry
from codecompass.store.text_query import TextQuery

WORD = "needle"
REINSTALL = "pip install --force-reinstall codecompass"


def check_storage(stores: StoreFactory) -> tuple[DoctorCheck, DoctorCheck]:
    """Check SQLite with checksummed pages, and the text index."""
    with tempfile.TemporaryDirectory(prefix="codecompass-") as directory:
        try:
            store = stores(Path(directory))
        except (Failure, OSError) as error:
            broken = _make_failed_check("sqlite", error)
            return broken, DoctorCheck("tantivy", "warn", "not checked, because SQLite does not work", broken.remedy)
        try:
            return _check_sqlite(store), _check_text_index(store)
        finally:
            store.close()


def _check_sqlite(store: Store) -> DoctorCheck:
    try:
        store.records.set("selftest", WORD)
        is_equal = store.records.get("selftest") == WORD
    except (Failure, OSError) as error:
        return _make_failed_check("sqlite", error)
    if not is_equal:
        return DoctorCheck("sqlite", "fail", "reads different data than was written", REINSTALL)
    return DoctorCheck("sqlite", "ok", "writes, reads and checks its pages")


def _check_text_index(store: Store) -> DoctorCheck:
    blob = NewBlob(
        b"\0" * 32, "", b"", 1, (), (b"", b"", b"", b"", b""), (), (), (Document(0, WORD, WORD, ""),), "", "text"
    )  # fmt: skip
    try:
        writer = store.open_writer(make_lock_owner("selftest"))
        try:
            number = writer.add(blob)
            writer.publish(NewView("live:", "", "", "", 0, {WORD: ViewEntry(number, 1, 0, 0)}))
        finally:
            writer.close()
        with store.pin() as snapshot:
            view = snapshot.view("live:")
            hits = snapshot.search_text(TextQuery(((WORD, ()),), require_all=True), view)[0] if view else []
    except (Failure, OSError) as error:
        return _make_failed_check("tantivy", error)
    if [hit.blob for hit in hits] != [number]:
        return DoctorCheck("tantivy", "fail", "does not find what was written", REINSTALL)
    return DoctorCheck("tantivy", "ok", "a new index is written and searched")


def _make_failed_check(name: str, error: Exception) -> DoctorCheck:
    message = error.message if isinstance(error, Failure) else str(getattr(error, "strerror", "") or error)
    full = isinstance(error, Failure) and error.code == "DISK_FULL"
    return DoctorCheck(name, "fail", message, "codecompass care gc --max-age-days 30" if full else REINSTALL)
