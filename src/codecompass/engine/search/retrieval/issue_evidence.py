"""Issue evidence: the files and definitions of a view that the frames, paths, modules and names of an issue mean."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from codecompass.engine.search.filters.candidates import Candidate
from codecompass.engine.search.issue.parts import RULES, Frame
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.search.paths.path_mentions import find_mentioned_module, find_mentioned_path
from codecompass.engine.search.paths.path_roles import is_test
from codecompass.engine.search.query.issue_terms import IssueTerms
from codecompass.engine.search.retrieval.verbatim import find_verbatim
from codecompass.engine.view.pinned_view import ContentReader, PinnedView
from codecompass.model.code.kinds import CALLABLE, SECONDARY
from codecompass.store.ports import SymbolRow

MAX_FRAMES = 60
FRAME_DECAY = 0.7
"""A frame counts 1 / (1 + decay · its distance from the innermost frame of this project)."""
UNNAMED_FRAME_SHARE = 0.7
"""Share of a frame whose line lies in a function of another name: the text is from another version."""
TEST_FRAME_SHARE = 0.3
MAX_ERRORS = 3
"""Error texts that are looked up as they are written."""
MAX_NAMESAKES = 40
"""Names with more definitions than this single out none."""
CHAIN_SHARE = 0.5
"""Share of a module chain whose last parts are names inside the file."""

Place = tuple[str, int]
"""Path and position of a definition; -1 for lines outside of any."""


@dataclass
class IssueEvidence:
    """How much an issue speaks for each file and definition, 0..1."""

    terms: IssueTerms
    paths: dict[str, float] = field(default_factory=dict)
    places: dict[Place, float] = field(default_factory=dict)
    names: dict[str, float] = field(default_factory=dict)
    """Name → how much a definition of it counts: less for each namesake."""
    named_places: dict[Place, float] = field(default_factory=dict)
    quoted: list[tuple[str, int, int, float]] = field(default_factory=list)
    """(path, position, chunk, share) of what holds an error text."""

    def list_candidates(self) -> Iterator[Candidate]:
        """Yield what the issue names, whatever the words find."""
        for path, position in dict.fromkeys((*self.places, *self.named_places)):
            named = (path, position) in self.named_places
            yield Candidate(path, position, name_matched=named)
        for path, position, ordinal, share in self.quoted:
            yield Candidate(path, position, ordinal, verbatim=share)
        present = {path for path, _ in (*self.places, *self.named_places)}
        for path in self.paths:
            if path not in present:
                yield Candidate(path, whole_file=True)


def gather_evidence(
    terms: IssueTerms, view: PinnedView, paths: PathIndex, reader: ContentReader, *, quotes: bool
) -> IssueEvidence:
    """Look up what an issue names; words and meaning are asked elsewhere."""
    found = IssueEvidence(terms)
    issue = terms.issue
    for text in issue.texts("path"):
        for path in find_mentioned_path(text, paths.last_parts):
            found.paths[path] = max(found.paths.get(path, 0.0), RULES["path"].weight)
    for text in issue.texts("module"):
        for path in find_mentioned_module(text, paths.last_parts):
            found.paths[path] = max(found.paths.get(path, 0.0), RULES["module"].weight)
    _add_frames(found, view, paths)
    _add_names(found, view)
    for text in issue.texts("error")[:MAX_ERRORS] if quotes else ():
        for quote in find_verbatim(view, reader, text, message=True):
            position = view.heads(quote.blob).get_chunk(quote.ordinal).owner
            for path in view.paths.get(quote.blob, ()):
                found.quoted.append((path, position, quote.ordinal, quote.share))
    return found


def _add_frames(found: IssueEvidence, view: PinnedView, paths: PathIndex) -> None:
    depth = 0
    for frame in found.terms.issue.frames[:MAX_FRAMES]:
        meant = find_mentioned_path(frame.path, paths.last_parts) if frame.path else []
        if len(meant) != 1:
            continue
        path = meant[0]
        share = (TEST_FRAME_SHARE if is_test(path) else 1.0) / (1 + FRAME_DECAY * depth)
        position, named = _find_frame_definition(view, path, frame)
        depth += 1
        found.paths[path] = max(found.paths.get(path, 0.0), share)
        if position >= 0:
            place = (path, position)
            found.places[place] = max(found.places.get(place, 0.0), share * (1.0 if named else UNNAMED_FRAME_SHARE))


def _find_frame_definition(view: PinnedView, path: str, frame: Frame) -> tuple[int, bool]:
    """Return the definition a frame ran in, by name or else by line, and whether its name agrees."""
    heads = view.heads(view.entries[path].blob)
    name = frame.function.replace("::", ".").replace("#", ".").rstrip(")").rpartition(".")[2]
    inside, namesakes = -1, []
    for at, (_, first, last) in enumerate(heads.iter_ranges()):
        if heads.kinds[at] not in CALLABLE:
            continue
        if first <= frame.line <= last:
            inside = at
        if name and heads.names[at] == name:
            namesakes.append((first <= frame.line <= last, -abs(first - frame.line), at))
    if namesakes:
        return max(namesakes)[2], True
    return inside, not name


def _add_names(found: IssueEvidence, view: PinnedView) -> None:
    for name, weight in found.terms.names.items():
        rows = [row for row in view.snapshot.find_symbols(name.casefold(), prefix=False, limit=MAX_NAMESAKES * 4)
                if row.kind not in SECONDARY and row.kind != "use"]  # fmt: skip
        if not rows or len(rows) > MAX_NAMESAKES:
            continue
        strength = weight / math.sqrt(1 + math.log2(len(rows)))
        found.names[name] = strength
        for path, position in _list_places(view, rows):
            known = found.named_places.get((path, position), 0.0)
            found.named_places[path, position] = max(known, strength)


def _list_places(view: PinnedView, rows: list[SymbolRow]) -> Iterator[Place]:
    for row in rows:
        for path in view.paths.get(row.blob, ()):
            yield path, row.position
