"""Memory writes: record discoveries, marks, sessions and file accesses."""

import math
from dataclasses import replace
from datetime import UTC, datetime

from codecompass.engine.memory import markdown_export
from codecompass.engine.memory.corpus import module_of
from codecompass.engine.memory.markdown_export import recorded_id
from codecompass.engine.memory.memory_session import Desk, Desks, not_found
from codecompass.engine.memory.mining.mined_item import capture
from codecompass.engine.workspace.project_access import Opener
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.memory_values import (
    MAX_CONTENT,
    MIN_CONTENT,
    TYPES,
    Access,
    Anchor,
    Claim,
    Discovery,
    Imported,
    NewDiscovery,
    Session,
    Source,
)
from codecompass.store.memory_port import Mark, Recorded

PATIENCE_S = 20.0
"""Seconds to wait when recording: longer than for a query, because the named symbols must be known."""
EVENTS = 50
_SYMBOLS = 20
_NAME = 200
_SUBJECT = 500
_HALF_LIFE_DAYS = 7.0
_NO_VIEW = ("NO_INDEX", "REF_NOT_INDEXED", "INDEX_INCOMPATIBLE")


class Recording:
    """Writes owned data; indexing never deletes any of it."""

    def __init__(self, access: Opener, memory_sessions: Desks) -> None:
        self._opener = access
        self._desks = memory_sessions

    def remember(self, workspace: str | None, new: NewDiscovery, call: Call) -> Discovery:
        """Record a statement with anchors to what it names; the same statement again changes nothing."""
        content, redacted = capture(new.content, MAX_CONTENT + 1)
        _check(new, content)
        project = self._opener.project(workspace)
        moment = _now()
        anchors, commit, near = self._named(workspace, f"{new.title}\n{content}", new, call)
        item = Discovery(
            recorded_id(new.type, content), new.type, content, Source("recorded", commit=commit),
            _plain(new.author), moment, _plain(new.module) or near, tuple(map(_plain, new.symbols))[:_SYMBOLS],
            supersedes=new.supersedes, title=_plain(new.title), session=_plain(new.session), redacted=redacted,
        )  # fmt: skip
        marks = [Mark(old, "superseded", item.id, moment) for old in new.supersedes if old != item.id]
        records = project.store.recollections
        if not records.record(Recorded(item, anchors), moment, marks):
            if item.id in records.marks():
                # Repeating a statement makes it active again.
                records.mark(Mark(item.id, "active", "", moment))
            return next((row.discovery for row in records.recorded() if row.discovery.id == item.id), item)
        return item

    def _named(
        self, workspace: str | None, text: str, new: NewDiscovery, call: Call
    ) -> tuple[tuple[tuple[Claim, Anchor], ...], str, str]:
        """Return (anchors of the claims, commit of the view, module of the anchors); empty without an index."""
        try:
            with self._desks.at(workspace, None, call, PATIENCE_S) as memory:
                for old in new.supersedes:
                    memory.kept(old)
                wanted = text + "".join(f"\n`{name}`" for name in new.symbols)
                anchors = memory.judge.capture(wanted)
                modules = {module for _, anchor in anchors if (module := module_of(anchor.path))}
                return anchors, memory.view.row.commit, modules.pop() if len(modules) == 1 else ""
        except Failure as failure:
            if failure.code not in _NO_VIEW or new.supersedes:
                raise
            return (), "", ""

    def supersede(self, workspace: str | None, discovery_id: str, by: str, call: Call) -> Discovery:
        """Mark one discovery as replaced by another."""
        if discovery_id == by:
            raise Failure("INVALID_REQUEST", "A discovery cannot supersede itself.")
        with self._desks.at(workspace, None, call, PATIENCE_S) as memory:
            old, _ = memory.kept(discovery_id), memory.kept(by)
            if _leads(memory, by, discovery_id):
                raise Failure("INVALID_REQUEST", f"{by} is itself superseded by {discovery_id}.")
            memory.project.store.recollections.mark(Mark(discovery_id, "superseded", by, _now()))
            return old.discovery._replace(state="superseded", superseded_by=by)

    def forget(self, workspace: str | None, discovery_id: str, call: Call) -> Discovery:
        """Hide a discovery; the mark survives every reindex."""
        with self._desks.at(workspace, None, call, PATIENCE_S) as memory:
            found = memory.corpus.by_id.get(discovery_id)
            if found is None:
                raise not_found(discovery_id)
            memory.project.store.recollections.mark(Mark(discovery_id, "forgotten", "", _now()))
            return found.discovery._replace(state="forgotten")

    def export_memory(self, workspace: str | None, call: Call) -> str:
        records = self._opener.project(workspace).store.recollections
        return markdown_export.write(records.recorded(), records.marks().values())

    def import_memory(self, workspace: str | None, text: str, call: Call) -> Imported:
        records = self._opener.project(workspace).store.recollections
        found = markdown_export.read(text)
        if not found.recorded and not found.marks and not found.refused:
            raise Failure("INVALID_REQUEST", "This text contains no section of an export.",
                          hint="An export has a heading such as '## disc_…: decision' for each discovery.")  # fmt: skip
        added = known = 0
        for row in found.recorded:
            call.check()
            new = records.record(row, row.discovery.date or _now())
            added, known = added + new, known + (not new)
        marks = records.marks()
        for mark in found.marks:
            if mark.id in marks:
                known += 1
            else:
                records.mark(mark)
                added += 1
        return Imported(added, known, found.refused)

    # -- sessions --------------------------------------------------------------------------------------------------

    def note(self, workspace: str | None, session: str, kind: str, subject: str, client: str = "") -> None:
        """Record what a session did; a failed write must not fail the answer."""
        try:
            records = self._opener.project(workspace).store.recollections
            records.note(session[:_NAME], _plain(client), kind[:20], capture(subject, _SUBJECT)[0], _now())
        except Failure:
            return

    def end_session(self, workspace: str | None, session: str) -> None:
        try:
            self._opener.project(workspace).store.recollections.end(session[:_NAME], _now())
        except Failure:
            return

    def sessions(self, workspace: str | None, limit: int) -> tuple[Session, ...]:
        return tuple(self._opener.project(workspace).store.recollections.sessions(limit, EVENTS))

    def session(self, workspace: str | None, session: str) -> Session | None:
        return self._opener.project(workspace).store.recollections.session(session[:_NAME], 10 * EVENTS)

    def accesses(self, workspace: str | None, limit: int) -> tuple[Access, ...]:
        """List files that were read; the score halves every week without a read and grows with their number."""
        rows = self._opener.project(workspace).store.recollections.accesses()
        highest = max((row.count for row in rows), default=1)
        scored = [replace(row, score=_heat(row, highest)) for row in rows]
        return tuple(sorted(scored, key=lambda row: (-row.score, row.path))[:limit])


