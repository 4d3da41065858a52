"""Self-test: build and query a tiny index in a temporary directory to check that storage works."""

import tempfile
from pathlib import Path

from codecompass.engine.workspace.lock_owner import this_process
from codecompass.engine.workspace.project_registry import StoreFactory
from codecompass.errors import Failure
from codecompass.model.queries.results import Check
from codecompass.store.ports import Document, Entry, NewBlob, NewView, Store
from codecompass.store.text_query import TextQuery

WORD = "needle"
REINSTALL = "pip install --force-reinstall codecompass"


def storage(stores: StoreFactory) -> tuple[Check, Check]:
    """Check SQLite with checksummed pages, and the text index."""
    with tempfile.TemporaryDirectory(prefix="codecompass-") as directory:
        try:
            store = stores(Path(directory))
        except (Failure, OSError) as error:
            broken = _broken("sqlite", error)
            return broken, Check("tantivy", "warn", "not checked, because SQLite does not work", broken.remedy)
        try:
            return _sqlite(store), _text(store)
        finally:
            store.close()


def _sqlite(store: Store) -> Check:
    try:
        store.records.set("selftest", WORD)
        is_equal = store.records.get("selftest") == WORD
    except (Failure, OSError) as error:
        return _broken("sqlite", error)
    if not is_equal:
        return Check("sqlite", "fail", "reads different data than was written", REINSTALL)
    return Check("sqlite", "ok", "writes, reads and checks its pages")


def _text(store: Store) -> Check:
    blob = NewBlob(
        b"\0" * 32, "", b"", 1, (), (b"", b"", b"", b"", b""), (), (), (Document(0, WORD, WORD, ""),), "", "text"
    )  # fmt: skip
    try:
        writer = store.writer(this_process("selftest"))
        try:
            number = writer.add(blob)
            writer.publish(NewView("live:", "", "", "", 0, {WORD: Entry(number, 1, 0, 0)}))
        finally:
            writer.close()
        with store.pin() as snapshot:
            view = snapshot.view("live:")
            hits = snapshot.search_text(TextQuery(((WORD, ()),), every=True), view)[0] if view else []
    except (Failure, OSError) as error:
        return _broken("tantivy", error)
    if [hit.blob for hit in hits] != [number]:
        return Check("tantivy", "fail", "does not find what was written", REINSTALL)
    return Check("tantivy", "ok", "a new index is written and searched")


def _broken(name: str, error: Exception) -> Check:
    message = error.message if isinstance(error, Failure) else str(getattr(error, "strerror", "") or error)
    full = isinstance(error, Failure) and error.code == "DISK_FULL"
    return Check(name, "fail", message, "codecompass care gc --max-age-days 30" if full else REINSTALL)
