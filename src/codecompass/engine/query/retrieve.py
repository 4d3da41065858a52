"""Retrieve: candidates from the channels — symbols by name, chunks by words, files by path."""

from dataclasses import dataclass, field

from codecompass.engine.query.paths import PathIndex
from codecompass.engine.query.terms import Question
from codecompass.engine.view import PinnedView
from codecompass.model.kinds import SECONDARY
from codecompass.store.ports import TextHit, TextQuery

POOL = 50
"""Chunks fetched for ranking; more would mean unpacking facts that cannot win any more."""
SYMBOL_POOL = 40
PATH_POOL = 20
COMMON_NAME = 400
"""A name defined more often than this says little; prose queries skip it."""


@dataclass
class Candidate:
    """A place that may answer: a definition, a run of lines, or a file."""

    path: str
    position: int = -1
    """Of the definition in the file's facts, or -1."""
    ordinal: int = -1
    """Of the chunk, or -1."""
    bm25: float = 0.0
    named: bool = False
    """Found through the symbol channel: its name is a word of the query."""
    whole_file: bool = False


@dataclass
class Pool:
    """All candidates of one query, each place once."""

    candidates: dict[tuple[str, int, int], Candidate] = field(default_factory=dict)
    text_total: int = 0
    text_found: int = 0
    relaxed: bool = False
    symbol_surplus: int = 0
    path_surplus: int = 0

    @property
    def total(self) -> int:
        """Everything that matched, fetched or not."""
        unseen = self.text_total - self.text_found
        return len(self.candidates) + unseen + self.symbol_surplus + self.path_surplus


def retrieve(
    view: PinnedView, paths: PathIndex, question: Question, intent: str, language: str | None, least: int
) -> Pool:
    """Ask the channels the intent needs; at least `least` candidates where there are so many."""
    pool = Pool()
    _texts(pool, view, question, language, max(POOL, least))
    _names(pool, view, question, intent, language, max(SYMBOL_POOL, least))
    _files(pool, view, paths, question, intent, language, max(PATH_POOL, least))
    return pool


def _texts(pool: Pool, view: PinnedView, question: Question, language: str | None, limit: int) -> None:
    """All words first; when no chunk has them all, any of them, and the answer says so."""
    words = question.text_words
    if not words:
        return
    hits, total = view.snapshot.search_text(
        TextQuery(words, every=True, language=language or "", limit=limit), view.row
    )
    if not hits and len(words) > 1:
        hits, total = view.snapshot.search_text(
            TextQuery(words, every=False, language=language or "", limit=limit), view.row
        )
        pool.relaxed = bool(hits)
    elif len(hits) < limit and len(words) > 2:
        # Few chunks hold every word of a sentence; good answers with most of them must still be ranked.
        more, _ = view.snapshot.search_text(
            TextQuery(words, every=False, language=language or "", limit=limit), view.row
        )
        seen = {(hit.blob, hit.ordinal) for hit in hits}
        extra = [hit for hit in more if (hit.blob, hit.ordinal) not in seen][: limit - len(hits)]
        hits, total = hits + extra, total + len(extra)
    pool.text_total, pool.text_found = total, len(hits)
    for hit in hits:
        _add_text(pool, view, hit)


def _add_text(pool: Pool, view: PinnedView, hit: TextHit) -> None:
    facts = view.snapshot.facts(hit.blob)
    chunk = facts.chunks[hit.ordinal]
    owner = chunk.owner
    # A chunk that begins its definition is that definition; later pieces stay places of their own.
    first = owner >= 0 and chunk.line_start <= facts.definitions[owner].line_start <= chunk.line_end
    for path in view.paths.get(hit.blob, ()):
        key = (path, owner, -1) if first else (path, -1, hit.ordinal)
        known = pool.candidates.get(key)
        if known is None:
            pool.candidates[key] = Candidate(path, owner if first else -1, hit.ordinal, hit.score)
        else:
            known.bm25 = max(known.bm25, hit.score)


def _names(pool: Pool, view: PinnedView, question: Question, intent: str, language: str | None, limit: int) -> None:
    words = list(question.words)
    if intent == "natural_language" and 1 < len(words) <= 4:
        # "rate limit" may be written RateLimit or rate_limit; both fold to one of these.
        words += ["".join(words), "_".join(words)]
    for word in dict.fromkeys(word.casefold() for word in words):
        if intent != "symbol" and len(word) < 3:
            continue
        rows = view.snapshot.symbols_named(word, prefix=False, limit=10_000)
        if not rows and intent == "symbol" and len(word) >= 3:
            rows = view.snapshot.symbols_named(word, prefix=True, limit=10_000)
        if intent != "symbol":
            rows = [row for row in rows if row.kind not in SECONDARY]
        if intent == "natural_language" and len(rows) > COMMON_NAME:
            continue
        taken = 0
        for row in rows:
            for path in view.paths.get(row.blob, ()):
                if language and view.language_of(path) != language:
                    continue
                taken += 1
                known = pool.candidates.get((path, row.position, -1))
                if known is not None:
                    known.named = True
                elif taken <= limit:
                    pool.candidates[path, row.position, -1] = Candidate(path, row.position, named=True)
                else:
                    pool.symbol_surplus += 1


def _files(
    pool: Pool, view: PinnedView, paths: PathIndex, question: Question, intent: str, language: str | None, limit: int
) -> None:
    found: list[str] = []
    total = 0
    if intent == "error":
        return
    if intent == "path":
        found, total = paths.containing(question.text.strip(), limit)
        if not found:
            found, total = paths.with_words(sorted(question.parts), limit)
    elif question.parts:
        found, total = paths.with_words(sorted(question.parts), limit)
    if language:
        found = [path for path in found if (view.language_of(path) or "text") == language]
        total = len(found)
    for path in found:
        pool.candidates.setdefault((path, -1, -1), Candidate(path, whole_file=True))
    pool.path_surplus = total - len(found)
