"""Freshness: the bytes on disk decide, at once, with a watch, without one, and with one that was refused."""

import errno
import os
import shutil
import struct
import sys
from collections.abc import Callable, Iterator
from ctypes import set_errno
from pathlib import Path
from types import SimpleNamespace

import pytest

from codecompass.errors import Failure
from codecompass.repo.files.inotify import IN_Q_OVERFLOW, InotifyWatch
from codecompass.repo.git.repository import GitDir
from tests.engine.support import Desk, desk_on
from tests.repo.gitrepo import commit, git, make_repo

FILES = {
    "a.py": "def one():\n    pass\n",
    "pkg/b.py": "def two():\n    pass\n",
    "pkg/deep/c.py": "def three():\n    pass\n",
    "pkg/.gitignore": "*.tmp\n",
    ".gitignore": "*.log\nbuilt/\n",
}
Act = Callable[[Path], object]
linux = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")


class RefusedWatch(InotifyWatch):
    """A watch on a system whose limit is reached after two directories."""

    def __init__(self, root: Path, git: GitDir | None = None) -> None:
        super().__init__(root, git)
        real, given = self._libc, []

        def add(*arguments: object) -> int:
            given.append(arguments)
            if len(given) > 2:
                set_errno(errno.ENOSPC)
                return -1
            return int(real.inotify_add_watch(*arguments))

        self._libc = SimpleNamespace(  # type: ignore[assignment]
            inotify_init1=real.inotify_init1, inotify_add_watch=add, inotify_rm_watch=real.inotify_rm_watch
        )


def made_repo(place: Path) -> Path:
    made = make_repo(place / "up/repo", FILES)
    (made / "noise.log").write_text("noise\n")
    (made / "loose.py").write_text("def loose():\n    pass\n")
    (made / "twin.py").write_text(FILES["a.py"])
    (made / "built").mkdir()
    (made / "built/gen.py").write_text("def made(): pass\n")
    git(made, "branch", "side")
    return made


MODES = ["looking", pytest.param("watching", marks=linux), pytest.param("refused", marks=linux)]


@pytest.fixture(scope="module", params=MODES)
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, Path]]:
    place = tmp_path_factory.mktemp(request.param)
    repo = made_repo(place)
    watches = {"looking": None, "watching": InotifyWatch, "refused": RefusedWatch}[request.param]
    with desk_on(repo, place / "data", watches=watches) as made:
        made.index()
        assert now(made) == "fresh"
        watch = made.engine._projects.open_for_query(None).watch
        assert (watch is not None and watch.exact) == (request.param == "watching")
        yield made, repo


@pytest.fixture
def repo(shared: tuple[Desk, Path]) -> Path:
    return shared[1]


@pytest.fixture
def desk(shared: tuple[Desk, Path]) -> Iterator[Desk]:
    """One index for all tests of a mode; each leaves it fresh."""
    assert now(shared[0]) == "fresh"
    yield shared[0]
    git(shared[1], "reset", "-q", "--hard", "main")
    shared[0].index()


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[tuple[Desk, InotifyWatch, Path]]:
    repo = made_repo(tmp_path)
    with desk_on(repo, tmp_path / "data", watches=lambda root, git: InotifyWatch(root, git, max_changed=3)) as made:
        made.index()
        assert now(made) == "fresh"
        watch = made.engine._projects.open_for_query(None).watch
        assert isinstance(watch, InotifyWatch)
        yield made, watch, repo


def now(desk: Desk) -> str:
    return desk.engine.describe(None, "live").freshness


def test_every_edit_and_every_revert_is_seen_at_once(desk: Desk, repo: Path) -> None:
    """FRESH-EXACT: 200 edits of equal length, each asked about without a pause, and each revert."""
    path = repo / "pkg/b.py"
    before = path.read_bytes()
    for turn in range(200):
        path.write_bytes(before.replace(b"two", b"%03d" % turn))
        assert now(desk) == "stale", turn
        path.write_bytes(before)
        assert now(desk) == "fresh", turn


