"""Sync: update one view. Unchanged files cost a stat, changed ones a hash, known content nothing more.

A first index of many files is published in parts, and one that was interrupted continues: `stages.py`.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from blake3 import blake3

from codecompass.engine.index.linter import Linter
from codecompass.engine.index.parse_task import ParsedBlob, ParseTask
from codecompass.engine.index.stages import FileRank, plan_stages
from codecompass.engine.index.worker_pool import BlobParser
from codecompass.engine.view.tree_sources import NOT_INDEXED, RACY_NS, SourceContent, SourceFile, TreeSource
from codecompass.errors import Failure
from codecompass.languages.detection import HEAD_BYTES
from codecompass.languages.registry import Registry
from codecompass.model.call import Call, Progress
from codecompass.model.code.coverage import PENDING
from codecompass.model.timestamp import utc_timestamp
from codecompass.store.ports import IndexWriter, NewBlob, NewView, ViewEntry, ViewRow
from codecompass.text.documents import EXTRA, can_read, detect_kind, get_size_limit, has_magic
from codecompass.text.sniff import is_binary

Key = tuple[bytes, str]
_NOTHING_LEFT: Mapping[str, ViewEntry] = {}


@dataclass(frozen=True, slots=True)
class SyncOutcome:
    """Result of a sync."""

    generation: int
    files: int
    symbols: int
    changed: int
    """Files whose content differs from the previous view, including new and deleted ones."""
    published: bool


@dataclass(frozen=True, slots=True)
class SyncContext:
    """Everything a sync works with."""

    writer: IndexWriter
    source: TreeSource
    registry: Registry
    pool: BlobParser
    linter: Linter
    call: Call
    orphaned_views: tuple[str, ...] = ()
    """Orphaned views, which the next publish removes."""
    rank: FileRank = lambda _: 0
    """Says which files a first index publishes first."""
    after_stage: Callable[[], None] = lambda: None
    """Called when a part was published and others follow."""


@dataclass
class _SyncRun:
    """State of one running sync."""

    entries: dict[str, ViewEntry] = field(default_factory=dict)
    unresolved: dict[str, tuple[SourceFile, Key]] = field(default_factory=dict)
    blobs: dict[Key, int] = field(default_factory=dict)
    unparsed: dict[Key, tuple[SourceContent, tuple[str, ...]]] = field(default_factory=dict)
    skips: dict[str, str] = field(default_factory=dict)
    unlinted: set[int] | None = None
    """Stored blobs that were never linted, because a sync was killed; None until they are looked up."""
    total: int = 0
    """Number of files to read."""
    done: int = 0
    """Number of files read."""

    @property
    def finished_files(self) -> int:
        """Number of finished files: some files that were read still wait for a parse worker."""
        return self.done - len(self.unparsed)


def sync_view(context: SyncContext, *, force: bool) -> SyncOutcome:
    """List, compare, parse what is new, publish. Publishes nothing when nothing changed."""
    writer, source, call = context.writer, context.source, context.call
    scanned_ns = time.time_ns()
    listing = source.list()
    before = writer.read_view(source.view)
    old = before[1] if before and not force else {}
    if before and before[0].files and not listing.files and not force and source.view.startswith("live:"):
        # An unmounted or emptied root must not delete the whole index.
        raise Failure("INTERNAL", "The workspace contains no files; the index was left unchanged.",
                      hint="Check that the directory is mounted; use --force if it is really empty.")  # fmt: skip
    run = _SyncRun(skips=dict(listing.skips))
    old_skips = writer.read_skips(source.view) if before else {}
    pending = {path for path, reason in old_skips.items() if reason == PENDING}
    # Parts of a view that is complete are not published: it would lose files that it has.
    in_stages = before is None or bool(pending and not force)
    unproved = pending | listing.uncertain
    proved = {path: entry for path, entry in old.items() if path not in unproved}
    unread = _reuse_unchanged(run, context, listing.files, proved, old_skips, before[0] if before else None)
    parts = _plan_parts(run, context, unread, proved, listing.files) if in_stages else [unread]
    run.total = sum(map(len, parts))
    _parse_parts(run, context, parts, proved, scanned_ns)
    _add_lint(run, context)
    indexed = sum(1 for entry in run.entries.values() if entry.blob != NOT_INDEXED)
    same = before is not None and (before[0].commit, before[0].head) == (source.commit, source.head)
    if same and before is not None and run.entries == before[1] and run.skips == old_skips:
        if unread:
            # Files too recent to trust their times were read and are equal; from this scan on their times are proof.
            writer.confirm_unchanged(source.view, scanned_ns)
        return SyncOutcome(before[0].generation, indexed, before[0].symbols, 0, published=False)
    call.check()
    call.report(Progress("publish", run.done, run.done))
    generation, symbols = _publish(run, context, scanned_ns)
    return SyncOutcome(generation, indexed, symbols, _count_changed(run, old), published=True)


def _plan_parts(
    run: _SyncRun,
    context: SyncContext,
    unread: list[SourceFile],
    old: Mapping[str, ViewEntry],
    files: list[SourceFile],
) -> list[list[SourceFile]]:
    """Plan the parts of a first index; what an interrupted one already has is read again at the end, if at all.

    That are files whose times prove nothing, and contents that were stored without linting.
    """
    registry, unlinted = context.registry, _find_unlinted(run, context)
    new = [item for item in unread if item.path not in old]
    parts = plan_stages(new, context.rank, lambda path: bool(registry.detect(path)))
    entries = run.entries if unlinted else {}
    parts[-1] += [item for item in unread if item.path in old]
    parts[-1] += [item for item in files if item.path in entries and entries[item.path].blob in unlinted]
    return parts


def _parse_parts(
    run: _SyncRun, context: SyncContext, parts: list[list[SourceFile]], old: Mapping[str, ViewEntry], scanned_ns: int
) -> None:
    """Parse files part by part, and publish each part but the last.

    Files of later parts keep the entry of an interrupted first index, or are pending.
    """
    for number, part in enumerate(parts, 1):
        _parse_files(run, context, part)
        if number < len(parts):
            rest = (item for later in parts[number:] for item in later if item.path not in run.entries)
            left = {
                item.path: old.get(item.path, ViewEntry(NOT_INDEXED, item.size, item.mtime_ns, item.ctime_ns))
                for item in rest
            }
            context.call.check()
            _publish(run, context, scanned_ns, left)
            context.after_stage()
            context.call.report(Progress("parse", run.done, run.total, "You can search now.", searchable=True))


def _publish(
    run: _SyncRun, context: SyncContext, scanned_ns: int, left: Mapping[str, ViewEntry] = _NOTHING_LEFT
) -> tuple[int, int]:
    """Publish what is parsed, and the entries of files that are not; return the generation and the symbols."""
    source = context.source
    entries = {**run.entries, **left} if left else run.entries
    pending = (path for path, entry in left.items() if entry.blob == NOT_INDEXED)
    symbols = context.writer.count_symbols(entry.blob for entry in entries.values() if entry.blob != NOT_INDEXED)
    generation = context.writer.publish(
        NewView(
            source.view,
            source.commit,
            source.head,
            utc_timestamp(),
            scanned_ns,
            entries,
            tuple(sorted((run.skips | dict.fromkeys(pending, PENDING)).items())),
            symbols,
            tuple(name for name in context.orphaned_views if name != source.view),
        )
    )
    return generation, symbols


def _count_changed(run: _SyncRun, old: dict[str, ViewEntry]) -> int:
    """Count files whose content changed, whether they were read or not."""
    gone = sum(1 for path in old if path not in run.entries)
    return gone + sum(_is_changed(entry, old.get(path), run.skips.get(path, "")) for path, entry in run.entries.items())


def _is_changed(entry: ViewEntry, before: ViewEntry | None, skip: str) -> bool:
    if before is None:
        return skip != "unreadable"
    # Of skipped files only the size is known.
    return entry.blob != before.blob or (entry.blob == NOT_INDEXED and entry.size != before.size)


def _reuse_unchanged(
    run: _SyncRun,
    context: SyncContext,
    files: list[SourceFile],
    old: dict[str, ViewEntry],
    old_skips: dict[str, str],
    before: ViewRow | None,
) -> list[SourceFile]:
    """Reuse the entry of every file that need not be read; return the other files."""
    unread, source = [], context.source
    scanned_ns = before.scanned_ns if before else 0
    same_commit = before is not None and source.view.startswith("ref:") and before.commit == source.commit
    oids = [item.oid for item in files if item.oid]
    objects = context.writer.find_blobs_by_oid(oids) if oids else {}
    # A file that exceeds or exceeded the limit is read again: the limit may have changed.
    cut = context.writer.find_blobs_with_note("truncated") if old else set()
    for item in files:
        entry = old.get(item.path)
        seen = not item.oid and entry is not None and entry[1:] == item[1:4] and item.mtime_ns < scanned_ns - RACY_NS
        doubtful = entry is not None and (entry.blob in cut or _exceeds_limit(item, source))
        if entry is not None and seen and not doubtful and old_skips.get(item.path) != "unreadable":
            run.entries[item.path] = entry
            if entry.blob == NOT_INDEXED:
                run.skips[item.path] = old_skips.get(item.path, "binary")
            continue
        known = _find_known_object(objects, context.registry, item, entry) if item.oid else None
        if known is not None:
            run.entries[item.path] = ViewEntry(known, item.size, 0, 0)
        elif entry is not None and same_commit and entry.blob == NOT_INDEXED and item.path in old_skips:
            run.entries[item.path] = entry
            run.skips[item.path] = old_skips[item.path]
        else:
            unread.append(item)
    return unread


def _exceeds_limit(item: SourceFile, source: TreeSource) -> bool:
    return item.size > source.max_bytes and item.size > get_size_limit(item.path, source.max_bytes)


def _find_known_object(
    objects: dict[tuple[bytes, str], int], registry: Registry, item: SourceFile, entry: ViewEntry | None
) -> int | None:
    """Return the blob of a git object that is already indexed in the language of this path."""
    if not registry.is_contested(item.path):
        return objects.get((item.oid, detect_kind(item.path) or registry.detect(item.path)))
    # The language depends on the bytes; without reading them only this path's previous blob can be reused.
    known = {objects.get((item.oid, name)) for name in ("", *registry.languages)}
    return entry.blob if entry is not None and entry.blob in known else None


def _parse_files(run: _SyncRun, context: SyncContext, unread: list[SourceFile]) -> None:
    """Read files, parse and store contents that are new, and make the entries of all."""
    writer, call, total = context.writer, context.call, run.total
    if not unread:
        return
    call.report(Progress("parse", run.done, total))
    for key, task, parsed in context.pool.run(_make_tasks(run, context, unread)):
        content, _ = run.unparsed.pop(key)
        if parsed is None:
            run.skips[content.file.path] = "unparseable"
            run.blobs[key] = NOT_INDEXED
            continue
        language = context.registry.display_name(task.language) or "text"
        run.blobs[key] = writer.add(_make_blob(key, content, task, parsed, language))
        call.report(Progress("parse", run.finished_files, total, task.path))
    call.report(Progress("parse", run.done, total))
    for path, (item, key) in run.unresolved.items():
        run.entries[path] = ViewEntry(run.blobs[key], item.size, item.mtime_ns, item.ctime_ns)
    run.unresolved.clear()


def _add_lint(run: _SyncRun, context: SyncContext) -> None:
    """Store what the linter said of the contents that were read."""
    for key, messages in context.linter.finish().items():
        if blob := run.blobs.get(key):
            context.writer.add_lint(blob, messages)


def _find_unlinted(run: _SyncRun, context: SyncContext) -> set[int]:
    """Find the blobs that a killed sync stored without linting; none if no linter runs."""
    if run.unlinted is None:
        languages = context.registry.linted_languages if context.linter.is_enabled else frozenset()
        run.unlinted = context.writer.find_unlinted(languages) if languages else set()
    return run.unlinted


def _make_tasks(run: _SyncRun, context: SyncContext, unread: list[SourceFile]) -> Iterator[tuple[Key, ParseTask]]:
    """Read, hash and detect the language lazily: memory holds no more than the pool has in flight."""
    writer, registry, linter = context.writer, context.registry, context.linter
    for content in context.source.read(unread):
        context.call.check()
        run.done += 1
        item = content.file
        if content.data is None:
            # A file that vanished between listing and reading is deleted; any other reason is recorded.
            if content.reason != "vanished":
                run.skips[item.path] = content.reason
            if content.reason == "unreadable":
                # Record it, so that it does not look like a new file at every query; the next sync tries it again.
                run.entries[item.path] = ViewEntry(NOT_INDEXED, item.size, item.mtime_ns, item.ctime_ns)
            continue
        if reason := _find_skip_reason(content, item.path):
            run.skips[item.path] = reason
            run.entries[item.path] = ViewEntry(NOT_INDEXED, item.size, item.mtime_ns, item.ctime_ns)
            continue
        language = detect_kind(item.path) or registry.detect(item.path, content.data[:HEAD_BYTES])
        key = (blake3(content.data).digest(), language)
        run.unresolved[item.path] = (item, key)
        if key in run.blobs or key in run.unparsed:
            continue
        known = writer.find_blobs_by_hash([key])
        if known:
            run.blobs[key] = known[key]
            if registry.is_linted(language) and known[key] in _find_unlinted(run, context):
                linter.add(key, content.data, item.path)
            continue
        notes = ("truncated",) if content.truncated else ()
        run.unparsed[key] = (content, notes)
        if registry.is_linted(language):
            linter.add(key, content.data, item.path)
        # A name that is not valid UTF-8 cannot be sent as text; the worker only needs its suffix.
        yield key, ParseTask(language, item.path.encode("utf-8", "replace").decode(), notes, content.data)


def _find_skip_reason(content: SourceContent, path: str) -> str:
    """Return why a file contains no text to index; empty when it does."""
    data, kind = content.data or b"", detect_kind(path)
    if kind and has_magic(kind, data):
        if not can_read(kind):
            return f"needs_extra_{EXTRA}"
        return "too_large" if content.truncated else ""
    return "binary" if is_binary(data) or kind else ""


def _make_blob(key: Key, content: SourceContent, task: ParseTask, parsed: ParsedBlob, shown_language: str) -> NewBlob:
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
        document_text=parsed.rendition,
        facets=parsed.facets,
        shown_language=shown_language,
    )
