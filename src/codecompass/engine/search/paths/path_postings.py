"""Path postings: an inverted index of the words of all paths, so that a query reads only its own words."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from codecompass.text.bm25 import compute_bm25_idf, compute_length_norm, score_term

_BM25_K1, _BM25_B = 1.2, 0.3
_NO_POSTINGS: tuple[NDArray[np.int32], NDArray[np.float64]] = np.zeros(0, np.int32), np.zeros(0)


class PathPostings:
    """Stem → the numbers of the paths that contain it, with its BM25 term weight in each."""

    def __init__(self, paths: Sequence[Mapping[str, int]]) -> None:
        """Build the postings from the stem counts of each path."""
        self._count = len(paths)
        average_length = sum(map(len, paths)) / max(len(paths), 1) or 1.0
        found: dict[str, tuple[list[int], list[float]]] = {}
        for number, words in enumerate(paths):
            norm = compute_length_norm(len(words), average_length, _BM25_K1, _BM25_B)
            for word, count in words.items():
                numbers, weights = found.setdefault(word, ([], []))
                numbers.append(number)
                weights.append(score_term(count, norm))
        self._postings = {
            word: (np.array(numbers, np.int32), np.array(weights)) for word, (numbers, weights) in found.items()
        }

    def scores(self, wanted: Iterable[str]) -> NDArray[np.float64]:
        """Return the BM25 score of every path number, relative to the best."""
        total = np.zeros(self._count)
        for one in sorted(wanted):
            numbers, weights = self._postings.get(one, _NO_POSTINGS)
            total[numbers] += compute_bm25_idf(self._count, len(numbers)) * weights
        best = total.max(initial=0.0)
        return total / best if best > 0 else total

    def find_matching(self, words: Sequence[str], least: int) -> list[tuple[int, int]]:
        """Return (matched words, path number) of the paths with at least `least` of the words."""
        counts = np.zeros(self._count, np.int32)
        for word in words:
            counts[self._postings.get(word, _NO_POSTINGS)[0]] += 1
        chosen = np.flatnonzero(counts >= least)
        return list(zip(counts[chosen].tolist(), chosen.tolist(), strict=True))
