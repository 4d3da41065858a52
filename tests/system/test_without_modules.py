"""Systems without fcntl, resource, pwd, grp, termios and tty: what is absent is replaced, skipped or refused."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codecompass.errors import Failure
from codecompass.ownership import find_ownership_problem
from codecompass.system import file_leases, file_locks, resource_limits, user_accounts
from tests.architecture.source import ROOT, SOURCES
from tests.repo.gitrepo import make_repo
from tests.system.without_modules import make_msvcrt


def run(*arguments: str) -> str:
    program = [sys.executable, "-m", "tests.system.without_modules", *arguments]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_module_can_be_imported() -> None:
    """HOUSE-SYSTEM: no module needs at its import what only Unix has."""
    assert int(run("import")) == len(SOURCES.all) - 1


def test_a_repository_is_indexed_and_answers(tmp_path: Path) -> None:
    """HOUSE-SYSTEM: an index is built and read with the locks of Windows and without limits."""
    repo = make_repo(tmp_path / "repo", {"pkg/one.py": "def alpha():\n    return 1\n"})
    assert run("index", str(repo), str(tmp_path / "data"), "alpha") == "['pkg/one.py:1']"


def test_without_any_lock_a_clear_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """HOUSE-SYSTEM: a system without file locks is refused, never used without a lock."""
    monkeypatch.setattr(file_locks, "_FCNTL", None)
    with (tmp_path / "lock").open("w") as file:
        for lock in (file_locks.lock_shared, file_locks.lock_exclusive, file_locks.unlock):
            with pytest.raises(Failure) as caught:
                lock(file.fileno())
            assert caught.value.code == "CAPABILITY_MISSING"


def test_ranges_exclude_each_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """HOUSE-SYSTEM: with locks on bytes, shared locks go together and an exclusive one goes with none."""
    monkeypatch.setattr(file_locks, "_FCNTL", None)
    held: dict[int, tuple[int, int]] = {}
    module = make_msvcrt()

    def locking(descriptor: int, mode: int, size: int) -> None:
        first = os.lseek(descriptor, 0, os.SEEK_CUR)
        if not mode:
            if held.get(descriptor) != (first, size):
                raise PermissionError
            del held[descriptor]
            return
        if any(first < other + length and other < first + size for other, length in held.values()):
            raise PermissionError
        held[descriptor] = (first, size)

    monkeypatch.setattr(module, "locking", locking)
    monkeypatch.setattr(file_locks, "_MSVCRT", module)
    with (tmp_path / "lock").open("w+b") as one, (tmp_path / "lock").open("w+b") as two:
        file_locks.lock_shared(one.fileno())
        file_locks.lock_shared(two.fileno())
        with pytest.raises(BlockingIOError):
            file_locks.lock_exclusive(one.fileno(), wait=False)
        file_locks.unlock(two.fileno())
        file_locks.lock_exclusive(one.fileno(), wait=False)
        with pytest.raises(BlockingIOError):
            file_locks.lock_exclusive(two.fileno(), wait=False)
        assert one.tell() == two.tell() == 0
        file_locks.unlock(one.fileno())
    with file_locks.hold_directory(tmp_path):
        assert len(held) == 1
    assert (tmp_path / ".lock").exists()


def test_what_is_unknown_is_not_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """HOUSE-SYSTEM: limits are skipped, a file may be written, and a group may have other members."""
    monkeypatch.setattr(resource_limits, "_RESOURCE", None)
    monkeypatch.setattr(user_accounts, "_PWD", None)
    monkeypatch.setattr(file_leases, "_FCNTL", None)
    resource_limits.lower_limit("open_files", 0)
    resource_limits.set_soft_limit("open_files", 0)
    assert resource_limits.read_soft_limit("open_files") is None
    path = tmp_path / "file"
    path.touch()
    assert file_leases.may_be_written(str(path))
    assert user_accounts.is_private_group(os.getgid()) is None
    path.chmod(0o660)
    assert find_ownership_problem(path, path) is not None
