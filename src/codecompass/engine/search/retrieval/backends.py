"""Text backends: select the text index for a search; the default is the snapshot's, `sqlite` is the portable file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from blake3 import blake3

from codecompass.engine.view.pinned_view import PinnedView, shown
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.queries.results import ViewState
from codecompass.store.portable_port import Portable, PortableState

BACKENDS = ("auto", "tantivy", "sqlite")
STALE = "The SQLite index was built from another state of this view; call build_sqlite_index to rebuild it."
PARTIAL = "The SQLite index contains only files of these modes: {}."


@dataclass(frozen=True, slots=True)
class Contents:
    """Identities of the blobs of a view, and a checksum over all of them."""

    identities: Mapping[int, tuple[bytes, str]]
    """Blob → its content hash and language."""
    checksum: str
    """Hash of all paths and contents; equal if and only if these are equal."""


def contents_of(view: PinnedView) -> Contents:
    identities = view.snapshot.identities(view.row)
    state = blake3()
    for path, entry in sorted(view.entries.items()):
        known = identities.get(entry.blob)
        if known is not None:
            state.update(b"%b\0%b%b\0" % (shown(path).encode(), known[0], known[1].encode()))
    return Contents(identities, state.hexdigest())


def choose(
    view: PinnedView, portable: Portable, backend: str, contents: Callable[[PinnedView], Contents]
) -> tuple[str, ...]:
    """Set the text channel of a view to the requested backend; returns notes for the caller."""
    if backend not in BACKENDS:
        raise Failure("INVALID_REQUEST", f"Unknown backend '{backend[:40]}'.", hint=f"Known: {', '.join(BACKENDS)}.")
    if backend != "sqlite":
        return ()
    known = contents(view)
    view.channel = portable.channel(known.identities)
    state = portable.state()
    if state is None:
        return ()
    notes = () if holds(state, view, known) else (STALE,)
    return (*notes, PARTIAL.format(state.meta.get("modes"))) if state.meta.get("partial") else notes


def judged(state: ViewState, notes: tuple[str, ...], policy: str) -> ViewState:
    """Add the backend's notes to the state of an answer; a stale backend fails under the strict policy."""
    if STALE in notes and policy == "strict":
        hint = "Call build_sqlite_index, or search with backend auto."
        raise Failure("INDEX_STALE", "The SQLite index is behind the view.", {"suggestion": hint}, hint)
    freshness = "stale" if STALE in notes and state.freshness == "fresh" else state.freshness
    return replace(state, freshness=freshness, warnings=(*state.warnings, *notes)) if notes else state


def holds(state: PortableState, view: PinnedView, contents: Contents) -> bool:
    """Whether a portable index was built from exactly the contents of the view."""
    return state.meta.get("view") == view.row.name and state.meta.get("checksum") == contents.checksum


def get_contents(project: Project, view: PinnedView) -> Contents:
    """Return the contents of a view; computed once for each generation."""
    return project.caches.of_view(Contents, view, lambda: contents_of(view))
