"""A server that lets several processes answer: the same answers, and no call is lost when one of them ends."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from codecompass.model.call import Call
from codecompass.repo.process.process_tree import find_descendants, list_processes
from codecompass.repo.process.worker_process import WorkerProcess
from codecompass.runtime.helper_pool import HelperPool
from codecompass.runtime.log import Log
from tests.surfaces.conftest import Shell
from tests.surfaces.httpserver import HttpServer, serving
from tests.surfaces.work import all_gone, until

QUERIES = ["validate token", "token", "rate limit", "request"] * 2


def find_helpers(server: HttpServer) -> dict[int, str]:
    """The processes below a server that answer calls, by their hidden flag; those that keep them are not counted."""
    found = {}
    for pid, began in find_descendants([server.process.pid], list_processes()).items():
        try:
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[2:4] == [b"-m", b"codecompass"] and b"--is-helper" in words:
            found[pid] = began
    return found


def ask(server: HttpServer, query: str) -> list[dict[str, object]]:
    answer = httpx2.post(f"{server.url}/search", json={"query": query}, headers=server.auth, timeout=60)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, object]] = answer.json()["result"]["search"]["code"]
    return found


@pytest.fixture
def pool(indexed: Shell) -> Iterator[HelperPool]:
    command = [sys.executable, "-P", "-m", "codecompass", "serve-http", "--path", str(indexed.cwd), "--is-helper"]
    made = HelperPool(lambda: WorkerProcess.start(command, indexed.env, timeout=0.05), 1, Log("error"))
    yield made
    made.close()


def test_a_helper_answers_and_survives_a_cancelled_call(pool: HelperPool) -> None:
    """HTTP-START: a helper answers what only reads; a call that is cancelled takes no helper with it."""
    arguments = {"query": "session"}
    until(lambda: pool.answer("search_code", arguments, Call()), bool, 60)
    gone = Call()
    gone.cancelled.set()
    pool.answer("search_code", arguments, gone)
    assert pool.answer("no_such_tool", {}, Call()) is None
    assert pool.answer("search_code", arguments, Call(deadline=time.monotonic() - 1)) is None
    answer = pool.answer("search_code", arguments, Call())
    assert answer is not None and answer.state is not None and answer.state.freshness == "fresh"


@pytest.mark.timeout(300)
@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_workers_answer_like_one_process_and_their_end_loses_no_call(indexed: Shell) -> None:
    """HTTP-START: several clients at once, and every helper is killed meanwhile; all get the answers of one process."""
    with serving(indexed) as alone:
        expected = {query: ask(alone, query) for query in QUERIES[:4]}
    with serving(indexed, "--workers", "2") as server:
        until(lambda: len(find_helpers(server)), lambda number: number == 2)
        stop = threading.Event()

        def kill() -> None:
            for _ in range(3):
                for pid in find_helpers(server):
                    os.kill(pid, signal.SIGKILL)
                if stop.wait(0.5):
                    return

        killer = threading.Thread(target=kill)
        killer.start()
        with ThreadPoolExecutor(4) as clients:
            found = list(clients.map(lambda query: ask(server, query), QUERIES))
        stop.set()
        killer.join()
        assert len(found) == len(QUERIES)
        for query, answer in zip(QUERIES[:4], found[:4], strict=True):
            assert answer == expected[query] != []
        helpers = find_helpers(server)
        code, _ = server.end()
        assert code == 0
        all_gone(helpers)


def test_no_worker_is_refused(fresh: Shell) -> None:
    """HTTP-START: a number of workers that cannot work is refused."""
    done = fresh.run("serve-http", "--port", "0", "--workers", "0")
    assert done.returncode == 2
    assert "--workers must be at least 1" in done.stderr
