"""Latency of every tool: a warm server over stdio with the official client; a word search and CodeGraph beside it.

Usage: python -m bench.latency_bench REPO [--calls 200] [--repeat 3] [--seed 7] [--slowest 5] [--codegraph BIN]

No server gets the same call twice, but for the few outlines and differences there are to ask for, and tools without
arguments. Every answer looks whether it is fresh, under every policy, so no call goes without the check: it is measured
by itself, in process, as an answer that shows one file makes it. `bench.freshness_bench` has it after edits.
"""

import argparse
import json
import random
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import anyio

from bench import ours, peers, targets
from bench.accuracy.tables import markdown
from bench.copies import copy_repository, git, settle, temporary_directory
from bench.edits import append_definition, editable
from bench.freshness_bench import opened
from bench.latency import KEPT_SLOWEST, Latency, Plan, Step, Stopwatch, middle
from bench.peers import Peer
from bench.query_bench import over_sdk, peer_cli_times
from bench.report import number, record
from bench.samples import Samples, make_samples
from bench.targets import Target

WARM_CALLS = 20
PEER_CALLS = 30
EDITED_FILES = 20
OLDEST_BASE = 5
MOST_DIFFERENCES = 30
MAX_TOKENS = 4000
CHECK = "freshness check, in process"
STATUS = ("git", "status", "--porcelain")
TARGETS: dict[str, Target] = {
    "locate_symbol": targets.ANSWER_P95, "search_code": targets.ANSWER_P95, "get_file_outline": targets.ANSWER_P95,
    "health_check": targets.HEALTH_P95, "find_references": targets.REFERENCES_P95, CHECK: targets.FRESHNESS_P95,
}  # fmt: skip


def prepare(source: Path, place: Path, seed: int) -> tuple[Path, Path]:
    """A copy with all refs of the repository and some files edited since the last commit; and its index."""
    repo, data = copy_repository(source, place / "ours" / source.name), place / "ours" / "data"
    if (source / ".git").exists():
        kinds = ("heads/*:refs/remotes/source/*", "remotes/*:refs/remotes/*", "tags/*:refs/tags/*")
        git(repo, "fetch", "--quiet", "--no-tags", str(source), *(f"+refs/{kind}" for kind in kinds))
    sizes = {path: (repo / path).stat().st_size for path in git(repo, "ls-files", "-z").split("\0")
             if (repo / path).is_file()}  # fmt: skip
    for position, path in enumerate(editable(sizes, seed)[:EDITED_FILES]):
        append_definition(repo, path, f"bench_{position}")
    settle()
    ours.must(ours.command("index", "--path", str(repo), repo=repo, data=data))
    return repo, data


def steps_of(samples: Samples, count: int) -> Plan:
    """The calls of every tool but one, tool after tool."""
    plan = [Step("search_code", text, ("search_code", f"search_code: {intent}")) for intent, text in samples.searches]
    plan += [Step("locate_symbol", name, ("locate_symbol",)) for name in samples.names]
    for _, text in samples.searches:
        plan.append(_step("get_code_context", {"query": text, "max_tokens": MAX_TOKENS}))
    for item in samples.symbols:
        plan.append(_step("find_references", {"symbol_id": item.symbol_id}, item.text))
        for depth in (1, 2):
            given = {"symbol_id": item.symbol_id, "depth": depth}
            plan.append(_step("get_call_graph", given, item.text, f"get_call_graph, depth {depth}"))
        if item.is_rare:
            plan.append(_step("explain_ranking", {"symbol_id": item.symbol_id, "query": item.name}, item.text))
    plan += [_step("get_symbol_hierarchy", {"symbol_id": item.symbol_id}, item.text) for item in samples.types]
    plan += [_step("get_file_outline", {"path": path}) for path in islice(cycle(samples.outlines), count)]
    return plan + [_step(tool, {}) for tool in ("health_check", "index_status", "list_refs") for _ in range(count)]


def differences(repo: Path, count: int) -> Plan:
    """Since the last commit, and since each of a few before it, as far as the history goes."""
    known = int(git(repo, "rev-list", "--count", "--first-parent", f"--max-count={OLDEST_BASE + 1}", "HEAD"))
    choices: list[dict[str, Any]] = [{}, *({"base_ref": f"HEAD~{steps}"} for steps in range(1, known))]
    return [_step("diff_context", given) for given in islice(cycle(choices), min(count, MOST_DIFFERENCES))]


def _step(tool: str, given: dict[str, Any], about: str = "", label: str = "") -> Step:
    return Step(tool, " ".join(filter(None, (json.dumps(given), about))), (label or tool,), given)


def warming(plan: Plan) -> Plan:
    return [replace(step, labels=()) for step in plan]


def freshness(repo: Path, data: Path, samples: Samples) -> Latency:
    """What every answer spends on knowing whether it is fresh, with a watch, nothing changed meanwhile."""
    watch = Stopwatch("in process")
    with opened(repo, data, watch=True) as project:
        ref = project.effective_ref(None)
        with project.open_view(ref) as view:
            for position, item in enumerate((samples.symbols[0], *samples.symbols)):
                step = Step("", item.path, (CHECK,) if position else ())
                with watch.timing(step):
                    found = project.get_view_state(view, ref, (item.path,)).freshness
                if found != "fresh":
                    raise SystemExit(f"The check says '{found}' where nothing changed.")
    return watch.latencies()[0]


