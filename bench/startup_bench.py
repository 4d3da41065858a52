"""Start-up: CPU seconds of short commands of ours, with ripgrep, semble and a bare Python beside them, in turns.

Usage: python -m bench.startup_bench REPO [--rounds 9] [--rg PROGRAM] [--semble PROGRAM]

Every command is a new process; the index and the files are warm. CPU seconds are user and system time of the process
and its children: they say what a command costs, also where other programs run. A peer that fails shows its last line;
semble needs its embedding model, which it downloads once.
"""

import argparse
import os
import shutil
import statistics
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench import ours
from bench.copies import copy_repository, settle, temporary_directory
from bench.measure import Measured, run
from bench.report import JUDGED_HEAD, judged, number, record, table
from bench.targets import Target

HELP = Target(0.15, " s", inclusive=True)
SEARCH = Target(0.35, " s", inclusive=True)
NAME, QUESTION = "get_or_create", "where are migrations executed"
TIMEOUT_S = 600.0
HEAD = ("command", "CPU s", "seconds", "least CPU s", "runs")


@dataclass(frozen=True, slots=True)
class Contestant:
    """One command line, and the target of its CPU seconds."""

    label: str
    start: Callable[[], Measured]
    target: Target | None = None


def list_contestants(repo: Path, data: Path, args: argparse.Namespace) -> list[Contestant]:
    """Ours first; then the peers that are there."""

    def call_ours(label: str, words: tuple[str, ...], target: Target | None) -> Contestant:
        return Contestant(label, lambda: ours.command(*words, repo=repo, data=data), target)

    def call_peer(label: str, *argv: str) -> Contestant:
        return Contestant(label, lambda: run(argv, cwd=repo, env=os.environ, timeout_s=TIMEOUT_S))

    found = [
        call_ours("codecompass --help", ("--help",), HELP),
        call_ours("codecompass search, a name", ("search", NAME), SEARCH),
        call_ours("codecompass search, a question", ("search", QUESTION), SEARCH),
        call_ours("codecompass grep", ("grep", NAME), None),
        call_peer("python -c pass", sys.executable, "-c", "pass"),
    ]
    if shutil.which(args.rg):
        found.append(call_peer("rg, a name", args.rg, NAME))
    if shutil.which(args.semble):
        found += [
            call_peer("semble --help", args.semble, "--help"),
            call_peer("semble search, a question", args.semble, "search", QUESTION, "."),
        ]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rg", default=shutil.which("rg", path=sysconfig.get_path("scripts")) or "rg")
    parser.add_argument("--semble", default="semble")
    args = parser.parse_args()
    with temporary_directory() as place:
        repo, data = copy_repository(args.repo, place / "ours" / args.repo.resolve().name), place / "ours" / "data"
        settle()
        ours.must(ours.command("index", repo=repo, data=data))
        contestants = list_contestants(repo, data, args)
        runs: dict[str, list[Measured]] = {one.label: [] for one in contestants}
        for turn in range(args.rounds + 1):
            for one in contestants:
                done = one.start()
                if turn:  # the first is for the files to be in memory
                    runs[one.label].append(done)
    report(args.repo.resolve().name, contestants, runs)


def report(name: str, contestants: list[Contestant], runs: dict[str, list[Measured]]) -> None:
    """Print every command, then ours against the targets; keep a record."""
    rows, judged_rows, kept = [], [], {}
    bare = statistics.median(done.cpu_s for done in runs["python -c pass"])
    for one in contestants:
        good = [done for done in runs[one.label] if done.ok]
        if not good:
            lines = (runs[one.label][-1].err.strip() or "no output").splitlines()
            rows.append([one.label, "–", "–", "–", f"failed: {lines[-1][:60]}"])
            continue
        cpu = [done.cpu_s for done in good]
        median, wall = statistics.median(cpu), statistics.median(done.wall_s for done in good)
        rows.append([one.label, number(median), number(wall), number(min(cpu)), str(len(good))])
        kept[one.label] = {"cpu_s": median, "wall_s": wall, "least_cpu_s": min(cpu), "runs": len(good)}
        if one.target is not None:
            judged_rows.append(judged(one.label, median, one.target, beside=f"bare Python {number(bare)} s"))
    table(f"{name}: medians", HEAD, rows)
    table("targets, CPU seconds", JUDGED_HEAD, judged_rows)
    record("startup", {"repository": name, "commands": kept})


if __name__ == "__main__":
    main()
