"""No survivor: whatever a child starts ends with it, and nothing else does. Counted by real pids."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.repo.process import child_process
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
from tests.repo.proctrees import ENV, SIZES, eventually, grown, members, program, survivors

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

GRACE = 0.3
SLACK = 2.5
"""Five times what stopping may take beyond the grace: the machine that runs this has other things to do."""
STANDING = [kind for kind in SIZES if kind not in ("gone", "left")]


@pytest.fixture(autouse=True)
def _short_grace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(child_process.SUPERVISOR, "grace", GRACE)
    # A command that ran in this process before may have made it one that ends the orphans of others, as a server is.
    monkeypatch.setattr(child_process.SUPERVISOR, "_adopting", False)
    yield
    # Nothing of ours may be left, zombies included.
    assert eventually(lambda: not child_process.SUPERVISOR._children, 5)


@pytest.mark.parametrize("kind", STANDING)
def test_a_stopped_command_leaves_no_process(tmp_path: Path, kind: str) -> None:
    """PROC-TREE, PROC-STOP: told to stop by its caller, TERM, grace and KILL reach every process of the tree."""
    notes = tmp_path / "notes"
    stopped: list[float] = []

    def stop() -> bool:
        if grown(kind, notes):
            stopped.append(time.monotonic())
        return bool(stopped)

    with pytest.raises(Failure) as caught:
        run(program(kind, notes), env=ENV, stop=stop)
    assert time.monotonic() - stopped[0] < GRACE + SLACK
    assert caught.value.code == "CANCELLED"
    assert survivors(notes) == []


@pytest.mark.parametrize("kind", ["all", "fan", "bomb"])
def test_a_stopped_job_leaves_no_process(tmp_path: Path, kind: str) -> None:
    """PROC-TREE: the same for a job, by its own number and by its warden's."""
    for name in ("warden", "leader"):
        notes = tmp_path / name
        job = spawn_detached(program(kind, notes), ENV, None, str(tmp_path / "log"))
        assert eventually(lambda notes=notes: grown(kind, notes))  # type: ignore[misc]
        named = job
        if name == "leader":
            named = next(one for one in members(notes) if one.pid in _children_of(job.pid))
        began = time.monotonic()
        stop_tree(*named, grace=GRACE)
        assert time.monotonic() - began < GRACE + SLACK
        assert survivors(notes) == [] and not is_alive(*job)


def _children_of(pid: int) -> list[int]:
    return [child for child, stat in list_processes().items() if stat.parent == pid]


def test_a_process_that_goes_when_asked_is_asked(tmp_path: Path) -> None:
    """PROC-GRACE: TERM comes first, and whoever needs less than the grace has it."""
    said = tmp_path / "said"
    script = f"trap 'echo bye > {said}; exit 0' TERM; echo up >> {said}; while :; do sleep 0.02; done"
    job = spawn_detached(["sh", "-c", script], ENV, None, str(tmp_path / "log"))
    assert eventually(said.exists)
    began = time.monotonic()
    stop_tree(*job, grace=30.0)
    assert said.read_text() == "bye\n" and time.monotonic() - began < 10


@pytest.mark.parametrize("kind", ["gone", "left"])
def test_a_command_that_ends_by_itself_leaves_nothing(tmp_path: Path, kind: str) -> None:
    """PROC-PIPES, PROC-TREE: its answer comes at once though a grandchild holds the pipe, and the grandchild, be it a
    daemon with an empty environment, is ended.
    """
    notes = tmp_path / "notes"
    began = time.monotonic()
    done = run(program(kind, notes), env=ENV, timeout=50)
    assert (done.returncode, done.stdout) == (7, b"said\n")
    assert time.monotonic() - began < 10
    assert len(members(notes)) == 2 and survivors(notes) == []


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_endless_output_is_cut(stream: str) -> None:
    """PROC-PIPES: the failure names the stream that passed its limit and shows both ends of what came."""
    redirect = "" if stream == "stdout" else " >&2"
    began = time.monotonic()
    with pytest.raises(Failure, match=stream) as caught:
        run(["sh", "-c", f"echo first{redirect}; exec yes{redirect}"], env=ENV, max_output=100_000)
    details = caught.value.details
    assert (caught.value.code, details["stream"], details["limit"]) == ("INTERNAL", stream, 100_000)
    assert str(details["head"]).startswith("first\ny\n") and str(details["tail"]).endswith("y\n")
    assert time.monotonic() - began < GRACE + SLACK


