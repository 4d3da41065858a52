"""Linter: run a linter on new contents while they are parsed.

The linter is a separate program that reads files, so contents are copied into a private directory: it sees neither the
repository nor its configuration. A linter that is missing, slow or broken costs only its messages.
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
from codecompass.repo.process.child_process import StopCheck, run

BATCH = 1_000
"""Files per linter run: enough to amortise its start, few enough to run while other files are parsed."""
MAX_MESSAGES = 100
"""Maximum messages per file."""
_TIMEOUT_SECONDS = 60.0
_DIRECTORY = "lint"
Key = tuple[bytes, str]


class LinterCommand(NamedTuple):
    """One linter: its command line, and the parser of its output into (file, message) pairs."""

    argv: Callable[[str], list[str]]
    parse: Callable[[bytes], list[tuple[str, Diagnostic]]]


class Linter:
    """Collects contents as they are read and returns all messages at the end. For one sync, under the writer lock."""

    def __init__(self, home: Path, rules: str, stop: StopCheck | None = None) -> None:
        self._home = home / _DIRECTORY
        self._rules = rules
        self._stop = stop
        self._closed = False
        self._program = _make_ruff_command(rules) if rules else None
        self._names: dict[str, Key] = {}
        self._waiting = 0
        self._batches = 0
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="lint")
        self._runs: list[Future[list[tuple[str, Diagnostic]] | None]] = []
        # A killed sync may have left its files.
        shutil.rmtree(self._home, ignore_errors=True)

    @property
    def is_enabled(self) -> bool:
        return self._program is not None

    def add(self, key: Key, data: bytes, path: str) -> None:
        """Add one content to the next batch."""
        if self._program is None:
            return
        folder = self._home / str(self._batches)
        if not self._waiting:
            folder.mkdir(parents=True, exist_ok=True)
        name = f"{len(self._names)}{'.pyi' if path.endswith('.pyi') else '.py'}"
        try:
            (folder / name).write_bytes(data)
        except OSError:
            self._program = None  # no space for copies: the index matters more
            return
        self._names[name] = key
        self._waiting += 1
        if self._waiting >= BATCH:
            self._submit_batch()

    def _submit_batch(self) -> None:
        if self._program is not None and self._waiting:
            self._runs.append(
                self._threads.submit(self._run_batch, self._program, str(self._home / str(self._batches)))
            )
            self._batches += 1
            self._waiting = 0

    def finish(self) -> dict[Key, tuple[Diagnostic, ...]]:
        """Return the messages of every linted content, including contents without any."""
        self._submit_batch()
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

    def _run_batch(self, program: LinterCommand, folder: str) -> list[tuple[str, Diagnostic]] | None:
        def is_cancelled() -> bool:
            if self._stop is not None:
                self._stop()
            return self._closed

        try:
            done = run(
                program.argv(folder),
                env={},
                cwd=folder,
                timeout=_TIMEOUT_SECONDS,
                stop=is_cancelled,
                spawns_nothing=True,
            )
        except Failure:
            if self._stop is not None:
                self._stop()  # a cancelled sync fails as cancelled
            return None
        return program.parse(done.stdout) if done.returncode == 0 else None


def find_linter() -> str | None:
    """Return the linter installed with this interpreter."""
    for folder in (Path(sys.executable).parent, Path(sys.prefix) / "bin", Path(sys.prefix) / "Scripts"):
        for name in ("ruff", "ruff.exe"):
            if (folder / name).is_file():
                return str(folder / name)
    return None


def _make_ruff_command(rules: str) -> LinterCommand | None:
    program = find_linter()
    if program is None:
        return None
    head = [program, "check", "--isolated", "--no-cache", "--exit-zero", "--quiet", "--output-format", "json-lines"]

    def argv(folder: str) -> list[str]:
        return [*head, "--select", rules, "--", folder]

    return LinterCommand(argv, _parse_ruff_output)


def _parse_ruff_output(output: bytes) -> list[tuple[str, Diagnostic]]:
    found = []
    for line in output.splitlines():
        row = json.loads(line)
        location, code = row["location"], row["code"] or "syntax-error"
        message = Diagnostic(location["row"], max(location["column"] - 1, 0), code, str(row["message"]), "ruff")
        found.append((Path(row["filename"]).name, message))
    return found
