"""Many clients: fifty agents over HTTP on one server while files are edited and branches are switched.

Usage: python -m bench.clients_bench REPO [--clients 50] [--minutes 8] [--seed 1]

Every client asks one question after the other, without a pause; the tools are drawn by weight. Beside them a file is
edited every second and the branch is switched every twenty. Prints p50 and p95 of each tool, failures, and memory.
"""

import argparse
import asyncio
import random
import re
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench import ours
from bench.copies import BRANCH, copy_repository, git, temporary_directory
from bench.http_bench import Served, served
from bench.load_client import HANDSHAKE, HttpCaller, is_error
from bench.report import number, record, table

EDIT_S, SWITCH_S, LOOK_S = 1.0, 20.0, 2.0
WEIGHTS = {
    "index_status": 2, "locate_symbol": 4, "search_code": 6, "get_file_outline": 3, "read_file": 3,
    "find_references": 2, "grep_codebase": 2, "get_code_context": 1, "list_refs": 1,
}  # fmt: skip
QUICK = ("index_status", "locate_symbol", "get_file_outline", "read_file", "list_refs")
NAME = re.compile(r"(?:def|class|function|func|fn) (\w{4,})")


class Questions:
    """Draws a tool and arguments that fit it from the files of a repository."""

    def __init__(self, repo: Path, seed: int) -> None:
        self._chance = random.Random(seed)
        listed = [name for name in git(repo, "ls-files").split("\n") if name.endswith((".py", ".ts", ".rs", ".go"))]
        self.paths = self._chance.sample(listed, k=min(300, len(listed)))
        texts = [(repo / path).read_text("utf-8", "ignore") for path in self.paths]
        self.names = sorted({name for text in texts for name in NAME.findall(text)})
        self._words = [name.replace("_", " ") for name in self.names]

    def draw(self) -> tuple[str, dict[str, Any]]:
        chance = self._chance
        tool = chance.choices(list(WEIGHTS), weights=list(WEIGHTS.values()))[0]
        name, path = chance.choice(self.names), chance.choice(self.paths)
        words = f"how does {chance.choice(self._words)} {chance.choice(self._words)}"
        arguments: dict[str, dict[str, Any]] = {
            "index_status": {}, "list_refs": {}, "locate_symbol": {"name": name}, "search_code": {"query": words},
            "get_file_outline": {"path": path}, "read_file": {"path": path}, "find_references": {"name": name},
            "grep_codebase": {"pattern": name}, "get_code_context": {"query": words},
        }  # fmt: skip
        return tool, arguments[tool]


async def ask(caller: HttpCaller, asked: Questions, until: float, times: dict[str, list[float]],
              failed: list[object]) -> None:  # fmt: skip
    while time.monotonic() < until:
        tool, arguments = asked.draw()
        began = time.perf_counter()
        answer = await caller.call(tool, arguments)
        times[tool].append((time.perf_counter() - began) * 1000)
        # A file of the other branch may be gone; every other error counts.
        if is_error(answer) and "file_not_found" not in str(answer) and "not_found" not in str(answer):
            failed.append((tool, arguments, answer))


async def change(repo: Path, asked: Questions, until: float, seed: int) -> int:
    """Edit and switch until the time is over; how many changes were made."""
    chance, made, switched = random.Random(seed), 0, time.monotonic()
    while time.monotonic() < until:
        await asyncio.sleep(EDIT_S)
        if time.monotonic() - switched > SWITCH_S:
            switched = time.monotonic()
            branch = "other" if git(repo, "branch", "--show-current") == BRANCH else BRANCH
            await asyncio.to_thread(git, repo, "switch", "--quiet", "--force", branch)
        else:
            file = repo / chance.choice(asked.paths)
            if file.is_file():
                with file.open("a", encoding="utf-8") as out:
                    out.write(f"\n# edit {made}\n")
        made += 1
    return made


async def watch_memory(server: Served, until: float, seen: list[float]) -> None:
    while time.monotonic() < until:
        seen.append(server.resident_mb)
        await asyncio.sleep(LOOK_S)


async def measure(repo: Path, data: Path, clients: int, minutes: float, seed: int) -> dict[str, Any]:
    asked = Questions(repo, seed)
    times: dict[str, list[float]] = defaultdict(list)
    failed: list[object] = []
    memory: list[float] = []
    async with served(repo, data) as server:
        callers = [HttpCaller(*server.place, HANDSHAKE) for _ in range(clients)]
        for caller in callers:
            await caller.open()  # a session each: rate limits count for each client
        for tool in WEIGHTS:
            while tool != (drawn := asked.draw())[0]:
                pass
            await callers[0].call(*drawn)
        until = time.monotonic() + minutes * 60
        *_, changes, _ = await asyncio.gather(
            *(ask(caller, asked, until, times, failed) for caller in callers),
            change(repo, asked, until, seed),
            watch_memory(server, until, memory),
        )
        for caller in callers:
            await caller.close()
    return {"times": times, "failed": failed, "memory": memory, "changes": changes}


def second_branch(repo: Path, seed: int) -> None:
    """A branch that differs in fifty files."""
    chance = random.Random(seed)
    git(repo, "switch", "--quiet", "-c", "other")
    listed = [name for name in git(repo, "ls-files").split("\n") if name.endswith((".py", ".ts", ".rs", ".go"))]
    for name in chance.sample(listed, k=min(50, len(listed))):
        with (repo / name).open("a", encoding="utf-8") as out:
            out.write("\n# other branch\n")
    git(repo, "commit", "--quiet", "--all", "-m", "other")
    git(repo, "switch", "--quiet", BRANCH)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo", type=Path)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=8.0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with temporary_directory() as home:
        repo = copy_repository(args.repo, home / "repo")
        second_branch(repo, args.seed)
        ours.must(ours.command("index", repo=repo, data=home / "data"))
        found = asyncio.run(measure(repo, home / "data", args.clients, args.minutes, args.seed))
    rows = [row(tool, times) for tool, times in sorted(found["times"].items())]
    quick = [spent for tool in QUICK for spent in found["times"][tool]]
    dear = [spent for tool, times in found["times"].items() if tool not in QUICK for spent in times]
    title = f"{args.clients} clients, {args.minutes:g} minutes, {found['changes']} changes"
    head = ("tool", "calls", "p50 ms", "p95 ms", "max ms")
    table(title, head, [*rows, row("quick tools", quick), row("the others", dear)])
    memory = found["memory"]
    table("server", ("what", "value"), [
        ("failed calls", str(len(found["failed"]))), ("calls a second", number(len(quick + dear) / args.minutes / 60)),
        *((what, number(value)) for what, value in (
            ("memory at start MB", memory[0]), ("memory, most MB", max(memory)), ("memory at end MB", memory[-1]))),
    ])  # fmt: skip
    for one in found["failed"][:5]:
        print(str(one)[:1_000], file=sys.stderr)
    record("clients", {"clients": args.clients, "minutes": args.minutes, "rows": rows, "memory": memory,
                       "failed": len(found["failed"])})  # fmt: skip
    return 1 if found["failed"] else 0


def row(what: str, times: list[float]) -> list[str]:
    ordered = sorted(times)
    at = [ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.95)]
    return [what, str(len(ordered)), *(number(value, 0) for value in (*at, ordered[-1]))]


if __name__ == "__main__":
    sys.exit(main())
