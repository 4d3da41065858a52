"""Excerpt service: returns lines of one file, but none of a file that must not be shown."""

from blake3 import blake3

from codecompass.engine.navigation.symbols.handles import snippet_with_id
from codecompass.engine.navigation.symbols.target import find_file
from codecompass.engine.results.source_file import allowed_path, current, indexed
from codecompass.engine.triage.record_fields import LANGUAGE
from codecompass.engine.triage.record_search import get_record_search, record_named
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.engine.workspace.project import Project
from codecompass.engine.workspace.project_access import Opener
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.ids import handle_kind
from codecompass.model.queries.file_excerpt import Excerpt, ExcerptQuery
from codecompass.model.queries.navigation_queries import Target
from codecompass.model.triage_values import RECORDS_FOLDER


class Excerpts:
    """Shows only files of a view: ignored, secret and skipped files are in none."""

    def __init__(self, access: Opener) -> None:
        self._opener = access

    def excerpt(self, workspace: str | None, query: ExcerptQuery, call: Call) -> Excerpt:
        """Return the requested lines. FORBIDDEN, FILE_NOT_FOUND or INVALID_REQUEST say why there are none."""
        project = self._opener.project(workspace)
        ref = project.effective_ref(query.ref)
        call.check()
        with project.pinned(ref) as view:
            record = record_named(query.handle, query.path, view.entries)
            if record:
                return self._record(project, view, ref, query, record)
            if query.handle is not None:
                path, first, last = named_lines(view, query.handle.strip())
                content = indexed(project, view, path, masked=True)
                lines = _lines(content.text)
            else:
                path = allowed_path(project, view, query.path or "")
                content = current(project, view, path, masked=True)
                lines = _lines(content.text)
                first, last = query.first or 1, query.last or len(lines)
            state = self._opener.state(project, view, ref, query.freshness, (path,))
            if lines and first > len(lines):
                message = f"The file has {len(lines)} lines; line {first} does not exist."
                raise Failure("INVALID_REQUEST", message, {"totalLines": len(lines)})
            return Excerpt(
                path=shown(path),
                language=content.language,
                first=first if lines else 0,
                lines=tuple(lines[first - 1 : last]),
                total=len(lines),
                digest=content.digest,
                state=state,
            )

    def _record(self, project: Project, view: PinnedView, ref: str, query: ExcerptQuery, record: str) -> Excerpt:
        """Return lines of a triage record's Markdown."""
        text = get_record_search(project).text(record)
        lines = _lines(text)
        first, last = query.first or 1, query.last or len(lines)
        if first > len(lines):
            message = f"The record has {len(lines)} lines; line {first} does not exist."
            raise Failure("INVALID_REQUEST", message, {"totalLines": len(lines)})
        state = self._opener.state(project, view, ref, query.freshness, ())
        digest = blake3(text.encode("utf-8", "replace")).hexdigest()
        path = f"{RECORDS_FOLDER}/{record}.md"
        return Excerpt(path, LANGUAGE, first, tuple(lines[first - 1 : last]), len(lines), digest, state)


def _lines(text: str) -> list[str]:
    """Split text into lines, without the empty one after the last newline."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def named_lines(view: PinnedView, handle: str) -> tuple[str, int, int]:
    """Return the path and lines that a handle of an earlier result refers to."""
    if handle_kind(handle) == "snippet":
        found = snippet_with_id(view, handle)
        if found is not None:
            chunk = view.facts(found[0]).chunks[found[1]]
            return found[0], chunk.line_start, chunk.line_end
    path, symbol = find_file(view, Target(handle=handle))
    if symbol is None:
        return path, 1, max(view.facts(path).line_count, 1)
    return path, symbol.definition.line_start, symbol.definition.line_end
