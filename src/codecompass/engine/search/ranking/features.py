"""Feature extraction: raw features of candidates; features of a file are computed once for all its candidates."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from codecompass.engine.search.filters.candidates import Candidate
from codecompass.engine.search.paths.name_features import exact, said, size
from codecompass.engine.search.paths.path_index import PathIndex, role_prior
from codecompass.engine.search.query.idf import Asked
from codecompass.engine.search.query.query_terms import Question
from codecompass.engine.search.ranking.scorer import (
    BM25_UNIT,
    KIND_PRIOR,
    SECOND,
    SECONDARY_SHARE,
    VERBATIM,
    Signals,
    Spot,
    of_file,
    of_spot,
    uses,
)
from codecompass.engine.search.retrieval.text_query_builder import LONG
from codecompass.engine.search.retrieval.vector_channel import Closeness, Nearby
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.facts import Heads
from codecompass.model.code.kinds import SECONDARY
from codecompass.text.tokens import split_identifier

OTHER_CASE = 0.6
"""Name feature of a name that differs only in case; an exact match has 1."""
OTHER_NAME = 0.55
"""Name feature of a name that consists of exactly the query's words, in any order."""
PART_OF_FILE = 0.6
"""Share of the path feature that counts for candidates inside the file when the query is a path."""


