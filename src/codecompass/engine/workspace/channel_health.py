"""Channel health: find search channels that do not cover the whole view."""

from dataclasses import dataclass, replace

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import EMBED_ERROR_KEY, Project
from codecompass.model.queries.vector_state import SemanticState, TextIndexState
from codecompass.model.states import TextIndexCondition

WORD_CHANNEL, VECTOR_CHANNEL = "words", "meaning"


@dataclass(frozen=True, slots=True)
class ChannelGap:
    """A search channel that does not cover the whole view."""

    channel: str
    """`words` or `meaning`."""
    note: str
    repairable: bool = True
    """Whether a sync restores the missing part."""


def find_channel_gaps(project: Project, view: PinnedView, *, meaning: bool = True) -> tuple[ChannelGap, ...]:
    """Find incomplete channels; check the vector channel only with `meaning`."""
    found = (_find_word_gap(view), _find_vector_gap(project, view) if meaning else None)
    return tuple(gap for gap in found if gap is not None)


def get_word_state(view: PinnedView) -> TextIndexState:
    """Return how complete the text index of a view is."""
    found = view.snapshot.text_agreement()
    if found is None:
        return TextIndexState("off")
    differs = found.strays or found.missing or found.proved not in (None, found.documents)
    state: TextIndexCondition = "damaged" if differs else "on" if found.is_consistent else "unverified"
    return TextIndexState(state, found.documents, found.strays, found.missing, view.snapshot.dropped_hits)


def get_vector_state(project: Project, view: PinnedView) -> SemanticState:
    """Return how complete the vectors of a view are, and the error that stopped their build."""
    found = project.embedder.state(view)
    trouble = project.store.records.get(EMBED_ERROR_KEY) or ""
    return replace(found, note=trouble) if found.state == "building" and trouble else found


def _find_word_gap(view: PinnedView) -> ChannelGap | None:
    if view.text_channel is not None:
        return None
    agreement = view.snapshot.text_agreement()
    if agreement is None or not agreement.missing:
        return None
    note = f"Search by words is incomplete: the text index lacks {agreement.missing:,} contents. A sync rebuilds it."
    return ChannelGap(WORD_CHANNEL, note)


def _find_vector_gap(project: Project, view: PinnedView) -> ChannelGap | None:
    semantics = project.embedder
    if not semantics.enabled:
        return None
    if semantics.get_model() is None:
        note = f"Search by meaning is off; only words and names were searched. {semantics.error}"
        return ChannelGap(VECTOR_CHANNEL, note, False)
    field = semantics.vector_index(view)
    total = field.total if field is not None else sum(1 for entry in view.entries.values() if entry.blob)
    covered = field.covered if field is not None else 0
    if covered >= total:
        return None
    if view.text_channel is not None:
        note = f"Search by meaning is incomplete: the SQLite index has vectors of {covered:,} of {total:,} contents."
        return ChannelGap(VECTOR_CHANNEL, f"{note} Run build_sqlite_index to update it.", False)
    share = "no file has" if not covered else f"only {covered:,} of {total:,} files have"
    note = f"Search by meaning is incomplete: {share} vectors, the rest was found by words and names."
    return ChannelGap(VECTOR_CHANNEL, f"{note} {_describe_remedy(project)}")


def _describe_remedy(project: Project) -> str:
    if project.store.vectors.is_building():
        return "They are being built now."
    if trouble := project.store.records.get(EMBED_ERROR_KEY):
        return f"The last attempt to build them failed: {trouble}"
    if project.auto_sync is not None or project.options.child_command:
        return "They are built in the background."
    return "Run 'codecompass sync' to build them."
