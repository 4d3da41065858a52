"""Questions: warm latency in process and over stdio, start to first answer, memory while serving; CodeGraph beside it.

    python -m bench.query_bench REPO… [--codegraph BIN] [--queries 40] [--rounds 5]
"""

import argparse
import random
import statistics
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters

from bench import ours, peers, targets
from bench.copies import copy_repository, settle, temporary_directory
from bench.peers import Peer
from bench.questions import Questions, make_questions
from bench.report import JUDGED_HEAD, MB, judged, number, record, table
from bench.stdio_client import connected
from bench.targets import Target
from codecompass.model.call import Call
from codecompass.model.query import LocateQuery, SearchQuery

SEED, WARM_SEED = 7, 8
STARTS = 3
CLI_QUERIES = 5
Ask = Callable[[str, str], None]
"""Called with a tool and its text; returns when the answer is there."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Times of many calls in milliseconds."""

    way: str
    what: str
    p50: float
    p95: float
    worst: float
    calls: int

    def row(self) -> list[str]:
        return [self.way, self.what, number(self.p50), number(self.p95), number(self.worst), str(self.calls)]


def latency(way: str, what: str, seconds: list[float]) -> Latency:
    ordered = sorted(value * 1000 for value in seconds)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return Latency(way, what, statistics.median(ordered), p95, ordered[-1], len(ordered))


def calls_of(questions: Questions) -> list[tuple[str, str, str]]:
    """(tool, kind, text) of every call."""
    searches = [("search_code", kind, text) for kind, text in questions.search]
    return searches + [("locate_symbol", "", name) for name in questions.locate]


def time_calls(way: str, ask: Ask, warm: Questions, questions: Questions, rounds: int) -> list[Latency]:
    """Warm up with other questions; then every question once (new), then again in other orders (repeated)."""
    for tool, _, text in calls_of(warm):
        ask(tool, text)
    shuffled = random.Random(SEED)
    times: dict[str, list[float]] = defaultdict(list)
    for turn in range(1 + rounds):
        calls = calls_of(questions)
        shuffled.shuffle(calls)
        for tool, kind, text in calls:
            began = time.perf_counter()
            ask(tool, text)
            taken = time.perf_counter() - began
            times[f"{tool}, {'repeated' if turn else 'new'}"].append(taken)
            if kind and not turn:
                times[f"  {kind}, new"].append(taken)
    return [latency(way, what, values) for what, values in sorted(times.items(), reverse=True)]


def in_process(repo: Path, data: Path, warm: Questions, questions: Questions, rounds: int) -> list[Latency]:
    """The engine itself, watching the files as a server does."""
    with ours.engine_on(repo, data, watch=True) as engine:

        def ask(tool: str, text: str) -> None:
            if tool == "search_code":
                engine.search(None, SearchQuery(text), Call())
            else:
                engine.locate(None, LocateQuery(text), Call())

        return time_calls("in process", ask, warm, questions, rounds)


def over_lines(
    repo: Path, data: Path, warm: Questions, questions: Questions, rounds: int
) -> tuple[list[Latency], int]:
    """A raw client, and the server's memory after all those questions."""
    with connected(repo, data) as client:

        def ask(tool: str, text: str) -> None:
            answer = client.call(tool, **_arguments(tool, text))
            if "error" in answer:
                raise SystemExit(f"{tool} failed on {text!r}: {str(answer['error'])[:300]}")

        return time_calls("stdio, raw lines", ask, warm, questions, rounds), client.resident_bytes()


def _arguments(tool: str, text: str) -> dict[str, str]:
    return {"query" if tool == "search_code" else "name": text}


def over_sdk(repo: Path, data: Path, warm: Questions, questions: Questions, rounds: int) -> list[Latency]:
    """The official client; its own work is part of what is measured."""
    server = StdioServerParameters(
        command=ours.COMMAND[0], args=[*ours.COMMAND[1:], "serve-mcp", "--workspace", str(repo)],
        env=ours.environment(data.parent, data), cwd=repo,
    )  # fmt: skip

    def talk() -> list[Latency]:
        with anyio.from_thread.start_blocking_portal() as portal, portal.wrap_async_context_manager(Client(server)) as client:

            def ask(tool: str, text: str) -> None:
                portal.call(client.call_tool, tool, _arguments(tool, text))

            return time_calls("stdio, SDK client", ask, warm, questions, rounds)

    return talk()


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
