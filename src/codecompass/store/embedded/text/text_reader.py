"""Text reader: searches one frozen generation of the text index for chunks by words and for files by trigrams."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import tantivy

from codecompass.model.queries.grep_query import Grams
from codecompass.store.embedded.text.text_index import blobs_of, contained, file_documents, open_index, verify_files
from codecompass.store.ports import Segment
from codecompass.store.text_query import NAME_BOOST, NAME_PARTS_BOOST, PARTS_BOOST, Clause
from codecompass.text.trigrams import trigram_word

FILTERS_KEPT = 8


@dataclass(frozen=True, slots=True)
class Terms:
    """One word of a query as it is indexed: the whole word, and its parts if it has several."""

    whole: str
    parts: tuple[str, ...] = ()


_Make = Callable[[Terms], tantivy.Query]


@dataclass(frozen=True, slots=True)
class BlobFilter:
    """The blobs to search: all except `ids`, or only `ids`."""

    ids: tuple[int, ...] = ()
    exclude: bool = True


class TextReader:
    """Reads a frozen generation, which is verified file by file before the first query."""

    def __init__(
        self, directory: Path, generation: int, segments: Sequence[Segment], verified: set[tuple[str, str]]
    ) -> None:
        root = directory / f"g{generation}"
        verify_files(root, segments, verified)
        with contained("opened"):
            self._index = open_index(root)
            self._searcher = self._index.searcher()
        self._schema = self._index.schema
        self.documents = int(self._searcher.num_docs)
        """The number of live documents."""
        self._filters: dict[BlobFilter, tantivy.Query | None] = {}

    def search(
        self,
        words: Sequence[Terms],
        *,
        every: bool,
        blobs: BlobFilter,
        language: str,
        limit: int,
        clause: Clause | None = None,
        prose: bool = False,
    ) -> tuple[list[tuple[float, int, int]], int]:
        """Return (score, blob, ordinal) of the best chunks, and the number of matching chunks. A clause replaces the
        words; `prose` searches only comments and documentation.
        """
        make = self._spoken if prose else self._word
        query = self._clause(clause, make) if clause is not None else self._query(words, make, every=every)
        return self._run(self._narrowed(query, blobs, language), limit)

    def blobs(self) -> set[int]:
        """Return every blob that has a whole-file document."""
        with contained("searched"):
            return set(blobs_of(self._searcher, file_documents(self._schema)))

    def counts(self, words: Iterable[str]) -> tuple[dict[str, int], int]:
        """Return word → number of chunks with it in their text, and the number of documents."""
        with contained("searched"):
            found = {}
            for word in words:
                holders = max(self._searcher.doc_freq("body", word), self._searcher.doc_freq("extras", word))
                if holders:
                    found[word] = holders
            return found, self._searcher.num_docs

    def files_with_trigrams(self, grams: Sequence[str], *, blobs: BlobFilter, limit: int) -> tuple[list[int], int]:
        """Return blobs that contain every trigram: candidates for a substring or a regular expression."""
        musts = [
            (tantivy.Occur.Must, tantivy.Query.term_query(self._schema, "trigrams", gram, "basic")) for gram in grams
        ]
        found, total = self._run(self._narrowed(tantivy.Query.boolean_query(musts), blobs, ""), limit)
        return [blob for _, blob, _ in found], total

    def files_fulfilling(self, grams: Grams, *, blobs: BlobFilter) -> list[int]:
        """Return blobs whose trigrams match a non-empty condition."""
        query = tantivy.Query.const_score_query(self._condition(grams), 1.0)
        found, _ = self._run(self._narrowed(query, blobs, ""), self._searcher.num_docs)
        return [blob for _, blob, _ in found]

    def _condition(self, grams: Grams) -> tantivy.Query:
        occur = tantivy.Occur.Should if grams.any else tantivy.Occur.Must
        words = [
            tantivy.Query.term_query(self._schema, "trigrams", trigram_word(run), "basic")
            for run in sorted(grams.words)
        ]
        parts = [self._condition(part) for part in grams.parts]
        return tantivy.Query.boolean_query([(occur, query) for query in (*words, *parts)])

    def _run(self, query: tantivy.Query, limit: int) -> tuple[list[tuple[float, int, int]], int]:
        with contained("searched"):
            result = self._searcher.search(query, limit=max(limit, 1), count=True)
            addresses = [address for _, address in result.hits]
            blobs = self._numbers("blob", addresses)
            ordinals = self._numbers("ordinal", addresses)
        scores = [score for score, _ in result.hits]
        return list(zip(scores, blobs, ordinals, strict=True)), int(getattr(result, "count", 0) or 0)

    def _numbers(self, field: str, addresses: list[tantivy.DocAddress]) -> list[int]:
        return [int(value or 0) for value in self._searcher.fast_field_values(field, addresses)]

    def _query(self, words: Sequence[Terms], make: _Make, *, every: bool) -> tantivy.Query:
        occur = tantivy.Occur.Must if every else tantivy.Occur.Should
        return tantivy.Query.boolean_query([(occur, make(word)) for word in words])

    def _spoken(self, word: Terms) -> tantivy.Query:
        """Match a word in comments and documentation, whole or by all its parts."""

        def term(value: str) -> tantivy.Query:
            return tantivy.Query.term_query(self._schema, "prose", value, "basic")

        if not word.parts:
            return term(word.whole)
        parts = tantivy.Query.boolean_query([(tantivy.Occur.Must, term(part)) for part in word.parts])
        return tantivy.Query.disjunction_max_query([term(word.whole), parts])

    def _clause(self, clause: Clause, make: _Make) -> tantivy.Query:
        if clause.kind == "word":
            found = make(Terms(*clause.word))
            return found if clause.share == 1.0 else tantivy.Query.boost_query(found, clause.share)
        occur = tantivy.Occur.Should if clause.kind == "any" else tantivy.Occur.Must
        nots = [item.items[0] for item in clause.items if item.kind == "not"]
        excluded = [(tantivy.Occur.MustNot, self._clause(item, make)) for item in nots]
        required = [(occur, self._clause(item, make)) for item in clause.items if item.kind != "not"]
        return tantivy.Query.boolean_query(required + excluded)

    def _word(self, word: Terms) -> tantivy.Query:
        """Match the whole word anywhere, boosted in a name; or all its parts, with a lower weight."""
        named = tantivy.Query.boost_query(self._term("name", word.whole), NAME_BOOST)
        choices = [self._anywhere(word.whole), named]
        if word.parts:
            body = [(tantivy.Occur.Must, self._anywhere(part)) for part in word.parts]
            name = [(tantivy.Occur.Must, self._term("name", part)) for part in word.parts]
            choices.append(tantivy.Query.boost_query(tantivy.Query.boolean_query(body), PARTS_BOOST))
            choices.append(tantivy.Query.boost_query(tantivy.Query.boolean_query(name), NAME_PARTS_BOOST))
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, choice) for choice in choices])

    def _anywhere(self, value: str) -> tantivy.Query:
        """Match a word in the text itself, or among the tokens added to it."""
        found = [self._term("body", value), self._term("extras", value)]
        return tantivy.Query.disjunction_max_query(found)

    def _term(self, field: str, value: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, value, "freq")

    def _narrowed(self, query: tantivy.Query, blobs: BlobFilter, language: str) -> tantivy.Query:
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
        if blobs not in self._filters:
            if len(self._filters) >= FILTERS_KEPT:
                self._filters.clear()
            self._filters[blobs] = tantivy.Query.term_set_query(self._schema, "blob", list(blobs.ids))
        return self._filters[blobs]
