"""Memory writes: record discoveries, marks, sessions and file accesses."""

import math
from dataclasses import replace
from datetime import UTC, datetime

from codecompass.engine.memory import markdown_export
from codecompass.engine.memory.corpus import derive_module
from codecompass.engine.memory.markdown_export import make_recorded_id
from codecompass.engine.memory.memory_session import MemorySession, MemorySessions, make_not_found_failure
from codecompass.engine.memory.mining.mined_item import sanitize_text
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.errors import ErrorCode, Failure
from codecompass.model.call import Call
from codecompass.model.memory_values import (
    MAX_CONTENT,
    MIN_CONTENT,
    TYPES,
    Anchor,
    Claim,
    Discovery,
    DiscoverySource,
    FileAccess,
    ImportReport,
    NewDiscovery,
    SessionRecord,
)
from codecompass.model.timestamp import utc_timestamp
from codecompass.store.memory_port import DiscoveryMark, MemoryRecords, RecordedDiscovery

WAIT_S = 20.0
"""Seconds to wait when recording: longer than for a query, because the named symbols must be known."""
EVENTS = 50
_SYMBOLS = 20
_NAME = 200
_SUBJECT = 500
_HALF_LIFE_DAYS = 7.0
_NO_VIEW: tuple[ErrorCode, ...] = ("NO_INDEX", "REF_NOT_INDEXED", "INDEX_INCOMPATIBLE")


class MemoryWriter:
    """Writes owned data; indexing never deletes any of it."""

    def __init__(self, access: ProjectAccess, memory_sessions: MemorySessions) -> None:
        self._access = access
        self._memory_sessions = memory_sessions

    def remember(self, workspace: str | None, new: NewDiscovery, call: Call) -> Discovery:
        """Record a statement with anchors to what it names; the same statement again changes nothing."""
        content, redacted = sanitize_text(new.content, MAX_CONTENT + 1)
        _check_content(new, content)
        with self._access.project(workspace) as project:
            return self._record(project, workspace, new, content, redacted, call)

    def _record(
        self, project: Project, workspace: str | None, new: NewDiscovery, content: str, redacted: bool, call: Call
    ) -> Discovery:
        moment = utc_timestamp()
        anchors, commit, near = self._capture_anchors(workspace, f"{new.title}\n{content}", new, call)
        item = Discovery(
            make_recorded_id(new.type, content), new.type, content, DiscoverySource("recorded", commit=commit),
            _to_plain(new.author), moment, _to_plain(new.module) or near, tuple(map(_to_plain, new.symbols))[:_SYMBOLS],
            supersedes=new.supersedes, title=_to_plain(new.title), session=_to_plain(new.session), redacted=redacted,
        )  # fmt: skip
        marks = [DiscoveryMark(old, "superseded", item.id, moment) for old in new.supersedes if old != item.id]
        records = project.store.memory_records
        if not records.record_discovery(RecordedDiscovery(item, anchors), moment, marks):
            if item.id in records.read_marks():
                # Repeating a statement makes it active again.
                records.set_mark(DiscoveryMark(item.id, "active", "", moment))
            return next((row.discovery for row in records.read_discoveries() if row.discovery.id == item.id), item)
        return item

    def _capture_anchors(
        self, workspace: str | None, text: str, new: NewDiscovery, call: Call
    ) -> tuple[tuple[tuple[Claim, Anchor], ...], str, str]:
        """Return (anchors of the claims, commit of the view, module of the anchors); empty without an index."""
        try:
            with self._memory_sessions.open_session(workspace, None, call, WAIT_S) as memory:
                for old in new.supersedes:
                    memory.get_entry(old)
                wanted = text + "".join(f"\n`{name}`" for name in new.symbols)
                anchors = memory.checker.find_anchors(wanted)
                modules = {module for _, anchor in anchors if (module := derive_module(anchor.path))}
                return anchors, memory.view.row.commit, modules.pop() if len(modules) == 1 else ""
        except Failure as failure:
            if failure.code not in _NO_VIEW or new.supersedes:
                raise
            return (), "", ""

    def supersede(self, workspace: str | None, discovery_id: str, by: str, call: Call) -> Discovery:
        """Mark one discovery as replaced by another."""
        if discovery_id == by:
            raise Failure("INVALID_REQUEST", "A discovery cannot supersede itself.")
        with self._memory_sessions.open_session(workspace, None, call, WAIT_S) as memory:
            old, _ = memory.get_entry(discovery_id), memory.get_entry(by)
            if _is_superseded_by(memory, by, discovery_id):
                raise Failure("INVALID_REQUEST", f"{by} is itself superseded by {discovery_id}.")
            memory.project.store.memory_records.set_mark(DiscoveryMark(discovery_id, "superseded", by, utc_timestamp()))
            return old.discovery._replace(state="superseded", superseded_by=by)

    def forget(self, workspace: str | None, discovery_id: str, call: Call) -> Discovery:
        """Hide a discovery; the mark survives every reindex."""
        with self._memory_sessions.open_session(workspace, None, call, WAIT_S) as memory:
            found = memory.corpus.by_id.get(discovery_id)
            if found is None:
                raise make_not_found_failure(discovery_id)
            memory.project.store.memory_records.set_mark(DiscoveryMark(discovery_id, "forgotten", "", utc_timestamp()))
            return found.discovery._replace(state="forgotten")

    def export_memory(self, workspace: str | None, call: Call) -> str:
        with self._access.project(workspace) as project:
            records = project.store.memory_records
            return markdown_export.write_export(records.read_discoveries(), records.read_marks().values())

    def import_memory(self, workspace: str | None, text: str, call: Call) -> ImportReport:
        with self._access.project(workspace) as project:
            return _import_export(project.store.memory_records, text, call)

    # -- sessions --------------------------------------------------------------------------------------------------

    def note(self, workspace: str | None, session: str, kind: str, subject: str, client: str = "") -> None:
        """Record what a session did; a failed write must not fail the answer."""
        try:
            with self._access.project(workspace) as project:
                project.store.memory_records.record_event(
                    session[:_NAME], _to_plain(client), kind[:20], sanitize_text(subject, _SUBJECT)[0], utc_timestamp()
                )
        except Failure:
            return

    def end_session(self, workspace: str | None, session: str) -> None:
        try:
            with self._access.project(workspace) as project:
                project.store.memory_records.end_session(session[:_NAME], utc_timestamp())
        except Failure:
            return

    def sessions(self, workspace: str | None, limit: int) -> tuple[SessionRecord, ...]:
        with self._access.project(workspace) as project:
            return tuple(project.store.memory_records.read_sessions(limit, EVENTS))

    def session(self, workspace: str | None, session: str) -> SessionRecord | None:
        with self._access.project(workspace) as project:
            return project.store.memory_records.read_session(session[:_NAME], 10 * EVENTS)

    def accesses(self, workspace: str | None, limit: int) -> tuple[FileAccess, ...]:
        """List files that were read; the score halves every week without a read and grows with their number."""
        with self._access.project(workspace) as project:
            rows = tuple(project.store.memory_records.read_accesses())
        highest = max((row.count for row in rows), default=1)
        scored = [replace(row, score=_score_access(row, highest)) for row in rows]
        return tuple(sorted(scored, key=lambda row: (-row.score, row.path))[:limit])


