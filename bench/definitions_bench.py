"""Definitions of every language, ours beside universal-ctags, on one public repository for each.

Usage: python -m bench.definitions_bench --work DIR [--only python,go] [--sample 20] [--unexplained]
"""

import argparse
import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.definitions.compare import UNEXPLAINED, Agreement, Difference, Found, by_kind, compare, explain
from bench.definitions.ours import Outcome, parse_all, sources_of
from bench.definitions.plan import Example, Plan, read_plan
from bench.definitions.tags import tags_of
from bench.peers import add_flags, find_ctags
from bench.report import MB, number, record, table
from codecompass.languages.registry import Registry

SEED = 7
HEAD = (
    "language", "repository", "files", "MB", "failed", "as text", "parse errors", "ours", "ctags", "F1", "our faults",
    "not explained", "MB/s",
)  # fmt: skip
_SHOWN = 110


@dataclass(frozen=True, slots=True)
class Measured:
    """One language."""

    example: Example
    outcome: Outcome
    tags: int | None
    agreement: Agreement | None
    classes: dict[Difference, list[Found]]
    rest: dict[str, list[Found]]

    def row(self) -> list[str]:
        found, agreement = self.outcome, self.agreement
        speed = found.size / MB / found.cpu_s if found.cpu_s else None
        return [
            self.example.language, self.example.name, f"{found.files:,}", number(found.size / MB),
            str(len(found.failed)), str(len(found.plain)), str(len(found.broken)),
            f"{len(found.definitions) + found.embedded:,}", "–" if self.tags is None else f"{self.tags:,}",
            number(agreement.f1 if agreement else None, 3), *self._judged(), number(speed, 1),
        ]  # fmt: skip

    @property
    def faults(self) -> int | None:
        """Disagreements of classes in which ctags is right, or nobody."""
        if self.agreement is None:
            return None
        return sum(len(items) for one, items in self.classes.items() if one.right in ("ctags", "neither"))

    def _judged(self) -> list[str]:
        """Our known faults, and the disagreements that belong to no class."""
        if self.faults is None:
            return ["–", "–"]
        return [f"{self.faults:,}", f"{sum(map(len, self.rest.values())):,}"]


def measure(example: Example, plan: Plan, work: Path, registry: Registry, ctags: str | None) -> Measured:
    root = example.root(work)
    sources = sources_of(root, example.language, registry, example.under)
    outcome = parse_all(example.language, sources, registry)
    peer = plan.peers.get(example.language)
    if peer is None or ctags is None:
        return Measured(example, outcome, None, None, {}, {})
    passed = {*outcome.failed, *outcome.plain, *outcome.cut}
    paths = [source.path for source in sources if source.path not in passed]
    tags = tags_of(ctags, root, peer.ctags, peer.kinds.ctags | peer.besides, paths)
    lines = LineReader(root)
    ours = [item for item in outcome.definitions if item.path not in outcome.cut]
    agreement = compare(ours, tags, peer.kinds, lines.line)
    differences = [one for one in plan.differences if one.language == example.language]
    classes, rest = explain(agreement, differences, lines.line)
    return Measured(example, outcome, len(tags), agreement, classes, rest)


class LineReader:
    """Lines of the files of a repository, read once each."""

    def __init__(self, root: Path) -> None:
        @cache
        def lines(path: str) -> list[str]:
            return (root / path).read_bytes().decode("utf-8", "replace").split("\n")

        self._lines = lines

    def line(self, item: Found) -> str:
        lines = self._lines(item.path)
        return lines[item.line - 1] if item.line <= len(lines) else ""


