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

from codecompass.engine.triage.atomic_batch import Batch, Print, durable, make_directory, print_of, set_aside, tidy
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.findings.record_writer import as_json, as_markdown, read_record
from codecompass.model.triage_values import Record, Stored

FOLDER = "triage"
MOST_RECORDS = 50_000
_LARGEST = 4 << 20
TOGETHER = 32
"""Number of records that are flushed to disk together."""
_SETTLED_NS = 2_000_000_000
"""If a folder's mtime is older than this when it is read, an unchanged mtime proves that the folder is unchanged."""
_SIGNED_AT_ONCE = 1_000
"""Maximum records of older versions that get a checksum in one scan of the folder."""
_MENDING = "Restore the file from a backup, or ingest the finding again; the damaged file is kept."


@dataclass
class Cabinet:
    """Thread-safe store of records; other processes may write to the same folder."""

    directory: Path
    """The `triage` folder of the project."""
    _known: dict[str, Record] = field(default_factory=dict)
    _prints: dict[str, Print] = field(default_factory=dict)
    _damaged: dict[str, str] = field(default_factory=dict)
    _unproved: set[str] = field(default_factory=set)
    """Records that had no checksum when they were read, so that damage could not be detected."""
    _seen: tuple[int, int] | None = None
    _state: int = 0
    _copied: tuple[int, Mapping[str, Record]] = (-1, MappingProxyType({}))
    _lock: Lock = field(default_factory=Lock)

    @property
    def records_directory(self) -> Path:
        return self.directory / "records"

    # -- reading ---------------------------------------------------------------------------------------------------

    def records(self) -> tuple[int, Mapping[str, Record]]:
        """Return a number that increases with every change, and all current records by id."""
        with self._lock:
            self._refresh()
            if self._copied[0] != self._state:
                # Callers iterate over it while other threads write.
                self._copied = (self._state, MappingProxyType(dict(self._known)))
            return self._copied

    def damaged(self) -> tuple[str, ...]:
        """List the damaged files, each with the reason."""
        with self._lock:
            self._refresh()
            return tuple(f"{name}: {reason}" for name, reason in sorted(self._damaged.items()))

    def warnings(self) -> tuple[str, ...]:
        """Return a warning for answers that include records, if some records are damaged."""
        found = self.damaged()
        if not found:
            return ()
        count = "1 record is" if len(found) == 1 else f"{len(found)} records are"
        return (f"{count} damaged and left out, so a decision may be missing: {found[0]}. "
                "Run 'codecompass doctor' for advice.",)  # fmt: skip

    def unproved(self) -> int:
        """Count the records that had no checksum when this process first read them."""
        with self._lock:
            self._refresh()
            return len(self._unproved)

    def get(self, record_id: str) -> Record:
        found = self.records()[1].get(record_id)
        if found is None and record_id in self._damaged:
            message = f"Record {record_id} is damaged and cannot be shown: {self._damaged[record_id]}."
            raise Failure("NOT_FOUND", message, {"recordId": record_id, "reason": "damaged"}, hint=_MENDING)
        if found is None:
            raise Failure("NOT_FOUND", f"Record not found: {ascii(record_id[:100])}.", {"recordId": record_id[:100]},
                          hint="List records with 'codecompass triage list', or search with mode records.")  # fmt: skip
        return found

    def _refresh(self) -> None:
        """Scan the folder; read new records and drop removed ones."""
        try:
            before = os.stat(self.records_directory)
        except (FileNotFoundError, NotADirectoryError):
            if self._prints:
                self._change({}, {}, {})
            self._seen = None
            return
        seen = (before.st_mtime_ns, before.st_ino)
        if seen == self._seen:
            return
        # An mtime within the clock's granularity of now does not reveal a change that follows directly.
        settled = time.time_ns() - before.st_mtime_ns > _SETTLED_NS
        states = dict(self._files())
        if states != self._prints:
            self._load(states)
        self._seen = seen if settled else None

    def _files(self) -> Iterator[tuple[str, Print]]:
        with os.scandir(self.records_directory) as entries:
            for entry in entries:
                if entry.name.endswith(".json") and not entry.name.startswith("."):
                    info = print_of(Path(entry.path))
                    if info is not None:
                        yield entry.name.removesuffix(".json"), info

    def _load(self, states: dict[str, Print]) -> None:
        known = {name: record for name, record in self._known.items() if self._prints.get(name) == states.get(name)}
        damaged = {name: why for name, why in self._damaged.items() if self._prints.get(name) == states.get(name)}
        unsigned: dict[str, Record] = {}
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
        self._unproved.update(unsigned)
        self._sign(unsigned, states)
        self._change(known, states, damaged)

    def _read(self, name: str) -> tuple[Record, bool]:
        """Read a record, and whether its checksum was verified."""
        path = self.records_directory / f"{name}.json"
        if path.is_symlink() or path.stat().st_size > _LARGEST:
            raise ValueError("not a record")
        record, proved = read_record(path.read_bytes())
        if record.record_id != name:
            raise ValueError("its id does not match its file name")
        return record, proved

    def _sign(self, records: Mapping[str, Record], states: dict[str, Print]) -> None:
        """Add the missing checksum to records of older versions; records that cannot be written stay unchanged."""
        chosen = list(records)[:_SIGNED_AT_ONCE]
        if not chosen:
            return
        try:
            batch = Batch(self.records_directory)
        except OSError:
            return
        try:
            for name in chosen:
                batch.add(f"{name}.json", as_json(records[name]))
            batch.finish_unchanged({f"{name}.json": states[name] for name in chosen})
        except OSError:
            return
        finally:
            batch.close()
            for name in chosen:
                states[name] = print_of(self.records_directory / f"{name}.json") or states[name]

    def _change(self, known: dict[str, Record], states: dict[str, Print], damaged: dict[str, str]) -> None:
        self._known, self._prints, self._damaged = known, states, damaged
        self._state += 1

    # -- writing ---------------------------------------------------------------------------------------------------

    def add(self, record: Record) -> Stored:
        """Write one record; it is durable when this returns."""
        with Tray(self) as batch:
            return batch.add(record)

    def merged(self, known: Record | None, record: Record) -> Record:
        """Merge a record into the existing one; a decision is never replaced."""
        if known is None:
            return record
        if (known.record_type, record.record_type) != ("finding", "finding"):
            raise Failure("INVALID_REQUEST", f"Record {record.record_id} is a {known.record_type} and is not replaced.")
        return _merged(known, record)

    def has_room(self, more: int) -> bool:
        """Whether `more` new records fit."""
        return len(self._prints) + more <= MOST_RECORDS

    def find(self, record_id: str) -> Record | None:
        """Find one record without scanning the folder, which would be too slow for each of many records."""
        with self._lock:
            if record_id in self._known:
                return self._known[record_id]
        try:
            return self._read(record_id)[0]
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return None
        except OSError as error:
            # It may be a valid record, which must not be overwritten.
            raise Failure("FORBIDDEN", f"Record {record_id} cannot be read: {error.strerror}.",
                          hint="Check the read permissions of the records, and try again.") from None  # fmt: skip

    def keep_damaged(self, record_id: str) -> None:
        """Keep an existing damaged file under another name before a record replaces it."""
        path = self.records_directory / f"{record_id}.json"
        if os.path.lexists(path):
            set_aside(path)

    def learn(self, record: Record) -> None:
        """Add a written record to the cache, so that many writes do not scan the folder each."""
        info = print_of(self.records_directory / f"{record.record_id}.json")
        with self._lock:
            # Update in place: copying the mapping for each of many records would be as slow as reading them all.
            self._known[record.record_id] = record
            if info is not None:
                self._prints[record.record_id] = info
            self._damaged.pop(record.record_id, None)
            self._state += 1

    def stored(self, record: Record, outcome: str) -> Stored:
        path = self.records_directory / record.record_id
        return Stored(record.record_id, outcome, f"{path}.json", f"{path}.md")


