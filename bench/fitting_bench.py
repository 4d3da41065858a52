"""Fitted or learnt: what the weights of ranking would score on repositories they were not fitted to.

Usage: python -m bench.fitting_bench --set DIR --trees DIR --data DIR [--folds 5]

The signals of every question's candidates are taken once. Then weights that are not negative are fitted, from equal
ones, so that the right candidates get most of a softmax over all: to all repositories but those of a fold, scored on
these; and, for comparison, to all. The weights of the program are not touched.
"""

import argparse
import random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.leads import MOST, Leads, leads_of
from bench.quality_bench import arguments, repositories
from bench.report import record, table
from codecompass.engine.search.ranking.scorer import BM25_HALF, LINEAR_WEIGHTS, RawFeatures
from codecompass.surfaces.cli.commands.eval_command import EvalQuery
from codecompass.surfaces.cli.commands.ranking_measures import DEPTH, matches_location

Floats = NDArray[np.float64]
START, STEPS, SHRINK = 5.0, 400, 3e-5
GAINS = 1 / np.log2(np.arange(DEPTH) + 2)
TEXT = RawFeatures._fields.index("text")


class Questions(NamedTuple):
    """All questions of one intent; candidates that are not there have a `text` below 0."""

    repos: NDArray[np.str_]
    signals: Floats
    """Question × candidate × signal."""
    right: NDArray[np.bool_]
    """Question × candidate × target."""
    ideal: Floats

    def ndcg(self, weights: Floats) -> Floats:
        scores = np.einsum("qcs,s->qc", self.signals, weights)
        scores[self.signals[:, :, TEXT] < 0] = -np.inf
        order = np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]
        shown = np.take_along_axis(self.right, order[:, :, None], axis=1)
        # Each target counts where it is first shown, each result once.
        first = shown & (np.cumsum(shown, axis=1) == 1)
        return (first.any(axis=2) * GAINS).sum(axis=1) / self.ideal  # type: ignore[no-any-return]

    def score(self, weights: Floats, chosen: NDArray[np.bool_]) -> float:
        """The mean over repositories."""
        found = self.ndcg(weights)
        repos = sorted(set(self.repos[chosen]))
        return float(np.mean([found[chosen & (self.repos == repo)].mean() for repo in repos])) if repos else 0.0


def gathered(rows: list[tuple[str, EvalQuery, Leads]]) -> Questions:
    most = max(len(question.targets) for _, question, _ in rows)
    signals = np.full((len(rows), MOST, len(RawFeatures._fields)), -1.0)
    right = np.zeros((len(rows), MOST, most), np.bool_)
    ideal = np.zeros(len(rows))
    for at, (_, question, leads) in enumerate(rows):
        table_of = np.array(leads.signals, np.float64).reshape(-1, len(RawFeatures._fields))
        table_of[:, TEXT] = table_of[:, TEXT] / (table_of[:, TEXT] + BM25_HALF)
        signals[at, : len(table_of)] = table_of
        for column, target in enumerate(question.targets):
            right[at, : len(table_of), column] = [matches_location(place, target) for place in leads.places]
        ideal[at] = GAINS[: len(question.targets)].sum()
    return Questions(np.array([repo for repo, _, _ in rows]), signals, right, ideal)


def fit(asked: Questions, used: list[int], chosen: NDArray[np.bool_]) -> Floats:
    """Gradient ascent (Adam) on the share of the right ones, every repository counting the same."""
    right: NDArray[np.bool_] = np.any(asked.right, axis=2)
    chosen = chosen & np.any(right, axis=1)
    signals, right = asked.signals[chosen][:, :, used], right[chosen]
    absent = asked.signals[chosen][:, :, TEXT] < 0
    _, repo, counts = np.unique(asked.repos[chosen], return_inverse=True, return_counts=True)
    due = 1 / counts[repo] / len(counts)
    weights, mean, square = np.full(len(used), START), np.zeros(len(used)), np.zeros(len(used))
    for step in range(1, STEPS + 1):
        scores = signals @ weights
        scores[absent] = -np.inf
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        of_right = shares * right
        pull = of_right / np.maximum(of_right.sum(axis=1, keepdims=True), 1e-12)
        pull -= shares / shares.sum(axis=1, keepdims=True)
        gradient = np.einsum("q,qc,qcs->s", due, pull, signals, optimize=True) - SHRINK * weights
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        stride = 0.2 if step < STEPS // 2 else 0.05
        weights = weights + stride * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        weights = np.maximum(weights, 0.0)
    found = np.zeros(len(RawFeatures._fields))
    found[used] = weights / weights.sum()
    return found


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--folds", type=int, default=5)
    args = parser.parse_args()
    by_intent: dict[str, list[tuple[str, EvalQuery, Leads]]] = {}
    for name, _, engine, questions in repositories(args):
        for question in questions:
            leads = leads_of(engine, question.text)
            by_intent.setdefault(leads.intent, []).append((name, question, leads))
    figures = validated(by_intent, args)
    table("NDCG@10, mean over repositories", ("weights", "all"), [(name, f"{x:.4f}") for name, x in figures.items()])
    record("fitting", {"ndcg10": figures, "folds": args.folds})


def validated(by_intent: dict[str, list[tuple[str, EvalQuery, Leads]]], args: argparse.Namespace) -> dict[str, float]:
    repos = sorted({repo for rows in by_intent.values() for repo, _, _ in rows})
    random.Random(5).shuffle(repos)
    fold_of = {repo: at % args.folds for at, repo in enumerate(repos)}
    found: dict[str, dict[str, list[float]]] = {}

    def note(kind: str, asked: Questions, values: Floats, chosen: NDArray[np.bool_]) -> None:
        for repo, value in zip(asked.repos[chosen], values[chosen], strict=True):
            found.setdefault(kind, {}).setdefault(str(repo), []).append(float(value))

    for intent, rows in by_intent.items():
        asked = gathered(rows)
        shipped, every = np.array(LINEAR_WEIGHTS[intent]), np.ones(len(rows), np.bool_)
        note("as shipped", asked, asked.ndcg(shipped), every)
        used = [at for at, weight in enumerate(shipped) if weight > 0]
        note("fitted to all", asked, asked.ndcg(fit(asked, used, every)), every)
        for fold in range(args.folds):
            held = np.array([fold_of[str(repo)] == fold for repo in asked.repos])
            if held.any() and not held.all():
                weights = fit(asked, used, ~held)
                note("fitted to others (cross-validated)", asked, asked.ndcg(weights), held)
    return {kind: float(np.mean([np.mean(values) for values in by.values()])) for kind, by in found.items()}


if __name__ == "__main__":
    main()
