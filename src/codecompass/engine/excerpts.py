"""Excerpts: the part of the façade that shows lines of one file, and nothing of a file that must not be shown."""

from blake3 import blake3

from codecompass.engine.navigate.handles import snippet_with_id
from codecompass.engine.navigate.target import find_file, find_path
from codecompass.engine.navigation import Opener
from codecompass.engine.project import Project
from codecompass.engine.view import PinnedView, shown
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.excerpt import Excerpt, ExcerptQuery
from codecompass.model.ids import handle_kind
from codecompass.model.navigation import Target
from codecompass.repo.guard import check_path, open_inside
from codecompass.text.documents import is_document
from codecompass.text.sniff import decode

LARGEST = 1_000_000
"""Bytes of a file that is shown at all."""


class Excerpts:
    """Shows only what a view holds: ignored, secret and skipped files are in none."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener

    def excerpt(self, workspace: str | None, query: ExcerptQuery, call: Call) -> Excerpt:
        """The lines that are meant. FORBIDDEN, FILE_NOT_FOUND or INVALID_REQUEST say why there are none."""
        project = self._opener.project(workspace)
        ref = project.effective_ref(query.ref)
        call.check()
        with project.pinned(ref) as view:
            if query.handle is not None:
                path, first, last = _named(view, query.handle.strip())
                lines, digest = self._indexed(project, view, path)
            else:
                path = self._allowed(project, view, query.path or "")
                lines, digest = self._current(project, view, path)
                first, last = query.first or 1, query.last or len(lines)
            state = self._opener.state(project, view, ref, query.freshness, (path,))
            if lines and first > len(lines):
                message = f"The file has {len(lines)} lines; line {first} is not among them."
                raise Failure("INVALID_REQUEST", message, {"totalLines": len(lines)})
            return Excerpt(
                path=shown(path),
                language=view.language_of(path) or "text",
                first=first if lines else 0,
                lines=tuple(lines[first - 1 : last]),
                total=len(lines),
                digest=digest,
                state=state,
            )

    def _allowed(self, project: Project, view: PinnedView, named: str) -> str:
        """The path as the view spells it; one that may never be read is refused before anything is looked up."""
        relative = check_path(named)
        try:
            return find_path(view, relative)
        except Failure:
            if _live(view):
                # A link that leads out, a device or a file that is too large is said to be that; others stay unknown.
                open_inside(project.workspace.root, relative, LARGEST)
            raise

    def _current(self, project: Project, view: PinnedView, path: str) -> tuple[list[str], str]:
        """The lines as they are now: of the working tree those on disk, else those of the commit."""
        if not _live(view) or is_document(view.language_of(path)):
            return self._indexed(project, view, path)
        data = open_inside(project.workspace.root, path, LARGEST)
        return _lines(decode(data)[0]), blake3(data).hexdigest()

    def _indexed(self, project: Project, view: PinnedView, path: str) -> tuple[list[str], str]:
        """The lines as they were indexed."""
        entry = view.entries[path]
        if entry.size > LARGEST and not is_document(view.language_of(path)):
            message = f"{ascii(shown(path))} has {entry.size} bytes; at most {LARGEST} are shown"
            raise Failure("INVALID_REQUEST", message, {"size": entry.size, "limit": LARGEST})
        found = project.reader(view).lines(view, path)
        if found is None:
            raise Failure(
                "INDEX_STALE",
                f"{ascii(shown(path))} has changed since it was indexed.",
                {"path": shown(path)},
                hint="Call sync_repo and search again, or name the file by its path.",
            )
        return _lines("\n".join(found)), view.snapshot.identity(entry.blob)[0].hex()


def _live(view: PinnedView) -> bool:
    return view.row.name.startswith("live:")


def _lines(text: str) -> list[str]:
    """Lines without the empty one after the last line's end."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _named(view: PinnedView, handle: str) -> tuple[str, int, int]:
    """The place an earlier result stood for."""
    if handle_kind(handle) == "snippet":
        found = snippet_with_id(view, handle)
        if found is not None:
            chunk = view.facts(found[0]).chunks[found[1]]
            return found[0], chunk.line_start, chunk.line_end
    path, symbol = find_file(view, Target(handle=handle))
    if symbol is None:
        return path, 1, max(view.facts(path).line_count, 1)
    return path, symbol.definition.line_start, symbol.definition.line_end
