"""Retrieval quality: `search_code` with default settings on repositories with labelled questions, others beside it.

Usage: python -m bench.quality_bench --set DIR --trees DIR --data DIR [--published FILE] [--only NAME…] [--ablate]
       [--model NAME] [--backend NAME]

`--set` holds `queries.jsonl` and `repos.jsonl`, `--trees` one directory for each repository, `--data` our indexes.
`--model none` answers by words alone.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import fmean, quantiles
from typing import Any, NamedTuple

from bench.leads import leads_of
from bench.ours import engine_on
from bench.report import record
from codecompass.contract.encoding import encode
from codecompass.engine.engine import Engine
from codecompass.engine.search.ranking.scorer import LINEAR_WEIGHTS, CandidateFeatures, RawFeatures, score_candidate
from codecompass.model.call import Call
from codecompass.model.maintenance.portable_index import PortableBuildRequest
from codecompass.model.queries.search_query import SearchQuery
from codecompass.model.states import Intent
from codecompass.surfaces.cli.commands.eval_command import RESULT_LIMIT, EvalQuery, read_queries
from codecompass.surfaces.cli.commands.ranking_measures import (
    BUDGETS,
    BYTES_PER_TOKEN,
    RankedLocation,
    RankingMeasures,
    average_measures,
    compute_measures,
)
from codecompass.tools.shapes.hit_shapes import shape_hit

DEPTH = 10
NEAR = tuple(name for name in RawFeatures._fields if name.startswith("near"))
PARTS = {"all of nearness": NEAR} | {name: (name,) for name in RawFeatures._fields}
"""What is left out in turn."""


class Asked(NamedTuple):
    """One question and how it was answered."""

    repo: str
    language: str
    question: EvalQuery
    found: RankingMeasures
    seconds: float
    without: dict[str, float]
    """Signal → NDCG@10 when it does not count."""


def repositories(args: argparse.Namespace) -> Iterator[tuple[str, str, Engine, list[EvalQuery]]]:
    """Name, language, an engine that has it indexed, and its questions."""
    rows = [json.loads(line) for line in (args.set / "repos.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = (args.set / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    repos = [json.loads(line)["repo"] for line in lines if line.strip()]
    questions = list(zip(repos, read_queries(args.set / "queries.jsonl"), strict=True))
    for row in sorted(rows, key=lambda one: str(one["repo"])):
        name = row["repo"]
        if args.only and name not in args.only:
            continue
        with engine_on(args.trees / name, args.data, watch=True, model=args.model) as engine:
            engine.index(None, None, force=False, call=Call())
            yield name, row["language"], engine, [question for repo, question in questions if repo == name]


def answers(args: argparse.Namespace) -> Iterator[Asked]:
    for name, language, engine, questions in repositories(args):
        if args.backend == "sqlite":
            engine.build_portable(None, PortableBuildRequest(keep_current=True), Call())
        for question in questions:
            yield _asked(engine, name, language, question, args)


def _asked(engine: Engine, repo: str, language: str, question: EvalQuery, args: argparse.Namespace) -> Asked:
    query = SearchQuery(question.text, limit=DEPTH, freshness="best_effort", backend=args.backend)
    started = time.perf_counter()
    engine.search(None, query, Call())
    taken = time.perf_counter() - started
    hits = engine.search(None, replace(query, limit=RESULT_LIMIT), Call()).hits
    places = [
        RankedLocation(hit.path, hit.line_start, hit.line_end, -(-len(encode(_shown(hit))) // BYTES_PER_TOKEN))
        for hit in hits
    ]
    without = _without(engine, question) if args.ablate else {}
    return Asked(repo, language, question, compute_measures(places, question.targets), taken, without)


def _shown(hit: Any) -> dict[str, Any]:  # noqa: ANN401 - a Hit
    return shape_hit(hit, "signature", compact=False, typed=True)


def _without(engine: Engine, question: EvalQuery) -> dict[str, float]:
    """The same candidates ranked without each signal in turn."""
    leads = leads_of(engine, question.text)
    shares = [_contributions(signals, leads.intent) for signals in leads.signals]
    result = {}
    for label, left_out in PARTS.items():

        def rank(at: int, left_out: tuple[str, ...] = left_out) -> tuple[float, int]:
            return sum(shares[at][name] for name in left_out) - sum(shares[at].values()), at

        order = sorted(range(len(shares)), key=rank)
        result[label] = compute_measures([leads.places[at] for at in order], question.targets).ndcg
    return result


def _contributions(signals: RawFeatures, intent: Intent) -> dict[str, float]:
    weights = LINEAR_WEIGHTS[intent]._asdict()
    found = {name: weights[name] * value for name, value in signals._asdict().items()}
    return found | {"text": score_candidate(CandidateFeatures(text=signals.text), intent)}


# -- tables ------------------------------------------------------------------------------------------------------------


def by_repo(rows: list[Asked]) -> float:
    """NDCG@10 as the mean over repositories."""
    groups = defaultdict(list)
    for row in rows:
        groups[row.repo].append(row.found.ndcg)
    return fmean(fmean(values) for values in groups.values())


def published(path: Path, repos: set[str]) -> dict[str, dict[str, float]]:
    """Tool → figure by repository and category, of those that have every repository."""
    found: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["repo"] in repos:
            found[row["tool"]][row["repo"]] = row
    tables = {}
    for tool, rows in found.items():
        if set(rows) == repos:
            kinds = {kind for row in rows.values() for kind in row.get("by_category", {})}
            shares = {
                kind: fmean(row["by_category"][kind] for row in rows.values() if kind in row["by_category"])
                for kind in sorted(kinds)
            }
            tables[tool] = {"all": fmean(row["ndcg10"] for row in rows.values()), **shares}
    return tables


def show(rows: list[Asked], others: dict[str, dict[str, float]]) -> dict[str, Any]:
    groups: dict[str, list[Asked]] = defaultdict(list)
    for row in rows:
        groups[row.question.category].append(row)
    ours = {"all": by_repo(rows), **{kind: fmean(row.found.ndcg for row in groups[kind]) for kind in sorted(groups)}}
    kinds = list(ours)
    print("| NDCG@10 | " + " | ".join(kinds) + " |\n|---|" + "---:|" * len(kinds))
    for name, figures in [("codecompass", ours), *sorted(others.items(), key=lambda pair: -pair[1]["all"])]:
        print(f"| {name} | " + " | ".join(f"{figures[kind]:.3f}" if kind in figures else "" for kind in kinds) + " |")
    languages = {
        name: by_repo([row for row in rows if row.language == name]) for name in sorted({row.language for row in rows})
    }
    print("\n| language | NDCG@10 |\n|---|---:|")
    for name, figure in languages.items():
        print(f"| {name} | {figure:.3f} |")
    means = average_measures([row.found for row in rows])
    recall = ", ".join(f"{share:.3f} in {budget:,}" for budget, share in zip(BUDGETS, means.recall, strict=True))
    cuts = quantiles([row.seconds * 1e3 for row in rows], n=20)
    print(f"\nMRR {means.mrr:.3f}; recall within tokens: {recall}; p50 {cuts[9]:.1f} ms, p95 {cuts[18]:.1f} ms")
    told: dict[str, Any] = {"ndcg10": ours, "languages": languages, "mrr": means.mrr, "recall": list(means.recall)}
    return told | {"p50_ms": cuts[9], "p95_ms": cuts[18], "queries": len(rows)}


def show_ablation(rows: list[Asked]) -> dict[str, float]:
    """What NDCG@10 loses without each signal, the dearest first."""
    base = by_repo(rows)
    losses = {}
    for name in rows[0].without:
        left = [row._replace(found=row.found._replace(ndcg=row.without[name])) for row in rows]
        losses[name] = by_repo(left) - base
    print("\n| without | NDCG@10 |\n|---|---:|")
    for name, loss in sorted(losses.items(), key=lambda pair: pair[1]):
        print(f"| {name} | {loss:+.4f} |")
    return losses


def arguments(text: str | None) -> argparse.ArgumentParser:
    """Where the questions, the trees and the indexes are."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", type=Path, required=True)
    parser.add_argument("--trees", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--model", default="bundled")
    return parser


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--published", type=Path)
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--backend", default="auto", choices=("auto", "tantivy", "sqlite"))
    args = parser.parse_args()
    rows = list(answers(args))
    if not rows:
        raise SystemExit("No question was asked: see --set and --only.")
    others = published(args.published, {row.repo for row in rows}) if args.published else {}
    figures = show(rows, others)
    if args.ablate:
        figures["ablation"] = show_ablation(rows)
    record("quality", figures)


if __name__ == "__main__":
    main()
