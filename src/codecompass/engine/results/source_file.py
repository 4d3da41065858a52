"""Source file: which file of a project a caller may see, and its content as it is now: one way for all who show."""

import os
from dataclasses import dataclass

from blake3 import blake3

from codecompass.engine.navigation.symbols.target import find_path
from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.languages.detection import HEAD_BYTES
from codecompass.repo.files.path_guard import check_path, open_inside
from codecompass.repo.files.skip_list import has_binary_name
from codecompass.text.documents import is_document
from codecompass.text.sniff import decode, is_binary

LARGEST = 1_000_000
"""Bytes of a file that is shown at all."""


@dataclass(frozen=True, slots=True)
class Content:
    """A file's text, and what it was made of."""

    text: str
    size: int
    digest: str
    """BLAKE3 of the bytes."""
    language: str
    indexed: bool
    """Whether the view's facts are those of this very content."""
    notes: tuple[str, ...] = ()
    """What decoding had to say: `lossy_utf8` and the like."""


def too_large(path: str, size: int) -> Failure:
    """The refusal of a file that is too large to be shown."""
    message = f"{ascii(shown(path))} has {size} bytes; at most {LARGEST} are shown"
    return Failure("INVALID_REQUEST", message, {"size": size, "limit": LARGEST})


def is_live(view: PinnedView) -> bool:
    return view.row.name.startswith("live:")


def allowed_path(project: Project, view: PinnedView, named: str) -> str:
    """The path as the view spells it; one that may never be read is refused before anything is looked up.

    A link inside the root stands for the file it leads to. A file of the working tree that came after the last look is
    found on disk if the listing has it now: what ignore rules leave out is in no listing.
    """
    relative = check_path(named)
    try:
        return find_path(view, relative)
    except Failure as unknown:
        if not is_live(view):
            raise
        root = os.path.realpath(project.workspace.root)
        # A link that leads out, a device or a file that is too large is said to be that.
        open_inside(project.workspace.root, relative, LARGEST)
        real = os.path.relpath(os.path.realpath(os.path.join(root, relative)), root)
        inside = check_path(real.replace(os.sep, "/"))
        if project.probe.lists(view, inside):
            return inside
        unknown.details["reason"] = "binary" if has_binary_name(inside) else "ignored"
        raise


def current(project: Project, view: PinnedView, path: str, *, masked: bool) -> Content:
    """The content as it is now: of the working tree what lies on disk, else what the commit has."""
    entry = view.entries.get(path)
    held = entry is not None and bool(entry.blob)
    if held and (not is_live(view) or is_document(view.language_of(path))):
        return indexed(project, view, path, masked=masked)
    data = open_inside(project.workspace.root, path, LARGEST)
    if is_binary(data):
        raise Failure("INVALID_REQUEST", f"{ascii(shown(path))} is no text.", {"reason": "binary"})
    digest = blake3(data).digest()
    same = entry is not None and held and view.snapshot.identity(entry.blob)[0] == digest
    text, notes = decode(data, masked=masked and project.options.mask_secrets)
    language = view.language_of(path) if same else project.registry.detect(path, data[:HEAD_BYTES])
    return Content(text, len(data), digest.hex(), language or "text", same, notes)


def indexed(project: Project, view: PinnedView, path: str, *, masked: bool) -> Content:
    """The content that was indexed."""
    entry = view.entries[path]
    language = view.language_of(path)
    if entry.size > LARGEST and not is_document(language):
        raise too_large(path, entry.size)
    found = project.reader(view, masked=masked).lines(view, path)
    if found is None:
        raise Failure(
            "INDEX_STALE",
            f"{ascii(shown(path))} has changed since it was indexed.",
            {"path": shown(path)},
            hint="Call sync_repo and search again, or name the file by its path.",
        )
    digest = view.snapshot.identity(entry.blob)[0].hex()
    return Content("\n".join(found), entry.size, digest, language or "text", indexed=True)
