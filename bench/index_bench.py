"""Full index, ours beside CodeGraph and ctags: time, MB/s, CPU, peak memory and size.

Usage: python -m bench.index_bench REPO… [--codegraph BIN] [--ctags BIN] [--repeat 3]
"""

import argparse
import re
import shutil
import statistics
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import ours, peers, targets
from bench.copies import copy_repository, settle, size_of, sizes_of, temporary_directory
from bench.measure import Measured, Medians, medians
from bench.peers import Peer
from bench.report import JUDGED_HEAD, MB, judged, number, ratio, record, table

HEAD = ("tool", "time s", "first answers s", "files", "text MB", "MB/s", "CPU s", "peak MB", "size MB", "size/source")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One tool on one repository."""

    tool: str
    runs: Medians
    files: int
    text_bytes: int
    """Bytes of the files this tool indexed."""
    index_bytes: int
    first_s: float | None = None
    """Seconds until a part could be searched; None where everything is published at once."""

    def row(self, source_bytes: int) -> list[str]:
        seconds, first = self.runs.wall_s, number(self.first_s) if self.first_s is not None else "–"
        return [
            self.tool, number(seconds), first, f"{self.files:,}", number(self.text_bytes / MB, 1),
            number(self.text_bytes / MB / seconds), number(self.runs.cpu_s), number(self.runs.peak_bytes / MB, 0),
            number(self.index_bytes / MB, 1), number(self.index_bytes / source_bytes),
        ]  # fmt: skip


def measure(repo: Path, found: list[Peer], repeat: int) -> tuple[list[Outcome], list[str]]:
    """Interleaved: each round runs every tool once, so that a slow minute of the machine is everybody's."""
    with temporary_directory() as place:
        own = copy_repository(repo, place / "ours" / repo.name)
        copies = {peer.name: copy_repository(repo, place / peer.name / repo.name) for peer in found}
        data = place / "ours" / "data"
        settle()
        taken: dict[str, list[Measured]] = {"codecompass": [], **{peer.name: [] for peer in found}}
        failed: list[str] = []
        for _ in range(repeat):
            shutil.rmtree(data, ignore_errors=True)
            taken["codecompass"].append(ours.must(ours.command("index", "--path", str(own), repo=own, data=data)))
            for peer in found:
                if peer.name not in failed:
                    done = peer.build(copies[peer.name])
                    taken[peer.name].append(done)
                    if not done.ok:
                        failed.append(peer.name)
        files = ours.indexed_files(own, data)
        runs = medians(taken["codecompass"])
        first = read_first_answers(taken["codecompass"])
        outcomes = [Outcome("codecompass", runs, len(files), sum(files.values()), size_of(data), first)]
        for peer in found:
            if peer.name not in failed:
                copy = copies[peer.name]
                known = peer.files(copy)
                size = size_of(peer.index_place(copy))
                outcomes.append(Outcome(peer.name, medians(taken[peer.name]), len(known), sizes_of(copy, known), size))
        return outcomes, failed


def read_first_answers(runs: list[Measured]) -> float | None:
    """The median of the seconds after which a part could be searched, as the command says."""
    found = [match for done in runs if (match := re.search(r"first answers after ([\d.]+) s", done.out + done.err))]
    return statistics.median(float(match[1]) for match in found) if found else None


def show(name: str, outcomes: list[Outcome], absent: dict[str, str]) -> list[list[str]]:
    """Both tables; returns the rows of the second."""
    source = outcomes[0].text_bytes
    rows = [outcome.row(source) for outcome in outcomes]
    rows += [[tool, why, *("–" for _ in HEAD[2:])] for tool, why in absent.items()]
    table(f"Full index of {name}", HEAD, rows)
    numbers = {item.tool: (item.runs.wall_s, item.runs.peak_bytes, item.index_bytes) for item in outcomes}
    graph = numbers.get("CodeGraph", (None, None, None))
    limits = (("time", targets.TIME_RATIO), ("peak memory", targets.MEMORY_RATIO), ("size on disk", targets.SIZE_RATIO))
    beside = absent.get("CodeGraph", "ours / CodeGraph")
    verdicts = [
        judged(label, ratio(own, theirs), target, beside=beside)
        for (label, target), own, theirs in zip(limits, numbers["codecompass"], graph, strict=True)
    ]
    table(f"Ratios on {name}", JUDGED_HEAD, verdicts)
    return verdicts


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.index_bench", description="Measure full indexing.")
    parser.add_argument("repos", nargs="+", type=Path, metavar="REPO")
    parser.add_argument("--repeat", type=int, default=3, metavar="N")
    peers.add_flags(parser, with_ctags=True)
    args = parser.parse_args()
    graph, tags = peers.find_codegraph(args), peers.find_ctags(args)
    found = [peer for peer in (graph, tags) if peer is not None]
    for repo in args.repos:
        outcomes, failed = measure(repo.resolve(), found, max(1, args.repeat))
        absent = {name: peers.NOT_INSTALLED for name, peer in (("CodeGraph", graph), ("ctags", tags)) if peer is None}
        absent |= dict.fromkeys(failed, "failed")
        verdicts = show(repo.resolve().name, outcomes, absent)
        record("index", {
            "repository": repo.resolve().name, "repeat": args.repeat, "tools": [asdict(item) for item in outcomes],
            "versions": {peer.name: peer.version() for peer in found}, "absent": absent, "verdicts": verdicts,
        })  # fmt: skip


if __name__ == "__main__":
    main()