def _check(new: NewDiscovery, content: str) -> None:
    if new.type not in TYPES:
        raise Failure("INVALID_REQUEST", f"The type must be one of {', '.join(TYPES)}.")
    if not MIN_CONTENT <= len(content) <= MAX_CONTENT:
        message = f"A discovery must have {MIN_CONTENT} to {MAX_CONTENT} characters; this one has {len(content)}."
        raise Failure("INVALID_REQUEST", message)


def _plain(text: str) -> str:
    return capture(text.replace("\n", " "), _NAME)[0]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _leads(memory: Desk, start: str, to: str) -> bool:
    """Whether a chain of successors leads from one discovery to another."""
    seen, at = set[str](), start
    while at and at not in seen:
        if at == to:
            return True
        seen.add(at)
        kept = memory.corpus.by_id.get(at)
        at = kept.discovery.superseded_by if kept else ""
    return False


def _heat(row: Access, highest: int) -> float:
    """Score an access: 0.6 for recency, 0.4 for frequency relative to the most read file."""
    try:
        last = datetime.fromisoformat(row.last)
    except ValueError:
        return 0.0
    days = max((datetime.now(UTC) - last).total_seconds() / 86_400, 0.0)
    often = math.log1p(row.count) / math.log1p(max(highest, 1))
    return round(0.6 * math.exp2(-days / _HALF_LIFE_DAYS) + 0.4 * often, 4)
