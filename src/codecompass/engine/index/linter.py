"""Lint: what a linter says of new contents, found while they are parsed.

The linter is a program of its own that reads files, so contents are laid into a directory of ours: it sees neither the
repository nor any configuration of it. A linter that is missing, slow or broken costs its messages and nothing else.
"""

import json
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from codecompass.errors import Failure
from codecompass.model.code.traits import Diagnostic
from codecompass.repo.process.child_process import Stop, run

BATCH = 1_000
"""Files given to one run of a linter: enough to spread its start, few enough to work while others are still parsed."""
MAX_MESSAGES = 100
"""Messages kept of one file."""
_TIMEOUT_SECONDS = 60.0
_DIRECTORY = "lint"
Key = tuple[bytes, str]


class Program(NamedTuple):
    """One linter: how it is called, and how its answer reads: (file, message) pairs."""

    argv: Callable[[str], list[str]]
    read: Callable[[bytes], list[tuple[str, Diagnostic]]]


class Linter:
    """Takes contents as they are read and gives their messages at the end. For one sync, under the writer's lock."""

    def __init__(self, home: Path, rules: str, stop: Stop | None = None) -> None:
        self._home = home / _DIRECTORY
        self._rules = rules
        self._stop = stop
        self._closed = False
        self._program = _ruff(rules) if rules else None
        self._names: dict[str, Key] = {}
        self._waiting = 0
        self._batches = 0
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="lint")
        self._runs: list[Future[list[tuple[str, Diagnostic]] | None]] = []
        # A sync that was killed may have left its files.
        shutil.rmtree(self._home, ignore_errors=True)

    def take(self, key: Key, data: bytes, path: str) -> None:
        """Lay one content down to be looked at."""
        if self._program is None:
            return
        folder = self._home / str(self._batches)
        if not self._waiting:
            folder.mkdir(parents=True, exist_ok=True)
        name = f"{len(self._names)}{'.pyi' if path.endswith('.pyi') else '.py'}"
        try:
            (folder / name).write_bytes(data)
        except OSError:
            self._program = None  # no room for copies: the index matters more
            return
        self._names[name] = key
        self._waiting += 1
        if self._waiting >= BATCH:
            self._start()

    def _start(self) -> None:
        if self._program is not None and self._waiting:
            self._runs.append(self._threads.submit(self._look, self._program, str(self._home / str(self._batches))))
            self._batches += 1
            self._waiting = 0

    def finish(self) -> dict[Key, tuple[Diagnostic, ...]]:
        """The messages of every content that was looked at; contents without any are among them."""
        self._start()
        answers = [future.result() for future in self._runs]
        self.close()
        if self._program is None or None in answers:
            return {}
        found: dict[Key, list[Diagnostic]] = {key: [] for key in self._names.values()}
        for name, message in (row for answer in answers if answer for row in answer):
            messages = found.get(self._names.get(name, (b"", "")))
            if messages is not None and len(messages) < MAX_MESSAGES:
                messages.append(message)
        return {key: tuple(sorted(messages)) for key, messages in found.items()}

    def close(self) -> None:
        self._closed = True
        self._threads.shutdown(wait=True, cancel_futures=True)
        shutil.rmtree(self._home, ignore_errors=True)

    def _look(self, program: Program, folder: str) -> list[tuple[str, Diagnostic]] | None:
        def unwanted() -> bool:
            if self._stop is not None:
                self._stop()
            return self._closed

        try:
            done = run(program.argv(folder), env={}, cwd=folder, timeout=_TIMEOUT_SECONDS, stop=unwanted, leaf=True)
        except Failure:
            if self._stop is not None:
                self._stop()  # a sync that nobody waits for any more fails as such
            return None
        return program.read(done.stdout) if done.returncode == 0 else None


def find_program() -> str | None:
    """The linter that was installed beside this interpreter."""
    for folder in (Path(sys.executable).parent, Path(sys.prefix) / "bin", Path(sys.prefix) / "Scripts"):
        for name in ("ruff", "ruff.exe"):
            if (folder / name).is_file():
                return str(folder / name)
    return None


def _ruff(rules: str) -> Program | None:
    program = find_program()
    if program is None:
        return None
    head = [program, "check", "--isolated", "--no-cache", "--exit-zero", "--quiet", "--output-format", "json-lines"]

    def argv(folder: str) -> list[str]:
        return [*head, "--select", rules, "--", folder]

    return Program(argv, _read_ruff)


def _read_ruff(output: bytes) -> list[tuple[str, Diagnostic]]:
    found = []
    for line in output.splitlines():
        row = json.loads(line)
        place, code = row["location"], row["code"] or "syntax-error"
        message = Diagnostic(place["row"], max(place["column"] - 1, 0), code, str(row["message"]), "ruff")
        found.append((Path(row["filename"]).name, message))
    return found
