"""Agent tasks: calls and tokens until everything that a task needs was received, ours beside ripgrep and semble.

Usage: python -m bench.agent_bench --repos DIR [--rg PROGRAM] [--semble PROGRAM] [--tasks FILE]

DIR has a clone of each repository that the tasks name. Ours is a real stdio server with the agent's tools. ripgrep is
used as an agent does: one search for the words, then reading around the hits, file by file, those with most hits first.
semble is asked the same question for more and more results. A task is won by whoever received all its places with the
fewest tokens (o200k); one that did not receive them all has lost.
"""

import argparse
import json
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from rs_bpe.bpe import openai

from bench import ours
from bench.stdio_client import StdioClient, connected

TASKS = Path(__file__).parent / "data" / "agent_tasks.toml"
SHOWN_LINES = 200
"""Lines of ripgrep's output that an agent is shown."""
SHOWN_COLUMNS = 200
AROUND = 40
"""Lines read before and after a hit."""
MAX_CALLS = 12
_TOKENS = openai.o200k_base()


@dataclass(frozen=True, slots=True)
class Task:
    """One question, and what must be received."""

    repo: str
    kind: str
    question: str
    words: str
    places: tuple[tuple[str, str], ...]
    name: str = ""

    def is_answered(self, received: str) -> bool:
        return all(path in received and text in received for path, text in self.places)


@dataclass(slots=True)
class Spent:
    """What one way of working took."""

    calls: int = 0
    tokens: int = 0
    texts: list[str] = field(default_factory=list)
    complete: bool = False

    def take(self, text: str, task: Task) -> bool:
        """Count one answer; return whether the task is answered."""
        self.calls += 1
        self.tokens += int(_TOKENS.count(text))
        self.texts.append(text)
        self.complete = task.is_answered("\n".join(self.texts))
        return self.complete

    def __str__(self) -> str:
        return f"{self.calls} / {self.tokens:,}" if self.complete else f"not found ({self.calls} / {self.tokens:,})"


def read_tasks(path: Path) -> list[Task]:
    rows = tomllib.loads(path.read_text(encoding="utf-8"))["task"]
    return [Task(**row | {"places": tuple((one[0], one[1]) for one in row["places"])}) for row in rows]


# -- ours --------------------------------------------------------------------------------------------------------------


FEW, MANY = 3, 10
"""Hits of the first search, and of the one after it."""


