"""Recall: answer a memory query with discoveries, followed by code and past sessions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from codecompass.embed.embedder import Embedder, Vectors
from codecompass.engine.memory.claims.claim_checker import ClaimChecker, compute_freshness
from codecompass.engine.memory.conflicts import find_conflicts
from codecompass.engine.memory.corpus import Corpus, CorpusEntry, is_in_module
from codecompass.engine.memory.memory_summaries import add_blame
from codecompass.engine.memory.search.answer_excerpt import extract_excerpt, locate_excerpt
from codecompass.engine.memory.search.index_builder import IndexBuilder
from codecompass.engine.memory.search.inverted_index import InvertedIndex
from codecompass.engine.memory.search.memory_ranking import ScoredDiscovery, rank_discoveries
from codecompass.engine.memory.search.memory_tokens import tokenize
from codecompass.engine.memory.search.sentence_embeddings import SentenceEmbeddings
from codecompass.model.memory_values import (
    Discovery,
    DiscoverySource,
    MemoryHit,
    MemoryQuery,
    SearchCoverage,
    SessionActivity,
    SessionRecord,
)
from codecompass.model.queries.results import Hit
from codecompass.model.time_budget import TimeBudget
from codecompass.repo.process.process_memory import release_memory
from codecompass.store.memory_port import MemoryCache

INDEXING_SHARE = 0.5
"""Share of the remaining time for indexing."""
_MAX_CODE_HITS = 2
_MIN_CODE_SCORE = 0.35
_MAX_SESSION_HITS = 2
_FOLLOW_UP_EVENTS = 4
"""Events of a session from a query on that count as its follow-up."""


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The discoveries that a query found."""

    hits: tuple[MemoryHit, ...]
    total: int
    searched: SearchCoverage
    nearest: tuple[MemoryHit, ...] = ()
    """The nearest texts if nothing answers the question."""


class LockedEmbedder:
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


SourceLineReader = Callable[[str, int, int], list[str]]


@dataclass(frozen=True, slots=True)
class RecallResources:
    """What answering a query needs."""

    cache: MemoryCache
    embedder: Embedder | None
    checker: ClaimChecker | None
    """None: claims are not checked."""
    budget: TimeBudget
    read_lines: SourceLineReader
    """Reads lines of a file as they were indexed; empty if they are not available."""
    notes: tuple[str, ...] = ()


def recall_discoveries(corpus: Corpus, query: MemoryQuery, resources: RecallResources) -> RecallResult:
    """Find the discoveries that answer a query, and check their claims as far as the time allows."""
    embedder = resources.embedder
    index = get_index(corpus, resources)
    chosen = [_matches_query(entry, query) for entry in corpus.items]
    ranked = rank_discoveries(index, query.text, _get_embeddings(corpus, embedder), np.array(chosen, np.bool_))
    scored = ranked.found
    shown = _move_below_successors(scored[: query.limit])
    checked = [_make_hit(corpus, one, resources.checker) for one in shown]
    hits = [_shorten_hit(hit, query.text, resources.read_lines) for hit in checked]
    pending = sum(verdict.status == "pending" for hit in hits for verdict in hit.verdicts)
    counts = corpus.count_by_source(entry for entry, wanted in zip(corpus.items, chosen, strict=True) if wanted)
    notes = (*corpus.notes, *resources.notes)
    if index.missing:
        notes = (*notes, f"{index.missing} discoveries were not indexed in time; ask again.")
    if pending:
        notes = (*notes, f"{pending} claims are not checked yet; ask again.")
    complete = corpus.complete and not index.missing and not pending
    searched = SearchCoverage(counts, complete, notes, embedder.name if embedder else "")
    nearest = tuple(
        _shorten_hit(_make_hit(corpus, one, None), query.text, resources.read_lines) for one in ranked.nearest
    )
    return RecallResult(tuple(hits), len(scored), searched, nearest)


def get_index(corpus: Corpus, resources: RecallResources) -> InvertedIndex:
    """Return the index of a corpus; an incomplete or older index is reused to build it."""
    known = corpus.derived_data.get("index")
    before = known if isinstance(known, InvertedIndex) else None
    if before is not None and before.items is corpus.items and not before.missing:
        return before
    made = IndexBuilder(resources.cache, resources.budget.take_share(INDEXING_SHARE)).build(corpus.items, before)
    corpus.derived_data["index"] = made
    # Building an index takes twice its final memory.
    release_memory()
    return made


def _get_embeddings(corpus: Corpus, embedder: Embedder | None) -> SentenceEmbeddings | None:
    """Return the embeddings of a corpus; they live as long as the corpus."""
    if embedder is None:
        return None
    known = corpus.derived_data.setdefault(f"embeddings {embedder.digest}", SentenceEmbeddings(embedder, corpus.items))
    return known if isinstance(known, SentenceEmbeddings) else None


