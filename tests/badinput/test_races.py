"""Things that happen while indexing: workers die, files vanish or turn into links, the root is gone."""

import fcntl
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from codecompass.engine.options import EngineOptions
from codecompass.engine.view.tree_sources import SourceListing, WorkingTreeSource
from codecompass.errors import Failure
from codecompass.model.call import Call
from tests.badinput.oddrepo import assert_whole, facts_by_path, odd_repo, skipped
from tests.engine.support import desk_on

MODULE = "codecompass.engine.index.parse_worker"
HEAVY = b"class A{f(a){return g(a.b(h(c)),new D(e))}}\n" * 24_000 + b"needleword()\n"
"""Fills a batch alone and keeps a worker busy for seconds."""
BUSY_TICKS = 120
"""Hundredths of a second of work after which a worker has done with starting and is in the middle of its file."""


def workers() -> list[int]:
    """Pids of our own parse workers."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == os.getpid() and MODULE in (entry / "cmdline").read_text():
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def strike(number: signal.Signals, done: threading.Event) -> None:
    """Send a signal to the first worker that has been at its file for a while."""
    while not done.is_set():
        for pid in workers():
            try:
                ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])
            except OSError:
                continue
            if ticks > BUSY_TICKS:
                os.kill(pid, number)
                return
        time.sleep(0.02)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="workers are found through /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stalled"])
def test_a_file_that_takes_its_worker_along_is_poison(tmp_path: Path, number: signal.Signals) -> None:
    """BAD-POISON: a worker that dies or falls silent over a file costs that file its symbols and nobody anything."""
    after = b"def after_poison():\n    pass\n"
    repo = odd_repo(tmp_path / "repo", {"a_heavy.js": HEAVY, "after.py": after})
    done = threading.Event()
    striker = threading.Thread(target=strike, args=(number, done))
    with desk_on(repo, tmp_path / "data", parse_timeout_s=6.0, max_file_bytes=4 * 2**20) as desk:
        striker.start()
        try:
            assert desk.index().status == "published"
        finally:
            done.set()
            striker.join()
        assert facts_by_path(desk)["a_heavy.js"].notes == ("poison",)
        assert "a_heavy.js" in desk.paths("needleword")
        assert desk.places("after_poison") == {"after.py:1"}
        assert_whole(desk)
    assert workers() == []


def after_listing(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Do something between the listing of the working tree and the reading of its files."""
    original = WorkingTreeSource.list

    def list_then_act(self: WorkingTreeSource) -> SourceListing:
        found = original(self)
        act()
        return found

    monkeypatch.setattr(WorkingTreeSource, "list", list_then_act)


def test_a_file_deleted_after_listing_is_simply_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """BAD-VANISHED: a file that vanishes before it is read leaves no row and no reason."""
    repo = odd_repo(tmp_path / "repo", {"brief.py": b"def brief():\n    pass\n"})
    after_listing(monkeypatch, lambda: (repo / "brief.py").unlink(missing_ok=True))
    with desk_on(repo, tmp_path / "data") as desk:
        assert desk.index().file_count == 1
        assert skipped(desk) == {}
        assert desk.locate("brief").hits == ()
        assert_whole(desk)


