"""Jobs: one at a time, ended for good when cancelled, and never believed to run when they do not."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from codecompass.engine.jobs.job_runner import start_child
from codecompass.engine.workspace.job_table import CHILD_KEY, JobTable, format_now
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.queries.search_query import SearchQuery
from codecompass.repo.process.child_process import SpawnedProcess, is_alive, read_start_time
from codecompass.store.embedded.databases.records_database import EmbeddedRecords
from codecompass.store.ports import Owner
from tests.architecture.source import ROOT
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import make_repo
from tests.surfaces.conftest import Shell, environment
from tests.surfaces.work import until, write_files

ONE = {"a.py": "def first():\n    return 1\n"}


@contextmanager
def other_process() -> Iterator[SpawnedProcess]:
    """Somebody else's process, which must survive the test."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    try:
        yield SpawnedProcess(process.pid, read_start_time(process.pid))
        assert process.poll() is None, "a process that is none of ours was ended"
    finally:
        process.kill()
        process.wait()


def board_of(desk: Desk) -> JobTable:
    return desk.engine._projects.open_for_query(None).jobs


def running(board: JobTable, pid: int, start_time: str) -> Job:
    job = replace(
        board.create("main", "full"), status="running", pid=pid, start_time=start_time, started_at=format_now()
    )
    board.records.put_job(job)
    return job


def test_a_reused_pid_is_nobody(tmp_path: Path) -> None:
    """JOB-PID-REUSE, JOB-CANCEL-ERRORS: a job whose number now belongs to another process is over, and that other
    process is not signalled; nor are jobs ended that do not exist or have ended.
    """
    with desk_on(make_repo(tmp_path / "repo", ONE), tmp_path / "data") as desk, other_process() as other:
        published = desk.index()
        job = running(board_of(desk), other.pid, "12345")
        for job_id, status in ((job.job_id, "interrupted"), (published.job_id, "published")):
            with pytest.raises(Failure, match=f"has already ended: it is {status}") as caught:
                desk.engine.cancel_job(None, job_id)
            assert (caught.value.code, caught.value.details["status"]) == ("JOB_NOT_FOUND", status)
            assert "index_status" in caught.value.effective_hint
        for missing in (None, "no such job"):
            with pytest.raises(Failure) as caught:
                desk.engine.cancel_job(None, missing)
            assert caught.value.code == "JOB_NOT_FOUND"
        recovery = desk.engine.status(None, None).recovery
        assert recovery is not None and recovery.interrupted_jobs == 1


def test_a_job_of_another_live_process_is_left_alone(tmp_path: Path) -> None:
    """JOB-FOREIGN: it is the active job and blocks others, and no reader takes it for lost."""
    with desk_on(make_repo(tmp_path / "repo", ONE), tmp_path / "data", child_command=("false",)) as desk:
        desk.index()
        with other_process() as other:
            job = running(board_of(desk), *other)
            status = desk.engine.status(None, None)
            assert status.active_job == job and status.recovery is None
            assert desk.engine.health(None).status == "indexing"
            with pytest.raises(Failure) as caught:
                desk.engine.start_job(None, None, mode="full", force=False)
            assert caught.value.code == "INDEX_IN_PROGRESS"
            assert caught.value.details == {"job_id": job.job_id, "ref": "main"}
        status = desk.engine.status(None, None)
        assert status.active_job is None and status.recovery is not None
        assert [item.status for item in status.recent_jobs] == ["interrupted", "published"]


def test_a_child_that_dies_before_it_says_a_word_is_noticed(tmp_path: Path) -> None:
    """JOB-RECOVERY: its pid is on record from the start, so that the job does not look queued for ever."""
    with desk_on(make_repo(tmp_path / "repo", ONE), tmp_path / "data", child_command=("false",)) as desk:
        desk.index()
        started = desk.engine.start_job(None, None, mode="incremental", force=False)
        assert started.status == "running"
        until(lambda: desk.engine.status(None, None), lambda status: status.active_job is None)
        assert desk.engine.status(None, None).recent_jobs[0].status == "interrupted"
        assert board_of(desk).records.get(CHILD_KEY) is not None


