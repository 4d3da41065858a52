"""Sync: update one view. Unchanged files cost a stat, changed ones a hash, known content nothing more."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from blake3 import blake3

from codecompass.engine.index.linter import Linter
from codecompass.engine.index.parse_task import Parsed, Task
from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.view.tree_sources import NOT_INDEXED, RACY_NS, Candidate, Content, Source
from codecompass.errors import Failure
from codecompass.languages.detection import HEAD_BYTES
from codecompass.languages.registry import Registry
from codecompass.model.call import Call, Progress
from codecompass.store.ports import Entry, IndexWriter, NewBlob, NewView, ViewRow
from codecompass.text.documents import EXTRA, can_read, document_kind, looks_like, size_limit
from codecompass.text.sniff import is_binary

Key = tuple[bytes, str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a sync."""

    generation: int
    files: int
    symbols: int
    changed: int
    """Files whose content differs from the previous view, including new and deleted ones."""
    published: bool


@dataclass(frozen=True, slots=True)
class Workshop:
    """Everything a sync works with."""

    writer: IndexWriter
    source: Source
    registry: Registry
    pool: WorkerPool
    linter: Linter
    call: Call
    forgotten: tuple[str, ...] = ()
    """Orphaned views, which the next publish removes."""


@dataclass
class _Run:
    """State of one running sync."""

    entries: dict[str, Entry] = field(default_factory=dict)
    waiting: dict[str, tuple[Candidate, Key]] = field(default_factory=dict)
    blobs: dict[Key, int] = field(default_factory=dict)
    sources: dict[Key, tuple[Content, tuple[str, ...]]] = field(default_factory=dict)
    skips: dict[str, str] = field(default_factory=dict)
    done: int = 0
    """Number of files read."""

    @property
    def settled(self) -> int:
        """Number of finished files: some files that were read still wait for a parse worker."""
        return self.done - len(self.sources)


def sync_view(context: Workshop, *, force: bool) -> Outcome:
    """List, compare, parse what is new, publish. Publishes nothing when nothing changed."""
    writer, source, call = context.writer, context.source, context.call
    scanned_ns = time.time_ns()
    listing = source.list()
    before = writer.previous(source.view)
    old = before[1] if before and not force else {}
    if before and before[0].files and not listing.files and not force and source.view.startswith("live:"):
        # An unmounted or emptied root must not delete the whole index.
        raise Failure("INTERNAL", "The workspace contains no files; the index was left unchanged.",
                      hint="Check that the directory is mounted; use --force if it is really empty.")  # fmt: skip
    run = _Run(skips=dict(listing.skips))
    old_skips = writer.skips_of(source.view) if before else {}
    proved = {path: entry for path, entry in old.items() if path not in listing.unsure}
    unread = _keep_unchanged(run, context, listing.files, proved, old_skips, before[0] if before else None)
    _parse_fresh(run, context, unread)
    for path, (item, key) in run.waiting.items():
        run.entries[path] = Entry(run.blobs[key], item.size, item.mtime_ns, item.ctime_ns)
    indexed = sum(1 for entry in run.entries.values() if entry.blob != NOT_INDEXED)
    same = before is not None and (before[0].commit, before[0].head) == (source.commit, source.head)
    if same and before is not None and run.entries == before[1] and run.skips == old_skips:
        if unread:
            # Files too recent to trust their times were read and are equal; from this scan on their times are proof.
            writer.confirm(source.view, scanned_ns)
        return Outcome(before[0].generation, indexed, before[0].symbols, 0, published=False)
    call.check()
    call.report(Progress("publish", run.done, run.done))
    symbols = writer.symbol_count(entry.blob for entry in run.entries.values() if entry.blob != NOT_INDEXED)
    indexed_at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    skips = tuple(sorted(run.skips.items()))
    generation = writer.publish(
        NewView(
            source.view,
            source.commit,
            source.head,
            indexed_at,
            scanned_ns,
            run.entries,
            skips,
            symbols,
            tuple(name for name in context.forgotten if name != source.view),
        )  # fmt: skip
    )
    return Outcome(generation, indexed, symbols, _changed(run, old), published=True)


def _changed(run: _Run, old: dict[str, Entry]) -> int:
    """Count files whose content changed, whether they were read or not."""
    gone = sum(1 for path in old if path not in run.entries)
    return gone + sum(_differs(entry, old.get(path), run.skips.get(path, "")) for path, entry in run.entries.items())


def _differs(entry: Entry, before: Entry | None, skip: str) -> bool:
    if before is None:
        return skip != "unreadable"
    # Of skipped files only the size is known.
    return entry.blob != before.blob or (entry.blob == NOT_INDEXED and entry.size != before.size)


