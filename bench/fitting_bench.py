"""Fitted or learnt: what the weights of ranking would score on repositories they were not fitted to.

Usage: python -m bench.fitting_bench --set DIR --trees DIR --data DIR [--folds 5] [--sweeps 6]

The signals of every question's candidates are taken once. Weights are then fitted by coordinate ascent from equal ones
on all repositories but those of a fold, and scored on these; and, for comparison, on all. Nothing is written.
"""

import argparse
import random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.leads import MOST, Leads, leads_of
from bench.quality_bench import arguments, repositories
from bench.report import record, table
from codecompass.engine.query.rank import BM25_HALF, LINEAR, Signals
from codecompass.surfaces.cli.evaluation import Question
from codecompass.surfaces.cli.measures import DEPTH, hits

Floats = NDArray[np.float64]
FACTORS = (0.0, 0.4, 0.7, 0.85, 1.2, 1.5, 2.5)
"""What a weight is tried times."""
GAINS = 1 / np.log2(np.arange(DEPTH) + 2)
TEXT = Signals._fields.index("text")


class Questions(NamedTuple):
    """All questions of one intent; candidates that are not there have signals of -inf for `text`."""

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


def gathered(rows: list[tuple[str, Question, Leads]]) -> Questions:
    most = max(len(question.targets) for _, question, _ in rows)
    signals = np.full((len(rows), MOST, len(Signals._fields)), -1.0)
    right = np.zeros((len(rows), MOST, most), np.bool_)
    ideal = np.zeros(len(rows))
    for at, (_, question, leads) in enumerate(rows):
        table_of = np.array(leads.signals, np.float64).reshape(-1, len(Signals._fields))
        table_of[:, TEXT] = table_of[:, TEXT] / (table_of[:, TEXT] + BM25_HALF)
        signals[at, : len(table_of)] = table_of
        for column, target in enumerate(question.targets):
            right[at, : len(table_of), column] = [hits(place, target) for place in leads.places]
        ideal[at] = GAINS[: len(question.targets)].sum()
    return Questions(np.array([repo for repo, _, _ in rows]), signals, right, ideal)


def fit(asked: Questions, used: list[int], chosen: NDArray[np.bool_], sweeps: int) -> Floats:
    """Coordinate ascent from equal weights; ends when a sweep brings nothing."""
    weights = np.zeros(len(Signals._fields))
    weights[used] = 1 / len(used)
    best = asked.score(weights, chosen)
    for _ in range(sweeps):
        before = best
        for signal in used:
            kept = weights[signal]
            for factor in FACTORS:
                tried = weights.copy()
                tried[signal] = max(kept, 0.005) * factor
                found = asked.score(tried, chosen)
                if found > best:
                    best, weights = found, tried
        if best - before < 1e-5:
            break
    return weights


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--sweeps", type=int, default=6)
    args = parser.parse_args()
    by_intent: dict[str, list[tuple[str, Question, Leads]]] = {}
    for name, _, engine, questions in repositories(args):
        for question in questions:
            leads = leads_of(engine, question.text)
            by_intent.setdefault(leads.intent, []).append((name, question, leads))
    figures = validated(by_intent, args)
    table("NDCG@10, mean over repositories", ("weights", "all"), [(name, f"{x:.4f}") for name, x in figures.items()])
    record("fitting", {"ndcg10": figures, "folds": args.folds})


def validated(by_intent: dict[str, list[tuple[str, Question, Leads]]], args: argparse.Namespace) -> dict[str, float]:
    repos = sorted({repo for rows in by_intent.values() for repo, _, _ in rows})
    random.Random(5).shuffle(repos)
    fold_of = {repo: at % args.folds for at, repo in enumerate(repos)}
    found: dict[str, dict[str, list[float]]] = {}

    def note(kind: str, asked: Questions, values: Floats, chosen: NDArray[np.bool_]) -> None:
        for repo, value in zip(asked.repos[chosen], values[chosen], strict=True):
            found.setdefault(kind, {}).setdefault(str(repo), []).append(float(value))

    for intent, rows in by_intent.items():
        asked = gathered(rows)
        shipped, every = np.array(LINEAR[intent]), np.ones(len(rows), np.bool_)
        note("as shipped", asked, asked.ndcg(shipped), every)
        used = [at for at, weight in enumerate(shipped) if weight > 0]
        note("fitted to all", asked, asked.ndcg(fit(asked, used, every, args.sweeps)), every)
        for fold in range(args.folds):
            held = np.array([fold_of[str(repo)] == fold for repo in asked.repos])
            if held.any() and not held.all():
                weights = fit(asked, used, ~held, args.sweeps)
                note("fitted to others (cross-validated)", asked, asked.ndcg(weights), held)
    return {kind: float(np.mean([np.mean(values) for values in by.values()])) for kind, by in found.items()}


if __name__ == "__main__":
    main()
