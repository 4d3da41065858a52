"""Ingestion: convert the findings of a file or stream into records. Invalid items are reported; the others are kept."""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from codecompass.atomic import make_directory
from codecompass.confine import AllowedRoots
from codecompass.engine.triage.record_store import RecordBatch, get_record_store
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.findings.draft import UnfitItemError
from codecompass.findings.item_reader import ScannerItem, read_items
from codecompass.findings.record_builder import build_records, check_meta, merge_exposure
from codecompass.model.call import Call
from codecompass.model.timestamp import utc_timestamp
from codecompass.model.triage_values import (
    AssetExposure,
    FindingLocation,
    IngestItemError,
    IngestReport,
    IngestRequest,
    StoredRecord,
    TriageRecord,
)
from codecompass.repo.files.path_guard import open_regular

MAX_NAMED = 1_000
"""Maximum records and errors that a report lists; it counts all of them."""
MAX_SPOOLED_BYTES = 1 << 30
"""Maximum bytes of a stream, which is spooled to disk."""
_PROGRESS_INTERVAL = 64
MERGED_SOURCES = ("generic", "manual")
"""Sources whose ids may identify a rule, so that several items of a file are one finding at several places."""
MAX_PLACES = 100
"""Maximum places of one finding."""


def ingest(
    project: Project, roots: tuple[str, ...], order: IngestRequest, call: Call, stream: BinaryIO | None
) -> IngestReport:
    """Ingest all findings of a file. Repeating it changes only what changed at the source."""
    batch = RecordBatch(get_record_store(project))
    tally = _Ingestion(project, order, call, batch)
    with _open_input(project, roots, order, stream, call) as (file, name), batch:
        # Scan the folder once; each record is then looked up by its name.
        get_record_store(project).get_records()
        if order.source in MERGED_SOURCES:
            tally.gather_places(read_items(file, order.source, name))
            file.seek(0)
        for item in read_items(file, order.source, name):
            tally.ingest_item(item)
    return tally.report()


class _Ingestion:
    """The progress and results of one ingestion."""

    def __init__(self, project: Project, order: IngestRequest, call: Call, batch: RecordBatch) -> None:
        self._project, self._order, self._call, self._batch = project, order, call, batch
        self._meta = check_meta(order.meta)
        merge_exposure(AssetExposure(), self._meta)
        self._moment = utc_timestamp()
        self._counts: Counter[str] = Counter()
        self._stored: dict[str, StoredRecord] = {}
        self._problems: list[IngestItemError] = []
        self._places: dict[str, dict[FindingLocation, None]] = {}
        self._warned = 0
        self._seen = 0

    def ingest_item(self, item: ScannerItem) -> None:
        self._call.check()
        if self._seen % _PROGRESS_INTERVAL == 0:
            self._call.step("findings", self._seen)
        try:
            for record in build_records(item, self._order.source, self._meta, self._moment):
                record = self._with_all_places(record)
                stored = self._batch.add(record)
                self._counts[stored.outcome] += 1
                self._warned += bool(record.parse_warnings)
                self._seen += 1
                if len(self._stored) < MAX_NAMED or record.record_id in self._stored:
                    self._stored[record.record_id] = stored
        except UnfitItemError as unfit:
            self._record_error(item, str(unfit))
        except Failure as failure:
            if failure.code != "INVALID_REQUEST":
                raise
            self._record_error(item, failure.message)

    def gather_places(self, found: Iterator[ScannerItem]) -> None:
        """Collect the places of each finding: a file may report one finding as several items."""
        for item in found:
            self._call.check()
            try:
                for record in build_records(item, self._order.source, self._meta, self._moment):
                    if record.places:
                        self._places.setdefault(record.record_id, {}).update(dict.fromkeys(record.places))
            except (UnfitItemError, Failure):
                continue  # reported when the items are ingested

    def _with_all_places(self, record: TriageRecord) -> TriageRecord:
        places = self._places.get(record.record_id)
        return replace(record, places=tuple(places)[:MAX_PLACES]) if places else record

    def _record_error(self, item: ScannerItem, reason: str) -> None:
        self._counts["error"] += 1
        if len(self._problems) < MAX_NAMED:
            self._problems.append(IngestItemError(self._seen, item.position, reason[:300]))
        self._seen += 1

    def report(self) -> IngestReport:
        warnings = (
            [f"{self._warned} records were ingested with warnings; see the warnings of each."] if self._warned else []
        )
        store = get_record_store(self._project)
        return IngestReport(
            source=self._order.source,
            repo_root=str(self._project.workspace.root),
            records_dir=str(store.records_directory),
            total=self._seen,
            counts={name: count for name, count in self._counts.items() if name != "error"},
            errors=self._counts["error"],
            stored=tuple(self._stored.values()),
            problems=tuple(self._problems),
            warnings=tuple(warnings),
            searchable=len(store.get_records()[1]) if self._order.warm else None,
        )


@contextmanager
def _open_input(
    project: Project, roots: tuple[str, ...], order: IngestRequest, stream: BinaryIO | None, call: Call
) -> Iterator[tuple[BinaryIO, str]]:
    """Open the input as a seekable file, and return its name."""
    if stream is None:
        with open_input_file(project.workspace.root, roots, order.path) as file:
            yield file, order.path
        return
    directory = get_record_store(project).directory
    make_directory(directory)
    with tempfile.TemporaryFile(dir=directory) as spool:
        size = 0
        while piece := stream.read(1 << 16):
            call.check()
            size += len(piece)
            if size > MAX_SPOOLED_BYTES:
                raise Failure("INVALID_REQUEST", f"The input is larger than {MAX_SPOOLED_BYTES:,} bytes.",
                              hint="Write it to a file and pass its path.")  # fmt: skip
            spool.write(piece)
        spool.seek(0)
        yield spool, order.path


def open_input_file(root: Path, roots: tuple[str, ...], named: str) -> BinaryIO:
    """Open the input file: inside the workspace or an allowed root, not a secret, not through a link that leaves."""
    if "\0" in named:
        raise Failure("INVALID_REQUEST", "inputPath must not contain NUL.")
    found = AllowedRoots((root, *roots)).find_spelled(os.path.join(root, named))
    if found is not None:
        return _open_readable(found.root, found.relative)
    raise Failure("FORBIDDEN", "inputPath lies outside the workspace and the allowed roots.",
                  hint="Copy the file there, or pipe it into 'codecompass triage ingest SOURCE -'.")  # fmt: skip


def _open_readable(root: Path, relative: str) -> BinaryIO:
    try:
        return open_regular(root, relative)
    except Failure as failure:
        if failure.code != "FILE_NOT_FOUND":
            raise
        hint = "inputPath must be a JSON or JSONL file, relative to the workspace or absolute."
        raise Failure(failure.code, failure.message, failure.details, hint) from None
