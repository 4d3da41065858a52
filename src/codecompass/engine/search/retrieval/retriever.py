"""Retriever: fetch candidates from the channels — chunks by words and vectors, symbols by name, files by path.

A search without filters is a search with an empty filter set. Matches of each channel are tested in order of rank, and
more are fetched until enough pass or none are left. Without filters and operators every match passes, so one fetch is
enough and the matches that were not fetched can be counted.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from codecompass.engine.search.filters.candidates import Candidate, CandidateMatcher, CandidatePool
from codecompass.engine.search.filters.filter_set import FilterSet
from codecompass.engine.search.paths.path_index import PathIndex
from codecompass.engine.search.query.query_terms import QueryTerms, TermWeights, TextQueryBuilder
from codecompass.engine.search.retrieval.issue_evidence import IssueEvidence
from codecompass.engine.search.retrieval.query_plan import QueryPlan
from codecompass.engine.search.retrieval.vector_channel import ISSUE_NEAREST_CHUNKS, NEAREST_CHUNKS, VectorChannel
from codecompass.engine.view.pinned_view import PinnedView
from codecompass.model.code.facts import Chunk, Definition
from codecompass.model.code.kinds import SECONDARY
from codecompass.model.states import Intent
from codecompass.store.ports import SymbolRow
from codecompass.store.text_query import TextHit, TextQuery
from codecompass.store.vector_port import VectorHit
from codecompass.text.documents import is_document
from codecompass.text.tokens import split_identifier

TEXT_POOL = 100
"""Minimum number of chunks fetched for ranking; files whose best chunk ranks lower hardly ever win."""
SYMBOL_POOL = 40
PATH_POOL = 20
COMMON_NAME = 400
"""Natural-language queries skip names with more definitions than this."""
NESTED_DEFINITION_WEIGHT = 0.6
"""Share of a chunk's BM25 score for a definition that is only a part of the chunk."""
_MIN_BODY_LINES = 3
"""Lines from which on a definition is assumed to have a body that may contain the words."""
_MAX_GROWTH = 4
"""Maximum factor by which the next fetch is larger."""
_HEADROOM = 1.25
"""Safety factor on the number of matches to fetch, as estimated from the pass rate."""


def retrieve(
    view: PinnedView,
    paths: PathIndex,
    plan: QueryPlan,
    weights: TermWeights,
    language: str | None,
    least: int,
    matcher: CandidateMatcher | None,
    filters: FilterSet,
    vectors: VectorChannel | None = None,
    evidence: IssueEvidence | None = None,
) -> CandidatePool:
    """Query the channels that the intent needs; returns at least `least` candidates if there are that many."""
    question, intent = plan.question, plan.intent
    text_queries = TextQueryBuilder.for_query(question, weights, intent)
    if evidence is not None:
        text_queries = replace(text_queries, boosts=evidence.terms.boosts)
    retriever = Retriever(view, plan, text_queries, language or "", filters, matcher)
    pool = retriever.pool
    retriever.add_text_matches(max(TEXT_POOL, least))
    # If a sentence matches enough chunks, further names and paths would only cost time.
    is_enough = retriever.is_plain and intent == "natural_language" and pool.text_fetched >= least
    minimum = 0 if is_enough else least
    uses_vectors = vectors is not None and (intent == "natural_language" or evidence is not None)
    nearest = NEAREST_CHUNKS if evidence is None else ISSUE_NEAREST_CHUNKS
    if vectors is not None and uses_vectors and not retriever.is_plain:
        retriever.add_vector_matches(vectors.nearest_chunks(filters.blobs, nearest))
    if evidence is not None:
        retriever.add_evidence(evidence)
    elif not filters.prose:
        for rows in _find_symbols(view, question, intent):
            retriever.add_symbol_matches(rows, max(SYMBOL_POOL, minimum))
        retriever.add_path_matches(paths, intent, max(PATH_POOL, minimum))
    if vectors is not None and uses_vectors and retriever.is_plain:
        retriever.add_vector_matches(vectors.nearest_chunks(count=nearest))
    return pool