def _import_export(records: MemoryRecords, text: str, call: Call) -> ImportReport:
    found = markdown_export.parse_export(text)
    if not found.recorded and not found.marks and not found.rejections:
        raise Failure("INVALID_REQUEST", "This text contains no section of an export.",
                      hint="An export has a heading such as '## disc_…: decision' for each discovery.")  # fmt: skip
    added = known = 0
    for row in found.recorded:
        call.check()
        new = records.record_discovery(row, row.discovery.date or utc_timestamp())
        added, known = added + new, known + (not new)
    marks = records.read_marks()
    for mark in found.marks:
        if mark.id in marks:
            known += 1
        else:
            records.set_mark(mark)
            added += 1
    return ImportReport(added, known, found.rejections)


def _check_content(new: NewDiscovery, content: str) -> None:
    if new.type not in TYPES:
        raise Failure("INVALID_REQUEST", f"The type must be one of {', '.join(TYPES)}.")
    if not MIN_CONTENT <= len(content) <= MAX_CONTENT:
        message = f"A discovery must have {MIN_CONTENT} to {MAX_CONTENT} characters; this one has {len(content)}."
        raise Failure("INVALID_REQUEST", message)


def _to_plain(text: str) -> str:
    return sanitize_text(text.replace("\n", " "), _NAME)[0]


def _is_superseded_by(memory: MemorySession, start: str, to: str) -> bool:
    """Whether a chain of successors leads from one discovery to another."""
    seen, at = set[str](), start
    while at and at not in seen:
        if at == to:
            return True
        seen.add(at)
        kept = memory.corpus.by_id.get(at)
        at = kept.discovery.superseded_by if kept else ""
    return False


def _score_access(row: FileAccess, highest: int) -> float:
    """Score an access: 0.6 for recency, 0.4 for frequency relative to the most read file."""
    try:
        last = datetime.fromisoformat(row.last)
    except ValueError:
        return 0.0
    days = max((datetime.now(UTC) - last).total_seconds() / 86_400, 0.0)
    often = math.log1p(row.count) / math.log1p(max(highest, 1))
    return round(0.6 * math.exp2(-days / _HALF_LIFE_DAYS) + 0.4 * often, 4)