def test_a_file_turned_into_a_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """BAD-LINKS: a file, or its directory, that became a link between listing and reading is left out."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "swapped.py").write_text("def stolen():\n    pass\n")
    mine = b"def mine():\n    pass\n"
    repo = odd_repo(tmp_path / "repo", {"swapped.py": mine, "sub/swapped.py": mine})

    def swap() -> None:
        (repo / "swapped.py").unlink()
        (repo / "swapped.py").symlink_to(outside / "swapped.py")
        (repo / "sub").rename(repo.parent / "old")
        (repo / "sub").symlink_to(outside)

    after_listing(monkeypatch, swap)
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        assert skipped(desk) == {"symlink": 2}
        assert desk.locate("stolen").hits == desk.locate("mine").hits == ()
        assert_whole(desk)


@pytest.mark.skipif(not hasattr(fcntl, "F_SETLEASE"), reason="needs leases to refuse even root a file")
def test_an_unreadable_file_is_counted_and_does_not_make_the_view_stale(tmp_path: Path) -> None:
    """BAD-UNREADABLE: a file that cannot be read is counted, tried again at the next sync, and is no change."""
    repo = odd_repo(tmp_path / "repo", {"locked.py": b"def locked():\n    pass\n"})
    before = signal.signal(signal.SIGIO, signal.SIG_IGN)
    descriptor = os.open(repo / "locked.py", os.O_RDWR)
    try:
        try:
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError:
            pytest.skip("this file system has no leases")
        with desk_on(repo, tmp_path / "data") as desk:
            desk.index()
            assert skipped(desk) == {"unreadable": 1}
            assert_whole(desk)
            os.close(descriptor)
            descriptor = -1
            desk.index()
            assert desk.places("locked") == {"locked.py:1"}
            assert skipped(desk) == {}
    finally:
        if descriptor >= 0:
            os.close(descriptor)
        signal.signal(signal.SIGIO, before)


def test_an_emptied_root_keeps_its_index(tmp_path: Path) -> None:
    """BAD-EMPTIED: a root without any file fails the job with a clear sentence and keeps the index; force obeys."""
    repo = odd_repo(tmp_path / "repo")
    with desk_on(repo, tmp_path / "data") as desk:
        desk.index()
        (repo / "neighbour.py").unlink()
        with pytest.raises(Failure, match="contains no files") as caught:
            desk.index()
        assert "--force" in caught.value.effective_hint
        assert desk.places("neighbour_stays") == {"neighbour.py:1"}
        status = desk.engine.status(None, None)
        assert (status.recent_jobs[0].status, status.file_count) == ("failed", 1)
        assert "no files" in status.recent_jobs[0].error
        assert desk.index(force=True).file_count == 0
        assert desk.places("neighbour_stays") == set()


@pytest.mark.parametrize("path", ["missing", "file", "file/below", "a" * 5000, "nul\0byte", "loop"])
def test_a_workspace_that_is_no_directory_is_refused(tmp_path: Path, path: str) -> None:
    """BAD-WORKSPACE: what is missing, a file, a link to itself or no path at all is INVALID_REQUEST, in words."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "loop").symlink_to("loop")
    with desk_on(odd_repo(tmp_path / "repo"), tmp_path / "data") as desk:
        for call in (
            lambda: desk.engine.index(f"{tmp_path}/{path}", None, force=False, call=Call()),
            lambda: desk.engine.init(f"{tmp_path}/{path}"),
            lambda: desk.engine.status(f"{tmp_path}/{path}", None),
        ):
            with pytest.raises(Failure) as caught:
                call()
            assert caught.value.code == "INVALID_REQUEST"
            assert len(caught.value.message) > 15


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every directory")
def test_an_unreadable_workspace_is_refused(tmp_path: Path) -> None:
    """BAD-WORKSPACE: a directory we may not list is INVALID_REQUEST."""
    (tmp_path / "shut").mkdir(mode=0)
    with desk_on(odd_repo(tmp_path / "repo"), tmp_path / "data") as desk, pytest.raises(Failure) as caught:
        desk.engine.init(str(tmp_path / "shut"))
    assert caught.value.code == "INVALID_REQUEST"


def test_relative_names_and_the_data_directory_are_no_workspaces(tmp_path: Path) -> None:
    """BAD-WORKSPACE: a relative path and the index's own directory are refused."""
    assert EngineOptions().auto_workspace is False
    with desk_on(odd_repo(tmp_path / "repo"), tmp_path / "data") as desk:
        desk.index()
        for path, act in (("repo", desk.engine.status), (str(desk.home), lambda path, _: desk.engine.init(path))):
            with pytest.raises(Failure) as caught:
                act(path, None)
            assert caught.value.code == "INVALID_REQUEST"
