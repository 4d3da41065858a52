"""Record store: the triage records of one project, a JSON and a Markdown file each, with a cache in memory.

The JSON file is the record. It is written last and atomically, so a record exists completely or not at all. The cache
is refreshed from the folder before every read. Decisions are only ever added.
"""

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from types import MappingProxyType

from codecompass.atomic import make_directory
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.findings.record_writer import read_record, to_json, to_markdown
from codecompass.model.states import StoreOutcome
from codecompass.model.triage_values import StoredRecord, TriageRecord
from codecompass.repo.files.atomic_batch import (
    AtomicBatch,
    DiskFileState,
    read_file_state,
    remove_abandoned,
    set_aside,
    write_failure,
)

TRIAGE_FOLDER = "triage"
MAX_RECORDS = 50_000
_MAX_RECORD_BYTES = 4 << 20
BATCH_SIZE = 32
"""Number of records that are flushed to disk together."""
_SETTLED_NS = 2_000_000_000
"""If a folder's mtime is older than this when it is read, an unchanged mtime proves that the folder is unchanged."""
_MAX_CHECKSUMS_PER_SCAN = 1_000
"""Maximum records of older versions that get a checksum in one scan of the folder."""
_REPAIR_HINT = "Restore the file from a backup, or ingest the finding again; the damaged file is kept."