def plan_calls(task: Task, hits: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the calls that an agent makes, one after another; `hits` are the files received so far."""
    if task.kind == "uses":
        yield "find_references", {"name": task.name, "kinds": ["call"], "limit": 50}
    yield "search_code", {"query": task.question, "detail_level": "code", "limit": FEW}
    yield "get_code_context", {"query": task.question, "max_tokens": 2_000}
    yield "get_file_outline", {"path": hits[0]}
    # The pattern that ripgrep gets, around the best hit: the server has already said which directory it is.
    yield (
        "grep_codebase",
        {"pattern": task.words, "filePattern": f"{PurePosixPath(hits[0]).parent}/*", "limit": SHOWN_LINES // 2},
    )
    yield "search_code", {"query": task.question, "detail_level": "code", "limit": MANY}
    yield "get_code_context", {"query": task.question, "max_tokens": 8_000}


def ask_ours(client: StdioClient, task: Task) -> Spent:
    spent, files = Spent(), list[str]()
    for tool, arguments in plan_calls(task, files):
        result = client.ask("tools/call", {"name": tool, "arguments": arguments})
        # The text as JSON unescapes it: quotes and breaks of the source stand in it as they are.
        text = str(result["content"][0]["text"])
        spent.take(text, task)
        payload = json.loads(text)
        files += [hit["path"] for hit in payload.get("results", ())]
        spent.texts[-1] = "\n".join(_list_strings(payload))
        spent.complete = task.is_answered("\n".join(spent.texts))
        if spent.complete:
            break
    return spent


def _list_strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _list_strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _list_strings(item)


# -- ripgrep and reading -----------------------------------------------------------------------------------------------


def ask_ripgrep(program: str, repo: Path, task: Task) -> Spent:
    spent = Spent()
    command = [
        program,
        "--line-number",
        "--no-heading",
        "--smart-case",
        "--max-columns",
        str(SHOWN_COLUMNS),
        task.words,
    ]
    done = subprocess.run(command, cwd=repo, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    lines = done.stdout.splitlines()
    if spent.take("\n".join(lines[:SHOWN_LINES]), task):
        return spent
    hits: dict[str, list[int]] = {}
    for line in lines:
        path, number, _ = line.split(":", 2)
        hits.setdefault(path, []).append(int(number))
    for path in sorted(hits, key=lambda name: (-len(hits[name]), name))[: MAX_CALLS - 1]:
        if spent.take(_read_around(repo / path, path, hits[path]), task):
            break
    return spent


def _read_around(file: Path, path: str, numbers: list[int]) -> str:
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    wanted = {at for number in numbers for at in range(number - AROUND, number + AROUND + 1)}
    return "\n".join([path, *(f"{at}\t{lines[at - 1]}" for at in sorted(wanted) if 1 <= at <= len(lines))])


# -- semble ------------------------------------------------------------------------------------------------------------


def ask_semble(program: str, repo: Path, task: Task) -> Spent:
    spent = Spent()
    for count in (3, 10, 20):
        command = [program, "search", task.question, str(repo), "--top-k", str(count)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            raise SystemExit(f"semble failed: {done.stderr.strip()[-300:]}")
        text = done.stdout
        spent.take(text, task)
        try:
            spent.texts[-1] = "\n".join(_list_strings(json.loads(text)))
        except ValueError:
            spent.texts[-1] = text
        spent.complete = task.is_answered("\n".join(spent.texts))
        if spent.complete:
            break
    return spent


# -- the table ---------------------------------------------------------------------------------------------------------


def run_tasks(tasks: list[Task], repos: Path, home: Path, peers: dict[str, Callable[[Path, Task], Spent]]) -> int:
    """Run every task on every program, print the table, and return how many ours won."""
    won = 0
    write = sys.stdout.write
    write(f"| task | codecompass | {' | '.join(peers)} |\n|---|---|{'---|' * len(peers)}\n")
    for name in dict.fromkeys(task.repo for task in tasks):
        repo, data = repos / name, home / name / "data"
        ours.must(ours.command("index", repo=repo, data=data))
        with connected(repo, data, "--toolset", "agent") as client:
            for task in (task for task in tasks if task.repo == name):
                mine = ask_ours(client, task)
                others = {peer: ask(repo, task) for peer, ask in peers.items()}
                best = mine.complete and all(mine.tokens <= one.tokens or not one.complete for one in others.values())
                won += best
                mark = "**" if best else ""
                cells = " | ".join(str(one) for one in others.values())
                write(f"| {task.repo}: {task.question} | {mark}{mine}{mark} | {cells} |\n")
                sys.stdout.flush()
    write(f"\ncodecompass won {won} of {len(tasks)} (calls / tokens until everything was received).\n")
    return won


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--rg", default=shutil.which("rg", path=sysconfig.get_path("scripts")) or "rg")
    parser.add_argument("--semble", default=shutil.which("semble") or "")
    parser.add_argument("--tasks", type=Path, default=TASKS)
    parser.add_argument("--home", type=Path, help="keep the indexes here")
    args = parser.parse_args()
    peers: dict[str, Callable[[Path, Task], Spent]] = {"rg + read": lambda repo, task: ask_ripgrep(args.rg, repo, task)}
    if args.semble:
        peers["semble"] = lambda repo, task: ask_semble(args.semble, repo, task)
    else:
        sys.stdout.write("semble is not installed, so its column is left out (pip install semble).\n")
    with tempfile.TemporaryDirectory() as home:
        run_tasks(read_tasks(args.tasks), args.repos.resolve(), (args.home or Path(home)).resolve(), peers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
