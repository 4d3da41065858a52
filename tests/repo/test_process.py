"""Children are ended with all their descendants, in bounded time, and nothing of ours leaks into them."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.repo.process.child_process import (
    SpawnedProcess,
    is_alive,
    read_start_time,
    run,
    spawn_detached,
    stop_tree,
)
from codecompass.repo.process.process_tree import find_descendants, list_processes, read_proc_words
from codecompass.repo.process.worker_process import WorkerProcess
from tests.repo.proctrees import eventually

ENV = {"PATH": os.environ["PATH"]}
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def pids_in(path: Path, count: int) -> list[SpawnedProcess]:
    """Processes that wrote their pids to a file, once all of them have."""
    assert eventually(lambda: path.exists() and len(path.read_text().split()) == count)
    return [SpawnedProcess(int(word), read_start_time(int(word))) for word in path.read_text().split()]


def sleeper_of(job: SpawnedProcess) -> SpawnedProcess | None:
    """The program below a job's warden, once it runs."""
    for pid, start_time in find_descendants([job.pid], list_processes()).items():
        if read_proc_words(pid, "cmdline")[:1] == [b"sleep"]:
            return SpawnedProcess(pid, start_time)
    return None


def test_returns_what_the_command_wrote_and_how_it_ended() -> None:
    done = run(["sh", "-c", "cat; echo bad >&2; exit 3"], env=ENV, input=b"in")
    assert done == (3, b"in", b"bad\n")


def test_large_input_and_output_do_not_deadlock() -> None:
    data = os.urandom(3_000_000)
    assert run(["cat"], env=ENV, input=data).stdout == data


def test_a_command_that_does_not_read_its_input_is_no_error() -> None:
    assert run(["true"], env=ENV, input=b"x" * 1_000_000).returncode == 0


def test_the_child_sees_only_the_environment_it_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "1")
    assert b"SECRET_OF_OURS" not in run(["env"], env=ENV).stdout


def test_a_missing_program_is_a_missing_capability() -> None:
    with pytest.raises(Failure) as caught:
        run(["no-such-program-here"], env=ENV)
    assert caught.value.code == "CAPABILITY_MISSING"


def test_a_missing_directory_is_not_taken_for_a_missing_program(tmp_path: Path) -> None:
    with pytest.raises(Failure) as caught:
        run(["true"], env=ENV, cwd=str(tmp_path / "gone"))
    assert caught.value.code == "INTERNAL"


def test_too_much_output_ends_the_command() -> None:
    started = time.monotonic()
    with pytest.raises(Failure) as caught:
        run(["yes"], env=ENV, max_output=100_000)
    assert caught.value.code == "INTERNAL"
    assert time.monotonic() - started < 2


@linux_only
def test_a_time_out_names_the_program_and_no_place_of_this_machine() -> None:
    """C-NO-LEAK: an answer may quote it."""
    with pytest.raises(Failure) as caught:
        run(["/bin/sleep", "60"], env=ENV, timeout=0.0512)
    assert caught.value.message == "sleep ran longer than 0.05 s and was stopped"