def _keep_unchanged(
    run: _Run,
    context: Workshop,
    files: list[Candidate],
    old: dict[str, Entry],
    old_skips: dict[str, str],
    before: ViewRow | None,
) -> list[Candidate]:
    """Reuse the entry of every file that need not be read; return the other files."""
    unread, source = [], context.source
    scanned_ns = before.scanned_ns if before else 0
    same_commit = before is not None and source.view.startswith("ref:") and before.commit == source.commit
    oids = [item.oid for item in files if item.oid]
    objects = context.writer.known_objects(oids) if oids else {}
    # A file that exceeds or exceeded the limit is read again: the limit may have changed.
    cut = context.writer.blobs_noted("truncated") if old else set()
    for item in files:
        entry = old.get(item.path)
        seen = not item.oid and entry is not None and entry[1:] == item[1:4] and item.mtime_ns < scanned_ns - RACY_NS
        doubtful = entry is not None and (entry.blob in cut or _exceeds(item, source))
        if entry is not None and seen and not doubtful and old_skips.get(item.path) != "unreadable":
            run.entries[item.path] = entry
            if entry.blob == NOT_INDEXED:
                run.skips[item.path] = old_skips.get(item.path, "binary")
            continue
        known = _known_object(objects, context.registry, item, entry) if item.oid else None
        if known is not None:
            run.entries[item.path] = Entry(known, item.size, 0, 0)
        elif entry is not None and same_commit and entry.blob == NOT_INDEXED and item.path in old_skips:
            run.entries[item.path] = entry
            run.skips[item.path] = old_skips[item.path]
        else:
            unread.append(item)
    return unread


def _exceeds(item: Candidate, source: Source) -> bool:
    return item.size > source.max_bytes and item.size > size_limit(item.path, source.max_bytes)


def _known_object(
    objects: dict[tuple[bytes, str], int], registry: Registry, item: Candidate, entry: Entry | None
) -> int | None:
    """Return the blob of a git object that is already indexed in the language of this path."""
    if not registry.is_contested(item.path):
        return objects.get((item.oid, document_kind(item.path) or registry.detect(item.path)))
    # The language depends on the bytes; without reading them only this path's previous blob can be reused.
    known = {objects.get((item.oid, name)) for name in ("", *registry.languages)}
    return entry.blob if entry is not None and entry.blob in known else None


def _parse_fresh(run: _Run, context: Workshop, unread: list[Candidate]) -> None:
    writer, call = context.writer, context.call
    total = len(unread)
    if not total:
        return
    call.report(Progress("parse", 0, total))
    for key, task, parsed in context.pool.run(_tasks(run, context, unread)):
        content, _ = run.sources.pop(key)
        if parsed is None:
            run.skips[content.candidate.path] = "unparseable"
            run.blobs[key] = NOT_INDEXED
            continue
        language = context.registry.shown_name(task.language) or "text"
        run.blobs[key] = writer.add(_new_blob(key, content, task, parsed, language))
        call.report(Progress("parse", run.settled, total, task.path))
    for key, messages in context.linter.finish().items():
        if blob := run.blobs.get(key):
            writer.add_lint(blob, messages)
    call.report(Progress("parse", total, total))


def _tasks(run: _Run, context: Workshop, unread: list[Candidate]) -> Iterator[tuple[Key, Task]]:
    """Read, hash and detect the language lazily: memory holds no more than the pool has in flight."""
    writer, registry, linter = context.writer, context.registry, context.linter
    for content in context.source.read(unread):
        context.call.check()
        run.done += 1
        item = content.candidate
        if content.data is None:
            # A file that vanished between listing and reading is deleted; any other reason is recorded.
            if content.reason != "vanished":
                run.skips[item.path] = content.reason
            if content.reason == "unreadable":
                # Record it, so that it does not look like a new file at every query; the next sync tries it again.
                run.entries[item.path] = Entry(NOT_INDEXED, item.size, item.mtime_ns, item.ctime_ns)
            continue
        if reason := _no_text(content, item.path):
            run.skips[item.path] = reason
            run.entries[item.path] = Entry(NOT_INDEXED, item.size, item.mtime_ns, item.ctime_ns)
            continue
        language = document_kind(item.path) or registry.detect(item.path, content.data[:HEAD_BYTES])
        key = (blake3(content.data).digest(), language)
        run.waiting[item.path] = (item, key)
        if key in run.blobs or key in run.sources:
            continue
        known = writer.known([key])
        if known:
            run.blobs[key] = known[key]
            if registry.is_linted(language) and not writer.has_lint(known[key]):
                linter.take(key, content.data, item.path)  # a killed sync stored it without linting
            continue
        notes = ("truncated",) if content.truncated else ()
        run.sources[key] = (content, notes)
        if registry.is_linted(language):
            linter.take(key, content.data, item.path)
        # A name that is not valid UTF-8 cannot be sent as text; the worker only needs its suffix.
        yield key, Task(language, item.path.encode("utf-8", "replace").decode(), notes, content.data)


def _no_text(content: Content, path: str) -> str:
    """Return why a file contains no text to index; empty when it does."""
    data, kind = content.data or b"", document_kind(path)
    if kind and looks_like(kind, data):
        if not can_read(kind):
            return f"needs_extra_{EXTRA}"
        return "too_large" if content.truncated else ""
    return "binary" if is_binary(data) or kind else ""


def _new_blob(key: Key, content: Content, task: Task, parsed: Parsed, shown_language: str) -> NewBlob:
    return NewBlob(
        hash=key[0],
        language=key[1],
        oid=content.oid,
        size=len(task.data),
        notes=parsed.notes,
        packs=parsed.packs,
        symbols=parsed.symbols,
        mentions=parsed.mentions,
        documents=parsed.documents,
        trigrams=parsed.trigrams,
        rendition=parsed.rendition,
        facets=parsed.facets,
        shown_language=shown_language,
    )
