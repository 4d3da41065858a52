"""The keeper: the live view follows the files by itself, with as few syncs as that takes."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from codecompass.engine.jobs import auto_sync as keeper_module
from codecompass.engine.jobs.auto_sync import AutoSync
from codecompass.engine.jobs.job_runner import run_job
from codecompass.engine.workspace.project import Project
from codecompass.errors import Failure
from codecompass.model.call import Call
from codecompass.model.job import Job
from codecompass.model.maintenance.sync_attempt import SyncAttempt
from codecompass.repo.workspace import LIVE
from codecompass.store.ports import Owner
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

PATIENCE_S = 30.0
KNOWN = ("def one():\n    pass\n", "def two():\n    pass\n")


def until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def now(desk: Desk) -> str:
    return desk.engine.describe(None, "live").freshness


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo", {"a.py": KNOWN[0], "b.py": KNOWN[1], ".gitignore": "*.log\n"})


@pytest.fixture(params=[False, True], ids=["polling", "watching"])
def desk(request: pytest.FixtureRequest, repo: Path, tmp_path: Path) -> Iterator[Desk]:
    with desk_on(repo, tmp_path / "data", watch=request.param) as made:
        made.index()
        yield made


@contextmanager
def followed(desk: Desk, repo: Path) -> Iterator[list[SyncAttempt]]:
    """The engine follows the repository on a thread; what it did gathers in the list."""
    call, rounds = Call(), list[SyncAttempt]()
    thread = threading.Thread(target=desk.engine.follow, args=(str(repo), call, rounds.append))
    thread.start()
    try:
        yield rounds
    finally:
        call.cancelled.set()
        thread.join(10)
        assert not thread.is_alive()


def in_process(project: Project) -> Callable[[threading.Event], Job]:
    return lambda _: run_job(project, LIVE, Call(), force=False, job_id=None)


def test_an_edit_is_synced_and_what_changes_no_byte_is_not(
    desk: Desk, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """KEEP-CURRENT: one job for an edit, none for a touched or an ignored file, one for a moved HEAD."""
    monkeypatch.setattr(keeper_module, "POLL_S", 0.05)
    with followed(desk, repo) as rounds:
        (repo / "noise.log").write_text("noise\n")
        (repo / "b.py").touch()
        time.sleep(0.4)
        assert not rounds
        (repo / "a.py").write_text(KNOWN[1])
        assert until(lambda: len(rounds) == 1) and now(desk) == "fresh"
        git(repo, "switch", "-q", "-c", "side")
        assert until(lambda: len(rounds) == 2) and now(desk) == "fresh"
        with desk.engine._projects.open_for_query(None).open_view("side") as view:
            assert (view.row.name.startswith("live:"), view.row.head) == (True, "side")
        git(repo, "commit", "-qam", "same files, other commit")
        assert until(lambda: len(rounds) == 3) and now(desk) == "fresh"
        time.sleep(0.3)
    assert [done.failure for done in rounds] == [None, None, None]


def test_a_branch_switch_of_thousands_of_files_is_one_or_two_syncs(repo: Path, tmp_path: Path) -> None:
    """KEEP-ONE: a storm of changes is gathered."""
    first = {f"p{number % 40}/f{number}.py": KNOWN[number % 2] for number in range(2000)}
    commit(repo, first)
    git(repo, "switch", "-q", "-c", "side")
    commit(repo, {name: KNOWN[(number + 1) % 2] for number, name in enumerate(first)})
    with desk_on(repo, tmp_path / "data", watch=True) as desk:
        desk.index()
        with followed(desk, repo) as rounds:
            assert until(lambda: now(desk) == "fresh")
            time.sleep(0.3)
            rounds.clear()
            git(repo, "switch", "-q", "main")
            assert until(lambda: now(desk) == "fresh")
            time.sleep(0.5)
        assert 1 <= len(rounds) <= 2
        assert sum(done.job.changed_files or 0 for done in rounds if done.job) >= 2000


def test_a_git_at_work_is_waited_for_and_a_lock_that_stays_is_not(desk: Desk, repo: Path) -> None:
    """KEEP-ONE: no sync in the middle of a checkout; a lock left by a crash holds nothing up."""
    project, rounds, lock = desk.engine._projects.open_for_query(None), list[SyncAttempt](), repo / ".git/index.lock"
    keeper = AutoSync(project, in_process(project), rounds.append)
    lock.touch()
    (repo / "a.py").write_text(KNOWN[1])
    keeper.start()
    time.sleep(0.7)
    assert not rounds
    os.utime(lock, (1, 1))
    assert until(lambda: len(rounds) == 1 and now(desk) == "fresh")
    keeper.stop()
    lock.unlink()


def test_edits_in_quick_succession_wait_for_one_another(desk: Desk, repo: Path) -> None:
    """KEEP-ONE: a sync starts when the files rest, and at the latest a while after the first change."""
    project, rounds = desk.engine._projects.open_for_query(None), list[SyncAttempt]()
    keeper = AutoSync(project, in_process(project), rounds.append)
    keeper.start()
    for turn in range(30):
        (repo / "a.py").write_text(KNOWN[turn % 2])
        keeper.notify_change()
        time.sleep(0.01)
    (repo / "a.py").write_text(KNOWN[1])
    keeper.notify_change()
    assert until(lambda: now(desk) == "fresh" and bool(rounds))
    keeper.stop()
    assert len(rounds) <= 2


def test_what_changes_during_a_sync_makes_one_more(desk: Desk, repo: Path) -> None:
    """KEEP-ONE: never two at once, and nothing is forgotten."""
    project, rounds, at_work, most = desk.engine._projects.open_for_query(None), list[SyncAttempt](), [0], [0]

    def sync(stopping: threading.Event) -> Job:
        at_work[0] += 1
        most[0] = max(most[0], at_work[0])
        job = in_process(project)(stopping)
        if not rounds:
            (repo / "b.py").write_text(KNOWN[0])
            time.sleep(0.05)
        at_work[0] -= 1
        return job

    keeper = AutoSync(project, sync, rounds.append)
    keeper.start()
    (repo / "a.py").write_text(KNOWN[1])
    keeper.notify_change()
    assert until(lambda: len(rounds) == 2 and now(desk) == "fresh")
    time.sleep(0.5)
    keeper.stop()
    assert (len(rounds), most[0]) == (2, 1)


def test_questions_do_not_put_a_sync_off(repo: Path, tmp_path: Path) -> None:
    """KEEP-ONE: stale answers one after another wake a keeper that polls, and never keep it waiting."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        project, rounds = desk.engine._projects.open_for_query(None), list[SyncAttempt]()
        keeper = AutoSync(project, in_process(project), rounds.append)
        keeper.start()
        assert until(lambda: keeper._check_s > 0 and not keeper._is_debouncing)
        (repo / "a.py").write_text(KNOWN[1])
        began = time.monotonic()
        while not rounds and time.monotonic() < began + PATIENCE_S:
            keeper.request()
            time.sleep(0.01)
        keeper.stop()
        assert len(rounds) == 1


