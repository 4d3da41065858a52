"""File service: one whole file with the files that it depends on, its outline and its history."""

import os
from dataclasses import replace

from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.engine.memory.corpus import derive_module
from codecompass.engine.memory.memory_summaries import classify_role
from codecompass.engine.navigation.imports.module_index import get_module_index
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.symbols.outline import build_outline
from codecompass.engine.navigation.symbols.target import find_file, find_path
from codecompass.engine.navigation.uses.dependencies import find_dependencies
from codecompass.engine.results.pending_outline import find_pending_path, outline_pending_file
from codecompass.engine.results.source_file import FileContent, is_live, read_current, resolve_allowed_path
from codecompass.engine.results.value_completion import complete_name, complete_path
from codecompass.engine.services.bare_files import ENCODING_NOTES, NO_INDEX_CODES, read_unindexed
from codecompass.engine.services.excerpt_service import resolve_handle
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import ProjectAccess
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.history_facts import HistoryAnswer
from codecompass.model.ids import classify_handle
from codecompass.model.path_text import display_path
from codecompass.model.queries.file_reading import Dependency, FileReadResult, ReadQuery
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.results import Outline
from codecompass.model.timestamp import utc_timestamp
from codecompass.repo.workspace import TargetRef
from codecompass.text.credentials import describe_credentials

MAX_DEPENDENCIES = 100
"""Maximum dependencies with content; the others are listed without it."""
_MAX_SECRETS = 5
"""Maximum credentials that a note names."""
REFUSED_DIRECTORIES = frozenset({"node_modules"})
"""Directories that are refused by name, whether they exist or not."""


class FileService:
    """Reads files of a view; for the working tree their current content."""

    def __init__(self, access: ProjectAccess, parsers: WorkerPool) -> None:
        self._access = access
        self._parsers = parsers

    def read(self, workspace: str | None, query: ReadQuery, call: Call) -> FileReadResult:
        """Read a file. A refusal has `path` in its details, and never a byte of the file."""
        with self._access.project(workspace) as project:
            target = project.resolve_ref(query.ref)
            call.check()
            try:
                return self._read_indexed(project, target, query, call)
            except Failure as failure:
                if failure.code not in NO_INDEX_CODES:
                    raise
                try:
                    _refuse_third_party(query.path)
                    found = read_unindexed(project, target, query, call)
                except Failure as refusal:
                    refusal.details.setdefault("path", display_path(query.path)[:200])
                    raise
                if found is None:
                    raise
                modified = _read_write_time(project, found.path) if target.is_live else ""
                return replace(found, modified=modified, notes=(*found.notes, *_note_credentials(found.content)))

    def _read_indexed(self, project: Project, target: TargetRef, query: ReadQuery, call: Call) -> FileReadResult:
        with self._access.pin(project, target) as opened:
            view = opened.view
            try:
                path, focus = _resolve_path(project, view, query.path)
                content = read_current(project, view, path, masked=False)
            except Failure as failure:
                failure.details.setdefault("path", display_path(query.path)[:200])
                raise
            found = _find_dependencies(project, view, path, call) if query.dependencies else ()
            notes = tuple(_collect_notes(content, found, wanted=query.dependencies))
            state = self._access.state(opened, query.freshness, (path, *(row.path for row in found)))
            return FileReadResult(
                path=display_path(path),
                content=content.text,
                size=content.size,
                language=content.language,
                module=derive_module(display_path(path)),
                role=classify_role(display_path(path)),
                modified=_find_last_change(project, view, path, call),
                state=state,
                focus=focus,
                dependencies=tuple(replace(row, path=display_path(row.path)) for row in found),
                notes=notes,
            )

    def outline(
        self,
        workspace: str | None,
        path: str | None,
        ref: str | None,
        depth: str,
        call: Call,
        freshness: str = "balanced",
        handle: str | None = None,
    ) -> Outline:
        """Return the symbols of a file; a handle of a symbol selects that symbol and its members."""
        with self._access.view(workspace, ref) as opened:
            project, view = opened.project, opened.view
            pending = find_pending_path(project, view, path)
            if pending is not None:
                source, state = project.open_source(opened.ref, call.check), self._access.state(opened, freshness, ())
                found = outline_pending_file(
                    project, view, source, pending, self._parsers, state, nested=depth != "top"
                )
                if found is not None:
                    return found
            wanted, symbol = find_file(view, SymbolTarget(path=path, handle=handle))
            state = self._access.state(opened, freshness, (wanted,))
            nodes, count = build_outline(view, wanted, nested=depth != "top", only=symbol)
            return Outline(display_path(wanted), view.language_of(wanted) or "text", nodes, count, state)

    def complete(
        self, workspace: str | None, kind: str, text: str, limit: int, call: Call
    ) -> tuple[tuple[str, ...], int]:
        """Return the paths or names that begin with a text, and how many there are."""
        call.check()
        with self._access.view(workspace, None) as opened:
            found = (complete_path if kind == "path" else complete_name)(opened.view, text)
            return tuple(found[:limit]), len(found)

    def history(
        self, workspace: str | None, path: str, ref: str | None, lines: tuple[int, int] | None, call: Call
    ) -> HistoryAnswer:
        """Return the last change and churn of a file, and the authors of the given lines."""
        with self._access.view(workspace, ref) as opened:
            wanted = find_path(opened.view, path)
            history = opened.project.history(opened.view, call)
            history.count_changes([wanted])
            authors = history.line_authors(wanted, *lines) if lines else None
            return HistoryAnswer(history.file_history(wanted, look=True), authors)


