"""Value completion: the files, names and modules of a view that begin with a text."""

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.path_text import display_path

MAX_ROWS = 2_000
"""Most definitions that are read for one completion."""


def complete_path(view: PinnedView, text: str) -> list[str]:
    """Return the paths that begin with a text, then those with a part that does; the shortest first."""
    folded = text.casefold()
    paths = [display_path(path) for path in view.entries]
    heads = [path for path in paths if path.casefold().startswith(folded)]
    parts = [path for path in paths if f"/{folded}" in f"/{path.casefold()}"] if folded else []
    return list(dict.fromkeys([*_sort_short_first(heads), *_sort_short_first(parts)]))


def complete_name(view: PinnedView, text: str) -> list[str]:
    """Return the names of definitions that begin with a text; those in the same case and short ones first."""
    if not text:
        return []
    rows = view.snapshot.find_symbols(text.casefold(), prefix=True, limit=MAX_ROWS)
    names = _sort_short_first({row.name for row in rows if row.blob in view.paths})
    return sorted(names, key=lambda name: not name.startswith(text))


def _sort_short_first(texts: "set[str] | list[str]") -> list[str]:
    return sorted(texts, key=lambda text: (len(text), text))