def _find_symbols(view: PinnedView, question: QueryTerms, intent: Intent) -> Iterator[list[SymbolRow]]:
    """Yield the definitions named by each word of the query."""
    words = list(question.words)
    if intent == "natural_language" and 1 < len(words) <= 4:
        # "rate limit" may be written RateLimit or rate_limit; both fold to one of these.
        words += ["".join(words), "_".join(words)]
    for word in dict.fromkeys(word.casefold() for word in words):
        if intent != "symbol" and len(word) < 3:
            continue
        rows = view.snapshot.find_symbols(word, prefix=False, limit=10_000)
        if not rows and intent == "symbol" and len(word) >= 3:
            rows = view.snapshot.find_symbols(word, prefix=True, limit=10_000)
        if intent != "symbol":
            rows = [row for row in rows if row.kind not in SECONDARY]
        if intent != "natural_language" or len(rows) <= COMMON_NAME:
            yield rows


@dataclass
class Retriever:
    """Retrieves the candidates of one query that pass its filters and operators."""

    view: PinnedView
    plan: QueryPlan
    text_queries: TextQueryBuilder
    language: str
    filters: FilterSet
    matcher: CandidateMatcher | None
    pool: CandidatePool = field(default_factory=CandidatePool)

    def __post_init__(self) -> None:
        self._wants_definitions = self.filters.wants_definitions
        # Operators without words are filters too: the text index cannot evaluate them.
        self._is_filtered = self.filters.is_active or (self.matcher is not None and self.plan.index_query is None)
        self.is_plain = not self._is_filtered and self.matcher is None
        """Whether every match passes."""

    # -- chunks ----------------------------------------------------------------------------------------------------

    def add_text_matches(self, wanted: int) -> None:
        """Add chunks with all words; if none match, chunks with any word, and mark the result as relaxed."""
        if self.matcher is not None:
            self._fetch_boolean(self.matcher, wanted)
        elif not self.text_queries.count:
            self._list_all(wanted)
        elif self.plan.issue is not None:
            # No place has all words of an issue, and none is expected to.
            self._fetch(self._build_query(every=False, limit=wanted), wanted)
        elif self.is_plain and self.text_queries.is_long:
            # Few chunks contain every word of a sentence; chunks with most of them are ranked together with those.
            found = self._fetch(self._build_query(every=False, limit=wanted), wanted)
            _, whole = self.view.text.search_text(self._build_query(every=True, limit=1), self.view.row)
            self.pool.relaxed = bool(found) and not whole
        else:
            found = self._fetch(self._build_query(every=True, limit=wanted), wanted)
            if not found and self.text_queries.count > 1:
                self.pool.relaxed = bool(self._fetch(self._build_query(every=False, limit=wanted), wanted))
            elif found < wanted and self.text_queries.is_long:
                # Few chunks contain every word of a sentence; chunks with most of them must be ranked too.
                self._fetch(self._build_query(every=False, limit=wanted), wanted - found)

    def add_vector_matches(self, hits: Iterable[VectorHit]) -> None:
        """Add chunks that are similar by vector, whatever their words."""
        for hit in hits:
            if hit.blob not in self.view.paths:
                continue
            if not self.language or self.view.heads(hit.blob).language == self.language:
                self._add_chunk(TextHit(hit.blob, hit.ordinal, 0.0), hit.similarity)

    def add_evidence(self, evidence: IssueEvidence) -> None:
        """Add the places that an issue names, if they pass."""
        for candidate in evidence.list_candidates():
            known = self.pool.candidates.get(candidate.key)
            if known is None:
                self._add(candidate)
            else:
                known.name_matched = known.name_matched or candidate.name_matched
                known.verbatim = max(known.verbatim, candidate.verbatim)

    def _fetch_boolean(self, matcher: CandidateMatcher, wanted: int) -> None:
        for clause in (self.plan.index_query, self.plan.relaxed_index_query):
            if clause is not None:
                self._fetch(replace(self._build_query(every=True, limit=wanted), words=(), clause=clause), wanted)
            elif not matcher.relaxed or not self.plan.question.words:
                # An operand of OR is a filter, so words alone do not limit the search.
                self._list_all(wanted)
            if self.pool.candidates:
                self.pool.relaxed = matcher.relaxed
                return
            matcher.relaxed = True
        matcher.relaxed = False

    def _build_query(self, *, every: bool, limit: int) -> TextQuery:
        only, prose = self.filters.index_blobs, self.filters.prose
        return self.text_queries.build(every=every, language=self.language, limit=limit, only=only, prose=prose)

    def _fetch(self, query: TextQuery, wanted: int) -> int:
        """Fetch chunks in order of rank until `wanted` of them pass or none are left; returns how many passed."""
        seen: set[tuple[int, int]] = set()
        passed = 0
        if query.only is not None and not query.only:
            return 0
        while True:
            hits, total = self.view.text.search_text(query, self.view.row)
            fresh = [hit for hit in hits if (hit.blob, hit.ordinal) not in seen]
            self.filters.prefetch(path for hit in fresh for path in self.view.paths.get(hit.blob, ()))
            late = 0
            for at, hit in enumerate(fresh):
                if self._is_filtered and self.filters.is_out_of_time():
                    late = len(fresh) - at
                    break
                passed += self._add_chunk(hit)
            seen.update((hit.blob, hit.ordinal) for hit in fresh)
            if late or passed >= wanted or len(hits) >= total or len(hits) < query.limit:
                self._update_totals(passed, total - len(hits) + late)
                return passed
            query = replace(query, limit=_next_limit(query.limit, passed, wanted))

    def _update_totals(self, passed: int, unseen: int) -> None:
        pool = self.pool
        if not self._is_filtered:
            pool.text_total, pool.text_fetched = passed + unseen, passed
        else:
            pool.may_have_more = pool.may_have_more or unseen > 0

    def _add_chunk(self, hit: TextHit, similarity: float = 0.0) -> bool:
        """Add the candidates of one chunk that pass; returns whether there is any, new or known."""
        found = False
        for candidate in self._chunk_candidates(hit):
            candidate.similarity = similarity
            known = self.pool.candidates.get(candidate.key)
            if known is not None:
                known.bm25 = max(known.bm25, candidate.bm25)
                known.similarity = max(known.similarity, similarity)
                found = True
            elif self._matches(candidate, from_index=True):
                self.pool.candidates[candidate.key] = candidate
                found = True
        return found

    def _chunk_candidates(self, hit: TextHit) -> Iterator[Candidate]:
        filters = self.filters
        paths = [path for path in self.view.paths.get(hit.blob, ()) if filters.may_match_file(path)]
        if not paths:
            return
        heads = self.view.heads(hit.blob)
        wants_definitions = self._wants_definitions
        if wants_definitions:
            # Any chunk of a definition represents it.
            chunk = heads.get_chunk(hit.ordinal)
            position, inner = chunk.owner, list(self._definitions_in_chunk(hit.blob, chunk))
        else:
            position, inner = heads.find_starting_definition(hit.ordinal), []
            if position < 0 and self.plan.issue is not None:
                # Every part of a long function is that function.
                position = heads.find_callable_owner(hit.ordinal)
        for path in paths:
            yield Candidate(
                path, position, hit.ordinal, hit.score, definition_requested=wants_definitions and position >= 0
            )
            for at in inner:
                yield Candidate(path, at, hit.ordinal, hit.score * NESTED_DEFINITION_WEIGHT, definition_requested=True)

    def _definitions_in_chunk(self, blob: int, chunk: Chunk) -> Iterator[int]:
        """Yield the definitions inside a chunk in which the words may occur."""
        facts = self.filters.facts(blob)
        for at in self.filters.definitions_on_lines(blob, chunk.line_start, chunk.line_end):
            item = facts.definitions[at]
            if at != chunk.owner and (
                item.line_end - item.line_start + 1 >= _MIN_BODY_LINES or self._mentions_query(item)
            ):
                yield at

    def _mentions_query(self, item: Definition) -> bool:
        words = split_identifier(f"{item.name} {item.signature} {item.doc}")
        return not self.plan.question.parts.isdisjoint(words)

    def _matches(self, candidate: Candidate, *, from_index: bool = False) -> bool:
        if not self.filters.matches(candidate):
            return False
        if self.matcher is None or (from_index and self.matcher.can_trust_index()):
            return True
        return self.matcher.matches(candidate)

    def _list_all(self, wanted: int) -> None:
        """Add everything that passes, for queries without words: definitions if the filters want them, else files."""
        if not self._is_filtered:
            return
        filters = self.filters
        passed = 0
        for path in filters.paths.paths:
            if not filters.may_match_file(path):
                continue
            if passed >= wanted or filters.is_out_of_time():
                self.pool.may_have_more = True
                return
            filters.prefetch([path])
            for candidate in self._file_candidates(path):
                passed += self._add(candidate)

    def _file_candidates(self, path: str) -> Iterator[Candidate]:
        filters = self.filters
        if not filters.wants_definitions and not filters.prose and not self.plan.wants_definitions:
            yield Candidate(path, whole_file=True)
            return
        if filters.can_match_files:
            yield Candidate(path, whole_file=True)
        blob = self.view.entries[path].blob
        facts = filters.facts(blob)
        pieces = list(enumerate(facts.chunks))
        chosen: Iterable[int] = range(len(facts.definitions))
        if filters.prose and not is_document(facts.language):
            # Code without comments or documentation is not extracted prose.
            lines = sorted(item.line_start for item in self.view.snapshot.references(blob).comments)
            pieces = [(ordinal, chunk) for ordinal, chunk in pieces if _contains_line(lines, chunk)]
            owners = {chunk.owner for _, chunk in pieces}
            chosen = [at for at, item in enumerate(facts.definitions) if at in owners or _contains_line(lines, item)]
        for at in chosen:
            yield Candidate(path, at, definition_requested=True)
        for ordinal, chunk in pieces:
            if chunk.owner < 0:
                yield Candidate(path, -1, ordinal)

    # -- names and files -------------------------------------------------------------------------------------------

    def add_symbol_matches(self, rows: list[SymbolRow], limit: int) -> None:
        """Add definitions whose name is a word of the query; if every match passes, the rest is counted."""
        matches = [
            (path, row)
            for row in rows
            for path in self.view.paths.get(row.blob, ())
            if self.filters.may_match_file(path) and (not self.language or self.view.language_of(path) == self.language)
        ]
        taken = 0
        self.filters.prefetch(path for path, _ in matches)
        for number, (path, row) in enumerate(matches):
            known = self.pool.candidates.get((path, row.position, -1))
            if known is not None:
                known.name_matched = True
            elif self.is_plain and number >= limit:
                self.pool.symbol_surplus += 1
            elif taken >= limit:
                self.pool.may_have_more = True
                return
            else:
                taken += self._add(Candidate(path, row.position, name_matched=True))

    def add_path_matches(self, paths: PathIndex, intent: Intent, limit: int) -> None:
        """Add files whose path matches the query."""
        if intent == "error" or not self.filters.can_match_files:
            return
        question = self.plan.question
        within = self.filters.possible_files if self.filters.is_active else None
        found: list[str] = []
        total = 0
        if intent == "path":
            found, total = paths.find_containing(question.text.strip(), limit, within)
        if not found and question.stems:
            found, total = paths.find_by_words(sorted(question.stems), limit, within)
        for path in found:
            if not self.language or (self.view.language_of(path) or "text") == self.language:
                self._add(Candidate(path, whole_file=True))
        if not self.is_plain:
            self.pool.may_have_more = self.pool.may_have_more or total > len(found)
        elif not self.language:
            self.pool.path_surplus = total - len(found)

    def _add(self, candidate: Candidate) -> bool:
        """Add a candidate that is new and passes; returns whether it was added."""
        if candidate.key in self.pool.candidates or not self._matches(candidate):
            return False
        self.pool.candidates[candidate.key] = candidate
        return True


def _contains_line(lines: list[int], part: Definition | Chunk) -> bool:
    """Whether one of the sorted line numbers is inside a part of the file."""
    at = bisect_left(lines, part.line_start)
    return at < len(lines) and lines[at] <= part.line_end


def _next_limit(limit: int, passed: int, wanted: int) -> int:
    """Compute the next fetch limit from the pass rate so far."""
    needed = int(limit * wanted / passed * _HEADROOM) if passed else limit * _MAX_GROWTH
    return min(max(needed, limit + limit // 4), limit * _MAX_GROWTH)
