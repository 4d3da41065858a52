"""Source files: check which files of a project a caller may read, and read their current or indexed content."""

from dataclasses import dataclass

from blake3 import blake3

from codecompass.engine.navigation.symbols.target import find_path
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.languages.detection import HEAD_BYTES
from codecompass.model.path_text import display_path
from codecompass.repo.files.path_guard import check_path, read_inside, resolve_inside
from codecompass.repo.files.skip_list import has_binary_name
from codecompass.text.documents import is_document
from codecompass.text.sniff import decode, is_binary

MAX_SHOWN_BYTES = 1_000_000
"""Maximum bytes of a file that can be shown."""


@dataclass(frozen=True, slots=True)
class FileContent:
    """The text of a file with its size, hash and language."""

    text: str
    size: int
    digest: str
    """BLAKE3 of the bytes."""
    language: str
    indexed: bool
    """Whether the view's facts describe exactly this content."""
    notes: tuple[str, ...] = ()
    """Notes of the decoder, such as `lossy_utf8`."""


def make_too_large_failure(path: str, size: int) -> Failure:
    """Build the error for a file that is too large to show."""
    message = f"{ascii(display_path(path))} has {size} bytes; at most {MAX_SHOWN_BYTES} are shown"
    return Failure("INVALID_REQUEST", message, {"size": size, "limit": MAX_SHOWN_BYTES})


def is_live(view: PinnedView) -> bool:
    return view.row.name.startswith("live:")


def resolve_allowed_path(project: Project, view: PinnedView, named: str) -> str:
    """Resolve a path to the view's spelling; a path that must not be read is refused before any lookup.

    A link inside the root resolves to its target. A file of the working tree that is newer than the view is found on
    disk if the current listing contains it: ignored files are never listed.
    """
    relative = check_path(named)
    try:
        return find_path(view, relative)
    except Failure as unknown:
        if not is_live(view):
            raise
        # Raises a specific error for a link out of the root, a device or a file that is too large.
        read_inside(project.workspace.root, relative, MAX_SHOWN_BYTES)
        inside = resolve_inside(project.workspace.root, relative)
        if project.probe.is_listed(view, inside):
            return inside
        unknown.details["reason"] = "binary" if has_binary_name(inside) else "ignored"
        raise


def read_current(project: Project, view: PinnedView, path: str, *, masked: bool) -> FileContent:
    """Read the current content: from disk for the working tree, else from the commit."""
    entry = view.entries.get(path)
    held = entry is not None and bool(entry.blob)
    if held and (not is_live(view) or is_document(view.language_of(path))):
        return read_indexed(project, view, path, masked=masked)
    data = read_inside(project.workspace.root, path, MAX_SHOWN_BYTES)
    if is_binary(data):
        raise Failure("INVALID_REQUEST", f"{ascii(display_path(path))} is not a text file.", {"reason": "binary"})
    digest = blake3(data).digest()
    same = entry is not None and held and view.snapshot.identity(entry.blob)[0] == digest
    text, notes = decode(data, masked=masked and project.options.mask_secrets)
    language = view.language_of(path) if same else project.registry.detect(path, data[:HEAD_BYTES])
    return FileContent(text, len(data), digest.hex(), language or "text", same, notes)


def read_indexed(project: Project, view: PinnedView, path: str, *, masked: bool) -> FileContent:
    """Read the content that was indexed."""
    entry = view.entries[path]
    language = view.language_of(path)
    if entry.size > MAX_SHOWN_BYTES and not is_document(language):
        raise make_too_large_failure(path, entry.size)
    found = project.reader(view, masked=masked).read_lines(view, path)
    if found is None:
        raise Failure(
            "INDEX_STALE",
            f"{ascii(display_path(path))} has changed since it was indexed.",
            {"path": display_path(path)},
            hint="Call sync_repo and search again, or name the file by its path.",
        )
    digest = view.snapshot.identity(entry.blob)[0].hex()
    return FileContent("\n".join(found), entry.size, digest, language or "text", indexed=True)