@linux_only
def test_a_time_out_ends_grandchildren_too(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    with pytest.raises(Failure) as caught:
        run(["sh", "-c", f"sleep 60 & echo $! >> {pids}; echo $$ >> {pids}; wait"], env=ENV, timeout=0.5)
    assert caught.value.code == "TOOL_TIMEOUT"
    assert [is_alive(int(word), read_start_time(int(word))) for word in pids.read_text().split()] == [False, False]


@linux_only
def test_a_grandchild_that_keeps_the_pipe_open_does_not_keep_us(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    started = time.monotonic()
    done = run(["sh", "-c", f"sleep 60 & echo $! > {pids}; echo done"], env=ENV)
    assert done.stdout == b"done\n"
    assert time.monotonic() - started < 3
    pid = int(pids.read_text())
    assert eventually(lambda: not is_alive(pid, read_start_time(pid)))


@linux_only
@pytest.mark.parametrize("trap", ["", "trap '' TERM; "])
def test_stopping_a_job_ends_its_whole_tree_even_if_it_ignores_term(tmp_path: Path, trap: str) -> None:
    pids = tmp_path / "pids"
    # One child stays in the group, one leaves it with setsid.
    script = (
        f"{trap}sleep 60 & echo $! >> {pids}; setsid sleep 60 & echo $! >> {pids}; echo $$ >> {pids}; wait; sleep 60"
    )
    job = spawn_detached(["sh", "-c", script], ENV, None, str(tmp_path / "log"))
    members = pids_in(pids, 3)
    assert all(is_alive(*member) for member in members)
    stop_tree(*job, grace=0.2)
    assert not any(is_alive(*member) for member in members)


@linux_only
def test_a_later_owner_of_the_pid_is_left_alone() -> None:
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
        stop_tree(other.pid, "not its start time")
        assert other.poll() is None
        other.kill()


def test_stopping_what_is_gone_does_nothing() -> None:
    with subprocess.Popen(["true"], start_new_session=True) as child:
        child.wait()
    stop_tree(child.pid, "1")
    stop_tree(0, "")


@linux_only
def test_a_zombie_counts_as_dead() -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        start_time = read_start_time(child.pid)
        assert is_alive(child.pid, start_time)
        child.kill()
        assert eventually(lambda: not is_alive(child.pid, start_time))
    assert read_start_time(child.pid) == ""


def test_this_process_is_alive_and_not_under_another_start_time() -> None:
    assert is_alive(os.getpid(), read_start_time(os.getpid()))
    assert not is_alive(os.getpid(), "another")


PARENT = """
import sys, time
from codecompass.repo.process.child_process import spawn_detached
job = spawn_detached(["sleep", "60"], {"PATH": sys.argv[1]}, None, sys.argv[2])
print(job.pid, job.start_time, flush=True)
time.sleep(60)
"""


@linux_only
def test_a_job_dies_with_its_parent(tmp_path: Path) -> None:
    """PROC-PARENT: the kernel sees to it, whatever the parent dies of."""
    argv = [sys.executable, "-c", PARENT, ENV["PATH"], str(tmp_path / "log")]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid, start_time = parent.stdout.readline().decode().split()
        job = SpawnedProcess(int(pid), start_time)
        # The program itself must run, or the warden's death would prove nothing.
        assert eventually(lambda: sleeper_of(job) is not None)
        sleeper = sleeper_of(job)
        parent.send_signal(signal.SIGKILL)
    assert sleeper is not None
    assert eventually(lambda: not is_alive(*job) and not is_alive(*sleeper))


@linux_only
def test_a_job_outlives_the_thread_that_asked_for_it(tmp_path: Path) -> None:
    from_thread: list[SpawnedProcess] = []
    # The parent-death signal is bound to the forking thread, so this fails when that thread is the caller's.
    worker = threading.Thread(
        target=lambda: from_thread.append(spawn_detached(["sleep", "60"], ENV, None, str(tmp_path / "log")))
    )
    worker.start()
    worker.join()
    job = from_thread[0]
    assert eventually(lambda: sleeper_of(job) is not None)
    assert not eventually(lambda: not is_alive(*job), seconds=0.2)
    stop_tree(*job, grace=0.2)
    assert not is_alive(*job)


def test_what_a_job_says_on_stderr_is_appended_to_its_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    spawn_detached(["sh", "-c", "echo lost; echo said >&2"], ENV, str(tmp_path), str(log))
    assert eventually(lambda: log.read_text() == "before\nsaid\n")


def test_a_job_that_cannot_start_is_a_failure_at_once(tmp_path: Path) -> None:
    with pytest.raises(Failure):
        spawn_detached(["no-such-program-here"], ENV, None, str(tmp_path / "log"))
    with pytest.raises(OSError, match="No such file"):
        spawn_detached(["true"], ENV, None, str(tmp_path / "missing" / "log"))


def test_a_conversation_reads_lines_and_exact_sizes() -> None:
    talk = WorkerProcess.start(["cat"], ENV)
    talk.write(b"first\nsecond")
    assert talk.readline() == b"first"
    assert talk.read_exact(6) == b"second"
    talk.close()
    talk.close()
    with pytest.raises(Failure):
        talk.write(b"more")


@pytest.mark.parametrize("program", [["true"], ["sh", "-c", "read x; exit 1"]])
def test_a_child_that_ends_in_the_middle_is_a_failure_not_a_hang(program: list[str]) -> None:
    talk = WorkerProcess.start(program, ENV)
    with pytest.raises(Failure):
        for _ in range(1000):
            talk.write(b"question\n")
            talk.readline()
    talk.close()


def test_a_silent_child_runs_into_the_time_limit() -> None:
    talk = WorkerProcess.start(["sleep", "60"], ENV, timeout=0.1)
    with pytest.raises(Failure) as caught:
        talk.read_exact(1)
    assert caught.value.code == "TOOL_TIMEOUT"
    talk.close()


def test_an_endless_line_is_refused() -> None:
    talk = WorkerProcess.start(["sh", "-c", "yes | tr -d '\\n'"], ENV)
    with pytest.raises(Failure):
        talk.readline(limit=1000)
    talk.close()
