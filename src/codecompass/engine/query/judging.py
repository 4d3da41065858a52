"""Judging: the signals of candidates. What belongs to a file is worked out once for all its places."""

import math
from dataclasses import dataclass, field

from codecompass.engine.query.asked import Asked
from codecompass.engine.query.candidates import Candidate
from codecompass.engine.query.paths import PathIndex, role_prior
from codecompass.engine.query.profile import best_name, exact, pair_share, said, size
from codecompass.engine.query.rank import (
    BM25_UNIT,
    KIND_PRIOR,
    SECOND,
    SECONDARY_SHARE,
    Signals,
    Spot,
    of_file,
    of_spot,
    uses,
)
from codecompass.engine.query.terms import Question
from codecompass.engine.view import PinnedView
from codecompass.model.code import Heads
from codecompass.model.kinds import SECONDARY
from codecompass.text.tokens import split_identifier

OTHER_CASE = 0.6
"""A name that differs in upper and lower case only, beside the very name."""
OTHER_NAME = 0.55
"""A name that consists of just the words, in whatever order."""
PART_OF_FILE = 0.6
"""How much of a path's match counts for what stands in the file, when a path was asked for."""


@dataclass
class Judging:
    """The candidates of one query on one view."""

    view: PinnedView
    paths: PathIndex
    question: Question
    asked: Asked
    intent: str
    _wanted: frozenset[str] = frozenset()
    _folded: frozenset[str] = frozenset()
    _qualifies: bool = False
    _by_path: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._wanted = self.question.stems
        self._folded = frozenset(word.lower() for word in self.question.words)
        self._qualifies = uses("qualified", self.intent)
        self._by_path = self.paths.scores(self._wanted)

    def outside(self, path: str) -> Signals:
        """What a file brings to each of its places before it is looked into."""
        place, shares = self.paths.place(path), self.asked.shares
        return Signals(
            path=self._by_path.get(path, 0.0),
            path_cover=sum(shares.get(one, 0.0) for one in place.words),
            stem_share=len(place.stem & self._wanted) / len(place.stem) if place.stem else 0.0,
            role=self.paths.standing(path, self._wanted),
        )

    def inside(self, path: str, known: Signals) -> Signals:
        """The same with what its names say; asked only for those that may come first."""
        profile = self.paths.profile(self.view, path)
        return known._replace(
            defines=exact(profile, self.asked),
            best_name=best_name(profile, self.asked),
            names=said(profile, self.asked),
            pairs=pair_share(profile, self.asked),
            size=size(profile),
        )

    def rough(self, known: Signals, candidates: list[Candidate]) -> float:
        """How likely a file comes first, before it is looked into; one that defines a name of the question may."""
        if any(item.named for item in candidates):
            return 1.0
        text = max(item.bm25 for item in candidates) * BM25_UNIT / self.asked.rarity
        return of_file(known, self.intent) + of_spot(Spot(text=text), self.intent)

    def referred(self, path: str) -> float:
        """How many other files mention what a file defines; asked only for those that may come first."""
        return self.paths.referred(self.view, path)

    def spots(self, path: str, candidates: list[Candidate]) -> list[Spot]:
        """What tells the candidates of one file apart."""
        texts = sorted((item.bm25 for item in candidates if item.bm25 > 0), reverse=True)
        heads = self.view.snapshot.heads(self.view.entries[path].blob)
        return [self._spot(item, heads, self._text(item.bm25, texts)) for item in candidates]

    def _text(self, bm25: float, texts: list[float]) -> float:
        """The match of its lines with some of the next best in the file, for a question of one unit of rarity."""
        if bm25 <= 0:
            return 0.0
        next_best = texts[0] if bm25 < texts[0] else texts[1] if len(texts) > 1 else 0.0
        return (bm25 + SECOND * next_best) * BM25_UNIT / self.asked.rarity

    def _spot(self, item: Candidate, heads: Heads, text: float) -> Spot:
        prior, fragment = 1.0, 0.0
        if self.intent in ("path", "error"):
            # Where a path or the words of a message were given, the file's role weighs on everything.
            fragment = self.paths.affinity(item.path, self.question.text, self._wanted)
            prior = role_prior(item.path, self.question.parts)
        if self.intent == "path":
            # Who names a file wants the file; what stands in it comes after it.
            if item.whole_file:
                return Spot(name=fragment, qualified=fragment, fragment=fragment, definition=1.0)
            fragment *= PART_OF_FILE
        if item.position < 0:
            return Spot(fragment=fragment, text=text * prior)
        head = heads.definitions[item.position]
        secondary = head.kind in SECONDARY
        # Who asks in words finds prose by its words; what it is called counts only where a name was asked for.
        share = prior * (SECONDARY_SHARE if self.intent == "symbol" else 0.0) if secondary else prior
        return Spot(
            name=self._name_match(head.name) * share,
            qualified=self._qualified_match(item) * share if self._qualifies else 0.0,
            fragment=fragment,
            definition=0.0 if secondary else 1.0 if item.named else 0.5,
            kind=KIND_PRIOR.get(head.kind, 0.3),
            text=text * prior,
        )

    def _name_match(self, name: str) -> float:
        """1 for the very name, less in another case; else how well the parts of name and question cover each other."""
        words, wanted = self.question.words, self.question.parts
        if name in words:
            return 1.0 if len(words) == 1 else max(0.6, 1.0 / len(words))
        if name.lower() in self._folded:
            return OTHER_CASE if len(words) == 1 else max(0.5, OTHER_CASE / len(words))
        parts = frozenset(split_identifier(name))
        if not parts or not wanted:
            return 0.0
        common = len(parts & wanted)
        return OTHER_NAME * (common / len(parts)) * math.sqrt(common / len(wanted))

    def _qualified_match(self, item: Candidate) -> float:
        text, wanted = self.question.text.strip(), self.question.parts
        full = self.view.symbol(item.path, item.position).qualified_name
        if text and (full == text or full.endswith(text)):
            return 1.0
        parts = frozenset(split_identifier(full.replace("::", " ").replace("/", " ").replace(".", " ")))
        return len(parts & wanted) / len(wanted) if wanted else 0.0
