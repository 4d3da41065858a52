"""Name features: compare the names that a file defines, and the words of all paths, with the query.

The words of paths are an inverted index, so that a query reads only its own words.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from codecompass.engine.search.query.query_terms import TermWeights
from codecompass.model.code.facts import DefinitionHeader, DefinitionHeaders
from codecompass.model.code.kinds import SECONDARY
from codecompass.text.bm25 import compute_bm25_idf, compute_length_norm, score_term
from codecompass.text.tokens import distinct_stems, split_identifier, stem_parts

_IGNORED_KINDS = SECONDARY | {"use"}
"""Kinds whose names are uses or headings, not definitions of code."""
KIND_WEIGHT = {
    "class": 1.0, "struct": 1.0, "trait": 1.0, "interface": 0.9, "enum": 0.9, "table": 0.9, "fn": 0.8, "macro": 0.8,
    "type": 0.7, "mod": 0.6, "method": 0.5, "const": 0.4, "var": 0.3, "impl": 0.3,
}  # fmt: skip
_DEFAULT_KIND_WEIGHT = 0.2
_NESTED_WEIGHT = 0.8
"""Weight of a nested definition relative to a top-level one."""
_MAX_DISTINCTIVE_NAMES = 10
_LARGE_FILE_LOG_LINES = 8.0
"""Logarithm of the line count of a large file."""
_MIN_LINES = 20
"""Smaller files count as this large."""
_BM25_K1 = 1.2
_BM25_B = 0.4
_AVERAGE_LENGTH = 60
"""Number of stems in all names of an average file."""


@dataclass(frozen=True, slots=True)
class NameProfile:
    """Stem counts of the names that one blob defines."""

    counts: Mapping[str, int]
    """Stem → number of definitions whose name contains it."""
    length: int


def build_profile(heads: DefinitionHeaders) -> NameProfile:
    """Count the stems of the names that a blob defines."""
    names = [name for name, kind in zip(heads.names, heads.kinds, strict=True) if kind not in _IGNORED_KINDS]
    # The loops run in C, because a query reads dozens of files that are not cached yet.
    counts = Counter(chain.from_iterable(map(distinct_stems, names)))
    return NameProfile(dict(counts), sum(map(len, map(stem_parts, names))))


def name_bm25(profile: NameProfile, weights: TermWeights) -> float:
    """BM25 of all names of a file against the query, in 0..1."""
    counts, shares = profile.counts, weights.idf_share
    common = counts.keys() & shares.keys()
    if not common:
        return 0.0
    norm = compute_length_norm(profile.length, _AVERAGE_LENGTH, _BM25_K1, _BM25_B)
    return sum([score_term(counts[one], norm, shares[one]) for one in sorted(common)])


def defines_query_name(heads: DefinitionHeaders, weights: TermWeights) -> float:
    """Score of the best definition whose name is in the query: types above members, large above small."""
    best = 0.0
    for name, confidence in weights.names.items():
        if name in heads.names:
            best = max(best, confidence * max(map(_definition_weight, _find_definitions(heads, name)), default=0.0))
    return best


def _find_definitions(heads: DefinitionHeaders, name: str) -> Iterator[DefinitionHeader]:
    """Yield the definitions of a name, without imports and headings."""
    for at, one in enumerate(heads.names):
        if one == name and heads.kinds[at] not in _IGNORED_KINDS:
            yield heads.get_header(at)


def _definition_weight(item: DefinitionHeader) -> float:
    weight = KIND_WEIGHT.get(item.kind, _DEFAULT_KIND_WEIGHT) * (1.0 if item.parent < 0 else _NESTED_WEIGHT)
    return weight * (0.5 + 0.5 * min(1.0, (item.line_end - item.line_start + 1).bit_length() / 7))


def score_size(heads: DefinitionHeaders) -> float:
    """Score the size of a file in 0..1: large files answer more queries than files that only forward."""
    return min(1.0, math.log1p(max(heads.line_count, _MIN_LINES)) / _LARGE_FILE_LOG_LINES)


def distinctive_names(heads: DefinitionHeaders) -> list[str]:
    """Return the names of the largest definitions of a file, top-level ones first.

    Other files mention these names if they use the file. A plain word such as `size` is ambiguous, so only names with
    capitals or several parts count.
    """
    extents: dict[str, int] = {}
    for name, kind, (parent, first, last) in zip(heads.names, heads.kinds, heads.iter_ranges(), strict=True):
        if kind not in _IGNORED_KINDS and len(name) > 2:
            extent = (last - first + 1) * (1 if parent >= 0 else 3)
            extents[name] = max(extent, extents.get(name, 0))
    largest = sorted(extents, key=extents.__getitem__, reverse=True)
    return list(islice((name for name in largest if not _is_plain(name)), _MAX_DISTINCTIVE_NAMES))


def _is_plain(name: str) -> bool:
    return name.islower() and len(split_identifier(name)) < 2


_PATH_K1, _PATH_B = 1.2, 0.3
_NO_POSTINGS: tuple[NDArray[np.int32], NDArray[np.float64]] = np.zeros(0, np.int32), np.zeros(0)


class PathPostings:
    """Stem → the numbers of the paths that contain it, with its BM25 term weight in each."""

    def __init__(self, paths: Sequence[Mapping[str, int]]) -> None:
        """Build the postings from the stem counts of each path."""
        self._count = len(paths)
        average_length = sum(map(len, paths)) / max(len(paths), 1) or 1.0
        found: dict[str, tuple[list[int], list[float]]] = {}
        for number, words in enumerate(paths):
            norm = compute_length_norm(len(words), average_length, _PATH_K1, _PATH_B)
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
