"""Faults that were found in use, or that a careless change could bring, as rows: each can be put back into the program,
to see whether a run finds it.
"""

import errno
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codecompass.engine.index import sync, vector_build
from codecompass.engine.jobs import job_runner
from codecompass.engine.triage import record_store
from codecompass.engine.view import freshness
from codecompass.engine.view.freshness import FreshnessProbe
from codecompass.engine.view.view_summary import ViewSummaryCache
from codecompass.engine.workspace.project import Project
from codecompass.findings import record_writer
from codecompass.model.triage_values import TriageRecord
from codecompass.repo.files import tree_monitor
from codecompass.repo.git import shadow_directory
from codecompass.store.embedded import embedded_store
from codecompass.store.embedded.catalog import index_writer
from codecompass.store.embedded.catalog.index_writer import EmbeddedWriter
from codecompass.store.embedded.catalog.snapshot_caches import SnapshotCaches
from codecompass.store.embedded.databases import readonly_open, sqlite_connection
from codecompass.store.embedded.databases.derived_database import DerivedDatabase
from codecompass.store.embedded.files import directory_maintenance
from codecompass.store.embedded.text import segment_merge, text_index
from codecompass.store.embedded.text.text_index import TextWriter
from codecompass.store.embedded.vectors.vector_writer import EmbeddedVectorWriter
from codecompass.store.ports import TextSegment
from tests.simulation.run_limits import replaced

