"""Load: calls a second beside a bare SDK server, what happens when too many come at once, and how fast work stops.

Usage: python -m bench.load_bench [--calls 2000] [--repeat 3] [--strict]

Servers take turns, medians are shown, and what counts is the ratio. With --strict a missed target gives exit code 1.
"""

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench import ours
from bench.copies import git, temporary_directory
from bench.load_client import HANDSHAKE, STATELESS, Caller, Launch, http, is_error, stdio
from bench.report import number, record, table

CLIENTS, WARM = 8, 100
BURST, QUEUE = 200, 64
CANCELS, AT_ONCE = 100, 4
WORK_S = 4.0
"""Longer than the burst takes to arrive, so that the queue is full until the last of it is refused."""
RATE_FLOOR = 0.8
REFUSED_MS, NORMAL_MS, STOPPED_MS = 50.0, 1_000.0, 200.0
WORKBENCH = (sys.executable, "-m", "tests.surfaces.workbench")
WAYS = {"stdio": HANDSHAKE, "HTTP, sessions": HANDSHAKE, "HTTP, stateless": STATELESS}
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Rate:
    """One run of calls."""

    per_second: float
    p50: float
    p99: float
    errors: int


@dataclass(frozen=True, slots=True)
class Spread:
    """Times in milliseconds."""

    what: str
    p50: float
    p95: float
    most: float
    count: int

    @classmethod
    def of(cls, what: str, times: Sequence[float]) -> "Spread":
        ordered = sorted(times) or [float("nan")]
        p50, p95 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95))
        return cls(what, p50, p95, ordered[-1], len(times))

    def row(self, target: str, met: bool) -> list[str]:
        times = [number(value, 1) for value in (self.p50, self.p95, self.most)]
        return [self.what, *times, str(self.count), target, "reached" if met else "missed"]


Judged = tuple[Spread, str, bool]
"""Times, the target in words, and whether it was reached."""


