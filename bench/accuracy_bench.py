"""Accuracy against a compiler's index: definitions, references, call sites, jumps; grep and ctags beside ours.

Usage: python -m bench.accuracy_bench prepare --work DIR --repo NAME:LANGUAGE=PATH… [--venv NAME=PATH…]
       python -m bench.accuracy_bench score --work DIR [--only NAME…] [--measure calls…] [--misses 5]
"""

import argparse
import json
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from bench.accuracy import definitions, jumps, misses, references, tables
from bench.accuracy.baselines import Grep, tags_of
from bench.accuracy.ours import Ours, indexed
from bench.accuracy.prepare import Repository, index_of, install, make, repository
from bench.accuracy.tables import Findings
from bench.accuracy.truth import load
from bench.copies import git
from bench.peers import find_ctags
from bench.report import record

MEASURES = ("definitions", "references", "members", "calls", "jumps")
KNOWN = "repositories.json"


def prepare(args: argparse.Namespace) -> None:
    """Make the truth of each repository, one after the other, and remember where they stand."""
    work: Path = args.work
    node = work / "node"
    if not (node / "node_modules").is_dir():
        install(node)
    venvs = dict(text.split("=", 1) for text in args.venv)
    known = _known(work)
    for repo in map(repository, args.repo):
        taken = make(repo, work / "truth", node, Path(venvs[repo.name]) if repo.name in venvs else None)
        commit = git(repo.root, "rev-parse", "HEAD")
        known[repo.name] = {"language": repo.language, "root": str(repo.root), "commit": commit}
        (work / KNOWN).write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        print(f"{repo.name}: truth of {commit[:10]} in {taken:.0f} s", flush=True)


def _known(work: Path) -> dict[str, dict[str, str]]:
    path = work / KNOWN
    known: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return known


def score(args: argparse.Namespace) -> None:
    known = _known(args.work)
    names = args.only or list(known)
    if missing := [name for name in names if name not in known]:
        raise SystemExit(f"No truth of {', '.join(missing)}: prepare it first. Known: {', '.join(known) or 'none'}.")
    every = []
    for name in names:
        repo = Repository(name, known[name]["language"], Path(known[name]["root"]))
        every.append(_measure(repo, args))
    figures = _show(every)
    record("accuracy", {"commits": {name: known[name]["commit"] for name in names}, **figures})


def _measure(repo: Repository, args: argparse.Namespace) -> Findings:
    truth = load(repo.name, repo.language, repo.root, index_of(args.work / "truth", repo))
    found = Findings(truth, has_tags=find_ctags(args) is not None)
    wanted = args.measure
    with indexed(repo.root, args.work / "data" / repo.name, reuse=args.reuse) as ours:
        tags = tags_of(truth, args.ctags) if found.has_tags and {"definitions", "jumps"} & set(wanted) else {}
        if "definitions" in wanted:
            found.located = definitions.measure(truth, ours, tags, args.definitions)
        _answer(found, ours, args)
        if "jumps" in wanted:
            found.jumps = jumps.measure(truth, ours, tags, args.jumps)
        if args.misses:
            _list_misses(found, ours, args.misses)
    return found


def _answer(found: Findings, ours: Ours, args: argparse.Namespace) -> None:
    truth, wanted, limit = found.truth, args.measure, args.symbols
    if not {"references", "members", "calls"} & set(wanted):
        return
    grep = Grep(truth)
    for measure, kinds in (("references", references.KINDS), ("members", references.MEMBERS)):
        if measure in wanted:
            found.answers[measure] = references.measure_references(truth, ours, grep, kinds, limit)
    if "calls" in wanted:
        found.answers["calls"] = references.measure_calls(truth, ours, grep, limit)


def _list_misses(found: Findings, ours: Ours, examples: int) -> None:
    truth = found.truth
    if found.located:
        misses.show(truth, f"{truth.repository}: definitions", misses.of_definitions(found.located), examples)
    for measure, answers in found.answers.items():
        title = f"{truth.repository}: {measure}"
        misses.show(truth, title, misses.of_answers(truth, answers), examples, partial(misses.explained, ours))
    if found.jumps:
        misses.show(truth, f"{truth.repository}: jumps", misses.of_jumps(truth, found.jumps), examples)


def _show(every: list[Findings]) -> dict[str, Any]:
    figures: dict[str, Any] = {"definitions": tables.show_definitions(every)}
    limits = f"target F1 {tables.TARGETS['python']:.2f} Python, {tables.TARGETS['typescript']:.2f} TypeScript"
    members = "References to fields and attributes"
    titles = {"references": "References", "members": members, "calls": f"Call sites ({limits})"}
    for measure, title in titles.items():
        shown = tables.show_answers(every, measure, title)
        figures[measure] = {name: {how: asdict(part) for how, part in parts.items()} for name, parts in shown.items()}
    figures["jumps"] = tables.show_jumps(every)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy_bench", description="Measure accuracy.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    first = commands.add_parser("prepare", help="make the truth")
    first.set_defaults(run=prepare)
    first.add_argument("--repo", action="append", required=True, metavar="NAME:LANGUAGE=PATH")
    first.add_argument(
        "--venv", action="append", default=[], metavar="NAME=PATH", help="where a Python project's packages are"
    )
    second = commands.add_parser("score", help="compare with the truth")
    second.set_defaults(run=score)
    second.add_argument("--only", action="append", metavar="NAME", help="one repository (default: all prepared)")
    second.add_argument("--measure", nargs="+", choices=MEASURES, default=list(MEASURES))
    second.add_argument("--symbols", type=int, default=300, metavar="N", help="symbols of each measure and repository")
    second.add_argument("--definitions", type=int, default=1000, metavar="N")
    second.add_argument("--jumps", type=int, default=3000, metavar="N", help="mentions of each repository")
    second.add_argument("--misses", type=int, default=0, metavar="N", help="show N examples of each way to go wrong")
    second.add_argument("--reuse", action="store_true", help="bring the index of the last run up to date")
    second.add_argument("--ctags", default="ctags", metavar="BIN")
    for command in (first, second):
        command.add_argument("--work", type=Path, required=True, metavar="DIR", help="truth, indexes and indexers")
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
