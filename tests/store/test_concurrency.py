"""One writer, many readers, in as many processes."""

import errno
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.store.embedded.files.writer_lock import WriterLock, is_locked, read_owner
from codecompass.store.ports import Owner
from tests.architecture.source import ROOT
from tests.engine.support import desk_on
from tests.repo.gitrepo import make_repo

FILES = 4
SECONDS = 5.0
LEAST = 5


def write(repo: Path, version: int) -> None:
    for number in range(FILES):
        text = f"def version_of_{number}(marker_{version}=0):\n    marker = {version}\n    return marker\n"
        (repo / f"m{number}.py").write_text(text)


def test_readers_see_whole_generations_while_a_writer_publishes(tmp_path: Path) -> None:
    """STORE-READERS: several processes read while one writes; nobody sees an error or half a sync."""
    repo, data = make_repo(tmp_path / "repo", {"README.md": "x\n"}), tmp_path / "data"
    write(repo, 0)
    with desk_on(repo, data) as desk:
        desk.index()
        end = tmp_path / "end"
        argv = [sys.executable, "-m", "tests.store.reading", str(repo), str(data), str(end)]
        readers = [subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
        deadline, version = time.monotonic() + SECONDS, 0
        while time.monotonic() < deadline or version < LEAST:
            version += 1
            write(repo, version)
            desk.index()
        end.touch()
    versions: dict[int, set[str]] = {}
    for reader in readers:
        output, errors = reader.communicate(timeout=60)
        assert reader.returncode == 0, errors.decode()[-1000:]
        for looked_up, _, hits in json.loads(output):
            assert hits == FILES
            for generation, signature in looked_up:
                versions.setdefault(generation, set()).add(signature)
    # Whoever looks, and whenever: one generation is one state of the files.
    assert all(len(signatures) == 1 for signatures in versions.values())
    assert len(versions) > 1


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    """STORE-ONE-WRITER: while one process writes, another gets index_in_progress and the owner's job."""
    repo, data = make_repo(tmp_path / "repo", {"a.py": "def a(): pass\n"}), tmp_path / "data"
    with desk_on(repo, data) as desk:
        desk.index()
        lock = WriterLock(desk.home / "lock", Owner(os.getpid(), "1", "job-one"))
        try:
            assert is_locked(desk.home / "lock")
            with pytest.raises(Failure) as caught:
                desk.index(force=True)
            assert caught.value.code == "INDEX_IN_PROGRESS"
            assert caught.value.details["job_id"] == "job-one"
        finally:
            lock.close()
        assert not is_locked(desk.home / "lock")
        assert desk.index(force=True).status == "published"


def test_the_lock_names_its_owner_and_beats(tmp_path: Path) -> None:
    """STORE-ONE-WRITER: the lock file tells who holds it and when it last lived; a kill frees it."""
    path = tmp_path / "lock"
    lock = WriterLock(path, Owner(4711, "start", "job"))
    first = read_owner(path)
    time.sleep(0.01)
    lock.write_heartbeat()
    second = read_owner(path)
    assert first is not None and second is not None
    assert (second.pid, second.start_time, second.job_id) == (4711, "start", "job")
    assert second.heartbeat > first.heartbeat
    lock.close()
    program = f"""
import os, pathlib, sys
from codecompass.store.embedded.files.writer_lock import WriterLock
from codecompass.store.ports import Owner
lock = WriterLock(pathlib.Path({str(path)!r}), Owner(os.getpid(), "x", "y"))
os.kill(os.getpid(), 9)
"""
    subprocess.run([sys.executable, "-c", program], check=False)
    assert not is_locked(path)


def test_no_room_for_the_lock_is_said_and_lets_it_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-ONE-WRITER: a full disk is told as such, and whoever met it holds nothing afterwards."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    path, owner = tmp_path / "lock", Owner(4711, "start", "job")
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(Failure) as caught:
            WriterLock(path, owner)
    assert caught.value.code == "DISK_FULL"
    assert not is_locked(path)
    WriterLock(path, owner).close()
