"""Recall: answer a memory query with discoveries, followed by code and past sessions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from codecompass.embed.embedder import Embedder, Vectors
from codecompass.engine.memory.claims.claim_checker import Judge, freshness_of
from codecompass.engine.memory.conflicts import conflicts_of
from codecompass.engine.memory.corpus import Corpus, Kept, in_module
from codecompass.engine.memory.memory_summaries import dated
from codecompass.engine.memory.search.answer_excerpt import excerpt, place
from codecompass.engine.memory.search.index_builder import Shelver
from codecompass.engine.memory.search.inverted_index import Shelf
from codecompass.engine.memory.search.memory_ranking import Scored, rank
from codecompass.engine.memory.search.memory_tokens import words_of
from codecompass.engine.memory.search.recency import aged
from codecompass.engine.memory.search.sentence_embeddings import Meanings
from codecompass.engine.memory.time_budget import Budget
from codecompass.model.memory_values import Discovery, Happening, MemoryHit, MemoryQuery, Searched, Session, Source
from codecompass.model.queries.results import Factor, Hit
from codecompass.repo.process.process_memory import give_back
from codecompass.store.memory_port import MemoryCache

TRUTH = {"fresh": 1.0, "unverifiable": 0.98, "changed": 0.9, "gone": 0.8}
"""Score multiplier by freshness; commits are demoted half as much, because they describe what was done."""
_DONE = ("commit", "fix", "revert")
_EXTRA = 4
"""Hits to check beyond the limit, so that one can replace an outdated hit."""
SHELVING = 0.5
"""Share of the remaining time for indexing."""
_CODE = 2
_CODE_FLOOR = 0.35
_SESSIONS = 2
_NEAR = 4
"""Events of a session from a query on that count as its follow-up."""


@dataclass(frozen=True, slots=True)
class Found:
    """The discoveries that a query found."""

    hits: tuple[MemoryHit, ...]
    total: int
    searched: Searched


class Guarded:
    """An embedder with a lock, because its word cache is not thread-safe."""

    def __init__(self, model: Embedder) -> None:
        self._model = model
        self._lock = Lock()
        self.name = model.name
        self.digest = model.digest
        self.dimensions = model.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            return self._model.encode(texts)


Lines = Callable[[str, int, int], list[str]]


@dataclass(frozen=True, slots=True)
class Means:
    """What answering a query needs."""

    cache: MemoryCache
    embedder: Embedder | None
    judge: Judge | None
    """None: claims are not checked."""
    clock: Budget
    lines: Lines
    """Reads lines of a file as they were indexed; empty if they are not available."""
    notes: tuple[str, ...] = ()


def find(corpus: Corpus, query: MemoryQuery, resources: Means) -> Found:
    """Find the discoveries that answer a query, and check their claims as far as the time allows."""
    embedder = resources.embedder
    index = shelf_of(corpus, resources)
    chosen = [_wanted(entry, query) for entry in corpus.items]
    scored = rank(index, query.text, _meanings(corpus, embedder), np.array(chosen, np.bool_))
    judged = [(one, _hit(corpus, one, resources.judge)) for one in scored[: query.limit + _EXTRA]]
    # Freshness and age are score factors, so hits are sorted again after checking.
    judged.sort(key=lambda pair: (pair[0].is_repeat, -pair[1].score))
    hits = [hit for _, hit in judged]
    hits = [_short(hit, query.text, resources.lines) for hit in _below_successors(hits)[: query.limit]]
    counts = corpus.counts(entry for entry, wanted in zip(corpus.items, chosen, strict=True) if wanted)
    notes = (*corpus.notes, *resources.notes)
    if index.lacking:
        notes = (*notes, f"{index.lacking} discoveries were not indexed in time; ask again.")
    complete = corpus.complete and not index.lacking
    return Found(tuple(hits), len(scored), Searched(counts, complete, notes, embedder.name if embedder else ""))


def shelf_of(corpus: Corpus, resources: Means) -> Shelf:
    """Return the index of a corpus; an incomplete or older index is reused to build it."""
    known = corpus.extra.get("index")
    before = known if isinstance(known, Shelf) else None
    if before is not None and before.items is corpus.items and not before.lacking:
        return before
    made = Shelver(resources.cache, resources.clock.part(SHELVING)).shelf(corpus.items, before)
    corpus.extra["index"] = made
    # Building an index takes twice its final memory.
    give_back()
    return made


def _meanings(corpus: Corpus, embedder: Embedder | None) -> Meanings | None:
    """Return the embeddings of a corpus; they live as long as the corpus."""
    if embedder is None:
        return None
    known = corpus.extra.setdefault(f"embeddings {embedder.digest}", Meanings(embedder, corpus.items))
    return known if isinstance(known, Meanings) else None


def _short(hit: MemoryHit, question: str, lines: Lines) -> MemoryHit:
    """Reduce a hit to the excerpt that answers the query, and its lines; `context show` has the full text."""
    item = hit.discovery
    found = excerpt(item.content, question)
    source = item.source
    if found.text != item.content and source.line_start:
        first, last = place(found, lines(source.path, source.line_start, source.line_end))
        if min(first, last) >= 0:
            begin = source.line_start
            source = source._replace(line_start=begin + first, line_end=begin + last)
    return replace(hit, discovery=item._replace(content=found.text, source=source))


def _wanted(entry: Kept, query: MemoryQuery) -> bool:
    item = entry.discovery
    if item.state == "forgotten" or (query.type and item.type != query.type):
        return False
    return not query.module or in_module(entry, query.module)


def _hit(corpus: Corpus, scored: Scored, checker: Judge | None) -> MemoryHit:
    entry = scored.kept
    item = entry.discovery
    verdicts = checker.judge(entry) if checker is not None else ()
    fresh = freshness_of(item, verdicts) if checker is not None else "unverifiable"
    if checker is not None and not item.date:
        item = dated(item, entry, checker)
    truth = TRUTH[fresh] if item.source.kind not in _DONE else (1 + TRUTH[fresh]) / 2
    age = aged(item, fresh, verdicts, corpus.newest)
    factors = (*scored.factors, Factor("truth", truth, 1.0, truth), age)
    score = round(min(scored.score * truth * age.contribution, 1.0), 4)
    return MemoryHit(item, score, factors, fresh, verdicts, conflicts_of(corpus, entry))


def _below_successors(hits: list[MemoryHit]) -> list[MemoryHit]:
    """Move a superseded hit directly below its successor if both were found."""
    order = list(hits)
    for hit in hits:
        successor = next((one for one in order if one.discovery.id == hit.discovery.superseded_by), None)
        if successor is not None and order.index(hit) < order.index(successor):
            order.remove(hit)
            lower = replace(hit, score=min(hit.score, successor.score))
            order.insert(order.index(successor) + 1, lower)
    return order


# -- code and sessions ---------------------------------------------------------------------------------------------


def code_hits(hits: Sequence[Hit], question: str) -> list[MemoryHit]:
    """Convert code hits: a few, and only those whose names occur in the query."""
    wanted = set(words_of(question))
    found: list[MemoryHit] = []
    for hit in hits:
        names = set(words_of(hit.name))
        shared = wanted & set(words_of(f"{hit.qualified_name} {hit.path} {hit.signature}"))
        if not names or not names <= wanted or len(shared) * 2 < len(wanted) or hit.score < _CODE_FLOOR:
            continue
        headline = hit.signature or hit.qualified_name or hit.name
        content = f"{headline}\n{hit.path}:{hit.line_start}-{hit.line_end}"
        source = Source("code", hit.path, hit.line_start, hit.line_end)
        made = Discovery(hit.result_id, "pattern", content[:1000], source, title=hit.qualified_name or hit.name)
        found.append(MemoryHit(made, round(hit.score, 4), freshness="fresh", kind="code"))
    return found[:_CODE]


def session_hits(sessions: Sequence[Session], query: MemoryQuery) -> list[MemoryHit]:
    """Find past sessions whose queries or files share most words of the query."""
    wanted = set(words_of(query.text))
    found: list[MemoryHit] = []
    for session in sessions:
        if session.id == query.session or not wanted:
            continue
        events = [event for event in session.events if event.kind in ("query", "read", "record")]
        relevant = (event for at, event in enumerate(events) if _led_on(events[at : at + _NEAR]))
        shared = max((len(wanted & set(words_of(event.subject))) / len(wanted) for event in relevant), default=0.0)
        if shared >= 0.6:
            lines = [f"{event.kind}: {event.subject}" for event in events[-12:]]
            made = Discovery(session.id, "pattern", "\n".join(lines)[:1000], Source("session"), session.client,
                             session.started, session=session.id, title="An earlier session")  # fmt: skip
            found.append(MemoryHit(made, round(0.5 * shared, 4), kind="session"))
    found.sort(key=lambda hit: (-hit.score, hit.discovery.date))
    return found[:_SESSIONS]


def _led_on(events: Sequence[Happening]) -> bool:
    """Whether a query led to a read or a record; a mere repetition of the query is not an answer."""
    return any(event.kind != "query" for event in events)
