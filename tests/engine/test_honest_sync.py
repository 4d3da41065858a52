"""A sync whose disk or system fails: what did not get published is never called done, and what was published stays."""

import errno
from pathlib import Path

import pytest

from tests.faults import failing_calls
from tests.surfaces.conftest import Shell, environment, make_repository

FAULTS = [
    (("fdatasync", "fsync"), errno.EIO, 4), (("fdatasync", "fsync"), errno.EIO, 10),
    (("pwrite", "write"), errno.EIO, 8), (("open",), errno.EMFILE, 5), (("open",), errno.EMFILE, 25),
    (("open",), errno.EMFILE, 45),
    (("pwrite", "write"), errno.ENOSPC, 12),
]  # fmt: skip


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(make_repository(tmp_path / "repo"), environment(tmp_path))
    assert made.run("index", "--no-memory").returncode == 0
    return made


@pytest.mark.parametrize(("calls", "error", "after"), FAULTS)
def test_a_sync_that_did_not_publish_never_exits_0(
    shell: Shell, tmp_path: Path, calls: tuple[str, ...], error: int, after: int
) -> None:
    """SYNC-HONEST: exit code 0 means published; otherwise the error names no damage, and the old view answers."""
    (shell.cwd / "src" / "late.py").write_text("def came_late():\n    return 1\n")
    fault = failing_calls(tmp_path / "build", calls, error, below=tmp_path / "data", after=after)
    done = shell.run("sync", "--no-memory", env=fault)
    shown = shell.run("locate", "came_late")
    published = "src/late.py:1" in shown.stdout
    assert (done.returncode == 0) <= published, done.stderr
    if done.returncode:
        assert done.returncode == 13 and "--force" not in done.stderr and "hint:" in done.stderr, done.stderr
    assert "src/auth.py:1" in shell.run("locate", "Auth").stdout
    assert shell.run("sync", "--no-memory").returncode == 0
    assert "src/late.py:1" in shell.run("locate", "came_late").stdout


@pytest.mark.parametrize("after", [0, 1, 2, 3])
def test_sources_that_cannot_be_opened_now_are_not_forgotten(shell: Shell, tmp_path: Path, after: int) -> None:
    """SYNC-HONEST: too many open files say nothing of the files; none is dropped from the index for that."""
    (shell.cwd / "src" / "late.py").write_text("def came_late():\n    return 1\n")
    fault = failing_calls(tmp_path / "build", ("open",), errno.EMFILE, below=shell.cwd / "src", after=after)
    done = shell.run("sync", "--no-memory", env=fault)
    if done.returncode:
        assert done.returncode == 13 and "ulimit" in done.stderr, done.stderr
    else:
        assert "src/late.py:1" in shell.run("locate", "came_late").stdout
    assert "src/auth.py:1" in shell.run("locate", "Auth").stdout