def _shorten_hit(hit: MemoryHit, question: str, lines: SourceLineReader) -> MemoryHit:
    """Reduce a hit to the excerpt that answers the query, and its lines; `context show` has the full text."""
    item = hit.discovery
    found = extract_excerpt(item.content, question)
    source = item.source
    if found.text != item.content and source.line_start:
        first, last = locate_excerpt(found, lines(source.path, source.line_start, source.line_end))
        if min(first, last) >= 0:
            begin = source.line_start
            source = source._replace(line_start=begin + first, line_end=begin + last)
    return replace(hit, discovery=item._replace(content=found.text, source=source))


def _matches_query(entry: CorpusEntry, query: MemoryQuery) -> bool:
    item = entry.discovery
    if item.state == "forgotten" or (query.type and item.type != query.type):
        return False
    return not query.module or is_in_module(entry, query.module)


def _make_hit(corpus: Corpus, scored: ScoredDiscovery, checker: ClaimChecker | None) -> MemoryHit:
    """Check a result. Its score and place do not depend on the verdicts, which may be pending now and known later."""
    entry = scored.entry
    item = entry.discovery
    verdicts = checker.check(entry) if checker is not None else ()
    fresh = compute_freshness(item, verdicts) if checker is not None else "unverifiable"
    if checker is not None and not item.date:
        item = add_blame(item, entry, checker)
    score = round(min(scored.score, 1.0), 4)
    return MemoryHit(
        item, score, scored.factors, fresh, verdicts, find_conflicts(corpus, entry), confidence=scored.confidence
    )


def _move_below_successors(scored: Sequence[ScoredDiscovery]) -> list[ScoredDiscovery]:
    """Move a superseded result directly below its successor if both were found."""
    order = list(scored)
    for one in scored:
        successor = next(
            (other for other in order if other.entry.discovery.id == one.entry.discovery.superseded_by), None
        )
        if successor is not None and order.index(one) < order.index(successor):
            order.remove(one)
            order.insert(order.index(successor) + 1, one._replace(score=min(one.score, successor.score)))
    return order


# -- code and sessions ---------------------------------------------------------------------------------------------


def select_code_hits(hits: Sequence[Hit], question: str) -> list[MemoryHit]:
    """Convert code hits: a few, and only those whose names occur in the query."""
    wanted = set(tokenize(question))
    found: list[MemoryHit] = []
    for hit in hits:
        names = set(tokenize(hit.name))
        shared = wanted & set(tokenize(f"{hit.qualified_name} {hit.path} {hit.signature}"))
        if not names or not names <= wanted or len(shared) * 2 < len(wanted) or hit.score < _MIN_CODE_SCORE:
            continue
        headline = hit.signature or hit.qualified_name or hit.name
        content = f"{headline}\n{hit.path}:{hit.line_start}-{hit.line_end}"
        source = DiscoverySource("code", hit.path, hit.line_start, hit.line_end)
        made = Discovery(hit.result_id, "pattern", content[:1000], source, title=hit.qualified_name or hit.name)
        found.append(MemoryHit(made, round(hit.score, 4), freshness="fresh", kind="code"))
    return found[:_MAX_CODE_HITS]


def find_session_hits(sessions: Sequence[SessionRecord], query: MemoryQuery) -> list[MemoryHit]:
    """Find past sessions whose queries or files share most words of the query."""
    wanted = set(tokenize(query.text))
    found: list[MemoryHit] = []
    for session in sessions:
        if session.id == query.session or not wanted:
            continue
        events = [event for event in session.events if event.kind in ("query", "read", "record")]
        relevant = (event for at, event in enumerate(events) if _has_follow_up(events[at : at + _FOLLOW_UP_EVENTS]))
        shared = max((len(wanted & set(tokenize(event.subject))) / len(wanted) for event in relevant), default=0.0)
        if shared >= 0.6:
            lines = [f"{event.kind}: {event.subject}" for event in events[-12:]]
            made = Discovery(session.id, "pattern", "\n".join(lines)[:1000], DiscoverySource("session"), session.client,
                             session.started, session=session.id, title="An earlier session")  # fmt: skip
            found.append(MemoryHit(made, round(0.5 * shared, 4), kind="session"))
    found.sort(key=lambda hit: (-hit.score, hit.discovery.date))
    return found[:_MAX_SESSION_HITS]


def _has_follow_up(events: Sequence[SessionActivity]) -> bool:
    """Whether a query led to a read or a record; a mere repetition of the query is not an answer."""
    return any(event.kind != "query" for event in events)
