"""A watch knows of a change as soon as it is made; one that cannot be had says so."""

import os
import shutil
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codecompass.repo.files import file_watch as watch_module
from codecompass.repo.files.file_watch import HintWatch, open_watch
from codecompass.repo.files.inotify import IN_IGNORED, IN_Q_OVERFLOW, IN_UNMOUNT, InotifyWatch
from codecompass.repo.files.mounts import can_report_changes
from codecompass.repo.files.tree_walk import walk_tree
from codecompass.repo.git.repository import find_git
from tests.repo.gitrepo import git, make_repo

linux = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "r", {"a.py": "", "d/b.py": "", ".gitignore": "built/\n"})


@pytest.fixture
def watching(root: Path) -> Iterator[InotifyWatch]:
    made = InotifyWatch(root, find_git(root), max_changed=5)
    made.start()
    arm(made, root)
    yield made
    made.stop()


def arm(watch: InotifyWatch, root: Path) -> None:
    with watch.rearm() as enter:
        walk_tree(root, find_git(root), on_directory=enter)


@linux
def test_a_change_is_known_before_its_maker_goes_on(root: Path, watching: InotifyWatch) -> None:
    """WATCH-EXACT: no pause between a save and the question, many times over."""
    assert watching.exact and watching.active and watching.take_changes() == set()
    for turn in range(200):
        (root / "d/b.py").write_text(str(turn))
        assert watching.take_changes() == {"d/b.py"}
        assert watching.take_changes() == set()


@linux
def test_new_deleted_and_moved_files_are_changes(root: Path, watching: InotifyWatch) -> None:
    """WATCH-EXACT: every way a name comes and goes."""
    (root / "new.py").touch()
    (root / "d/b.py").unlink()
    (root / "a.py").rename(root / "z.py")
    assert watching.take_changes() == {"new.py", "d/b.py", "a.py", "z.py"}
    (root / "z.py").chmod(0o700)
    assert watching.take_changes() == {"z.py"}


@linux
def test_a_name_that_is_not_utf8(root: Path, watching: InotifyWatch) -> None:
    """WATCH-EXACT: names are bytes."""
    name = os.fsdecode(b"\xff.py")
    (root / name).touch()
    assert watching.take_changes() == {name}


@linux
def test_what_is_not_entered_is_not_heard_of(root: Path, watching: InotifyWatch) -> None:
    """WATCH-EXACT: an ignored directory costs nothing; a new one is a change, and heard of after the next walk."""
    (root / "built").mkdir()
    assert watching.take_changes() == {"built"}
    (root / "built/x.py").touch()
    (root / "new").mkdir()
    (root / "new/x.py").touch()
    assert watching.take_changes() == {"new"}
    arm(watching, root)
    (root / "new/x.py").write_text("x")
    assert watching.take_changes() == {"new/x.py"}


@linux
@pytest.mark.parametrize("how", ["moved", "deleted", "moved out", "root moved", "too many", "overflow", "unmounted"])
def test_losing_track_is_said_until_the_next_walk(root: Path, watching: InotifyWatch, how: str) -> None:
    """FRESH-LOST: None means that only a walk can tell; after it the watch is exact again."""
    if how == "moved":
        (root / "d").rename(root / "e")
    elif how == "deleted":
        shutil.rmtree(root / "d")
    elif how == "moved out":
        (root / "d").rename(root.parent / "d")
    elif how == "root moved":
        root.rename(root.parent / "r2")
        root = root.parent / "r2"
    elif how == "too many":
        for number in range(20):
            (root / f"f{number}.py").touch()
    elif how == "overflow":
        watching.handle_events(struct.pack("iIII", -1, IN_Q_OVERFLOW, 0, 0))
    else:
        watching.handle_events(struct.pack("iIII", 1, IN_UNMOUNT, 0, 0) + struct.pack("iIII", 1, IN_IGNORED, 0, 0))
    assert watching.take_changes() is None
    assert watching.take_changes() is None
    if how == "root moved":
        return
    arm(watching, root)
    assert watching.take_changes() == set()
    (root / "after.py").touch()
    assert watching.take_changes() == {"after.py"}


@linux
def test_a_moved_directory_is_known_by_its_new_name(root: Path, watching: InotifyWatch) -> None:
    """WATCH-EXACT: the kernel's number stays with the directory, the path does not."""
    (root / "d").rename(root / "e")
    (root / "d").mkdir()
    arm(watching, root)
    (root / "e/b.py").write_text("x")
    (root / "d/n.py").touch()
    assert watching.take_changes() == {"e/b.py", "d/n.py"}


@linux
def test_the_bell_rings_for_files_and_for_git(root: Path, watching: InotifyWatch) -> None:
    """WATCH-BELL: whoever keeps an index current hears of edits and of a moved HEAD, not of objects."""
    bell = threading.Event()
    watching.set_listener(bell.set)
    (root / "a.py").write_text("x")
    assert bell.wait(5)
    time.sleep(0.05)
    bell.clear()
    (root / ".git/objects/scratch").write_text("")
    (root / ".git/COMMIT_EDITMSG").write_text("")
    assert not bell.wait(0.1)
    git(root, "symbolic-ref", "HEAD", "refs/heads/other")
    assert bell.wait(5)
    watching.take_changes()
    bell.clear()
    git(root, "update-ref", "HEAD", git(root, "rev-parse", "main"))
    assert bell.wait(5)


