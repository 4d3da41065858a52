"""FTS5 query: translation of queries to FTS5 syntax, and BM25 scoring by the same rules as the default text index.

FTS5 finds the chunks and ranks them; the best are then rescored here. FTS5's own score treats all columns as one text,
so that a word in a name counts like any other; ours scores each column separately:

    word  = text(word) + 0.4 · name(word) + 0.3 · Σ text(part) + 0.5 · Σ name(part)      text = max(body, extras)

each by BM25 with the column's own lengths and frequencies.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import apsw

from codecompass.store.text_query import NAME_BOOST, NAME_PARTS_BOOST, PARTS_BOOST, QueryNode, TextQuery
from codecompass.text.bm25 import compute_length_norm, score_term

K1, B = 1.2, 0.75
NAMES, BODY, EXTRAS, PROSE = range(4)


def to_query_node(query: TextQuery) -> QueryNode:
    """Return the query as one boolean tree."""
    if query.clause is not None:
        return query.clause
    return QueryNode(
        "all" if query.require_all else "any", items=tuple(QueryNode("word", word) for word in query.words)
    )


def to_fts5_expression(clause: QueryNode) -> str:
    """Translate a node to FTS5 query syntax."""
    if clause.kind == "word":
        return _word_expression(*clause.word)
    wanted = [to_fts5_expression(item) for item in clause.items if item.kind != "not"]
    required = "(" + (" AND " if clause.kind == "all" else " OR ").join(wanted) + ")"
    unwanted = [to_fts5_expression(item.items[0]) for item in clause.items if item.kind == "not"]
    return f"({required} NOT ({' OR '.join(unwanted)}))" if unwanted else required


def to_any_word_expression(clause: QueryNode) -> str:
    """Return an FTS5 expression that matches any positive word of a node."""
    wanted = dict.fromkeys(iter_words(clause, wanted=True))
    return "(" + " OR ".join(map(_quote, wanted)) + ")"


def _word_expression(whole: str, parts: tuple[str, ...]) -> str:
    if not parts:
        return _quote(whole)
    return f"({_quote(whole)} OR ({' AND '.join(map(_quote, parts))}))"


def _quote(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def iter_words(clause: QueryNode, *, wanted: bool = False) -> Iterator[str]:
    """Yield the words of a node; with `wanted`, without the negated ones."""
    if clause.kind == "word":
        yield clause.word[0]
        yield from clause.word[1]
    for item in clause.items:
        if item.kind != "not" or not wanted:
            yield from iter_words(item, wanted=wanted)


@dataclass(slots=True)
class Fts5Scorer:
    """Scores the current row of an FTS5 query."""

    clause: QueryNode
    rows: int
    """The number of documents."""
    idf: Mapping[tuple[str, int], float]
    """The IDF of each word in each column."""
    prose: bool = False
    """Whether only comments are searched."""
    _averages: tuple[float, ...] = ()
    _phrases: tuple[str, ...] = ()
    """The words of the query in FTS5's order of phrases."""

    def __call__(self, api: apsw.FTS5ExtensionApi) -> float:
        if not self._averages:
            self._averages = tuple(api.column_total_size(at) / self.rows or 1.0 for at in range(api.column_count))
            self._phrases = tuple(" ".join(token or "" for token in tokens) for tokens in api.phrases)
        lengths = [api.column_size(column) for column in range(len(self._averages))]
        worth: dict[str, list[float]] = {}
        for number, text in enumerate(self._phrases):
            found = self._columns(api, number, text, lengths)
            # A word may occur several times in the query, and FTS5 evaluates only the phrases it needs.
            known = worth.get(text)
            worth[text] = found if known is None else list(map(max, known, found))
        return self._score(self.clause, worth)

    def _score(self, clause: QueryNode, worth: Mapping[str, list[float]]) -> float:
        """Return the sum of the matching items' scores; 0 if an item of an `all` does not match."""
        if clause.kind == "word":
            nothing = [0.0] * len(self._averages)
            whole, *parts = (worth.get(text, nothing) for text in (clause.word[0], *clause.word[1]))
            return clause.weight * self._word(whole, parts)
        scores = [self._score(item, worth) for item in clause.items if item.kind != "not"]
        return sum(scores) if clause.kind == "any" or all(scores) else 0.0

    def _word(self, whole: list[float], parts: list[list[float]]) -> float:
        texts = [self._text(part) for part in parts]
        score = self._text(whole)
        if parts and all(texts):
            score += PARTS_BOOST * sum(texts)
        if self.prose:
            return score
        score += NAME_BOOST * whole[NAMES]
        if parts and all(part[NAMES] for part in parts):
            score += NAME_PARTS_BOOST * sum(part[NAMES] for part in parts)
        return score

    def _text(self, columns: list[float]) -> float:
        return columns[PROSE] if self.prose else max(columns[BODY], columns[EXTRAS])

    def _columns(self, api: apsw.FTS5ExtensionApi, phrase: int, text: str, lengths: Sequence[int]) -> list[float]:
        """Return the BM25 score of one word in each column."""
        scores = [0.0] * len(lengths)
        for column in api.phrase_columns(phrase):
            # Extras contain each word once.
            frequency = 1 if column == EXTRAS else len(api.phrase_column_offsets(phrase, column))
            norm = compute_length_norm(lengths[column], self._averages[column], K1, B)
            scores[column] = score_term(frequency, norm, self.idf.get((text, column), 0.0) * (1 + K1))
        return scores
