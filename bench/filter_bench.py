"""Filters alone: thousands of random filtered questions to one server, with its memory and times beside them.

Usage: python -m bench.filter_bench --repo DIR [--data DIR] [--questions 5000] [--seed 1] [--strict]

The repository is indexed first, unless --data names a directory in which it is. Every question draws one to three
filters of the table with values that occur in the repository, that occur nowhere, or that are too short for trigrams.
With --strict a server above its memory budget, a failed call or a question above the limit of time gives exit code 1.
"""

import argparse
import random
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench import ours
from bench.copies import temporary_directory
from bench.report import number, record, table
from bench.stdio_client import StdioClient
from codecompass.model.queries.filters import FILTERS, FilterRow

BUDGET_MB, LONGEST_S = 512.0, 8.0
FIXED = (("import", "os"), ("calls", "x"), ("param", "a"), ("uses", "id"), ("reads", "i"), ("throws", "zz"))
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
LEFT_OUT = ("author", "chunkAuthor", "churnMin", "modifiedAfter", "modifiedSince", "meta", "metaJson")
"""What asks git or records; their times are measured elsewhere."""


def vocabulary(repo: Path, chance: random.Random) -> list[str]:
    """Words of some files, common and rare ones."""
    listed = subprocess.run(["git", "-C", str(repo), "ls-files"], capture_output=True, text=True, check=True)
    files = chance.sample(listed.stdout.split("\n"), k=min(200, listed.stdout.count("\n")))
    counted: Counter[str] = Counter()
    for name in files:
        path = repo / name
        if path.is_file():
            counted.update(WORD.findall(path.read_text("utf-8", "ignore")[:50_000]))
    return [*(word for word, _ in counted.most_common(300)), *chance.sample(sorted(counted), k=min(700, len(counted)))]


def value_of(row: FilterRow, words: list[str], chance: random.Random) -> object:
    if row.kind == "text":
        return chance.choice((chance.choice(words), chance.choice(words), "zq" + chance.choice(words), "x", "id"))
    if row.kind == "count":
        return chance.choice((1, 3, 20, 500))
    if row.kind == "flag":
        return chance.random() < 0.8
    choices: dict[str, tuple[str, ...]] = {
        "type": ("function", "class", "method"), "visibility": ("public", "private"), "lang": ("py", "ts", "rust"),
        "path": ("test", "src/**"), "file": ("*.py", "index.ts"), "ext": ("py", "ts"),
    }  # fmt: skip
    return [chance.choice(choices[row.field])]


def questions(words: list[str], count: int, chance: random.Random) -> Iterator[dict[str, Any]]:
    rows = [row for row in FILTERS if row.field not in LEFT_OUT]
    yield from ({"query": f"{field}:{value}"} for field, value in FIXED)
    for _ in range(count - len(FIXED)):
        chosen = chance.sample(rows, k=chance.choice((1, 1, 1, 2, 3)))
        values = {row.field: value_of(row, words, chance) for row in chosen}
        # Filters without words are written as shorthands: a question must not be empty.
        field, value = next(iter(values.items()))
        alone = f"{field}:{value[0] if isinstance(value, list) else str(value).lower()}"
        query = chance.choice((alone, alone, chance.choice(words), f"{chance.choice(words)} {chance.choice(words)}"))
        yield {"query": query, **{name: kept for name, kept in values.items() if query != alone or name != field}}


@contextmanager
def indexed(repo: Path, data: str | None) -> Iterator[Path]:
    if data:
        yield Path(data)
        return
    with temporary_directory() as base:
        made = base / "data"
        subprocess.run((*ours.COMMAND, "index", "--path", str(repo), "--no-memory"), check=True,
                       env=ours.environment(base, made), stdout=subprocess.DEVNULL)  # fmt: skip
        yield made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, required=True)
    parser.add_argument("--data")
    parser.add_argument("--questions", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strict", action="store_true")
    args = parser.parse_args()
    chance = random.Random(args.seed)
    words = vocabulary(args.repo, chance)
    spent: list[tuple[float, dict[str, Any]]] = []
    memory: list[float] = []
    failed: list[dict[str, Any]] = []
    with indexed(args.repo, args.data) as data:
        client = StdioClient(args.repo, data)
        client.initialize()
        client.call("search", query="warm")
        start = client.resident_bytes() / 2**20
        for at, question in enumerate(questions(words, args.questions, chance)):
            began = time.monotonic()
            answer = client.call("search", **question)
            spent.append((time.monotonic() - began, question))
            if "error" in answer and "INVALID_REQUEST" not in str(answer):
                failed.append({"question": question, "answer": answer})
            if at % 100 == 0:
                memory.append(client.resident_bytes() / 2**20)
        client.close()
    times = sorted(seconds for seconds, _ in spent)
    slow, asked = max(spent, key=lambda pair: pair[0])
    table("filters alone", ("what", "value"), [
        ("questions", str(len(spent))), ("failed", str(len(failed))),
        ("p50 ms", number(statistics.median(times) * 1000)), ("p95 ms", number(times[int(len(times) * 0.95)] * 1000)),
        ("longest s", f"{slow:.2f} {asked}"), ("memory at start MB", number(start)),
        ("memory, most MB", number(max(memory))), ("memory at end MB", number(memory[-1])),
    ])  # fmt: skip
    for seconds, question in spent[: len(FIXED)]:
        print(f"{seconds:7.2f} s  {question}")
    for row in failed[:5]:
        print(row)
    record("filter_bench", {"p50": statistics.median(times), "longest": slow, "memory": memory})
    missed = bool(failed) or max(memory) > BUDGET_MB or slow > LONGEST_S
    return 1 if args.strict and missed else 0


if __name__ == "__main__":
    sys.exit(main())
