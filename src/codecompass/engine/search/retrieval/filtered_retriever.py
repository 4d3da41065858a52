"""Filtered retrieval: candidates that pass the filters and operators of a query, at any depth of the ranking.

Matches of each channel are tested in order of rank, and more are fetched until enough pass or none are left.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from codecompass.engine.search.filters.candidates import Candidate, Judge, Pool
from codecompass.engine.search.filters.filter_set import Sieve
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.search.retrieval.query_plan import Plan
from codecompass.engine.search.retrieval.text_query_builder import Wording
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.facts import Chunk, Definition
from codecompass.store.ports import SymbolRow
from codecompass.store.text_query import TextHit, TextQuery
from codecompass.store.vector_port import VectorHit
from codecompass.text.documents import is_document
from codecompass.text.tokens import split_identifier

INNER_SHARE = 0.6
"""Share of a chunk's BM25 score for a definition that is only a part of the chunk."""
_BODY = 3
"""Lines from which on a definition is assumed to have a body that may contain the words."""
_GROWTH = 4
"""Maximum factor by which the next fetch is larger."""
_ROOM = 1.25
"""Safety factor on the number of matches to fetch, as estimated from the pass rate."""


@dataclass
class Narrowed:
    """Retrieves candidates under filters, operators or both."""

    view: PinnedView
    plan: Plan
    words: Wording
    language: str
    sieve: Sieve | None
    judge: Judge | None
    pool: Pool
    _defined: bool = False

    def __post_init__(self) -> None:
        self._defined = self.sieve is not None and self.sieve.of_definitions

    # -- chunks ----------------------------------------------------------------------------------------------------

    def texts(self, wanted: int) -> None:
        """Add chunks with all words; if none match, chunks with any word, and mark the result as relaxed."""
        if self.judge is not None:
            self._judged(self.judge, wanted)
        elif not self.words.count:
            self._listing(wanted)
        else:
            found = self._fetch(self._query(every=True, limit=wanted), wanted)
            if not found and self.words.count > 1:
                self.pool.relaxed = bool(self._fetch(self._query(every=False, limit=wanted), wanted))
            elif found < wanted and self.words.is_long:
                # Few chunks contain every word of a sentence; chunks with most of them must be ranked too.
                self._fetch(self._query(every=False, limit=wanted), wanted - found)

    def meanings(self, hits: Iterable[VectorHit]) -> None:
        """Add chunks that are similar by vector, whatever their words."""
        for hit in hits:
            if hit.blob not in self.view.paths:
                continue
            if not self.language or self.view.heads(hit.blob).language == self.language:
                self._take(TextHit(hit.blob, hit.ordinal, 0.0))

    def _judged(self, matcher: Judge, wanted: int) -> None:
        for clause in (self.plan.clause, self.plan.loose_clause):
            if clause is not None:
                self._fetch(replace(self._query(every=True, limit=wanted), words=(), clause=clause), wanted)
            elif not matcher.loose or not self.plan.question.words:
                # An operand of OR is a filter, so words alone do not limit the search.
                self._listing(wanted)
            if self.pool.candidates:
                self.pool.relaxed = matcher.loose
                return
            matcher.loose = True
        matcher.loose = False

    def _query(self, *, every: bool, limit: int) -> TextQuery:
        only, prose = (self.sieve.only, self.sieve.prose) if self.sieve else (None, False)
        return self.words.query(every=every, language=self.language, limit=limit, only=only, prose=prose)

    def _fetch(self, query: TextQuery, wanted: int) -> int:
        """Fetch chunks in order of rank until `wanted` of them pass or none are left; returns how many passed."""
        seen: set[tuple[int, int]] = set()
        passed = 0
        if query.only is not None and not query.only:
            return 0
        while True:
            hits, total = self.view.text.search_text(query, self.view.row)
            fresh = [hit for hit in hits if (hit.blob, hit.ordinal) not in seen]
            if self.sieve is not None:
                self.sieve.prepare(path for hit in fresh for path in self.view.paths.get(hit.blob, ()))
            late = 0
            for at, hit in enumerate(fresh):
                if self.sieve is not None and self.sieve.is_out_of_time():
                    late = len(fresh) - at
                    break
                passed += self._take(hit)
            seen.update((hit.blob, hit.ordinal) for hit in fresh)
            if late or passed >= wanted or len(hits) >= total or len(hits) < query.limit:
                self._count(passed, total - len(hits) + late)
                return passed
            query = replace(query, limit=_deeper(query.limit, passed, wanted))

    def _count(self, passed: int, unseen: int) -> None:
        pool = self.pool
        if self.sieve is None and self.judge is not None:
            pool.text_total, pool.text_found = passed + unseen, passed
        else:
            pool.is_open = pool.is_open or unseen > 0

    def _take(self, hit: TextHit) -> bool:
        """Add the candidates of one chunk that pass; returns whether there is any, new or known."""
        found = False
        for candidate in self._places(hit):
            known = self.pool.candidates.get(candidate.key)
            if known is not None:
                known.bm25 = max(known.bm25, candidate.bm25)
                found = True
            elif self._passes(candidate, from_index=True):
                self.pool.candidates[candidate.key] = candidate
                found = True
        return found

    def _places(self, hit: TextHit) -> Iterator[Candidate]:
        filters = self.sieve
        paths = [path for path in self.view.paths.get(hit.blob, ()) if filters is None or filters.admits(path)]
        if not paths:
            return
        heads = self.view.heads(hit.blob)
        chunk = heads.chunk(hit.ordinal)
        wants_definitions = self._defined
        # If the query wants definitions, any chunk of a definition represents it.
        position = chunk.owner if wants_definitions else heads.begun(hit.ordinal)
        inner = list(self._inside(filters, hit.blob, chunk)) if filters and wants_definitions else []
        for path in paths:
            yield Candidate(path, position, hit.ordinal, hit.score, defined=wants_definitions and position >= 0)
            for at in inner:
                yield Candidate(path, at, hit.ordinal, hit.score * INNER_SHARE, defined=True)

    def _inside(self, filters: Sieve, blob: int, chunk: Chunk) -> Iterator[int]:
        """Yield the definitions inside a chunk in which the words may occur."""
        facts = filters.facts(blob)
        for at in filters.named_within(blob, chunk.line_start, chunk.line_end):
            item = facts.definitions[at]
            if at != chunk.owner and (item.line_end - item.line_start + 1 >= _BODY or self._speaks(item)):
                yield at

    def _speaks(self, item: Definition) -> bool:
        words = split_identifier(f"{item.name} {item.signature} {item.doc}")
        return not self.plan.question.parts.isdisjoint(words)

    def _passes(self, candidate: Candidate, *, from_index: bool = False) -> bool:
        if self.sieve is not None and not self.sieve.keeps(candidate):
            return False
        if self.judge is None or (from_index and self.judge.trusts_index()):
            return True
        return self.judge.passes(candidate)

    def _listing(self, wanted: int) -> None:
        """Add everything that passes, for queries without words: definitions if the filters want them, else files."""
        filters = self.sieve
        if filters is None:
            return
        passed = 0
        for path in filters.paths.paths:
            if not filters.admits(path):
                continue
            if passed >= wanted or filters.is_out_of_time():
                self.pool.is_open = True
                return
            filters.prepare([path])
            for candidate in self._everything(filters, path):
                if candidate.key not in self.pool.candidates and self._passes(candidate):
                    self.pool.candidates[candidate.key] = candidate
                    passed += 1

    def _everything(self, filters: Sieve, path: str) -> Iterator[Candidate]:
        if not filters.of_definitions and not filters.prose and not self.plan.asks_definitions:
            yield Candidate(path, whole_file=True)
            return
        if filters.of_files:
            yield Candidate(path, whole_file=True)
        blob = self.view.entries[path].blob
        facts = filters.facts(blob)
        pieces = list(enumerate(facts.chunks))
        chosen: Iterable[int] = range(len(facts.definitions))
        if filters.prose and not is_document(facts.language):
            # Code without comments or documentation is not extracted prose.
            lines = sorted(item.line_start for item in self.view.snapshot.uses(blob).comments)
            pieces = [(ordinal, chunk) for ordinal, chunk in pieces if _within(lines, chunk)]
            owners = {chunk.owner for _, chunk in pieces}
            chosen = [at for at, item in enumerate(facts.definitions) if at in owners or _within(lines, item)]
        for at in chosen:
            yield Candidate(path, at, defined=True)
        for ordinal, chunk in pieces:
            if chunk.owner < 0:
                yield Candidate(path, -1, ordinal)

    # -- names and files -------------------------------------------------------------------------------------------

    def named(self, rows: list[SymbolRow], limit: int) -> None:
        """Add definitions whose name is a word of the query."""
        rows_by_path = [
            (path, row)
            for row in rows
            for path in self.view.paths.get(row.blob, ())
            if (self.sieve is None or self.sieve.admits(path))
            and (not self.language or self.view.language_of(path) == self.language)
        ]
        taken = 0
        if self.sieve is not None:
            self.sieve.prepare(path for path, _ in rows_by_path)
        for path, row in rows_by_path:
            known = self.pool.candidates.get((path, row.position, -1))
            if known is not None:
                known.named = True
                continue
            if taken >= limit:
                self.pool.is_open = True
                return
            candidate = Candidate(path, row.position, named=True)
            if self._passes(candidate):
                self.pool.candidates[candidate.key] = candidate
                taken += 1

    def files(self, paths: PathIndex, intent: str, limit: int) -> None:
        """Add files whose path matches the query."""
        if intent == "error" or (self.sieve is not None and not self.sieve.of_files):
            return
        question = self.plan.question
        within = self.sieve.admitted if self.sieve is not None else None
        found: list[str] = []
        total = 0
        if intent == "path":
            found, total = paths.containing(question.text.strip(), limit, within)
        if not found and question.stems:
            found, total = paths.with_words(sorted(question.stems), limit, within)
        for path in found:
            candidate = Candidate(path, whole_file=True)
            if self.language and (self.view.language_of(path) or "text") != self.language:
                continue
            if candidate.key not in self.pool.candidates and self._passes(candidate):
                self.pool.candidates[candidate.key] = candidate
        self.pool.is_open = self.pool.is_open or total > len(found)


def _within(lines: list[int], part: Definition | Chunk) -> bool:
    """Whether one of the sorted line numbers is inside a part of the file."""
    at = bisect_left(lines, part.line_start)
    return at < len(lines) and lines[at] <= part.line_end


def _deeper(limit: int, passed: int, wanted: int) -> int:
    """Compute the next fetch limit from the pass rate so far."""
    needed = int(limit * wanted / passed * _ROOM) if passed else limit * _GROWTH
    return min(max(needed, limit + limit // 4), limit * _GROWTH)
