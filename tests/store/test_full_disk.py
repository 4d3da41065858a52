"""A disk without room: what was published last keeps answering, for new readers too; what would write says so."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codecompass.store.embedded.databases.sqlite_connection import open_database
from tests.faults import fill, no_room, small_disk
from tests.surfaces.conftest import Shell, environment, git, make_repository
from tests.surfaces.stdio_client import Peer

QUESTIONS = (
    ("search", "validate token"), ("locate", "Auth"), ("status",), ("refs",), ("outline", "src/auth.py"),
    ("references", "rate_limit"), ("grep", "def .*token"), ("history", "src/auth.py"), ("triage", "list"),
    ("context", "search", "why was it done"), ("diff", "HEAD~1", "HEAD"), ("search", "Auth", "--ref", "old"),
    ("tool", "read_file", "--arg", "path=src/auth.py"), ("jobs",),
)  # fmt: skip
ON_DISK = (QUESTIONS[0], QUESTIONS[2], QUESTIONS[11])
_MOMENTS = re.compile(r"\d+(\.\d+)? ?ms\b|uptime_seconds\D+\d+|\"(searchTime|durationMs|took)\S*\": ?[\d.]+")


def ask(shell: Shell, words: tuple[str, ...], prepare: Callable[[], None] | None = None) -> tuple[int, str]:
    argv = [sys.executable, "-m", "codecompass", *words]
    done = subprocess.run(
        argv, cwd=shell.cwd, env=shell.env, capture_output=True, text=True, timeout=120, preexec_fn=prepare
    )
    said = [line for line in done.stderr.splitlines() if not line.startswith("{")]  # but for the log: a slow machine
    return done.returncode, _MOMENTS.sub("", done.stdout) + "\n".join(said)


def indexed_in(home: Path) -> Shell:
    shell = Shell(make_repository(home / "repo"), environment(home))
    git(shell.cwd, "branch", "old")
    (shell.cwd / "src" / "more.py").write_text("from src.auth import rate_limit\n\n\nlimited = rate_limit(1)\n")
    git(shell.cwd, "add", ".")
    git(shell.cwd, "commit", "-qm", "more, because one was not enough")
    for words in (("index",), ("index", "--ref", "old"), ("context", "search", "why was it done")):
        done = shell.run(*words)
        assert done.returncode == 0, done.stderr
    return shell


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    return indexed_in(tmp_path_factory.mktemp("place"))


@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
def test_a_new_reader_answers_where_nothing_can_be_written(shell: Shell, words: tuple[str, ...]) -> None:
    """DISK-FULL-READS: a process in which no file can grow gives the answer that any other gives."""
    right, answer = ask(shell, words), ask(shell, words, no_room())
    assert answer == right and right[0] == 0


def test_refs_are_listed_without_a_place_to_run_git(shell: Shell) -> None:
    """DISK-FULL-READS: where the shadow git directory is missing too, refs are listed by name, and others say why."""
    (home,) = (Path(shell.env["CODECOMPASS_STORAGE_DATA_DIR"]) / "projects").iterdir()
    for words, wanted in ((("refs",), (0, "sorted by name")), (("diff", "HEAD~1", "HEAD"), (13, "No room"))):
        shutil.rmtree(home / "shadow.git", ignore_errors=True)
        code, said = ask(shell, words, no_room())
        assert code == wanted[0] and wanted[1] in said, said


@pytest.mark.parametrize("words", [("sync",), ("index", "--force"), ("context", "add", "We keep what we write.")])
def test_what_would_write_says_so(shell: Shell, words: tuple[str, ...]) -> None:
    """DISK-FULL-READS: a command that cannot write ends with an exit code and a next step, and harms nothing."""
    before = ask(shell, QUESTIONS[0])
    code, said = ask(shell, words, no_room())
    assert code == 13 and "No room" in said and "Free some space" in said
    assert ask(shell, QUESTIONS[0]) == before


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "24m") as place:
        yield place


def test_a_disk_that_fills_and_empties(disk: Path, tmp_path: Path) -> None:
    """DISK-FULL-READS: on a real full disk every question is answered as before, a server starts, and work goes on
    as soon as there is room.
    """
    shell = indexed_in(tmp_path)
    shell.env["CODECOMPASS_STORAGE_DATA_DIR"] = str(disk / "data")
    assert shell.run("index").returncode == 0 and shell.run("index", "--ref", "old").returncode == 0
    right = [ask(shell, words) for words in ON_DISK]
    filler = fill(disk)
    assert os.statvfs(disk).f_bavail == 0
    assert [ask(shell, words) for words in ON_DISK] == right
    code, said = ask(shell, ("sync",))
    assert code == 13 and "No room" in said
    peer = Peer([sys.executable, "-m", "codecompass", "serve-mcp"], shell.cwd, shell.env)
    try:
        peer.open()
        for turn, tool in enumerate(("search_code", "get_code_context", "locate_symbol")):
            wanted = {"name": "Auth"} if tool == "locate_symbol" else {"query": "validate token"}
            found = peer.call(turn, tool, **wanted)["result"]
            assert not found["isError"] and "src/auth.py" in json.dumps(found), found
        (shell.cwd / "src" / "late.py").write_text("def came_late():\n    return 1\n")
        stale = peer.call(7, "locate_symbol", name="Auth")["result"]["structuredContent"]
        assert stale["metadata"]["freshness_status"] in ("stale", "syncing")
        filler.unlink()
        for turn in range(10, 80):
            found = peer.call(turn, "locate_symbol", name="came_late")["result"]["structuredContent"]
            if found["results"]:
                break
            time.sleep(0.5)
        assert found["results"] and found["metadata"]["freshness_status"] == "fresh", peer.errors.decode()[-2000:]
    finally:
        peer.kill()


def test_a_log_that_a_dead_process_left(disk: Path, tmp_path: Path) -> None:
    """DISK-FULL-READS: what stands only in the log of a writer that was killed is read, without room for more."""
    path = disk / "some.db"
    child = os.fork()
    if child == 0:
        connection = open_database(path, write=True)
        connection.wal_autocheckpoint(0)
        connection.execute("CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1), (2), (3)")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    (disk / "some.db-shm").unlink()
    fill(disk)
    code = (
        "import sys; from pathlib import Path\n"
        "from codecompass.store.embedded.databases.readonly_open import open_reader\n"
        "print(open_reader(Path(sys.argv[1])).execute('SELECT sum(n) FROM numbers').fetchall())"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
        assert done.stdout == "[(6,)]\n", done.stderr
