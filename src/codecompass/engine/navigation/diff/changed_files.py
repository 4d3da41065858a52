"""Changed files: read and parse the files that differ between two sides.

Facts from the index are used if they belong to exactly the bytes that were read; everything else is parsed on demand by
the same worker processes that build the index.
"""

from dataclasses import dataclass, field
from typing import cast

from blake3 import blake3

from codecompass.engine.index.parse_task import ParsedBlob, ParseTask
from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.navigation.diff.fingerprint import FileDefinitions
from codecompass.engine.navigation.diff.sides import FilePair, Side
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.view.tree_sources import NOT_INDEXED, SourceContent, SourceFile
from codecompass.languages.detection import HEAD_BYTES
from codecompass.model.call import Call
from codecompass.model.code.facts import Facts, References
from codecompass.store.fact_codec import unpack_facts, unpack_references
from codecompass.store.ports import Snapshot, ViewEntry, ViewRow
from codecompass.text.documents import detect_kind
from codecompass.text.sniff import decode, is_binary, sniff

MAX_FILES = 500
"""Maximum number of changed files whose symbols are compared; further files are listed and counted as left out."""
MAX_BYTES = 48 * 2**20


@dataclass
class FactsSnapshot:
    """In-memory facts of a few files under temporary blob numbers, so that a view can show their symbols."""

    facts_by_blob: dict[int, Facts] = field(default_factory=dict)
    rows: dict[str, ViewEntry] = field(default_factory=dict)

    def add(self, path: str, facts: Facts) -> None:
        blob = len(self.rows) + 1
        self.facts_by_blob[blob] = facts
        self.rows[path] = ViewEntry(blob, 0, 0, 0)

    def facts(self, blob: int) -> Facts:
        return self.facts_by_blob[blob]

    def entries(self, view: ViewRow) -> dict[str, ViewEntry]:
        return self.rows

    def to_view(self, side: Side) -> PinnedView:
        row = ViewRow(0, "excerpt", side.commit, "", 0, "", 0, len(self.rows), 0)
        # This view only asks its snapshot for entries and facts; the index answers all other queries.
        return PinnedView(cast(Snapshot, self), row, side.project.registry)


