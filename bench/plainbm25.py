"""Plain BM25: what word statistics alone find, the baseline beside which retrieval is shown."""

from collections import Counter
from collections.abc import Iterable, Mapping

from codecompass.text.bm25 import compute_bm25_idf, compute_length_norm, score_term
from codecompass.text.tokens import split_identifier, split_query_words

K1, B = 1.2, 0.75


def words_of(text: str) -> list[str]:
    """Words in lower case, identifiers whole and in parts."""
    found: list[str] = []
    for word in split_query_words(text):
        parts = split_identifier(word)
        found += [word.lower(), *(parts if len(parts) > 1 else ())]
    return found


class PlainBM25:
    """Texts by name; the best names for a question."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._names = list(texts)
        self._lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for number, text in enumerate(texts.values()):
            counts = Counter(_every_word(text))
            self._lengths.append(counts.total())
            for word, count in counts.items():
                self._postings.setdefault(word, []).append((number, count))
        self._usual = sum(self._lengths) / max(len(self._lengths), 1) or 1.0

    def scores(self, question: str) -> dict[str, float]:
        """Name → its score, for the texts that have a word of the question."""
        scores: dict[int, float] = {}
        for word in dict.fromkeys(words_of(question)):
            holders = self._postings.get(word, ())
            rarity = compute_bm25_idf(len(self._names), len(holders))
            for number, count in holders:
                norm = compute_length_norm(self._lengths[number], self._usual, K1, B)
                scores[number] = scores.get(number, 0.0) + score_term(count, norm, rarity, K1 + 1)
        return {self._names[number]: score for number, score in sorted(scores.items())}

    def best(self, question: str, limit: int) -> list[str]:
        scores = self.scores(question)
        return sorted(scores, key=lambda name: -scores[name])[:limit]


def _every_word(text: str) -> Iterable[str]:
    for line in text.split("\n"):
        yield from words_of(line)