async def rate(callers: Sequence[Caller], calls: int) -> Rate:
    """All callers at work until together they have made so many calls."""
    left = iter(range(calls))
    times: list[float] = []
    errors = 0

    async def work(caller: Caller) -> None:
        nonlocal errors
        for _ in left:
            began = time.perf_counter()
            errors += is_error(await caller.call("index_status", {}))
            times.append((time.perf_counter() - began) * 1000)

    began = time.perf_counter()
    await asyncio.gather(*(work(caller) for caller in callers))
    spent = time.perf_counter() - began
    times.sort()
    return Rate(calls / spent, times[len(times) // 2], times[int(len(times) * 0.99)], errors)


async def opened(stack: AsyncExitStack, launch: Launch, way: str) -> list[Caller]:
    """Eight callers: on one pipe, or each on a connection of its own."""
    if way == "stdio":
        return [await stack.enter_async_context(stdio(launch))] * CLIENTS
    connect = await stack.enter_async_context(http(launch))
    return [await connect(WAYS[way]) for _ in range(CLIENTS)]


async def compare(way: str, ours_: Launch, bare: Launch, calls: int, repeat: int) -> dict[str, Any]:
    """Both servers are up all the time and take turns, so that what else the machine does falls on both."""
    async with AsyncExitStack() as stack:
        sides = {"ours": await opened(stack, ours_, way), "bare": await opened(stack, bare, way)}
        found: dict[str, list[Rate]] = {side: [] for side in sides}
        for callers in sides.values():
            await rate(callers, WARM)
        for _ in range(repeat):
            for side, callers in sides.items():
                found[side].append(await rate(callers, calls))
    middle = {side: statistics.median(one.per_second for one in runs) for side, runs in found.items()}
    return {
        "way": way,
        "ours": middle["ours"],
        "bare": middle["bare"],
        "ratio": statistics.median(
            ours_run.per_second / bare_run.per_second
            for ours_run, bare_run in zip(found["ours"], found["bare"], strict=True)
        ),
        "p50": {side: statistics.median(one.p50 for one in runs) for side, runs in found.items()},
        "p99": {side: statistics.median(one.p99 for one in runs) for side, runs in found.items()},
        "errors": sum(one.errors for one in found["ours"]),
    }


async def overload(way: str, launch: Launch) -> list[Judged]:
    """Far more calls than the queue has room for: all at once, then a few at a time while it is still full."""
    async with AsyncExitStack() as stack:
        callers = await _many(stack, launch, way, BURST)
        await asyncio.gather(*(caller.call("index_status", {}) for caller in callers[:QUEUE]))
        burst = _Burst()
        every = [asyncio.create_task(burst.call(caller, WORK_S)) for caller in callers]
        while len(burst.refused) + len(burst.odd) < BURST - QUEUE and not all(task.done() for task in every):
            await asyncio.sleep(0.001)
        paced = _Burst()
        idle = [caller for caller, task in zip(callers, every, strict=True) if task.done()][:CLIENTS]
        for _ in range(4):
            await asyncio.gather(*(paced.call(caller, 0.0) for caller in idle))
        await asyncio.gather(*every)
        began = time.perf_counter()
        normal = await callers[0].call("index_status", {})
        after = [] if is_error(normal) else [(time.perf_counter() - began) * 1000]
    answered = len(burst.taken) == QUEUE and len(burst.refused) == BURST - QUEUE and not burst.odd
    at_once, each = (
        Spread.of(f"{way}: surplus of {BURST} at once", burst.refused),
        Spread.of(f"{way}: surplus, {CLIENTS} at a time", paced.refused),
    )
    limit = f"< {REFUSED_MS:g} ms each"
    return [
        (Spread.of(f"{way}: taken of {BURST}", burst.taken), f"= {QUEUE}, all answered", answered),
        (at_once, limit, at_once.most < REFUSED_MS),
        (each, limit, each.most < REFUSED_MS and not paced.odd and not paced.taken),
        (Spread.of(f"{way}: a call right after", after), f"< {NORMAL_MS:g} ms", bool(after) and after[0] < NORMAL_MS),
    ]


@dataclass
class _Burst:
    """Calls of work, by how they ended; times in milliseconds."""

    refused: list[float] = field(default_factory=list)
    taken: list[float] = field(default_factory=list)
    odd: list[object] = field(default_factory=list)

    async def call(self, caller: Caller, seconds: float) -> None:
        began = time.perf_counter()
        answer = await caller.call("cleats_work", {"seconds": seconds})
        spent = (time.perf_counter() - began) * 1000
        if answer.get("error", {}).get("code") == -32001:
            self.refused.append(spent)
        elif is_error(answer):
            self.odd.append(answer)
        else:
            self.taken.append(spent)


async def _many(stack: AsyncExitStack, launch: Launch, way: str, count: int) -> list[Caller]:
    if way == "stdio":
        return [await stack.enter_async_context(stdio(launch))] * count
    connect = await stack.enter_async_context(http(launch))
    return [await connect(WAYS[way]) for _ in range(count)]


async def cancellations(way: str, launch: Launch, scratch: Path) -> Judged:
    """From the moment a client says it no longer wants the answer until the work itself has stopped."""
    times: list[float] = []
    async with AsyncExitStack() as stack:
        callers = await _many(stack, launch, way, AT_ONCE)
        for turn in range(CANCELS // AT_ONCE):
            traces = [scratch / f"{way.split()[-1]}-{turn}-{place}" for place in range(AT_ONCE)]
            times += await asyncio.gather(*(_stopped(*pair) for pair in zip(callers, traces, strict=True)))
    spread = Spread.of(f"{way}: work stopped after cancel", times)
    return spread, f"≤ {STOPPED_MS:g} ms at p95", spread.p95 <= STOPPED_MS


async def _stopped(caller: Caller, trace: Path) -> float:
    async def begun() -> None:
        while not trace.exists():
            await asyncio.sleep(0.005)

    told = await caller.call_and_cancel("cleats_work", {"seconds": 60, "trace": str(trace)}, begun())
    while True:
        word, moment = trace.read_text(encoding="utf-8").split()
        if word == "stopped":
            return (float(moment) - told) * 1000
        await asyncio.sleep(0.005)


def _launches(home: Path, way: str) -> tuple[Launch, Launch, Launch]:
    """Ours, the bare one, and ours with tools to command."""
    repo, data = home / "repo", home / "data"
    env = ours.environment(home, data)
    verb = ("serve-mcp",) if way == "stdio" else ("serve-http", "--port", "0", "--json")
    words = (*verb, "--workspace", str(repo))
    # As many workers as places, so that work that only waits is done in one go.
    there: Mapping[str, str] = env | {"PYTHONPATH": str(ROOT), "CODECOMPASS_MCP_WORKERS": str(QUEUE)}
    bare = (sys.executable, "-m", "bench.bare_server", "stdio" if way == "stdio" else "http")
    shipped, workbench = (*ours.COMMAND, *words), (*WORKBENCH, *words)
    return Launch(shipped, repo, env), Launch(bare, ROOT, there), Launch(workbench, repo, there)


def _prepare(home: Path) -> None:
    repo = home / "repo"
    repo.mkdir()
    (repo / "sample.py").write_text("class Sample:\n    def answer(self):\n        return 42\n", encoding="utf-8")
    git(repo, "init", "--quiet", "-b", "main")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "-m", "bench")
    ours.must(ours.command("index", repo=repo, data=home / "data"))


async def measure(
    home: Path, ways: Sequence[str], calls: int, repeat: int
) -> tuple[list[dict[str, Any]], list[Judged]]:
    rates: list[dict[str, Any]] = []
    others: list[Judged] = []
    for way in ways:
        shipped, bare, workbench = _launches(home, way)
        rates.append(await compare(way, shipped, bare, calls, repeat))
        others += await overload(way, workbench)
        others.append(await cancellations(way, workbench, home))
    return rates, others


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=list(WAYS), action="append", help="a way to measure; all without it")
    parser.add_argument("--strict", action="store_true", help="exit code 1 when a target is missed")
    args = parser.parse_args()
    with temporary_directory() as home:
        _prepare(home)
        rates, others = asyncio.run(measure(home, args.only or list(WAYS), args.calls, args.repeat))
    head = ("index_status, 8 clients", "ours/s", "bare/s", "ratio", "target", "", "p99 ms", "bare p99", "errors")
    met = [one["ratio"] >= RATE_FLOOR and one["errors"] == 0 for one in rates]
    table("Calls a second", head, [
        [one["way"], number(one["ours"], 0), number(one["bare"], 0), number(one["ratio"]) + "×", f"≥ {RATE_FLOOR}×",
         "reached" if good else "missed", *(number(one["p99"][side], 1) for side in ("ours", "bare")),
         str(one["errors"])]
        for one, good in zip(rates, met, strict=True)
    ])  # fmt: skip
    rows = [spread.row(target, good) for spread, target, good in others]
    table("Too many, and no longer wanted", ("what", "p50 ms", "p95 ms", "max ms", "count", "target", ""), rows)
    spreads = [asdict(spread) | {"reached": good} for spread, _, good in others]
    record("load", {"clients": CLIENTS, "calls": args.calls, "rates": rates, "others": spreads})
    return 1 if args.strict and not (all(met) and all(good for _, _, good in others)) else 0


if __name__ == "__main__":
    sys.exit(main())
