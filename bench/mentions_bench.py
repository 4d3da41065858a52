"""Every occurrence of a name in code is listed by find_references, or excluded with a proof: checked on repositories.

Usage: python -m bench.mentions_bench REPOSITORY… [--symbols 200] [--name QuerySet.bulk_create…] [--examples 10]
"""

import argparse
import random
import time
from pathlib import Path

from bench.accuracy.mentions import Account, check
from bench.accuracy.ours import indexed
from bench.copies import copy_repository, temporary_directory
from bench.report import record
from codecompass.engine.engine import Engine
from codecompass.errors import Failure
from codecompass.languages.registry import Registry
from codecompass.model.call import Call
from codecompass.model.queries.navigation_queries import SymbolTarget
from codecompass.model.queries.results import OutlineNode
from codecompass.model.queries.search_query import ReferenceQuery

SEED = 15
KINDS = frozenset({"fn", "method", "class", "interface", "field", "property", "const", "type"})
ENDINGS = (".py", ".ts", ".tsx", ".js", ".mjs", ".cjs", ".jsx")
SHORTEST = 3


def sample(engine: Engine, paths: list[str], count: int) -> list[str]:
    """Handles of symbols drawn from a fixed seed, each from a file drawn before."""
    chosen = random.Random(SEED)
    found: dict[str, None] = {}
    for path in chosen.sample(paths, min(len(paths), 4 * count)):
        try:
            nodes = engine.outline(None, path, None, "all", Call(), "best_effort").nodes
        except Failure:  # a file that is known by name only has no symbols to ask about
            continue
        named = [node for node in _flat(nodes) if node.kind in KINDS and len(node.name) >= SHORTEST]
        if named:
            found[chosen.choice(named).symbol_id] = None
        if len(found) >= count:
            break
    return list(found)


def _flat(nodes: tuple[OutlineNode, ...]) -> list[OutlineNode]:
    return [one for node in nodes for one in (node, *_flat(node.children))]


def handle_of(engine: Engine, name: str) -> str:
    query = ReferenceQuery(SymbolTarget(name=name), limit=1, freshness="best_effort")
    return engine.references(None, query, Call()).symbol.symbol_id


def measure(repository: Path, args: argparse.Namespace) -> Account:
    with temporary_directory() as folder:
        root = copy_repository(repository, folder / "repo")
        paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*")
                       if path.suffix in ENDINGS and path.is_file() and not path.is_symlink())  # fmt: skip
        with indexed(root, folder / "data") as ours:
            named = [handle_of(ours.engine, name) for name in args.name]
            symbols = named or sample(ours.engine, paths, args.symbols)
            began = time.process_time()
            account = check(ours.engine, Registry(), root, paths, symbols)
            print(f"{repository.name}: {account.symbols} symbols, {time.process_time() - began:.0f} s CPU")
    return account


def show(account: Account, examples: int) -> None:
    print(f"  occurrences in code  {account.occurrences}")
    for title, counts in (("listed", account.listed), ("excluded", account.excluded), ("answers", account.claims)):
        print(f"  {title:<20} " + ", ".join(f"{count} {word}" for word, count in counts.most_common()))
    print(f"  unaccounted          {len(account.missing)}")
    for said in account.missing[:examples]:
        print(f"    {said}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.mentions_bench", description="Account for every mention.")
    parser.add_argument("repositories", nargs="+", type=Path, metavar="REPOSITORY")
    parser.add_argument("--symbols", type=int, default=200, metavar="N", help="symbols of each repository")
    parser.add_argument("--name", action="append", default=[], metavar="NAME", help="these symbols instead")
    parser.add_argument("--examples", type=int, default=10, metavar="N", help="unaccounted occurrences to show")
    args = parser.parse_args()
    figures = {}
    for repository in args.repositories:
        account = measure(repository, args)
        show(account, args.examples)
        figures[repository.name] = {"symbols": account.symbols, "occurrences": account.occurrences,
                                    "listed": account.listed, "excluded": account.excluded,
                                    "unaccounted": len(account.missing)}  # fmt: skip
    record("mentions", figures)
    raise SystemExit(1 if any(each["unaccounted"] for each in figures.values()) else 0)


if __name__ == "__main__":
    main()
