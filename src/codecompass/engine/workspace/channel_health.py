"""Channel health: find search channels that do not cover the whole view."""

from dataclasses import dataclass, replace

from codecompass.engine.view.pinned_view import PinnedView
from codecompass.engine.workspace.project import EMBED_TROUBLE_KEY, Project
from codecompass.model.queries.vector_state import SemanticState, WordsState

WORDS, MEANING = "words", "meaning"


@dataclass(frozen=True, slots=True)
class ChannelGap:
    """A search channel that does not cover the whole view."""

    channel: str
    """`words` or `meaning`."""
    note: str
    can_be_made: bool = True
    """Whether a sync restores the missing part."""


def find_channel_gaps(project: Project, view: PinnedView, *, meaning: bool = True) -> tuple[ChannelGap, ...]:
    """Find incomplete channels; check the vector channel only with `meaning`."""
    found = (_words(view), _meaning(project, view) if meaning else None)
    return tuple(gap for gap in found if gap is not None)


def words_of(view: PinnedView) -> WordsState:
    """Return how complete the text index of a view is."""
    found = view.snapshot.text_agreement()
    if found is None:
        return WordsState("off")
    differs = found.strays or found.missing or found.proved not in (None, found.documents)
    state = "damaged" if differs else "on" if found.holds else "unverified"
    return WordsState(state, found.documents, found.strays, found.missing, view.snapshot.dropped_hits)


def meaning_of(project: Project, view: PinnedView) -> SemanticState:
    """Return how complete the vectors of a view are, and the error that stopped their build."""
    found = project.semantics.state(view)
    trouble = project.store.records.get(EMBED_TROUBLE_KEY) or ""
    return replace(found, note=trouble) if found.state == "building" and trouble else found


def _words(view: PinnedView) -> ChannelGap | None:
    if view.channel is not None:
        return None
    agreement = view.snapshot.text_agreement()
    if agreement is None or not agreement.missing:
        return None
    note = f"Search by words is incomplete: the text index lacks {agreement.missing:,} contents. A sync rebuilds it."
    return ChannelGap(WORDS, note)


def _meaning(project: Project, view: PinnedView) -> ChannelGap | None:
    semantics = project.semantics
    if not semantics.wanted:
        return None
    if semantics.model() is None:
        note = f"Search by meaning is off; only words and names were searched. {semantics.trouble}"
        return ChannelGap(MEANING, note, False)
    field = semantics.field(view)
    total = field.total if field is not None else sum(1 for entry in view.entries.values() if entry.blob)
    covered = field.covered if field is not None else 0
    if covered >= total:
        return None
    if view.channel is not None:
        note = f"Search by meaning is incomplete: the SQLite index has vectors of {covered:,} of {total:,} contents."
        return ChannelGap(MEANING, f"{note} Run build_sqlite_index to update it.", False)
    share = "no file has" if not covered else f"only {covered:,} of {total:,} files have"
    note = f"Search by meaning is incomplete: {share} vectors, the rest was found by words and names."
    return ChannelGap(MEANING, f"{note} {_remedy(project)}")


def _remedy(project: Project) -> str:
    if project.store.vectors.building():
        return "They are being built now."
    if trouble := project.store.records.get(EMBED_TROUBLE_KEY):
        return f"The last attempt to build them failed: {trouble}"
    if project.keeper is not None or project.options.child_command:
        return "They are built in the background."
    return "Run 'codecompass sync' to build them."