@linux
def test_the_bell_rings_too_when_a_question_was_faster(root: Path, watching: InotifyWatch) -> None:
    """WATCH-BELL: events that a question took in are not lost to the listener."""
    heard: list[int] = []
    watching.set_listener(lambda: heard.append(1))
    for turn in range(50):
        before = len(heard)
        (root / "a.py").write_text(str(turn))
        watching.take_changes()
        deadline = time.monotonic() + 5
        while len(heard) == before and time.monotonic() < deadline:
            time.sleep(0.001)
        assert len(heard) > before


@linux
def test_a_linked_worktree_notices_its_own_head(root: Path, tmp_path: Path) -> None:
    """WATCH-BELL: its HEAD lies outside its root."""
    side = tmp_path / "w"
    git(root, "worktree", "add", "-q", "-b", "side", str(side))
    made, bell = InotifyWatch(side, find_git(side)), threading.Event()
    made.set_listener(bell.set)
    made.start()
    arm(made, side)
    git(side, "symbolic-ref", "HEAD", "refs/heads/elsewhere")
    assert bell.wait(5)
    made.stop()


SHOW = """
import pathlib, sys
from codecompass.repo.files.inotify import InotifyWatch
from codecompass.repo.files.tree_walk import walk_tree
made = InotifyWatch(pathlib.Path(sys.argv[1]))
made.start()
with made.rearm() as enter:
    walk_tree(pathlib.Path(sys.argv[1]), None, on_directory=enter)
print(made.exact, made.take_changes())
made.stop()
"""


@linux
@pytest.mark.parametrize(
    ("limit", "said"),
    [("", "True set()"), ("echo 5 > /proc/sys/user/max_inotify_watches", "False None"),
     ("echo 0 > /proc/sys/user/max_inotify_instances", "False None")],
)  # fmt: skip
def test_the_systems_own_limits_make_it_inactive(tmp_path: Path, limit: str, said: str) -> None:
    """FRESH-LOST: refused by the kernel itself."""
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
    assert done.stdout.decode().strip() == said, done.stderr


@linux
def test_a_missing_root_is_inactive(tmp_path: Path) -> None:
    """FRESH-LOST: nothing to watch."""
    made = InotifyWatch(tmp_path / "gone")
    made.start()
    arm(made, tmp_path / "gone")
    assert not made.active and made.take_changes() is None
    made.stop()


@linux
def test_stopping_is_quick_frees_everything_and_may_be_done_twice(root: Path, watching: InotifyWatch) -> None:
    """WATCH-EXACT: no descriptor and no thread stays behind."""
    before = len(os.listdir("/proc/self/fd"))
    watching.stop()
    watching.stop()
    assert not watching.active and watching.take_changes() is None
    assert len(os.listdir("/proc/self/fd")) == before - 3
    watching.start()
    arm(watching, root)
    assert watching.active


@pytest.mark.parametrize(
    ("lines", "local"),
    [
        (["/ - ext4"], True),
        (["/ - ext4", "/srv - nfs4"], False),
        (["/ - nfs4", "/srv - xfs"], True),
        (["/ - ext4", "/srv/code/share - fuse.sshfs"], False),
        (["/ - ext4", "/srv/codes - 9p"], True),
        (["/ - overlay", r"/srv/code\040x - 9p"], True),
        (["/srv - 9p", "/srv - ext4"], True),
        ([], False),
    ],
)
def test_only_local_file_systems_are_believed(tmp_path: Path, lines: list[str], local: bool) -> None:
    """WATCH-LOCAL: where another machine writes, silence proves nothing."""
    table = tmp_path / "mountinfo"
    rows = (line.split(" - ") for line in lines)
    table.write_text("".join(f"1 1 8:1 / {place} rw shared:1 - {kind} /dev/x rw\n" for place, kind in rows))
    assert can_report_changes("/srv/code", str(table)) is local
    assert not can_report_changes("/srv/code", str(tmp_path / "none"))


def test_other_systems_get_a_hint(root: Path) -> None:
    """WATCH-BELL: the watch for them rings, and never claims to be exact."""
    assert isinstance(open_watch(root), InotifyWatch if sys.platform == "linux" else HintWatch)
    made, bell = HintWatch(root, find_git(root)), threading.Event()
    made.set_listener(bell.set)
    made.start()
    assert made.active and not made.exact and made.take_changes() is None
    bell.clear()
    (root / "d/b.py").write_text("changed")
    assert bell.wait(10)
    (root / os.fsdecode(b"\xff.py")).write_text("")
    time.sleep(0.3)
    bell.clear()
    (root / "after.py").write_text("")
    assert bell.wait(10)
    made.stop()
    made.stop()
    assert not made.active


def test_a_hint_that_is_refused_is_inactive_and_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FRESH-LOST: nothing fails because a watcher does."""

    def refuse(*_: object, **__: object) -> Iterator[set[tuple[int, str]]]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(watch_module, "watch", refuse)
    made = HintWatch(tmp_path)
    made.start()
    assert not made.active
    made.stop()
