"""Questions: warm latency in process and over stdio, start to first answer, memory while serving; CodeGraph beside it.

Usage: python -m bench.query_bench REPO… [--codegraph BIN] [--queries 40] [--rounds 5]
"""

import argparse
import statistics
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from bench import ours, peers, targets
from bench.copies import copy_repository, settle, temporary_directory
from bench.latency import Latency, Plan, Stopwatch, make_plan
from bench.peers import Peer
from bench.questions import make_questions
from bench.report import JUDGED_HEAD, MB, judged, number, record, table
from bench.stdio_client import connected
from codecompass.model.call import Call
from codecompass.model.queries.search_query import LocateQuery, SearchQuery

SEED, WARM_SEED = 7, 8
STARTS = 3
CLI_QUERIES = 5
SDK_PATIENCE_S = 600
LATENCY_HEAD = ("way and call", "p50 ms", "p95 ms", "max ms", "count")


def in_process(repo: Path, data: Path, plan: Plan) -> list[Latency]:
    """The engine itself, watching the files as a server does."""
    watch = Stopwatch("in process")
    with ours.engine_on(repo, data, watch=True) as engine:
        for step in plan:
            with watch.timing(step):
                if step.tool == "search_code":
                    engine.search(None, SearchQuery(step.text), Call())
                else:
                    engine.locate(None, LocateQuery(step.text), Call())
    return watch.latencies()


def over_lines(repo: Path, data: Path, plan: Plan) -> tuple[list[Latency], int]:
    """A raw client, and the server's memory after all those questions."""
    watch = Stopwatch("stdio, raw lines")
    with connected(repo, data) as client:
        for step in plan:
            with watch.timing(step):
                answer = client.call(step.tool, **step.arguments)
            if "error" in answer:
                raise SystemExit(f"{step.tool} failed on {step.text!r}: {str(answer['error'])[:300]}")
        return watch.latencies(), client.resident_bytes()


async def over_sdk(repo: Path, data: Path, plan: Plan) -> list[Latency]:
    """The official client; its own work is part of what is measured."""
    server = StdioServerParameters(
        command=ours.COMMAND[0], args=[*ours.COMMAND[1:], "serve-mcp", "--workspace", str(repo)],
        env=ours.environment(data.parent, data), cwd=repo,
    )  # fmt: skip
    watch = Stopwatch("stdio, SDK client")
    with anyio.fail_after(SDK_PATIENCE_S):
        async with Client(server) as client:
            for step in plan:
                with watch.timing(step):
                    answer = await client.call_tool(step.tool, dict(step.arguments))
                if answer.is_error:
                    raise SystemExit(f"{step.tool} failed on {step.text!r}.")
    return watch.latencies()


def first_answers(repo: Path, data: Path, text: str) -> list[float]:
    """Seconds from starting the server to the answer of the first search, a new server each time."""
    taken = []
    for _ in range(STARTS):
        began = time.perf_counter()
        with connected(repo, data) as client:
            client.call("search_code", query=text)
            taken.append(time.perf_counter() - began)
    return taken


def cli_times(repo: Path, data: Path, names: tuple[str, ...]) -> list[float]:
    return [ours.must(ours.command("search", name, "--json", repo=repo, data=data)).wall_s for name in names]


def peer_cli_times(peer: Peer, source: Path, place: Path, names: tuple[str, ...]) -> list[float]:
    assert peer.query is not None
    copy = copy_repository(source, place / peer.name / source.name)
    if not peer.build(copy).ok:
        return []
    runs = [peer.run(peer.query(peer.binary, copy, name), copy) for name in names]
    return [done.wall_s for done in runs if done.ok]


def measure(source: Path, peer: Peer | None, queries: int, rounds: int) -> dict[str, Any]:
    """All numbers of one repository."""
    with temporary_directory() as place:
        repo, data = copy_repository(source, place / "ours" / source.name), place / "ours" / "data"
        settle()
        ours.must(ours.command("index", "--path", str(repo), repo=repo, data=data))
        warm = make_questions(repo, data, count=queries, seed=WARM_SEED)
        questions = make_questions(repo, data, count=queries, seed=SEED)
        plan = make_plan(warm, questions, rounds, SEED)
        starts = first_answers(repo, data, questions.search[0][1])
        found = in_process(repo, data, plan)
        lines, resident = over_lines(repo, data, plan)
        found += lines
        found += anyio.run(over_sdk, repo, data, plan)
        names = questions.locate[:CLI_QUERIES]
        return {
            "latencies": found,
            "first_answer_s": starts,
            "resident_bytes": resident,
            "cli_s": cli_times(repo, data, names),
            "peer_cli_s": peer_cli_times(peer, source, place, names) if peer else [],
        }


def show(name: str, result: dict[str, Any], absent: str) -> list[list[str]]:
    """Both tables; returns the rows of the second."""
    found: list[Latency] = result["latencies"]
    table(f"Warm questions, {name}", LATENCY_HEAD, [item.row() for item in found])
    rows = []
    for item in found:
        if ":" not in item.what:  # the kinds of question are shown, the whole is judged
            target = targets.QUERY_IN_PROCESS if item.way == "in process" else targets.QUERY_STDIO
            rows.append(judged(f"p50 {item.what}, {item.way}", item.p50, target))
    rows.append(judged("resident while serving", result["resident_bytes"] / MB, targets.SERVING_MEMORY, 0))
    table(f"Serving, {name}", JUDGED_HEAD, rows)
    theirs, their_label = result["peer_cli_s"], "one question, CodeGraph command"
    table(f"Starting, {name}", ("measure", "median s", "worst s"), [
        _spread("start of the server → first answer", result["first_answer_s"]),
        _spread("one question, codecompass command", result["cli_s"]),
        _spread(their_label, theirs) if theirs else [their_label, absent, ""],
    ])  # fmt: skip
    return rows


def _spread(label: str, seconds: list[float]) -> list[str]:
    return [label, number(statistics.median(seconds), 3), number(max(seconds), 3)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.query_bench", description="Measure answers.")
    parser.add_argument("repos", nargs="+", type=Path, metavar="REPO")
    parser.add_argument("--queries", type=int, default=40, metavar="N", help="searches, a quarter of each kind")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="times every question is repeated")
    peers.add_flags(parser)
    args = parser.parse_args()
    peer = peers.find_codegraph(args)
    for repo in args.repos:
        name = repo.resolve().name
        result = measure(repo.resolve(), peer, max(4, args.queries), max(1, args.rounds))
        verdicts = show(name, result, "failed" if peer else peers.NOT_INSTALLED)
        result["latencies"] = [asdict(item) for item in result["latencies"]]
        versions = {peer.name: peer.version()} if peer else {}
        record("query", {"repository": name, **result, "verdicts": verdicts, "versions": versions})


if __name__ == "__main__":
    main()
