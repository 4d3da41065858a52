"""Diff: what counts as a change of a symbol, and how much is told."""

import os
import signal
from pathlib import Path

import pytest

from codecompass.engine.navigation.diff.changed_files import MAX_FILES
from tests.engine.difflab import Lab, change_of, edit, lab_in, told
from tests.repo.gitrepo import commit, git, make_repo


def test_a_signature_change_is_one_modification(lab: Lab, repo: Path) -> None:
    """DIFF-SIGNATURE: with both signatures and both places, never as a removal and an addition."""
    edit(repo, "src/cart.py", "def add(self, item, count=1)", "def add(self, item, count: int = 1) -> int")
    edit(repo, "src/cart.py", '"""Holds items."""', '"""Holds items."""\n\n    limit = 10')
    found = lab.committed(repo)
    one = change_of(found, "add")
    assert (one.change, one.signature_changed, one.body_changed) == ("modified", True, False)
    assert one.before is not None and one.after is not None
    assert one.before.signature == "def add(self, item, count=1)" and one.before.line_start == 4
    assert one.after.signature == "def add(self, item, count: int = 1) -> int" and one.after.line_start == 6
    assert found.totals["removed"] == 0 and change_of(found, "limit").change == "added"


def test_layout_is_no_change(lab: Lab, repo: Path) -> None:
    """DIFF-LAYOUT: shifted lines, white space, line breaks in brackets and comments are counted, not listed."""
    edit(repo, "src/cart.py", "class Cart:", "# A comment.\n\n\nclass Cart:")
    edit(repo, "src/cart.py", "append((item, count))", "append(\n            (item,count)\n        )")
    edit(repo, "src/cart.py", "    return item.cost\n", "    # The full price.\n    return item.cost  # in cents\n")
    found = lab.committed(repo)
    assert found.changes == () and found.moved_only == 5
    assert [(one.path, one.symbols) for one in found.files] == [("src/cart.py", 0)]
    edit(repo, "src/cart.py", '"""Holds items."""', '"""Holds what is bought."""')
    found = lab.committed(repo)
    assert found.changes == () and found.doc_only == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('log("on  sale")', 'log("on sale")'),
        ("    return item.cost\n", "    if item:\n        pass\n    return item.cost\n"),
        ("        return item.cost // 2\n", "    return item.cost // 2\n"),
    ],
    ids=["inside a string", "another statement", "out of the block"],
)
def test_white_space_with_a_meaning_is_a_change(lab: Lab, repo: Path, old: str, new: str) -> None:
    """DIFF-LAYOUT: inside a string and where it says what belongs to a block, white space is code."""
    edit(repo, "src/cart.py", old, new)
    found = lab.committed(repo)
    assert told(found) == {("modified", "cart.price")}
    assert change_of(found, "price").body_changed and not change_of(found, "price").signature_changed


def test_a_class_does_not_change_with_its_methods(lab: Lab, repo: Path) -> None:
    """DIFF-KINDS: what stands inside another definition speaks for itself."""
    edit(repo, "src/cart.py", "class Cart:", "class Cart(dict):")
    assert told(lab.committed(repo)) == {("modified", "cart.Cart")}
    edit(repo, "src/cart.py", "price(item) * count", "price(item)")
    assert told(lab.committed(repo)) == {("modified", "cart.Cart.total")}


def test_twins_keep_who_they_are(lab: Lab, tmp_path: Path) -> None:
    """DIFF-SIGNATURE: an overload put before others is the one that was added."""
    one, two = "  int at(int i) { return i; }\n", "  int at(long i) { return 2; }\n"
    repo = make_repo(tmp_path / "repo", {"A.java": "class A {\n" + one + two + "}\n"})
    (repo / "A.java").write_text("class A {\n  int at(String s) { return 3; }\n" + one + two + "}\n")
    found = lab.committed(repo)
    assert [(change.change, change.after.signature if change.after else "") for change in found.changes] == [
        ("added", "int at(String s)")
    ]


def test_a_renamed_file_is_one_file(lab: Lab, repo: Path) -> None:
    """DIFF-RENAMES: unchanged or edited, its symbols moved with it and are not told as new."""
    git(repo, "mv", "src/cart.py", "src/basket.py")
    found = lab.committed(repo)
    assert [(one.path, one.change, one.old_path) for one in found.files] == [
        ("src/basket.py", "renamed", "src/cart.py")
    ]
    assert found.totals == {"removed": 0, "modified": 0, "renamed": 0, "added": 0, "moved": 5}
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    git(repo, "mv", "src/cart.py", "src/basket.py")
    edit(repo, "src/basket.py", "item.cost // 2", "item.cost // 9")
    found = lab.committed(repo)
    assert found.file_totals == {"added": 0, "modified": 0, "deleted": 0, "renamed": 1}
    assert found.totals["moved"] == 5 and change_of(found, "price").body_changed
    assert found.totals["added"] == found.totals["removed"] == 0