def test_a_failing_sync_is_left_alone_for_longer_and_longer(desk: Desk, repo: Path) -> None:
    """KEEP-BACKOFF: 1, 2, 4 … 60 seconds; a success begins again."""
    project = desk.engine._projects.open_for_query(None)
    broken = [True]

    def sync(stopping: threading.Event) -> Job:
        if broken[0]:
            raise Failure("DISK_FULL", "No space left on the device.")
        return in_process(project)(stopping)

    keeper = AutoSync(project, sync, lambda _: None)
    (repo / "a.py").write_text(KNOWN[1])
    rounds = [keeper._sync_if_needed() for _ in range(8)]
    assert [done.retry_s for done in rounds if done] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert all(done and done.failure and done.failure.code == "DISK_FULL" for done in rounds)
    broken[0] = False
    done = keeper._sync_if_needed()
    assert done is not None and done.job is not None and done.retry_s == 0
    broken[0] = True
    (repo / "a.py").write_text(KNOWN[0])
    done = keeper._sync_if_needed()
    assert done is not None and done.retry_s == 1


def test_the_unexpected_ends_no_keeper(desk: Desk, repo: Path) -> None:
    """KEEP-BACKOFF: an error nobody thought of is a setback like the others."""

    def sync(_: threading.Event) -> Job:
        raise ValueError("secret words")

    keeper = AutoSync(desk.engine._projects.open_for_query(None), sync, lambda _: None)
    (repo / "a.py").write_text(KNOWN[1])
    done = keeper._sync_if_needed()
    assert done is not None and done.failure is not None and done.retry_s == 1
    assert "secret" not in done.failure.message


