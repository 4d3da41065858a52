"""Ingestion: convert the findings of a file or stream into records. Invalid items are reported; the others are kept."""

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from codecompass.engine.triage.atomic_batch import make_directory
from codecompass.engine.triage.decisions import now
from codecompass.engine.triage.record_store import Tray, get_record_store
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.findings.draft import Unfit
from codecompass.findings.item_reader import Item, items
from codecompass.findings.record_builder import checked_meta, exposed, records
from codecompass.model.call import Call
from codecompass.model.triage_values import Exposure, IngestOrder, IngestReport, ItemError, Place, Record, Stored
from codecompass.repo.files.path_guard import open_regular

MOST_NAMED = 1_000
"""Maximum records and errors that a report lists; it counts all of them."""
MOST_SPOOLED = 1 << 30
"""Maximum bytes of a stream, which is spooled to disk."""
_EVERY = 64
MERGED_SOURCES = ("generic", "manual")
"""Sources whose ids may identify a rule, so that several items of a file are one finding at several places."""
MOST_PLACES = 100
"""Maximum places of one finding."""


def ingest(
    project: Project, roots: tuple[str, ...], order: IngestOrder, call: Call, stream: BinaryIO | None
) -> IngestReport:
    """Ingest all findings of a file. Repeating it changes only what changed at the source."""
    batch = Tray(get_record_store(project))
    tally = _Tally(project, order, call, batch)
    with _opened(project, roots, order, stream, call) as (file, name), batch:
        # Scan the folder once; each record is then looked up by its name.
        get_record_store(project).records()
        if order.source in MERGED_SOURCES:
            tally.gather_places(items(file, order.source, name))
            file.seek(0)
        for item in items(file, order.source, name):
            tally.take(item)
    return tally.report()


class _Tally:
    """The progress and results of one ingestion."""

    def __init__(self, project: Project, order: IngestOrder, call: Call, batch: Tray) -> None:
        self._project, self._order, self._call, self._tray = project, order, call, batch
        self._meta = checked_meta(order.meta)
        exposed(Exposure(), self._meta)
        self._moment = now()
        self._counts: Counter[str] = Counter()
        self._stored: dict[str, Stored] = {}
        self._problems: list[ItemError] = []
        self._places: dict[str, dict[Place, None]] = {}
        self._warned = 0
        self._seen = 0

    def take(self, item: Item) -> None:
        self._call.check()
        if self._seen % _EVERY == 0:
            self._call.step("findings", self._seen)
        try:
            for record in records(item, self._order.source, self._meta, self._moment):
                record = self._with_all_places(record)
                stored = self._tray.add(record)
                self._counts[stored.outcome] += 1
                self._warned += bool(record.parse_warnings)
                self._seen += 1
                if len(self._stored) < MOST_NAMED or record.record_id in self._stored:
                    self._stored[record.record_id] = stored
        except Unfit as unfit:
            self._bad(item, str(unfit))
        except Failure as failure:
            if failure.code != "INVALID_REQUEST":
                raise
            self._bad(item, failure.message)

    def gather_places(self, found: Iterator[Item]) -> None:
        """Collect the places of each finding: a file may report one finding as several items."""
        for item in found:
            self._call.check()
            try:
                for record in records(item, self._order.source, self._meta, self._moment):
                    if record.places:
                        self._places.setdefault(record.record_id, {}).update(dict.fromkeys(record.places))
            except (Unfit, Failure):
                continue  # reported when the items are ingested

    def _with_all_places(self, record: Record) -> Record:
        places = self._places.get(record.record_id)
        return replace(record, places=tuple(places)[:MOST_PLACES]) if places else record

    def _bad(self, item: Item, reason: str) -> None:
        self._counts["error"] += 1
        if len(self._problems) < MOST_NAMED:
            self._problems.append(ItemError(self._seen, item.position, reason[:300]))
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
            searchable=len(store.records()[1]) if self._order.warm else None,
        )


@contextmanager
def _opened(
    project: Project, roots: tuple[str, ...], order: IngestOrder, stream: BinaryIO | None, call: Call
) -> Iterator[tuple[BinaryIO, str]]:
    """Open the input as a seekable file, and return its name."""
    if stream is None:
        with input_file(project.workspace.root, roots, order.path) as file:
            yield file, order.path
        return
    directory = get_record_store(project).directory
    make_directory(directory)
    with tempfile.TemporaryFile(dir=directory) as spool:
        size = 0
        while piece := stream.read(1 << 16):
            call.check()
            size += len(piece)
            if size > MOST_SPOOLED:
                raise Failure("INVALID_REQUEST", f"The input is larger than {MOST_SPOOLED:,} bytes.",
                              hint="Write it to a file and pass its path.")  # fmt: skip
            spool.write(piece)
        spool.seek(0)
        yield spool, order.path


def input_file(root: Path, roots: tuple[str, ...], named: str) -> BinaryIO:
    """Open the input file: inside the workspace or an allowed root, not a secret, not through a link that leaves."""
    if "\0" in named:
        raise Failure("INVALID_REQUEST", "inputPath must not contain NUL.")
    path = os.path.normpath(os.path.join(root, named))
    for allowed in (str(root), *roots):
        real = os.path.realpath(allowed)
        for top in (allowed, real):
            if path.startswith(top.rstrip("/" + os.sep) + os.sep):
                return _readable(Path(real), os.path.relpath(path, top).replace(os.sep, "/"))
    raise Failure("FORBIDDEN", "inputPath lies outside the workspace and the allowed roots.",
                  hint="Copy the file there, or pipe it into 'codecompass triage ingest SOURCE -'.")  # fmt: skip


def _readable(root: Path, relative: str) -> BinaryIO:
    try:
        return open_regular(root, relative)
    except Failure as failure:
        if failure.code != "FILE_NOT_FOUND":
            raise
        hint = "inputPath must be a JSON or JSONL file, relative to the workspace or absolute."
        raise Failure(failure.code, failure.message, failure.details, hint) from None
