"""Changes raise a counter soon after they are made; a watch that cannot be had is said to be inactive."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codecompass.repo import watch as watch_module
from codecompass.repo.gitdir import find_git
from codecompass.repo.watch import FileWatch
from tests.repo.gitrepo import git, make_repo


def eventually(condition: Callable[[], bool], seconds: float = 10.0) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "r", {"a.py": "", "d/b.py": ""})


@pytest.fixture
def watching(root: Path) -> Iterator[FileWatch]:
    made = FileWatch(root, find_git(root), max_changed=5)
    made.start()
    yield made
    made.stop()


def test_a_save_raises_the_version_and_names_the_path(root: Path, watching: FileWatch) -> None:
    assert watching.active
    assert (watching.version, watching.drain()) == (0, set())
    (root / "d/b.py").write_text("changed")
    assert eventually(lambda: watching.version > 0)
    assert watching.drain() == {"d/b.py"}
    assert watching.drain() == set()


def test_new_deleted_and_moved_files_are_changes(root: Path, watching: FileWatch) -> None:
    (root / "new.py").write_text("")
    (root / "d/b.py").unlink()
    (root / "a.py").rename(root / "z.py")
    seen: set[str] = set()

    def all_seen() -> bool:
        seen.update(watching.drain() or ())
        return seen >= {"new.py", "d/b.py", "a.py", "z.py"}

    assert eventually(all_seen)


def test_too_many_changes_mean_everything(root: Path, watching: FileWatch) -> None:
    for number in range(20):
        (root / f"f{number}.py").write_text("")
    drained: list[set[str] | None] = []

    def overflowed() -> bool:
        drained.append(watching.drain())
        return None in drained

    # Asked rarely, so that the changes pile up as they do when nobody asks.
    assert eventually(lambda: watching.version > 0)
    assert overflowed() or eventually(overflowed)


def test_refs_raise_their_own_version_and_objects_raise_none(root: Path, watching: FileWatch) -> None:
    (root / ".git/objects/scratch").write_text("")
    (root / ".git/index.lock").write_text("")
    (root / ".git/index.lock").unlink()
    git(root, "branch", "other")
    assert eventually(lambda: watching.git_version == 1)
    git(root, "symbolic-ref", "HEAD", "refs/heads/other")
    assert eventually(lambda: watching.git_version == 2)
    assert (watching.version, watching.drain()) == (0, set())


def test_new_exclude_rules_mean_everything(root: Path, watching: FileWatch) -> None:
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("x\n")
    assert eventually(lambda: watching.version > 0)
    assert watching.drain() is None


def test_a_linked_worktree_notices_its_own_head(root: Path, tmp_path: Path) -> None:
    side = tmp_path / "w"
    git(root, "worktree", "add", "-q", "-b", "side", str(side))
    made = FileWatch(side, find_git(side))
    made.start()
    git(side, "symbolic-ref", "HEAD", "refs/heads/elsewhere")
    assert eventually(lambda: made.git_version > 0)
    made.stop()


def test_a_name_that_is_not_utf8_does_not_end_the_watch(root: Path, watching: FileWatch) -> None:
    (root / os.fsdecode(b"\xff.py")).write_text("")
    assert eventually(lambda: watching.version > 0)
    assert eventually(lambda: watching.active)
    watching.drain()

    def noticed() -> bool:
        (root / "after.py").write_text("")
        changed = watching.drain()
        return changed is None or "after.py" in changed

    assert eventually(noticed)


def test_a_watch_that_is_refused_is_inactive_and_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Iterator[set[tuple[int, str]]]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watch_module, "watch", refuse)
    made = FileWatch(tmp_path)
    made.start()
    assert (made.active, made.version, made.drain()) == (False, 0, set())
    made.stop()


SHOW = """
import pathlib, sys
from codecompass.repo.watch import FileWatch
made = FileWatch(pathlib.Path(sys.argv[1]))
made.start()
print(made.active)
made.stop()
"""


@pytest.mark.parametrize(
    ("limit", "active"),
    [("", "True"), ("echo 5 > /proc/sys/user/max_inotify_watches", "False"),
     ("echo 0 > /proc/sys/user/max_inotify_instances", "False")],
)  # fmt: skip
def test_the_systems_own_limits_make_it_inactive(tmp_path: Path, limit: str, active: str) -> None:
    for number in range(50):
        (tmp_path / str(number)).mkdir()
    # A user namespace has limits of its own, so that the test does not touch those of the machine.
    argv = ["unshare", "-Ur", "sh", "-c", f"{limit}\nexec {sys.executable} -c '{SHOW}' {tmp_path}"]
    try:
        done = subprocess.run(argv, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("no unshare on this machine")
    if b"unshare" in done.stderr or b"cannot create" in done.stderr:
        pytest.skip("user namespaces are not allowed here")
    assert done.stdout.decode().strip() == active


def test_a_missing_root_is_inactive(tmp_path: Path) -> None:
    made = FileWatch(tmp_path / "gone")
    made.start()
    assert not made.active
    made.stop()


def test_stopping_is_quick_and_may_be_done_twice(watching: FileWatch) -> None:
    started = time.monotonic()
    watching.stop()
    watching.stop()
    assert time.monotonic() - started < 2
    assert not watching.active
    watching.start()
    assert watching.active