def test_the_failure_of_a_stop_hook_is_the_answer(tmp_path: Path) -> None:
    """PROC-STOP: a hook may raise what its caller shall see, and is asked though the command is silent."""
    call = threading.Event()

    def check() -> None:
        if call.is_set():
            raise Failure("TOOL_TIMEOUT", "The call ran out of time.")

    threading.Timer(0.2, call.set).start()
    for leaf in (False, True):
        began = time.monotonic()
        with pytest.raises(Failure, match="ran out of time"):
            run(["sleep", "60"], env=ENV, stop=check, spawns_nothing=leaf)
        assert time.monotonic() - began < 5


def test_one_of_two_trees_is_stopped_and_the_other_lives(tmp_path: Path) -> None:
    """PROC-OTHERS: same shape, same moment; not one process of the other is signalled."""
    notes = {name: tmp_path / name for name in ("one", "two")}
    jobs = {
        name: spawn_detached(program("all", path), ENV, None, str(tmp_path / "log")) for name, path in notes.items()
    }
    assert all(eventually(lambda path=path: grown("all", path)) for path in notes.values())  # type: ignore[misc]
    stop_tree(*jobs["one"], grace=GRACE)
    assert survivors(notes["one"]) == []
    assert survivors(notes["two"]) == members(notes["two"])
    with ThreadPoolExecutor(1) as pool:
        # A command that ends meanwhile leaves it alone, too.
        assert pool.submit(run, program("left", tmp_path / "three"), env=ENV).result().returncode == 7
    assert survivors(notes["two"]) == members(notes["two"])
    stop_tree(*jobs["two"], grace=GRACE)
    assert survivors(notes["two"]) == []


def test_a_tree_without_its_warden_is_ended(tmp_path: Path) -> None:
    """PROC-TREE, PROC-PARENT: the warden is killed from outside; its child goes with it, and what carries the mark."""
    notes = tmp_path / "notes"
    job = spawn_detached(program("daemon", notes), ENV, None, str(tmp_path / "log"))
    assert eventually(lambda: grown("daemon", notes))
    os.kill(job.pid, signal.SIGKILL)
    assert eventually(lambda: not survivors(notes), 10)
    stop_tree(*job)


def test_a_number_that_changed_hands_is_left_alone(tmp_path: Path) -> None:
    """PROC-OTHERS: same pid, other start time: nobody is signalled, neither leader nor group."""
    notes = tmp_path / "notes"
    with subprocess.Popen(program("plain", notes), start_new_session=True) as other:
        assert eventually(lambda: grown("plain", notes))
        stop_tree(other.pid, "1", grace=0.0)
        assert len(survivors(notes)) == 2 and other.poll() is None
        os.killpg(other.pid, signal.SIGKILL)


def test_a_group_whose_leader_was_reaped(tmp_path: Path) -> None:
    """PROC-OTHERS, PROC-TREE: with a mark its members are ended; without one they may be anybody's and are not."""
    for marked, left in (({"CODECOMPASS_TREE": "0123"}, 0), ({}, 1)):
        notes = tmp_path / str(left)
        with subprocess.Popen(program("gone", notes), start_new_session=True, env=ENV | marked) as leader:
            started = read_start_time(leader.pid)
            leader.wait()
        assert len(survivors(notes)) == 1
        stop_tree(leader.pid, started, grace=GRACE)
        assert len(survivors(notes)) == left
    os.kill(survivors(notes)[0].pid, signal.SIGKILL)
    assert eventually(lambda: not survivors(notes))


def test_a_conversation_ends_with_its_tree(tmp_path: Path) -> None:
    """PROC-TREE: also when another thread ends it while it is being listened to."""
    notes = tmp_path / "notes"
    talk = WorkerProcess.start(program("all", notes), ENV, timeout=50)
    assert eventually(lambda: grown("all", notes))
    with ThreadPoolExecutor(1) as pool:
        heard = pool.submit(talk.read_exact, 1)
        talk.abort()
        with pytest.raises(Failure, match="ended before it answered"):
            heard.result(10)
    talk.close()
    assert survivors(notes) == []