def by_process(repo: Path, commands: Sequence[Sequence[str]], label: str) -> Latency:
    """A new process for each; the first is run once before, for the files to be in memory."""
    watch = Stopwatch(" ".join(commands[0][:2]))
    for position, argv in enumerate((commands[0], *commands)):
        with watch.timing(Step("", " ".join(argv), (label,) if position else ())):
            subprocess.run(argv, cwd=repo, stdout=subprocess.DEVNULL, check=False)
    return watch.latencies()[0]


def word_searches(names: Sequence[str]) -> list[list[str]]:
    """Every line with a name, by the fastest program there is."""
    argv = ["rg", "-nw"] if shutil.which("rg") else ["grep", "-rnwI", "--exclude-dir=.git"]
    return [[*argv, "-e", name, "."] for name in names[:PEER_CALLS]]


def measure(source: Path, peer: Peer | None, args: argparse.Namespace) -> tuple[dict[str, Latency], dict[str, Latency]]:
    """Ours, and what stands beside it by the label of the row; in every turn a new server."""
    with temporary_directory() as place:
        repo, data = prepare(source, place, args.seed)
        calls = max(4, args.calls)
        samples = make_samples(repo, data, count=calls, seed=args.seed)
        warm = warming(steps_of(make_samples(repo, data, count=WARM_CALLS, seed=args.seed + 1), WARM_CALLS))
        turns: list[list[Latency]] = []
        beside: list[list[Latency]] = []
        for turn in range(max(1, args.repeat)):
            plan, different = steps_of(samples, calls), differences(repo, calls)
            random.Random(args.seed + turn).shuffle(plan)
            turns.append([
                *anyio.run(over_sdk, repo, data, warm + plan),
                # Differences may start parse workers, so they have a server of their own.
                *anyio.run(over_sdk, repo, data, warming(different[: OLDEST_BASE + 1]) + different),
                freshness(repo, data, samples),
            ])  # fmt: skip
            beside.append([
                by_process(repo, word_searches(samples.names), "locate_symbol"),
                by_process(repo, word_searches([item.name for item in samples.symbols]), "find_references"),
                by_process(repo, [STATUS] * PEER_CALLS, CHECK),
            ])  # fmt: skip
        near = middle(beside)
        if peer:
            watch = Stopwatch(f"{peer.name} query")
            symbols = [text for intent, text in samples.searches if intent == "symbol"]
            for taken in peer_cli_times(peer, source, place, tuple(symbols[:PEER_CALLS])):
                watch.add(Step("", "", ("search_code: symbol",)), taken)
            near |= middle([watch.latencies()])
        return middle(turns), near


def rows_of(found: dict[str, Latency], near: dict[str, Latency]) -> list[list[str]]:
    """What has a target first, in the order of the targets."""
    rows, order = [], [*TARGETS, ""]
    ranks = {label: [label.startswith(name) for name in order].index(True) for label in found}
    for label, item in sorted(found.items(), key=lambda pair: (ranks[pair[0]], pair[0])):
        target, peer = TARGETS.get(label), near.get(label)
        shown = f"{peer.way}: {number(peer.p50, 1)} / {number(peer.p95, 1)} ({peer.calls})" if peer else ""
        rows.append([label, str(item.calls), *(number(value) for value in (item.p50, item.p95, item.p99)),
                     target.text if target else "–", target.verdict(item.p95) if target else "–", shown])  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.latency_bench", description="Measure every tool.")
    parser.add_argument("repo", type=Path, metavar="REPO")
    parser.add_argument("--calls", type=int, default=200, metavar="N", help="calls of each tool in a turn")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="turns, each with a new server; medians")
    parser.add_argument("--seed", type=int, default=7, metavar="N")
    parser.add_argument("--slowest", type=int, default=0, metavar="N", help=f"calls to show, at most {KEPT_SLOWEST}")
    peers.add_flags(parser)
    args = parser.parse_args()
    peer, source = peers.find_codegraph(args), args.repo.resolve()
    found, near = measure(source, peer, args)
    rows = rows_of(found, near)
    head = ("tool", "calls", "p50 ms", "p95 ms", "p99 ms", "target p95", "", "a process for each, p50 / p95 ms (calls)")
    markdown(f"Latency, warm, over stdio: {source.name}", head, rows)
    if not peer:
        print(f"\nCodeGraph: {peers.NOT_INSTALLED}.")
    for label, item in found.items():
        calls = [[text.replace("|", "\\|"), number(taken)] for taken, text in item.slowest[: max(0, args.slowest)]]
        markdown(f"Slowest: {label}", ("asked", "ms"), calls)
    record("latency", {
        "repository": source.name, "seed": args.seed, "latencies": [asdict(item) for item in found.values()],
        "beside": [asdict(item) for item in near.values()], "versions": {peer.name: peer.version()} if peer else {},
    })  # fmt: skip


if __name__ == "__main__":
    main()
