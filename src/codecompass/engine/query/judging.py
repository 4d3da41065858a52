"""Judging: the signals of candidates. What belongs to a file is worked out once for all its places."""

import math
from dataclasses import dataclass, field

from codecompass.engine.query.asked import Asked
from codecompass.engine.query.candidates import Candidate
from codecompass.engine.query.paths import PathIndex, role_prior
from codecompass.engine.query.profile import best_name, exact, pair_share, said, size
from codecompass.engine.query.rank import BM25_UNIT, KIND_PRIOR, SECOND, SECONDARY_SHARE, Signals
from codecompass.engine.query.terms import Question
from codecompass.engine.view import PinnedView
from codecompass.model.kinds import SECONDARY
from codecompass.text.tokens import split_identifier

PART_OF_FILE = 0.6
"""How much of a path's match counts for what stands in the file, when a path was asked for."""
_SENTENCE = "natural_language"


@dataclass
class Judging:
    """The candidates of one query on one view."""

    view: PinnedView
    paths: PathIndex
    question: Question
    asked: Asked
    intent: str
    _wanted: frozenset[str] = frozenset()
    _by_path: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._wanted = self.question.stems
        self._by_path = self.paths.scores(self._wanted)

    def file(self, path: str) -> Signals:
        """What a file brings to each of its places."""
        place, profile = self.paths.place(path), self.paths.profile(self.view, path)
        shares = self.asked.shares
        return Signals(
            defines=exact(profile, self.asked),
            best_name=best_name(profile, self.asked),
            names=said(profile, self.asked),
            pairs=pair_share(profile, self.asked),
            path=self._by_path.get(path, 0.0),
            path_cover=sum(shares.get(one, 0.0) for one in place.words),
            stem=sum(shares.get(one, 0.0) for one in place.stem),
            stem_share=len(place.stem & self._wanted) / len(place.stem) if place.stem else 0.0,
            size=size(profile),
            role=self.paths.standing(path, self._wanted),
        )

    def referred(self, path: str) -> float:
        """How many other files mention what a file defines; asked only for those that may come first."""
        return self.paths.referred(self.view, path)

    def places(self, path: str, candidates: list[Candidate]) -> list[Signals]:
        """The signals of all candidates of one file."""
        whole = self.file(path)
        texts = sorted((item.bm25 for item in candidates if item.bm25 > 0), reverse=True)
        return [self._place(item, whole, texts) for item in candidates]

    def _place(self, item: Candidate, whole: Signals, texts: list[float]) -> Signals:
        text = 0.0
        if item.bm25 > 0:
            next_best = texts[0] if item.bm25 < texts[0] else texts[1] if len(texts) > 1 else 0.0
            text = (item.bm25 + SECOND * next_best) * BM25_UNIT / self.asked.rarity
        if self.intent in ("path", "error"):
            return self._plain(item, whole, text)
        if item.position < 0:
            return whole._replace(text=text)
        return self._defined(item, whole._replace(text=text), 1.0)

    def _plain(self, item: Candidate, whole: Signals, text: float) -> Signals:
        """Where a path or the words of a message were given, names say little."""
        fragment = self.paths.affinity(item.path, self.question.text, self._wanted)
        prior = role_prior(item.path, self.question.parts)
        if self.intent == "path":
            # Who names a file wants the file; what stands in it comes after it.
            if item.whole_file:
                return whole._replace(name=fragment, qualified=fragment, fragment=fragment, definition=1.0)
            fragment *= PART_OF_FILE
        found = whole._replace(fragment=fragment, text=text * prior)
        return self._defined(item, found, prior) if item.position >= 0 else found

    def _defined(self, item: Candidate, found: Signals, prior: float) -> Signals:
        head = self.view.snapshot.heads(self.view.entries[item.path].blob).definitions[item.position]
        secondary = head.kind in SECONDARY
        # Who asks in words finds prose by its words; what it is called counts only where a name was asked for.
        share = prior * (SECONDARY_SHARE if self.intent == "symbol" else 0.0) if secondary else prior
        return found._replace(
            name=self._name_match(head.name) * share,
            qualified=self._qualified_match(item) * share if self.intent != _SENTENCE else 0.0,
            definition=0.0 if secondary else 1.0 if item.named else 0.5,
            kind=KIND_PRIOR.get(head.kind, 0.3),
        )

    def _name_match(self, name: str) -> float:
        """1 for the very name, less in another case; else how well the parts of name and question cover each other."""
        words, wanted = self.question.words, self.question.parts
        if name in words:
            return 1.0 if len(words) == 1 else max(0.6, 1.0 / len(words))
        if name.lower() in {word.lower() for word in words}:
            return 0.9 if len(words) == 1 else max(0.5, 0.9 / len(words))
        parts = frozenset(split_identifier(name))
        if not parts or not wanted:
            return 0.0
        common = len(parts & wanted)
        return 0.85 * (common / len(parts)) * math.sqrt(common / len(wanted))

    def _qualified_match(self, item: Candidate) -> float:
        text, wanted = self.question.text.strip(), self.question.parts
        full = self.view.symbol(item.path, item.position).qualified_name
        if text and (full == text or full.endswith(text)):
            return 1.0
        parts = frozenset(split_identifier(full.replace("::", " ").replace("/", " ").replace(".", " ")))
        return len(parts & wanted) / len(wanted) if wanted else 0.0
