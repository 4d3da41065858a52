"""CoSQA: 500 web questions about Python, each answered by one of 6,267 functions. Others' words, not ours.

Usage: python -m bench.cosqa_bench --git DIR

DIR is a git directory of Jun-jie-Huang/CoCLR. Every function becomes a file of a repository without further names, so
what is measured is text and meaning alone: paths say nothing.
"""

import argparse
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

from bench.copies import git, temporary_directory
from bench.ours import engine_on
from bench.plainbm25 import PlainBM25
from bench.report import record, table
from codecompass.engine.engine import Engine
from codecompass.model.call import Call
from codecompass.model.queries.search_query import SearchQuery

CODES, QUESTIONS = "data/search/code_idx_map.txt", "data/search/cosqa-retrieval-dev-500.json"
DEPTH = 10


def functions(repository: Path) -> dict[str, str]:
    """Path → one function."""
    numbered: dict[str, int] = json.loads(git(repository, "show", f"HEAD:{CODES}"))
    return {f"{number // 100:03}/{number:05}.py": code for code, number in numbered.items()}


def questions(repository: Path) -> list[tuple[str, str]]:
    """(question, path of the function that answers it)."""
    rows = json.loads(git(repository, "show", f"HEAD:{QUESTIONS}"))
    return [(row["doc"], f"{row['retrieval_idx'] // 100:03}/{row['retrieval_idx']:05}.py") for row in rows]


def write_repository(root: Path, files: dict[str, str]) -> None:
    for path, code in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(code + "\n", encoding="utf-8")
    git(root, "init", "--quiet", "-b", "main")


def judged(asked: list[tuple[str, str]], find: Callable[[str], list[str]]) -> dict[str, float]:
    """MRR and recall within the first ten; MRR also of either half, for only one was looked at when ranking changed."""
    seen: list[float] = []
    unseen: list[float] = []
    for question, path in asked:
        answers = list(dict.fromkeys(find(question)))[:DEPTH]
        (seen if is_seen(question) else unseen).append(1 / (answers.index(path) + 1) if path in answers else 0.0)
    every = seen + unseen
    return {
        "MRR@10": fmean(every),
        "first": fmean(one == 1.0 for one in every),
        "within ten": fmean(one > 0.0 for one in every),
        "seen half": fmean(seen),
        "other half": fmean(unseen),
    }


def is_seen(question: str) -> bool:
    """Whether a question belongs to the half that changes of ranking may look at."""
    return hashlib.sha256(question.encode()).digest()[-1] % 2 == 0


def ours(engine: Engine) -> Callable[[str], list[str]]:
    def find(question: str) -> list[str]:
        hits = engine.search(None, SearchQuery(question, limit=2 * DEPTH, freshness="best_effort"), Call()).hits
        return [hit.path for hit in hits]

    return find


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--git", type=Path, required=True)
    args = parser.parse_args()
    files, asked = functions(args.git), questions(args.git)
    rows: dict[str, dict[str, float]] = {}
    with temporary_directory() as place:
        (place / "repo").mkdir()
        write_repository(place / "repo", files)
        for name, model in (("codecompass", "bundled"), ("codecompass, words only", "none")):
            with engine_on(place / "repo", place / model, watch=False, model=model) as engine:
                engine.index(None, None, force=False, call=Call())
                rows[name] = judged(asked, ours(engine))
    plain = PlainBM25(files)
    rows["plain BM25"] = judged(asked, lambda question: plain.best(question, DEPTH))
    shown = [[name, *(f"{value:.3f}" for value in row.values())] for name, row in rows.items()]
    table(f"{len(asked)} questions, {len(files)} functions", ["", *next(iter(rows.values()))], shown)
    record("cosqa", {"functions": len(files), "questions": len(asked), "results": rows})


if __name__ == "__main__":
    main()