def test_a_sync_that_changes_nothing_is_not_repeated_at_once(desk: Desk, repo: Path) -> None:
    """KEEP-BACKOFF: never a busy loop, whatever keeps the view behind."""
    project = desk.engine._projects.open_for_query(None)
    idle = replace(project.jobs.list_recent(1)[0], changed_files=0)
    keeper = AutoSync(project, lambda _: idle, lambda _: None)
    (repo / "a.py").write_text(KNOWN[1])
    assert [done.retry_s for done in (keeper._sync_if_needed(), keeper._sync_if_needed()) if done] == [1, 2]


def test_only_what_somebody_indexed_is_kept(repo: Path, tmp_path: Path) -> None:
    """KEEP-INDEXED: a project without a live view is never indexed by itself."""
    with desk_on(repo, tmp_path / "data") as desk:
        desk.engine.init(str(repo))
        project = desk.engine._projects.open_for_query(None)
        keeper = AutoSync(project, in_process(project), lambda _: None)
        assert keeper._sync_if_needed() is None
        desk.index("main~0")
        assert keeper._sync_if_needed() is None
        assert all(job.ref == "main~0" for job in project.jobs.list_recent())


def test_another_writer_is_waited_for(desk: Desk, repo: Path, tmp_path: Path) -> None:
    """KEEP-LOCK: while somebody else writes the keeper waits, then looks again; what they did is not done twice."""
    project, rounds = desk.engine._projects.open_for_query(None), list[SyncAttempt]()
    writer = project.store.open_writer(Owner(1, "", "other"))
    keeper = AutoSync(project, in_process(project), rounds.append)
    (repo / "a.py").write_text(KNOWN[1])
    keeper.start()
    time.sleep(0.8)
    assert not rounds and now(desk) == "stale"
    writer.close()
    desk.index()
    assert until(lambda: now(desk) == "fresh")
    time.sleep(0.5)
    keeper.stop()
    jobs = [job for job in project.jobs.list_recent() if job.changed_files]
    assert len(jobs) <= 3 and not [done for done in rounds if done.failure]


def test_a_server_keeps_its_project_by_children(repo: Path, tmp_path: Path) -> None:
    """KEEP-CURRENT: syncs run in child processes; the state says syncing meanwhile, and the end is fresh."""
    data = tmp_path / "data"
    command = (sys.executable, "-P", "-m", "codecompass", "--data-dir", str(data))
    rounds = list[SyncAttempt]()
    with desk_on(repo, data, watch=True, child_command=command) as desk:
        desk.index()
    with desk_on(repo, data, watch=True, child_command=command) as desk:
        desk.engine.keep(rounds.append)
        assert now(desk) == "fresh"
        seen: list[str] = []
        (repo / "a.py").write_text(KNOWN[1])
        assert now(desk) in ("stale", "syncing")

        def is_fresh() -> bool:
            seen.append(now(desk))
            return seen[-1] == "fresh"

        assert until(is_fresh) and until(lambda: len(rounds) == 1)
        assert set(seen) == {"stale", "syncing", "fresh"}
    assert rounds[0].job is not None and rounds[0].job.status == "published"
