"""BM25: the formulas, for single texts and for arrays."""

import math

import numpy as np

from codecompass.text.bm25 import compute_bm25_idf, compute_length_norm, score_term


def test_idf_falls_with_the_number_of_holders_and_is_never_negative() -> None:
    values = [compute_bm25_idf(10, holders) for holders in range(13)]
    assert values == sorted(values, reverse=True)
    assert min(values) > 0
    assert values[0] == math.log(1 + 10.5 / 0.5)


def test_a_term_score_saturates_below_weight_times_maximum() -> None:
    norm = compute_length_norm(60, 60, 1.2, 0.75)
    assert norm == 1.2
    assert score_term(1.2, norm, 3.0, 2.2) == 3.0 * 1.2 * 2.2 / 2.4
    assert 6.5 < score_term(1_000, norm, 3.0, 2.2) < 6.6


def test_arrays_are_scored_like_single_texts_and_keep_their_precision() -> None:
    lengths, counts = np.array([10, 20, 40], np.float32), np.array([1, 2, 3], np.float32)
    norms = compute_length_norm(lengths, 20.0, 1.2, 0.6)
    scores = score_term(counts, norms, 1.5, 2.2)
    assert scores.dtype == np.float32
    alone = [
        score_term(c, compute_length_norm(n, 20.0, 1.2, 0.6), 1.5, 2.2)
        for c, n in zip((1, 2, 3), (10, 20, 40), strict=True)
    ]
    assert np.allclose(scores, alone)