def show(every: list[Measured]) -> None:
    table("Definitions, every language", HEAD, [one.row() for one in every])
    alone = [
        [one.example.language, side, by_kind(one.agreement.side(side))]
        for one in every if one.agreement
        for side in ("ours", "ctags") if one.agreement.side(side)
    ]  # fmt: skip
    if alone:
        _list("Found by one side alone, by its kind", alone)
    why = [
        [one.example.language, f"only {each.side}", f"{len(items):,}", f"{each.right} right", each.why]
        for one in every for each, items in one.classes.items() if items
    ]  # fmt: skip
    rest = [
        [one.example.language, f"only {side}", f"{len(items):,}", UNEXPLAINED, by_kind(items)]
        for one in every for side, items in one.rest.items() if items
    ]  # fmt: skip
    if why or rest:
        _list("Why they differ", [*why, *rest])
    for one in every:
        for path in one.outcome.failed:
            print(f"  FAILED {one.example.language}: {one.example.name}/{path}")


def _list(title: str, rows: list[list[str]]) -> None:
    """A table whose last column is text."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    print(f"\n{title}")
    for row in rows:
        cells = (text.ljust(width) for text, width in zip(row[:-1], widths, strict=True))
        print("  " + "  ".join([*cells, row[-1]]))


def show_sample(one: Measured, work: Path, count: int, *, unexplained: bool) -> None:
    """Some disagreements to read, the same in every run."""
    if one.agreement is None:
        return
    lines = LineReader(one.example.root(work))
    for side in ("ours", "ctags"):
        items = one.rest[side] if unexplained else list(one.agreement.side(side))
        chosen = sorted(random.Random(SEED).sample(items, min(count, len(items))), key=lambda item: item.kind)
        print(f"\n{one.example.language}: only {side} ({len(items):,})")
        for item in chosen:
            print(f"  {item.kind:12} {item.name:28} {item.path}:{item.line}  {lines.line(item).strip()[:_SHOWN]}")


def figures(one: Measured) -> dict[str, object]:
    found, agreement = one.outcome, one.agreement
    return {
        "language": one.example.language, "repository": one.example.name, "commit": one.example.commit,
        "files": found.files, "bytes": found.size, "failed": len(found.failed), "plain": len(found.plain),
        "broken": len(found.broken), "ours": len(found.definitions), "embedded": found.embedded, "ctags": one.tags,
        "both": agreement.both if agreement else None, "f1": agreement.f1 if agreement else None,
        "only_ours": by_kind(agreement.only_ours) if agreement else None,
        "only_ctags": by_kind(agreement.only_ctags) if agreement else None, "cpu_s": round(found.cpu_s, 3),
        "faults": one.faults, "unexplained": sum(map(len, one.rest.values())) if agreement else None,
    }  # fmt: skip


def present(plan: Plan, work: Path, only: set[str]) -> list[Example]:
    """The examples whose checkout is there; says how to get the others."""
    if unknown := only - {one.language for one in plan.examples}:
        raise SystemExit(f"No repository is named for {', '.join(sorted(unknown))}; see repositories.toml.")
    wanted = [one for one in plan.examples if not only or one.language in only]
    missing = {one.command(work): one.name for one in wanted if not one.root(work).is_dir()}
    if missing:
        print("Missing, and so left out:")
        for command in missing:
            print(f"  {command}")
    return [one for one in wanted if one.name not in missing.values()]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.definitions_bench", description="Compare definitions.")
    parser.add_argument("--work", type=Path, required=True, metavar="DIR", help="checkouts, as <owner>+<name>")
    parser.add_argument("--only", default="", metavar="LANG,…", help="these languages")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="show N disagreements of each side to read")
    parser.add_argument("--unexplained", action="store_true", help="show only those that no class explains")
    add_flags(parser, with_ctags=True)
    args = parser.parse_args()
    only = {word.strip() for word in args.only.split(",") if word.strip()}
    plan, registry, ctags = read_plan(), Registry(), find_ctags(args)
    work: Path = args.work.resolve()
    every = []
    for example in present(plan, work, only):
        one = measure(example, plan, work, registry, ctags.binary if ctags else None)
        every.append(one)
        if args.sample:
            show_sample(one, work, args.sample, unexplained=args.unexplained)
    if every:
        show(every)
        record("definitions", {"ctags": ctags.version() if ctags else None, "languages": [figures(x) for x in every]})


if __name__ == "__main__":
    main()