def test_what_cannot_be_started_hurts_nobody_else() -> None:
    """PROC-GUARD: the thread that starts long-lived children survives whatever a request does."""
    with pytest.raises(ValueError, match="null byte"):
        WorkerProcess.start(["cat", "a\0b"], ENV, spawns_nothing=True)
    with pytest.raises(Failure):
        WorkerProcess.start(["no-such-program-here"], ENV)
    talk = WorkerProcess.start(["cat"], ENV)
    talk.write(b"heard\n")
    assert talk.readline() == b"heard"
    talk.close()


PARENT = """
import sys, time
from pathlib import Path
from codecompass.repo.process.child_process import run, spawn_detached
from tests.repo.proctrees import ENV, grown, program
notes, how = Path(sys.argv[1]), sys.argv[2]
if how == "job":
    spawn_detached(program("all", notes), ENV, None, str(notes) + ".log")
    time.sleep(60)
run(program("all", notes), env=ENV, timeout=60)
"""


@pytest.mark.parametrize("how", ["job", "command"])
def test_nothing_outlives_a_killed_parent(tmp_path: Path, how: str) -> None:
    """PROC-PARENT: kill -9; daemons of grandchildren with empty environments are gone with it."""
    notes = tmp_path / "notes"
    with subprocess.Popen([sys.executable, "-c", PARENT, str(notes), how]) as parent:
        assert eventually(lambda: grown("all", notes))
        family = find_descendants([parent.pid], list_processes())
        parent.kill()
    assert eventually(lambda: not survivors(notes) and not any(is_alive(*one) for one in family.items()))


ADOPTER = """
import os, subprocess, sys, time
from pathlib import Path
from codecompass.repo.process.child_process import SUPERVISOR, configure_supervisor, run
from codecompass.repo.process.process_tree import list_processes
from tests.repo.proctrees import ENV, eventually, members, program, survivors
configure_supervisor(0.3)
home = Path(sys.argv[1])
stranger = subprocess.Popen(["sleep", "60"])
ended = subprocess.Popen(["sh", "-c", "exit 5"])
for kind in ("left", "gone"):
    assert run(program(kind, home / kind), env=ENV, spawns_nothing=True).returncode == 7
    SUPERVISOR.sweep()
    assert len(members(home / kind)) == 2 and not survivors(home / kind), kind
mine = [pid for pid, stat in list_processes().items() if stat.parent == os.getpid()]
assert sorted(mine) == sorted([stranger.pid, ended.pid]), mine
assert stranger.poll() is None and ended.wait() == 5
stranger.kill(); stranger.wait()
print("fine")
"""


def test_orphans_of_leaves_become_ours_and_are_ended(tmp_path: Path) -> None:
    """PROC-ADOPT: reaped too; children that others in the process started keep their lives and exit codes."""
    done = subprocess.run(
        [sys.executable, "-c", ADOPTER, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "fine\n", done.stderr


def test_a_wardens_child_is_as_if_it_stood_alone(tmp_path: Path) -> None:
    """PROC-GUARD: exit code, signal, a group of its own, and a program that is missing."""
    assert run(["sh", "-c", "exit 3"], env=ENV).returncode == 3
    assert run(["sh", "-c", "kill -SEGV $$"], env=ENV).returncode == -signal.SIGSEGV
    assert run(["sh", "-c", "yes | head -c 4"], env=ENV).stdout == b"y\ny\n"
    pid, group, session = run(["sh", "-c", "cut -d' ' -f1,5,6 /proc/$$/stat"], env=ENV).stdout.split()
    assert pid == group == session
    script = tmp_path / "no-interpreter"
    script.write_text("#!/no/such/program\n")
    script.chmod(0o700)
    assert run([str(script)], env=ENV).returncode == 127


def test_a_job_has_the_environment_it_is_given(tmp_path: Path) -> None:
    """PROC-GUARD: nothing of the parent's environment is in it, and the mark is all that is added."""
    job = spawn_detached(["sleep", "60"], {"ONLY": "this"} | ENV, None, str(tmp_path / "log"))
    assert eventually(lambda: any(read_proc_words(pid, "cmdline")[:1] == [b"sleep"] for pid in _children_of(job.pid)))
    sleeper = SpawnedProcess(_children_of(job.pid)[0], "")
    names = {word.partition(b"=")[0] for word in read_proc_words(sleeper.pid, "environ")} - {b""}
    assert names == {b"ONLY", b"PATH", b"CODECOMPASS_TREE"}
    stop_tree(*job)
