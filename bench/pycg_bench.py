"""Call edges on PyCG's micro-benchmark: small programs with the call graph a person wrote down for each.

Usage: python -m bench.pycg_bench PATH/TO/PyCG --work DIR [--misses]

Edges to what is not in a program (builtins, foreign packages) are left out; how many is said. Edges of lambdas count.
"""

import argparse
import json
import shutil
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.accuracy.edges import Edge, module_of, our_edges, same_name_edges
from bench.accuracy.ours import indexed
from bench.accuracy.score import Counts
from bench.accuracy.tables import markdown
from bench.copies import git
from bench.report import record

SETTINGS = {"ours, resolved": ("resolved",), "ours, resolved + ambiguous": ("resolved", "ambiguous")}
NAMES = "same name"
HEAD = ("category", "programs", "edges", "precision", "recall", "F1", "names P", "names R", "names F1")


@dataclass(frozen=True, slots=True)
class Case:
    category: str
    name: str
    root: Path
    paths: list[str]
    true: frozenset[Edge]
    left_out: int


def cases_of(repository: Path) -> list[Case]:
    snippets = repository / "micro-benchmark" / "snippets"
    found = sorted(snippets.glob("*/*/callgraph.json"))
    if not found:
        raise SystemExit(f"No programs of the micro-benchmark below {repository.name}.")
    return [_case(path) for path in found]


def _case(graph: Path) -> Case:
    root = graph.parent
    paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*.py"))
    modules = {module_of(path) for path in paths}
    edges = {(caller, callee) for caller, callees in json.loads(graph.read_text(encoding="utf-8")).items()
             for callee in callees}  # fmt: skip
    own = frozenset(edge for edge in edges if _is_inside(edge[1], modules))
    return Case(root.parent.name, root.name, root, paths, own, len(edges) - len(own))


def _is_inside(name: str, modules: set[str]) -> bool:
    return any(name == module or name.startswith(module + ".") for module in modules)


def measure(case: Case, work: Path) -> dict[str, set[Edge]]:
    """The edges of each answer; the program becomes a small project of its own."""
    place = work / case.category / case.name
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(case.root, place / "project", ignore=shutil.ignore_patterns("*.json", "*.md"))
    with indexed(place / "project", place / "data") as ours:
        found = {name: our_edges(ours, case.paths, how) for name, how in SETTINGS.items()}
    return found | {NAMES: same_name_edges(case.root, case.paths)}


def _counts(found: set[Edge], true: frozenset[Edge]) -> Counts:
    return Counts(len(found & true), len(found - true), len(true - found))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.pycg_bench", description="Measure call edges.")
    parser.add_argument("repository", type=Path, help="a clone of vitsalis/PyCG")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="where the small projects are made")
    parser.add_argument("--only", metavar="CATEGORY")
    parser.add_argument("--misses", action="store_true", help="list every edge that is missing or wrong")
    args = parser.parse_args()
    cases = [case for case in cases_of(args.repository) if args.only in (None, case.category)]
    totals: dict[str, dict[str, Counts]] = {name: defaultdict(Counts) for name in (*SETTINGS, NAMES)}
    for case in cases:
        answers = measure(case, args.work.resolve() / "pycg")
        for name, found in answers.items():
            totals[name][case.category] += _counts(found, case.true)
        if args.misses:
            _list(case, answers["ours, resolved + ambiguous"])
    _show(cases, totals)
    whole = {name: asdict(sum(parts.values(), Counts())) for name, parts in totals.items()}
    record("pycg", {"commit": git(args.repository, "rev-parse", "HEAD"), "edges": whole})


def _list(case: Case, found: set[Edge]) -> None:
    for sign, edges in (("missed", case.true - found), ("wrong", found - case.true)):
        for caller, callee in sorted(edges):
            print(f"{sign:6} {case.category}/{case.name}: {caller} → {callee}")


def _show(cases: list[Case], totals: dict[str, dict[str, Counts]]) -> None:
    categories = list(dict.fromkeys(case.category for case in cases))
    for setting in SETTINGS:
        rows = [_row(name, [case for case in cases if case.category == name],
                     totals[setting][name], totals[NAMES][name]) for name in categories]  # fmt: skip
        whole = [sum(totals[name].values(), Counts()) for name in (setting, NAMES)]
        rows.append(_row("**all**", cases, whole[0], whole[1]))
        markdown(f"PyCG micro-benchmark, {setting}; beside it a matcher of equal names", HEAD, rows)
    left_out = sum(case.left_out for case in cases)
    print(f"\n{left_out} edges to builtins and foreign packages are left out.")


def _row(name: str, cases: list[Case], ours: Counts, names: Counts) -> list[str]:
    figures = [f"{value:.3f}" for part in (ours, names) for value in (part.precision, part.recall, part.f1)]
    return [name, str(len(cases)), str(sum(len(case.true) for case in cases)), *figures]


if __name__ == "__main__":
    main()
