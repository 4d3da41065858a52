"""HTTP: warm searches by eight clients on a large repository, then many idle streams beside a few busy ones.

Usage: python -m bench.http_bench [--repo DIR] [--calls 2000] [--repeat 1] [--wrk BIN] [--strict]

Without --repo a repository of 7,200 files is made. The client is raw sockets, so what is measured is the server; where
wrk is installed, or named, it makes about as many of the same searches besides. With --strict a missed target gives
exit code 1.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench import ours, wrk
from bench.copies import git, temporary_directory
from bench.report import number, record, table

CLIENTS = 8
P95_MS, GROWTH_MB, STREAM_MB = 250.0, 16.0, 0.5
IDLE, BUSY, ROUNDS = 200, 10, 20
FILES, FOLDERS = 7_200, 90
SEED = 6
ORDER = ("start", "result", "done")
NOUNS = ("invoice", "session", "token", "parser", "queue", "report", "signal", "cache", "window", "customer", "ledger",
         "widget", "router", "cursor", "schema", "bundle", "socket", "thread", "budget", "filter")  # fmt: skip
VERBS = ("load", "save", "merge", "split", "check", "send", "read", "write", "close", "open", "start", "stop", "find")
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4_096


def make_repository(root: Path) -> None:
    """Files that are alike in size and different in words."""
    chance = random.Random(SEED)
    for place in range(FILES):
        noun, other = chance.sample(NOUNS, 2)
        verbs = chance.sample(VERBS, 4)
        methods = "".join(
            f'    def {verb}_{noun}(self, {other}):\n        """{verb.title()} one {noun} by its {other}."""\n'
            f"        return self.{other}_{place}.{verb}({other})\n\n"
            for verb in verbs
        )
        path = root / f"{NOUNS[place % len(NOUNS)]}{place % FOLDERS}" / f"{noun}_{place}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"class {noun.title()}{other.title()}{place}:\n{methods}", encoding="utf-8")
    git(root, "init", "--quiet", "-b", "main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "bench")


def questions(seed: int = SEED) -> list[dict[str, Any]]:
    """Searches as agents send them: words, names, a filter now and then."""
    chance = random.Random(seed)
    made: list[dict[str, Any]] = []
    for turn in range(200):
        noun, verb = chance.choice(NOUNS), chance.choice(VERBS)
        text = (f"{verb} {noun}", f"{verb}_{noun}", f"where is the {noun} {verb}", noun)[turn % 4]
        made.append({"query": text} | ({"type": "method"} if turn % 5 == 0 else {}))
    return made


@dataclass(slots=True)
class Wire:
    """One connection that is kept."""

    place: tuple[str, int]
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        """One request; status and body."""
        reader = await self.send(method, path, body)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        status = int(head.split()[1])
        if "content-length: " in head:
            length = int(head.split("content-length: ")[1].split("\r\n")[0])
            return status, await reader.readexactly(length)
        parts = []
        while size := int(await reader.readline(), 16):
            parts.append(await reader.readexactly(size))
            await reader.readexactly(2)
        await reader.readexactly(2)
        return status, b"".join(parts)

    async def send(self, method: str, path: str, body: object = None) -> asyncio.StreamReader:
        if self.streams is None:
            self.streams = await asyncio.open_connection(*self.place, limit=2**24)
        reader, writer = self.streams
        data = b"" if body is None else json.dumps(body).encode()
        kind = "content-type: application/json\r\n" if body is not None else ""
        head = f"{method} {path} HTTP/1.1\r\nhost: {self.place[0]}:{self.place[1]}\r\n{kind}content-length: {len(data)}"
        writer.write(head.encode() + b"\r\n\r\n" + data)
        await writer.drain()
        return reader

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()


@dataclass
class Served:
    """A server and its process."""

    place: tuple[str, int]
    pid: int

    @property
    def resident_mb(self) -> float:
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * PAGE / 2**20


@asynccontextmanager
async def served(repo: Path, data: Path, workers: int = 1) -> AsyncIterator[Served]:
    words = (*ours.COMMAND, "serve-http", "--port", "0", "--json", "--workspace", str(repo),
             "--workers", str(workers))  # fmt: skip
    process = await asyncio.create_subprocess_exec(
        *words, cwd=repo, env=ours.environment(data.parent, data), stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        url = json.loads(await process.stdout.readline())["url"]
        host, _, port = url.removeprefix("http://").rpartition(":")
        yield Served((host, int(port)), process.pid)
    finally:
        process.terminate()
        await asyncio.wait_for(process.wait(), 30)


@dataclass
class Load:
    """What a run of searches showed."""

    times: list[float] = field(default_factory=list)
    odd: list[int] = field(default_factory=list)
    per_second: float = 0.0
    growth_mb: float = 0.0

    def at(self, share: float) -> float:
        ordered = sorted(self.times)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def unheard() -> list[dict[str, Any]]:
    """Others of the same kind, each once."""
    known = [json.dumps(one) for one in questions()]
    found = {json.dumps(one) for one in (*questions(SEED + 1), *questions(SEED + 2))}
    return [json.loads(one) for one in sorted(found - set(known))]


async def searches(server: Served, asked: list[dict[str, Any]], calls: int) -> Load:
    """All clients at work until together they have asked so often; memory from the middle on must not grow."""
    load, left = Load(), iter(range(calls))
    middle = 0.0

    async def work(wire: Wire) -> None:
        nonlocal middle
        for turn in left:
            if turn == calls // 2:
                middle = server.resident_mb
            began = time.perf_counter()
            status, _ = await wire.ask("POST", "/search", asked[turn % len(asked)])
            load.times.append((time.perf_counter() - began) * 1000)
            if status != 200:
                load.odd.append(status)

    wires = [Wire(server.place) for _ in range(CLIENTS)]
    began = time.perf_counter()
    await asyncio.gather(*(work(wire) for wire in wires))
    load.per_second = calls / (time.perf_counter() - began)
    load.growth_mb = server.resident_mb - middle
    for wire in wires:
        wire.close()
    return load


@dataclass
class Crowd:
    """What many streams showed."""

    idle: int = 0
    """Streams that were still open, and had said what they should, at the end."""
    wrong: int = 0
    """Busy streams whose events were missing or out of order."""
    each_mb: float = 0.0
    times: list[float] = field(default_factory=list)


async def streams(server: Served) -> Crowd:
    """Followers that wait, and beside them searches told as events."""
    crowd, asked = Crowd(), questions()
    before = server.resident_mb
    idle = [Wire(server.place) for _ in range(IDLE)]
    readers = [await wire.send("GET", "/status/stream?follow=true") for wire in idle]
    for reader in readers:
        await asyncio.wait_for(reader.readuntil(b"event: progress"), 60)

    async def work(place: int) -> None:
        wire = Wire(server.place)
        for turn in range(ROUNDS):
            began = time.perf_counter()
            status, body = await wire.ask("POST", "/search/stream", asked[(place + turn) % len(asked)])
            crowd.times.append((time.perf_counter() - began) * 1000)
            names = [line[7:].decode() for line in body.splitlines() if line.startswith(b"event: ")]
            kept = tuple(name for name in names if name != "progress")
            crowd.wrong += status != 200 or kept != ORDER
        wire.close()

    await asyncio.gather(*(work(place) for place in range(BUSY)))
    crowd.each_mb = (server.resident_mb - before) / (IDLE + BUSY)
    crowd.idle = sum(not reader.at_eof() for reader in readers)
    for wire in idle:
        wire.close()
    return crowd


@dataclass
class Measured:
    """All of it."""

    new: Load
    """Questions that nobody asked before."""
    loads: list[Load]
    """Warm ones, a run each."""
    other: wrk.Heard | None
    """The same by wrk."""
    crowd: Crowd


async def measure(repo: Path, data: Path, calls: int, repeat: int, program: str | None, workers: int) -> Measured:
    async with served(repo, data, workers) as server:
        await searches(server, questions(), len(questions()))
        fresh = unheard()
        new = await searches(server, fresh, len(fresh))
        loads = [await searches(server, questions(), calls) for _ in range(repeat)]
        other = None
        if program is not None:
            url = "http://{}:{}".format(*server.place)
            lasts = calls / loads[-1].per_second
            other = await asyncio.to_thread(
                wrk.post, program, url, "/search", questions(), CLIENTS, lasts, data.parent
            )  # fmt: skip
        return Measured(new, loads, other, await streams(server))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, help="a repository to serve; without it one is made")
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="as `serve-http --workers`")
    parser.add_argument("--wrk", default=shutil.which("wrk"), metavar="BIN", help="the load generator wrk")
    parser.add_argument("--strict", action="store_true", help="exit code 1 when a target is missed")
    args = parser.parse_args()
    with temporary_directory() as home:
        repo = args.repo.resolve() if args.repo else home / "repo"
        if not args.repo:
            make_repository(repo)
        ours.must(ours.command("index", repo=repo, data=home / "data"))
        found = asyncio.run(measure(repo, home / "data", args.calls, args.repeat, args.wrk, args.workers))
    missed = report(found, args.calls)
    return missed if args.strict else 0


def report(found: Measured, calls: int) -> int:
    """Show and keep what was measured; 1 when a target was missed."""
    new, loads, other, crowd = found.new, found.loads, found.other, found.crowd
    typical = sorted(loads, key=lambda load: load.at(0.95))[len(loads) // 2]
    rows = [
        ("POST /search, p95 ms", number(typical.at(0.95), 1), f"< {P95_MS:g}", typical.at(0.95) < P95_MS),
        ("POST /search, answers other than 200", str(len(typical.odd)), "0", not any(load.odd for load in loads)),
        ("memory gained in the second half, MB", number(loads[-1].growth_mb, 1), f"< {GROWTH_MB:g}",
         loads[-1].growth_mb < GROWTH_MB),
        ("idle streams still open", str(crowd.idle), f"{IDLE}", crowd.idle == IDLE),
        ("busy streams out of order", str(crowd.wrong), f"0 of {BUSY * ROUNDS}", crowd.wrong == 0),
        ("memory of a stream, MB", number(crowd.each_mb, 2), f"≤ {STREAM_MB:g}", crowd.each_mb <= STREAM_MB),
    ]  # fmt: skip
    if other is not None:
        rows += [
            ("by wrk: p95 ms", number(other.p95, 1), f"< {P95_MS:g}", other.p95 < P95_MS),
            ("by wrk: answers other than 2xx", str(other.odd), "0", not other.odd),
        ]
    table("HTTP", ("what", "measured", "target", ""), [
        [what, shown, target, "reached" if met else "missed"] for what, shown, target, met in rows
    ])  # fmt: skip

    def figures(one: Load) -> list[float]:
        return [one.per_second, *map(one.at, (0.5, 0.95, 0.99)), max(one.times)]

    shown = [
        (label, figures(one))
        for label, one in ((f"{len(new.times)} new questions", new), *((f"{calls} warm", load) for load in loads))
    ]
    if other is not None:
        said = [other.per_second, other.p50, other.p95, other.p99, other.most]
        shown.append((f"{other.calls} warm, by wrk", said))
    head = ("", "per second", "p50 ms", "p95 ms", "p99 ms", "max ms")
    table(f"POST /search, {CLIENTS} clients", head, [
        [label, *(number(value, 1) for value in values)] for label, values in shown
    ])  # fmt: skip
    record("http", {
        "clients": CLIENTS, "calls": calls, "new": {"p50": new.at(0.5), "p95": new.at(0.95), "odd": new.odd},
        "runs": [{"per_second": load.per_second, "p50": load.at(0.5), "p95": load.at(0.95), "p99": load.at(0.99),
                  "odd": load.odd, "growth_mb": load.growth_mb} for load in loads],
        "wrk": asdict(other) if other is not None else None,
        "streams": {"idle": crowd.idle, "wrong": crowd.wrong, "each_mb": crowd.each_mb},
    })  # fmt: skip
    return 0 if all(met for *_, met in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
