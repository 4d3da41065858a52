"""Text reader: searches one frozen generation of the text index for chunks by words and for files by trigrams."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import tantivy

from codecompass.cache import LRU
from codecompass.model.queries.grep_query import TrigramQuery
from codecompass.store.embedded.text.text_index import (
    find_blobs,
    make_file_query,
    map_tantivy_errors,
    open_index,
    verify_files,
)
from codecompass.store.ports import TextSegment
from codecompass.store.text_query import NAME_BOOST, NAME_PARTS_BOOST, PARTS_BOOST, QueryNode
from codecompass.text.trigram_code import trigram_word

MAX_CACHED_FILTERS = 8


@dataclass(frozen=True, slots=True)
class WordForms:
    """One word of a query as it is indexed: the whole word, and its parts if it has several."""

    whole: str
    parts: tuple[str, ...] = ()


_WordQueryFactory = Callable[[WordForms], tantivy.Query]


@dataclass(frozen=True, slots=True)
class BlobFilter:
    """The blobs to search: all except `ids`, or only `ids`."""

    ids: tuple[int, ...] = ()
    exclude: bool = True


class TextReader:
    """Reads a frozen generation, which is verified file by file before the first query."""

    def __init__(
        self, directory: Path, generation: int, segments: Sequence[TextSegment], verified: set[tuple[str, str]]
    ) -> None:
        root = directory / f"g{generation}"
        verify_files(root, segments, verified)
        with map_tantivy_errors("opened"):
            self._index = open_index(root)
            self._searcher = self._index.searcher()
        self._schema = self._index.schema
        self.documents = int(self._searcher.num_docs)
        """The number of live documents."""
        self._filters: LRU[BlobFilter, tantivy.Query] = LRU(MAX_CACHED_FILTERS)

    def search(
        self,
        words: Sequence[WordForms],
        *,
        require_all: bool,
        blobs: BlobFilter,
        language: str,
        limit: int,
        clause: QueryNode | None = None,
        prose: bool = False,
    ) -> tuple[list[tuple[float, int, int]], int]:
        """Return (score, blob, ordinal) of the best chunks, and the number of matching chunks. A clause replaces the
        words; `prose` searches only comments and documentation.
        """
        make = self._prose_query if prose else self._word_query
        query = (
            self._node_query(clause, make) if clause is not None else self._words_query(words, make, every=require_all)
        )
        return self._run(self._apply_filters(query, blobs, language), limit)

    def find_blobs(self) -> set[int]:
        """Return every blob that has a whole-file document."""
        with map_tantivy_errors("searched"):
            return set(find_blobs(self._searcher, make_file_query(self._schema)))

    def document_frequencies(self, words: Iterable[str]) -> tuple[dict[str, int], int]:
        """Return word → number of chunks with it in their text, and the number of documents."""
        with map_tantivy_errors("searched"):
            found = {}
            for word in words:
                holders = max(self._searcher.doc_freq("body", word), self._searcher.doc_freq("extras", word))
                if holders:
                    found[word] = holders
            return found, self._searcher.num_docs

    def find_files_with_trigrams(self, grams: Sequence[str], *, blobs: BlobFilter, limit: int) -> tuple[list[int], int]:
        """Return blobs that contain every trigram: candidates for a substring or a regular expression."""
        musts = [
            (tantivy.Occur.Must, tantivy.Query.term_query(self._schema, "trigrams", gram, "basic")) for gram in grams
        ]
        found, total = self._run(self._apply_filters(tantivy.Query.boolean_query(musts), blobs, ""), limit)
        return [blob for _, blob, _ in found], total

    def find_files_by_trigrams(self, grams: TrigramQuery, *, blobs: BlobFilter) -> list[int]:
        """Return blobs whose trigrams match a non-empty condition."""
        query = tantivy.Query.const_score_query(self._trigram_query(grams), 1.0)
        found, _ = self._run(self._apply_filters(query, blobs, ""), self._searcher.num_docs)
        return [blob for _, blob, _ in found]

    def _trigram_query(self, grams: TrigramQuery) -> tantivy.Query:
        occur = tantivy.Occur.Should if grams.any else tantivy.Occur.Must
        words = [
            tantivy.Query.term_query(self._schema, "trigrams", trigram_word(run), "basic")
            for run in sorted(grams.words)
        ]
        parts = [self._trigram_query(part) for part in grams.parts]
        return tantivy.Query.boolean_query([(occur, query) for query in (*words, *parts)])

    def _run(self, query: tantivy.Query, limit: int) -> tuple[list[tuple[float, int, int]], int]:
        with map_tantivy_errors("searched"):
            result = self._searcher.search(query, limit=max(limit, 1), count=True)
            addresses = [address for _, address in result.hits]
            blobs = self._field_values("blob", addresses)
            ordinals = self._field_values("ordinal", addresses)
        scores = [score for score, _ in result.hits]
        return list(zip(scores, blobs, ordinals, strict=True)), int(getattr(result, "count", 0) or 0)

    def _field_values(self, field: str, addresses: list[tantivy.DocAddress]) -> list[int]:
        return [int(value or 0) for value in self._searcher.fast_field_values(field, addresses)]

    def _words_query(self, words: Sequence[WordForms], make: _WordQueryFactory, *, every: bool) -> tantivy.Query:
        occur = tantivy.Occur.Must if every else tantivy.Occur.Should
        return tantivy.Query.boolean_query([(occur, make(word)) for word in words])

    def _prose_query(self, word: WordForms) -> tantivy.Query:
        """Match a word in comments and documentation, whole or by all its parts."""

        def term(value: str) -> tantivy.Query:
            return tantivy.Query.term_query(self._schema, "prose", value, "basic")

        if not word.parts:
            return term(word.whole)
        parts = tantivy.Query.boolean_query([(tantivy.Occur.Must, term(part)) for part in word.parts])
        return tantivy.Query.disjunction_max_query([term(word.whole), parts])

    def _node_query(self, clause: QueryNode, make: _WordQueryFactory) -> tantivy.Query:
        if clause.kind == "word":
            found = make(WordForms(*clause.word))
            return found if clause.weight == 1.0 else tantivy.Query.boost_query(found, clause.weight)
        occur = tantivy.Occur.Should if clause.kind == "any" else tantivy.Occur.Must
        nots = [item.items[0] for item in clause.items if item.kind == "not"]
        excluded = [(tantivy.Occur.MustNot, self._node_query(item, make)) for item in nots]
        required = [(occur, self._node_query(item, make)) for item in clause.items if item.kind != "not"]
        return tantivy.Query.boolean_query(required + excluded)

    def _word_query(self, word: WordForms) -> tantivy.Query:
        """Match the whole word anywhere, boosted in a name; or all its parts, with a lower weight."""
        named = tantivy.Query.boost_query(self._term_query("name", word.whole), NAME_BOOST)
        choices = [self._text_query(word.whole), named]
        if word.parts:
            body = [(tantivy.Occur.Must, self._text_query(part)) for part in word.parts]
            name = [(tantivy.Occur.Must, self._term_query("name", part)) for part in word.parts]
            choices.append(tantivy.Query.boost_query(tantivy.Query.boolean_query(body), PARTS_BOOST))
            choices.append(tantivy.Query.boost_query(tantivy.Query.boolean_query(name), NAME_PARTS_BOOST))
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, choice) for choice in choices])

    def _text_query(self, value: str) -> tantivy.Query:
        """Match a word in the text itself, or among the tokens added to it."""
        found = [self._term_query("body", value), self._term_query("extras", value)]
        return tantivy.Query.disjunction_max_query(found)

    def _term_query(self, field: str, value: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, value, "freq")

    def _apply_filters(self, query: tantivy.Query, blobs: BlobFilter, language: str) -> tantivy.Query:
        clauses = [(tantivy.Occur.Must, query)]
        if language:
            only = tantivy.Query.term_query(self._schema, "language", language, "basic")
            clauses.append((tantivy.Occur.Must, tantivy.Query.const_score_query(only, 0.0)))
        chosen = self._blob_query(blobs)
        if chosen is not None:
            occur = tantivy.Occur.MustNot if blobs.exclude else tantivy.Occur.Must
            clauses.append((occur, tantivy.Query.const_score_query(chosen, 0.0)))
        return tantivy.Query.boolean_query(clauses)

    def _blob_query(self, blobs: BlobFilter) -> tantivy.Query | None:
        if blobs.exclude and not blobs.ids:
            return None
        known = self._filters.get(blobs)
        if known is None:
            known = tantivy.Query.term_set_query(self._schema, "blob", list(blobs.ids))
            self._filters.put(blobs, known)
        return known
