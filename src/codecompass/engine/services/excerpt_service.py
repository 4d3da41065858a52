"""Excerpt service: returns lines of one file, but none of a file that must not be shown."""

from blake3 import blake3

from codecompass.engine.navigation.symbols.handles import find_snippet_by_id
from codecompass.engine.navigation.symbols.target import find_file
from codecompass.engine.results.source_file import read_current, read_indexed, resolve_allowed_path
from codecompass.engine.triage.record_fields import LANGUAGE
from codecompass.engine.triage.record_search import get_record_search, parse_record_target
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project_access import OpenedView, ProjectAccess
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.ids import classify_handle
from codecompass.model.path_text import display_path
from codecompass.model.queries.file_excerpt import ExcerptQuery, FileExcerpt
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.triage_values import RECORDS_FOLDER


class ExcerptService:
    """Shows only files of a view: ignored, secret and skipped files are in none."""

    def __init__(self, access: ProjectAccess) -> None:
        self._access = access

    def excerpt(self, workspace: str | None, query: ExcerptQuery, call: Call) -> FileExcerpt:
        """Return the requested lines. FORBIDDEN, FILE_NOT_FOUND or INVALID_REQUEST say why there are none."""
        call.check()
        with self._access.view(workspace, query.ref) as opened:
            project, view = opened.project, opened.view
            record = parse_record_target(query.handle, query.path, view.entries)
            if record:
                return self._read_record(opened, query, record)
            if query.handle is not None:
                path, first, last = resolve_handle(view, query.handle.strip())
                content = read_indexed(project, view, path, masked=True)
                lines = _split_lines(content.text)
            else:
                path = resolve_allowed_path(project, view, query.path or "")
                content = read_current(project, view, path, masked=True)
                lines = _split_lines(content.text)
                first, last = query.first or 1, query.last or len(lines)
            state = self._access.state(opened, query.freshness, (path,))
            if lines and first > len(lines):
                message = f"The file has {len(lines)} lines; line {first} does not exist."
                raise Failure("INVALID_REQUEST", message, {"totalLines": len(lines)})
            return FileExcerpt(
                path=display_path(path),
                language=content.language,
                first=first if lines else 0,
                lines=tuple(lines[first - 1 : last]),
                total=len(lines),
                digest=content.digest,
                state=state,
            )

    def _read_record(self, opened: OpenedView, query: ExcerptQuery, record: str) -> FileExcerpt:
        """Return lines of a triage record's Markdown."""
        text = get_record_search(opened.project).read_markdown(record)
        lines = _split_lines(text)
        first, last = query.first or 1, query.last or len(lines)
        if first > len(lines):
            message = f"The record has {len(lines)} lines; line {first} does not exist."
            raise Failure("INVALID_REQUEST", message, {"totalLines": len(lines)})
        state = self._access.state(opened, query.freshness, ())
        digest = blake3(text.encode("utf-8", "replace")).hexdigest()
        path = f"{RECORDS_FOLDER}/{record}.md"
        return FileExcerpt(path, LANGUAGE, first, tuple(lines[first - 1 : last]), len(lines), digest, state)


def _split_lines(text: str) -> list[str]:
    """Split text into lines, without the empty one after the last newline."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def resolve_handle(view: PinnedView, handle: str) -> tuple[str, int, int]:
    """Return the path and lines that a handle of an earlier result refers to."""
    if classify_handle(handle) == "snippet":
        found = find_snippet_by_id(view, handle)
        if found is not None:
            chunk = view.facts(found[0]).chunks[found[1]]
            return found[0], chunk.line_start, chunk.line_end
    path, symbol = find_file(view, SymbolTarget(handle=handle))
    if symbol is None:
        return path, 1, max(view.facts(path).line_count, 1)
    return path, symbol.definition.line_start, symbol.definition.line_end