class Tray:
    """Records being written to a store: each is written at once, and all are flushed and renamed together."""

    def __init__(self, store: Cabinet) -> None:
        self._cabinet = store
        self._waiting: dict[str, Record] = {}
        self._new = 0
        self._batch: Batch | None = None

    def add(self, record: Record) -> Stored:
        """Add a record unless an equal one exists."""
        store = self._cabinet
        waiting = self._waiting.get(record.record_id)
        known = waiting or store.find(record.record_id)
        record = store.merged(known, record)
        if record == known:
            return store.stored(record, "unchanged")
        if known is None and not store.has_room(self._new + 1):
            raise Failure("INVALID_REQUEST", f"The folder holds {MOST_RECORDS:,} records, which is the maximum.",
                          hint="Move old records out of the folder that recordsDir names.")  # fmt: skip
        try:
            batch = self._opened()
            if known is None:
                store.keep_damaged(record.record_id)
            batch.add(f"{record.record_id}.md", as_markdown(record).encode("utf-8", "replace"))
            batch.add(f"{record.record_id}.json", as_json(record))
        except OSError as error:
            raise durable(error) from None
        self._waiting[record.record_id] = record
        self._new += known is None
        if len(self._waiting) >= TOGETHER:
            self.flush()
        return store.stored(record, "updated" if known is not None else "added")

    def _opened(self) -> Batch:
        if self._batch is None:
            directory = self._cabinet.records_directory
            make_directory(directory)
            tidy(directory)
            self._batch = Batch(directory)
        return self._batch

    def flush(self) -> None:
        """Make the pending records durable and visible."""
        waiting, self._waiting, self._new = self._waiting, {}, 0
        if self._batch is None:
            return
        try:
            self._batch.finish()
        except OSError as error:
            raise durable(error) from None
        for record in waiting.values():
            self._cabinet.learn(record)

    def __enter__(self) -> "Tray":
        return self

    def __exit__(self, *_: object) -> None:
        """Flush the records that were added, even after an error."""
        try:
            self.flush()
        finally:
            if self._batch is not None:
                self._batch.close()


def _merged(known: Record, new: Record) -> Record:
    """Merge a repeated finding: keep its creation time, and routing that the new one does not set."""
    routing = {name: getattr(new, name) or getattr(known, name) for name in ("service", "env", "team", "owner", "repo")}
    created = min(known.created_at, new.created_at)
    made = replace(new, created_at=created, **routing)
    if made.exposure == type(made.exposure)():
        made = replace(made, exposure=known.exposure)
    # A source without dates uses the time of ingestion, which alone is not a change.
    return known if replace(made, updated_at=known.updated_at) == known else made


def get_record_store(project: Project) -> Cabinet:
    """The record store of a project."""
    return project.caches.part(Cabinet, lambda: Cabinet(project.directory / FOLDER))
