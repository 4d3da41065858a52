"""File service: reads one whole file, with the files that it depends on."""

import os
from dataclasses import replace
from datetime import UTC, datetime

from codecompass.engine.memory.corpus import module_of
from codecompass.engine.memory.memory_summaries import role_of
from codecompass.engine.navigation.imports.module_index import get_module_index
from codecompass.engine.navigation.resolver.resolver import Resolver
from codecompass.engine.navigation.uses.dependencies import dependencies_of
from codecompass.engine.results.source_file import Content, allowed_path, current, is_live
from codecompass.engine.services.bare_files import ENCODING_NOTES, WITHOUT_INDEX, read_bare
from codecompass.engine.services.excerpt_service import named_lines
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import Opener
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.ids import handle_kind
from codecompass.model.queries.file_reading import Dependency, FileReading, ReadQuery
from codecompass.text.credentials import name_credentials

MOST_FILES = 100
"""Maximum dependencies with content; the others are listed without it."""
_MOST_SECRETS = 5
"""Maximum credentials that a note names."""
NEVER = frozenset({"node_modules"})
"""Directories that are refused by name, whether they exist or not."""


class Files:
    """Reads files of a view; for the working tree their current content."""

    def __init__(self, access: Opener) -> None:
        self._opener = access

    def read(self, workspace: str | None, query: ReadQuery, call: Call) -> FileReading:
        """Read a file. A refusal has `path` in its details, and never a byte of the file."""
        project = self._opener.project(workspace)
        ref = project.effective_ref(query.ref)
        call.check()
        try:
            return self._indexed(project, ref, query, call)
        except Failure as failure:
            if failure.code not in WITHOUT_INDEX:
                raise
            try:
                _refuse_foreign(query.path)
                found = read_bare(project, ref, query, call)
            except Failure as refusal:
                refusal.details.setdefault("path", shown(query.path)[:200])
                raise
            if found is None:
                raise
            is_live_view = project.view_name(ref).startswith("live:")
            modified = _written(project, found.path) if is_live_view else ""
            return replace(found, modified=modified, notes=(*found.notes, *_credentials_note(found.content)))

    def _indexed(self, project: Project, ref: str, query: ReadQuery, call: Call) -> FileReading:
        with project.pinned(ref) as view:
            try:
                path, focus = _meant(project, view, query.path)
                content = current(project, view, path, masked=False)
            except Failure as failure:
                failure.details.setdefault("path", shown(query.path)[:200])
                raise
            found = _dependencies(project, view, path, call) if query.dependencies else ()
            notes = tuple(_notes(content, found, wanted=query.dependencies))
            state = self._opener.state(project, view, ref, query.freshness, (path, *(row.path for row in found)))
            return FileReading(
                path=shown(path),
                content=content.text,
                size=content.size,
                language=content.language,
                module=module_of(shown(path)),
                role=role_of(shown(path)),
                modified=_modified(project, view, path, call),
                state=state,
                focus=focus,
                dependencies=tuple(replace(row, path=shown(row.path)) for row in found),
                notes=notes,
            )


def _meant(project: Project, view: PinnedView, named: str) -> tuple[str, tuple[int, int] | None]:
    """Return the path, and the lines of a handle; a file with the name of a handle has precedence."""
    if handle_kind(named.strip()) and named not in view.entries:
        path, first, last = named_lines(view, named.strip())
        return path, (first, last)
    _refuse_foreign(named)
    return allowed_path(project, view, named), None


def _refuse_foreign(named: str) -> None:
    if NEVER.intersection(part.lower() for part in named.split("/")):
        message = f"{ascii(shown(named)[:200])} is third-party code, which is never read."
        raise Failure("FORBIDDEN", message, hint="Only the repository's own files are read.")


def _dependencies(project: Project, view: PinnedView, path: str, call: Call) -> tuple[Dependency, ...]:
    entry = view.entries.get(path)
    if entry is None or not entry.blob:
        return ()
    rows = list(dependencies_of(Resolver(view, get_module_index(project, view)), path, call))
    for number, row in enumerate(rows[:MOST_FILES]):
        call.check()
        rows[number] = _filled(project, view, row)
    return tuple(rows)


def _filled(project: Project, view: PinnedView, row: Dependency) -> Dependency:
    """Add the content; a file that was deleted or became too large is listed without."""
    try:
        content = current(project, view, row.path, masked=False)
    except Failure:
        return row
    return replace(row, content=content.text, size=content.size)


def _credentials_note(text: str) -> list[str]:
    """Return a note if a text contains credentials."""
    secrets = list(name_credentials(text))
    if not secrets:
        return []
    names = ", ".join(secrets[:_MOST_SECRETS]) + (" and more" if len(secrets) > _MOST_SECRETS else "")
    return [f"The text contains credentials ({names}). It is shown unmasked for editing; never repeat them."]


def _notes(content: Content, dependencies: tuple[Dependency, ...], *, wanted: bool) -> list[str]:
    notes = [message for note, message in ENCODING_NOTES.items() if note in content.notes]
    if wanted and not content.indexed:
        notes.append("The file changed after it was indexed; its dependencies are those of the indexed content.")
    notes += _credentials_note(content.text)
    holders = [row.path for row in dependencies if row.content and any(name_credentials(row.content))]
    if holders:
        notes.append(f"{len(holders)} dependencies contain credentials, shown unmasked: {', '.join(holders[:5])}.")
    return notes


def _written(project: Project, path: str) -> str:
    """Return when a file of the working tree was last written; empty if unknown."""
    try:
        moment = os.lstat(os.path.join(project.workspace.root, path)).st_mtime
    except OSError:
        return ""
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _modified(project: Project, view: PinnedView, path: str, call: Call) -> str:
    if is_live(view):
        return _written(project, path)
    last = project.history(view, call).last(path)
    if last is None:
        return ""
    return datetime.fromtimestamp(last.time, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