def test_members_follow_what_holds_them(lab: Lab, repo: Path) -> None:
    """DIFF-RENAMES: a renamed class is recognised by what it holds, and an edited method is still its method."""
    edit(repo, "src/cart.py", "class Cart:", "class Basket:")
    edit(repo, "src/cart.py", "return len(self.items)", "return None")
    found = lab.committed(repo)
    assert {(one.change, one.qualified_name, one.body_changed) for one in found.changes} == {
        ("renamed", "cart.Basket", False), ("moved", "cart.Basket.add", True), ("moved", "cart.Basket.total", False),
    }  # fmt: skip
    assert change_of(found, "Basket").signature_changed


def test_a_path_narrows(lab: Lab, repo: Path) -> None:
    """DIFF-PATH: a file or a directory, on either side of a rename."""
    (repo / "lib").mkdir()
    (repo / "src/pay.py").rename(repo / "lib/pay.py")
    edit(repo, "src/cart.py", "item.cost // 2", "0")
    assert told(lab.committed(repo, path="src/cart.py")) == {("modified", "cart.price")}
    for path in ("lib", "lib/", "./lib/pay.py", "src/pay.py"):
        assert {one.path for one in lab.diff(repo, "HEAD~1", "HEAD", path=path).files} == {"lib/pay.py"}, path
    assert lab.diff(repo, "HEAD~1", "HEAD", path="sr").files == ()


def test_a_limit_keeps_the_totals(lab: Lab, tmp_path: Path) -> None:
    """DIFF-LIMITS: what is not shown is counted, and the answer says that it was cut."""
    repo = make_repo(tmp_path / "repo", {"a.py": "x = 1\n"})
    (repo / "b.py").write_text("".join(f"def f{n}():\n    return {n}\n\n" for n in range(60)))
    found = lab.committed(repo, limit=5)
    assert len(found.changes) == 5 and found.totals["added"] == 60 and found.truncated
    assert not lab.diff(repo, "HEAD~1", "HEAD", limit=100).truncated


def test_many_files_are_bounded(lab: Lab, tmp_path: Path) -> None:
    """DIFF-LIMITS: beyond a number of files their symbols are left out, and it is said how many."""
    repo = make_repo(tmp_path / "repo", {"a.txt": "x\n"})
    commit(repo, {f"n/{n}.txt": f"{n}\n" for n in range(MAX_FILES + 20)})
    found = lab.diff(repo, "HEAD~1", "HEAD")
    assert found.left_out == {"too_many_files": 20} and found.truncated
    assert found.file_totals["added"] == MAX_FILES + 20 and "20 too_many_files" in found.warnings[-1]


def test_odd_files(lab: Lab, tmp_path: Path) -> None:
    """DIFF-ODD: binaries, line ends, links, modes, secrets and names that are no UTF-8 disturb nothing."""
    files = {"a.py": "def one():\n    return 1\n", "blob": "x\0y", "run.sh": "f() { :; }\n"}
    repo = make_repo(tmp_path / "repo", files)
    (repo / "a.py").write_bytes(b"def one():\r\n    return 1\r\n")
    (repo / "blob").write_bytes(b"x\0z")
    (repo / "run.sh").chmod(0o755)
    (repo / "link.py").symlink_to("a.py")
    (repo / ".env").write_text("SECRET=1\n")
    odd = "bad\udcff.py"
    (repo / odd).write_text("def odd():\n    pass\n")
    lab.index(repo)
    found = lab.diff(repo)
    assert {(one.path, one.change) for one in found.files} == {("blob", "modified"), ("bad\\xff.py", "added")}
    assert told(found) == {("added", "bad\\xff.odd")} and found.left_out == {"binary": 2}
    git(repo, "add", "-A", "-f")
    git(repo, "commit", "-q", "-m", "odd")
    committed = lab.diff(repo, "HEAD~1", "HEAD")
    assert told(committed) == told(found)
    assert {one.path for one in committed.files} == {"blob", "bad\\xff.py"}


def test_a_truncated_file_is_compared_by_its_bytes(tmp_path: Path) -> None:
    """DIFF-ODD: a file too long to index whole differs when its indexed part does."""
    long = "".join(f"def f{n}():\n    return {n}\n" for n in range(200))
    repo = make_repo(tmp_path / "repo", {"long.py": long})
    with lab_in(tmp_path / "data", max_file_bytes=1000) as lab:
        lab.index(repo)
        assert lab.diff(repo).files == ()
        (repo / "long.py").write_text(long.replace("return 3\n", "return 9\n", 1))
        assert told(lab.diff(repo)) == {("modified", "long.f3")}


def test_a_dead_parser_is_replaced(lab: Lab, repo: Path) -> None:
    """DIFF-ODD: content of commits is parsed in child processes; one that died costs nothing but a new start."""
    edit(repo, "src/cart.py", "item.cost // 2", "0")
    assert told(lab.committed(repo)) == {("modified", "cart.price")}
    for pid in parsers():
        os.kill(pid, signal.SIGKILL)
    assert told(lab.diff(repo, "HEAD~1", "HEAD")) == {("modified", "cart.price")}


def parsers() -> list[int]:
    """Parse workers that this process started."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            mine = f"PPid:\t{os.getpid()}\n" in status.read_text()
            command = (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if mine and b"engine.index.parse_worker" in command:
            found.append(int(status.parent.name))
    return found