@dataclass
class ChangedFileReader:
    """Reads and parses the changed files of two sides; counts files that cannot be compared, by reason."""

    base: Side
    head: Side
    pool: WorkerPool
    call: Call
    left_out: dict[str, int] = field(default_factory=dict)
    used: int = 0

    def load(self, pairs: list[FilePair]) -> list[FilePair]:
        """Return the pairs that differ in more than line ends, with their definitions loaded."""
        if len(pairs) > MAX_FILES:
            self.left_out["too_many_files"] = len(pairs) - MAX_FILES
        wanted = pairs[:MAX_FILES]
        old = self._read_contents(self.base, [pair.before for pair in wanted if pair.before])
        new = self._read_contents(self.head, [pair.after for pair in wanted if pair.after])
        kept = [
            pair for pair in wanted if not _is_line_end_change(_get_data(old, pair.before), _get_data(new, pair.after))
        ]
        olds = self._build_definitions(
            self.base, {path: old[path] for pair in kept if (path := _get_path(pair.before)) in old}
        )
        news = self._build_definitions(
            self.head, {path: new[path] for pair in kept if (path := _get_path(pair.after)) in new}
        )
        for pair in kept:
            old_definitions, new_definitions = olds.get(_get_path(pair.before)), news.get(_get_path(pair.after))
            # A file that is read as plain text has no symbols to compare; it did not lose them.
            opaque = _find_opaque_note(old_definitions) or _find_opaque_note(new_definitions)
            if opaque:
                self._skip(opaque)
            else:
                pair.old, pair.new = old_definitions, new_definitions
        return [*kept, *pairs[MAX_FILES:]]

    def _read_contents(self, side: Side, candidates: list[SourceFile]) -> dict[str, SourceContent]:
        found: dict[str, SourceContent] = {}
        if not candidates:
            return found
        for number, content in enumerate(side.source.read(candidates)):
            self.call.step("read", number, len(candidates))
            if content.data is None:
                # For a commit only the object id is known, not whether the object is too large or missing.
                self._skip("unavailable" if content.reason in ("too_large", "missing_object") else content.reason)
            elif self.used + len(content.data) > MAX_BYTES:
                self._skip("too_many_bytes")
            elif is_binary(content.data) or detect_kind(content.file.path):
                self._skip("binary")
            else:
                self.used += len(content.data)
                found[content.file.path] = content
        return found

    def _skip(self, reason: str) -> None:
        self.left_out[reason] = self.left_out.get(reason, 0) + 1

    def _build_definitions(self, side: Side, contents: dict[str, SourceContent]) -> dict[str, FileDefinitions]:
        snapshot = FactsSnapshot()
        comments = {}
        unknown: list[tuple[str, ParseTask]] = []
        for path, content in contents.items():
            known = _load_indexed(side, path, content)
            if known is None:
                data = content.data or b""
                notes = ("truncated",) if content.truncated else ()
                language = side.project.registry.detect(path, data[:HEAD_BYTES])
                unknown.append((path, ParseTask(language, path.encode("utf-8", "replace").decode(), notes, data)))
            else:
                snapshot.add(path, known[0])
                comments[path] = known[1].comments
        for path, parsed in self._parse_files(unknown).items():
            if parsed is None:
                self._skip("unparseable")
            else:
                snapshot.add(path, unpack_facts(parsed.packs[0]))
                comments[path] = unpack_references(parsed.packs[1]).comments
        view = snapshot.to_view(side)
        return {
            path: FileDefinitions(view, path, _get_source_bytes(contents[path], path), comments[path])
            for path in snapshot.rows
        }

    def _parse_files(self, tasks: list[tuple[str, ParseTask]]) -> dict[str, ParsedBlob | None]:
        """Parse files in the worker processes and return the result of each.

        A worker may die while it waits for work, which is not the fault of the file it gets next. So a file that seems
        to crash the parser is retried once with a fresh worker.
        """
        found: dict[str, ParsedBlob | None] = {}
        for _ in range(2):
            for path, _task, parsed in self.pool.run(iter(tasks)):
                self.call.step("parse", len(found), len(tasks))
                found[path] = parsed
            tasks = [(path, task) for path, task in tasks if _is_poison(found[path])]
            if not tasks:
                break
        return found


def _find_opaque_note(definitions: FileDefinitions | None) -> str:
    """Return why the symbols of a file are unknown; empty if they are known."""
    notes = definitions.view.facts(definitions.path).notes if definitions else ()
    return next((note for note in notes if note in ("poison", "minified")), "")


def _is_poison(parsed: ParsedBlob | None) -> bool:
    return parsed is None or "poison" in parsed.notes


def _get_path(candidate: SourceFile | None) -> str:
    return candidate.path if candidate else ""


def _get_data(contents: dict[str, SourceContent], candidate: SourceFile | None) -> bytes | None:
    content = contents.get(candidate.path) if candidate else None
    return content.data if content else None


def _is_line_end_change(one: bytes | None, two: bytes | None) -> bool:
    """Return whether only line ends differ; equal bytes under two paths are a rename and do not count."""
    return one is not None and two is not None and one != two and _normalize_line_ends(one) == _normalize_line_ends(two)


def _normalize_line_ends(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _load_indexed(side: Side, path: str, content: SourceContent) -> tuple[Facts, References] | None:
    """Return indexed facts of exactly these bytes; for a working tree the content hash verifies that."""
    view = side.view
    entry = view.entries.get(path) if view else None
    if view is None or entry is None or entry.blob == NOT_INDEXED:
        return None
    if side.live and view.snapshot.identity(entry.blob)[0] != blake3(content.data or b"").digest():
        return None
    return view.facts(path), view.snapshot.references(entry.blob)


def _get_source_bytes(content: SourceContent, path: str) -> bytes:
    """Return the bytes to which the offsets in the facts refer, decoded as for parsing."""
    data = content.data or b""
    text, notes = decode(data)
    return data if sniff(data, path).encoding == "utf-8" and not notes else text.encode("utf-8", "replace")