def _resolve_path(project: Project, view: PinnedView, named: str) -> tuple[str, tuple[int, int] | None]:
    """Return the path, and the lines of a handle; a file with the name of a handle has precedence."""
    if classify_handle(named.strip()) and named not in view.entries:
        path, first, last = resolve_handle(view, named.strip())
        return path, (first, last)
    _refuse_third_party(named)
    return resolve_allowed_path(project, view, named), None


def _refuse_third_party(named: str) -> None:
    if REFUSED_DIRECTORIES.intersection(part.lower() for part in named.split("/")):
        message = f"{ascii(display_path(named)[:200])} is third-party code, which is never read."
        raise Failure("FORBIDDEN", message, hint="Only the repository's own files are read.")


def _find_dependencies(project: Project, view: PinnedView, path: str, call: Call) -> tuple[Dependency, ...]:
    entry = view.entries.get(path)
    if entry is None or not entry.blob:
        return ()
    rows = list(find_dependencies(Resolver(view, get_module_index(project, view)), path, call))
    for number, row in enumerate(rows[:MAX_DEPENDENCIES]):
        call.check()
        rows[number] = _add_content(project, view, row)
    return tuple(rows)


def _add_content(project: Project, view: PinnedView, row: Dependency) -> Dependency:
    """Add the content; a file that was deleted or became too large is listed without."""
    try:
        content = read_current(project, view, row.path, masked=False)
    except Failure:
        return row
    return replace(row, content=content.text, size=content.size)


def _note_credentials(text: str) -> list[str]:
    """Return a note if a text contains credentials."""
    secrets = list(describe_credentials(text))
    if not secrets:
        return []
    names = ", ".join(secrets[:_MAX_SECRETS]) + (" and more" if len(secrets) > _MAX_SECRETS else "")
    return [f"The text contains credentials ({names}). It is shown unmasked for editing; never repeat them."]


def _collect_notes(content: FileContent, dependencies: tuple[Dependency, ...], *, wanted: bool) -> list[str]:
    notes = [message for note, message in ENCODING_NOTES.items() if note in content.notes]
    if wanted and not content.indexed:
        notes.append("The file changed after it was indexed; its dependencies are those of the indexed content.")
    notes += _note_credentials(content.text)
    holders = [row.path for row in dependencies if row.content and any(describe_credentials(row.content))]
    if holders:
        notes.append(f"{len(holders)} dependencies contain credentials, shown unmasked: {', '.join(holders[:5])}.")
    return notes


def _read_write_time(project: Project, path: str) -> str:
    """Return when a file of the working tree was last written; empty if unknown."""
    try:
        moment = os.lstat(os.path.join(project.workspace.root, path)).st_mtime
    except OSError:
        return ""
    return utc_timestamp(moment)


def _find_last_change(project: Project, view: PinnedView, path: str, call: Call) -> str:
    if is_live(view):
        return _read_write_time(project, path)
    last = project.history(view, call).last_commit(path)
    if last is None:
        return ""
    return utc_timestamp(last.time)
