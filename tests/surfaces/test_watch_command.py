"""`codecompass watch` as a person and a script see it, and the server that keeps its index current."""

import json
import os
import pty
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.conftest import Shell, environment, git
from tests.surfaces.stdio_client import Peer

PATIENCE_S = 40.0


class Watcher:
    """One running `codecompass watch` and its lines."""

    def __init__(self, shell: Shell, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "codecompass", "watch", *words], cwd=shell.cwd, env=shell.env,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def line(self) -> str:
        found = self._lines.get(timeout=PATIENCE_S)
        assert found or self.process.stderr is None, self.process.stderr.read()
        return found

    def event(self, name: str) -> dict[str, Any]:
        """The next event, which must be of that name."""
        found: dict[str, Any] = json.loads(self.line())
        assert found["event"] == name, found
        return found

    def end(self, number: int) -> tuple[int, str]:
        """Send a signal; the exit code and everything on stderr."""
        self.process.send_signal(number)
        code = self.process.wait(15)
        assert self.process.stderr is not None
        return code, self.process.stderr.read()


@pytest.fixture
def watcher(fresh: Shell) -> Iterator[Callable[..., Watcher]]:
    made: list[Watcher] = []

    def start(*words: str, shell: Shell | None = None) -> Watcher:
        made.append(Watcher(shell or fresh, *words))
        return made[-1]

    yield start
    for item in made:
        item.process.kill()
        item.process.wait(5)
        for pipe in (item.process.stdout, item.process.stderr):
            if pipe is not None:
                pipe.close()


def test_it_indexes_follows_and_ends(fresh: Shell, watcher: Callable[..., Watcher]) -> None:
    """CLI-WATCH: JSON lines for the first index and each sync; SIGTERM ends it with 0 and without a traceback."""
    made = watcher("--json")
    ready = made.event("watching")
    assert ready["file_count"] == 1 and ready["at"]
    (fresh.cwd / "src/new.py").write_text("def brand_new() -> None: ...\n")
    done = made.event("sync")
    assert done["changed_files"] >= 1 and done["duration_ms"] >= 0
    answer = json.loads(fresh.run("search", "brand_new", "--json").stdout)
    assert answer["results"][0]["name"] == "brand_new"
    assert answer["metadata"]["freshness_status"] == "fresh"
    git(fresh.cwd, "add", ".")
    git(fresh.cwd, "commit", "-qm", "second")
    assert made.event("sync")["changed_files"] >= 0
    code, errors = made.end(signal.SIGTERM)
    assert code == 0 and "Traceback" not in errors


def test_people_see_one_line_for_each_sync(fresh: Shell, watcher: Callable[..., Watcher]) -> None:
    """CLI-WATCH: plain words in a pipe; Ctrl-C ends it with 0."""
    made = watcher()
    assert made.line().startswith("Watching repo: 1 files")
    (fresh.cwd / "src/new.py").write_text("def brand_new() -> None: ...\n")
    line = made.line()
    assert "changed" in line and line.rstrip().endswith("ms") and "\x1b" not in line
    code, errors = made.end(signal.SIGINT)
    assert code == 0 and "Traceback" not in errors


def test_a_terminal_gets_colour(fresh: Shell) -> None:
    """CLI-WATCH: colour where it can be seen."""
    leader, follower = pty.openpty()
    env = {key: value for key, value in fresh.env.items() if key != "NO_COLOR"} | {"TERM": "xterm-256color"}
    command = [sys.executable, "-m", "codecompass", "watch"]
    process = subprocess.Popen(command, cwd=fresh.cwd, env=env, stdout=follower, stderr=subprocess.DEVNULL)
    os.close(follower)
    seen = b""
    while b"Ctrl-C" not in seen:
        seen += os.read(leader, 4096)
    process.send_signal(signal.SIGINT)
    assert process.wait(15) == 0
    os.close(leader)
    assert b"\x1b[1m" in seen


def test_a_directory_without_git_is_followed(tmp_path: Path, watcher: Callable[..., Watcher]) -> None:
    """CLI-WATCH: no git, named by --path."""
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "a.py").write_text("def one(): ...\n")
    made = watcher("--json", "--path", str(plain), shell=Shell(tmp_path, environment(tmp_path)))
    assert made.event("watching")["file_count"] == 1
    (plain / "b.py").write_text("def two(): ...\n")
    assert made.event("sync")["file_count"] == 2
    assert made.end(signal.SIGTERM)[0] == 0


def test_a_wrong_directory_is_an_error_in_words(fresh: Shell) -> None:
    """CLI-WATCH: what cannot be followed is refused like everywhere."""
    done = fresh.run("watch", "--path", str(fresh.cwd / "none"))
    assert done.returncode == 2 and done.stderr.startswith("error: ") and "Traceback" not in done.stderr


def test_a_reader_that_goes_away_ends_it_quietly(fresh: Shell, watcher: Callable[..., Watcher]) -> None:
    """CLI-WATCH: a closed pipe is no crash."""
    command = f"{sys.executable} -m codecompass watch --json | head -n 1"
    process = subprocess.Popen(["sh", "-c", command], cwd=fresh.cwd, env=fresh.env, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)  # fmt: skip
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["event"] == "watching"
    deadline = time.monotonic() + PATIENCE_S
    turn = 0
    while process.poll() is None and time.monotonic() < deadline:
        turn += 1
        (fresh.cwd / "src/new.py").write_text(f"x = {turn}\n")
        time.sleep(0.2)
    _, errors = process.communicate(timeout=5)
    assert process.returncode == 0 and "Traceback" not in errors


@pytest.mark.parametrize("keeping", [True, False])
def test_a_server_keeps_its_index_current_unless_told_not_to(
    fresh: Shell, connect: Callable[..., Peer], keeping: bool
) -> None:
    """KEEP-CURRENT, KEEP-SETTING: an edit is searchable with no sync asked for; index.auto_sync = false leaves it."""
    assert fresh.run("index").returncode == 0
    peer = connect(shell=fresh, CODECOMPASS_INDEX_AUTO_SYNC=str(keeping).lower())
    asked = 0

    def state() -> str:
        nonlocal asked
        asked += 1
        answer = peer.call(asked, "search_code", query="rate_limit", freshness_policy="best_effort")
        return str(json.loads(answer["result"]["content"][0]["text"])["metadata"]["freshness_status"])

    assert state() == "fresh"
    (fresh.cwd / "src/auth.py").write_text("def rate_limit() -> None: ...\n")
    assert state() in ("stale", "syncing")
    deadline = time.monotonic() + (PATIENCE_S if keeping else 1.5)
    while (found := state()) != "fresh" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert found == ("fresh" if keeping else "stale")
    assert peer.end("EOF")[0] == 0