@dataclass
class Judging:
    """Extracts the features of all candidates of one query on one view."""

    view: PinnedView
    paths: PathIndex
    question: Question
    asked: Asked
    intent: str
    nearby: Nearby | None = None
    _near: dict[str, Closeness] = field(default_factory=dict)
    _wanted: frozenset[str] = frozenset()
    _folded: frozenset[str] = frozenset()
    _plain: frozenset[str] = frozenset()
    """Words of a sentence that do not look like names; a definition with such a name gets no exact name match."""
    _qualifies: bool = False
    _by_message: bool = False
    """Whether the query is a path or an error message, not words about code."""
    _alike: dict[str, float] = field(default_factory=dict)
    """Name → its name feature; a view has many definitions of one name."""

    def __post_init__(self) -> None:
        self._wanted = self.question.stems
        self._folded = frozenset(word.lower() for word in self.question.words)
        if self.intent == "natural_language" and len(self.question.words) >= LONG:
            self._plain = frozenset(self.question.words) - self.asked.names.keys()
        self._qualifies = uses("qualified", self.intent)
        self._by_message = self.intent in ("path", "error")

    def meet(self, paths: Iterable[str]) -> None:
        """Prefetch vector similarities for these files."""
        if self.nearby is not None:
            self._near = self.nearby.of(paths)

    def outside(self, path: str) -> Signals:
        """Return the features of a file that need only its path and its vectors."""
        terms, shares = self.paths.place(path), self.asked.shares
        # Every query stem in a path adds to its score, so a path without a score has none of them.
        by_path = self.paths.score(path, self._wanted)
        return Signals(
            path=by_path,
            path_cover=sum(shares[one] for one in terms.words.keys() & shares.keys()) if by_path else 0.0,
            stem_share=len(terms.stem & self._wanted) / len(terms.stem) if by_path and terms.stem else 0.0,
            role=self.paths.standing(path, self._wanted),
            **self._meaning(path),
        )

    def _meaning(self, path: str) -> dict[str, float]:
        found = self._near.get(path)
        if found is None:
            return {}
        return {
            "near": found.near,
            "near_file": found.near_file,
            "near_outline": found.near_outline,
            "near_path": found.near_path,
        }

    def inside(self, path: str, known: Signals) -> Signals:
        """Add the features of the names a file defines; computed only for files that may rank high."""
        heads = self.view.heads(self.view.entries[path].blob)
        return known._replace(
            defines=exact(heads, self.asked) if self.asked.names else 0.0,
            names=said(self.paths.profile(self.view, path), self.asked),
            size=size(heads),
        )

    def rough(self, known: Signals, candidates: list[Candidate]) -> float:
        """Estimate the score of a file before its facts are read; a file with a name match always comes first."""
        if any(item.named for item in candidates):
            return 1.0
        text = max(item.bm25 * BM25_UNIT / self.asked.rarity + VERBATIM * item.verbatim for item in candidates)
        return of_file(known, self.intent) + of_spot(Spot(text=text), self.intent)

    def referred(self, paths: Sequence[str]) -> list[float]:
        """Score how many other files mention the names of each file; computed only for files that may rank high."""
        return self.paths.referred(self.view, paths)

    def spots(self, path: str, candidates: list[Candidate]) -> list[Spot]:
        """Return the features that differ between the candidates of one file."""
        texts = sorted((item.bm25 for item in candidates if item.bm25 > 0), reverse=True)
        heads = self.view.heads(self.view.entries[path].blob)
        return [self._spot(item, heads, self._text(item.bm25, texts) + VERBATIM * item.verbatim) for item in candidates]

    def _text(self, bm25: float, texts: list[float]) -> float:
        """BM25 of the chunk plus a part of the file's next best chunk, normalized by the total IDF of the query."""
        if bm25 <= 0:
            return 0.0
        next_best = texts[0] if bm25 < texts[0] else texts[1] if len(texts) > 1 else 0.0
        return (bm25 + SECOND * next_best) * BM25_UNIT / self.asked.rarity

    def _spot(self, item: Candidate, heads: Heads, text: float) -> Spot:
        prior, fragment = 1.0, 0.0
        if self._by_message:
            # For paths and error messages the role of the file scales every feature.
            fragment = self.paths.affinity(item.path, self.question.text, self._wanted)
            prior = role_prior(item.path, self.question.parts)
        if self.intent == "path":
            # A path query wants the file itself; definitions and chunks inside it rank below.
            if item.whole_file:
                return Spot(name=fragment, qualified=fragment, fragment=fragment, definition=1.0)
            fragment *= PART_OF_FILE
        if item.position < 0:
            return Spot(fragment=fragment, text=text * prior)
        head = heads.head(item.position)
        secondary = head.kind in SECONDARY
        # Headings and keys match by their text; their names count only in symbol queries.
        share = prior * (SECONDARY_SHARE if self.intent == "symbol" else 0.0) if secondary else prior
        return Spot(
            name=self._name_match(head.name) * share,
            qualified=self._qualified_match(item) * share if self._qualifies else 0.0,
            fragment=fragment,
            definition=0.0 if secondary else 1.0 if item.named and head.name not in self._plain else 0.5,
            kind=KIND_PRIOR.get(head.kind, 0.3),
            text=text * prior,
        )

    def _name_match(self, name: str) -> float:
        """1 for the exact name, less in another case; else how well the parts of name and query cover each other."""
        known = self._alike.get(name)
        if known is None:
            known = self._alike[name] = self._compared(name)
        return known

    def _compared(self, name: str) -> float:
        words, wanted = self.question.words, self.question.parts
        if name in words and name not in self._plain:
            return 1.0 if len(words) == 1 else max(0.6, 1.0 / len(words))
        if name.lower() in self._folded and name not in self._plain:
            return OTHER_CASE if len(words) == 1 else max(0.5, OTHER_CASE / len(words))
        parts = self.question.name_parts(name)
        if not parts or not wanted:
            return 0.0
        common = len(parts & wanted)
        return OTHER_NAME * (common / len(parts)) * math.sqrt(common / len(wanted))

    def _qualified_match(self, item: Candidate) -> float:
        text, wanted = self.question.text.strip(), self.question.parts
        full = self.view.qualified(item.path, item.position)
        if text and (full == text or full.endswith(text)):
            return 1.0
        parts = frozenset(split_identifier(full.replace("::", " ").replace("/", " ").replace(".", " ")))
        return len(parts & wanted) / len(wanted) if wanted else 0.0
