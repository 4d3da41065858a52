"""A call that is given up ends the programs at work for it: git, the linter, parse workers."""

import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from codecompass.engine.index.linter import Linter, LinterCommand
from codecompass.engine.index.parse_task import ParseTask
from codecompass.engine.index.worker_pool import WorkerPool
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.queries.symbol_difference import DiffQuery
from codecompass.repo.process.child_process import SpawnedProcess, is_alive, read_start_time
from tests.engine.historylab import Bench, edges
from tests.engine.support import desk_on
from tests.engine.test_diff import parsers
from tests.repo.gitrepo import commit, make_repo
from tests.repo.proctrees import eventually
from tests.repo.story import Story

SOON_S = 2.0
"""Ten times the 200 ms in which it happens on a machine with nothing else to do."""


class SlowGit:
    """A git that answers one question with silence."""

    def __init__(self, home: Path, silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
        home.mkdir()
        self._pid = home / "pid"
        script = home / "git"
        real, sleep = shutil.which("git"), shutil.which("sleep")
        script.write_text(
            f'#!/bin/sh\nif [ "$1" = {silent} ]; then echo $$ > {self._pid}; exec {sleep} 60; fi\nexec {real} "$@"\n'
        )
        script.chmod(0o700)
        monkeypatch.setenv("PATH", f"{home}{os.pathsep}{os.environ['PATH']}")

    def asked(self) -> bool:
        return self._pid.exists() and self._pid.read_text().endswith("\n")

    def process(self) -> SpawnedProcess:
        pid = int(self._pid.read_text())
        return SpawnedProcess(pid, read_start_time(pid))


def gave_up(git: SlowGit, ask: Callable[[Call], object]) -> None:
    """Ask, cancel once git is at work, and see both the answer and git's end."""
    call = Call()
    moment: list[float] = []
    asked: list[SpawnedProcess] = []

    def cancel() -> None:
        assert eventually(git.asked)
        asked.append(git.process())
        moment.append(time.monotonic())
        call.cancelled.set()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(Failure) as caught:
        ask(call)
    ended = time.monotonic()
    canceller.join()
    assert caught.value.code == "CANCELLED", caught.value
    assert ended - moment[0] < SOON_S
    assert asked[0].start_time
    assert eventually(lambda: not is_alive(*asked[0]), SOON_S)


@pytest.mark.parametrize("silent", ["log", "ls-tree"])
def test_history(tmp_path: Path, silent: str) -> None:
    """PROC-STOP: git's walk ends with the call, and what it did not tell is not kept as if it were missing."""
    story = Story(tmp_path / "repo")
    story.commit({"a": "1\n"})
    story.commit({"a": "2\n", "b": "1\n"})
    hashes = story.write()
    with pytest.MonkeyPatch.context() as patch:
        slow = SlowGit(tmp_path / "slow", silent, patch)
        bench = Bench(story.path, tmp_path / "home")
        gave_up(slow, lambda call: bench.historian.load_commit(hashes[-1], bench.historian.start_budget(call)))
    assert set(edges(Bench(story.path, tmp_path / "home").table(hashes[-1])).values()) == {""}


@pytest.mark.parametrize("silent", ["rev-parse", "merge-base", "diff-tree"])
def test_difference(tmp_path: Path, silent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PROC-STOP: also what a comparison asks."""
    repo = make_repo(tmp_path / "repo", {"a.py": "def a():\n    return 1\n"})
    commit(repo, {"a.py": "def a():\n    return 2\n"})
    slow = SlowGit(tmp_path / "slow", silent, monkeypatch)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index("live")
        query = DiffQuery(base_ref="HEAD~1", head_ref="HEAD", freshness="best_effort")
        gave_up(slow, lambda call: desk.engine.diff(None, query, call))


def test_lint(tmp_path: Path) -> None:
    """PROC-STOP: a linter is not waited for; the sync fails as cancelled and publishes nothing half looked at."""
    call = Call()
    linter = Linter(tmp_path, "F", call.check)
    linter._program = LinterCommand(lambda _: ["sleep", "60"], lambda _: [])
    linter.add((b"hash", "text"), b"import os\n", "a.py")
    threading.Timer(0.2, call.cancelled.set).start()
    began = time.monotonic()
    with pytest.raises(Failure) as caught:
        linter.finish()
    linter.close()
    assert caught.value.code == "CANCELLED" and time.monotonic() - began < 10
    closed = Linter(tmp_path, "F")
    closed._program = LinterCommand(lambda _: ["sleep", "60"], lambda _: [])
    closed.add((b"hash", "text"), b"import os\n", "a.py")
    closed._submit_batch()
    began = time.monotonic()
    closed.close()
    assert time.monotonic() - began < 10


def test_parse_workers() -> None:
    """PROC-STOP, PROC-PARENT: a worker that hangs does not hold up the end of its pool."""
    pool = WorkerPool(workers=1, timeout_s=120, memory_mb=0)
    task = ParseTask("", "a.txt", (), b"words\n")
    before = set(parsers())
    assert [key for key, _, _ in pool.run(iter([("first", task)]))] == ["first"]
    (pid,) = set(parsers()) - before
    worker = SpawnedProcess(pid, read_start_time(pid))
    os.kill(pid, signal.SIGSTOP)
    asking = threading.Thread(target=lambda: list(pool.run(iter([("second", task)]))))
    asking.start()
    assert eventually(lambda: pool._slots[0].pending > 0)
    began = time.monotonic()
    pool.close()
    assert time.monotonic() - began < 30
    assert not is_alive(*worker)
    asking.join(10)
    assert not asking.is_alive()