Patches = tuple[tuple[Any, str, object], ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault, and what of the program is replaced to have it again."""

    name: str
    about: str
    patches: Callable[[], Patches]


def _nothing(*_: object, **__: object) -> None:
    """Does nothing, and says so to nobody."""


def _text_keeps() -> Patches:
    return ((TextWriter, "remove", _nothing), *_uncounted())


def _uncounted() -> Patches:
    """Where a commit of the text index is proved by a count, what is found counts as right."""
    if "_commit_text" not in vars(EmbeddedWriter):
        return ()

    def commit_text(self: Any) -> None:  # noqa: ANN401 - a writer that counts
        writer = self._open_text()
        writer.commit()
        self._documents = writer.count_documents()
        self._set("documents", self._documents)

    return ((EmbeddedWriter, "_commit_text", commit_text),)


def _text_of_the_dead() -> Patches:
    def trust(self: EmbeddedWriter, text: TextWriter) -> None:
        self._documents = text.count_documents()
        self._text_dirty = self._unfinished

    # A count would show what is left, and the writer repairs what it counts.
    return (
        (TextWriter, "remove_range", _nothing), (EmbeddedWriter, "_sync_text_with_catalog", trust), *_uncounted()
    )  # fmt: skip


def _numbers_twice() -> Patches:
    def recover(self: EmbeddedWriter) -> int:
        found = sqlite_connection.query_rows(self._connection, "SELECT coalesce(max(id), 0) FROM blobs")
        return int(found[0][0]) + 1

    return ((EmbeddedWriter, "_recover", recover),)


def _rows_before_text() -> Patches:
    def end_batch(self: EmbeddedWriter) -> None:
        self._flush_rows()
        self._connection.execute("COMMIT")
        self._batch_bytes = 0

    return ((EmbeddedWriter, "_end_batch", end_batch),)


def _vectors_stay() -> Patches:
    return ((EmbeddedVectorWriter, "sweep", _nothing),)


def _vectors_missing() -> Patches:
    original = EmbeddedVectorWriter.find_missing

    def some(self: EmbeddedVectorWriter, *arguments: Any) -> list[tuple[str, int, bool]]:  # noqa: ANN401 - passed on
        return [row for row in original(self, *arguments) if not row[2]]

    return ((EmbeddedVectorWriter, "find_missing", some),)


def _old_caches() -> Patches:
    def turn_to(self: SnapshotCaches, store_id: str, generation: int) -> None:
        self.store_id, self.generation = store_id, generation

    return ((SnapshotCaches, "switch_to", turn_to),)


def _times_alone() -> Patches:
    return ((sync, "RACY_NS", -(10**18)), (tree_monitor, "TIMESTAMP_GRANULARITY_NS", -(10**18)))


def _rules_unseen() -> Patches:
    return ((tree_monitor, "LISTING_RULE_NAMES", frozenset()),)


def _owned_swept() -> Patches:
    return ((directory_maintenance, "DERIVED", (*directory_maintenance.DERIVED, "records.db", "triage")),)


def _any_format() -> Patches:
    return ((embedded_store, "check_schema", _nothing), (sqlite_connection, "check_schema", _nothing))


def _one_view() -> Patches:
    original = Project.view_name

    def view_name(self: Project, ref: str) -> str:
        return original(self, "live")

    return ((Project, "view_name", view_name),)


def _gone_stay() -> Patches:
    def previous(self: EmbeddedWriter, name: str) -> object:
        found = original(self, name)
        return None if found is None else (found[0], {})

    original = EmbeddedWriter.read_view
    return ((EmbeddedWriter, "read_view", previous),)


def _quiet_writes() -> Patches:
    return (
        (FreshnessProbe, "_find_unreported", lambda self: []),
        (tree_monitor.TreeMonitor, "refresh_file", lambda self, path: False),
        (tree_monitor, "SMALL_TREE_FILES", -1),
        (tree_monitor, "FULL_CHECK_INTERVAL_S", 1e9),
        (tree_monitor, "find_mapped_files", lambda root: frozenset()),
        (freshness, "may_be_written", lambda path: False),
    )


def _ignored_read() -> Patches:
    def differing(self: Any, view: Any) -> object:  # noqa: ANN401 - a probe and a view
        moved, _ = original(self, view)
        return moved, moved

    original = FreshnessProbe.find_changes
    return ((FreshnessProbe, "find_changes", differing),)


def _errors_are_damage() -> Patches:
    return ((text_index, "_system_error", lambda error, directory: None),)


def _refs_lost() -> Patches:
    return ((job_runner, "_list_other_refs", lambda project, ref: ()),)


def _own_vectors_only() -> Patches:
    def select(project: Any, ref: str, snapshot: Any, writer: Any, unreadable: Any) -> object:  # noqa: ANN401
        own = project.find_view(snapshot, ref)
        return own, [file for file in writer.find_missing(snapshot, own) if file[:2] not in unreadable]

    return ((vector_build, "_select_missing", select),)


def _records_unproved() -> Patches:
    def read(data: bytes) -> tuple[TriageRecord, bool]:
        found = json.loads(data)
        found.pop(record_writer.CHECKSUM, None)
        return record_writer._convert_record(found), True

    return ((record_store, "read_record", read),)


def _shadow_unproved() -> Patches:
    def write_once(path: Path, text: str) -> None:
        if not path.exists():
            path.write_text(text)

    return (
        (shadow_directory, "_is_intact", lambda shadow: shadow.is_dir()),
        (shadow_directory, "_write_if_changed", write_once),
    )


def _caches_stay_damaged() -> Patches:
    def run_once(self: Any, work: Callable[[Any], object]) -> object:  # noqa: ANN401 - a database of any kind
        with self._lock, sqlite_connection.map_sqlite_errors(self._path.name):
            return work(self._open())

    return ((DerivedDatabase, "_run", run_once),)


def _readers_need_room() -> Patches:
    def refuse(path: Path, cache_kib: int) -> object:
        raise OSError(errno.ENOSPC, "no room", str(path))

    return ((readonly_open, "_open_unshared", refuse),)


def _logs_grow() -> Patches:
    return ((sqlite_connection, "WAL_PAGES", 10**6),)


def _old_deletions_needed() -> Patches:
    def verify(directory: Path, segments: Sequence[TextSegment]) -> None:
        listed = segment_merge.read_delete_files(directory / text_index.WORK)
        wanted = [item for item in segments if item.name.partition(".")[0] in listed]
        text_index.verify_files(directory / text_index.WORK, wanted, set())

    return ((index_writer, "verify_work", verify),)


def _part_is_whole() -> Patches:
    return ((ViewSummaryCache, "count_pending", lambda self, view: 0),)


FAULTS = (
    Fault("quiet_writes", "Writes through mappings and other links go unseen.", _quiet_writes),
    Fault("ignored_read", "Files that became ignored are still searched.", _ignored_read),
    Fault("errors_are_damage", "A full disk under the text index counts as damage.", _errors_are_damage),
    Fault("text_keeps", "Contents that were swept stay in the text index.", _text_keeps),
    Fault("text_of_the_dead", "What a killed writer left in the text index stays there.", _text_of_the_dead),
    Fault("numbers_twice", "Numbers of contents that were swept are used a second time.", _numbers_twice),
    Fault("rows_before_text", "Rows of a batch are durable before its text is.", _rows_before_text),
    Fault("vectors_stay", "Vectors of what no view shows are never swept.", _vectors_stay),
    Fault("vectors_missing", "A content under a second path gets no vectors of its place.", _vectors_missing),
    Fault("old_caches", "A reader keeps what it knew of an earlier generation.", _old_caches),
    Fault("times_alone", "Times are believed however young they are.", _times_alone),
    Fault("rules_unseen", "A change of ignore rules goes unseen by a watch.", _rules_unseen),
    Fault("owned_swept", "Cleaning removes what is owned.", _owned_swept),
    Fault("any_format", "An index of another format is read as if it were ours.", _any_format),
    Fault("one_view", "Every ref is answered from the working tree.", _one_view),
    Fault("gone_stay", "Files that are gone stay in the view.", _gone_stay),
    Fault("refs_lost", "A rebuild brings back only the ref that is being synced.", _refs_lost),
    Fault("own_vectors_only", "Once vectors are damaged a sync makes only those of its own view.", _own_vectors_only),
    Fault("records_unproved", "A finding with a wrong byte is shown as if it were true.", _records_unproved),
    Fault("shadow_unproved", "Damage of the shadow git directory stays.", _shadow_unproved),
    Fault("caches_stay_damaged", "A damaged history.db or memory.db is not made anew.", _caches_stay_damaged),
    Fault("readers_need_room", "On a full disk a new reader cannot open the index.", _readers_need_room),
    Fault("logs_grow", "Logs of databases are never written back.", _logs_grow),
    Fault("old_deletions_needed", "A replaced file of deletions is missed as if lost.", _old_deletions_needed),
    Fault("part_is_whole", "A part of a first index answers as if it were all.", _part_is_whole),
)
BY_NAME: Mapping[str, Fault] = {fault.name: fault for fault in FAULTS}


def put_back(name: str) -> AbstractContextManager[None]:
    """The program with a fault; without a name as it is."""
    return _patched(BY_NAME[name].patches() if name else ())


@contextmanager
def _patched(patches: Patches) -> Iterator[None]:
    with ExitStack() as stack:
        for owner, name, value in patches:
            stack.enter_context(replaced(owner, name, value))
        yield