@dataclass
class RecordStore:
    """Thread-safe store of records; other processes may write to the same folder."""

    directory: Path
    """The `triage` folder of the project."""
    _records: dict[str, TriageRecord] = field(default_factory=dict)
    _file_states: dict[str, DiskFileState] = field(default_factory=dict)
    _damaged: dict[str, str] = field(default_factory=dict)
    _unverified_ids: set[str] = field(default_factory=set)
    """Records that had no checksum when they were read, so that damage could not be detected."""
    _seen_directory: tuple[int, int] | None = None
    _state: int = 0
    _snapshot: tuple[int, Mapping[str, TriageRecord]] = (-1, MappingProxyType({}))
    _lock: Lock = field(default_factory=Lock)

    @property
    def records_directory(self) -> Path:
        return self.directory / "records"

    # -- reading ---------------------------------------------------------------------------------------------------

    def get_records(self) -> tuple[int, Mapping[str, TriageRecord]]:
        """Return a number that increases with every change, and all current records by id."""
        with self._lock:
            self._refresh()
            if self._snapshot[0] != self._state:
                # Callers iterate over it while other threads write.
                self._snapshot = (self._state, MappingProxyType(dict(self._records)))
            return self._snapshot

    def list_damaged(self) -> tuple[str, ...]:
        """List the damaged files, each with the reason."""
        with self._lock:
            self._refresh()
            return tuple(f"{name}: {reason}" for name, reason in sorted(self._damaged.items()))

    def describe_damage(self) -> tuple[str, ...]:
        """Return a warning for answers that include records, if some records are damaged."""
        found = self.list_damaged()
        if not found:
            return ()
        count = "1 record is" if len(found) == 1 else f"{len(found)} records are"
        return (f"{count} damaged and left out, so a decision may be missing: {found[0]}. "
                "Run 'codecompass doctor' for advice.",)  # fmt: skip

    def count_unverified(self) -> int:
        """Count the records that had no checksum when this process first read them."""
        with self._lock:
            self._refresh()
            return len(self._unverified_ids)

    def get(self, record_id: str) -> TriageRecord:
        found = self.get_records()[1].get(record_id)
        if found is None and record_id in self._damaged:
            message = f"Record {record_id} is damaged and cannot be shown: {self._damaged[record_id]}."
            raise Failure("NOT_FOUND", message, {"recordId": record_id, "reason": "damaged"}, hint=_REPAIR_HINT)
        if found is None:
            raise Failure("NOT_FOUND", f"Record not found: {ascii(record_id[:100])}.", {"recordId": record_id[:100]},
                          hint="List records with 'codecompass triage list', or search with mode records.")  # fmt: skip
        return found

    def _refresh(self) -> None:
        """Scan the folder; read new records and drop removed ones."""
        try:
            before = os.stat(self.records_directory)
        except (FileNotFoundError, NotADirectoryError):
            if self._file_states:
                self._replace_state({}, {}, {})
            self._seen_directory = None
            return
        seen = (before.st_mtime_ns, before.st_ino)
        if seen == self._seen_directory:
            return
        # An mtime within the clock's granularity of now does not reveal a change that follows directly.
        settled = time.time_ns() - before.st_mtime_ns > _SETTLED_NS
        states = dict(self._scan_files())
        if states != self._file_states:
            self._load_changed(states)
        self._seen_directory = seen if settled else None

    def _scan_files(self) -> Iterator[tuple[str, DiskFileState]]:
        with os.scandir(self.records_directory) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and not entry.name.startswith("."):
                    info = read_file_state(Path(entry.path))
                    if info is not None:
                        yield entry.name.removesuffix(".json"), info

    def _load_changed(self, states: dict[str, DiskFileState]) -> None:
        known = {
            name: record for name, record in self._records.items() if self._file_states.get(name) == states.get(name)
        }
        damaged = {name: why for name, why in self._damaged.items() if self._file_states.get(name) == states.get(name)}
        unsigned: dict[str, TriageRecord] = {}
        for name in states:
            if name in known or name in damaged:
                continue
            try:
                known[name], proved = self._read(name)
            except (OSError, ValueError) as error:
                damaged[name] = str(error)[:200] or "cannot be read"
                continue
            if not proved:
                unsigned[name] = known[name]
        self._unverified_ids.update(unsigned)
        self._add_checksums(unsigned, states)
        self._replace_state(known, states, damaged)

    def _read(self, name: str) -> tuple[TriageRecord, bool]:
        """Read a record, and whether its checksum was verified."""
        path = self.records_directory / f"{name}.json"
        if path.is_symlink() or path.stat().st_size > _MAX_RECORD_BYTES:
            raise ValueError("not a record")
        record, proved = read_record(path.read_bytes())
        if record.record_id != name:
            raise ValueError("its id does not match its file name")
        return record, proved

    def _add_checksums(self, records: Mapping[str, TriageRecord], states: dict[str, DiskFileState]) -> None:
        """Add the missing checksum to records of older versions; records that cannot be written stay unchanged."""
        chosen = list(records)[:_MAX_CHECKSUMS_PER_SCAN]
        if not chosen:
            return
        try:
            batch = AtomicBatch.open(self.records_directory)
        except OSError:
            return
        try:
            for name in chosen:
                batch.add(f"{name}.json", to_json(records[name]))
            batch.commit_unchanged({f"{name}.json": states[name] for name in chosen})
        except OSError:
            return
        finally:
            batch.close()
            for name in chosen:
                states[name] = read_file_state(self.records_directory / f"{name}.json") or states[name]

    def _replace_state(
        self, known: dict[str, TriageRecord], states: dict[str, DiskFileState], damaged: dict[str, str]
    ) -> None:
        self._records, self._file_states, self._damaged = known, states, damaged
        self._state += 1

    # -- writing ---------------------------------------------------------------------------------------------------

    def add(self, record: TriageRecord) -> StoredRecord:
        """Write one record; it is durable when this returns."""
        with RecordBatch(self) as batch:
            return batch.add(record)

    def merge(self, known: TriageRecord | None, record: TriageRecord) -> TriageRecord:
        """Merge a record into the existing one; a decision is never replaced."""
        if known is None:
            return record
        if (known.record_type, record.record_type) != ("finding", "finding"):
            raise Failure("INVALID_REQUEST", f"Record {record.record_id} is a {known.record_type} and is not replaced.")
        return _merge_findings(known, record)

    def has_room(self, more: int) -> bool:
        """Whether `more` new records fit."""
        return len(self._file_states) + more <= MAX_RECORDS

    def find(self, record_id: str) -> TriageRecord | None:
        """Find one record without scanning the folder, which would be too slow for each of many records."""
        with self._lock:
            if record_id in self._records:
                return self._records[record_id]
        try:
            return self._read(record_id)[0]
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        except OSError as error:
            # It may be a valid record, which must not be overwritten.
            raise Failure("FORBIDDEN", f"Record {record_id} cannot be read: {error.strerror}.",
                          hint="Check the read permissions of the records, and try again.") from None  # fmt: skip

    def set_damaged_aside(self, record_id: str) -> None:
        """Keep an existing damaged file under another name before a record replaces it.

        The file is read again: another writer may have written a valid record since it was missing.
        """
        try:
            self._read(record_id)
        except ValueError:
            set_aside(self.records_directory / f"{record_id}.json")
        except (FileNotFoundError, NotADirectoryError):
            return

    def cache_written(self, record: TriageRecord) -> None:
        """Add a written record to the cache, so that many writes do not scan the folder each."""
        info = read_file_state(self.records_directory / f"{record.record_id}.json")
        with self._lock:
            # Update in place: copying the mapping for each of many records would be as slow as reading them all.
            self._records[record.record_id] = record
            if info is not None:
                self._file_states[record.record_id] = info
            self._damaged.pop(record.record_id, None)
            self._state += 1

    def describe_stored(self, record: TriageRecord, outcome: StoreOutcome) -> StoredRecord:
        path = self.records_directory / record.record_id
        return StoredRecord(record.record_id, outcome, f"{path}.json", f"{path}.md")