def write(name: str, text: str) -> Act:
    def act(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    return act


def save_as_editors_do(name: str, text: str) -> Act:
    def act(root: Path) -> None:
        (root / "pkg/.save~").write_text(text)
        os.replace(root / "pkg/.save~", root / name)

    return act


def move(name: str, to: str) -> Act:
    return lambda root: shutil.move(root / name, root / to)


def remove(name: str) -> Act:
    def act(root: Path) -> None:
        path = root / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    return act


def link(name: str, to: str) -> Act:
    return lambda root: (root / name).symlink_to(root / to)


def run_git(*words: str) -> Act:
    return lambda root: git(root, *words)


def replace_root(root: Path) -> None:
    shutil.copytree(root, root.parent / "other", symlinks=True)
    (root.parent / "other/a.py").write_text("def uno():\n    pass\n")
    root.rename(root.parent / "first")
    (root.parent / "other").rename(root)


def restore_root(root: Path) -> None:
    shutil.rmtree(root)
    (root.parent / "first").rename(root)


def replace_parent(root: Path) -> None:
    up = root.parent
    shutil.copytree(up, up.parent / "copy", symlinks=True)
    (up.parent / "copy/repo/a.py").write_text("def uno():\n    pass\n")
    up.rename(up.parent / "first")
    (up.parent / "copy").rename(up)


def restore_parent(root: Path) -> None:
    shutil.rmtree(root.parent)
    (root.parent.parent / "first").rename(root.parent)


def tie(root: Path) -> None:
    """Make two listed files one, so that a write to either changes both and only one is heard of."""
    (root / "twin.py").unlink()
    os.link(root / "a.py", root / "twin.py")


def both(*acts: Act) -> Act:
    def act(root: Path) -> None:
        for one in acts:
            one(root)

    return act


CHANGES: dict[str, tuple[Act, Act]] = {
    "new file": (write("new.py", "x = 1\n"), remove("new.py")),
    "deleted": (remove("a.py"), write("a.py", FILES["a.py"])),
    "renamed": (move("a.py", "z.py"), move("z.py", "a.py")),
    "saved by rename": (save_as_editors_do("pkg/b.py", "x = 1\n"), save_as_editors_do("pkg/b.py", FILES["pkg/b.py"])),
    "directory moved out": (move("pkg", "../pkg"), move("../pkg", "pkg")),
    "directory renamed": (move("pkg", "lib"), move("lib", "pkg")),
    "deep directory at once": (write("x/y/z/w/new.py", "x = 1\n"), remove("x")),
    "edited in a moved directory": (both(move("pkg", "lib"), write("lib/b.py", "x = 1\n")),
                                    both(write("lib/b.py", FILES["pkg/b.py"]), move("lib", "pkg"))),
    "rule dropped": (write(".gitignore", "built/\n"), write(".gitignore", FILES[".gitignore"])),
    "rule added deeper": (write("pkg/.codecompassignore", "deep/\n"), remove("pkg/.codecompassignore")),
    "git's own rules": (write(".git/info/exclude", "loose.py\n"), write(".git/info/exclude", "")),
    "tracked in spite of the rules": (run_git("add", "-f", "built/gen.py"),
                                      run_git("rm", "-q", "--cached", "built/gen.py")),
    "file becomes a link": (both(move("pkg/b.py", "../kept.py"), link("pkg/b.py", "../kept.py")),
                            both(remove("pkg/b.py"), move("../kept.py", "pkg/b.py"))),
    "directory becomes a link": (both(move("pkg/deep", "../deep"), link("pkg/deep", "../deep")),
                                 both(remove("pkg/deep"), move("../deep", "pkg/deep"))),
    "file becomes a directory": (both(remove("a.py"), write("a.py/in.py", "x = 1\n")),
                                 both(remove("a.py"), write("a.py", FILES["a.py"]))),
    "nested repository": (lambda root: git(root / "pkg", "init", "-q"), remove("pkg/.git")),
    "root replaced": (replace_root, restore_root),
    "parent replaced": (replace_parent, restore_parent),
    "written by another name": (both(tie, write("twin.py", "x = 1\n")), write("a.py", FILES["a.py"])),
    "other branch, same files": (run_git("checkout", "-q", "side"), run_git("checkout", "-q", "main")),
    "commit and reset": (both(write("n.py", "x = 1\n"), run_git("add", "n.py"), run_git("commit", "-qm", "n")),
                         run_git("reset", "-q", "--hard", "HEAD~1")),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_changes_the_listing_or_the_bytes_is_stale(desk: Desk, repo: Path, name: str) -> None:
    """FRESH-EXACT, FRESH-BYTES: stale right after each kind of change, fresh right after its undoing, and again."""
    do, undo = CHANGES[name]
    for _ in range(3):
        do(repo)
        assert now(desk) == "stale"
        undo(repo)
        assert now(desk) == "fresh"


SAME: dict[str, Act] = {
    "touched": lambda root: os.utime(root / "a.py", (1, 1)),
    "mode": lambda root: (root / "a.py").chmod(0o755),
    "directory touched": lambda root: os.utime(root / "pkg", (1, 1)),
    "same bytes written": write("a.py", FILES["a.py"]),
    "same bytes saved by rename": save_as_editors_do("pkg/b.py", FILES["pkg/b.py"]),
    "ignored file edited": write("noise.log", "more\n"),
    "ignored file new": write("pkg/new.tmp", "x"),
    "ignored directory": write("built/more/gen.py", "x = 1\n"),
    "empty directory": lambda root: (root / "empty/inner").mkdir(parents=True),
    "came and went": both(write("pkg/t.py", "x"), remove("pkg/t.py")),
    "edited and reverted": both(write("a.py", "x"), write("a.py", FILES["a.py"])),
    "binary": write("p.png", "x"),
    "git works": lambda root: git(root, "status"),
}


@pytest.mark.parametrize("name", SAME)
def test_what_changes_no_indexed_byte_is_fresh(desk: Desk, repo: Path, name: str) -> None:
    """FRESH-SAME: fresh right after it, and after the sync that need not have been."""
    SAME[name](repo)
    assert now(desk) == "fresh"
    assert now(desk) == "fresh"
    desk.index()
    assert now(desk) == "fresh"


def test_a_file_in_an_empty_directory_is_seen(desk: Desk, repo: Path) -> None:
    """FRESH-EXACT: a directory that held nothing is looked at like the others."""
    (repo / "hollow/inner").mkdir(parents=True)
    assert now(desk) == "fresh"
    (repo / "hollow/inner/new.py").write_text("x = 1\n")
    assert now(desk) == "stale"
    shutil.rmtree(repo / "hollow")


def test_a_sync_makes_it_fresh_and_a_late_edit_stale_again(desk: Desk, repo: Path) -> None:
    """FRESH-EXACT: an edit right after the sync, within the clock's grain of its scan."""
    for turn in range(8):
        # Contents the index knows, so that the sync is quick.
        (repo / "a.py").write_text(FILES["pkg/b.py" if turn % 2 else "pkg/deep/c.py"])
        desk.index()
        assert now(desk) == "fresh"
        (repo / "a.py").write_text("def uno():\n    pass\n")
        assert now(desk) == "stale"


def test_strict_blocks(desk: Desk, repo: Path) -> None:
    """FRESH-STRICT: a strict query on a stale index is an error with both commits and the way out."""
    (repo / "a.py").write_text("def one():\n    return 3\n")
    with pytest.raises(Failure) as caught:
        desk.locate("one", freshness="strict")
    head = git(repo, "rev-parse", "HEAD")
    assert caught.value.code == "INDEX_STALE"
    assert caught.value.details["last_indexed_commit"] == caught.value.details["current_head"] == head
    assert "sync_repo" in str(caught.value.details["suggestion"])


def test_a_branch_compares_its_own_commit(desk: Desk, repo: Path) -> None:
    """FRESH-REFS: a ref's view is stale when the ref moved, whatever the working tree does."""
    desk.index("side")
    (repo / "a.py").write_text("def one():\n    return 4\n")
    assert desk.locate("one", "side").state.freshness == "fresh"
    git(repo, "checkout", "-q", "-f", "side")
    commit(repo, {"a.py": "def one():\n    return 5\n"})
    git(repo, "checkout", "-q", "main")
    assert desk.locate("one", "side").state.freshness == "stale"


@linux
def test_an_overflowing_queue_means_a_look_at_everything(watching: tuple[Desk, InotifyWatch, Path]) -> None:
    """FRESH-LOST: events that never came are made up for."""
    desk, watch, repo = watching
    (repo / "a.py").write_text("x = 1\n")
    assert watch.take_changes() == {"a.py"}
    # The event is gone now, as it would be if the kernel had had no room for it.
    watch.handle_events(struct.pack("iIII", -1, IN_Q_OVERFLOW, 0, 0))
    assert now(desk) == "stale"
    assert watch.exact


@linux
def test_more_changes_than_are_remembered_mean_a_look_at_everything(
    watching: tuple[Desk, InotifyWatch, Path],
) -> None:
    """FRESH-LOST: memory is bounded, the answer stays right."""
    desk, watch, repo = watching
    for number in range(8):
        (repo / f"n{number}.py").write_text("x = 1\n")
    assert now(desk) == "stale"
    for number in range(8):
        (repo / f"n{number}.py").unlink()
    assert watch.take_changes() is None
    assert now(desk) == "fresh"
