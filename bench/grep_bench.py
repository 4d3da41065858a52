"""Grep: `grep_codebase` in a warm server beside ripgrep on the same warm tree, and whether both count the same lines.

Usage: python -m bench.grep_bench REPO... [--rounds 9] [--rg PROGRAM]

The repositories are joined into one tree (about 100 MB is a good size). Both take turns, medians are shown. Ours is
measured at the client, over stdio with JSON; ripgrep is a process for each question that writes into a pipe.
"""

import argparse
import shutil
import statistics
import subprocess
import sysconfig
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import ours
from bench.copies import copy_repository, settle, size_of, temporary_directory
from bench.report import JUDGED_HEAD, MB, judged, number, record, table
from bench.stdio_client import StdioClient, connected
from bench.targets import Target

FASTER = Target(1.0, "×")
WITHIN = Target(2.0, "×", inclusive=True)
SELECTIVE = (
    ("rare literal", "deconstructible_path", True),
    ("no match", "zqxjkvbnm", False),
    ("literal, any case", "getelementsbytagname", False),
    ("two words", "interface.*Context", True),
    ("function with a class", r"def\s+get_\w+set\(", True),
    ("choice", r"(ConnectionReset|BrokenPipe)Error", True),
    ("call", r"json\.dumps\(", True),
)
UNSELECTIVE = (
    ("common word", "return", True),
    ("common word, any case", "self", False),
    ("digits", "[0-9]{5}", True),
    ("capitals", r"[A-Z]+_[A-Z]+\(", True),
    ("blank lines", r"^\s*$", True),
    ("one letter", "q", True),
    ("long words", r"\w{25}", True),
    ("everything", ".", True),
)
EXCLUDED = ("node_modules", "dist", "build", ".next", ".context", ".git")
HEAD = ("pattern", "ours ms", "ripgrep ms", "ratio", "lines", "ripgrep's lines")


@dataclass(frozen=True, slots=True)
class Result:
    """One pattern, both programs, milliseconds."""

    what: str
    pattern: str
    ours_ms: float
    theirs_ms: float
    ratio: float
    lines: int
    their_lines: int

    def row(self) -> list[str]:
        counts = [f"{self.lines:,}", f"{self.their_lines:,}"]
        return [f"{self.what}: {self.pattern}", number(self.ours_ms, 1), number(self.theirs_ms, 1),
                number(self.ratio, 2), *counts]  # fmt: skip


def timed(work: Callable[[], int]) -> tuple[float, int]:
    began = time.perf_counter()
    found = work()
    return (time.perf_counter() - began) * 1000, found


def ripgrep(program: str, tree: Path, pattern: str, *, case: bool) -> int:
    """Lines that ripgrep finds in the files that we search."""
    command = [program, "--no-config", "--hidden", "--no-ignore-global", "--no-heading", "-n", "--column"]
    for name in EXCLUDED:
        command += ["--glob", f"!{name}/"]
    done = subprocess.run(
        [*command, "-s" if case else "-i", "-e", pattern, "--", "."], cwd=tree, stdout=subprocess.PIPE, check=False
    )
    return done.stdout.count(b"\n")


def compare(client: StdioClient, program: str, tree: Path, row: tuple[str, str, bool], rounds: int) -> Result:
    what, pattern, case = row

    def ask() -> int:
        return int(client.call("grep_codebase", pattern=pattern, caseSensitive=case)["totalMatches"])

    def other() -> int:
        return ripgrep(program, tree, pattern, case=case)

    ask(), other()
    mine, theirs = [], []
    for _ in range(rounds):
        mine.append(timed(ask))
        theirs.append(timed(other))
    one, two = statistics.median(ms for ms, _ in mine), statistics.median(ms for ms, _ in theirs)
    return Result(what, pattern, one, two, one / two, mine[-1][1], theirs[-1][1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--rg", default=shutil.which("rg", path=sysconfig.get_path("scripts")) or "rg")
    args = parser.parse_args()
    with temporary_directory() as place:
        tree, data = place / "tree", place / "data"
        for repository in args.repositories:
            copy_repository(repository, tree / repository.name)
            shutil.rmtree(tree / repository.name / ".git")
        tree = copy_repository(tree, place / "joined")
        size = size_of(tree) - size_of(tree / ".git")
        ours.must(ours.command("index", "--path", str(tree), repo=tree, data=data))
        settle()
        # A limit of calls a minute would be what is measured.
        config = place / ".config" / "codecompass" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text("[mcp]\nrateLimits = { grep_codebase = 0 }\n", encoding="utf-8")
        with connected(tree, data) as client:
            results = {
                name: [compare(client, args.rg, tree, row, args.rounds) for row in rows]
                for name, rows in (("selective", SELECTIVE), ("unselective", UNSELECTIVE))
            }
            memory = client.resident_bytes()
    for name, found in results.items():
        table(f"{name} patterns on {size / MB:.0f} MB", HEAD, [one.row() for one in found])
    worst = {name: max(one.ratio for one in found) for name, found in results.items()}
    rows = [judged("slowest selective over ripgrep", worst["selective"], FASTER),
            judged("slowest unselective over ripgrep", worst["unselective"], WITHIN)]  # fmt: skip
    table("targets", JUDGED_HEAD, rows)
    print(f"\nmemory of the server and its children: {memory / MB:.0f} MB")
    listed = {name: [asdict(one) for one in found] for name, found in results.items()}
    record("grep", {"bytes": size, "memory": memory, **listed})


if __name__ == "__main__":
    main()