class RecordBatch:
    """Records being written to a store: each is written at once, and all are flushed and renamed together."""

    def __init__(self, store: RecordStore) -> None:
        self._store = store
        self._waiting: dict[str, TriageRecord] = {}
        self._new = 0
        self._batch: AtomicBatch | None = None

    def add(self, record: TriageRecord) -> StoredRecord:
        """Add a record unless an equal one exists."""
        store = self._store
        waiting = self._waiting.get(record.record_id)
        known = waiting or store.find(record.record_id)
        record = store.merge(known, record)
        if record == known:
            return store.describe_stored(record, "unchanged")
        if known is None and not store.has_room(self._new + 1):
            raise Failure("INVALID_REQUEST", f"The folder holds {MAX_RECORDS:,} records, which is the maximum.",
                          hint="Move old records out of the folder that recordsDir names.")  # fmt: skip
        try:
            batch = self._open_batch()
            if known is None:
                store.set_damaged_aside(record.record_id)
            batch.add(f"{record.record_id}.md", to_markdown(record).encode("utf-8", "replace"))
            batch.add(f"{record.record_id}.json", to_json(record))
        except OSError as error:
            raise write_failure(error) from None
        self._waiting[record.record_id] = record
        self._new += known is None
        if len(self._waiting) >= BATCH_SIZE:
            self.flush()
        return store.describe_stored(record, "updated" if known is not None else "added")

    def _open_batch(self) -> AtomicBatch:
        if self._batch is None:
            directory = self._store.records_directory
            make_directory(directory)
            remove_abandoned(directory)
            self._batch = AtomicBatch.open(directory)
        return self._batch

    def flush(self) -> None:
        """Make the pending records durable and visible."""
        waiting, self._waiting, self._new = self._waiting, {}, 0
        if self._batch is None:
            return
        try:
            self._batch.commit()
        except OSError as error:
            raise write_failure(error) from None
        for record in waiting.values():
            self._store.cache_written(record)

    def __enter__(self) -> "RecordBatch":
        return self

    def __exit__(self, *_: object) -> None:
        """Flush the records that were added, even after an error."""
        try:
            self.flush()
        finally:
            if self._batch is not None:
                self._batch.close()


def _merge_findings(known: TriageRecord, new: TriageRecord) -> TriageRecord:
    """Merge a repeated finding: keep its creation time, and routing that the new one does not set."""
    routing = {name: getattr(new, name) or getattr(known, name) for name in ("service", "env", "team", "owner", "repo")}
    created = min(known.created_at, new.created_at)
    made = replace(new, created_at=created, **routing)
    if made.exposure == type(made.exposure)():
        made = replace(made, exposure=known.exposure)
    # A source without dates uses the time of ingestion, which alone is not a change.
    return known if replace(made, updated_at=known.updated_at) == known else made


def get_record_store(project: Project) -> RecordStore:
    """The record store of a project."""
    return project.caches.get_permanent(RecordStore, lambda: RecordStore(project.directory / TRIAGE_FOLDER))
