"""Verbatim messages: how often the file that holds an error text comes first when somebody searches for that text.

    python -m bench.verbatim_bench REPO… [--count 15] [--seed 1] [--half tune|report|all] [--show]

Texts are taken from the repositories themselves when the command runs: string literals of several words on lines that
raise, throw, panic or log an error. Files fall into two halves by a hash of their paths: ranking is tuned on `tune`,
and figures are those of `report`. Each text is asked in three ways: as it is written, with its format holes filled as a
program would, and filled and in quotes. An answer is right when its first result is a file that holds the text.
"""

import argparse
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2s
from pathlib import Path

from bench.ours import engine_on
from codecompass.engine.engine import Engine
from codecompass.model.call import Call
from codecompass.model.queries.search_query import SearchQuery

ENDINGS = (".py", ".rs", ".ts", ".js", ".go")
_SIGN = re.compile(r"\braise\b|\bthrow\b|panic!|\bError\(|Exception\(|\.expect\(|\bErr\(|errors\.New|Errorf|\.error\(")
_LITERAL = re.compile(r"[rbfu]?\"((?:[^\"\\\n]|\\.){12,200})\"|[rbfu]?'((?:[^'\\\n]|\\.){12,200})'|`([^`\n]{12,200})`")
_HOLE = re.compile(r"%\(\w+\)[sdr]|%[sdrvqxT]|\$\{[^}]*\}|\{[^{}]*\}")
_FILLERS = ("'widget'", "7", "example.module", "<Thing object>")
_WORD = re.compile(r"[A-Za-z]{2,}")
LEAST_WORDS = 4
ASIDE = ("test", "docs", "example", "benches", "fixture", "locale")


@dataclass(frozen=True)
class Case:
    """One message and the file it was found in."""

    repo: Path
    path: str
    text: str


def messages(repo: Path, half: str) -> Iterator[Case]:
    """Texts of errors in the sources of one repository."""
    for file in sorted(repo.rglob("*")):
        path = file.relative_to(repo).as_posix()
        if file.suffix not in ENDINGS or any(word in path.lower() for word in ASIDE) or not file.is_file():
            continue
        if half != "all" and _half(path) != half:
            continue
        lines = file.read_text("utf-8", "replace").split("\n")
        for at, line in enumerate(lines):
            if not _SIGN.search(" ".join(lines[max(0, at - 1) : at + 1])):
                continue
            for found in _LITERAL.findall(line):
                text = next(part for part in found if part).replace("\\n", " ").replace('\\"', '"').replace("\\'", "'")
                if len(_WORD.findall(_HOLE.sub(" ", text))) >= LEAST_WORDS and "\\" not in text:
                    yield Case(repo, path, text.strip())


def _half(path: str) -> str:
    return "tune" if blake2s(path.encode()).digest()[0] % 2 else "report"


def filled(text: str) -> str:
    """The message as a program would write it."""
    numbers = iter(range(100))
    return _HOLE.sub(lambda _: _FILLERS[next(numbers) % len(_FILLERS)], text)


WAYS: dict[str, Callable[[str], str]] = {
    "as written": lambda text: text,
    "filled": filled,
    "in quotes": lambda text: f'"{filled(text)}"',
}


def first_path(engine: Engine, repo: Path, text: str) -> str:
    query = SearchQuery(text[:480], limit=3, freshness="best_effort")
    hits = engine.search(str(repo), query, Call()).hits
    return hits[0].path if hits else ""


def measure(cases: list[Case], engine: Engine, *, show: bool) -> dict[str, int]:
    """Right answers for each way of asking."""
    right = dict.fromkeys(WAYS, 0)
    for case in cases:
        for name, write in WAYS.items():
            found = first_path(engine, case.repo, write(case.text))
            same = bool(found) and case.text in (case.repo / found).read_text("utf-8", "replace")
            right[name] += same
            if show and not same:
                print(f"  {name}: {write(case.text)!r}\n    expected {case.path}, first is {found or 'nothing'}")
    return right


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("repos", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=15, help="texts of each repository")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--half", choices=("tune", "report", "all"), default="report")
    parser.add_argument("--show", action="store_true", help="print what was not found")
    args = parser.parse_args()
    total = 0
    sums = dict.fromkeys(WAYS, 0)
    for repo in args.repos:
        known = {case.text: case for case in messages(repo.resolve(), args.half)}
        every = sorted(known.values(), key=lambda one: one.text)
        cases = random.Random(args.seed).sample(every, min(args.count, len(every)))
        with tempfile.TemporaryDirectory() as data, engine_on(repo.resolve(), Path(data), watch=False) as engine:
            engine.index(str(repo.resolve()), None, force=False, call=Call())
            right = measure(cases, engine, show=args.show)
        total += len(cases)
        print(f"{repo.name:<12} {len(cases):>3} texts  " + "  ".join(f"{name} {right[name]}" for name in WAYS))
        sums = {name: sums[name] + right[name] for name in WAYS}
    print(f"{'all':<12} {total:>3} texts  " + "  ".join(f"{name} {sums[name]}" for name in WAYS))


if __name__ == "__main__":
    main()