def test_a_child_that_cannot_start_is_an_internal_error(tmp_path: Path) -> None:
    """D3-INDEX-REPO-ERRORS: failed to spawn: internal_error, and the job is not left waiting."""
    with desk_on(make_repo(tmp_path / "repo", ONE), tmp_path / "data", child_command=("/no/such/program",)) as desk:
        desk.index()
        # On Linux a small program of ours starts the job; without it the program itself is missing.
        project = desk.engine._projects.open_for_query(None)
        project.directory = tmp_path / "gone"
        with pytest.raises(Failure) as caught:
            start_child(project, "main", {}, mode="full", force=False)
        assert caught.value.code == "INTERNAL"
        last = desk.engine.status(None, None)
        assert (last.recent_jobs[0].status, last.active_job) == ("failed", None)
        assert desk.engine.health(None).status == "error" and last.state.indexing == "failed"
        desk.index()
        assert desk.engine.health(None).status == "ready"


def test_two_starts_at_once_are_one_job(tmp_path: Path) -> None:
    """JOB-ONE: of many callers at the same moment one starts a job, the others learn which."""
    command = (sys.executable, "-c", "import time; time.sleep(30)")
    with desk_on(make_repo(tmp_path / "repo", ONE), tmp_path / "data", child_command=command) as desk:
        desk.index()
        outcomes: list[object] = []

        def start() -> None:
            try:
                outcomes.append(desk.engine.start_job(None, None, mode="full", force=False).job_id)
            except Failure as failure:
                outcomes.append(failure)

        threads = [threading.Thread(target=start) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        (winner,) = (item for item in outcomes if isinstance(item, str))
        refused = [item for item in outcomes if isinstance(item, Failure)]
        assert len(refused) == 5 and {item.details["job_id"] for item in refused} == {winner}
        child = board_of(desk).find_owner(desk.engine.status(None, None).recent_jobs[0])
        assert child is not None and is_alive(*child)
    assert not is_alive(*child), "a job outlived the engine that started it"


def test_a_first_index_that_failed_is_tried_again(tmp_path: Path) -> None:
    """WS-AUTO: the next question starts it anew, not more often than every few seconds."""
    repo = make_repo(tmp_path / "roots" / "repo", ONE)
    roots = (str(tmp_path / "roots"),)
    with desk_on(repo, tmp_path / "data", child_command=("false",), auto_workspace=True, allowed_roots=roots) as desk:

        def ask() -> tuple[Job, ...]:
            hits = desk.engine.search(str(repo), SearchQuery("first", freshness="best_effort"), Call())
            assert hits.hits == () and hits.state.schema == "not_indexed"
            return desk.engine.status(str(repo), None).recent_jobs

        first = until(ask, lambda jobs: len(jobs) == 1 and not jobs[0].active)
        assert [job.status for job in first] == ["interrupted"]
        assert len(ask()) == 1
        desk.engine._first_index._throttle.every = 0.0
        again = until(ask, lambda jobs: len(jobs) >= 2)
        assert {job.mode for job in again} == {"full"}


def test_losing_the_lock_is_no_failure_of_the_index(tmp_path: Path) -> None:
    """JOB-ONE: a job that finds another writer ends cancelled, and the project stays healthy."""
    with desk_on(make_repo(tmp_path / "repo", ONE), tmp_path / "data") as desk:
        desk.index()
        owner = Owner(os.getpid(), read_start_time(os.getpid()), "other")
        writer = desk.engine._projects.open_for_query(None).store.open_writer(owner)
        try:
            with pytest.raises(Failure) as caught:
                desk.index()
        finally:
            writer.close()
        assert caught.value.code == "INDEX_IN_PROGRESS"
        assert desk.engine.status(None, None).recent_jobs[0].status == "cancelled"
        assert desk.engine.health(None).status == "ready"


def test_a_job_cancelled_before_it_began_does_not_run(tmp_path: Path) -> None:
    """JOB-CANCEL: whoever was to run it finds that and stops."""
    with desk_on(make_repo(tmp_path / "repo", ONE), tmp_path / "data") as desk:
        desk.index()
        queued = board_of(desk).create("main", "full")
        assert desk.engine.cancel_job(None, None).job_id == queued.job_id
        with pytest.raises(Failure) as caught:
            desk.engine.index(None, None, force=False, call=Call(), job_id=queued.job_id)
        assert caught.value.code == "CANCELLED"
        assert desk.engine.status(None, None).recent_jobs[0].status == "cancelled"


def test_a_job_of_this_process_is_cancelled_without_a_signal(tmp_path: Path) -> None:
    """JOB-CANCEL: a program that indexes in itself is not shot; the job stops at a safe point."""
    repo = make_repo(tmp_path / "repo", ONE)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        write_files(repo, 300)
        ended: list[object] = []

        def work() -> None:
            try:
                ended.append(desk.index())
            except Failure as failure:
                ended.append(failure.code)

        thread = threading.Thread(target=work)
        thread.start()
        until(lambda: desk.engine.status(None, None).active_job, lambda job: job is not None)
        job = desk.engine.cancel_job(None, None)
        thread.join(30)
        assert (job.status, ended) == ("cancelled", ["CANCELLED"])
        assert desk.places("first") == {"a.py:1"}


@pytest.fixture(scope="module")
def bulky(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A repository that takes some seconds to index."""
    home = tmp_path_factory.mktemp("bulky")
    repo = make_repo(home / "repo", ONE)
    shell = Shell(repo, environment(home) | {"CODECOMPASS_INDEX_WORKERS": "1"})
    assert shell.run("index").returncode == 0
    write_files(repo, 900)
    return shell


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signalled_command_ends_its_job(bulky: Shell, number: signal.Signals, code: int) -> None:
    """JOB-SIGNALS: Ctrl-C and SIGTERM end `codecompass index` with 130 and 143; the job is cancelled, never running."""
    command = [sys.executable, "-m", "codecompass", "index", "--force", "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=bulky.cwd, env=bulky.env, text=True, **pipes) as process:  # type: ignore[call-overload]
        for line in process.stderr:
            if json.loads(line).get("done", 0) > 0:
                break
        process.send_signal(number)
        _, rest = process.communicate(timeout=30)
    assert process.returncode == code and "Traceback" not in rest
    (last, *_) = json.loads(bulky.run("jobs", "--json").stdout)
    assert last["status"] == "cancelled" and last["ended_at"]
    assert "first" in bulky.run("search", "first", "--json").stdout


def continue_when_told_to_end(process: subprocess.Popen[bytes]) -> None:
    def pending() -> int:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("ShdPnd")).split()[1], 16)

    until(pending, lambda signals: bool(signals >> (signal.SIGTERM - 1) & 1))
    process.send_signal(signal.SIGCONT)


def test_the_jobs_command(bulky: Shell) -> None:
    """CLI-JOBS: shows jobs newest first, for people and programs, and cancels one that runs in another terminal."""
    command = [sys.executable, "-m", "codecompass", "index", "--force"]
    with subprocess.Popen(command, cwd=bulky.cwd, env=bulky.env, stderr=subprocess.PIPE) as process:
        (home,) = (bulky.cwd.parent / "data" / "projects").iterdir()
        records = EmbeddedRecords(home / "records.db")
        until(lambda: records.jobs(1)[0], lambda job: job.active and job.files_done > 0)
        records.close()
        # It stands still while it is looked at, and until the signal has reached it.
        process.send_signal(signal.SIGSTOP)
        active = json.loads(bulky.run("jobs", "--json").stdout)[0]
        assert active["status"] == "running" and active["files_total"] > active["files_done"] > 0
        go_on = threading.Thread(target=continue_when_told_to_end, args=(process,))
        go_on.start()
        cancelled = bulky.run("jobs", "--cancel", active["job_id"], "--json")
        go_on.join()
        assert [job["status"] for job in json.loads(cancelled.stdout)] == ["cancelled"]
        process.communicate(timeout=30)
    assert process.returncode == 143
    shown = bulky.run("jobs").stdout.splitlines()
    assert shown[0].startswith(f"{active['job_id']}  cancelled")
    again = bulky.run("jobs", "--cancel", active["job_id"])
    assert again.returncode == 5 and "has already ended: it is cancelled" in again.stderr
    assert bulky.run("jobs", "--cancel", "active").returncode == 5


def test_a_killed_job_is_reported_until_the_next_publish(tmp_path: Path) -> None:
    """JOB-RECOVERY: kill -9 leaves a report that names the way on; the next publish clears it."""
    repo, data = make_repo(tmp_path / "repo", ONE), tmp_path / "data"
    with desk_on(repo, data) as desk:
        desk.index()
    (repo / "b.py").write_text("def second():\n    return 2\n")
    argv = [sys.executable, "-m", "tests.engine.killed_index", str(repo), str(data),
            "engine.index.sync:_parse_files:before:1", "300"]  # fmt: skip
    assert subprocess.run(argv, cwd=ROOT, capture_output=True, check=False).returncode == -signal.SIGKILL
    with desk_on(repo, data) as desk:
        status = desk.engine.status(None, None)
        assert status.recovery is not None and status.recovery.interrupted_jobs == 1
        assert "sync_repo" in status.recovery.recommended_action and status.recovery.last_interrupted_at
        assert status.recent_jobs[0].status == "interrupted" and desk.engine.health(None).status == "ready"
        desk.index()
        assert desk.engine.status(None, None).recovery is None and desk.places("second") == {"b.py:1"}
