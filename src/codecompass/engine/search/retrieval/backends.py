"""Text backends: select the text index for a search; the default is the snapshot's, `sqlite` is the portable file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import get_args

from blake3 import blake3

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.path_text import display_path
from codecompass.model.queries.results import ViewState
from codecompass.model.states import SearchBackend
from codecompass.store.portable_port import PortableState, PortableStore

BACKENDS: tuple[str, ...] = get_args(SearchBackend)
STALE_NOTE = "The SQLite index was built from another state of this view; call build_sqlite_index to rebuild it."
PARTIAL_NOTE = "The SQLite index contains only files of these modes: {}."


@dataclass(frozen=True, slots=True)
class ViewContents:
    """Identities of the blobs of a view, and a checksum over all of them."""

    identities: Mapping[int, tuple[bytes, str]]
    """Blob → its content hash and language."""
    checksum: str
    """Hash of all paths and contents; equal if and only if these are equal."""


def compute_contents(view: PinnedView) -> ViewContents:
    identities = view.snapshot.identities(view.row)
    state = blake3()
    for path, entry in sorted(view.entries.items()):
        known = identities.get(entry.blob)
        if known is not None:
            state.update(b"%b\0%b%b\0" % (display_path(path).encode(), known[0], known[1].encode()))
    return ViewContents(identities, state.hexdigest())


def select_backend(
    view: PinnedView, portable: PortableStore, backend: str, contents: Callable[[PinnedView], ViewContents]
) -> tuple[str, ...]:
    """Set the text channel of a view to the requested backend; returns notes for the caller."""
    if backend not in BACKENDS:
        raise Failure("INVALID_REQUEST", f"Unknown backend '{backend[:40]}'.", hint=f"Known: {', '.join(BACKENDS)}.")
    if backend != "sqlite":
        return ()
    known = contents(view)
    view.text_channel = portable.open_channel(known.identities)
    state = portable.state()
    if state is None:
        return ()
    notes = () if is_current(state, view, known) else (STALE_NOTE,)
    return (*notes, PARTIAL_NOTE.format(state.meta.get("modes"))) if state.meta.get("partial") else notes


def apply_backend_state(state: ViewState, notes: tuple[str, ...], policy: str) -> ViewState:
    """Add the backend's notes to the state of an answer; a stale backend fails under the strict policy."""
    if STALE_NOTE in notes and policy == "strict":
        hint = "Call build_sqlite_index, or search with backend auto."
        raise Failure("INDEX_STALE", "The SQLite index is behind the view.", {"suggestion": hint}, hint)
    freshness = "stale" if STALE_NOTE in notes and state.freshness == "fresh" else state.freshness
    return replace(state, freshness=freshness, warnings=(*state.warnings, *notes)) if notes else state


def is_current(state: PortableState, view: PinnedView, contents: ViewContents) -> bool:
    """Whether a portable index was built from exactly the contents of the view."""
    return state.meta.get("view") == view.row.name and state.meta.get("checksum") == contents.checksum


def get_contents(project: Project, view: PinnedView) -> ViewContents:
    """Return the contents of a view; computed once for each generation."""
    return project.caches.get_for_view(ViewContents, view, lambda: compute_contents(view))
