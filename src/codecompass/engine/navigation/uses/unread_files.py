"""Unread files: those of a view whose names are not recorded, so that a use in them cannot be found."""

from codecompass.engine.view.pinned_view import PinnedView, Symbol
from codecompass.engine.view.tree_sources import NOT_INDEXED

MOST_HOLDING = 5_000
"""Files that may hold a name; beyond that it is so common that every unread file is counted."""
_CUT = "truncated"
_AS_TEXT = ("poison", "minified")


def find_unread(view: PinnedView, symbol: Symbol) -> list[tuple[str, str]]:
    """(path, reason) of the files that may hold uses of a symbol and were not looked at, in order of their paths.

    A file that was read as plain text counts only if it holds the name; of one that was cut nobody knows.
    """
    spec = view.spec(symbol.language)
    if spec is None:
        return []
    languages = view.snapshot.languages()
    family = {name for name in {*languages.values()} if _imports(view, name) == spec.resolve.imports}
    cut = view.snapshot.noted(view.row, _CUT)
    as_text = {note: view.snapshot.noted(view.row, note) for note in (*_AS_TEXT, *_plain_notes(view, family))}
    holding = view.snapshot.blobs_containing(symbol.definition.name, view.row, MOST_HOLDING) if any(
        as_text.values()
    ) else None  # fmt: skip
    found = []
    for path, entry in view.entries.items():
        if entry.blob == NOT_INDEXED:
            if path.endswith(spec.extensions):
                found.append((path, "not_indexed"))
        elif languages.get(entry.blob) in family:
            reason = next((note for note, blobs in as_text.items() if entry.blob in blobs), "")
            if entry.blob in cut:
                found.append((path, _CUT))
            elif reason and (holding is None or entry.blob in holding):
                found.append((path, reason))
    return sorted(found)


def _imports(view: PinnedView, language: str) -> str:
    spec = view.spec(language)
    return spec.resolve.imports if spec else ""


def _plain_notes(view: PinnedView, family: set[str]) -> tuple[str, ...]:
    """Further notes that make files of these languages plain text."""
    specs = (view.spec(name) for name in sorted(family))
    return tuple(dict.fromkeys(note for spec in specs if spec for note in spec.plain_when))
