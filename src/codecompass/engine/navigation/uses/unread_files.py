"""Unread files: files whose names are not recorded, so that uses in them cannot be found."""

from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.engine.view.tree_sources import NOT_INDEXED
from codecompass.model.code.coverage import PENDING

MAX_MATCHING_FILES = 5_000
"""Maximum number of files with the name; above it the name is so common that every unread file is counted."""
_TRUNCATED = "truncated"
_PLAIN_TEXT_NOTES = ("poison", "minified")


def find_unread(view: PinnedView, symbol: Symbol) -> list[tuple[str, str]]:
    """Return (path, reason) of files that may contain unseen uses of a symbol, in path order.

    A file read as plain text counts only if it contains the name; for a truncated file that is unknown, so it always
    counts.
    """
    spec = view.spec(symbol.language)
    if spec is None:
        return []
    languages = view.snapshot.languages()
    family = {name for name in {*languages.values()} if _get_import_strategy(view, name) == spec.resolve.imports}
    cut = view.snapshot.find_view_blobs_with_note(view.row, _TRUNCATED)
    as_text = {
        note: view.snapshot.find_view_blobs_with_note(view.row, note)
        for note in (*_PLAIN_TEXT_NOTES, *_list_plain_notes(view, family))
    }
    holding = view.snapshot.find_blobs_containing(symbol.definition.name, view.row, MAX_MATCHING_FILES) if any(
        as_text.values()
    ) else None  # fmt: skip
    pending = view.snapshot.skipped_files(view.row, (PENDING,))
    found = []
    for path, entry in view.entries.items():
        if entry.blob == NOT_INDEXED:
            if path.endswith(spec.extensions):
                found.append((path, PENDING if path in pending else "not_indexed"))
        elif languages.get(entry.blob) in family:
            reason = next((note for note, blobs in as_text.items() if entry.blob in blobs), "")
            if entry.blob in cut:
                found.append((path, _TRUNCATED))
            elif reason and (holding is None or entry.blob in holding):
                found.append((path, reason))
    return sorted(found)


def _get_import_strategy(view: PinnedView, language: str) -> str:
    spec = view.spec(language)
    return spec.resolve.imports if spec else ""


def _list_plain_notes(view: PinnedView, family: set[str]) -> tuple[str, ...]:
    """Return further notes that mark files of these languages as plain text."""
    specs = (view.spec(name) for name in sorted(family))
    return tuple(dict.fromkeys(note for spec in specs if spec for note in spec.plain_when))
