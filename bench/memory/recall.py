"""Recall and silence: whether the deciding commit or document is among the first five, and whether nothing is said
where nothing is recorded, with `git log --grep` and plain BM25 beside ours."""

import argparse
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from bench.copies import temporary_directory
from bench.memory.baselines import DEPTH, Messages, bm25_of, by_best_grep, by_grep
from bench.memory.questions import ANSWERED, SPLITS, UNANSWERED, Asked, Found, rank_of, read_asked
from bench.memory.repositories import Repository, clone, git_directory, read_repositories
from bench.memory.trees import Tree
from bench.ours import engine_on
from bench.report import number, record, table
from codecompass.engine.engine import Engine
from codecompass.model.call import Call
from codecompass.model.memory_values import MemoryAnswer, MemoryQuery

PATIENCE_S = 300.0
"""Nothing is asked of a memory that is still being put together."""
LEVELS = (0.0, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 1.01)
"""Bounds of the levels of confidence that are counted together."""
METHODS = ("ours", "BM25", "git log --grep", "best --grep of any two words")


class Answered(NamedTuple):
    """One question and what each method found."""

    asked: Asked
    found: dict[str, list[Found]]
    shown: tuple[str, ...]
    """Ours in words, for reading."""
    confidences: tuple[float, ...] = ()
    """How sure ours is of each result."""


def ask_ours(engine: Engine, question: str) -> tuple[list[Found], tuple[str, ...], tuple[float, ...]]:
    query = MemoryQuery(question, limit=DEPTH, sources=("discovery",), judge=False, patience=PATIENCE_S)
    answer = engine.recall(None, query, Call())
    if not answer.searched.complete:
        print(f"  not everything was searched: {'; '.join(answer.searched.notes)}", flush=True)
    return places_of(answer)


def places_of(answer: MemoryAnswer) -> tuple[list[Found], tuple[str, ...], tuple[float, ...]]:
    sources = [hit.discovery.source for hit in answer.hits]
    found = [Found(source.commit, source.path) for source in sources]
    shown = tuple(
        f"{hit.score:.2f} {hit.discovery.source.kind} {hit.discovery.source.commit[:8]} {hit.discovery.source.path} "
        f"{hit.discovery.title or hit.discovery.content[:80]}"
        for hit in answer.hits
    )
    return found, shown, tuple(hit.confidence for hit in answer.hits)


def answers_of(
    repository: Repository, source: Path, work: Path, asked: list[Asked], data: Path | None
) -> Iterator[Answered]:
    """Every question of a repository, by every method."""
    messages = Messages(source, repository.head)
    plain = bm25_of(messages, Tree(source, repository.head))
    tree = (data or work) / repository.name
    if not tree.exists():
        clone(source, tree, repository.head)
    with engine_on(tree, (data or work) / f"{repository.name}-data", watch=False) as engine:
        engine.index(None, None, force=False, call=Call())
        for one in asked:
            ours, shown, confidences = ask_ours(engine, one.question)
            found = {
                "ours": ours,
                "BM25": plain.search(one.question),
                "git log --grep": by_grep(messages, one),
                "best --grep of any two words": by_best_grep(messages, one),
            }
            yield Answered(one, found, shown, confidences)


def show_recall(rows: list[Answered]) -> dict[str, Any]:
    groups = {"all": rows, **{split: [row for row in rows if row.asked.split == split] for split in SPLITS}}
    groups |= {
        "answered by a commit": [row for row in rows if row.asked.commits],
        "by a document alone": [row for row in rows if not row.asked.commits],
    }
    lines, figures = [], {}
    for name, chosen in groups.items():
        for method in METHODS if chosen else ():
            ranks = [rank_of(row.found[method], row.asked) for row in chosen]
            recall = fmean(rank > 0 for rank in ranks)
            first = fmean(rank == 1 for rank in ranks)
            mrr = fmean(1 / rank if rank else 0.0 for rank in ranks)
            lines.append([name, str(len(chosen)), method, number(recall, 3), number(first, 3), number(mrr, 3)])
            figures[f"{name}: {method}"] = {"recall5": recall, "recall1": first, "mrr": mrr, "questions": len(chosen)}
    table(f"Recall@{DEPTH} of what decided", ("questions", "n", "method", "recall@5", "first", "MRR"), lines)
    return figures


def show_silence(rows: list[Answered], asked: list[Answered]) -> dict[str, Any]:
    """How often a method says that nothing is recorded: rightly, and of questions that have an answer."""
    lines, figures = [], {}
    nearness = sorted({row.asked.nearness for row in rows})
    groups = {
        "no answer": rows,
        **{f"no answer, {kind}": [r for r in rows if r.asked.nearness == kind] for kind in nearness},
    }
    groups |= {f"no answer, {split}": [row for row in rows if row.asked.split == split] for split in SPLITS}
    groups["with an answer (false silence)"] = asked
    for name, chosen in groups.items():
        for method in METHODS[:3] if chosen else ():
            share = fmean(not row.found[method] for row in chosen)
            lines.append([name, str(len(chosen)), method, number(share, 3)])
            figures[f"{name}: {method}"] = share
    table("Nothing recorded", ("questions", "n", "method", "share silent"), lines)
    return figures


def show_reliability(rows: list[Answered]) -> dict[str, Any]:
    """How often results of a confidence are right: of those that a level is given, that share should answer."""
    lines, figures = [], {}
    for split in SPLITS:
        told = [
            (sure, float(rank_of([place], row.asked) > 0))
            for row in rows
            if row.asked.split == split
            for sure, place in zip(row.confidences, row.found["ours"], strict=True)
        ]
        for low, high in pairwise(LEVELS):
            held = [(sure, right) for sure, right in told if low <= sure < high]
            if held:
                said, was = fmean(sure for sure, _ in held), fmean(right for _, right in held)
                lines.append([split, f"{low:.2f} to {high:.2f}", str(len(held)), number(said, 2), number(was, 2)])
                figures[f"{split} {low}"] = {"results": len(held), "said": said, "right": was}
    table("Confidence", ("questions", "confidence", "results", "said", "right"), lines)
    return figures


def keep_mistakes(rows: list[Answered], path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            rank = rank_of(row.found["ours"], row.asked)
            right = bool(rank) if row.asked.answered else not row.found["ours"]
            if not right:
                others = {name: rank_of(row.found[name], row.asked) for name in METHODS}
                facts = {"ranks": others, "ours": row.shown, **row.asked._asdict()}
                file.write(json.dumps(facts, ensure_ascii=False) + "\n")


def run(args: argparse.Namespace) -> None:
    """Silence is judged on both sorts of questions, recall on those that have an answer."""
    asked = read_asked(ANSWERED) + (read_asked(UNANSWERED) if args.part == "abstention" else [])
    asked = [one for one in asked if args.split in ("", one.split)]
    rows: list[Answered] = []
    with temporary_directory() as work:
        for repository in read_repositories(args.only):
            chosen = [one for one in asked if one.repo == repository.name]
            if chosen:
                source = git_directory(args.repos, repository)
                rows += answers_of(repository, source, work, chosen, args.data)
                print(f"{repository.name}: {len(chosen)} questions", flush=True)
    if not rows:
        raise SystemExit("No question was asked: see --only.")
    answered = [row for row in rows if row.asked.answered]
    empty = [row for row in rows if not row.asked.answered]
    if args.part == "recall":
        record("memory_recall", show_recall(answered))
    else:
        record("memory_abstention", show_silence(empty, answered) | {"reliability": show_reliability(rows)})
    if args.mistakes:
        keep_mistakes(rows, args.mistakes)
